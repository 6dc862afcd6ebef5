"""Every structure by its public estimator: a small problem, an estimator for a cell, its weights."""

import warnings
from functools import cache
from typing import Any

import numpy as np

import linnet
from linnet.data.brackets import Brackets
from linnet.data.samples import load_trees
from linnet.data.trees import Trees
from linnet.errors import TrainingWarning
from linnet.features.arcs import ArcFeatures
from linnet.features.events import WordEvents
from linnet.features.spans import SpanFeatures
from linnet.model import VotedChain
from linnet.training.grid import Compatibility, resolve

from .. import phrase_bank, problems

TEMPLATES = ["h.upos m.upos *", "m.upos direction", "h.lemma m.upos", "direction distance"]
SPANS = ("bird", "place")
BETTER_THAN_CHANCE = {"binary": 0.75} | dict.fromkeys(
    ("multiclass", "candidates", "chain", "segments", "tree", "brackets", "grammar"), 0.6
)
BETTER_THAN_CHANCE |= {"graph": 0.55, "loopy_graph": 0.55, "regression": 0.5}  # of numbers R²


@cache
def treebank(sentences: int = 24, longest: int = 9) -> Trees:
    """Short sentences of the sample."""
    trees = load_trees("rambles-train")
    return trees.take(np.flatnonzero(trees.lengths <= longest)[:sentences])


@cache
def phrases(count: int = 24, seed: int = 0) -> Brackets:
    """Trees of phrases of few words: birds see birds, in trees."""
    rng = np.random.default_rng(seed)

    def noun() -> tuple[Any, ...]:
        bird = ("N", str(rng.choice(["linnet", "wren", "tree"])))
        plain = ("NP", ("D", str(rng.choice(["a", "the"]))), bird)
        plain = ("NP", bird) if rng.random() < 0.4 else plain
        return ("NP", plain, place()) if rng.random() < 0.2 else plain

    def place() -> tuple[Any, ...]:
        return ("PP", ("P", str(rng.choice(["in", "by"]))), noun())

    def verb() -> tuple[Any, ...]:
        word = ("V", str(rng.choice(["sees", "sings", "by"])))
        plain = ("VP", word) if rng.random() < 0.3 else ("VP", word, noun())
        return ("VP", plain, place()) if rng.random() < 0.2 else plain

    return Brackets.from_nested([("S", noun(), verb()) for _ in range(count)])


def tagged() -> tuple[list[list[list[str]]], list[list[str]]]:
    """Tokens as lists of attributes, and tags."""
    data = problems.tagging()
    tags = [f"t{k}" for k in range(data.labels)]
    X, y = [], []
    for begin, end in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        rows = (data.X[t].indices for t in range(begin, end))
        X.append([[f"f{j}" for j in row] for row in rows])
        y.append([tags[k] for k in data.y[begin:end]])
    return X, y


