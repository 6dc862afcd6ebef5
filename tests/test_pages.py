"""What the pages mention is there: files, names of the library, options of the command, links."""

import re
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest

import linnet
from linnet.cli import COMMANDS, main

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
ROOMS = ("benchmarks", "cpp", "docs", "examples", "src", "tests", "tools")
FILES = {file for room in ROOMS for file in (ROOT / room).rglob("*") if "__pycache__" not in file.parts}
PATHS = {f"/{file.relative_to(ROOT).as_posix()}" for file in [*FILES, *ROOT.glob("*.*")]}
CODE = re.compile(r"`([^`\n]+)`")
OF_PEERS = {"docs/objectives.md"}  # speaks of options of other programs


def mentioned(page: Path, pattern: str) -> set[str]:
    """What code within the sentences of a page holds, commands of other programs left out."""
    code = CODE.findall(page.read_text(encoding="utf-8"))
    ours = [words for words in code if not re.search(r"\.py ", words)]
    return {found for words in ours for found in re.findall(pattern, words)}


FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]*)\)")
DEEPEST = 3  # headings that the manual gives anchors to


def sentences(page: Path) -> str:
    """A page without its blocks and pieces of code."""
    return CODE.sub("", FENCED.sub("", page.read_text(encoding="utf-8")))


def anchors(page: Path) -> set[str]:
    """Where a link into a page may lead, on a code host as in the manual."""
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    titles = re.findall(rf"^#{{1,{DEEPEST}}} +(.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize(
    "page", [*PAGES, ROOT / "benchmarks" / "README.md"], ids=lambda page: page.stem
)
def test_links_lead_somewhere(page: Path) -> None:
    for text, target in LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
        assert text.strip(), f"a code host shows nothing for []({target})"
        file, _, anchor = target.partition("#")
        if file.startswith(("https://", "http://", "mailto:")):
            continue
        place = (page.parent / file).resolve() if file else page
        assert place.exists(), target
        if anchor:
            assert anchor in anchors(place), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_read_well_on_a_code_host(page: Path) -> None:
    """Roles and targets of the manual's own language would be seen there as they are written."""
    assert not re.findall(r"^\([\w-]+\)=$", sentences(page), re.MULTILINE)
    text = page.read_text(encoding="utf-8")
    assert not re.findall(r"\{(?:ref|doc|term|numref|eq|any|py:\w+)\}`", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_files_are_there(page: Path) -> None:
    for name in mentioned(page, r"^([\w./-]+\.(?:hpp|cpp|py|toml)|[\w/-]+/)$"):
        assert any(path.endswith("/" + name.rstrip("/")) for path in PATHS), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_names_are_there(page: Path) -> None:
    for name in mentioned(page, r"\blinnet((?:\.[A-Za-z_]\w*)+)(?=$|[\s(,])") - {".org"}:
        reduce(attribute, name[1:].split("."), linnet)


def attribute(place: Any, name: str) -> Any:
    """As Python has it, modules imported as they are needed."""
    return getattr(place, name) if hasattr(place, name) else import_module(f"{place.__name__}.{name}")


def options() -> set[str]:
    commands = [main.get_command(click.Context(main), name) for name in COMMANDS]
    params = [param for command in commands if command is not None for param in command.params]
    return {option for param in params for option in (*param.opts, *param.secondary_opts)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_options_are_there(page: Path) -> None:
    if page.relative_to(ROOT).as_posix() in OF_PEERS:
        return
    said = mentioned(page, r"(?<![\w-])--[a-z][\w-]*")
    assert said <= options() | {"--help", "--version"}


def test_every_option_is_described() -> None:
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for option in options():
        if option.startswith("--"):
            assert re.search(rf"{option}\b", page + readme), option


def test_every_page_is_in_the_manual() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    listed = {
        line for tree in re.findall(r"```{toctree}(.*?)```", index, re.DOTALL) for line in tree.split()
    }
    assert {page.stem for page in (ROOT / "docs").glob("*.md")} - listed == {"index"}
