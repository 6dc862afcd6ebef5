"""Small models, trained once."""

from pathlib import Path
from typing import Any

import pytest

import linnet
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
