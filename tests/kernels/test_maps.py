"""Maps written out against kernels, and what becomes linear by them."""

from itertools import product

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import linnet
from linnet.errors import DataError, RefusedError
from linnet.kernels import (
    Blended,
    Conjunctions,
    Gappy,
    Gaussian,
    Nystroem,
    Polynomial,
    PolynomialMap,
    RandomFourier,
    Spectrum,
    StringFragments,
    SubsetTree,
    Subtree,
    TreeFragments,
)

CUBE = np.array(list(product([0.0, 1.0], repeat=6)))


def separable(X: object, y: np.ndarray) -> bool:
    """Does a linear machine learn all of it?"""
    return bool((linnet.LinearSVM(C=1e4).fit(X, y).predict(X) == y).all())


def test_the_map_of_the_texts() -> None:
    x1, x2, root = 3.0, 2.0, np.sqrt(2)
    found = PolynomialMap(2, 1.0).fit_transform([[x1, x2]])[0]
    wanted = [x1**2, x2**2, root * x1, root * x2, root * x1 * x2, 1]
    np.testing.assert_allclose(found, wanted)
    bare = PolynomialMap(2, 0.0).fit_transform([[x1, x2]])[0]
    np.testing.assert_allclose(bare, [x1**2, root * x1 * x2, x2**2])


@pytest.mark.parametrize("constant", [0.0, 1.0, 2.5])
@pytest.mark.parametrize("degree", [1, 2, 3, 4])
def test_maps_equal_kernels(degree: int, constant: float) -> None:
    X = np.random.default_rng(0).normal(size=(12, 4))
    made = PolynomialMap(degree, constant).fit_transform(X)
    np.testing.assert_allclose(made @ made.T, Polynomial(degree, constant)(X), rtol=1e-3, atol=1e-3)


def test_conjunctions_are_products() -> None:
    rng = np.random.default_rng(1)
    X = csr_matrix((rng.random((9, 12)) < 0.4) * rng.normal(size=(9, 12)))
    K = (X @ X.T).toarray()
    own = X.multiply(X)
    squares = (own @ own.T).toarray()
    cubes = (own.multiply(X) @ own.multiply(X).T).toarray()
    pairs = (K**2 - squares) / 2  # the elementary symmetric polynomials of x_j z_j
    triples = (K**3 - 3 * K * squares + 2 * cubes) / 6
    for degree, wanted in ((1, K), (2, K + pairs), (3, K + pairs + triples)):
        made = Conjunctions(degree, bits=26).fit_transform(X)
        np.testing.assert_allclose((made @ made.T).toarray(), wanted, atol=1e-9)


def test_negated_literals_count_agreements() -> None:
    """Of two points of the cube that agree in a of n places, C(a, 1) + C(a, 2) conjunctions hold."""
    made = Conjunctions(2, negated=True, bits=26).fit_transform(CUBE)
    agreed = (CUBE[:, None] == CUBE[None]).sum(axis=-1)
    np.testing.assert_allclose((made @ made.T).toarray(), agreed + agreed * (agreed - 1) / 2)


def test_xor_becomes_linear() -> None:
    y = (CUBE[:, 0] != CUBE[:, 1]).astype(int)
    assert not separable(CUBE, y)
    assert separable(Conjunctions(2).fit_transform(CUBE), y)
    assert separable(PolynomialMap(2).fit_transform(CUBE), y)
    assert (linnet.KernelSVM("polynomial degree=2", 1e4).fit(CUBE, y).predict(CUBE) == y).all()


def test_dnf_becomes_linear() -> None:
    a, b, c, d, e, f = CUBE.T.astype(bool)
    y = ((a & ~b) | (~c & d) | (e & f)).astype(int)
    assert not separable(CUBE, y)
    assert separable(Conjunctions(2, negated=True).fit_transform(CUBE), y)


def test_decision_lists_become_linear() -> None:
    """If a conjunction of two literals holds, a label; else the next: weights fall by half."""
    a, b, c, d, e, f = CUBE.T.astype(bool)
    y = np.select([a & ~b, ~c & d, b & e, ~f & ~a], [1, 0, 1, 0], default=1)
    assert not separable(CUBE, y)
    assert separable(Conjunctions(2, negated=True).fit_transform(CUBE), y)


def test_three_literals_become_linear() -> None:
    a, b, c, d, e, f = CUBE.T.astype(bool)
    dnf = (a & ~b & c) | (~c & d & ~e) | (b & e & f)
    listed = np.select([a & ~b & e, ~c & d & f, b & e & ~d], [1, 0, 1], default=0)
    for y in (dnf.astype(int), listed):
        assert not separable(Conjunctions(1, negated=True).fit_transform(CUBE), y)
        assert separable(Conjunctions(3, negated=True).fit_transform(CUBE), y)


