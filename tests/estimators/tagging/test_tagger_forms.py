"""Other forms of a tagger: explained, inspected, quantised, copied."""

from __future__ import annotations

import copy
import os
import pickle
from pathlib import Path

import numpy as np
import pytest

import linnet
from linnet.data import Sequences
from linnet.estimators import CRF, HMM, MEMM, StructuredPerceptron, Tagger
from linnet.features import TokenFeatures

BIRDS = ["linnet", "wren", "owl", "heron", "swift", "magpie"]
DOES = ["sings", "hides", "hoots", "waits", "flies", "calls"]
WHERE = ["gorse", "ivy", "barn", "reeds", "sky", "field"]


def sentences(n: int, seed: int) -> tuple[list[list[str]], list[list[str]]]:
    rng = np.random.default_rng(seed)
    X, Y = [], []
    for _ in range(n):
        bird, does, where = (str(rng.choice(words)) for words in (BIRDS, DOES, WHERE))
        X.append([str(rng.choice(["the", "a"])), bird, does, "in", "the", where])
        Y.append(["D", "N", "V", "P", "D", "N"])
        if rng.random() < 0.5:
            X[-1].insert(1, str(rng.choice(["small", "grey"])))
            Y[-1].insert(1, "A")
    return X, Y


X, Y = sentences(60, 0)
ASKED, GOLD = sentences(20, 1)


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return Tagger().fit(X, Y)


# ---------------------------------------------------------------------- explaining


def test_one_sentence_and_many(tagger: Tagger) -> None:
    one = tagger.explain(ASKED[0])
    assert one.tags == tagger.predict([ASKED[0]])[0]
    assert tagger.explain([(word,) for word in ASKED[0]]) == one
    many = tagger.explain(ASKED)
    assert many[0] == one
    assert [each.tags for each in many] == tagger.predict(ASKED)
    assert tagger.explain(Sequences.from_lists(ASKED)) == many
    assert tagger.explain([]).tokens == []
    scores = [best[0][1] for best in tagger.predict(ASKED, k=1)]
    np.testing.assert_allclose([each.score for each in many], scores, rtol=1e-9)
    for each, shares in zip(many, tagger.predict_proba(ASKED), strict=True):
        assert [token.probability for token in each.tokens] == shares.max(axis=1).tolist()


def test_sentences_of_a_file(tagger: Tagger, tmp_path: Path) -> None:
    path = tmp_path / "birds.tsv"
    path.write_text("\n".join("".join(f"{word}\tX\n" for word in words) for words in ASKED[:3]))
    assert [each.tags for each in tagger.explain(path)] == tagger.predict(ASKED[:3])


def test_attributes() -> None:
    listed = [[[f"w={word}", f"s={word[-1]}"] for word in words] for words in X]
    tagger = CRF().fit(listed, Y)
    one = tagger.explain(listed[0])
    assert one.tags == Y[0]
    assert tagger.explain(listed[:1]) == [one]
    assert "w=the" in [term.name for term in one.tokens[0].terms]
    as_dicts = [dict.fromkeys(token, 1.0) for token in listed[0]]
    assert tagger.explain(as_dicts).tags == Y[0]


def test_rules_bound_the_runner_up() -> None:
    tagger = Tagger(dictionary={"the": ["D"], "wren": ["N", "V"]}).fit(X, Y)
    tokens = tagger.explain(["the", "wren", "hides"]).tokens
    assert tokens[0].runner_up is None
    assert (tokens[1].tag, tokens[1].runner_up) == ("N", "V")


def test_margins_have_no_probability() -> None:
    tagger = StructuredPerceptron(max_iter=3).fit(X, Y)
    found = tagger.explain(ASKED[0])
    assert all(token.probability is None for token in found.tokens)
    assert found.score == pytest.approx(tagger.predict([ASKED[0]], k=1)[0][0][1])


def test_local_normalisers_are_terms() -> None:
    tagger = MEMM().fit(X, Y)
    found = tagger.explain(ASKED[0])
    assert all([t.kind for t in token.terms].count("normaliser") == 1 for token in found.tokens)
    assert found.score == pytest.approx(float(tagger.sequence_log_proba([ASKED[0]])[0]), abs=1e-6)


def test_hidden_markov_models_explain_by_probabilities() -> None:
    tagger = HMM().fit(X, Y)
    found = tagger.explain(["the", "wren", "hoots"])
    assert [[t.kind for t in token.terms] for token in found.tokens] == [
        ["feature", "start"],
        ["feature", "transition"],
        ["feature", "transition", "stop"],
    ]
    assert found.tokens[1].terms[0].name == "word[0]=wren"
    assert all(term.weight <= 0 for token in found.tokens for term in token.terms)


