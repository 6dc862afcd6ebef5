"""Linear classifiers of features written out, as estimators: labels, files, reasons."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import linnet
from linnet.errors import DataError, RefusedError
from linnet.kernels import Conjunctions, Gappy, StringFragments, TreeFragments, map_named
from linnet.kernels.maps import Transformer

CUBE = np.array(list(product([0.0, 1.0], repeat=5)))
XOR = np.where(CUBE[:, 0] != CUBE[:, 1], "yes", "no")
TEXTS = ["a linnet sings", "a wren sings", "linnets sing here", "the wren is small"] * 3
BIRDS = np.array(["linnet", "wren", "linnet", "wren"] * 3)
TREES = [
    f"(S (NP (N {bird})) (VP (V {verb})))" for bird in BIRDS[:2] for verb in ("sings", "flies")
] * 3
OF_TREES = np.repeat(BIRDS[:2], 2).tolist() * 3
THREE = np.array(["a", "b", "c"])[(CUBE[:, 0] + CUBE[:, 1]).astype(int)]
NAMED = [{"a": 1.0}, {"b": 2.0}, {"a": 2.0, "b": 0.5}, {"b": 1.0}]
MODELS: dict[str, tuple[Any, Any, Any]] = {
    "conjunctions": (linnet.MappedClassifier(classifier=linnet.LinearSVM(C=1e3)), CUBE, XOR),
    "negated": (linnet.MappedClassifier("conjunctions degree=2 negated=true bits=12"), CUBE, XOR),
    "sparse": (linnet.MappedClassifier(Conjunctions(3), linnet.Perceptron()), csr_matrix(CUBE), THREE),
    "monomials": (linnet.MappedClassifier("polynomial_map degree=2"), CUBE, XOR),
    "logistic": (linnet.MappedClassifier("conjunctions", linnet.LogisticRegression()), CUBE, THREE),
    "named": (linnet.MappedClassifier("conjunctions"), NAMED, [0, 1, 0, 1]),
    "texts": (linnet.MappedClassifier("conjunctions bits=16"), TEXTS, BIRDS),
    "words": (linnet.MappedClassifier(features=linnet.TextFeatures(word=(1, 1))), TEXTS, BIRDS),
    "strings": (linnet.MappedClassifier("string_fragments span=5 of gappy length=3"), TEXTS, BIRDS),
    "substrings": (linnet.MappedClassifier("string_fragments of blended length=3"), TEXTS, BIRDS),
    "trees": (linnet.MappedClassifier("tree_fragments size=3 of subset_tree"), TREES, OF_TREES),
    "fourier": (linnet.MappedClassifier("random_fourier sigma=1 components=60"), CUBE, XOR),
    "landmarks": (linnet.MappedClassifier("nystroem components=32 of polynomial degree=2"), CUBE, XOR),
    "landmarks of strings": (linnet.MappedClassifier("nystroem of gappy length=2"), TEXTS, BIRDS),
    "landmarks of texts": (linnet.MappedClassifier("nystroem components=5 of gaussian"), TEXTS, BIRDS),
    "landmarks of trees": (
        linnet.MappedClassifier("nystroem of normalised subset_tree"),
        TREES,
        OF_TREES,
    ),
}
NAMELESS = ("trees", "fourier", "landmarks")


@pytest.mark.parametrize("name", MODELS)
def test_it_is_the_map_and_the_classifier(name: str) -> None:
    made, X, y = MODELS[name]
    model = clone(made).fit(X, y)
    made_of, examples = model.map_, model._examples(X, reset=False)
    inner = linnet.LinearSVM() if made.classifier is None else clone(made.classifier)
    inner.fit(made_of.transform(examples), y)
    np.testing.assert_array_equal(model.decision_function(X), model.classifier_.decision_function(
        made_of.transform(examples)))  # fmt: skip
    np.testing.assert_allclose(
        model.decision_function(X), inner.decision_function(made_of.transform(examples)), atol=1e-6
    )
    assert model.score(X, y) > 0.9


@pytest.mark.parametrize("name", MODELS)
def test_what_was_saved_is_loaded(name: str, tmp_path: Path) -> None:
    made, X, y = MODELS[name]
    model = clone(made).fit(X, y)
    model.save(tmp_path / "model.linnet")
    again = linnet.load(tmp_path / "model.linnet")
    assert type(again) is linnet.MappedClassifier
    np.testing.assert_allclose(again.decision_function(X), model.decision_function(X), atol=1e-5)
    assert (again.predict(X) == model.predict(X)).all()
    again.save(tmp_path / "again.linnet")
    assert (tmp_path / "again.linnet").read_bytes() == (tmp_path / "model.linnet").read_bytes()
    assert clone(again).fit(X, y).score(X, y) > 0.9
    if model.no_probabilities() is None:
        np.testing.assert_allclose(again.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("name", [name for name in MODELS if not name.startswith(NAMELESS)])
def test_pieces_sum_to_scores(name: str) -> None:
    made, X, y = MODELS[name]
    model = clone(made).fit(X, y)
    for told, scores, label in zip(model.explain(X), model._scores(X), model.predict(X), strict=True):
        total = told.bias + sum(piece.contributions for piece in told.pieces)
        np.testing.assert_allclose(total, scores, atol=1e-4)
        assert told.label == str(label)


def test_pieces_have_names() -> None:
    row = Conjunctions(2, negated=True).pieces([[1.0, 0.0]], ["red", "small"])
    assert row.names == ["red", "no small", "red & no small"]
    made = StringFragments(Gappy(2, 0.5, normalised=False), span=3).pieces(["cat"], ())
    assert sorted(made.names) == ["at", "ca", "c·t"]
    assert sorted(made.values.tolist()) == [0.125, 0.25, 0.25]
    model = clone(MODELS["words"][0]).fit(TEXTS, BIRDS)
    assert "linnet & sings" in {name.replace("word:", "") for name, *_ in
                                model.explain(TEXTS[0]).by_feature()}  # fmt: skip
    assert "linnet & sings" in str(model.explain(TEXTS[0])).replace("word:", "")


@pytest.mark.parametrize("name", ["trees", "fourier", "landmarks"])
def test_features_without_names_are_not_explained(name: str) -> None:
    made, X, y = MODELS[name]
    with pytest.raises(RefusedError, match="features without names"):
        clone(made).fit(X, y).explain(X[:1])


def test_maps_by_name() -> None:
    assert map_named("tree_fragments size=3 of subset_tree decay=0.5").get_params() == {
        **TreeFragments(size=3).get_params(deep=False),
        **map_named("tree_fragments size=3 of subset_tree decay=0.5").get_params(),
    }
    own = Conjunctions(3)
    assert map_named(own) is own
    for wrong, message in (
        ("fragments", "map must be one of"),
        ("conjunctions width=2", "has no setting"),
        ("conjunctions of linear", "writes out no kernel"),
        ("nystroem kernel=linear", "a kernel comes last"),
        ("nystroem of cubic", "kernel must be one of"),
        (3, "map must be one of"),
    ):
        with pytest.raises(ValueError, match=message):
            map_named(wrong)


def test_settings_are_reached() -> None:
    grid = {"map": ["conjunctions degree=1", "conjunctions degree=2"], "classifier__C": [1e-3, 1e3]}
    model = linnet.MappedClassifier(classifier=linnet.LinearSVM())
    found = GridSearchCV(model, grid, cv=4).fit(CUBE, XOR)
    assert found.best_params_["map"] == "conjunctions degree=2"


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValueError, match="must be a LinearClassifier"):
        linnet.MappedClassifier(classifier=linnet.KernelSVM()).fit(CUBE, XOR)
    with pytest.raises(RefusedError, match="no effect"):
        linnet.MappedClassifier(MODELS["strings"][0].map, features=linnet.TextFeatures()).fit(
            TEXTS, BIRDS
        )
    with pytest.raises(RefusedError, match="writes out kernels of strings"):
        linnet.MappedClassifier("string_fragments of gaussian").fit(CUBE, XOR)
    with pytest.raises(DataError, match="stands outside of brackets"):
        linnet.MappedClassifier("tree_fragments").fit(TEXTS, BIRDS)
    with pytest.raises(ValueError, match="must be even"):
        linnet.MappedClassifier("random_fourier components=5").fit(CUBE, XOR)
    with pytest.raises(DataError, match="names"):
        clone(MODELS["texts"][0]).fit(TEXTS, BIRDS).inspect()


def test_what_would_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linnet.kernels.conjunctions.memory", lambda: 1e4)
    with pytest.raises(DataError, match="do not fit into memory"):
        Conjunctions(3).fit_transform(np.ones((20, 20)))


def test_a_map_of_the_users_is_not_saved(tmp_path: Path) -> None:
    class Doubled(Transformer):
        def transform(self, X: Any) -> Any:
            return 2 * np.asarray(X)

    model = linnet.MappedClassifier(Doubled()).fit(CUBE, CUBE[:, 0])
    assert model.score(CUBE, CUBE[:, 0]) == 1
    with pytest.raises(RefusedError, match="cannot be saved"):
        model.save(tmp_path / "model.linnet")


def test_maps_and_their_classifiers_are_tuned() -> None:
    """As by fitting each of them to a half and asking the other one."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, size=(120, 8)).astype(float)
    y = np.where((X[:, 0] != X[:, 1]) ^ (rng.random(120) < 0.1), "yes", "no")
    grid = {"map": ["conjunctions degree=2", "polynomial_map degree=1"], "C": [0.01, 10.0]}
    model = linnet.MappedClassifier(classifier=linnet.LinearSVM(tol=1e-6))
    found = linnet.tune(model, grid, X[:60], y[:60], dev=(X[60:], y[60:]))
    assert len(found.result.rows) == 4
    for row in found.result.rows:
        one = linnet.MappedClassifier(
            row.settings["map"], linnet.LinearSVM(C=row.settings["C"], tol=1e-6)
        )
        assert row.dev == pytest.approx(one.fit(X[:60], y[:60]).score(X[60:], y[60:]))
        assert row.train == pytest.approx(one.score(X[:60], y[:60]))
    assert found.estimator.map == found.best["map"] == "conjunctions degree=2"
    assert found.best["C"] == found.estimator.classifier.C
    assert found.estimator.fit(X, y).score(X, y) > 0.85
    nested = linnet.tune(model, {"classifier__C": [0.01, 10.0]}, X[:60], y[:60], dev=(X[60:], y[60:]))
    assert [row.dev for row in nested.result.rows] == [row.dev for row in found.result.rows[:2]]
    assert linnet.tune(model, None, X, y, folds=2).best.keys() == {"C"}
    with pytest.raises(RefusedError, match="Gram"):
        linnet.tune(linnet.MappedClassifier("nystroem of precomputed"), grid, X @ X.T, y)


