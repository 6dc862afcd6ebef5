"""Parsers as model files: what comes back, and what damaged files may do (raise, no more)."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import linnet
from linnet import DependencyParser
from linnet.errors import RefusedError
from linnet.persistence import read

from .. import processes
from .damage import filled, flipped_header, flipped_tensors, misshapen
from .parser_models import ASKED, DAMAGED, FILES, MODELS, SMALL, TEMPLATES, X, Y, use

# ---------------------------------------------------------------------- round trips


@pytest.mark.parametrize("name", MODELS)
def test_round_trip(name: str, path: Path) -> None:
    model = FILES.model(name)
    model.save(path)
    found = linnet.load(path)
    assert type(found) is DependencyParser
    assert found.predict(ASKED) == model.predict(ASKED)
    assert found.predict(ASKED, k=3) == model.predict(ASKED, k=3)  # scores to the bit
    if hasattr(model, "predict_proba"):
        for ours, theirs in zip(found.predict_proba(ASKED), model.predict_proba(ASKED), strict=True):
            np.testing.assert_array_equal(ours, theirs)
    assert found.classes_.tolist() == model.classes_.tolist()
    assert (found.why_, found.loss_, found.names_) == (model.why_, model.loss_, model.names_)
    assert found.record_.epochs == model.record_.epochs
    assert found.explain(ASKED[1]) == model.explain(ASKED[1])
    assert str(found.inspect(5)) == str(model.inspect(5))
    found.save(path.with_suffix(".again"))
    assert path.read_bytes() == path.with_suffix(".again").read_bytes()
    use(found)


@pytest.mark.parametrize("name", ["tagger", "voted tagger"])
def test_a_pipeline_is_one_file(name: str, path: Path) -> None:
    FILES.saved(path, name)
    words = [[word for word, _ in sentence] for sentence in ASKED]
    assert linnet.load(path).predict(words) == FILES.model(name).predict(words)


def test_settings_come_back(path: Path) -> None:
    found = linnet.load(FILES.saved(path, "probabilities"))
    assert found.learner.eta0 == 0.5
    assert found.features.get_params() == SMALL.get_params()
    found = linnet.load(FILES.saved(path, "crossing"))
    assert (found.features, found.relations, found.projective) == (TEMPLATES[:2], "auto", False)
    FILES.saved(path, "taggers")
    assert type(linnet.load(path).tagger["upos"]) is linnet.StructuredPerceptron
    FILES.saved(path, "second order")
    again = linnet.load(path).fit(X, Y)  # as it was trained
    np.testing.assert_array_equal(again.model_.weights, FILES.model("second order").model_.weights)


def test_taggers_of_a_file_are_taken_as_they_are(path: Path) -> None:
    """They have seen the sentences, so that their tags are no more than those of the data."""
    FILES.saved(path, "taggers")
    again = linnet.load(path).fit(X, Y)
    alone = FILES.model("taggers").__sklearn_clone__().set_params(jackknife=0).fit(X, Y)
    np.testing.assert_array_equal(again.model_.weights, alone.model_.weights)


def test_weights_are_mapped(path: Path) -> None:
    FILES.saved(path, "second order")
    model = linnet.load(path).model_
    for array in (model.weights, model.relation_weights):
        assert not array.flags.owndata
        assert not array.flags.writeable


def test_what_cannot_be_saved(path: Path) -> None:
    class Mine(DependencyParser):
        pass

    with pytest.raises(RefusedError, match="Mine cannot be saved"):
        Mine(max_iter=1).fit(X, Y).save(path)
    assert not path.exists()


def test_another_process_predicts_the_same(path: Path) -> None:
    model = FILES.model("second order")
    model.save(path)
    script = (
        "import sys, json, linnet; m = linnet.load(sys.argv[1]);"
        "X = [[tuple(t) for t in s] for s in json.loads(sys.stdin.read())];"
        "print(json.dumps(m.predict(X, k=2)));"
        "assert 'sklearn' not in sys.modules and 'scipy' not in sys.modules"
    )
    run = processes.run(
        [sys.executable, "-c", script, str(path)],
        input=json.dumps(X[:4]),
        capture_output=True,
        encoding="utf-8",
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == json.loads(json.dumps(model.predict(X[:4], k=2)))


# ---------------------------------------------------------------------- damage


@pytest.mark.parametrize("name", DAMAGED)
def test_cut_off(name: str, path: Path) -> None:
    FILES.check_cut_off(path, name)


@pytest.mark.parametrize("name", MODELS)
def test_flipped_bytes(name: str, path: Path) -> None:
    raw, rng = FILES.bytes(name), np.random.default_rng(1)
    for bad in (*flipped_tensors(raw, 1, rng, ("tagger.",)), *flipped_header(raw, 30, rng)):
        FILES.outcome(path, bad)


@pytest.mark.parametrize("name", ["second order", "first order", "crossing", "tagger", "packed"])
def test_tensors_replaced(name: str, path: Path) -> None:
    tensors = {k: np.array(v) for k, v in read(FILES.saved(path, name)).tensors.items()}
    for tensor, array in tensors.items():
        if tensor.startswith("tagger."):
            continue
        wrong = [None, *misshapen(array, ("f8", "i8", "u1", "i1", "f4"))]
        for bad in (*wrong, *(filled(array, byte) for byte in (0x00, 0xFF, 0x7F))):
            result = FILES.outcome(FILES.edited(path, name, tensors={tensor: bad}))
            assert result == "refused" or bad is not None or tensor.startswith("record"), tensor


@pytest.mark.parametrize("name", MODELS)
def test_wrong_values_everywhere(name: str, path: Path) -> None:
    def skip(place: tuple) -> bool:
        return "why" in place or "taggers" in place[:-2]

    FILES.check_wrong_values(path, name, 2, skip)


def test_missing_parts(path: Path) -> None:
    for name in DAMAGED:
        for key in read(FILES.saved(path, name)).spec:
            if key not in ("kind", "why", "params", "segmenter"):  # without it rules cut
                assert FILES.outcome(FILES.without(path, name, key)) == "refused", key
