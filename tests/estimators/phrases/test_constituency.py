"""The constituency parser: fitted, asked, constrained, saved."""

import copy
import itertools
import pickle
from pathlib import Path

import numpy as np
import pytest

import linnet
from linnet import testing
from linnet.data.bracket_tree import BracketTree, Constituent
from linnet.data.brackets import Brackets
from linnet.errors import DataError, DataWarning, RefusedError
from linnet.estimators.phrases.parser import ConstituencyParser
from linnet.features.spans import SpanFeatures
from linnet.persistence import ModelFileError

from ... import phrase_bank

SENTENCE = ["the", "wren", "sings", "in", "a", "hedge", "."]


@pytest.fixture(scope="module")
def parser() -> ConstituencyParser:
    return ConstituencyParser(second=False, n_jobs=1).fit(phrase_bank.trees(120))


@pytest.fixture(scope="module")
def tagged() -> ConstituencyParser:
    """Which has no tagger."""
    return ConstituencyParser(tagger=None, n_jobs=1, loss="logistic").fit(phrase_bank.trees(60))


def test_it_learns_a_small_grammar(parser: ConstituencyParser) -> None:
    unseen = phrase_bank.trees(60, seed=1)
    assert parser.score(unseen) > 0.95
    assert parser.score(unseen, decode="best") > 0.95
    assert parser.score(unseen, metric="exact") > 0.8
    (tree,) = parser.predict([SENTENCE])
    assert tree.one_line() == (
        "(S (NP (DT the) (NN wren)) (VP (VBZ sings) (PP (IN in) (NP (DT a) (NN hedge)))) (. .))"
    )
    assert tree.spans()[0] == Constituent(0, 7, "S")


def test_forms_of_input_agree(parser: ConstituencyParser, tmp_path: Path) -> None:
    (tree,) = parser.predict([SENTENCE])
    as_tuples = parser.predict([list(zip(tree.words, tree.tags, strict=True))])
    assert as_tuples == [tree]
    (texts,) = parser.predict(["The wren sings in a hedge. The finches sing."])
    assert [list(tree.words) for tree in texts] == [
        ["The", *SENTENCE[1:]],
        ["The", "finches", "sing", "."],
    ]
    path = tmp_path / "trees.mrg"
    path.write_text(f"{tree}\n")
    assert parser.predict(path) == [tree]
    assert list(parser.parse_trees(Brackets.from_trees([tree]))) == [tree]


def test_tags_are_given_pinned_or_predicted(parser: ConstituencyParser) -> None:
    (free,) = parser.predict([["wren", "sings"]])
    (pinned,) = parser.predict([[("wren", "VBZ"), "sings"]])
    assert pinned.tags[0] == "VBZ"
    assert pinned.tags[1] == free.tags[1]
    (strange,) = parser.predict([[("wren", "NEVER-SEEN"), ("sings", "VBZ")]])
    assert strange.tags == ["NEVER-SEEN", "VBZ"]


def test_k_best_are_in_order_and_distinct(parser: ConstituencyParser) -> None:
    (ranked,) = parser.predict([SENTENCE], k=20)
    scores = [score for _, score in ranked]
    assert scores == sorted(scores, reverse=True)
    assert len({str(tree) for tree, _ in ranked}) == len(ranked) == 20
    assert ranked[0][0] == parser.predict([SENTENCE], decode="best")[0]


def scored_by_hand(parser: ConstituencyParser, words: list[str]) -> tuple[list[list[int]], np.ndarray]:
    """All trees of few words, as parts, and the score of each part by the names of its features."""
    model = parser.model_
    read = parser._read([words]).words
    theta = [
        sum(weight for _, weight in model.evidence(read, {(i, j): code}, (i, j)))
        for i in range(len(words))
        for j in range(i + 1, len(words) + 1)
        for code in range(len(model.chains))
    ]
    whole = getattr(model, "whole")  # noqa: B009
    return list(testing.all_bracketings(len(words), len(model.chains), whole)), np.array(theta)


