"""Grammar parsers: probabilities against all trees, constraints, files, and what has no tree."""

import itertools
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet import Grammar, GrammarParser
from linnet.data.brackets import Brackets
from linnet.errors import DataError, RefusedError, TrainingWarning
from linnet.persistence import ModelFileError

from ...grid.cells import phrases

TEXT = """
S -> NP VP [1.0]
NP -> Det N [0.6] | NP PP [0.2] | 'linnets' [0.1] | 'wrens' [0.1]
VP -> V [0.3] | V NP [0.4] | VP PP [0.3]
PP -> P NP [1.0]
Det -> 'the' [1.0]
N -> 'tree' [0.5] | 'wren' [0.5]
V -> 'see' [0.5] | 'sing' [0.5]
P -> 'in' [1.0]
"""
GRAMMAR = Grammar.from_text(TEXT)
AMBIGUOUS = "wrens see linnets in the tree in the tree"


def every_tree(grammar: Grammar, words: list[str], chains: int = 8) -> list[tuple[float, Any]]:
    """(probability, nested tuples) of all trees, by plain recursion over rules."""
    rules = list(grammar.rules())

    def build(symbol: str, i: int, j: int, left: int) -> list[tuple[float, Any]]:
        found = []
        for parent, right, weight in rules:
            if parent != symbol or weight == 0:
                continue
            if not isinstance(right[0], str):
                if j == i + 1 and right[0].text == words[i]:
                    found.append((weight, (symbol, words[i])))
            elif len(right) == 1:
                if left:
                    below = build(right[0], i, j, left - 1)
                    found += [(weight * p, (symbol, tree)) for p, tree in below]
            else:
                for k in range(i + 1, j):
                    sides = build(right[0], i, k, chains), build(right[1], k, j, chains)
                    for (p, a), (q, b) in itertools.product(*sides):
                        found.append((weight * p * q, (symbol, a, b)))
        return found

    start = grammar.symbols[grammar.start]
    return sorted(build(start, 0, len(words), chains), key=lambda pair: -pair[0])


@pytest.fixture(scope="module")
def given() -> GrammarParser:
    return GrammarParser(GRAMMAR).fit()


@pytest.fixture(scope="module")
def counted() -> GrammarParser:
    return GrammarParser(n_jobs=1).fit(phrases(200))


def same(tree: Any, nested: Any) -> bool:
    return bool(tree.nested() == nested)


def test_trees_and_probabilities_are_those_of_all_trees(given: GrammarParser) -> None:
    words = AMBIGUOUS.split()
    trees = every_tree(GRAMMAR, words)
    total = sum(p for p, _ in trees)
    assert len(trees) == 5
    assert given.log_likelihood([words])[0] == pytest.approx(np.log(total))
    assert same(given.predict([words])[0], trees[0][1])
    shares = np.array([p for p, _ in trees]) / total
    assert given.entropy([words])[0] == pytest.approx(-(shares * np.log(shares)).sum())
    [best] = given.predict([words], k=10)
    assert len(best) == 5
    for tree, (p, nested) in zip(best, trees, strict=True):  # ties stand in any order
        at = [q for q, other in trees if same(tree, other)]
        assert at == pytest.approx([p])
        assert nested
    expected: dict[Any, float] = {}
    for share, (_, nested) in zip(shares, trees, strict=True):
        for span in Brackets.from_nested([nested])[0].spans():
            expected[tuple(span)] = expected.get(tuple(span), 0.0) + share
    [found] = given.predict_proba([words])
    assert found == pytest.approx(expected)


def test_samples_come_by_their_probability(given: GrammarParser) -> None:
    words = AMBIGUOUS.split()
    trees = every_tree(GRAMMAR, words)
    shares = np.array([p for p, _ in trees]) / sum(p for p, _ in trees)
    [drawn] = given.sample([words], 4000, random_state=3)
    counts = np.zeros(len(trees))
    for tree in drawn:
        counts[[same(tree, nested) for _, nested in trees].index(True)] += 1
    chi = ((counts - 4000 * shares) ** 2 / (4000 * shares)).sum()
    assert chi < 18.5  # of 4 degrees of freedom, one in a thousand
    again = GrammarParser(GRAMMAR, n_jobs=2).fit().sample([words], 20, random_state=3)[0]
    assert [str(tree) for tree in again] == [str(tree) for tree in drawn.take(range(20))]


