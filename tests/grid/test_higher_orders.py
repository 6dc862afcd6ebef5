"""Chains of order 3 and 4 by every learner that trains chains, and every question to such taggers."""

import itertools
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet import Tagger
from linnet.errors import DataError, RefusedError, TrainingWarning
from linnet.training.grid import Compatibility

Sentence = list[list[str]]


@cache
def recurrence(count: int = 30, length: int = 10) -> tuple[list[Sentence], list[list[str]]]:
    """A tag is the exclusive or of the first and the third before it: two of them say nothing.

    The words of the first three tokens tell their tags, all others are alike.
    """
    rng = np.random.default_rng(0)
    X, y = [], []
    for _ in range(count):
        bits = rng.integers(0, 2, 3).tolist()
        while len(bits) < length:
            bits.append(bits[-1] ^ bits[-3])
        X.append([[f"word{bit}" if t < 3 else "word"] for t, bit in enumerate(bits)])
        y.append(["ab"[bit] for bit in bits])
    return X, y


def fitted(order: int, **settings: Any) -> Tagger:
    X, y = recurrence()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        return Tagger(order=order, **settings).fit(X, y)


ONE_TAG_BACK = ("counting", "em", "dual")  # counts, and weights for seen pairs alone
PENALTIES = ("elasticnet", "l1", "l2", "none")  # the last one that works
CELLS = {
    (cell.learner, cell.loss): cell
    for cell in sorted(linnet.compatible(), key=lambda cell: PENALTIES.index(cell.penalty))
    if cell.works and cell.structure == "chain" and cell.learner not in ONE_TAG_BACK
}


@pytest.mark.parametrize("cell", CELLS.values(), ids=lambda cell: f"{cell.learner}-{cell.loss}")
def test_every_learner_sees_three_tags_back(cell: Compatibility) -> None:
    axes: dict[str, Any] = {"loss": cell.loss, "learner": cell.learner, "penalty": cell.penalty}
    if cell.penalty != "none":
        axes["C"] = 30.0
    tagger = fitted(3, **axes)
    model = tagger.model_.last if cell.learner == "voted" else tagger.model_
    assert model.order == 3
    assert [window.shape for window in model.windows] == [(2,) * 3, (2,) * 4]
    assert tagger.score(*recurrence()) > 0.9


@pytest.mark.parametrize("learner", ["dual", "counting"])
def test_learners_of_one_tag_back_say_so(learner: str) -> None:
    with pytest.raises(RefusedError, match=r"order 3|order=1|use "):
        fitted(3, learner=learner)


def test_two_tags_back_say_nothing_here() -> None:
    assert fitted(2, learner="lbfgs", C=30.0).score(*recurrence()) < 0.85
    assert fitted(4, learner="lbfgs", C=30.0).score(*recurrence()) > 0.95


@pytest.mark.parametrize("order", [3, 4])
def test_every_question(order: int, tmp_path: Path) -> None:
    """Against the list of all tag sequences, free and with a known tag."""
    tagger = fitted(order, ends=True, learner="lbfgs", C=1.0)
    sentence = [["word1"], ["word0"], ["word"], ["word0"], ["word"], ["word"]]
    every = [list(tags) for tags in itertools.product("ab", repeat=6)]
    log_p = tagger.sequence_log_proba([sentence] * len(every), every)
    assert np.exp(log_p).sum() == pytest.approx(1.0)
    ranked = [every[i] for i in np.argsort(-log_p, kind="stable")]
    assert [tags for tags, _ in tagger.predict([sentence], k=5)[0]] == ranked[:5]
    assert tagger.predict([sentence]) == [ranked[0]]
    assert tagger.entropy([sentence])[0] == pytest.approx(-(np.exp(log_p) * log_p).sum(), abs=1e-5)
    (P,) = tagger.predict_proba([sentence])
    for t in range(6):
        share = sum(np.exp(p) for p, tags in zip(log_p, every, strict=True) if tags[t] == "b")
        assert P[t, 1] == pytest.approx(share, abs=1e-6)
    other = "a" if ranked[0][4] == "b" else "b"
    known = [None, None, None, None, other, None]
    held = next(tags for tags in ranked if tags[4] == other)
    assert tagger.predict([sentence], known=[known]) == [held]
    (drawn,) = tagger.sample([sentence], n=2000, random_state=1)
    assert np.mean([tags[4] == "b" for tags in drawn]) == pytest.approx(P[4, 1], abs=0.05)

    told = tagger.explain(sentence)
    score = tagger.predict([sentence], k=1)[0][0][1]
    assert told.score == pytest.approx(score, rel=1e-5)
    kinds = [term.kind for term in told.tokens[5].terms]
    assert kinds.count("window") == order - 2
    assert f"of windows of {order + 1}" in str(tagger.inspect(3))

    tagger.save(tmp_path / "t.linnet")
    tagger.quantize(4).save(tmp_path / "q.linnet")
    assert linnet.load(tmp_path / "t.linnet").predict([sentence], k=9) == tagger.predict(
        [sentence], k=9
    )
    small = linnet.load(tmp_path / "q.linnet")
    assert small.model_.order == order
    assert small.predict([sentence]) == tagger.quantize(4).predict([sentence])