@pytest.mark.parametrize(
    "kernel", [Spectrum(2), Blended(3, 0.6), Gappy(3, 0.5, normalised=False), Gappy(1), Gappy(2, 0.7)]
)
def test_string_fragments_are_the_kernel(kernel: object) -> None:
    rng = np.random.default_rng(2)
    texts = ["".join(rng.choice(list("abc"), rng.integers(0, 9))) for _ in range(15)]
    made = StringFragments(kernel, span=9, bits=26).fit_transform(texts)
    np.testing.assert_allclose((made @ made.T).toarray(), kernel(texts), rtol=1e-4, atol=1e-9)


def random_tree(rng: np.random.Generator, depth: int) -> tuple:
    label = str(rng.choice(list("ABC")))
    if depth == 0:
        return (label, str(rng.choice(list("xy"))))
    return (label, *(random_tree(rng, depth - 1) for _ in range(rng.integers(1, 3))))


def test_tree_fragments_are_the_kernel() -> None:
    rng = np.random.default_rng(3)
    trees = [random_tree(rng, 3) for _ in range(20)]
    for kernel in (SubsetTree(0.4), Subtree(0.6)):
        made = TreeFragments(kernel, size=100, bits=28).fit_transform(trees)
        np.testing.assert_allclose((made @ made.T).toarray(), kernel(trees), rtol=1e-5)
    few = TreeFragments(SubsetTree(0.4), size=1, bits=28).fit_transform(trees)
    assert ((few @ few.T).toarray() <= SubsetTree(0.4)(trees) + 1e-6).all()


def test_fourier_features_approach_the_gaussian() -> None:
    X = np.random.default_rng(4).normal(size=(40, 5))
    wanted = Gaussian(2.0)(X)
    errors = []
    for components in (100, 10000):
        made = RandomFourier(2.0, components).fit_transform(X)
        assert made.shape == (40, components)
        errors.append(np.abs(made @ made.T - wanted).max())
    assert errors[1] < 0.05
    assert errors[1] < errors[0] < 0.5
    assert (RandomFourier(2.0, 10).fit_transform(X) == RandomFourier(2.0, 10).fit_transform(X)).all()


def test_nystroem_is_exact_on_its_landmarks() -> None:
    X = np.random.default_rng(5).normal(size=(30, 3))
    for kernel in (Gaussian(1.0), Polynomial(2)):
        made = Nystroem(kernel, 30).fit_transform(X)
        np.testing.assert_allclose(made @ made.T, kernel(X), atol=2e-3)
    texts = ["linnet", "linnets", "wren", "wrens"]
    made = Nystroem("gappy length=2", 4).fit_transform(texts)
    np.testing.assert_allclose(made @ made.T, Gappy(2)(texts), atol=1e-5)
    assert Nystroem(Gaussian(1.0), 7).fit_transform(X).shape[1] <= 7


def test_in_a_pipeline() -> None:
    from sklearn.pipeline import make_pipeline

    y = (CUBE[:, 0] != CUBE[:, 1]).astype(int)
    model = make_pipeline(Nystroem("polynomial degree=2", 64), linnet.LinearSVM(C=1e4)).fit(CUBE, y)
    assert model.score(CUBE, y) == 1


@pytest.mark.parametrize(
    "made", [PolynomialMap(), Conjunctions(), RandomFourier(1.0), Nystroem("gaussian sigma=1")]
)
def test_what_is_no_matrix_of_numbers_is_refused(made: object) -> None:
    for X in ([["a"]], [1.0, 2.0], [[1.0], [1.0, 2.0]], [[np.nan]], [[np.inf]]):
        with pytest.raises(DataError, match=r"^X "):
            made.fit_transform(X)


def test_conjunctions_of_no_rows_and_of_many() -> None:
    assert Conjunctions().fit_transform(np.zeros((0, 3))).shape == (0, 1 << 18)
    assert Conjunctions().fit_transform(np.zeros((2, 3))).nnz == 0
    X = (np.random.default_rng(6).random((500, 300)) < 0.5).astype(float)  # many pieces
    made = Conjunctions(2, bits=26).fit_transform(X)
    for i in (0, 250, 499):
        assert made[i].sum() == X[i].sum() * (X[i].sum() + 1) / 2


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(RefusedError, match="too many"):
        PolynomialMap(3).fit_transform(np.zeros((1, 500)))
    with pytest.raises(RefusedError, match="literal"):
        Conjunctions(negated=True).fit_transform(csr_matrix((2, 5000)))
    with pytest.raises(RefusedError, match="kernels of strings"):
        StringFragments("linear").fit_transform(["a"])
    with pytest.raises(RefusedError, match="SubsetTree and Subtree"):
        TreeFragments("partial_tree").fit_transform([("A", "x")])
    with pytest.raises(ValueError, match="bits"):
        Conjunctions(bits=40).fit_transform(CUBE)
