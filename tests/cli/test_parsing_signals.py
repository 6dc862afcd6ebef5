"""Ctrl-C and SIGTERM while a parser trains."""

import signal
from pathlib import Path

import pytest

import linnet
from linnet.data import samples

from .signals import interrupted

SIGNALS = [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
SAMPLES = Path(samples.__file__).parent


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """More trees than are learnt before a signal comes."""
    file = tmp_path_factory.mktemp("many") / "many.conllu"
    file.write_text((SAMPLES / "rambles-train.conllu").read_text("utf-8") * 10, "utf-8")
    return file


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_heads_so_far_are_saved_with_relations(many, tmp_path, number) -> None:
    endless = ("--loss", "logistic", "--learner", "sgd", "--max-iter", "1000000", "--order", "1")
    model = tmp_path / "m.linnet"
    said = interrupted(number, 0, "train", many, "--task", "parse", "-o", model, *endless)
    assert b"note: training of heads was interrupted" in said
    assert b"note: relations are learnt in one pass" in said
    assert b"Traceback" not in said
    loaded = linnet.load(model)
    assert loaded.record_.stopped == "interrupted"
    assert loaded.score(samples.load_trees("rambles-test")) > 0.8


@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_taggers_in_folds_end_and_nothing_is_saved(many, tmp_path, number, code) -> None:
    folds = ("--tagger", "auto", "--jackknife", "2000")
    said = interrupted(
        number, code, "train", many, "--task", "parse", "-o", tmp_path / "m.linnet", *folds
    )
    assert said.splitlines()[-1] == b"interrupted"
    assert said.count(b"interrupted") == 1
    assert list(tmp_path.iterdir()) == []