def test_weights_count_where_settings_are_tried() -> None:
    """The examples that are wrong weigh nothing."""
    from linnet.estimators.kernels.trials import Weighed

    rng = np.random.default_rng(4)
    X = rng.integers(0, 2, size=(160, 6)).astype(float)
    right = np.where(X[:, 0] != X[:, 1], "yes", "no")
    wrong = np.where(X[:80, 0] != X[:80, 1], "no", "yes")
    X, y = np.vstack([X, X[:80]]), np.concatenate([right, wrong])
    weights = np.r_[np.ones(160), np.full(80, 1e-6)]
    dev = (X[:160], right)
    for model in (
        linnet.MappedClassifier(classifier=linnet.LinearSVM(C=100.0)),
        linnet.KernelSVM("polynomial degree=2", C=100.0),
    ):
        (row,) = linnet.tune(model, {"C": [100.0]}, Weighed(X, weights), y, dev=dev).result.rows
        assert row.dev == 1.0


def test_texts_and_trees_are_tuned() -> None:
    for maps, X, y in (
        (["conjunctions bits=12", "string_fragments of blended length=2"], TEXTS, BIRDS),
        (["tree_fragments size=2 of subset_tree"], TREES, OF_TREES),
    ):
        found = linnet.tune(linnet.MappedClassifier(), {"map": maps}, X, y, folds=3)
        assert len(found.result.rows) == len(maps)
        assert found.estimator.fit(X, y).score(X, y) == 1.0
