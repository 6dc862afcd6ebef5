"""Small models, trained once."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import linnet
from linnet.data import samples
from linnet.data.samples import load, load_tagged, load_trees


@pytest.fixture(scope="session")
def birds(tmp_path_factory: Any) -> Path:
    path: Path = tmp_path_factory.mktemp("served") / "birds.linnet"
    linnet.TextClassifier().fit(*load("birds-train")).save(path)
    return path


@pytest.fixture(scope="session")
def names(tmp_path_factory: Any) -> Path:
    path: Path = tmp_path_factory.mktemp("served") / "names.linnet"
    sentences, tags = load_tagged("sightings-train")
    linnet.CRF().fit([[word for word, _ in sentence] for sentence in sentences], tags).save(path)
    return path


@pytest.fixture(scope="session")
def trees(tmp_path_factory: Any) -> Path:
    path: Path = tmp_path_factory.mktemp("served") / "trees.linnet"
    linnet.DependencyParser(tagger="auto", loss="logistic").fit(load_trees("rambles-train")).save(path)
    return path


@pytest.fixture(scope="session")
def phrases(tmp_path_factory: Any) -> Path:
    from linnet.data.brackets import Brackets

    bank = [
        (
            "S",
            ("NP", ("DT", "the"), ("NN", bird)),
            ("VP", ("VBZ", verb), ("PP", ("IN", "in"), ("NP", ("NN", place)))),
        )
        for bird in ("linnet", "wren", "owl")
        for verb in ("sings", "sits", "sleeps")
        for place in ("spring", "town", "hedges")
    ]
    path: Path = tmp_path_factory.mktemp("served") / "phrases.linnet"
    parser = linnet.ConstituencyParser(tagger="auto", loss="logistic")
    parser.fit(Brackets.from_nested(bank)).save(path)
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Of one module: an event loop runs as long as it is there."""
    from .browsing import CHROMIUM, playwright

    with playwright.sync_playwright() as started:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
        found = started.chromium.launch(executable_path=CHROMIUM, args=flags, headless=True)
        yield found
        found.close()


@pytest.fixture
def looking(browser: Any, birds: Path, tmp_path: Path) -> Iterator[Any]:
    from .browsing import Looking

    folder = Path(samples.__file__).parent
    found = Looking(
        browser, str(birds), str(folder / "birds-test.tsv"), "--pool", str(folder / "verse-test.tsv"),
        "--against", str(birds), "--decisions", str(tmp_path / "decisions.jsonl"),
    )  # fmt: skip
    yield found
    found.close()
    assert found.wrong == []


@pytest.fixture
def tagging(browser: Any, names: Path, tmp_path: Path) -> Iterator[Any]:
    from .browsing import Looking

    folder = Path(samples.__file__).parent
    found = Looking(
        browser, str(names), str(folder / "sightings-test.conll"), "--against", str(names),
        "--pool", str(folder / "sightings-test.conll"), "--decisions", str(tmp_path / "d.jsonl"),
    )  # fmt: skip
    yield found
    found.close()
    assert found.wrong == []
