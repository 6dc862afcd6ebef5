"""The pictures of the manual are those of its code, and all that pages show are there."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
TOOL = runpy.run_path(str(ROOT / "tools" / "make_pictures.py"))
FOLDER = ROOT / "docs" / "pictures"
MEASURED = {"kernels.svg"}  # by benchmarks/kernel.py


def points(svg: str) -> np.ndarray:
    """What a picture shows, read from its lines: 0 is white, 15 black."""
    width, height = map(int, re.findall(r'viewBox="0 0 (\d+) (\d+)"', svg)[0])
    greys = np.zeros((height, width), int)
    for fill, lines in re.findall(r'<path fill="#(\w)\w\w" d="(.*?)"', svg):
        for column, row, length in re.findall(r"M(\d+) (\d+)h(\d+)v1h-\d+z", lines):
            place = int(row), slice(int(column), int(column) + int(length))
            greys[place] = 15 - int(fill, 16)
    return greys


def test_pictures_show_what_the_page_computes() -> None:
    arrays = TOOL["arrays"]()
    assert {f"{name}.svg" for name in arrays} == {path.name for path in FOLDER.iterdir()} - MEASURED
    for name, values in arrays.items():
        shown = points((FOLDER / f"{name}.svg").read_text(encoding="utf-8"))
        assert np.abs(shown / 15 - values).max() <= 0.5 / 15 + 1e-6, "run `make pictures`"


def test_greys_come_back() -> None:
    values = np.random.default_rng(0).integers(0, 16, (7, 11))
    np.testing.assert_array_equal(points(TOOL["svg"](values / 15)), values)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_images_are_there(page: Path) -> None:
    for words, target in re.findall(r"!\[([^\]]*)\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        assert words, f"{target} is not described"
        assert target.startswith("https://") or (page.parent / target).is_file(), target
