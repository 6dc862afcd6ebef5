"""Figures of a report by matplotlib, for papers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from linnet.cli.reports.figures import Figure, figures
from linnet.cli.reports.numbers import numbered

MOST_LABELS = 30
CONFUSIONS = {  # of one label each, and of several: title, columns, rows
    "confusion": ("Confusions", "said", "right"),
    "instead": ("Missed, and what was said instead", "said instead", "missed"),
}


def plot(title: str, told: dict[str, Any], path: str) -> None:
    """All figures, one below the other, in a file whose ending says its kind."""
    try:
        from matplotlib.figure import Figure as Sheet
    except ImportError:
        raise click.ClickException("--plot needs matplotlib: pip install 'linnet[report]'") from None
    from linnet._writing import replacing

    drawn = list(figures(told))
    confusion = next((k for k in CONFUSIONS if (told.get(k) or {}).get("counts")), None)
    count = len(drawn) + (confusion is not None)
    if not count:
        raise click.ClickException("--plot: there is nothing to draw of this")
    sheet = Sheet(figsize=(7, 4 * count), layout="constrained")
    axes = sheet.subplots(count, squeeze=False)[:, 0]
    for ax, figure in zip(axes, drawn, strict=False):
        _draw(ax, figure)
    if confusion is not None:
        _matrix(axes[-1], told[confusion], *CONFUSIONS[confusion])
    sheet.suptitle(_plain(title))
    with replacing(path) as file:
        sheet.savefig(file, format=Path(path).suffix.lower()[1:], dpi=150)


def _plain(text: str) -> str:
    """Without what matplotlib would take for mathematics."""
    return text.replace("$", r"\$")


def _draw(ax: Any, figure: Figure) -> None:
    if figure.bars:
        names, values = [_plain(name) for name in figure.bars], list(figure.bars.values())
        ax.barh(range(len(names)), values)
        ax.set_yticks(range(len(names)), names, fontsize=8)
        ax.invert_yaxis()
    if figure.unit:
        ax.set(xlim=(0, 1), ylim=(0, 1.02))
    if figure.diagonal:
        ax.axline((0, 0), slope=1, color="grey", linestyle="--", linewidth=1)
    for name, line in figure.lines.items():
        if line and not figure.named:
            ax.plot(
                *zip(*line, strict=True), marker="." if len(line) <= 30 else None, label=_plain(name)
            )
    if figure.named:
        _name_points(ax, figure)
    ax.set(title=_plain(figure.title), xlabel=_plain(figure.x), ylabel=_plain(figure.y))
    if figure.powers:
        ax.set_xscale("log")
    if not figure.named and len(figure.lines) > 1:
        ax.legend()


def _name_points(ax: Any, figure: Figure) -> None:
    """A number beside each, and the names beside the axes."""
    for one in numbered(figure):
        ax.scatter(one.x, one.y, color="C0", s=18, label=_plain(f"{one.number}  {one.name}"))
        ax.annotate(
            str(one.number),
            (one.x, one.y),
            xytext=(one.dx, one.dy),
            textcoords="offset points",
            fontsize=8,
            ha="center",
            va="center",
            arrowprops={"arrowstyle": "-", "linewidth": 0.5} if one.far else None,
        )
    ax.margins(0.08)
    outside = {"loc": "center left", "bbox_to_anchor": (1.01, 0.5), "fontsize": 8, "frameon": False}
    ax.legend(**outside, handlelength=0, handletextpad=0, markerscale=0)


def _matrix(ax: Any, told: dict[str, Any], title: str, across: str, down: str) -> None:
    size = min(len(told["gold"]), MOST_LABELS)
    counts = [row[:size] for row in told["counts"][:size]]
    ax.imshow(counts, cmap="Blues")
    names = ["nothing" if name is None else _plain(str(name)) for name in told["gold"][:size]]
    ax.set_xticks(range(size), names, rotation=90)
    ax.set_yticks(range(size), names)
    ax.set(title=title, xlabel=across, ylabel=down)
    if size <= 12:
        top = max(max(row) for row in counts)
        for i, row in enumerate(counts):
            for j, times in enumerate(row):
                ax.text(
                    j, i, times, ha="center", va="center", color="white" if times > top / 2 else "black"
                )
