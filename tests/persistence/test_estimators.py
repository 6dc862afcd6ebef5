"""Linear classifiers as model files: what is loaded is what was saved."""

import contextlib
import copy
import json
import pickle
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import linnet
from linnet.errors import RefusedError
from linnet.persistence import ModelFileError, read, write

from .. import processes

RNG = np.random.default_rng(0)
X = np.abs(RNG.normal(size=(60, 7)))
Y2, Y3 = RNG.integers(0, 2, 60), RNG.integers(0, 3, 60)

KEPT_SCORES = [-0.9999934509396553, 1.0000027939677238, 0.06666957587003708]
KEPT_PROBABILITIES = [0.25287286617398586, 0.8875815685109019, 0.6448429691501858]

ESTIMATORS = [
    linnet.AROW(r=0.5),
    linnet.MIRA(constraints="best"),
    linnet.LinearClassifier(learner=linnet.learners.SGD(step="inverse", eta0=2.0), alpha=0.01),
    linnet.LinearClassifier("squared_hinge", C=0.25, class_weight="balanced", penalty="l1"),
    linnet.LinearSVM(calibration="sigmoid"),
    linnet.LinearSVM(calibration="isotonic", loss="squared_hinge"),
    linnet.LogisticRegression(C=3, fit_intercept=False),
    linnet.MaxEnt(intercept_scaling=2.0),
    linnet.NaiveBayes(variant="complement", smoothing=0.5),
    linnet.NaiveBayes(variant="bernoulli"),
    linnet.NaiveBayes(smoothing=0.0),
    linnet.PassiveAggressive(variant="II"),
    linnet.Perceptron(average=False),
    linnet.VotedPerceptron(),
    linnet.Winnow(promotion=1.5),
    linnet.LinearClassifier("hinge", "pa", "none", C=float("inf")),
]


def stored(model: linnet.LinearClassifier, path: Path, **how: object) -> linnet.LinearClassifier:
    model.save(path, **how)
    return linnet.load(path)


def assert_same(found: linnet.LinearClassifier, model: linnet.LinearClassifier) -> None:
    assert type(found) is type(model)
    assert repr(found) == repr(model)
    assert found.classes_.tolist() == model.classes_.tolist()
    assert [type(c) for c in found.classes_.tolist()] == [type(c) for c in model.classes_.tolist()]
    assert found.classes_.dtype.kind == model.classes_.dtype.kind
    np.testing.assert_array_equal(found.coef_, model.coef_)
    np.testing.assert_array_equal(found.intercept_, model.intercept_)
    assert found.n_iter_ == model.n_iter_
    told, expected = (without_times(m.record_.as_dict()) for m in (found, model))
    assert json.dumps(told, sort_keys=True) == json.dumps(expected, sort_keys=True)


def without_times(record: dict) -> dict:
    return record | {"epochs": [epoch | {"seconds": None} for epoch in record["epochs"]]}


