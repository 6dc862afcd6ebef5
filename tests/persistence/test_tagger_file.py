"""Taggers as model files: what comes back."""

from __future__ import annotations

import copy
import json
import pickle
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import linnet
from linnet.errors import RefusedError
from linnet.estimators import CRF, Tagger
from linnet.model import VotedChain
from linnet.persistence import read

from .. import processes
from .tagger_models import ASKED, FILES, MODELS, TEMPLATES, X, Y, asked, small, use

KEPT = Path(__file__).parent / "data" / "tagger-1.linnet"


@pytest.mark.parametrize("name", MODELS)
def test_round_trip(name: str, path: Path) -> None:
    model = FILES.model(name)
    model.save(path)
    found = linnet.load(path)
    given = asked(model)
    assert type(found) is type(model)
    assert found.predict(given) == model.predict(given)
    votes = isinstance(model.model_, VotedChain)
    if not votes:
        assert found.predict(given, k=3) == model.predict(given, k=3)  # scores to the bit
        assert found.explain(given[0]) == model.explain(given[0])
        assert str(found.inspect(5)) == str(model.inspect(5))
    if hasattr(model, "predict_proba"):
        for ours, theirs in zip(found.predict_proba(given), model.predict_proba(given), strict=True):
            np.testing.assert_array_equal(ours, theirs)
    assert found.classes_.tolist() == model.classes_.tolist()
    assert found.choice_.why == model.choice_.why
    assert (found.loss_, found.scheme_) == (model.loss_, model.scheme_)
    assert found.record_.epochs == model.record_.epochs
    found.save(path.with_suffix(".again"))
    assert path.read_bytes() == path.with_suffix(".again").read_bytes()
    use(found)
    for again in (copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        k = None if votes else 2
        assert again.predict(given, k=k) == model.predict(given, k=k)


@pytest.mark.parametrize("name", [name for name in MODELS if name.startswith("voted")])
def test_votes_come_back(name: str, path: Path) -> None:
    model, found = FILES.model(name), linnet.load(FILES.saved(path, name))
    ours, theirs = found.model_, model.model_
    assert ours.last.spec() == theirs.last.spec()
    for one, other in zip(ours.votes.state(), theirs.votes.state(), strict=True):
        np.testing.assert_array_equal(one, other)
    data = model._read(asked(model))
    how = model._how(data, None)
    for one, other in zip(
        ours.best(*found._rows(data), **how), theirs.best(*model._rows(data), **how), strict=True
    ):
        np.testing.assert_array_equal(one, other)  # tags, and shares of votes
    known = [[None] * len(sentence) for sentence in ASKED]
    known[0][0] = "B-PER"
    assert found.predict(asked(model), known=known) == model.predict(asked(model), known=known)
    changes = read(path).tensors["votes.changes"]
    assert changes.dtype == ("f8" if name == "voted, observed" else "i1")  # as its weights ask for


def test_settings_come_back(path: Path) -> None:
    model = FILES.model("settings")
    found = linnet.load(FILES.saved(path, "settings"))
    assert found.cost == {("O", "B-PER"): 2.0, ("B-PER", "O"): 3}
    assert found.dictionary == {"ivy": ["B-PLANT", "O"], "wren": ["B-BIRD", "I-BIRD"]}
    assert found.transitions == model.transitions
    assert found.learner.eta0 == 0.5
    assert found.features == TEMPLATES
    np.testing.assert_array_equal(found.rules_.transitions, model.rules_.transitions)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = found.fit(X, Y)  # as it was trained
        np.testing.assert_array_equal(again.model_.transitions, model.model_.transitions)
        FILES.saved(path, "lexicons")
        found = linnet.load(path)
        assert list(found.fit(X, Y).features_.names) == list(FILES.model("lexicons").features_.names)


def test_weights_are_mapped(path: Path) -> None:
    for name in ("auto", "observed", "second order"):
        FILES.saved(path, name)
        model = linnet.load(path).model_
        arrays = [model.states.starts, model.states.labels, model.states.weights, model.transitions]
        if name == "observed":
            arrays += [model.pairs.starts, model.pairs.weights]
        for array in arrays:
            assert not array.flags.owndata
            assert not array.flags.writeable


def test_a_packed_file_is_small() -> None:
    assert len(FILES.bytes("packed")) < 0.5 * len(FILES.bytes("auto"))
    assert len(FILES.bytes("packed, 4 bits")) < len(FILES.bytes("first order"))


def test_what_cannot_be_saved(path: Path) -> None:
    class Mine(Tagger):
        pass

    with pytest.raises(RefusedError, match="Mine cannot be saved"):
        Mine(features=TEMPLATES, max_iter=2, learner="perceptron", loss="perceptron").fit(X, Y).save(
            path
        )
    voted = FILES.model("voted")
    asked_in_vain = (
        voted.quantize,
        voted.inspect,
        lambda: voted.explain(X[0]),
        lambda: voted.predict(X, k=2),
    )
    for ask in asked_in_vain:
        with pytest.raises(ValueError, match="votes"):
            ask()
    with pytest.raises(RefusedError, match="order=1"):
        small(learner="voted", order=0).fit(X, Y)
    model = copy.copy(FILES.model("perceptron"))
    model.random_state = np.random.RandomState(0)
    with pytest.raises(TypeError, match="random_state"):
        model.save(path)
    assert not path.exists()


def test_another_process_predicts_the_same(path: Path) -> None:
    model = FILES.model("lexicons")
    model.save(path)
    script = (
        "import sys, json, linnet; m = linnet.load(sys.argv[1]);"
        "print(json.dumps(m.predict(json.loads(sys.stdin.read()), k=2)));"
        "assert 'sklearn' not in sys.modules and 'scipy' not in sys.modules"
    )
    run = processes.run(
        [sys.executable, "-c", script, str(path)],
        input=json.dumps(X[:5]),
        capture_output=True,
        encoding="utf-8",
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == json.loads(json.dumps(model.predict(X[:5], k=2)))


def test_the_file_of_the_first_version() -> None:
    model = linnet.load(KEPT)
    assert type(model) is CRF
    assert model.predict(X[:5]) == Y[:5]
    assert model.scheme_ == "iob2"
    assert KEPT.stat().st_size < 40_000
    scores = [best[0][1] for best in model.predict(X[:5], k=1)]
    np.testing.assert_allclose(scores, KEPT_SCORES, atol=1e-3)
    assert model.explain(X[4]).tags == ["B-PER", "O"]


KEPT_SCORES = [40.6855, 37.981, 44.0761, 32.226, 12.0544]