def test_all_answers_against_all_trees() -> None:
    parser = ConstituencyParser(n_jobs=1, max_iter=2, second=False).fit(phrase_bank.trees(40))
    words = ["the", "wren", "sings"]
    outputs, theta = scored_by_hand(parser, words)
    labels = len(parser.model_.chains)
    spans = [(i, j) for i in range(3) for j in range(i + 1, 4)]
    log_z, mu = testing.brute_force("log", outputs, theta)
    best, _ = testing.brute_force("max", outputs, theta)
    (ranked,) = parser.predict([words], k=3)
    assert ranked[0][1] == pytest.approx(best, abs=1e-4)
    read = parser._read([words]).words
    found = parser.model_.marginals(read, [], 0.0, 1)
    assert found.values[0] == pytest.approx(log_z, abs=1e-4)
    for begin, end, code, share in zip(*found[1:5], strict=True):
        assert share == pytest.approx(mu[spans.index((begin, end)) * labels + code], abs=1e-4)
    # Least risk: most of P − threshold, over all trees.
    worth = mu - parser.threshold
    most = max(outputs, key=lambda tree: worth[tree].sum())
    (tree,) = parser.predict([words], decode="risk")
    names = {
        (*spans[part // labels], label)
        for part in most
        for label in parser.model_.chains[part % labels]
    }
    assert set(map(tuple, tree.constituents)) == names
    # What is left within a distance of the best.
    left = parser.model_.candidates(read, [], 3.0, 1)  # type: ignore[attr-defined]
    through = {
        part: max(theta[tree].sum() for tree in outputs if part in tree) for part in range(len(theta))
    }
    kept = {part for part, score in through.items() if score >= best - 3.0}
    assert kept == {
        spans.index((b, e)) * labels + c
        for b, e, c in zip(left.begins, left.ends, left.codes, strict=True)
    }


def test_samples_are_drawn_by_probability(parser: ConstituencyParser) -> None:
    words = ["the", "wren", "sings", "."]
    (drawn,) = parser.sample([words], 2000, random_state=1)
    (shares,) = parser.predict_proba([words], least=0.0)
    for bracket, share in shares:
        seen = np.mean([bracket in tree.constituents for tree in drawn])
        assert abs(seen - share) < 4 * np.sqrt(0.25 / 2000)
    assert parser.sample([words], 3, random_state=1)[0] == drawn[:3]


def test_constraints(parser: ConstituencyParser) -> None:
    (with_,) = parser.predict([SENTENCE], known=[[(0, 3, "NP"), (3, 6)]])
    assert Constituent(0, 3, "NP") in with_.constituents
    assert any((b, e) == (3, 6) for b, e, _ in with_.constituents)
    (without,) = parser.predict([SENTENCE], without=[[(2, 6), (0, 2, "NP")]])
    assert all((b, e) != (2, 6) for b, e, _ in without.constituents)
    assert Constituent(0, 2, "NP") not in without.constituents
    (all_known,) = parser.predict([SENTENCE], known=Brackets.from_trees([with_]))
    assert set(with_.constituents) <= set(all_known.constituents)
    for k in (1, 5):
        for tree, _ in parser.predict([SENTENCE], k=k, known=[[(0, 3, "NP")]])[0]:
            assert Constituent(0, 3, "NP") in tree.constituents
    for tree in parser.sample([SENTENCE], 20, known=[[(0, 3)]])[0]:
        assert any((b, e) == (0, 3) for b, e, _ in tree.constituents)


@pytest.mark.parametrize(
    ("known", "why"),
    [
        ([[(0, 3), (1, 4)]], "cross"),
        ([[(0, 9)]], "no span of its 7 words"),
        ([[(0, 2, "QP")]], "no label 'QP'"),
        ([[(0,)]], "a span is"),
        ([], "1 sentences, but 0 lists"),
        ([[(0, 2, "NP"), (0, 2, "VP")]], "no tree keeps"),
    ],
)
def test_constraints_that_make_no_sense(parser: ConstituencyParser, known: object, why: str) -> None:
    with pytest.raises(DataError, match=why):
        parser.predict([SENTENCE], known=known)


def test_partial_trees_teach() -> None:
    """NPs are known, and nothing else: they are found, and never crossed."""
    full = phrase_bank.trees(80)
    kept = [
        BracketTree(
            tree.words,
            tree.tags,
            [c for c in tree.constituents if c.label in ("NP", "S")],
        )
        for tree in full
    ]
    parser = ConstituencyParser(tagger=None, n_jobs=1).fit(kept, partial=True)
    found = parser.parse_trees(full)
    wanted = [c for tree in kept for c in tree.constituents if c.label == "NP"]
    right = [
        c
        for tree, gold in zip(found, kept, strict=True)
        for c in gold.constituents
        if c.label == "NP" and c in tree.constituents
    ]
    assert len(right) > 0.9 * len(wanted)
    with pytest.raises(ValueError, match="partial must be"):
        ConstituencyParser(tagger=None).fit(kept, partial=[True])


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_nothing(parser: ConstituencyParser, threads: int) -> None:
    several = copy.copy(parser)
    several.n_jobs = threads
    X = phrase_bank.trees(60, seed=3)
    words = [list(tree.words) for tree in X]
    assert several.predict(words) == parser.predict(words)
    assert several.sample(words, 2) == parser.sample(words, 2)
    again = ConstituencyParser(second=False, n_jobs=threads).fit(phrase_bank.trees(120))
    np.testing.assert_array_equal(again.model_.weights, parser.model_.weights)


def test_files_and_quantizing(parser: ConstituencyParser, tmp_path: Path) -> None:
    X = [list(tree.words) for tree in phrase_bank.trees(40, seed=5)]
    parser.save(tmp_path / "model.linnet")
    loaded = linnet.load(tmp_path / "model.linnet")
    assert loaded.predict(X) == parser.predict(X)
    assert loaded.get_params() == parser.get_params()
    assert loaded.why_ == parser.why_
    assert pickle.loads(pickle.dumps(parser)).predict(X) == parser.predict(X)
    small = loaded.quantize()
    small.save(tmp_path / "small.linnet")
    again = linnet.load(tmp_path / "small.linnet")
    assert again.predict(X) == small.predict(X)
    assert (tmp_path / "small.linnet").stat().st_size < 0.7 * (tmp_path / "model.linnet").stat().st_size
    with pytest.raises(ValueError, match="quantized already"):
        again.quantize()


def test_damaged_files_are_refused(parser: ConstituencyParser, tmp_path: Path) -> None:
    from linnet.persistence import write

    for change in (
        {"model": None},
        {"model": {"whole": 3}},
        {"strings": ["tags"]},
        {"loss": "no loss"},
        {"taggers": 7},
    ):
        spec, tensors = parser.file_parts()
        write(tmp_path / "bad.linnet", spec | change, tensors)
        with pytest.raises(ModelFileError):
            linnet.load(tmp_path / "bad.linnet")
    spec, tensors = parser.file_parts()
    write(tmp_path / "bad.linnet", spec, tensors | {"model.spans": tensors["model.spans"][:-1].copy()})
    with pytest.raises(ModelFileError, match="do not fit"):
        linnet.load(tmp_path / "bad.linnet")


def test_margins_are_no_probabilities() -> None:
    mira = ConstituencyParser(loss="hinge", tagger=None, n_jobs=1).fit(phrase_bank.trees(40))
    assert mira.record_.learner == "pa"
    assert mira.score(phrase_bank.trees(40)) > 0.9
    with pytest.raises(RefusedError, match="margins"):
        mira.predict([[("a", "DT")]], decode="risk")
    with pytest.raises(AttributeError, match="margins"):
        mira.sample([[("a", "DT")]])


def test_explanations_sum_to_the_score(parser: ConstituencyParser) -> None:
    told = parser.explain(SENTENCE)
    assert sum(each.score for each in told.explained) == pytest.approx(told.score, abs=1e-3)
    (ranked,) = parser.predict([SENTENCE], k=50)
    for each in told.explained:
        without = [score for tree, score in ranked if _chain(tree, each.begin, each.end) != each.label]
        if without and each.margin is not None:
            assert told.score - each.margin == pytest.approx(without[0], abs=1e-3)
    one = parser.explain(SENTENCE, span=(0, 2))
    assert [(e.begin, e.end, e.label) for e in one.explained] == [(0, 2, "NP")]
    assert "NP: the wren" in str(one)
    assert one.to_dict()["explained"][0]["label"] == "NP"
    with pytest.raises(DataError, match="no bracket"):
        parser.explain(SENTENCE, span=(0, 3))


def _chain(tree: BracketTree, begin: int, end: int) -> str:
    return "+".join(label for b, e, label in tree.constituents if (b, e) == (begin, end))


def test_long_sentences(parser: ConstituencyParser) -> None:
    words = list(itertools.islice(itertools.cycle(SENTENCE), 200))
    (tree,) = parser.predict([words])
    assert tree.constituents
    with pytest.warns(DataWarning, match="a sentence of 1000 words, of 500 at the most"):
        trees = parser.predict([SENTENCE, words * 5])
    assert trees[0] == parser.predict([SENTENCE])[0]
    assert trees[1].constituents == []
    assert trees[1].top == "NOPARSE"
    assert str(trees[1]).startswith("(NOPARSE")
    longer = copy.copy(parser)
    longer.max_words = 1000
    assert longer.predict([words * 5], decode="best")[0].constituents


def test_settings_are_looked_at() -> None:
    trees = phrase_bank.trees(10)
    for settings, why in (
        ({"max_words": 0}, "max_words"),
        ({"threshold": 2}, "threshold"),
        ({"jackknife": 1}, "jackknife"),
        ({"loss": "no loss"}, "no loss"),
        ({"features": ["first.nothing"]}, "no value"),
        ({"features": ["first.tag[9]"]}, "too far away"),
        ({"features": SpanFeatures(hash_bits=60)}, "hash_bits"),
        ({"margin": 2.0, "loss": "logistic"}, "margin"),
    ):
        with pytest.raises(ValueError, match=why):
            ConstituencyParser(tagger=None, **settings).fit(trees)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="a sentence of"):
        ConstituencyParser(tagger=None, max_words=2).fit(trees)


def test_words_without_tags_need_a_tagger(tagged: ConstituencyParser) -> None:
    with pytest.raises(DataError, match="pos"):
        tagged.predict([["the", "wren"]])
    with pytest.raises(DataError, match="is no word"):
        tagged.predict([[("the wren", "NN")]])
    with pytest.raises(DataError, match="a token is"):
        tagged.predict([[("a", "b", "c")]])


def test_nothing_in_nothing_out(parser: ConstituencyParser) -> None:
    assert parser.predict([]) == []
    (empty,) = parser.predict([[]])
    assert (list(empty.words), list(empty.constituents)) == ([], [])


def test_trees_without_a_bracket_around_all() -> None:
    pairs = [("", ("NP", ("NN", "wren")), ("VP", ("VBZ", "sings")))] * 4
    parser = ConstituencyParser(tagger=None, n_jobs=1).fit(pairs)
    (tree,) = parser.predict([[("wren", "NN"), ("sings", "VBZ")]])
    assert [c.label for c in tree.constituents] == ["NP", "VP"]


def test_what_cannot_be_learnt_from() -> None:
    with pytest.raises(DataError, match="no brackets"):
        ConstituencyParser().fit([BracketTree(["a"], ["DT"], [])])
    with pytest.raises(DataError):
        ConstituencyParser().fit([])
    with pytest.raises(DataError, match="leave out y"):
        ConstituencyParser().fit(phrase_bank.trees(5), [1])
    with pytest.raises(DataError, match=r"\[X\]"):
        ConstituencyParser().fit(phrase_bank.trees(5)[0])