def test_max_rule_product_is_that_of_all_trees(given: GrammarParser) -> None:
    words = AMBIGUOUS.split()
    trees = every_tree(GRAMMAR, words)
    total = sum(p for p, _ in trees)

    def steps(nested: Any, begin: int) -> tuple[list[Any], int]:
        if isinstance(nested[1], str):
            return [(nested[0], begin)], begin + 1
        used, at, ends = [], begin, []
        for child in nested[1:]:
            below, at = steps(child, at)
            used += below
            ends.append((child[0], at))
        return [(nested[0], begin, *ends), *used], at

    posterior: dict[Any, float] = {}
    for p, nested in trees:
        for step in steps(nested, 0)[0]:
            posterior[step] = posterior.get(step, 0.0) + p / total
    values = [np.prod([posterior[step] for step in steps(n, 0)[0]]) for _, n in trees]
    best = given.predict([words], decode="rules")[0]
    mine = next(v for v, (_, n) in zip(values, trees, strict=True) if same(best, n))
    assert mine == pytest.approx(max(values))


def test_constraints(given: GrammarParser) -> None:
    words = ["wrens", "see", "linnets", "in", "the", "tree"]
    trees = every_tree(GRAMMAR, words)
    for phrase in ((2, 6, "NP"), (1, 3, "VP")):
        tree = given.predict([words], known=[[phrase]])[0]
        assert phrase in [tuple(span) for span in tree.spans()]
        other = given.predict([words], forbidden=[[phrase]])[0]
        assert phrase not in [tuple(span) for span in other.spans()]
        inside = [p for p, n in trees if phrase in map(tuple, Brackets.from_nested([n])[0].spans())]
        [proba] = given.predict_proba([words])
        assert proba[phrase] == pytest.approx(sum(inside) / sum(p for p, _ in trees))
    any_label = given.predict([words], known=[[(2, 6, None)]])[0]
    assert (2, 6) in [span[:2] for span in any_label.spans()]
    pinned = given.predict([words], tags=[["NP", "V", None, None, None, None]])[0]
    assert pinned.tags[0] == "NP"
    with pytest.warns(UserWarning, match="1 of 1 sentences have no tree"):
        assert given.predict([words], tags=[["V", *[None] * 5]])[0].top == "NOPARSE"
    for wrong in ([[(0, 9, "NP")]], [[(0, 1, "XP")]]):
        with pytest.raises(DataError, match="is no phrase"):
            given.predict([words], known=wrong)
    with pytest.raises(DataError, match="has no tag 'XX'"):
        given.predict([words], tags=[["XX", *[None] * 5]])


def test_what_has_no_tree_is_flat_and_marked(given: GrammarParser) -> None:
    with pytest.warns(UserWarning, match="2 of 4 sentences have no tree"):
        found = given.predict(["linnets sing", "linnets fly", "", "sing sing"])
    assert [tree.top for tree in found] == [None, "NOPARSE", None, "NOPARSE"]
    assert found[1].leaves() == ["linnets", "fly"]
    assert found[1].spans() == []
    assert given.log_likelihood(["linnets fly"])[0] == -np.inf
    assert given.predict_proba(["linnets fly", ""]) == [{}, {}]
    assert len(given.predict(["linnets fly"], k=2)[0]) == 0


def test_tags_of_what_has_no_tree_are_the_likeliest(
    given: GrammarParser, counted: GrammarParser
) -> None:
    """By P(tag) P(word | tag), or by scores; words that nothing may become have none of these."""
    with pytest.warns(UserWarning, match="have no tree"):
        (tree,) = given.predict(["sing fly linnets"])
    assert tree.tags == ["V", "UNK", "NP"]
    with pytest.warns(UserWarning, match="2 of 2 sentences have no tree"):
        trees = counted.predict(["the sees by wren", "by by by"])
    assert [tree.tags for tree in trees] == [["D", "V", "P", "N"], ["P", "P", "P"]]
    learnt = GrammarParser(learner="perceptron", hash_bits=10, max_iter=3).fit(phrases(40))
    with pytest.warns(UserWarning, match="have no tree"):
        (tree,) = learnt.predict(["the"])
    assert tree.top == "NOPARSE"
    assert tree.tags == ["D"]


