"""However the numbers are stored, the weights are the same, and the input is left as it was."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import linnet

from .. import problems

CSR, Y = problems.topics(n=60)
DENSE = CSR.toarray()


def wide_indices() -> Any:
    matrix = CSR.copy()
    matrix.indptr, matrix.indices = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)
    return matrix


def mixed_indices() -> Any:
    matrix = CSR.copy()
    matrix.indptr = matrix.indptr.astype(np.int64)
    return matrix


def unsorted() -> Any:
    """Indices of every row backwards, and one entry in two halves."""
    rows = []
    for i in range(CSR.shape[0]):
        at = CSR[i].indices[::-1]
        rows.append(np.concatenate([at, at[:1]]))
    indptr = np.cumsum([0, *(len(r) for r in rows)])
    data = np.ones(indptr[-1])
    for a, b in pairwise(indptr):
        if b - a > 1:
            data[a] = data[b - 1] = 0.5
    return sp.csr_matrix((data, np.concatenate(rows), indptr), shape=CSR.shape)


FORMS: dict[str, Any] = {
    "int64 indices": wide_indices(),
    "int64 indptr": mixed_indices(),
    "float32": CSR.astype(np.float32),
    "bool": CSR.astype(bool),
    "int8": CSR.astype(np.int8),
    "csc": CSR.tocsc(),
    "coo": CSR.tocoo(),
    "lil": CSR.tolil(),
    "dok": CSR.todok(),
    "sparse array": sp.csr_array(CSR),
    "not canonical": unsorted(),
    "dense": DENSE,
    "dense float32": DENSE.astype(np.float32),
    "dense float16": DENSE.astype(np.float16),
    "dense int": DENSE.astype(int),
    "fortran": np.asfortranarray(DENSE),
    "strided": np.repeat(np.repeat(DENSE, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed": DENSE[::-1, ::-1].copy()[::-1, ::-1],
    "lists": DENSE.tolist(),
    "objects": DENSE.astype(object),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("loss", "learner"), [("logistic", "newton"), ("hinge", "dual"), ("hinge", "pa")]
)
def test_every_form(form: str, loss: str, learner: str) -> None:
    penalty = "none" if learner == "pa" else "l2"
    expected = linnet.LinearClassifier(loss, learner, penalty, tol=1e-6).fit(CSR, Y)
    before = FORMS[form].copy()
    model = linnet.LinearClassifier(loss, learner, penalty, tol=1e-6).fit(FORMS[form], Y)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-3, atol=1e-4)
    np.testing.assert_array_equal(model.predict(FORMS[form]), expected.predict(CSR))
    if isinstance(before, np.ndarray):
        np.testing.assert_array_equal(FORMS[form], before)
    elif form == "not canonical":
        np.testing.assert_array_equal(FORMS[form].indices, before.indices)


def test_read_only_memory_maps(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", DENSE)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    parts = {}
    for name in ("data", "indices", "indptr"):
        np.save(tmp_path / f"{name}.npy", getattr(CSR, name))
        parts[name] = np.load(tmp_path / f"{name}.npy", mmap_mode="r")
    sparse = sp.csr_matrix((parts["data"], parts["indices"], parts["indptr"]), shape=CSR.shape)
    labels = Y.copy()
    labels.flags.writeable = False
    expected = linnet.LogisticRegression().fit(CSR, Y)
    for data in (mapped, sparse):
        model = linnet.LogisticRegression().fit(data, labels)
        np.testing.assert_allclose(model.coef_, expected.coef_, atol=1e-6)


def test_temporary_input_stays_alive() -> None:
    """The core reads in place: a matrix nobody else holds must outlive the stream."""
    model = linnet.LinearClassifier("hinge", "perceptron", "none")
    for _ in range(30):
        model.partial_fit(DENSE * 1.0, Y.copy(), classes=range(4))
    model.fit(CSR * 1.0, Y.copy())
    assert model.score(CSR, Y) > 0.6