@pytest.mark.filterwarnings("ignore::linnet.errors.TrainingWarning")
@pytest.mark.parametrize("y", [Y2, Y3], ids=["two labels", "three"])
@pytest.mark.parametrize("model", ESTIMATORS, ids=repr)
def test_every_estimator(tmp_path: Path, model: linnet.LinearClassifier, y: np.ndarray) -> None:
    model.fit(X, y)
    found = stored(model, tmp_path / "m.linnet")
    assert_same(found, model)
    np.testing.assert_array_equal(found.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(found.predict(X), model.predict(X))
    assert hasattr(found, "predict_proba") == hasattr(model, "predict_proba")
    if hasattr(model, "predict_proba"):
        np.testing.assert_array_equal(found.predict_proba(X), model.predict_proba(X))
    for again in (
        copy.deepcopy(found),
        pickle.loads(pickle.dumps(found)),
        stored(found, tmp_path / "n"),
    ):
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert (tmp_path / "m.linnet").read_bytes() == (tmp_path / "n").read_bytes()


@pytest.mark.parametrize(
    "labels",
    [
        ["linnet", "wren"],
        ["a", "Zaunkönig", "鷦鷯", ""],
        [False, True],
        [-5, 3, 2**40],
        [0.5, 1.5, 1e300],
        np.array([1, 2], dtype=np.int8),
        np.array(["x", "y"], dtype=object),
        np.array([1, 2.5, True], dtype=object),
    ],
    ids=str,
)
def test_labels_keep_their_types(tmp_path: Path, labels: object) -> None:
    model = linnet.Perceptron().fit(X, np.arange(60) % len(labels))
    model.classes_ = np.asarray(labels)
    found = stored(model, tmp_path / "m")
    assert_same(found, model)
    assert found.classes_.dtype == model.classes_.dtype
    assert found.predict(X).tolist() == model.predict(X).tolist()


def test_labels_that_cannot_be_saved(tmp_path: Path) -> None:
    model = linnet.Perceptron().fit(X, Y2)
    model.classes_ = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]")
    with pytest.raises(TypeError, match="use strings or numbers"):
        model.save(tmp_path / "m")


def test_named_features(tmp_path: Path) -> None:
    documents = [{"rot": 1, "größe": "klein"}, {"鳥": 2.0}, ["rot", ""], {"\ud800": 1}]
    model = linnet.LogisticRegression().fit(documents, ["a", "b", "a", "b"])
    found = stored(model, tmp_path / "m")
    assert "ids" not in vars(found.vocabulary_)  # not read before it is used
    assert len(found.vocabulary_) == 5
    assert found.vocabulary_.names == model.vocabulary_.names
    assert_same(found, model)
    np.testing.assert_array_equal(found.predict_proba(documents), model.predict_proba(documents))
    assert pickle.loads(pickle.dumps(found)).vocabulary_.names == model.vocabulary_.names


def test_columns_of_a_frame(tmp_path: Path) -> None:
    frame = pd.DataFrame(X, columns=list("abcdefg"))
    model = linnet.LinearSVM().fit(frame, Y2)
    found = stored(model, tmp_path / "m")
    assert found.get_feature_names_out().tolist() == list("abcdefg")
    assert found.predict(frame).tolist() == model.predict(frame).tolist()
    with pytest.raises(ValueError, match="feature names"):
        found.predict(frame.rename(columns={"a": "z"}))


def test_training_goes_on_after_loading(tmp_path: Path) -> None:
    batch = [{"a": 1, "b": 1}, {"c": 1}], ["x", "y"]
    model = linnet.PassiveAggressive(average=False).partial_fit(*batch)
    found = stored(model, tmp_path / "m")
    more = [{"d": 1}, {"a": 1, "e": 1}], ["z", "x"]
    found.partial_fit(*more)
    pickle.loads(pickle.dumps(model)).partial_fit(*more)
    assert found.classes_.tolist() == ["x", "y", "z"]
    assert found.vocabulary_.names == list("abcde")
    again = stored(found, tmp_path / "m")  # onto the file it is mapped from
    assert_same(again, found)
    warm = linnet.LogisticRegression(warm_start=True, learner="lbfgs").fit(X, Y3)
    refitted = stored(warm, tmp_path / "w").fit(X, Y3)
    np.testing.assert_array_equal(refitted.coef_, warm.fit(X, Y3).coef_)


def test_weights_are_mapped_and_can_be_cast(tmp_path: Path) -> None:
    model = linnet.LogisticRegression().fit(X, Y3)
    assert model.coef_.dtype == np.float64
    found = stored(model, tmp_path / "m")
    assert not found.model_.weights.flags.writeable
    assert not found.model_.weights.flags.owndata
    cast = stored(model, tmp_path / "m", dtype=np.float32)
    assert cast.coef_.dtype == np.float32
    np.testing.assert_array_equal(cast.coef_, model.coef_.astype(np.float32))
    with pytest.raises(ValueError, match="dtype must be"):
        model.save(tmp_path / "m", dtype="float16")


