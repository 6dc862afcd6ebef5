"""What a text classifier takes in, and what it refuses by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import linnet
from linnet import TextClassifier
from linnet.data import Examples, LabelColumn, as_texts
from linnet.errors import DataError, RefusedError
from linnet.features import TextFeatures

from ...birds import BIRDS, SEVERAL, TEXTS, TWO_BIRDS, TWO_TEXTS

WORDS = TextFeatures(word=(1, 1))


def containers() -> dict[str, Callable[[], tuple[object, object]]]:
    return {
        "tuple": lambda: (tuple(TEXTS), tuple(BIRDS)),
        "iterator": lambda: (iter(TEXTS), iter(BIRDS)),
        "bytes": lambda: ([text.encode() for text in TEXTS], BIRDS),
        "NumPy": lambda: (np.array(TEXTS), np.array(BIRDS)),
        "NumPy objects": lambda: (np.array(TEXTS, dtype=object), np.array(BIRDS, dtype=object)),
        "examples": lambda: (
            Examples(texts=as_texts(TEXTS), labels=LabelColumn.from_values(BIRDS)),
            None,
        ),
        "dict": lambda: ({"text": TEXTS}, BIRDS),
    }


@pytest.fixture(scope="module")
def expected() -> np.ndarray:
    return TextClassifier(WORDS).fit(TEXTS, BIRDS).decision_function(TEXTS)


@pytest.mark.parametrize("name", containers())
def test_containers(name: str, expected: np.ndarray) -> None:
    X, y = containers()[name]()
    model = TextClassifier(WORDS).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(TEXTS), expected)
    assert model.classes_.tolist() == sorted(set(BIRDS))
    X, y = containers()[name]()
    np.testing.assert_array_equal(model.decision_function(X), expected)
    X, y = containers()[name]()
    assert model.score(X, y) == 1.0


@pytest.mark.parametrize("library", ["pandas", "pyarrow", "polars"])
def test_containers_of_other_libraries(library: str, expected: np.ndarray) -> None:
    made = pytest.importorskip(library)
    if library == "pyarrow":
        X, y = made.chunked_array([TEXTS[:50], TEXTS[50:]]), made.array(BIRDS)
        table = made.table({"text": TEXTS, "bird": BIRDS})
    else:
        X, y = made.Series(TEXTS), made.Series(BIRDS)
        table = made.DataFrame({"text": TEXTS, "bird": BIRDS})
    for source in (X, table):
        model = TextClassifier(WORDS).fit(source, y)
        np.testing.assert_array_equal(model.decision_function(source), expected)
        assert model.predict(source).tolist() == BIRDS
        assert model.score(source, y) == 1.0
    several = [tuple(sorted(labels)) for labels in SEVERAL]
    lists = made.array(SEVERAL) if library == "pyarrow" else made.Series(SEVERAL)
    assert TextClassifier(WORDS, C=1e4).fit(TEXTS, lists).predict(TEXTS) == several


@pytest.mark.parametrize("path", [str, Path])
def test_paths(path: type, tmp_path: Path, expected: np.ndarray) -> None:
    lines = [f"{bird}\t{text}\n" for text, bird in zip(TEXTS, BIRDS, strict=True)]
    file = path(tmp_path / "birds.tsv")
    (tmp_path / "birds.tsv").write_text("".join(lines), encoding="utf-8")
    model = TextClassifier(WORDS).fit(file)
    np.testing.assert_array_equal(model.decision_function(file), expected)
    assert model.score(file) == 1.0
    model.save(path(tmp_path / "birds.linnet"))
    loaded = linnet.load(path(tmp_path / "birds.linnet"))
    assert loaded.predict(file).tolist() == BIRDS


def test_a_model_with_columns_says_what_to_pass() -> None:
    table = {"text": ["a small bird", "a large bird"], "size": [1, 9], "place": ["shed", "barn"]}
    model = TextClassifier(numeric=["size"], categorical=["place"]).fit(table, ["wren", "owl"])
    asked = r"give a table as X, .* \{'text': \[…\], 'size': \[…\], 'place': \[…\]\}"
    for method in (model.predict, model.predict_proba, model.decision_function):
        with pytest.raises(DataError, match=r"no column 'size', .* X has texts alone; " + asked):
            method(["x"])
    with pytest.raises(DataError, match=r"no column 'place', .* X has the columns .*; " + asked):
        model.predict({"text": ["x"], "size": [1]})
    with pytest.raises(DataError, match=asked):
        TextClassifier(numeric=["size"], categorical=["place"]).fit(table["text"], ["wren", "owl"])
    assert model.predict({"text": ["x"], "size": [9], "place": ["barn"]}).tolist() == ["owl"]


@pytest.mark.parametrize(
    ("labels", "kind"),
    [([3, 7], "i"), ([True, False], "b"), (["ja", "nein"], "U"), ([0.0, 1.0], "f")],
    ids=["int", "bool", "str", "float"],
)
def test_labels_keep_their_type(labels: list, kind: str) -> None:
    y = [labels[bird == "linnet"] for bird in TWO_BIRDS]
    model = TextClassifier(WORDS).fit(TWO_TEXTS, y)
    found = model.predict(TWO_TEXTS)
    assert found.dtype.kind == model.classes_.dtype.kind == kind
    assert found.tolist() == y
    unsure = TextClassifier(WORDS, thresholds=1.0, unsure=None).fit(TWO_TEXTS, y).predict(["?!"])
    assert unsure.tolist() == [None]


def test_iterators_are_read_once_and_empty_predictions_are_empty() -> None:
    model = TextClassifier(WORDS).fit(iter(TEXTS), iter(BIRDS))
    assert model.predict([]).shape == (0,)
    assert model.predict_proba([]).shape == (0, 6)
    assert model.decision_function([]).shape == (0, 6)


T, B = TEXTS[:30], BIRDS[:30]
FITS: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "single string": (lambda: TextClassifier().fit("a text", ["a"]), DataError, "X is a single text"),
    "None": (
        lambda: TextClassifier(missing="error").fit(["a", None], ["a", "b"]),
        DataError,
        r"X\[1\] is missing",
    ),
    "a number": (lambda: TextClassifier().fit([1, 2], ["a", "b"]), DataError, "X: text 0 .*int"),
    "a matrix": (lambda: TextClassifier().fit(np.eye(2), ["a", "b"]), DataError, "X has 2 dimensions"),
    "lengths": (lambda: TextClassifier().fit(T, B[:-1]), DataError, "X has 30 texts but y .* 29"),
    "one class": (lambda: TextClassifier().fit(["a", "b"], ["x", "x"]), DataError, "y has one class"),
    "empty": (lambda: TextClassifier().fit([], []), DataError, "X is empty"),
    "spaces": (lambda: TextClassifier().fit([" ", "\n"], ["a", "b"]), DataError, "X: no text has any"),
    "spaces, hashed": (
        lambda: TextClassifier(TextFeatures(hash_bits=8)).fit([" ", "\n"], ["a", "b"]),
        DataError,
        "X: no text has any",
    ),
    "rare": (
        lambda: TextClassifier(TextFeatures(min_df=9)).fit(["a", "b"], ["a", "b"]),
        DataError,
        "features= leave everything out",
    ),
    "no y": (lambda: TextClassifier().fit(T), DataError, "y is missing"),
    "y a string": (lambda: TextClassifier().fit(["a", "b"], "ab"), DataError, "y must be a list"),
    "y a number": (lambda: TextClassifier().fit(["a", "b"], 2), DataError, "y must be a list"),
    "y a table": (lambda: TextClassifier().fit(["a", "b"], 2 * np.eye(2)), DataError, "y is a table"),
    "y a cube": (lambda: TextClassifier().fit(["a"], np.eye(2)[None]), DataError, "y has 3 dimensions"),
    "y all zeros": (lambda: TextClassifier().fit(["a"], np.zeros((1, 3))), DataError, "no labels"),
    "NaN label": (
        lambda: TextClassifier(missing="error").fit(["a", "b"], [1.0, float("nan")]),
        DataError,
        r"y\[1\] is missing",
    ),
    "NaN among strings": (
        lambda: TextClassifier(missing="error").fit(
            ["a", "b"], np.array(["x", float("nan")], dtype=object)
        ),
        DataError,
        r"y\[1\] is missing",
    ),
    "None label": (
        lambda: TextClassifier(missing="error").fit(["a", "b"], ["x", None]),
        DataError,
        r"y\[1\] is missing",
    ),
    "mixed labels": (lambda: TextClassifier().fit(["a", "b"], ["x", 1]), DataError, "mixed type"),
    "mixed lists": (lambda: TextClassifier().fit(["a", "b"], [["x", 1], []]), DataError, "mixed type"),
    "list and label": (lambda: TextClassifier().fit(["a", "b"], [["x"], "x"]), DataError, r"y\[1\]"),
    "label and list": (lambda: TextClassifier().fit(["a", "b"], ["x", ["x"]]), DataError, r"y\[0\]"),
    "None in a list": (lambda: TextClassifier().fit(["a", "b"], [["x"], [None]]), DataError, r"y\[1\]"),
    "no labels at all": (lambda: TextClassifier().fit(["a", "b"], [[], []]), DataError, "no labels"),
    "weights differ": (
        lambda: TextClassifier().fit(T, B, sample_weight=[1, 2]),
        DataError,
        "sample_weight must be 30",
    ),
    "negative weights": (
        lambda: TextClassifier().fit(T, B, sample_weight=-np.ones(30)),
        DataError,
        "sample_weight",
    ),
    "weights that are not": (
        lambda: TextClassifier().fit(T, B, sample_weight=["x"] * 30),
        DataError,
        "sample_weight",
    ),
    "NaN weights": (
        lambda: TextClassifier().fit(T, B, sample_weight=[float("nan")] * 30),
        DataError,
        "sample_weight",
    ),
    "zero weights": (
        lambda: TextClassifier().fit(T, B, sample_weight=np.zeros(30)),
        DataError,
        "sample_weight: all weights are zero",
    ),
    "features": (lambda: TextClassifier("nonsense").fit(T, B), ValueError, "features must be 'auto'"),
    "no features": (lambda: TextClassifier(5).fit(T, B), ValueError, "features must be 'auto'"),
    "features of a stream": (
        lambda: TextClassifier("nonsense").partial_fit(T, B),
        ValueError,
        "features must be 'auto'",
    ),
    "loss": (lambda: TextClassifier(loss="nonsense").fit(T, B), ValueError, "unknown loss 'nonsense'"),
    "learner": (lambda: TextClassifier(learner="x").fit(T, B), ValueError, "unknown learner 'x'"),
    "penalty": (lambda: TextClassifier(penalty="x").fit(T, B), ValueError, "unknown penalty 'x'"),
    "C": (lambda: TextClassifier(C="x").fit(T, B), ValueError, "C must be positive"),
    "tol": (lambda: TextClassifier(tol=-1).fit(T, B), ValueError, "tol must be"),
    "calibration": (lambda: TextClassifier(calibration="x").fit(T, B), ValueError, "calibration must"),
    "classifier": (lambda: TextClassifier(classifier=3).fit(T, B), ValueError, "classifier must be"),
    "n_jobs": (lambda: TextClassifier(n_jobs=0).fit(T, B), ValueError, "n_jobs must be"),
    "class_weight": (
        lambda: TextClassifier(class_weight={"parrot": 2}).fit(T, B),
        ValueError,
        "class_weight names 'parrot'",
    ),
    "class_weight of sets": (
        lambda: TextClassifier(class_weight="balanced").fit(["a", "b"], [["x"], []]),
        ValueError,
        "class_weight is for one label",
    ),
    "balanced stream": (
        lambda: TextClassifier(class_weight="balanced").partial_fit(T, B),
        ValueError,
        "class_weight='balanced' needs all",
    ),
    "sets to who gives one label": (
        lambda: TextClassifier().fit(["a", "b"], ["x", "y"]).partial_fit(["a", "b"], [["x"], []]),
        DataError,
        "takes one label for each text, but y has sets",
    ),
    "votes per label": (
        lambda: TextClassifier(classifier=linnet.VotedPerceptron()).fit(["a", "b"], [["x"], []]),
        RefusedError,
        "votes",
    ),
    "thresholds": (
        lambda: TextClassifier(thresholds=2).fit(T, B).predict(T),
        ValueError,
        "thresholds must be a probability",
    ),
    "threshold of a stranger": (
        lambda: TextClassifier(thresholds={"parrot": 0.5}).fit(T, B).predict(T),
        ValueError,
        "thresholds name 'parrot'",
    ),
    "no table column": (
        lambda: TextClassifier(text="note").fit({"text": T}, B),
        DataError,
        "without a column 'note'",
    ),
    "missing column": (
        lambda: TextClassifier(TextFeatures(numeric=["year"])).fit(T, B),
        DataError,
        "no column 'year'",
    ),
    "lexicon": (lambda: TextClassifier(lexicon={"owl": 3}).fit(T, B), ValueError, "lexicon must be"),
    "lexicon of a stranger": (
        lambda: TextClassifier(lexicon={"parrot": {}}).fit(T, B),
        ValueError,
        "lexicon names 'parrot'",
    ),
    "lexicon per label": (
        lambda: TextClassifier(lexicon={"x": {"a": 1}}).fit(["a", "b"], [["x"], []]),
        ValueError,
        "lexicon is of no use",
    ),
    "sigmoid per label": (
        lambda: TextClassifier(calibration="sigmoid").fit(["a", "b"], [["x"], []]),
        ValueError,
        "calibration='sigmoid' is of no use",
    ),
    "score differs in length": (
        lambda: TextClassifier().fit(T, B).score(T, B[:-1]),
        DataError,
        "X has 30 texts but y",
    ),
}


@pytest.mark.parametrize("name", FITS)
def test_refusals_name_the_parameter(name: str) -> None:
    call, error, message = FITS[name]
    with pytest.raises(error, match=message):
        call()


DEVS = {
    "unknown label": ((["x"], ["parrot"]), "dev text 0 has a label never seen"),
    "lengths": ((["x"], ["owl", "owl"]), "dev X has 1 texts but dev y"),
    "empty": (([], []), "dev X is empty"),
    "no pair": (["x", "y", "z"], "dev must be a pair"),
    "sets": ((["x"], [["owl"]]), "lists of labels"),
}


@pytest.mark.parametrize("name", DEVS)
def test_wrong_dev(name: str) -> None:
    dev, message = DEVS[name]
    with pytest.raises(ValueError, match=message):
        TextClassifier(WORDS, "logistic", "sgd").fit(TEXTS, BIRDS, dev=dev)


def test_dev_is_watched() -> None:
    model = TextClassifier(WORDS, "logistic", "sgd", max_iter=5)
    for dev in ((TEXTS, BIRDS), [TEXTS, BIRDS]):
        assert model.fit(TEXTS, BIRDS, dev=dev).record_.epochs[0].dev_score is not None
    assert model.watches_dev()
    assert not TextClassifier().watches_dev()
    with pytest.raises(DataError, match="dev is of no use"):
        TextClassifier().fit(TEXTS, SEVERAL, dev=(TEXTS, SEVERAL))


def test_unfitted() -> None:
    from sklearn.exceptions import NotFittedError

    for call in ("predict", "decision_function", "predict_proba"):
        with pytest.raises(NotFittedError):
            getattr(TextClassifier(), call)(["x"])
    with pytest.raises(NotFittedError):
        TextClassifier().explain("x")
    with pytest.raises(NotFittedError):
        TextClassifier().save("never")
    with pytest.raises(NotFittedError):
        TextClassifier().score(["x"], ["y"])
    assert hasattr(TextClassifier(loss="nonsense"), "predict_proba")  # refused when it trains
    assert not hasattr(TextClassifier(), "model_")
    assert not hasattr(TextClassifier(), "coef_")


def test_a_fit_that_fails_leaves_no_half_model() -> None:
    from sklearn.exceptions import NotFittedError

    model = TextClassifier(WORDS).fit(TEXTS, BIRDS)
    model.set_params(penalty="nonsense")
    with pytest.raises(ValueError, match="penalty"):
        model.fit(TWO_TEXTS, TWO_BIRDS)
    with pytest.raises(NotFittedError):
        model.predict(TEXTS)
    with pytest.raises(DataError):
        model.fit([], [])
    model.set_params(penalty="l2").fit(TWO_TEXTS, TWO_BIRDS)
    assert model.score(TWO_TEXTS, TWO_BIRDS) == 1.0


def test_examples_bring_their_weights_along() -> None:
    weights = np.linspace(0.1, 3, len(TEXTS))
    examples = Examples(texts=as_texts(TEXTS), labels=LabelColumn.from_values(BIRDS), weights=weights)
    one, two = TextClassifier(WORDS), TextClassifier(WORDS)
    one.fit(examples)
    two.fit(TEXTS, BIRDS, sample_weight=weights)
    np.testing.assert_array_equal(one.coef_, two.coef_)
    two.fit(examples, sample_weight=np.ones(len(TEXTS)))
    assert (one.coef_ != two.coef_).any()


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("features", [None, TextFeatures(scale="nb")], ids=["auto", "nb"])
@pytest.mark.parametrize("left_out", [["heron"], ["heron", "linnet", "magpie", "swift"]], ids=len)
def test_part_of_a_file_may_lack_labels(
    left_out: list[str], features: TextFeatures | None, several: bool
) -> None:
    if several and features is not None:
        with pytest.raises(ValueError, match="features: scale='nb'"):
            TextClassifier(features).fit(TEXTS, SEVERAL)
        return
    labels = LabelColumn.from_values([[bird] for bird in BIRDS] if several else BIRDS)
    whole = Examples(texts=as_texts(TEXTS), labels=labels)
    part = whole.take([i for i, bird in enumerate(BIRDS) if bird not in left_out])
    model = TextClassifier(features or "auto", C=100.0).fit(part)
    assert model.classes_.tolist() == sorted(set(BIRDS) - set(left_out))
    assert model.score(part) == 1.0
    assert model.score(whole) == pytest.approx(len(part) / len(whole))


def test_a_data_frame_of_labels() -> None:
    pandas = pytest.importorskip("pandas")
    model = TextClassifier(WORDS).fit(TEXTS, pandas.DataFrame({"bird": BIRDS}))
    assert model.predict(TEXTS).tolist() == BIRDS
    missing = pandas.Series([1, 2, None], dtype="Int64")
    for y in (missing, pandas.DataFrame({"bird": missing})):
        with pytest.raises(DataError, match=r"y\[2\] is missing"):
            TextClassifier(WORDS, missing="error").fit(TEXTS[:3], y)
