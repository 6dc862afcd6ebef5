"""Every Python block of the README and of the manual runs, and prints what the page says it prints."""

import contextlib
import doctest
import io
import re
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

import linnet
import linnet.evaluation
import linnet.explain

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
# A block of Python, and the block of output that follows it at once, if there is one.
BLOCK = re.compile(r"^```python\n(.*?)^```$(?:\n\n^```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_blocks_run(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    same = doctest.OutputChecker().check_output
    names: dict[str, object] = {}
    for block in BLOCK.finditer(text):
        line = text[: block.start()].count("\n") + 2
        code = compile("\n" * (line - 1) + block[1], str(page), "exec")
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(code, names)
        if block[2] is not None:
            assert same(block[2], printed.getvalue(), doctest.ELLIPSIS), printed.getvalue()


def anchors(page: Path) -> set[str]:
    """What headings of a page are called in links, and labels that stand above them."""
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    named = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return named | set(re.findall(r"^\((.+)\)=$", text, re.MULTILINE))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+\.md)?(#[^)]*)?\)", page.read_text(encoding="utf-8"))
    for target, place in links:
        file = page.parent / target if target else page
        assert file.is_file(), target
        assert not place or place[1:] in anchors(file), f"{target}{place}"


def test_the_manual_lists_every_public_name() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    listed = {
        name.rsplit(".", 1)[-1] for name in re.findall(r"^\.\. auto\w+:: (\S+)$", page, re.MULTILINE)
    }
    rooms = (linnet.evaluation, linnet.explain)
    functions = {
        name for room in rooms for name in room.__all__ if isinstance(getattr(room, name), FunctionType)
    }
    functions |= set(linnet.kernels.__all__)
    public = {name for name in linnet.__all__ if not isinstance(getattr(linnet, name), ModuleType)}
    assert public | functions <= listed


def test_the_manual_shows_what_estimators_do() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    for name, members in re.findall(r"^\.\. autoclass:: (\S+)\n +:members: (.+)$", page, re.MULTILINE):
        shown = import_module(name.rpartition(".")[0] or "linnet")
        for member in members.split(", "):
            assert hasattr(getattr(shown, name.rpartition(".")[2]), member), f"{name}.{member}"
    texts = re.search(r"^## Texts$.*?^## ", page, re.MULTILINE | re.DOTALL)
    assert texts is not None
    assert texts[0].count("autoclass::") == texts[0].count(":members:")