def test_a_treebank_becomes_a_grammar(counted: GrammarParser) -> None:
    trees = phrases(200)
    assert counted.score(trees) > 0.9
    assert counted.grammar_.sums() == pytest.approx(dict.fromkeys(counted.grammar_.sums(), 1.0))
    assert sorted(counted.classes_) == ["NP", "PP", "S", "VP"]
    once = ("S", ("NP", ("D", "this"), ("N", "finch")), ("VP", ("V", "flew")))
    rare = GrammarParser(n_jobs=1).fit([*trees.nested(), once])
    assert str(rare.predict(["a bunting sees"])[0]) == "(TOP (S (NP (D a) (N bunting)) (VP (V sees))))"
    plain = GrammarParser(smoothing=0.0, n_jobs=1).fit(trees)
    rules = Grammar.from_trees(trees, horizontal=2, vertical=2, tags=True)
    np.testing.assert_allclose(plain.grammar_.binary_weights, rules.binary_weights)
    np.testing.assert_allclose(plain.grammar_.lexical_weights, rules.lexical_weights)


@pytest.mark.parametrize("decode", ["best", "brackets", "rules"])
def test_pruning_by_labels_changes_little(counted: GrammarParser, decode: str) -> None:
    held = phrases(60, seed=5)
    free = GrammarParser(prune=None, n_jobs=1).fit(phrases(200))
    words = held.column("word")
    pairs = zip(counted.predict(words, decode=decode), free.predict(words, decode=decode), strict=True)
    assert np.mean([str(a) == str(b) for a, b in pairs]) > 0.95


def test_pruning_leaves_a_tree_where_there_is_one() -> None:
    """The labels alone prefer (S (A z z) (B y)), which no rule with parents has."""
    often = ("S", ("A", ("T", "x")), ("B", ("U", "y")))
    seldom = ("S", ("C", ("A", ("T", "z"), ("T", "z")), ("B", ("U", "y"))))
    trees = Brackets.from_nested([*[often] * 9, seldom])
    pruned, free = (GrammarParser(prune=prune, n_jobs=1).fit(trees) for prune in (0.0, None))
    asked = ["z z y"]
    for decode in ("best", "brackets", "rules"):
        (tree,) = pruned.predict(asked, decode=decode)
        assert tree.nested()[1][:2] == seldom[:2]
    assert same(pruned.predict(asked, k=2)[0][0], free.predict(asked, k=2)[0][0].nested())
    assert len(pruned.sample(asked, 3)[0]) == 3
    np.testing.assert_allclose(pruned.log_likelihood(asked), free.log_likelihood(asked))
    known = [[(0, 2, "A")]]
    (tree,) = pruned.predict(asked, known=known)
    assert tree.nested()[1][:2] == seldom[:2]
    with pytest.warns(UserWarning, match="1 of 1 sentences have no tree"):
        assert pruned.predict(["y z"], decode="brackets")[0].top == "NOPARSE"


def test_files(counted: GrammarParser, given: GrammarParser, tmp_path: Path) -> None:
    learnt = GrammarParser(learner="perceptron", hash_bits=8, max_iter=3).fit(phrases(40))
    for parser, words in ((counted, "a wren sees"), (given, AMBIGUOUS), (learnt, "a wren sees")):
        parser.save(tmp_path / "m.linnet")
        other = linnet.load(tmp_path / "m.linnet")
        np.testing.assert_array_equal(other.model_.weights, parser.model_.weights)
        assert str(other.predict([words])[0]) == str(parser.predict([words])[0])
        assert other.grammar_.to_text() == parser.grammar_.to_text()
        assert other.get_params()["horizontal"] == parser.horizontal
    data = (tmp_path / "m.linnet").read_bytes()
    assert b"chains" in data
    (tmp_path / "m.linnet").write_bytes(data.replace(b"chains", b"chainz"))
    with pytest.raises(ModelFileError):
        linnet.load(tmp_path / "m.linnet")


@pytest.mark.parametrize("bits", [8, 4])
def test_features_in_few_bits(tmp_path: Path, bits: int) -> None:
    learnt = GrammarParser(learner="pa", hash_bits=10, max_iter=3).fit(phrases(40))
    small = learnt.quantize(bits)
    assert 0 < np.abs(small.model_.weights - learnt.model_.weights).max() < 2.0**-bits
    np.testing.assert_array_equal(small.model_.tied_weights(), learnt.model_.tied_weights())
    learnt.save(tmp_path / "m.linnet")
    small.save(tmp_path / "s.linnet")
    assert (tmp_path / "s.linnet").stat().st_size < (tmp_path / "m.linnet").stat().st_size / 3
    loaded = linnet.load(tmp_path / "s.linnet")
    np.testing.assert_array_equal(loaded.model_.weights, small.model_.weights)
    assert abs(loaded.score(phrases(40)) - learnt.score(phrases(40))) < 0.05
    with pytest.raises(ValueError, match="quantized already"):
        small.quantize()


