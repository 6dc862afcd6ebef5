"""The dependency parser: what it takes, what it answers, what it refuses."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet import DependencyParser
from linnet.data import Sequences, samples
from linnet.data.trees import Trees
from linnet.errors import DataError, DataWarning, RefusedError
from linnet.features.arcs import ArcFeatures

from ..parsers import FEW, TEST, TRAIN, as_lists, parser

FILE = Path(samples.__file__).parent / "rambles-train.conllu"


# ---------------------------------------------------------------------- input


def test_trees_lists_and_files_give_the_same_parser() -> None:
    X, y = as_lists(TRAIN)
    wanted = parser().predict(TEST)
    assert DependencyParser().fit(X, y).predict(TEST) == wanted
    assert DependencyParser().fit(FILE).predict(TEST) == wanted
    assert parser().predict(as_lists(TEST)[0]) == wanted


def test_it_learns_the_sample() -> None:
    assert parser().score(TEST) > 0.98
    assert parser().score(TEST, metric="uas") >= parser().score(TEST)
    X, y = as_lists(TEST)
    assert parser().score(X, y) == parser().score(TEST)


def test_arcs_may_cross() -> None:
    found = parser(projective=False).parse_trees(TEST)
    assert found.statistics()["nonprojective_arcs"] > 0
    assert parser().parse_trees(TEST).statistics()["nonprojective_arcs"] == 0
    assert parser(projective=False).score(TEST, metric="uas") > parser(order=1).score(
        TEST, metric="uas"
    )


def test_non_projective_is_chosen_where_arcs_often_cross() -> None:
    crossing = [i for i in range(len(TRAIN)) if TRAIN.take([i]).nonprojective().any()]
    chosen = DependencyParser(max_iter=1).fit(TRAIN.take([*crossing, *range(50)]))
    assert not chosen.model_.projective
    assert chosen.model_.order == 1
    assert any("non-projective" in line for line in chosen.why_)


def test_partial_trees_are_learnt_from() -> None:
    heads = np.where(np.arange(TRAIN.tokens) % 7 == 0, -1, TRAIN.heads)
    partial = Trees(TRAIN.sequences, heads, TRAIN.relations)
    learnt = DependencyParser(learner="perceptron", order=1).fit(partial)
    assert learnt.score(TEST) > 0.95


def test_words_and_lemmas_take_each_others_place() -> None:
    words = Trees.from_lists(TRAIN.column("form"), TRAIN.head_lists(), TRAIN.relation_lists())
    learnt = DependencyParser(max_iter=3).fit(words)
    assert learnt.model_.arcs.columns == ["form"]
    assert learnt.score(TEST) > 0.8


def test_sentences_without_words_have_trees_without_arcs() -> None:
    X = as_lists(FEW)[0]
    assert parser().predict([X[0], [], X[1]]) == [
        parser().predict([X[0]])[0],
        ([], []),
        parser().predict([X[1]])[0],
    ]
    assert parser().predict([]) == []


# ---------------------------------------------------------------------- answers


def test_every_answer_is_a_tree() -> None:
    for heads, relations in parser().predict(TEST):
        Trees.from_lists([["w"] * len(heads)], [heads], [relations])  # one root, no cycle
        assert [h == 0 for h in heads].count(True) == 1


def test_parse_is_predict_in_one_piece() -> None:
    heads, relations = parser().parse(TEST)
    lists = parser().predict(TEST)
    assert heads.tolist() == [head for tree, _ in lists for head in tree]
    assert relations.values() == [name for _, tree in lists for name in tree]


def test_known_heads_are_kept() -> None:
    known = [[None] * n for n in FEW.lengths]
    known[0][0] = 2
    known[1][2] = 1
    found = parser().predict(FEW, known=known)
    assert found[0][0][0] == 2
    assert found[1][0][2] == 1
    assert found[2:] == parser().predict(FEW)[2:]
    gold = parser(projective=False).predict(FEW, known=FEW)
    assert [heads for heads, _ in gold] == FEW.head_lists()
    with pytest.raises(DataError, match="no tree keeps to all"):
        parser().predict(TEST, known=TEST)  # some arcs cross
    with pytest.raises(DataError, match="cycle"):
        parser().predict(FEW, known=[[2, 1, *[None] * (n - 2)] for n in FEW.lengths])


@pytest.mark.parametrize("settings", [{}, {"order": 1}, {"projective": False}])
def test_k_best(settings: Any) -> None:
    ranked = parser(**settings).predict(FEW, k=4)
    for several, best in zip(ranked, parser(**settings).predict(FEW), strict=True):
        assert several[0][:2] == best
        scores = [score for *_, score in several]
        assert scores == sorted(scores, reverse=True)
        assert len({tuple(heads) for heads, *_ in several}) == len(several) == 4
    for wrong in (0, 1.5, True):
        with pytest.raises(ValueError, match="whole number"):
            parser(**settings).predict(FEW, k=wrong)


@pytest.mark.parametrize("settings", [{"order": 1}, {"projective": False}, {"order": 2}])
def test_probabilities_of_arcs(settings: Any) -> None:
    crf = parser(loss="logistic", max_iter=4, **settings)
    for table, length in zip(crf.predict_proba(FEW), FEW.lengths, strict=True):
        assert table.shape == (length, length + 1)
        np.testing.assert_allclose(table.sum(axis=1), 1, atol=1e-9)
        assert table[:, 0].sum() == pytest.approx(1)  # one root
        assert not table[np.arange(length), np.arange(1, length + 1)].any()


def test_margins_are_no_probabilities() -> None:
    assert not hasattr(parser(), "predict_proba")
    with pytest.raises(AttributeError, match="loss='logistic'"):
        _ = parser().predict_proba
    assert hasattr(DependencyParser(), "predict_proba")  # not known before training


# ---------------------------------------------------------------------- from words


def test_a_pipeline_from_words() -> None:
    pipeline = parser(tagger="auto", jackknife=3)
    assert list(pipeline.taggers_) == ["upos", "lemma"]
    assert pipeline.model_.arcs.columns == ["form", "upos"]
    words = TEST.column("form")
    found = pipeline.predict(words)
    retagged = pipeline.parse_trees(TEST, retag=True)
    assert retagged.head_lists() == [heads for heads, _ in found]
    tags = pipeline.parse_trees(words).column("upos")
    hits = [
        a == b
        for x, y in zip(tags, TEST.column("upos"), strict=True)
        for a, b in zip(x, y, strict=True)
    ]
    assert np.mean(hits) > 0.97
    right = np.concatenate([heads for heads, _ in found]) == TEST.heads
    assert right.mean() > 0.97
    raw = Sequences.from_lists(words)  # the column is called word
    assert pipeline.predict(raw) == found


def test_words_that_have_no_tag_by_right_get_none() -> None:
    def xpos(words: list[str], tags: list[str]) -> list[str]:
        return [
            "_" if word in ("the", "a") else tag.lower() for word, tag in zip(words, tags, strict=True)
        ]

    def with_xpos(trees: Trees) -> Trees:
        cells = zip(trees.column("form"), trees.column("upos"), strict=True)
        return trees.with_columns(xpos=[xpos(*sentence) for sentence in cells])

    pipeline = DependencyParser(tagger="auto", jackknife=2, max_iter=2).fit(with_xpos(TRAIN))
    assert "_" in pipeline.taggers_["xpos"].classes_
    found = pipeline.parse_trees(TEST.column("form")).column("xpos")
    wanted = with_xpos(TEST).column("xpos")
    pairs = [(a, b) for x, y in zip(found, wanted, strict=True) for a, b in zip(x, y, strict=True)]
    assert all(guess == "_" for guess, gold in pairs if gold == "_")
    assert np.mean([a == b for a, b in pairs]) > 0.97


def test_words_without_tags_are_no_nonsense() -> None:
    blank = [["_"] * n for n in TEST.lengths]
    for ask in (parser().predict, parser().parse, parser().score, parser().explain):
        with pytest.raises(DataError, match=r"the words have no upos, which.*tagger='auto'"):
            ask(TEST.with_columns(upos=blank))
        with pytest.warns(DataWarning, match="the words have no lemma, which the parser looks at"):
            ask(TEST.with_columns(lemma=blank))
    assert parser().words_lack() == ["lemma", "upos"]
    assert parser(tagger="auto", jackknife=3).words_lack() == []


def test_a_column_may_say_nothing_of_a_few_words() -> None:
    half = [["x" if k % 2 else "_" for k in range(n)] for n in TRAIN.lengths]
    some = DependencyParser(max_iter=1).fit(TRAIN.with_columns(feats=half))
    assert some.record_.data["unsaid"]["feats"] == pytest.approx(0.5, abs=0.1)
    short = TEST.take([0])
    silent = short.with_columns(feats=[["_"] * int(short.lengths[0])])
    assert len(some.predict(silent)) == 1  # which may be by right
    with pytest.warns(DataWarning, match="the words have no feats"):
        some.predict(TEST.with_columns(feats=[["_"] * n for n in TEST.lengths]))


def test_files_of_old_miss_only_what_all_words_have() -> None:
    old = parser()._with_fitted()
    old.record_ = copy.deepcopy(old.record_)
    del old.record_.data["unsaid"]
    blank = [["_"] * n for n in TEST.lengths]
    assert len(old.predict(TEST.with_columns(lemma=blank))) == len(TEST)  # without a warning
    with pytest.raises(DataError, match="the words have no upos"):
        old.predict(TEST.with_columns(upos=blank))


def test_what_never_said_anything_is_not_missed() -> None:
    words = TRAIN.with_columns(**{c: [["_"] * n for n in TRAIN.lengths] for c in ("upos", "lemma")})
    bare = DependencyParser(max_iter=2).fit(words)
    assert bare.words_lack() == []
    assert len(bare.predict([["A", "heron", "sang"]])[0][0]) == 3


def test_which_tags_are_predicted() -> None:
    both = TRAIN.with_columns(xpos=[[tag.lower() for tag in tags] for tags in TRAIN.column("upos")])
    settings = {"tagger": "auto", "jackknife": 0, "max_iter": 1, "without": ["lemma", "tokens"]}
    assert list(DependencyParser(**settings).fit(both).taggers_) == ["upos", "xpos"]
    for tags in ("xpos", ["xpos"]):
        chosen = DependencyParser(tags=tags, **settings).fit(both)
        assert list(chosen.taggers_) == ["xpos"]
        assert chosen.model_.arcs.columns == ["form", "xpos"]
    with pytest.raises(DataError, match="tags: the trees have no 'xpos' to learn from; they have upos"):
        DependencyParser(tags=["xpos"], **settings).fit(TRAIN)
    many = both.with_columns(xpos=[[w[:3] for w in words] for words in TRAIN.column("form")])
    chosen = DependencyParser(**settings).fit(many)
    assert list(chosen.taggers_) == ["upos", "xpos"]
    assert chosen.model_.arcs.columns == ["form", "upos"]
    assert any("kinds, which are found with features and not looked at" in told for told in chosen.why_)


def test_taggers_of_folds_are_not_diagnosed(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[object] = []
    monkeypatch.setattr(
        "linnet.estimators.tagging.tagger.diagnose_learnt",
        lambda wanted, *_: measured.append(wanted) or {},
    )
    DependencyParser(tagger="auto", jackknife=2, max_iter=1, without="lemma").fit(FEW)
    assert measured == [False] * 3
    measured.clear()
    DependencyParser(tagger=linnet.CRF(), jackknife=2, max_iter=1).fit(FEW)
    assert measured == ["auto", False, False]


@pytest.mark.parametrize(
    ("crossing", "order", "chosen", "said"),
    [
        (
            8,
            "auto",
            True,
            "trees: projective: arcs cross in 8.0 % of the sentences, and up to 20",
        ),
        (16, "auto", True, "trees: projective: arcs cross in 16.0 % of the sentences, and up to 20 %"),
        (
            16,
            1,
            False,
            "trees: non-projective, since arcs cross in 16.0 % of the sentences, more",
        ),
        (24, "auto", False, "trees: non-projective, since arcs cross in 24.0 % of the sentences"),
        (0, "auto", True, "trees: projective, since no arcs cross"),
    ],
)
def test_trees_are_projective_unless_arcs_cross_often(
    crossing: int, order: Any, chosen: bool, said: str
) -> None:
    crossed, plain = ([3, 4, 0, 3], ["a"] * 4), ([2, 3, 0, 3], ["a"] * 4)
    y = [crossed if k < crossing else plain for k in range(100)]
    made = DependencyParser(order=order, max_iter=1).fit([["a", "b", "c", "d"]] * 100, y)
    assert made.model_.projective is chosen
    assert any(line.startswith(said) for line in made.why_), made.why_


def test_taggers_of_our_own_are_packed(tmp_path: Path) -> None:
    pipeline = parser(tagger="auto", jackknife=3)
    assert pipeline.taggers_["upos"].model_.states.scales is not None
    pipeline.save(tmp_path / "packed")
    loaded = linnet.load(tmp_path / "packed")
    assert loaded.predict(TEST.column("form")) == pipeline.predict(TEST.column("form"))
    full = linnet.Tagger("pos").fit(TRAIN.column("form"), TRAIN.column("upos"))
    full.save(tmp_path / "full")
    parser().save(tmp_path / "bare")
    sizes = {name: (tmp_path / name).stat().st_size for name in ("packed", "full", "bare")}
    assert sizes["packed"] - sizes["bare"] < sizes["full"] / 2


def test_given_tags_are_kept() -> None:
    pipeline = parser(tagger="auto", jackknife=3)
    wrong = TEST.with_columns(upos=[["X"] * n for n in TEST.lengths])
    assert pipeline.parse_trees(wrong).column("upos")[0][0] == "X"
    assert pipeline.parse_trees(wrong, retag=True).column("upos")[0][0] != "X"


def test_taggers_that_are_given() -> None:
    words, tags = TRAIN.column("form"), TRAIN.column("upos")
    ready = linnet.StructuredPerceptron(max_iter=3).fit(words, tags)
    pipeline = DependencyParser(tagger=ready, max_iter=3).fit(TRAIN)
    assert pipeline.taggers_["upos"] is ready
    assert pipeline.predict(TEST.column("form"))
    own = DependencyParser(tagger=linnet.HMM(), jackknife=0, max_iter=3).fit(TRAIN)
    assert type(own.taggers_["upos"]) is linnet.HMM
    assert any("those of the data" in line for line in own.why_)
    assert own.score(TEST) > 0.9
    with pytest.raises(DataError, match="no column 'xpos'"):
        DependencyParser(tagger={"xpos": linnet.HMM()}).fit(TRAIN)
    with pytest.raises(ValueError, match="'auto', None"):
        DependencyParser(tagger="hmm").fit(TRAIN)


# ---------------------------------------------------------------------- settings


def test_templates_can_be_changed() -> None:
    own = ["h.upos m.upos *", "h.form m.form"]
    few = DependencyParser(own, ArcFeatures(templates=own, hash_bits=12), order=1, max_iter=3)
    assert few.fit(TRAIN).score(TEST) > 0.7
    assert few.model_.arcs.columns == ["form", "upos"]
    assert few.model_.relation_features.n_features == 2**12
    with pytest.raises(ValueError, match="nothing is called 'xpos'"):
        DependencyParser(["h.xpos"]).fit(TRAIN)


def test_counting_is_the_baseline() -> None:
    counted = parser(loss="joint_likelihood")
    assert (counted.record_.learner, counted.model_.order) == ("counting", 1)
    assert 0.6 < counted.score(TEST) < parser().score(TEST)
    assert parser(learner="counting").predict(FEW) == counted.predict(FEW)
    told = counted.explain(FEW)[0]
    assert sum(w.head.score for w in told.explained) == pytest.approx(told.score, rel=1e-4)
    for wrong in ({"loss": "hinge", "learner": "counting"}, {"loss": "joint_likelihood", "order": 2}):
        with pytest.raises(RefusedError, match="count"):
            DependencyParser(**wrong).fit(TRAIN)


def test_one_seed_one_result() -> None:
    first, second = (DependencyParser(max_iter=2, random_state=3).fit(TRAIN) for _ in range(2))
    assert np.array_equal(first.model_.weights, second.model_.weights)
    assert np.array_equal(first.model_.relation_weights, second.model_.relation_weights)
    threaded = parser().__sklearn_clone__().set_params(n_jobs=2).fit(TRAIN)
    assert np.array_equal(threaded.model_.weights, parser().model_.weights)
    assert threaded.predict(TEST) == parser().predict(TEST)


def test_copies_and_parameters() -> None:
    assert copy.copy(parser()).predict(FEW) == parser().predict(FEW)
    assert pickle.loads(pickle.dumps(parser())).predict(FEW) == parser().predict(FEW)
    clone = parser(order=1).__sklearn_clone__()
    assert clone.get_params(deep=False) == parser(order=1).get_params(deep=False)
    assert not hasattr(clone, "model_")
    assert repr(DependencyParser(order=1)) == "DependencyParser(order=1)"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"order": 3}, "order must be"),
        ({"order": True}, "order must be"),
        ({"projective": "no"}, "projective must be"),
        ({"roots": "two"}, "roots must be"),
        ({"jackknife": 1}, "jackknife must be"),
        ({"loss": "love"}, "unknown loss 'love'"),
        ({"penalty": "l3"}, "unknown penalty 'l3'"),
        ({"C": -1.0}, "C must be"),
        ({"max_iter": 0}, "max_iter must be"),
        ({"candidates": -1}, "candidates must be"),
        ({"tol": "small"}, "tol must be"),
        ({"random_state": None}, "random_state must be"),
    ],
)
def test_settings_out_of_range(settings: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DependencyParser(**settings).fit(TRAIN)


def test_what_is_refused() -> None:
    with pytest.raises(RefusedError, match="second order"):
        DependencyParser(projective=False, order=2).fit(TRAIN)
    with pytest.raises(RefusedError, match="pa does not"):
        DependencyParser(learner="pa", penalty="l2").fit(TRAIN)


# ---------------------------------------------------------------------- bad input


def test_bad_input() -> None:
    words = TRAIN.column("form")
    with pytest.raises(DataError, match="no word has a head"):
        DependencyParser().fit(words)
    with pytest.raises(DataError, match="no word has a relation"):
        DependencyParser().fit(words, TRAIN.head_lists())
    with pytest.raises(DataError, match="no file of this name exists; a sentence is a list of tokens"):
        parser().predict("A linnet sang.")
    with pytest.raises(DataError, match="leave out y"):
        DependencyParser().fit(TRAIN, TRAIN.head_lists())
    with pytest.raises(DataError, match="sentence 1, word 1: the heads make a cycle"):
        DependencyParser().fit([["a", "b", "c"]], [([2, 1, 0], ["x", "y", "z"])])
    with pytest.raises(DataError, match="second root"):
        DependencyParser().fit([["a", "b"]], [([0, 0], ["x", "y"])])
    with pytest.raises(DataError, match="the words have no lemma and upos, which the parser looks at"):
        parser().predict(words)
    with pytest.raises(DataError, match="no heads to compare"):
        parser().score(as_lists(FEW)[0])
    with pytest.raises(ValueError, match="metric must be"):
        parser().score(FEW, metric="f1")
    with pytest.raises(Exception, match="not fitted"):
        DependencyParser().predict(words)


def test_several_roots_if_asked_for() -> None:
    X = [["up", "down"], ["in", "out"]] * 5
    y = [([0, 0], ["root", "root"])] * 10
    many = DependencyParser(roots="many").fit(X, y)
    assert many.predict([["up", "out"]]) == [([0, 0], ["root", "root"])]


def test_long_sentences() -> None:
    long = TEST.take(np.zeros(1, np.int64))
    words = [
        cell
        for _ in range(50)
        for cell in zip(
            long.column("form")[0], long.column("upos")[0], long.column("lemma")[0], strict=True
        )
    ]
    X = [[dict(zip(("form", "upos", "lemma"), cell, strict=True)) for cell in words]]
    heads, _ = parser().predict(X)[0]
    assert len(heads) == len(words) > 500
    assert heads.count(0) == 1
