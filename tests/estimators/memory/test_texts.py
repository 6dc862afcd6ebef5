"""k nearest texts against brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linnet
import linnet._core as _core
from linnet import TextNeighbors
from linnet.features import TextFeatures


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.booleans())
def test_nearest_rows_are_those_of_all_products(seed, k, negative):
    rng = np.random.default_rng(seed)
    n, m, features = rng.integers(1, 40), rng.integers(1, 10), rng.integers(1, 20)

    def rows(count):
        dense = rng.integers(-2 if negative else 0, 4, (count, features)) * (
            rng.random((count, features)) < rng.random()
        )
        dense = dense.astype(np.float32) / np.float32(4)
        places = [np.flatnonzero(row) for row in dense]
        indptr = np.concatenate([[0], np.cumsum([len(p) for p in places])]).astype(np.int64)
        indices = np.concatenate([*places, []]).astype(np.int32)
        values = np.concatenate([*(r[p] for r, p in zip(dense, places, strict=True)), []])
        return dense, (indptr, indices, values.astype(np.float32))

    kept, arrays = rows(n)
    asked, queries = rows(m)
    found, scores = _core.RowNeighbours(*arrays, int(features)).nearest(*queries, k)
    products = asked.astype(np.float64) @ kept.astype(np.float64).T
    order = np.argsort(-products, axis=1, kind="stable")[:, :k]
    np.testing.assert_array_equal(found, order)
    np.testing.assert_allclose(scores, np.take_along_axis(products, order, axis=1), atol=1e-12)


@pytest.mark.parametrize("scale", [1.0, 1e-20, 1e15])
@pytest.mark.parametrize("negative", [False, True])
def test_frequent_columns_change_nothing(negative, scale):
    """Columns that many rows have are kept as rough arrays; short rows make for many near ties."""
    rng = np.random.default_rng(int(negative))
    n, m, features = 1500, 60, 300
    dense = rng.random((n + m, features)) * (rng.random((n + m, features)) < rng.random(features) ** 3)
    if negative:
        dense *= rng.choice([-1, 1], dense.shape)
    dense[n // 2 : n] = dense[: n // 2]  # equal rows: the first one is nearer
    dense[-1] = 0
    dense = (dense * scale).astype(np.float32)

    def arrays(rows):
        places = [np.flatnonzero(row) for row in rows]
        indptr = np.concatenate([[0], np.cumsum([len(p) for p in places])]).astype(np.int64)
        values = np.concatenate([r[p] for r, p in zip(rows, places, strict=True)])
        return indptr, np.concatenate(places).astype(np.int32), values

    index = _core.RowNeighbours(*arrays(dense[:n]), features)
    products = dense[n:].astype(np.float64) @ dense[:n].astype(np.float64).T
    for k in (1, 7, 200, n):
        for threads in (1, 2):
            found, scores = index.nearest(*arrays(dense[n:]), k, threads)
            right = np.sort(products, axis=1)[:, ::-1][:, :k]
            np.testing.assert_allclose(scores, right, rtol=1e-9, atol=1e-12 * scale**2)
            taken = np.take_along_axis(products, found, axis=1)
            np.testing.assert_allclose(taken, right, rtol=1e-9, atol=1e-12 * scale**2)
            twins = [set(row.tolist()) for row in found]
            assert all(i - n // 2 in row for row in twins for i in row if i >= n // 2)
    assert found[-1].tolist() == list(range(n))


@pytest.mark.parametrize("plains", range(8))
@pytest.mark.parametrize("rare", [False, True])
def test_any_number_of_frequent_and_rare_columns_may_be_asked(plains, rare):
    """Frequent columns are added up by two and by four; 70 rows fill no whole block."""
    rng = np.random.default_rng(plains)
    for n in (70, 4000):
        kept = (rng.random((n, 40)) * (rng.random((n, 40)) < ([0.5] * 8 + [0.01] * 32))).astype(
            np.float32
        )
        asked = np.zeros((3, 40), np.float32)
        asked[:, :plains] = rng.random((3, plains))
        asked[:, 8:] = rare * rng.random((3, 32))

        def arrays(dense):
            row, column = np.nonzero(dense)
            indptr = np.searchsorted(row, np.arange(len(dense) + 1))
            return indptr.astype(np.int64), column.astype(np.int32), dense[row, column]

        index = _core.RowNeighbours(*arrays(kept), 40)
        products = asked.astype(np.float64) @ kept.astype(np.float64).T
        for k in (1, 10, 50):
            found, scores = index.nearest(*arrays(asked), k)
            right = np.sort(products, axis=1)[:, ::-1][:, :k]
            np.testing.assert_allclose(scores, right, rtol=1e-9, atol=1e-12)
            taken = np.take_along_axis(products, found, axis=1)
            np.testing.assert_allclose(taken, right, rtol=1e-9, atol=1e-12)
            assert all(len(set(row)) == k for row in found.tolist())


def csr(dense):
    """(indptr, indices, values) of dense rows."""
    row, column = np.nonzero(dense)
    indptr = np.searchsorted(row, np.arange(len(dense) + 1))
    return indptr.astype(np.int64), column.astype(np.int32), dense[row, column].astype(np.float32)


def test_rows_and_terms_beyond_what_sums_hold_change_nothing():
    """Of more rows postings have fewer bits for values; a query of too many terms meets all rows."""
    rng = np.random.default_rng(0)
    n, features = 70_000, 40
    kept = rng.random((n, features)) * (rng.random((n, features)) < 0.03)
    kept[:, 0] = rng.random(n)  # a frequent one
    asked = rng.random((4, features)) * (rng.random((4, features)) < 0.4)
    kept, asked = kept.astype(np.float32), asked.astype(np.float32)
    found, scores = _core.RowNeighbours(*csr(kept), features).nearest(*csr(asked), 10)
    products = asked.astype(np.float64) @ kept.astype(np.float64).T
    np.testing.assert_array_equal(found, np.argsort(-products, axis=1, kind="stable")[:, :10])
    np.testing.assert_allclose(scores, np.sort(products, axis=1)[:, ::-1][:, :10], rtol=1e-9)

    wide = 30_000
    kept = (rng.random((300, wide)) * (rng.random((300, wide)) < 0.01)).astype(np.float32)
    asked = np.concatenate([rng.random((1, wide)), kept[7:8]]).astype(np.float32)
    found, _ = _core.RowNeighbours(*csr(kept), wide).nearest(*csr(asked), 5)
    products = asked.astype(np.float64) @ kept.astype(np.float64).T
    np.testing.assert_array_equal(found, np.argsort(-products, axis=1, kind="stable")[:, :5])


def test_values_that_are_no_numbers_are_refused():
    arrays = csr(np.eye(3, dtype=np.float32))
    index = _core.RowNeighbours(*arrays, 3)
    for wrong in (np.nan, np.inf):
        values = np.full(3, wrong, np.float32)
        with pytest.raises(ValueError, match="not a finite number"):
            _core.RowNeighbours(*arrays[:2], values, 3)
        with pytest.raises(ValueError, match="not a finite number"):
            index.nearest(*arrays[:2], values, 1)


def texts(count, seed):
    """Zipf's words, so that some lists are long."""
    rng = np.random.default_rng(seed)
    return [
        " ".join(f"w{w}" for w in rng.zipf(1.3, rng.integers(1, 30)) if w < 2000) or "w1"
        for _ in range(count)
    ]