def test_templates_are_lines_or_a_list() -> None:
    made = [
        GrammarParser(learner="pa", max_iter=1, hash_bits=8, features=given).fit(phrases(10)).model_
        for given in ("# ends\nbegin.word\n\nend.word length\n", ["begin.word", "end.word length"])
    ]
    lines, items = (model.features.templates for model in made)
    assert lines == items == ["begin.word", "end.word length"]
    np.testing.assert_array_equal(made[0].weights, made[1].weights)


def test_a_counted_grammar_is_small_already(counted: GrammarParser) -> None:
    with pytest.raises(RefusedError, match="a number for each rule, no smaller form"):
        counted.quantize()


def test_explanations(given: GrammarParser) -> None:
    told = given.explain(["wrens see linnets in the tree"])
    assert "VP → VP PP" in told
    assert "second-best" in told
    assert "no tree" in given.explain(["linnets fly"])


def test_lengths() -> None:
    short = GrammarParser(GRAMMAR, max_words=5).fit()
    with pytest.raises(DataError, match=r"sentence 1 has 9 words.*max_words=5"):
        short.predict([AMBIGUOUS])
    with pytest.raises(DataError, match="1,000 words"):
        GrammarParser(GRAMMAR).fit().predict([["wrens"] * 1000])
    long = GrammarParser(n_jobs=1).fit(phrases(200))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert len(long.predict([["a", "wren", "by"] * 60])[0]) == 180


def test_refusals(given: GrammarParser) -> None:
    margins = GrammarParser(learner="perceptron", max_iter=1, hash_bits=8).fit(phrases(10))
    for ask in (margins.predict_proba, margins.entropy, margins.sample):
        with pytest.raises(RefusedError, match="has none"):
            ask([["a", "wren"]])
    assert margins.no_probabilities() is not None
    assert given.no_probabilities() is None
    with pytest.raises(DataError, match="give trees, not sentences"):
        GrammarParser().fit([["a", "wren"]])
    with pytest.raises(DataError, match="of which the grammar has none"):
        GrammarParser(GRAMMAR, "em").fit(
            [("S", ("XP", ("Det", "the"), ("N", "wren")), ("VP", ("V", "see")))]
        )
    for templates, told in (
        (None, "a list of strings"),
        ([3], "a list of strings"),
        ("wren", "known are"),
    ):
        with pytest.raises(ValueError, match=told):
            GrammarParser(learner="pa", features=templates).fit(phrases(10))
    with pytest.raises(ValueError, match="for learners other than counting"):
        GrammarParser(features="length").fit(phrases(10))
    with pytest.raises(ValueError, match="decode must be one of"):
        GrammarParser(GRAMMAR, decode="all").fit()
    with pytest.raises(DataError, match="a tree for none of the sentences"):
        GrammarParser(GRAMMAR, "em").fit(["fly fly"])
    with pytest.warns(TrainingWarning, match="1 of 2 sentences are left out"):
        GrammarParser(GRAMMAR, "em", max_iter=2).fit(["fly fly", "linnets sing"])


def test_grammars_that_go_in_circles() -> None:
    text = (
        "S -> A [0.5] | 'x' [0.5]\nA -> S [0.5] | B B [0.25] | 'x' [0.25]\nB -> 'x' [0.9] | Dumb [0.1]"
    )
    grammar = Grammar.from_text(text + "\nDumb -> Dumb Dumb [1.0]")
    closed = grammar.closure("sum")
    exact = np.log(closed.weight("S", "S") * 0.5 + closed.weight("S", "A") * 0.25)
    for chains, near in ((1, None), (8, 1e-2), (40, 1e-10)):
        parser = GrammarParser(grammar, chains=chains).fit()
        trees = every_tree(grammar, ["x"], chains)
        value = parser.log_likelihood([["x"]])[0]
        assert value == pytest.approx(np.log(sum(p for p, _ in trees)))
        if near is not None:
            assert value == pytest.approx(exact, abs=near)
    assert str(GrammarParser(grammar).fit().predict([["x"]])[0]) == "(S x)"
