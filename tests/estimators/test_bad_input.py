"""Bad data and bad settings: an error that names the culprit, never a crash and never silence."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import linnet
from linnet import learners
from linnet.errors import DataError, DivergedError, RefusedError

RNG = np.random.default_rng(0)
X = RNG.random((20, 4))
Y = np.arange(20) % 2
Y3 = np.arange(20) % 3


def with_value(value: float) -> Any:
    data = X.copy()
    data[3, 1] = value
    return data


def damaged(indptr: list[int], indices: list[int], data: list[float], kind: Any = sp.csr_matrix) -> Any:
    matrix = kind((2, 3))
    matrix.indptr = np.array(indptr, dtype=np.int32)
    matrix.indices = np.array(indices, dtype=np.int32)
    matrix.data = np.array(data, dtype=float)
    return matrix


@pytest.mark.parametrize(
    ("data", "labels", "message"),
    [
        (with_value(np.nan), Y, "NaN"),
        (with_value(np.inf), Y, "infinity"),
        (sp.csr_matrix(with_value(np.nan)), Y, "NaN"),
        (sp.csr_matrix(with_value(-np.inf)), Y, "infinity"),
        (with_value(1e39), Y, "too large for float32"),
        (with_value(-1e300), Y, "too large for float32"),
        (sp.csr_matrix(with_value(1e39)), Y, "too large for float32"),
        (X, Y * 0, "y has one class only \\(0\\); a classifier needs two or more"),
        (X[:0], Y[:0], "0 sample"),
        (X[:, :0], Y, "0 feature"),
        (sp.csr_matrix((20, 0)), Y, "0 feature"),
        ([], [], "X is empty"),
        ([{}, {}], [0, 1], "no document has any feature"),
        (X, [0, "a"] * 10, "mixed type: y\\[0\\] is 0 but y\\[1\\] is 'a'"),
        (X, np.array([0, "a"] * 10, dtype=object), "mixed type"),
        (X, pd.Series([0, "a"] * 10), "mixed type"),
        (X, pd.Series([None, "a"] * 10, dtype=object), "y\\[0\\] is None; every row needs a label"),
        (X, [None, "a"] * 10, "y\\[0\\] is None; every row needs a label"),
        (X, np.where(Y == 0, np.nan, 1.0), "y contains NaN"),
        (X, Y + 0.5, "continuous"),
        (X, np.stack([Y, Y], axis=1), "1d array"),
        (X, None, "y"),
        (X, Y[:5], "\\[20, 5\\]"),
        ([{"a": 1}] * 3, [0, 1], "X has 3 rows but y has 2 labels"),
        (X[:, 0], Y, "2D array"),
        (X[:, :, None], Y, "dim 3"),
        (X + 1j, Y, "Complex"),
        (sp.csr_matrix(X + 1j), Y, "Complex"),
        (np.full((20, 2), "a", dtype=object), Y, "could not convert string"),
        (["some text", "more"], [0, 1], "list of strings.*turn texts into features.*TextClassifier"),
        ("some text", [0, 1], "single str"),
        ({"a": 1}, [0, 1], "single dict"),
        (iter([{"a": 1}, {"b": 1}]), [0, 1], "read only once; give a list"),
        (
            [{"a": None}, {"b": 1}],
            [0, 1],
            "document 0: feature 'a' has value None; use a finite number",
        ),
        ([{"a": 1}, {"b": np.nan}], [0, 1], "document 1: feature 'b' has value nan"),
        ([{"a": np.inf}, {"b": 1}], [0, 1], "document 0: feature 'a' has value inf"),
        ([{"a": [1]}, {"b": 1}], [0, 1], "feature 'a' has value \\[1\\]"),
        ([{"a": 1}, "abc"], [0, 1], "document 1 is 'abc'"),
        ([{"a": 1}, 3], [0, 1], "document 1 is 3"),
    ],
)
def test_bad_data(data: Any, labels: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        linnet.LinearClassifier().fit(data, labels)


@pytest.mark.parametrize(
    "matrix",
    [
        damaged([0, 1, 2], [0, 7], [1, 1]),
        damaged([0, 1, 2], [0, -7], [1, 1]),
        damaged([0, 1, 2], [0, 2**31 - 1], [1, 1]),
        damaged([0, 5, 2], [0, 1], [1, 1]),
        damaged([0, -3, 2], [0, 1], [1, 1]),
        damaged([0, 1, 9], [0, 1], [1, 1]),
        damaged([1, 1, 2], [0, 1], [1, 1]),
        damaged([0, 2], [0, 1], [1, 1]),
        damaged([0, 1, 2], [0, 1], [1]),
        damaged([0, 1, 2, 2], [0, 9], [1, 1], sp.csc_matrix),
        damaged([0, 9, 1, 2], [0, 1], [1, 1], sp.csc_matrix),
    ],
    ids=repr,
)
def test_damaged_sparse_matrices(matrix: Any) -> None:
    fitted = linnet.LinearClassifier().fit(np.eye(2, 3), [0, 1])
    with pytest.raises(ValueError, match=r"damaged sparse matrix|column index is outside"):
        linnet.LinearClassifier().fit(matrix, [0, 1])
    with pytest.raises(ValueError, match=r"damaged sparse matrix|column index is outside"):
        fitted.predict(matrix)


def test_damaged_coordinates() -> None:
    matrix = sp.coo_matrix(np.eye(2, 3))
    matrix.col = np.array([0, 2_000_000], dtype=np.int32)
    with pytest.raises(DataError, match="outside \\[0, 3\\)"):
        linnet.LinearClassifier().fit(matrix, [0, 1])


def test_too_many_columns() -> None:
    wide = sp.csr_matrix((np.ones(2), ([0, 1], [0, 2**31 + 5])), shape=(2, 2**31 + 10))
    with pytest.raises(ValueError, match="hash them into fewer"):
        linnet.LinearClassifier().fit(wide, [0, 1])


@pytest.mark.parametrize("model", [linnet.LogisticRegression(), linnet.MIRA(), linnet.NaiveBayes()])
def test_more_weights_than_memory(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linnet.learners.checks.memory", lambda: 2.0**30)
    wide = sp.csr_matrix((np.ones(3), ([0, 1, 2], [0, 1, 2**30])), shape=(3, 2**30 + 1))
    with pytest.raises(DataError, match=r"1073741825 features .* hash them into fewer"):
        model.fit(wide, [0, 1, 2])
    if hasattr(model, "partial_fit"):
        with pytest.raises(DataError, match="hash them into fewer"):
            model.partial_fit(wide, [0, 1, 2], classes=[0, 1, 2])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"loss": "hinges"}, "unknown loss 'hinges'; known are .*hinge"),
        ({"loss": None}, "unknown loss None"),
        ({"learner": "sdg"}, "unknown learner 'sdg'; known are .*sgd"),
        ({"learner": learners.SGD}, "unknown learner"),
        ({"penalty": "l3"}, "unknown penalty 'l3'; known are none, l1"),
        ({"learner": learners.SGD(step="slow")}, "step must be one of .*not 'slow'"),
        ({"learner": learners.SGD(eta0=-1)}, "step size must be positive"),
        ({"learner": "sgd", "C": 1e-3}, "would turn weights around; use a smaller step or a weaker"),
        ({"learner": learners.SGD(eta0="a")}, "SGD\\(eta0='a'\\): a setting"),
        *[({"C": c}, "C must be positive") for c in (0, -1, np.nan, "a", None)],
        *[({"alpha": a}, "alpha must be positive") for a in (0, -1, np.inf, "a")],
        *[({"max_iter": n}, "max_iter must be a whole number") for n in (0, -1, 1.5, "a")],
        *[({"tol": t}, "tol must be a number of 0 or more") for t in (-1, np.nan, "a", None)],
        *[({"margin": m}, "margin must be a number of 0 or more") for m in (-1, np.nan, "a")],
        *[({"n_jobs": n}, "n_jobs must be a whole number") for n in (0, 1.5, "a")],
        *[({"intercept_scaling": s}, "intercept_scaling must be") for s in (0, -1, np.inf, "a")],
        *[({"penalty": "elasticnet", "l1_ratio": r}, "l1_ratio must") for r in (-1, 2, "a", np.nan)],
        ({"class_weight": {"z": 1}}, "class_weight names 'z', which is not among the labels"),
        *[({"class_weight": {0: w}}, "class_weight of 0") for w in (-1, np.nan, np.inf, "a")],
        *[({"class_weight": w}, "class_weight must be None, 'balanced'") for w in ("bal", 3)],
        ({"random_state": "a"}, "'a' cannot be used to seed"),
        ({"calibration": "platt"}, "calibration must be None, 'sigmoid' or 'isotonic'"),
        *[({"early_stopping": True, "patience": p}, "patience must") for p in (0, 1.5)],
        *[({"early_stopping": True, "validation_fraction": f}, "validation_f") for f in (0, 1, "a")],
        ({"early_stopping": True, "dev_metric": "f2"}, "dev_metric must be .*not 'f2'"),
        ({"C": np.inf}, "C = inf asks for a hard margin, which newton does not have"),
        ({"C": np.inf, "learner": "dual"}, "for hinge losses"),
        ({"C": np.inf, "learner": "pegasos", "loss": "hinge"}, "pegasos does not have"),
        ({"learner": "dual", "loss": "hinge", "margin": 2.0}, "dual asks for a margin of 1"),
        (
            {"learner": "coordinate", "loss": "squared_hinge", "penalty": "l1", "margin": 2.0},
            "coordinate asks for a margin",
        ),
        ({"margin": 2.0}, "margin=2.0 has no effect: loss 'logistic'"),
        ({"C": 2.0, "penalty": "none"}, "C=2.0 has no effect"),
        ({"alpha": 2.0, "penalty": "none"}, "alpha=2.0 has no effect"),
        ({"l1_ratio": 0.1}, "l1_ratio=0.1 has no effect"),
        ({"multiclass": "some"}, "multiclass must be one of 'auto', 'joint', 'rest', 'pairs'"),
        (
            {"learner": "coordinate", "penalty": "elasticnet", "l1_ratio": 0},
            "l1_ratio=0 leaves no L1 to make zeros; use penalty='l2'",
        ),
    ],
    ids=repr,
)
def test_bad_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        linnet.LinearClassifier(**settings).fit(X, Y)


@pytest.mark.parametrize(
    ("estimator", "data", "message"),
    [
        (linnet.NaiveBayes(), -X, "Negative values.*use non-negative counts"),
        (linnet.NaiveBayes("normal"), X, "variant must be one of multinomial"),
        (linnet.NaiveBayes(prior="flat"), X, "prior must be"),
        *[
            (linnet.NaiveBayes(smoothing=s), X, "smoothing must be 0 or more")
            for s in (-1, np.nan, "a")
        ],
        (linnet.NaiveBayes("bernoulli", smoothing=0), X, "needs smoothing > 0"),
        (
            linnet.LinearClassifier("joint_likelihood", "counting", "none"),
            with_value(-0.1),
            "feature 1 of row 3 is negative; use non-negative counts",
        ),
        (linnet.Winnow("positive"), -X, "feature 0 of row 0 is -0.6.*; use balanced Winnow"),
        (linnet.Winnow("neutral"), X, "variant must be one of positive"),
        (linnet.Winnow(promotion=0.5), X, "factors above 1"),
        (linnet.Winnow(threshold=2.0), X, "balanced Winnow has no threshold"),
        (linnet.Winnow("winnow1", demotion=2.0), X, "winnow1 demotes to zero"),
        (linnet.MIRA(learner="sgd"), X, "MIRA is the learner 'mira'.*LinearClassifier\\(learner='sgd'"),
        (
            linnet.LinearClassifier("perceptron", "elimination", "none"),
            X,
            "features that are 0 or 1.*; use Winnow",
        ),
        (linnet.LinearClassifier(learner="gis"), -X, "not negative: use L-BFGS"),
        (linnet.PassiveAggressive(variant="III"), X, "variant must be 'I' or 'II'"),
        (linnet.PassiveAggressive(C=-1), X, "C must be positive"),
        (linnet.AROW(r=0), X, "r must be positive"),
        (linnet.MIRA(constraints="some"), X, "constraints must be 'all' or 'best'"),
        (linnet.LinearSVM(C=np.inf), X[:, :1], "no hyperplane separates the data; use a finite C"),
    ],
    ids=repr,
)
def test_presets_refuse_what_they_cannot_use(estimator: Any, data: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        estimator.fit(data, Y)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (-np.ones(20), "Negative values in data passed to `sample_weight`"),
        (np.ones(3), "sample_weight.shape == \\(3,\\), expected \\(20,\\)"),
        (np.full(20, np.nan), "sample_weight contains NaN"),
        (np.full(20, np.inf), "sample_weight contains infinity"),
        (np.zeros(20), "Sample weights must contain at least one non-zero"),
        (["a"] * 20, "could not convert string"),
    ],
)
def test_bad_sample_weights(weights: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        linnet.LinearClassifier().fit(X, Y, sample_weight=weights)
    with pytest.raises(ValueError, match="sample_weight needs one non-negative number"):
        linnet.Reranker().fit([[["a"], ["b"]]] * 20, Y, sample_weight=weights)


@pytest.mark.parametrize(
    ("dev", "message"),
    [
        (3, "dev must be a pair"),
        ((X[:, :2], Y), "X has 2 features"),
        ((X, Y[:3]), "dev has 20 rows and 3 labels"),
        ((X, Y3), "labels never seen in training: \\[2\\]"),
    ],
)
def test_bad_dev_data(dev: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        linnet.LinearClassifier().fit(X, Y, dev=dev)


def test_before_fitting() -> None:
    model = linnet.LinearClassifier()
    with pytest.raises(ValueError, match=r"not fitted yet\. Call 'fit' first"):
        model.predict(X)
    with pytest.raises(AttributeError, match="no coef_ before it is fitted"):
        _ = model.coef_
    with pytest.raises(ValueError, match="not fitted yet"):
        linnet.Reranker().predict([[["a"]]])


def test_data_of_another_kind_at_prediction() -> None:
    on_matrix = linnet.LinearClassifier().fit(X, Y)
    with pytest.raises(ValueError, match="X has 2 features, but LinearClassifier is expecting 4"):
        on_matrix.predict(X[:, :2])
    with pytest.raises(DataError, match="trained on a matrix without names"):
        on_matrix.predict([{"a": 1}])
    assert on_matrix.predict(X).shape == (20,)  # it has forgotten nothing
    named = linnet.LinearClassifier().fit([{"a": 1}, {"b": 1}], [0, 1])
    with pytest.raises(DataError, match="document 0 is 'a'"):
        named.predict(["a"])
    with pytest.raises(DataError, match="feature 'a' has value inf"):
        named.predict([{"a": np.inf}])
    assert named.predict([]).shape == (0,)
    assert named.predict([{"never seen": 1}, []]).shape == (2,)


@pytest.mark.parametrize(
    ("instances", "gold", "message"),
    [
        ([], [], "X is empty"),
        ([[]], [0], "instance 0 is \\[\\]; it needs a list of one or more candidates"),
        (["ab"], [0], "instance 0 is 'ab'"),
        ([3], [0], "instance 0 is 3"),
        ([[["a"], ["b"]]], [2], "y\\[0\\] is 2, but instance 0 has candidates 0 to 1"),
        ([[["a"], ["b"]]], [-1], "y\\[0\\] is -1"),
        ([[["a"], ["b"]]], [0.5], "one candidate index \\(a whole number\\)"),
        ([[["a"], ["b"]]], [0, 1], "for each of 1 instances"),
        ([[["a"], ["b"]]], None, "one candidate index"),
        ([[{"a": np.nan}, {"b": 1}]], [0], "feature 'a' has value nan"),
        ([[{"a": None}, {"b": 1}]], [0], "feature 'a' has value None"),
        ([["ab", "c"]], [0], "document 0 is 'ab'"),
        ([[[], []]], [0], "no candidate has any feature"),
    ],
)
def test_bad_candidates(instances: Any, gold: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        linnet.Reranker().fit(instances, gold)


@pytest.mark.parametrize(
    ("features", "labels", "message"),
    [
        (None, ["x", "y"], "features must be a function"),
        (lambda x, y: [x + y], ["x", "x"], "one class only; name more in labels="),
        (lambda *_: None, ["x", "y"], "document 0 is None"),
        (lambda x, y: x + y, ["x", "y"], "document 0 is 'ax'"),
        (lambda x, _: [x], ["x", 1], "mixed type"),
        (lambda x, y: [x + y], ["x", "y", "y"], "for each of 2 instances"),
    ],
)
def test_bad_joint_features(features: Any, labels: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        linnet.JointClassifier(features).fit(["a", "b"], labels)


def test_refused_without_probabilities() -> None:
    model = linnet.LinearSVM().fit(X, Y)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match="margins, not probabilities; set calibration="):
        model.predict_proba(X)


def test_watching_held_out_data_needs_joint_scores() -> None:
    with pytest.raises(RefusedError, match="coordinate trains one label against the rest"):
        linnet.LinearClassifier(penalty="l1").fit(X, Y3, dev=(X, Y3))


def test_divergence_is_no_model() -> None:
    learner = learners.SGD(step="constant", eta0=10.0)
    model = linnet.LinearClassifier("squared_hinge", learner)
    with pytest.raises(DivergedError, match=r"sgd diverged.*use a smaller step"):
        model.fit(10 * X, Y)
    with pytest.raises(DivergedError, match="sgd diverged"):
        model.partial_fit(np.tile(10 * X, (20, 1)), np.tile(Y, 20), classes=[0, 1])


def test_instances_without_weight_do_not_count() -> None:
    hard = linnet.LinearSVM(C=np.inf)
    hard.fit([[1.0], [-1], [2]], [1, 0, 0], sample_weight=[1, 1, 0])  # the third is in the way
    assert hard.predict([[1.0], [-1]]).tolist() == [1, 0]


def test_calibration_needs_two_of_each() -> None:
    with pytest.raises(ValueError, match="at least two instances of every class"):
        linnet.LinearSVM(calibration="sigmoid").fit(X[:3], [0, 1, 1])


def test_labels_to_score_by() -> None:
    model = linnet.LinearClassifier().fit(X, Y)
    with pytest.warns(UserWarning, match="column-vector"):
        assert model.score(X, Y[:, None]) == model.score(X, Y)
    with pytest.raises(DataError, match="X has 20 rows but y has 5 labels"):
        model.score(X, Y[:5])


def test_numbers_and_booleans_in_arrays_of_objects() -> None:
    for labels in (Y, Y > 0):
        model = linnet.LinearClassifier().fit(X, labels.astype(object))
        assert model.classes_.dtype == labels.dtype
        np.testing.assert_array_equal(model.coef_, linnet.LinearClassifier().fit(X, labels).coef_)


def test_values_that_no_product_can_hold() -> None:
    """Winnow multiplies weights by powers of its factors."""
    large = np.array([[1e15, 1.0], [1.0, 1e15], [1.0, 1.0], [2.0, 1.0]])
    with pytest.raises(ValueError, match=r"row 1: a value of 1e\+15.* scale the values to about 1"):
        linnet.Winnow().fit(large, [0, 1, 0, 1])


def test_penalties_beyond_the_range_of_numbers() -> None:
    weights = np.full(20, 1e-200)
    with pytest.raises(ValueError, match=r"C = 1e-200.*beyond the range of numbers"):
        linnet.LogisticRegression(C=1e-200).fit(X, Y, sample_weight=weights)


def test_weights_beyond_single_precision_have_diverged() -> None:
    """Models keep them in single precision, where they would be infinite."""
    with pytest.raises(DivergedError, match="infinite or NaN"):
        linnet.Perceptron().fit(X, Y, sample_weight=np.where(Y, 1e39, 1.0))
