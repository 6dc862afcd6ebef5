"""The second look of the constituency parser: learnt in folds, over what the first has left."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
import linnet._core as _core
from linnet.data.bracket_chains import ChainedBrackets
from linnet.data.bracket_tree import BracketTree
from linnet.data.brackets import Brackets
from linnet.errors import DataError, RefusedError
from linnet.estimators.phrases.folds import jackknifed
from linnet.estimators.phrases.parser import ConstituencyParser
from linnet.estimators.phrases.second import FOLDS, LEAST
from linnet.model.brackets import BracketModel
from linnet.model.forests import ForestModel, core_candidates, forest_parts
from linnet.persistence import ModelFileError

from ... import phrase_bank

SENTENCE = ["the", "wren", "sings", "in", "a", "hedge", "."]


@pytest.fixture(scope="module")
def parser() -> ConstituencyParser:
    return ConstituencyParser(n_jobs=1).fit(phrase_bank.trees(120))


def test_two_looks_learn_a_small_grammar(parser: ConstituencyParser) -> None:
    assert isinstance(parser.model_, ForestModel)
    assert any("second look" in line for line in parser.why_)
    unseen = phrase_bank.trees(60, seed=1)
    assert parser.score(unseen) > 0.95
    assert parser.score(unseen, decode="best") > 0.95


def test_answers_do_not_depend_on_threads(parser: ConstituencyParser) -> None:
    trees = phrase_bank.trees(40, seed=2)
    one = parser.predict(trees), parser.sample(trees, 3), parser.predict_proba(trees)
    again = parser._with_fitted()
    again.n_jobs = 3
    assert (again.predict(trees), again.sample(trees, 3), again.predict_proba(trees)) == one


def test_two_fits_are_the_same(parser: ConstituencyParser) -> None:
    other = ConstituencyParser(n_jobs=2).fit(phrase_bank.trees(120))
    assert isinstance(parser.model_, ForestModel)
    for name, tensor in parser.model_.tensors().items():
        np.testing.assert_array_equal(tensor, other.model_.tensors()[name])


def test_k_best_samples_and_probabilities_agree(parser: ConstituencyParser) -> None:
    (ranked,) = parser.predict([SENTENCE], k=500)
    scores = np.array([score for _, score in ranked])
    assert (np.diff(scores) <= 0).all()
    assert ranked[0][0] == parser.predict([SENTENCE], decode="best")[0]
    p = np.exp(scores - np.logaddexp.reduce(scores))  # of all trees, if there are fewer than 500
    assert len(ranked) < 500
    (shares,) = parser.predict_proba([SENTENCE])
    for constituent, share in shares:
        held = sum(q for (tree, _), q in zip(ranked, p, strict=True) if constituent in tree.spans())
        assert share == pytest.approx(held, abs=1e-4)


def test_known_brackets_are_kept(parser: ConstituencyParser) -> None:
    (tree,) = parser.predict([SENTENCE], known=[[(1, 3)]])
    assert (1, 3) in [(c.begin, c.end) for c in tree.spans()]
    (ranked,) = parser.predict([SENTENCE], k=50, known=[[(3, 6, "PP")]])
    assert all((3, 6, "PP") in [tuple(c) for c in tree.spans()] for tree, _ in ranked)
    (without,) = parser.predict([SENTENCE], without=[[(3, 6)]])
    assert (3, 6) not in [(c.begin, c.end) for c in without.spans()]


def test_explanations_sum_to_scores(parser: ConstituencyParser) -> None:
    model = parser.model_
    words = parser._read([SENTENCE]).words
    found = model.best(words, [], 1)
    spans = zip(found.begins.tolist(), found.ends.tolist(), strict=True)
    tree = dict(zip(spans, found.codes.tolist(), strict=True))
    for span, score in zip(tree, found.scores.tolist(), strict=True):
        terms = model.evidence(words, tree, span)
        assert sum(weight for _, weight in terms) == pytest.approx(score, abs=1e-4)
    names = [name for span in tree for name, _ in model.evidence(words, tree, span)]
    assert "sibling=_NONE child=NP" in names
    assert any(name.startswith("side=before child=NP head.tag=VBZ") for name in names)
    shown = str(parser.explain(SENTENCE))
    assert "NP" in shown


def test_the_file_holds_both_looks(parser: ConstituencyParser, tmp_path: Path) -> None:
    path = tmp_path / "two.linnet"
    parser.save(path)
    again = linnet.load(path)
    trees = phrase_bank.trees(20, seed=3)
    assert again.predict(trees) == parser.predict(trees)
    assert again.predict([SENTENCE], k=5) == parser.predict([SENTENCE], k=5)
    small = parser.quantize(8)
    small.save(tmp_path / "small.linnet")
    assert (tmp_path / "small.linnet").stat().st_size < path.stat().st_size / 2
    loaded = linnet.load(tmp_path / "small.linnet")
    assert loaded.predict(trees) == small.predict(trees)
    assert loaded.score(trees) > 0.95


def test_damaged_weights_are_told(parser: ConstituencyParser) -> None:
    model = parser.model_
    assert isinstance(model, ForestModel)
    broken = model.weights.copy()
    broken[7] = np.nan
    bad = ForestModel(model.first, model.features, broken, model.least)
    with pytest.raises(DataError, match="damaged"):
        bad.best(parser._read([SENTENCE]).words, [], 1)
    with pytest.raises(DataError, match="do not fit"):
        ForestModel(model.first, model.features, broken[:-1], model.least)


def test_a_file_whose_second_look_makes_no_sense_is_refused(
    parser: ConstituencyParser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = parser.model_.spec()
    monkeypatch.setattr(ForestModel, "spec", lambda _: spec | {"least": 2.0})
    parser.save(tmp_path / "bad.linnet")
    with pytest.raises(ModelFileError, match="how probable"):
        linnet.load(tmp_path / "bad.linnet")


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"second": False}, "not asked for"),
        ({"loss": "hinge"}, "margins"),
    ],
)
def test_one_look_where_two_make_no_sense(settings: dict[str, Any], why: str) -> None:
    parser = ConstituencyParser(tagger=None, n_jobs=1, **settings).fit(phrase_bank.trees(110))
    assert isinstance(parser.model_, BracketModel)
    assert any(f"no second look: {why}" in line or why in line for line in parser.why_)


def test_few_trees_have_one_look_unless_asked() -> None:
    few = phrase_bank.trees(40)
    assert isinstance(ConstituencyParser(tagger=None).fit(few).model_, BracketModel)
    assert isinstance(ConstituencyParser(tagger=None, second=True).fit(few).model_, ForestModel)


def test_what_was_asked_for_is_refused_rather_than_left_out() -> None:
    with pytest.raises(RefusedError, match=r"second=True.*margins"):
        ConstituencyParser(tagger=None, second=True, loss="hinge").fit(phrase_bank.trees(30))
    with pytest.raises(RefusedError, match=rf"{FOLDS} folds"):
        ConstituencyParser(tagger=None, second=True).fit(phrase_bank.trees(FOLDS - 1))
    with pytest.raises(ValueError, match="second must be"):
        ConstituencyParser(second="yes").fit(phrase_bank.trees(10))


def some_known(trees: Brackets, seed: int = 0) -> Brackets:
    """Half of the brackets of each tree."""
    rng = np.random.default_rng(seed)
    return Brackets.from_trees(
        BracketTree(tree.words, tree.tags, [c for c in tree.constituents if rng.random() < 0.5])
        for tree in trees
    )


def test_partial_trees_are_made_whole_for_the_second_look() -> None:
    trees = phrase_bank.trees(60)
    known = some_known(trees)
    partial = np.arange(len(trees)) % 3 > 0
    shown = Brackets.from_trees(
        one if hides else other for one, other, hides in zip(known, trees, partial, strict=True)
    )
    parser = ConstituencyParser(tagger=None, n_jobs=1, second=False)
    parser.fit(shown, partial=partial)
    first = parser.model_
    assert isinstance(first, BracketModel)
    made = list(jackknifed(parser, shown, partial, first).gold.trees(trees.sequences))
    for tree, given, hides in zip(made, shown, partial, strict=True):
        own, told = set(tree.constituents), set(given.constituents)
        assert told <= own if hides else told == own
        spans = {(c.begin, c.end) for c in own}
        assert (0, len(tree.words)) in spans
        assert not any(a < i < b < j for a, b in spans for i, j in spans)
    wanted = {(k, c) for k, tree in enumerate(trees) for c in tree.constituents}
    found = {(k, c) for k, tree in enumerate(made) for c in tree.constituents}
    before = {(k, c) for k, tree in enumerate(shown) for c in tree.constituents}
    assert len(wanted & found) > len(before)


def test_partial_trees_teach_both_looks() -> None:
    trees = phrase_bank.trees(120)
    how: dict[str, Any] = {"tagger": None, "n_jobs": 1}
    one = ConstituencyParser(second=False, **how).fit(some_known(trees), partial=True)
    two = ConstituencyParser(**how).fit(some_known(trees), partial=True)
    assert isinstance(two.model_, ForestModel)
    unseen = phrase_bank.trees(60, seed=1)
    assert two.score(unseen) > max(0.85, one.score(unseen) - 0.02)
    whole = ConstituencyParser(tagger=None, n_jobs=1).fit(trees)
    same = ConstituencyParser(tagger=None, n_jobs=1).fit(trees, partial=np.zeros(len(trees), bool))
    for name, tensor in whole.model_.tensors().items():
        np.testing.assert_array_equal(tensor, same.model_.tensors()[name])


def trainer(model: ForestModel, **settings: Any) -> tuple[_core.ForestTrainer, list[Any]]:
    """Over few sentences, and what must stay alive."""
    trees = phrase_bank.trees(12, seed=5)
    parts = forest_parts(model.first, model.features)
    tokens = model.first.features.over(trees.sequences, parts.sets)
    found = model.first.candidates_of(tokens, None, LEAST, 1)
    log_p = np.log(np.clip(found.scores, LEAST, 1)).astype(np.float32)
    labels = len(model.chains)
    candidates = _core.BracketCandidates(
        found.starts, found.begins, found.ends, found.codes, log_p, labels
    )
    chained = ChainedBrackets.of(trees, model.chains)
    gold = _core.GoldBrackets(chained.starts, chained.begins, chained.ends, chained.codes, labels, None)
    made = _core.ForestTrainer(
        tokens, candidates, gold, parts.templates, parts.heads, parts.labels,
        floor=float(np.log(LEAST)), **settings,
    )  # fmt: skip
    return made, [parts, tokens, found, log_p, candidates, chained, gold]


def test_the_loss_falls_and_states_go_on(parser: ConstituencyParser) -> None:
    assert isinstance(parser.model_, ForestModel)
    made, _alive = trainer(parser.model_, dropout=0.0)
    losses = [made.epoch().objective for _ in range(6)]
    assert losses[-1] < 0.2 * losses[0]

    one, _one = trainer(parser.model_, seed=4)
    one.epoch()
    state = one.state()
    one.epoch()
    two, _two = trainer(parser.model_, seed=4)
    two.restore(state)
    two.epoch()
    np.testing.assert_array_equal(one.weights(), two.weights())


def test_a_paused_pass_goes_on_with_the_same_bits(parser: ConstituencyParser) -> None:
    assert isinstance(parser.model_, ForestModel)
    whole, _whole = trainer(parser.model_, seed=4)
    whole.epoch()
    parts, _parts = trainer(parser.model_, seed=4)
    parts.pause_after(instances=5)
    assert parts.epoch().paused
    state = parts.state()
    other, _other = trainer(parser.model_, seed=4)
    other.restore(state)
    other.epoch()
    np.testing.assert_array_equal(whole.weights(), other.weights())


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"dropout": 1.0}, "dropout"), ({"rate": 0.0}, "rate"), ({"cost": -1.0}, "cost")],
)
def test_settings_of_the_core_are_checked(
    parser: ConstituencyParser, settings: dict[str, Any], message: str
) -> None:
    assert isinstance(parser.model_, ForestModel)
    with pytest.raises(ValueError, match=message):
        trainer(parser.model_, **settings)


@pytest.mark.parametrize("sure", [0.6, 0.9, 0.98])
def test_spans_that_are_sure_are_in_all_trees(parser: ConstituencyParser, sure: float) -> None:
    """The trees of the whole forest that have them, with the same scores, and no others."""
    model = parser.model_
    assert isinstance(model, ForestModel)
    sentences = parser._read(phrase_bank.trees(8, seed=4)).words
    tokens = model.first.features.over(sentences, model.parts.sets)
    found = model.first.candidates_of(tokens, None, model.least, 1)
    candidates = core_candidates(found, len(model.chains))
    common = (tokens, candidates, *model.parts[:3], model.weights, None)
    whole, some = (
        _core.ForestParser(*common, bound).best_trees(2000, 1) for bound in (float("inf"), sure)
    )
    left_out = 0
    for i in range(len(sentences)):
        shares: dict[tuple[int, int], float] = {}
        for b in range(int(found.starts[i]), int(found.starts[i + 1])):
            span = int(found.begins[b]), int(found.ends[b])
            shares[span] = shares.get(span, 0.0) + float(found.scores[b])
        wanted = {span for span, share in shares.items() if share >= sure}
        every = _scores_of_trees(whole[i])
        assert len(every) < 2000
        kept = {tree: score for tree, score in every.items() if wanted <= {t[:2] for t in tree}}
        left_out += len(every) - len(kept)
        restricted = _scores_of_trees(some[i])
        assert restricted.keys() == kept.keys()
        assert all(restricted[tree] == pytest.approx(score) for tree, score in kept.items())
    assert left_out


def _scores_of_trees(arrays: Any) -> dict[frozenset[tuple[int, int, int]], float]:
    starts, begins, ends, codes, _, values = (each.tolist() for each in arrays)
    return {
        frozenset(zip(begins[a:b], ends[a:b], codes[a:b], strict=True)): value
        for a, b, value in zip(starts, starts[1:], values, strict=False)
    }