@pytest.mark.parametrize("threads", [1, 2])
def test_neighbours_of_texts_are_scikit_learns(threads):
    neighbors = pytest.importorskip("sklearn.neighbors")
    X, queries = texts(400, 0), texts(100, 1)
    y = ["xy"[len(text) % 2] for text in X]
    memory = TextNeighbors(k=5, n_jobs=threads).fit(X, y)
    found, cosines = memory.kneighbors(queries)
    rows = memory.features_.transform(X)
    peer = neighbors.NearestNeighbors(n_neighbors=5, metric="cosine", algorithm="brute").fit(rows)
    distances, _ = peer.kneighbors(memory.features_.transform(queries))
    np.testing.assert_allclose(1 - cosines, distances, atol=1e-6)
    best = memory.predict(queries)
    for i, row in enumerate(found):
        votes = dict.fromkeys("xy", 0.0)
        for text, cosine in zip(row, cosines[i], strict=True):
            votes[y[text]] += max(cosine, 0.0)
        if abs(votes["x"] - votes["y"]) > 1e-9:
            assert best[i] == max(votes, key=votes.get)


def test_votes_explanations_and_files(tmp_path):
    X = ["the linnet sings", "a linnet sang", "the engine stalled", "an old engine"]
    y = ["bird", "bird", "car", "car"]
    memory = TextNeighbors(k=3, vote="equal").fit(X, y)
    told = memory.explain("a linnet")
    assert told.label == "bird"
    assert [n.number for n in told.neighbours[:2]] == [2, 1]
    assert any(said.startswith("linnet ") for said in told.neighbours[0].agree)
    np.testing.assert_allclose(memory.predict_proba(X).sum(axis=1), 1)
    memory.save(tmp_path / "m.linnet")
    loaded = linnet.load(tmp_path / "m.linnet")
    np.testing.assert_array_equal(loaded.predict_proba(X), memory.predict_proba(X))
    assert str(loaded.explain(X)) == str(memory.explain(X))
    assert loaded.get_params() == memory.get_params()


def test_ties_go_to_the_nearest_and_strangers_to_all():
    X = ["aa bb", "cc dd", "cc ee"]
    memory = TextNeighbors(TextFeatures(word=(1, 1)), k=2, vote="equal").fit(X, ["x", "y", "y"])
    assert memory.predict(["aa bb dd"]).tolist() == ["x"]
    assert memory.predict(["zz"]).tolist() in (["x"], ["y"])


def test_what_is_refused():
    for wrong in ({"k": 0}, {"vote": "loud"}, {"features": TextFeatures(norm="none")}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            TextNeighbors(**wrong).fit(["aa", "bb"], [0, 1])
