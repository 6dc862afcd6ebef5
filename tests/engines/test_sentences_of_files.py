"""Sentences and trees of files that workers read: the same bits as if rows had been sent to them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linnet import HMM, DependencyParser, Tagger, engines
from linnet.errors import DataError, RefusedError
from linnet.estimators import ranged_sentences
from linnet.estimators.parsing import machines
from linnet.estimators.parsing.outofcore import ParserOutOfCore
from linnet.estimators.tagging.outofcore import TaggerOutOfCore
from linnet.formats import read_sequences

from ..estimators.shards import sample
from ..far import Far

TAGGED, TREES = sample("sightings-train.conll"), sample("rambles-train.conllu")
pytestmark = pytest.mark.filterwarnings("ignore::linnet.errors.TrainingWarning")  # few passes will do


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many ranges."""
    monkeypatch.setattr(ranged_sentences, "SMALLEST", 5000)


TAGGERS = {
    "auto": Tagger(max_iter=3),
    "features": Tagger("ner", "logistic", "lbfgs", max_iter=2, class_weight=None, prune=0.001),
    "parts of speech": Tagger("pos", "logistic", "lbfgs", max_iter=2),
    "hidden Markov": HMM(),
    "dual": Tagger("ner", "logistic", "dual", max_iter=2),
    "frank_wolfe": Tagger("ner", "hinge", "frank_wolfe", max_iter=2),
}


@pytest.mark.parametrize("name", TAGGERS)
def test_taggers(name: str, tmp_path: Path) -> None:
    model = TAGGERS[name]
    paths = [str(TAGGED)]
    if name == "auto":  # several files
        text = TAGGED.read_text(encoding="utf-8").split("\n\n")
        paths = [str(tmp_path / "a.conll"), str(tmp_path / "b.conll")]
        for path, part in zip(paths, (text[:90], text[90:]), strict=True):
            Path(path).write_text("\n\n".join(part).strip() + "\n\n", encoding="utf-8")
    with engines.engine(engines.Local(3)):
        expected = model.fit(read_sequences(TAGGED)).model_.tensors()
        names = list(model.features_.names)
    with engines.engine(Far(3)):
        found = model.fit(paths).model_.tensors()
    assert model.record_.diagnostics == {"not_measured": "sentences were read shard by shard"}
    assert list(model.features_.names) == names
    assert found.keys() == expected.keys()
    for part, array in expected.items():
        np.testing.assert_array_equal(found[part], array, err_msg=part)


PARSERS = {
    "mixing": DependencyParser(max_iter=2),
    "a tree CRF": DependencyParser(loss="logistic", learner="lbfgs", max_iter=2),
}


@pytest.mark.parametrize("name", PARSERS)
def test_parsers(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = PARSERS[name]
    with engines.engine(engines.Local(2)):
        expected = model.fit(TREES).model_.tensors()
    with engines.engine(Far(2)):
        found = model.fit(TREES).model_.tensors()
    assert found.keys() == expected.keys()
    for part, array in expected.items():  # all words are in the sample
        if part.startswith("relation"):  # shards are of sentences, not of arcs
            assert array.shape == found[part].shape
        else:
            np.testing.assert_array_equal(found[part], array, err_msg=part)
    assert model.score(sample("rambles-test.conllu")) > 0.7
    monkeypatch.setattr(machines, "SAMPLE", 500)
    with engines.engine(Far(2)):
        model.fit(TREES)
    assert any("a sample of 500 words" in line for line in model.why_)
    assert model.score(sample("rambles-test.conllu")) > 0.7


def test_what_workers_cannot_read_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranged_sentences.RangedSentences, "look", None)  # nobody looks
    with engines.engine(Far(2)):
        assert Tagger(order=0, learner="lbfgs", loss="logistic", max_iter=2).fit(TAGGED).record_.n_iter
        with pytest.raises(RefusedError, match="perceptron does not learn on shards"):
            Tagger(learner="perceptron", diagnostics=True).fit(TAGGED)


def test_mistakes_name_their_place(tmp_path: Path) -> None:
    text = TAGGED.read_text(encoding="utf-8").splitlines()
    text[3000] = "one two three four"
    (tmp_path / "bad.conll").write_text("\n".join(text) + "\n", encoding="utf-8")
    with engines.engine(Far(2)), pytest.raises(DataError, match=r"bad\.conll, line 3001: "):
        Tagger().fit(tmp_path / "bad.conll")
    with pytest.raises(RefusedError, match="does not go with an engine"), engines.engine(Far(2)):
        Tagger().fit(TAGGED, memory="20GB", cache=tmp_path)


@pytest.mark.parametrize(
    ("model", "path"),
    [
        (Tagger("ner", "logistic", "lbfgs", max_iter=2), TAGGED),
        (Tagger("ner", "logistic", "dual", max_iter=2), TAGGED),
        (DependencyParser(max_iter=1), TREES),
    ],
    ids=["lbfgs", "dual", "parser"],
)
def test_with_a_limit_of_memory_the_model_is_the_same(
    model: Any, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with engines.engine(Far(3)):
        expected = {name: part.copy() for name, part in model.fit(path).model_.tensors().items()}
        found = model.fit(path, memory="20GB").model_.tensors()
        assert found.keys() == expected.keys()
        for part, array in expected.items():
            np.testing.assert_array_equal(found[part], array, err_msg=part)
        monkeypatch.setattr(ranged_sentences, "resident", lambda: 20e9 - 1e6)
        with pytest.raises(DataError, match=r"words takes .* leaves 1 MB to a worker; use more shards"):
            model.fit(path, memory="20GB")


def test_what_is_not_read_there_is_refused_under_a_limit() -> None:
    with engines.engine(Far(2)), pytest.raises(RefusedError, match="tagger looks at all trees"):
        DependencyParser(tagger="auto").fit(TREES, memory="20GB")
    with engines.engine(Far(2)), pytest.raises(RefusedError, match="segments needs all sentences"):
        Tagger(segments=True).fit(TAGGED, memory="20GB")


@pytest.mark.parametrize("kind", ["tagger", "parser"])
def test_shards_of_this_process_must_fit_together(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, path = (
        (Tagger(max_iter=2), TAGGED) if kind == "tagger" else (DependencyParser(max_iter=1), TREES)
    )
    with engines.engine(engines.Local(2)):
        expected = {name: part.copy() for name, part in model.fit(path).model_.tensors().items()}
        found = model.fit(path, memory="20GB").model_.tensors()
        for part, array in expected.items():
            np.testing.assert_array_equal(found[part], array, err_msg=part)
        for room in (TaggerOutOfCore, ParserOutOfCore):
            monkeypatch.setattr(room, "_fits", lambda *_: False)
        with pytest.raises(RefusedError, match="leave out the engine, so that one at a time"):
            model.fit(path, memory="20GB")