# ---------------------------------------------------------------------- inspecting


def test_inspect(tagger: Tagger) -> None:
    found = tagger.inspect(top=3)
    assert list(found.tags) == ["A", "D", "N", "P", "V"]
    assert all(len(each.top) <= 3 for each in found.tags.values())
    assert "D → N" in [name for name, _ in found.transitions.top + found.transitions.bottom]
    assert found.counts["features"] == tagger.features_.n_features
    assert "tag N" in str(found)


# ---------------------------------------------------------------------- quantising


@pytest.mark.parametrize("bits", [8, 4])
def test_a_smaller_tagger_tags_alike(tagger: Tagger, bits: int, tmp_path: Path) -> None:
    small = tagger.quantize(bits)
    assert small.score(ASKED, GOLD) >= tagger.score(ASKED, GOLD) - 0.01
    assert repr(small) == repr(tagger)
    assert small.features_.numbering.size < 2 * tagger.features_.n_features
    small.save(tmp_path / "small")
    tagger.save(tmp_path / "large")
    assert os.path.getsize(tmp_path / "small") < 0.4 * os.path.getsize(tmp_path / "large")
    found = linnet.load(tmp_path / "small")
    assert found.predict(ASKED, k=2) == small.predict(ASKED, k=2)
    with pytest.raises(ValueError, match="quantized already"):
        small.quantize()


def test_weights_are_within_half_a_step(tagger: Tagger) -> None:
    data = Sequences.from_lists(ASKED)
    small = tagger.quantize(names=True)
    wide, packed = tagger.model_.states, small.model_.states
    block = wide.dense(5)
    by_name = dict(zip(tagger.features_.names, block[1:], strict=True))
    unpacked = packed.dense(5)
    for name, row in zip(small.features_.names, unpacked[1:], strict=True):
        if name:
            assert np.abs(row - by_name[name]).max() <= 0.5001 * packed.scales.max()
    plain = small.model_.best(small.features_.rows(data), data.offsets)  # not fused
    np.testing.assert_array_equal(plain[0], small.tag(data).codes)


@pytest.mark.parametrize("keep", [1, 10, 50])
def test_keep(tagger: Tagger, keep: int) -> None:
    small = tagger.quantize(keep=keep)
    assert np.count_nonzero(small.features_.numbering.fingerprints) <= keep
    assert len(small.predict(ASKED)) == len(ASKED)


@pytest.mark.parametrize("bits", [8, 4])
def test_max_bytes(tagger: Tagger, bits: int, tmp_path: Path) -> None:
    tagger.quantize(bits).save(tmp_path / "all")
    most = os.path.getsize(tmp_path / "all")
    for size in (most - 800, most - 300, most + 20_000):
        tagger.quantize(bits, max_bytes=size).save(tmp_path / "m")
        assert os.path.getsize(tmp_path / "m") <= size
    with pytest.raises(ValueError, match="leaves no room"):
        tagger.quantize(max_bytes=500)


def test_bad_settings(tagger: Tagger) -> None:
    with pytest.raises(ValueError, match="bits must be"):
        tagger.quantize(3)
    with pytest.raises(ValueError, match="keep must be"):
        tagger.quantize(keep=0)
    hashed = Tagger(TokenFeatures(templates=["word", "shape"], hash_bits=10)).fit(X, Y)
    assert hashed.quantize().score(X, Y) == pytest.approx(hashed.score(X, Y), abs=0.01)
    with pytest.raises(ValueError, match="cannot be dropped"):
        hashed.quantize(keep=10)
    with pytest.raises(ValueError, match="quantised model learns no new features"):
        tagger.quantize().set_params(warm_start=True).fit(X, Y)


def test_transitions_that_see_tokens() -> None:
    tagger = Tagger(["word", "transition: word[-1]"], learner="lbfgs").fit(X, Y)
    small = tagger.quantize()
    assert small.model_.pairs.scales is not None
    assert small.predict(ASKED) == tagger.predict(ASKED)
    np.testing.assert_allclose(
        [best[0][1] for best in small.predict(ASKED, k=1)],
        [best[0][1] for best in tagger.predict(ASKED, k=1)],
        rtol=0.02,
    )


# ---------------------------------------------------------------------- copying


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
def test_copies(tagger: Tagger, how: object) -> None:
    for original in (tagger, tagger.quantize()):
        other = how(original)  # type: ignore[operator]
        assert type(other) is Tagger
        assert other.predict(ASKED, k=2) == original.predict(ASKED, k=2)
        assert other.features_ is not original.features_
        assert other.explain(ASKED[0]) == original.explain(ASKED[0])
