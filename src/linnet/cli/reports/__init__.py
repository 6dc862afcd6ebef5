"""Reports of commands as files: pages without a server, and figures for papers."""

from __future__ import annotations

from typing import Any

import click

from linnet.cli.options import option, stack
from linnet.cli.paths import Writes

ENDINGS = (".png", ".svg", ".pdf")


class WritesPlot(Writes):
    """The ending says the kind of a figure; one that says none is refused before anything is begun."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """The name."""
        if not str(value).lower().endswith(ENDINGS):
            raise click.UsageError(f"--plot {value}: a name that ends in .png, .svg or .pdf is wanted")
        return super().convert(value, param, ctx)


report_options = stack(
    option("--html", type=Writes(), metavar="FILE", help="a page with tables and figures, in one file"),
    option(
        "--plot", type=WritesPlot(), metavar="FILE", help="figures by matplotlib: .png, .svg or .pdf"
    ),
)


def write_reports(title: str, told: dict[str, Any], given: dict[str, Any]) -> None:
    """The files that were asked for, of what a command tells as JSON."""
    if given.get("html") is not None:
        from linnet.cli.output import written
        from linnet.cli.reports.page import page

        with written(given["html"]) as file:
            file.write(page(title, told).encode("utf-8", "replace"))
    if given.get("plot") is not None:
        from linnet.cli.reports.plot import plot

        plot(title, told, given["plot"])