def spans(count: int = 40, seed: int = 0) -> tuple[list[list[list[str]]], list[list[str]]]:
    """Tokens in and outside of spans; attributes mostly say of what type, and where one begins."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(count):
        tags: list[str] = []
        while len(tags) < 6:
            name, length = SPANS[rng.integers(len(SPANS))], int(rng.integers(1, 4))
            tags += ["O"] * int(rng.integers(3)) + [f"B-{name}", *[f"I-{name}"] * (length - 1)]
        kinds = [tag if rng.random() < 0.8 else "any" for tag in tags]
        X.append([[kind, f"noise{rng.integers(5)}"] for kind in kinds])
        y.append(tags)
    return X, y


def words(X: list[list[list[str]]]) -> list[list[str]]:
    """The first attribute of every token alone: one event."""
    return [[(token or ["none"])[0] for token in sentence] for sentence in X]


@cache
def problem(structure: str) -> tuple[Any, Any]:
    """Data that estimators of a structure learn from."""
    if structure == "tree":
        return treebank(), None
    if structure in ("graph", "loopy_graph"):
        return graphs(*tagged())
    if structure == "brackets":
        return phrase_bank.trees(24, longest=7), None
    if structure == "grammar":
        return phrases(), None
    if structure in ("chain", "segments"):
        return tagged() if structure == "chain" else spans()
    if structure == "regression":
        return numbers()
    flat: Any = {
        "binary": problems.disjunction,
        "multiclass": problems.topics,
        "candidates": problems.candidates,
    }[structure]()
    return flat


def numbers(count: int = 120, seed: int = 0) -> tuple[Any, Any]:
    """Rows no longer than one, so that steps of length one come to rest; and sums of two features."""
    rng = np.random.default_rng(seed)
    X = (rng.random((count, 8)) < 0.4) / 3.0
    return X, 6 * X[:, 0] - 6 * X[:, 3] + 1 + 0.1 * rng.normal(size=count)


def data_of(cell: Compatibility) -> tuple[Any, Any]:
    """The data as a learner takes them: who counts wants one event per token."""
    X, y = problem(cell.structure)
    if cell.structure == "chain" and _counts(cell):
        return words(X), y
    if cell.structure == "graph" and _counts(cell):
        X, y = tagged()
        return networks(words(X), y)
    return X, y


def graphs(X: list[list[list[str]]], y: list[list[str]]) -> tuple[Any, Any]:
    """Sentences as graphs: a variable for each tag, with features, and pairs of neighbours."""
    tags = sorted({tag for sentence in y for tag in sentence})
    found = []
    for sentence in X:
        graph = linnet.FactorGraph().add_variables(len(sentence), tags)
        numbers = np.arange(len(sentence))
        graph.add_factors(numbers[:, None], template="token", features=list(sentence))
        if len(sentence) > 1:
            graph.add_factors(np.stack([numbers[:-1], numbers[1:]], axis=1), template="pair")
        found.append(graph)
    return found, [dict(enumerate(sentence)) for sentence in y]


def networks(X: list[list[str]], y: list[list[str]]) -> tuple[Any, Any]:
    """Sentences as networks: tags given the tags before, and words, which are given, by their tags."""
    tags = sorted({tag for sentence in y for tag in sentence})
    known = sorted({word for sentence in X for word in sentence})
    found = []
    for sentence in X:
        n = len(sentence)
        graph = linnet.FactorGraph().add_variables(n, tags)
        graph.add_variables([("word", t) for t in range(n)], known)
        graph.add_factors([[0]], template="first", conditional=True)
        if n > 1:
            moves = [[t, t + 1] for t in range(n - 1)]
            graph.add_factors(moves, template="next", conditional=True)
        graph.add_factors([[t, n + t] for t in range(n)], template="word", conditional=True)
        found.append((graph, {("word", t): word for t, word in enumerate(sentence)}))
    return found, [dict(enumerate(sentence)) for sentence in y]


def _counts(cell: Compatibility) -> bool:
    return cell.learner != "auto" and resolve(cell.learner).family == "counting"


def estimator(cell: Compatibility, **settings: Any) -> Any:
    """The public estimator of a structure, with the settings of a cell."""
    given = {"C": 1.0, "average": False} | settings
    axes = (cell.loss, cell.learner, cell.penalty)
    if cell.structure in ("chain", "segments"):
        features = WordEvents() if cell.structure == "chain" and _counts(cell) else "auto"
        shape = {"segments": True} if cell.structure == "segments" else {"ends": True}
        return linnet.Tagger(features, *axes, prune=0.0, legal=None, **shape | given)
    if cell.structure == "tree":
        alpha = given.pop("alpha", None)
        if alpha is not None:
            given["C"] = 1 / (alpha * len(treebank()))
        own = {} if cell.loss == "joint_likelihood" else {"features": arc_features()}
        return linnet.DependencyParser(**own, **_axes(axes), order=1, candidates=None, **given)
    if cell.structure in ("graph", "loopy_graph"):
        how = "exact" if cell.structure == "graph" else "loopy"
        return linnet.GraphModel(*axes, inference=how, **given)
    if cell.structure == "brackets":
        alpha = given.pop("alpha", None)
        if alpha is not None:
            given["C"] = 1 / (alpha * len(phrase_bank.trees(24, longest=7)))
        features = SpanFeatures(templates=phrase_bank.TEMPLATES, hash_bits=8)
        return linnet.ConstituencyParser(features, **_axes(axes), tagger=None, **given)
    if cell.structure == "grammar":
        return linnet.GrammarParser(None, cell.learner, cell.loss, cell.penalty, hash_bits=8, **given)
    if cell.structure == "regression":
        return linnet.LinearRegressor(*axes, **given)
    kind: Any = linnet.Reranker if cell.structure == "candidates" else linnet.LinearClassifier
    return kind(*axes, **given)


def _axes(axes: tuple[str, str, str]) -> dict[str, str]:
    return dict(zip(("loss", "learner", "penalty"), axes, strict=True))


def arc_features() -> Any:
    return ArcFeatures(templates=TEMPLATES, hash_bits=10)


def fit(cell: Compatibility, **settings: Any) -> Any:
    with warnings.catch_warnings():
        # without a penalty separable data have no minimum; some learners need many passes
        warnings.simplefilter("ignore", TrainingWarning)
        return estimator(cell, **settings).fit(*data_of(cell))


def score(model: Any, cell: Compatibility) -> float:
    if cell.structure == "tree":
        return float(model.score(*data_of(cell), metric="uas"))
    if cell.structure == "brackets":  # probabilities of every loss are not as good as its scores
        return float(model.score(*data_of(cell), decode="best"))
    return float(model.score(*data_of(cell)))


def weights_of(model: Any, cell: Compatibility) -> np.ndarray:
    """Of features, those of zero included."""
    if cell.structure in ("chain", "segments"):
        inner = model.model_.last if isinstance(model.model_, VotedChain) else model.model_
        width = inner.n_labels if cell.structure == "chain" else 3 * len(SPANS) + 1
        return np.asarray(inner.states.dense(width))[1:]
    if cell.structure in ("graph", "loopy_graph"):
        tables = [
            w.ravel() if cell.learner in ("counting", "em") else w[1:].ravel()
            for w in model.model_.values()
        ]
        return np.concatenate(tables)
    if cell.structure == "brackets":
        return np.asarray(model.model_.weights[1:, : len(model.model_.chains)])
    if cell.structure == "tree":
        return np.asarray(model.model_.weights[1:])
    if cell.structure == "grammar":
        weights = np.asarray(model.model_.weights)
        return weights[np.isfinite(weights)] if _counts(cell) else weights  # log of no counts
    return np.asarray(model.model_.coef)
