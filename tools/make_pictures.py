"""Draw the pictures of the manual from the code of its pages: `python tools/make_pictures.py`.

A point is black where it is 1, white where it is 0, and one of sixteen greys between.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from linnet import FactorGraph

DOCS = Path(__file__).parents[1] / "docs"
PAGE, SECTION = DOCS / "graph-examples.md", "## A noisy picture"
DRAWN = ("truth", "noisy", "found", "sure")  # what the arrays are called there
POINT = 3  # pixels


def arrays() -> dict[str, NDArray[np.float64]]:
    """What the section's code makes."""
    text = PAGE.read_text(encoding="utf-8")
    section = text[text.index(SECTION) :].split("\n## ")[0]
    names: dict[str, object] = {"np": np, "FactorGraph": FactorGraph}
    for block in re.findall(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL):
        exec(block, names)
    return {name: np.asarray(names[name], np.float64) for name in DRAWN}


def lines(greys: NDArray[np.int64]) -> Iterator[tuple[int, str]]:
    """Runs of points of one grey within a row, white ones left out."""
    for row, points in enumerate(greys.tolist()):
        column = 0
        for grey, run in groupby(points):
            width = len(list(run))
            if grey:
                yield grey, f"M{column} {row}h{width}v1h-{width}z"
            column += width


def svg(values: NDArray[np.float64]) -> str:
    """A picture of an array with values between 0 and 1."""
    height, width = values.shape
    paths: dict[int, list[str]] = {}
    for grey, line in lines(np.rint(values * 15).astype(np.int64)):
        paths.setdefault(grey, []).append(line)
    drawn = "".join(
        f'<path fill="#{15 - grey:x}{15 - grey:x}{15 - grey:x}" d="{"".join(parts)}"/>\n'
        for grey, parts in sorted(paths.items())
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width * POINT}" height="{height * POINT}" '
        f'viewBox="0 0 {width} {height}" shape-rendering="crispEdges">\n'
        f'<rect width="{width}" height="{height}" fill="#fff"/>\n{drawn}</svg>\n'
    )


def pictures() -> Mapping[str, str]:
    """All of them, by name of file."""
    return {f"{name}.svg": svg(values) for name, values in arrays().items()}


if __name__ == "__main__":
    folder = DOCS / "pictures"
    folder.mkdir(exist_ok=True)
    for name, picture in pictures().items():
        (folder / name).write_text(picture, encoding="utf-8", newline="\n")