def test_a_row_of_another_padding_is_read(tmp_path: Path) -> None:
    model = linnet.LogisticRegression().fit(X, Y3)
    model.save(tmp_path / "m")
    file = read(tmp_path / "m")
    tight = {**file.tensors, "weights": np.ascontiguousarray(file.tensors["weights"][:, :3])}
    wide = {**file.tensors, "weights": np.pad(file.tensors["weights"], ((0, 0), (0, 5)))}
    for tensors in (tight, wide):
        write(tmp_path / "n", file.spec, tensors)
        np.testing.assert_array_equal(
            linnet.load(tmp_path / "n").decision_function(X), model.decision_function(X)
        )


def test_settings_that_cannot_be_saved(tmp_path: Path) -> None:
    model = linnet.LogisticRegression(dev_metric=max).fit(X, Y2)
    with pytest.raises(TypeError, match=r"dev_metric is .* cannot hold"):
        model.save(tmp_path / "m")
    model = linnet.LogisticRegression(random_state=np.random.RandomState(0)).fit(X, Y2)
    with pytest.raises(TypeError, match="random_state"):
        model.save(tmp_path / "m")
    model = linnet.LogisticRegression(class_weight={0: 1.0, 1: np.float32(2)}, C=np.float64(2)).fit(
        X, Y2
    )
    assert stored(model, tmp_path / "m").class_weight == {0: 1.0, 1: 2.0}


def test_what_cannot_be_saved(tmp_path: Path) -> None:
    from sklearn.exceptions import NotFittedError

    class Mine(linnet.LinearClassifier):
        pass

    with pytest.raises(RefusedError, match="Mine cannot be saved"):
        Mine().fit(X, Y2).save(tmp_path / "m")
    with pytest.raises(NotFittedError):
        linnet.LinearSVM().save(tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


def test_loading_needs_neither_scipy_nor_sklearn(tmp_path: Path) -> None:
    linnet.LinearSVM().fit(sparse.csr_matrix(X), Y2).save(tmp_path / "m")
    code = (
        "import sys, linnet; linnet.load(sys.argv[1]);"
        "print([m for m in ('sklearn', 'scipy', 'safetensors', 'pandas') if m in sys.modules])"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "m")]
    assert processes.run(command, capture_output=True, text=True, check=True).stdout == "[]\n"


def test_the_kept_file_of_format_1_is_read() -> None:
    """Written by version 0.1.0: a support vector machine on a few documents of named features."""
    model = linnet.load(Path(__file__).parent / "data" / "linear-classifier-1.linnet")
    assert repr(model) == "LinearSVM(C=2.0, calibration='sigmoid', class_weight={'wren': 2.0})"
    assert model.classes_.tolist() == ["linnet", "wren"]
    assert model.vocabulary_.names == ["red forehead", "gorse", "tiny", "Efeu", "tail=cocked"]
    documents = [{"red forehead": 1, "gorse": 0.5}, {"tiny": 1, "tail": "cocked"}, {"new": 1}]
    assert model.predict(documents).tolist() == ["linnet", "wren", "wren"]
    np.testing.assert_allclose(model.decision_function(documents), KEPT_SCORES, rtol=1e-6)
    np.testing.assert_allclose(model.predict_proba(documents)[:, 1], KEPT_PROBABILITIES, rtol=1e-6)
    assert model.record_.loss == "hinge"