def test_legal_spans() -> None:
    X = [[[w] for w in sentence.split()] for sentence in ("a b c d", "c b a", "b", "d d a b")]
    Y = [["B-X", "I-X", "O", "B-X"], ["O", "B-X", "I-X"], ["O"], ["O", "O", "B-X", "I-X"]]
    tagger = Tagger(order=3, learner="sgd", max_iter=3).fit(X, Y)
    assert tagger.scheme_ == "iob2"
    noise = [[["b"], ["b"], ["a"], ["d"], ["b"]]]
    for tags, _ in tagger.predict(noise, k=500)[0]:
        assert all(a != "O" for a, b in itertools.pairwise(["O", *tags]) if b == "I-X")
    ruled = Tagger(order=3, learner="sgd", transitions={"O": ["O"]}, constrain_training=False)
    for tags, _ in ruled.set_params(legal=None).fit(X[2:3], Y[2:3]).predict(X, k=3)[0]:
        assert set(tags) == {"O"}


def test_missing_tags_are_summed_out() -> None:
    X, y = recurrence()
    hidden = [[None if (i + t) % 5 == 0 else tag for t, tag in enumerate(s)] for i, s in enumerate(y)]
    tagger = Tagger(order=3, learner="lbfgs", C=30.0).fit(X, hidden)
    assert tagger.score(X, y) > 0.95


def test_warm_start_and_streams() -> None:
    X, y = recurrence()
    warm = Tagger(order=3, learner="adagrad", warm_start=True, max_iter=2).fit(X, y)
    first = warm.model_.windows[-1].copy()
    warm.fit(X, y)
    assert (np.abs(warm.model_.windows[-1]) >= np.abs(first)).mean() > 0.5
    stream = Tagger(order=3)
    for begin in range(0, 30, 10):
        stream.partial_fit(X[begin : begin + 10], y[begin : begin + 10])
    new = [[["new"], ["word"], ["new"], ["new"], ["word1"]]]
    stream.partial_fit(new, [["c", "a", "c", "c", "b"]])  # a new tag: every table grows
    assert [w.shape for w in stream.model_.windows] == [(3,) * 3, (3,) * 4]
    assert stream.score(X, y) > 0.8


def test_sizes_are_refused_beforehand() -> None:
    tags = [f"t{k}" for k in range(200)]
    with pytest.raises(
        DataError, match=r"order 3 over 200 tokens and 200 labels would need about 1\d\d GB"
    ):
        Tagger(order=3, learner="perceptron").fit([[["w"]] * 200], [tags])
    few = Tagger(order=3, learner="sgd", max_iter=1).fit([[["w"]] * 60], [tags[:30] * 2])
    with pytest.raises(DataError, match=r"over 10000 tokens and 30 labels would need about \d+ GB"):
        few.predict([[["w"]] * 10_000])
