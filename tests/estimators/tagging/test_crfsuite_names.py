"""What users of CRFsuite look for: weights as dicts, called as sklearn-crfsuite calls them."""

from __future__ import annotations

import numpy as np
import pytest

from linnet import CRF, Tagger
from linnet.errors import RefusedError

X = [[{"w": "a"}, {"w": "wren", "n": 4.0}], [{"w": "wrens", "n": 5.0}]] * 3
Y = [["D", "N"], ["N"]] * 3


def test_weights_by_feature_and_tag() -> None:
    model = CRF().fit(X, Y)
    states, moves = model.state_features_, model.transition_features_
    assert {name for name, _ in states} == {"w=a", "w=wren", "w=wrens", "n"}
    assert {tag for _, tag in states} == {"D", "N"}
    assert states["w=a", "D"] > 0 > states["w=a", "N"]
    assert moves["D", "N"] > moves.get(("D", "D"), 0.0)
    told = model.inspect(100)
    assert dict(told.tags["D"].rows()) == {n: w for (n, tag), w in states.items() if tag == "D"}


def test_they_make_up_the_scores() -> None:
    model = CRF().fit(X, Y)
    states, moves = model.state_features_, model.transition_features_
    ((tags, score), *_) = model.predict([X[0]], k=1)[0]
    made = states["w=a", tags[0]] + states["w=wren", tags[1]] + 4.0 * states["n", tags[1]]
    assert score == pytest.approx(made + moves.get(tuple(tags), 0.0), rel=1e-5)


def test_templates_have_names_too() -> None:
    model = Tagger(["word", "suffix2"]).fit([["a", "wren"]] * 3, [["D", "N"]] * 3)
    assert ("suffix2[0]=en", "N") in model.state_features_
    assert np.count_nonzero(model.model_.states.reals) == len(model.state_features_)


def test_without_a_chain_there_are_none() -> None:
    assert not hasattr(CRF(), "state_features_")
    assert not hasattr(CRF(), "transition_features_")
    alone = Tagger(order=0).fit(X, Y)
    assert alone.transition_features_ == {}
    spans = Tagger(segments=True).fit([["a", "wren"]] * 3, [["O", "B-X"]] * 3)
    with pytest.raises(RefusedError, match="segments=False"):
        _ = spans.state_features_