def test_unknown_kinds(tmp_path: Path) -> None:
    write(tmp_path / "m", {"kind": "oracle"}, {})
    with pytest.raises(ModelFileError, match="no kind of model 'oracle'"):
        linnet.load(tmp_path / "m")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Small models that between them have every part."""
    root = tmp_path_factory.mktemp("files")
    documents = [["a", "b"], ["b", "c"], ["c"], ["a"], ["b"], ["c", "c"]]
    models = [
        linnet.LinearSVM(calibration="isotonic"),
        linnet.LinearClassifier(calibration="sigmoid", learner=linnet.learners.SGD()),
        linnet.VotedPerceptron(),
    ]
    for i, model in enumerate(models):
        model.fit(documents, ["x", "y", "z", "x", "y", "z"]).save(root / str(i))
    return sorted(root.iterdir())


def use(path: Path) -> None:
    """Loads, or says which file is damaged; what is loaded can be used, or says what is wrong."""
    try:
        model = linnet.load(path)
    except ModelFileError as e:
        assert str(path) in str(e)  # noqa: PT017
        return
    with contextlib.suppress(ValueError):  # for instance: it expects a matrix
        model.predict([["a", "c"], []])
        if hasattr(model, "predict_proba"):
            model.predict_proba([["a", "c"]])
        _ = model.coef_, model.get_feature_names_out(), model.record_.gap
    assert repr(model)


@pytest.mark.parametrize("which", range(3))
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_changed_specification(
    files: list[Path], tmp_path_factory: pytest.TempPathFactory, which: int, data: st.DataObject
) -> None:
    file = read(files[which])
    spec, tensors = json.loads(json.dumps(file.spec)), dict(file.tensors)
    place, key = spec, data.draw(st.sampled_from(sorted(spec)))
    while isinstance(place[key], dict) and place[key] and data.draw(st.booleans()):
        place = place[key]
        key = data.draw(st.sampled_from(sorted(place)))
    junk = st.sampled_from(
        [None, -1, 0, 1, 2, 10**9, "", "x", [], {}, [[]], {"$float": "nan"}, True, 0.5]
    )
    if data.draw(st.booleans()):
        place[key] = data.draw(junk)
    else:
        del place[key]
    if "kind" not in spec or not isinstance(spec["kind"], str):
        return
    path = tmp_path_factory.getbasetemp() / "changed"
    write(path, spec, tensors)
    use(path)


@pytest.mark.parametrize("which", range(3))
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_changed_tensors(
    files: list[Path], tmp_path_factory: pytest.TempPathFactory, which: int, data: st.DataObject
) -> None:
    file = read(files[which])
    tensors = dict(file.tensors)
    name = data.draw(st.sampled_from(sorted(tensors)))
    old = tensors[name]
    changes = {
        "gone": None,
        "shorter": old[:-1],
        "longer": np.concatenate([old, old]),
        "empty": old[:0],
        "flat": old.reshape(-1),
        "deep": old[None],
        "float": old.astype(np.float64),
        "bytes": old.astype(np.uint8),
        "negative": (-old.astype(np.int64) - 1).astype(old.dtype),
        "large": np.full_like(old, np.iinfo(old.dtype).max if old.dtype.kind in "iu" else np.inf),
    }
    change = data.draw(st.sampled_from(sorted(changes)))
    if changes[change] is None:
        del tensors[name]
    else:
        tensors[name] = changes[change]
    path = tmp_path_factory.getbasetemp() / "tensors"
    write(path, file.spec, tensors)
    with np.errstate(all="ignore"):
        use(path)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("params", "loss"), "no such"),
        (("params", "learner"), "no such"),
        (("params", "penalty"), ["l2"]),
        (("params", "multiclass"), [[]]),
        (("record", "data"), 5),
        (("record", "data"), {"zero_based": [1]}),
        (("record", "penalty"), 3),
        (("record", "epochs"), [{"epoch": "one"}]),
    ],
    ids=str,
)
def test_settings_and_records_that_none_wrote(
    tmp_path: Path, place: tuple[str, str], value: object
) -> None:
    path = tmp_path / "m"
    linnet.LogisticRegression().fit(X, Y3).save(path)
    file = read(path)
    spec = copy.deepcopy(file.spec)
    spec[place[0]][place[1]] = value
    write(path, spec, dict(file.tensors))
    with pytest.raises(ModelFileError, match=str(path)):
        linnet.load(path)
