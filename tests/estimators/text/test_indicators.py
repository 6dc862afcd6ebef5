"""Several labels as a matrix of 0 and 1, in and out, as scikit-learn has them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.preprocessing import MultiLabelBinarizer

import linnet
from linnet import TextClassifier
from linnet.errors import DataError
from linnet.features import TextFeatures

from ...birds import HELD_TEXTS, SEVERAL, TEXTS

WORDS = TextFeatures(word=(1, 1))
BINARIZER = MultiLabelBinarizer()
TABLE = BINARIZER.fit_transform(SEVERAL)
FORMS = {
    "int": lambda: TABLE,
    "bool": lambda: TABLE.astype(bool),
    "float": lambda: TABLE.astype(float),
    "csr": lambda: sparse.csr_matrix(TABLE),
    "csc": lambda: sparse.csc_array(TABLE),
    "frame": lambda: pd.DataFrame(TABLE, columns=BINARIZER.classes_),
}


@pytest.fixture(scope="module")
def by_lists() -> TextClassifier:
    return TextClassifier(WORDS).fit(TEXTS, SEVERAL)


@pytest.mark.parametrize("form", FORMS)
def test_in_and_out(form: str, by_lists: TextClassifier, tmp_path: Path) -> None:
    y = FORMS[form]()
    model = TextClassifier(WORDS).fit(TEXTS, y)
    names = BINARIZER.classes_.tolist() if form == "frame" else list(range(TABLE.shape[1]))
    assert model.classes_.tolist() == names
    expected = BINARIZER.transform(by_lists.predict(HELD_TEXTS))
    model.save(tmp_path / "m.linnet")
    for one in (model, linnet.load(tmp_path / "m.linnet"), model.quantize()):
        found = one.predict(HELD_TEXTS)
        assert sparse.issparse(found) == form.startswith("cs")
        table = found.toarray() if sparse.issparse(found) else found
        assert table.dtype == np.int64
        if not one.model_.packed:
            np.testing.assert_array_equal(table, expected)
    np.testing.assert_array_equal(model.predict_proba(HELD_TEXTS), by_lists.predict_proba(HELD_TEXTS))
    assert model.score(TEXTS, y) == model.score(TEXTS, TABLE) == by_lists.score(TEXTS, SEVERAL)
    assert by_lists.score(TEXTS, y) == by_lists.score(TEXTS, SEVERAL)  # columns are its labels


def test_a_label_that_no_text_has_keeps_its_column() -> None:
    wider = np.hstack([TABLE, np.zeros((len(TABLE), 1), int), np.ones((len(TABLE), 1), int)])
    model = TextClassifier(WORDS).fit(TEXTS, wider)
    found = model.predict(HELD_TEXTS)
    assert found.shape == (len(HELD_TEXTS), wider.shape[1])
    assert not found[:, -2].any()
    assert found[:, -1].all()


def test_among_the_tools_of_scikit_learn() -> None:
    model = TextClassifier(WORDS)
    assert model.__sklearn_tags__().classifier_tags.multi_label
    found = cross_val_predict(model, TEXTS, TABLE, cv=3)
    assert f1_score(TABLE, found, average="micro") > 0.5
    search = GridSearchCV(model, {"C": [0.01, 10.0]}, scoring="f1_micro", cv=2, error_score="raise")
    assert search.fit(TEXTS, TABLE).best_params_ == {"C": 10.0}
    sparse_y = GridSearchCV(model, {"C": [10.0]}, cv=2, error_score="raise")
    assert sparse_y.fit(TEXTS, sparse.csr_matrix(TABLE)).best_score_ > 0


def test_what_does_not_fit_is_refused(by_lists: TextClassifier) -> None:
    with pytest.raises(DataError, match=r"y has 2 columns, but the model has \d+ labels"):
        by_lists.score(TEXTS, TABLE[:, :2])
    one_each = TextClassifier(WORDS).fit(["red", "tiny"], ["linnet", "wren"])
    with pytest.raises(DataError, match="y is a table of 0 and 1, but the model has one label"):
        one_each.score(["red"], np.array([[0, 1]]))
    with pytest.raises(DataError, match="y is a table, but not of 0 and 1"):
        TextClassifier(WORDS).fit(["red", "tiny"], np.array([[0.5, 1], [1, 0]]))
