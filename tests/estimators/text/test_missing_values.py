"""Texts, labels, numbers and categories that are missing: what is done, and that it is told."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import linnet
from linnet import TextClassifier
from linnet.data import samples
from linnet.errors import DataError, DataWarning

TEXTS, BIRDS = (list(part[:120]) for part in samples.load("birds-train"))
COLUMNS = {"numeric": ["size"], "categorical": ["month"]}


def frame() -> pd.DataFrame:
    """One text, two labels, three numbers and a category are missing."""
    made = pd.DataFrame(
        {
            "text": TEXTS,
            "size": np.arange(120.0),
            "month": np.arange(120) % 12,
            "bird": BIRDS,
        }
    )
    made["month"] = made["month"].astype(float)
    made.loc[3, "text"] = None
    made.loc[[4, 9], "bird"] = np.nan
    made.loc[[5, 6, 7], "size"] = np.nan
    made.loc[8, "month"] = np.nan
    return made


TOLD = [
    "1 of 120 texts is missing (the first: X['text'][3]): read as empty texts",
    "column 'size': 3 of 120 numbers are missing (the first: position 5): "
    "the mean of training is taken",
    "column 'month': 1 of 120 values is missing (the first: position 8): "
    "(missing) is a value of its own",
    "2 of 120 examples have no label (the first: y[4]): left out",
]


def told(caught) -> list[str]:
    return [str(one.message) for one in caught if one.category is DataWarning]


@pytest.mark.parametrize(
    "of", [lambda f: f, pl.from_pandas, pa.Table.from_pandas], ids=["pandas", "polars", "arrow"]
)
def test_by_default_everything_is_used_and_told(of) -> None:
    data = of(frame())
    with pytest.warns(DataWarning) as caught:
        model = TextClassifier(**COLUMNS).fit(data, data["bird"])
    assert told(caught) == TOLD
    assert caught[0].filename == __file__
    assert model.classes_.tolist() == sorted(set(BIRDS))
    there = frame().dropna(subset="bird")
    filled = there.fillna({"text": "", "size": frame()["size"].mean()})
    months = ["(missing)" if pd.isna(month) else str(int(month)) for month in filled["month"].tolist()]
    plain = {"text": filled["text"].tolist(), "size": filled["size"].to_numpy(), "month": months}
    same = TextClassifier(**COLUMNS).fit(plain, there["bird"].tolist())
    assert (same.coef_ == model.coef_).all()


def test_one_nan_costs_no_prediction() -> None:
    whole = pd.DataFrame({"text": TEXTS, "size": np.arange(120.0), "month": np.arange(120) % 12})
    model = TextClassifier(**COLUMNS).fit(whole, BIRDS)
    holes = whole.astype({"month": float})
    holes.loc[0, "size"] = np.nan
    holes.loc[1, "month"] = np.nan
    holes.loc[2, "text"] = None
    with pytest.warns(DataWarning) as caught:
        found = model.decision_function(holes)
    assert [line.partition(" is missing")[0] for line in told(caught)] == [
        "1 of 120 texts",
        "column 'size': 1 of 120 numbers",
        "column 'month': 1 of 120 values",
    ]
    expected = model.decision_function(whole)
    assert (found[3:] == expected[3:]).all()  # months are floats now, and the same months
    mean = model.decision_function({"text": TEXTS[:1], "size": [59.5], "month": [0]})
    assert (found[0] == mean[0]).all()


def test_the_means_are_those_of_training_and_are_saved(tmp_path) -> None:
    model = TextClassifier(numeric=["size"]).fit({"text": TEXTS, "size": np.arange(120.0)}, BIRDS)
    model.save(tmp_path / "m.linnet")
    again = linnet.load(tmp_path / "m.linnet")
    with pytest.warns(DataWarning, match="the mean of training is taken"):
        found = again.decision_function({"text": TEXTS[:2], "size": [np.nan, 1000.0]})
    assert (found[0] == model.decision_function({"text": TEXTS[:1], "size": [59.5]})[0]).all()


def test_an_older_model_knows_no_means() -> None:
    model = TextClassifier(numeric=["size"]).fit({"text": TEXTS, "size": np.arange(120.0)}, BIRDS)
    del model.means_
    with pytest.warns(DataWarning, match="0 is taken"):
        found = model.decision_function({"text": TEXTS[:1], "size": [None]})
    assert (found == model.decision_function({"text": TEXTS[:1], "size": [0.0]})).all()


def test_what_is_refused_is_named() -> None:
    with pytest.raises(DataError, match=r"X\['text'\]\[3\] is missing; fill it, or say what to do"):
        TextClassifier(missing="error", **COLUMNS).fit(frame(), frame()["bird"])
    with pytest.raises(DataError, match=r"X\['size'\]\[5\] is missing"):
        TextClassifier(missing={"number": "error"}, **COLUMNS).fit(frame(), frame()["bird"])
    with pytest.raises(DataError, match=r"y\[1\] is missing"):
        TextClassifier(missing={"label": "error"}).fit(["a", "b", "c"], ["x", None, "y"])


def test_examples_are_left_out_with_their_weights() -> None:
    data = frame()
    weights = np.arange(120.0) + 1
    with pytest.warns(DataWarning) as caught:
        model = TextClassifier(missing="skip", **COLUMNS).fit(data, data["bird"], sample_weight=weights)
    assert all("left out" in line for line in told(caught))
    there = data.dropna()
    same = TextClassifier(**COLUMNS).fit(there, there["bird"], sample_weight=weights[there.index])
    assert (same.coef_ == model.coef_).all()
    with pytest.warns(DataWarning):
        assert len(model.predict(data)) == 120  # who asks is answered


def test_zero_in_place_of_the_mean() -> None:
    data = {"text": TEXTS, "size": np.arange(120.0) + 1}
    holes = {"text": TEXTS, "size": [None, *data["size"][1:]]}
    data["size"][0] = 0
    with pytest.warns(DataWarning, match=r"1 of 120 numbers is missing .*: 0 is taken"):
        model = TextClassifier(numeric=["size"], missing={"number": "zero"}).fit(holes, BIRDS)
    assert (TextClassifier(numeric=["size"]).fit(data, BIRDS).coef_ == model.coef_).all()


@pytest.mark.parametrize(
    "texts",
    [
        ["a red one", None, "tiny"],
        ("a red one", float("nan"), "tiny"),
        np.array(["a red one", None, "tiny"], dtype=object),
        pd.Series(["a red one", None, "tiny"]),
        pd.Series(["a red one", pd.NA, "tiny"], dtype="string"),
        pl.Series(["a red one", None, "tiny"]),
        pa.array(["a red one", None, "tiny"]),
        pa.chunked_array([["a red one"], [None, "tiny"]]),
        iter(["a red one", None, "tiny"]),
    ],
    ids=lambda texts: type(texts).__name__,
)
def test_missing_texts_of_any_container(texts) -> None:
    model = TextClassifier().fit(TEXTS, BIRDS)
    with pytest.warns(DataWarning, match=r"1 of 3 texts is missing \(the first: X\[1\]\)"):
        found = model.predict(texts)
    assert found.tolist() == model.predict(["a red one", "", "tiny"]).tolist()


def test_score_and_streams_leave_out_what_has_no_label() -> None:
    model = TextClassifier().fit(TEXTS, BIRDS)
    with pytest.warns(DataWarning, match="1 of 3 examples has no label"):
        assert model.score(TEXTS[:3], [BIRDS[0], None, BIRDS[2]], [1.0, 9.0, 1.0]) == 1.0
    with pytest.warns(DataWarning, match="1 of 3 examples has no label"):
        model.partial_fit(TEXTS[:3], [BIRDS[0], None, BIRDS[2]], sample_weight=[1.0, 9.0, 1.0])


def test_nothing_is_left() -> None:
    with (
        pytest.raises(DataError, match="of 2 examples none is left"),
        pytest.warns(DataWarning, match="2 of 2 examples have no label: left out"),
    ):
        TextClassifier().fit(["a", "b"], [None, None])


@pytest.mark.parametrize("missing", ["drop", {"text": "mean"}, {"colour": "skip"}, 3, ""])
def test_unknown_policies(missing) -> None:
    with pytest.raises(ValueError, match="missing must be 'auto'"):
        TextClassifier(missing=missing).fit(TEXTS, BIRDS)


def test_explanations_fill_as_predictions_do() -> None:
    model = TextClassifier(numeric=["size"]).fit({"text": TEXTS, "size": np.arange(120.0)}, BIRDS)
    with pytest.warns(DataWarning, match="1 of 1 numbers is missing"):
        found = model.explain(TEXTS[0], {"size": None})
    assert found.scores == pytest.approx(model.explain(TEXTS[0], {"size": 59.5}).scores)
