"""Kernels as functions: against their formulas, and positive semi-definite."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import linnet
from linnet.errors import DataError, RefusedError
from linnet.kernels import (
    Function,
    Gaussian,
    Linear,
    Normalised,
    Polynomial,
    Precomputed,
    Product,
    Sum,
    kernel_named,
)


@pytest.mark.parametrize("rows", [1, 15, 16, 17, 70, 300])
def test_products_over_frequent_and_rare_features(rows: int) -> None:
    rng = np.random.default_rng(rows)
    dense = (rng.random((rows, 400)) < 1 / (1 + np.arange(400))) * rng.normal(size=(rows, 400))
    others = (rng.random((37, 400)) < 0.1) * rng.normal(size=(37, 400))
    for A, B in ((dense, others), (csr_matrix(dense), csr_matrix(others))):
        products = others @ dense.T
        np.testing.assert_allclose(Linear()(B, A), products, atol=1e-4)
        np.testing.assert_allclose(
            Polynomial(3, 0.5)(B, A), (products + 0.5) ** 3, rtol=1e-3, atol=1e-3
        )
        distances = (others**2).sum(1)[:, None] + (dense**2).sum(1)[None, :] - 2 * products
        np.testing.assert_allclose(Gaussian(2.0)(B, A), np.exp(-distances / 8), atol=1e-5)
        np.testing.assert_allclose(Gaussian(2.0).diagonal(A), 1, atol=1e-6)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 40))
def test_gram_matrices_are_positive_semidefinite(seed: int, n: int) -> None:
    X = np.random.default_rng(seed).normal(size=(n, 5))
    for kernel in (
        Linear(),
        Polynomial(2),
        Gaussian(),
        Normalised(Polynomial(3)),
        Linear() + Gaussian(1.0),
        Polynomial(2, 0.0) * Gaussian(2.0),
    ):
        assert kernel.check(X), f"{kernel}: {kernel.check(X)}"


def test_what_is_no_kernel_is_shown() -> None:
    X = np.random.default_rng(0).normal(size=(12, 3))
    found = Function(lambda a, b: -float(np.linalg.norm(a - b) ** 2)).check(X)
    assert not found
    K = -((X[:, None] - X[None]) ** 2).sum(-1)
    assert found.vector @ K @ found.vector == pytest.approx(found.eigenvalue)
    assert found.eigenvalue < 0
    assert "not positive semi-definite" in str(found)
    crooked = Function(lambda a, b: float(a[0] - b[0])).check(X)
    assert not crooked.symmetric
    assert "not symmetric" in str(crooked)


def test_sums_products_and_cosines() -> None:
    X = np.random.default_rng(1).normal(size=(9, 4))
    K = X @ X.T
    np.testing.assert_allclose(Sum([Linear(), Linear()])(X), 2 * K, atol=1e-5)
    np.testing.assert_allclose(Product([Linear(), Linear()])(X), K**2, atol=1e-4)
    lengths = np.sqrt(np.diag(K))
    np.testing.assert_allclose(Normalised(Linear())(X), K / np.outer(lengths, lengths), atol=1e-5)
    np.testing.assert_allclose(Normalised(Linear())([[0.0, 0.0], [1.0, 0.0]]), [[0, 0], [0, 1]])


def test_the_width_of_a_gaussian_is_that_of_the_data() -> None:
    X = np.random.default_rng(2).normal(size=(50, 3)) * [1, 2, 3]
    kernel = Gaussian().fitted(X)
    assert 2 * kernel.sigma**2 == pytest.approx(X.var(axis=0).sum())
    assert Gaussian().fitted(csr_matrix(X)).sigma == pytest.approx(kernel.sigma)


def test_kernels_by_name() -> None:
    assert kernel_named("polynomial degree=3 constant=0") == Polynomial(3, 0)
    assert kernel_named("gaussian sigma=0.5") == Gaussian(0.5)
    assert kernel_named("normalised linear") == Normalised(Linear())
    assert isinstance(kernel_named(lambda *_: 1.0), Function)
    both = Linear() + Gaussian(2) * Normalised(Polynomial(3))
    assert kernel_named("linear + gaussian sigma=2 * normalised polynomial degree=3") == both
    with pytest.raises(ValueError, match="lacks one"):
        kernel_named("* linear")


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(RefusedError, match="no examples in common"):
        Sum([Linear(), Precomputed()])([[1.0]])
    with pytest.raises(DataError, match="no finite number"):
        Function(lambda *_: float("nan"))([1, 2])
    with pytest.raises(ValueError, match="list of kernels"):
        Sum(["linear"])([[1.0]])
    with pytest.raises(DataError, match="features"):
        Linear()([[1.0]], [[1.0, 2.0]])


BAD = (
    ("subset_tree", ["(S (A x))", "b"], r"X\[1\]: 'b' stands outside of brackets"),
    ("subset_tree", ["(S (A x)", "(B y)) (S (C z))"], r"X\[0\].*a bracket is not closed"),
    ("subset_tree", ["(S (A x)) (S (B y))", "(S (A x))"], r"X\[0\].*several trees"),
    ("subset_tree", ["(S (A x))", ""], r"X\[1\].*no trees"),
    ("subset_tree", np.eye(2), "a node is"),
    ("gaussian", [("S", ("A", "x")), ("S", ("A", "y"))], "holds trees"),
    ("gappy", [("S", ("A", "x")), ("S", ("A", "y"))], "reads strings"),
    ("precomputed", [["a", "b"], ["b", "a"]], "Gram matrix"),
    ("precomputed", [[1.0], [1.0, 2.0]], "differ in length"),
    ("precomputed", np.ones((2, 3)), "as many rows as columns"),
    ("precomputed", [[1.0, 2.0], [3.0, 1.0]], "not symmetric"),
    ("precomputed", [[np.nan, 0.0], [0.0, 1.0]], "no finite number"),
)


@pytest.mark.parametrize(("kernel", "X", "message"), BAD)
def test_examples_of_another_kind_are_refused(kernel: str, X: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        linnet.KernelSVM(kernel).fit(X, [0, 1])


def test_no_examples_make_no_matrix() -> None:
    empty = np.zeros((0, 3))
    assert Linear()(empty).shape == (0, 0)
    assert Gaussian(1.0)(np.ones((2, 3)), empty).shape == (2, 0)
    with pytest.raises(DataError, match="not empty"):
        Linear().check(empty)
