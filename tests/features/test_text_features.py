"""Text features against scikit-learn's vectorisers and formulas."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

import linnet
from linnet.data.matrix import CsrRows
from linnet.errors import DataError
from linnet.features import TextFeatures, label_ratios

from .text_sample import CODES, PEER, TEXTS, by_name


def assert_same(features: TextFeatures, rows: CsrRows, peer: CountVectorizer) -> None:
    expected = peer.transform(TEXTS).toarray()
    ours = by_name(rows, features)
    assert set(ours) == set(peer.vocabulary_)
    for name, j in peer.vocabulary_.items():
        np.testing.assert_allclose(ours[name], expected[:, j], rtol=2e-6, atol=1e-7, err_msg=name)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({"tf": "count"}, {}),
        ({"tf": "binary"}, {"binary": True}),
        ({"tf": "count", "min_df": 3}, {"min_df": 3}),
        ({"tf": "count", "min_df": 0.1, "max_df": 0.5}, {"min_df": 0.1, "max_df": 0.5}),
        ({"tf": "count", "max_df": 40}, {"max_df": 40}),
        ({"tf": "count", "stop_words": ["the", "A"]}, {"stop_words": ["the", "a"]}),
        ({"tf": "count", "lowercase": False}, {"lowercase": False}),
    ],
)
def test_counts_as_scikit_learn_does(ours: dict, theirs: dict) -> None:
    features = TextFeatures(norm="none", **ours)
    rows = features.fit_rows(TEXTS)
    assert_same(features, rows, CountVectorizer(**PEER, **theirs).fit(TEXTS))
    assert_same(features, features.rows(TEXTS), CountVectorizer(**PEER, **theirs).fit(TEXTS))


@pytest.mark.parametrize("norm", ["none", "l1", "l2"])
@pytest.mark.parametrize("tf", ["count", "binary", "sublinear"])
@pytest.mark.parametrize("scale", ["none", "idf"])
def test_weighs_as_scikit_learn_does(tf: str, scale: str, norm: str) -> None:
    features = TextFeatures(tf=tf, scale=scale, norm=norm, min_df=2)
    rows = features.fit_rows(TEXTS)
    peer = TfidfVectorizer(
        **PEER,
        min_df=2,
        binary=tf == "binary",
        sublinear_tf=tf == "sublinear",
        use_idf=scale == "idf",
        norm=None if norm == "none" else norm,
    ).fit(TEXTS)
    assert_same(features, rows, peer)
    assert_same(features, features.rows(TEXTS), peer)


def test_the_most_frequent_features_are_kept_in_order_of_occurrence() -> None:
    all_of_them = TextFeatures(norm="none")
    df = np.bincount(all_of_them.fit_rows(TEXTS).indices)
    names = list(all_of_them.names)
    order = sorted(range(len(df)), key=lambda j: (-df[j], j))[:25]
    few = TextFeatures(max_features=25)
    few.fit_rows(TEXTS)
    assert list(few.names) == [names[j] for j in sorted(order)]


def test_large_counts_survive_their_byte() -> None:
    texts = ["a " * 254, "b", "a " * 255 + "b", "a " * 70000, "c", "b b"]
    features = TextFeatures(word=(1, 1), tf="count", norm="none", min_df=2)
    dense = features.fit_rows(texts).scipy().toarray()
    np.testing.assert_array_equal(dense[:, 0], [254, 0, 255, 70000, 0, 0])
    np.testing.assert_array_equal(dense[:, 1], [0, 1, 1, 0, 0, 2])
    np.testing.assert_array_equal(features.rows(texts).scipy().toarray(), dense)


def ratios_by_formula(t: np.ndarray, codes: np.ndarray, label: int, alpha: float) -> np.ndarray:
    p = alpha + t[codes == label].sum(axis=0)
    q = alpha + t[codes != label].sum(axis=0)
    return np.log(p / p.sum()) - np.log(q / q.sum())


@pytest.mark.parametrize("tf", ["count", "binary", "sublinear"])
def test_two_labels_scale_by_the_log_count_ratio(tf: str) -> None:
    features = TextFeatures(tf=tf, scale="nb", alpha=0.5, norm="l2", min_df=2)
    rows = features.fit_rows(TEXTS, CODES, 2).scipy().toarray()
    t = TextFeatures(tf=tf, norm="none", min_df=2).fit_rows(TEXTS).scipy().toarray()
    t = t.astype(np.float64)
    r = ratios_by_formula(t, CODES, 1, 0.5)
    np.testing.assert_allclose(features.values, r, rtol=1e-5, atol=1e-6)
    norms = np.linalg.norm(t * r, axis=1, keepdims=True)
    np.testing.assert_allclose(rows, t * r / np.where(norms > 0, norms, 1), rtol=1e-4, atol=1e-6)


def test_ratios_of_several_labels() -> None:
    codes = (np.arange(len(TEXTS)) % 4).astype(np.int32)
    features = TextFeatures(scale="nb")
    rows = features.fit_rows(TEXTS, codes, 4)
    np.testing.assert_array_equal(features.values, 1)
    ratios = label_ratios(rows, codes, 4, alpha=2.0)
    present = (rows.scipy().toarray() != 0).astype(np.float64)
    for label in range(4):
        expected = ratios_by_formula(present, codes, label, 2.0)
        np.testing.assert_allclose(ratios[:, label], expected, rtol=1e-5, atol=1e-6)
    sums = label_ratios(rows, codes, 4, binary=False)
    expected = ratios_by_formula(rows.scipy().toarray().astype(np.float64), codes, 2, 1.0)
    np.testing.assert_allclose(sums[:, 2], expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("name", "f"), [("abs", np.abs), ("square", np.square)])
def test_elementwise_comes_before_the_norm(name: str, f: np.ufunc) -> None:
    plain = TextFeatures(scale="nb", norm="none").fit_rows(TEXTS, CODES, 2).scipy().toarray()
    rows = TextFeatures(scale="nb", norm="l1", elementwise=name).fit_rows(TEXTS, CODES, 2)
    expected = f(plain)
    sums = np.abs(expected).sum(axis=1, keepdims=True)
    expected = expected / np.where(sums > 0, sums, 1)
    np.testing.assert_allclose(rows.scipy().toarray(), expected, rtol=1e-5, atol=1e-7)


def test_hashing_adds_up_what_shares_a_bucket() -> None:
    interned = TextFeatures(tf="count", norm="none")
    counts = interned.fit_rows(TEXTS).scipy()
    hashed = TextFeatures(tf="count", norm="none", hash_bits=5, keep_names=True)
    rows = hashed.fit_rows(TEXTS)
    buckets = (interned.tensors()["hashes"] >> np.uint64(59)).astype(np.int64)
    merge = csr_matrix((np.ones(len(buckets)), (np.arange(len(buckets)), buckets)), (len(buckets), 32))
    np.testing.assert_array_equal(rows.scipy().toarray(), (counts @ merge).toarray())
    assert not linnet._core.Rows.csr(rows.indptr, rows.indices, rows.values, 32, 0).has_duplicates()
    sizes = np.bincount(buckets, minlength=32)
    assert hashed.collisions == sizes[sizes > 1].sum()
    first = interned.names[0]
    assert hashed.names[int(buckets[0])].split(" | ")[0] == first
    assert len(hashed.names) == hashed.n_features == 32
    assert TextFeatures(hash_bits=5).fit(TEXTS).names[7] == "hash:7"


def test_columns_stand_after_the_words_outside_of_the_norm() -> None:
    features = TextFeatures(
        word=(1, 1), statistics=["digits", "length"], numeric=["price"], categorical=["kind"]
    )
    columns = {"price": [2.0, -4.0], "kind": ["film", "book"]}
    dense = features.fit_rows(["ab 12", "ab"], columns=columns).scipy().toarray()
    beside = ["text:digits", "text:length", "column:price", "column:kind=book", "column:kind=film"]
    assert list(features.names) == ["ab", "12", *beside]
    expected = [
        [0.5**0.5, 0.5**0.5, 0.5, np.log(3), 0.5, 0, 1],
        [1, 0, 0, np.log(2), -1, 1, 0],
    ]
    np.testing.assert_allclose(dense, expected, rtol=1e-6)
    new = features.rows(["ab"], columns={"price": [8], "kind": ["play"]}).scipy().toarray()
    np.testing.assert_allclose(new, [[1, 0, 0, np.log(2), 2, 0, 0]], rtol=1e-6)
    last = features.occurrences("ab", columns={"price": 8, "kind": "book"})[-1]
    assert last == (5, -1, -1, "column:kind=book", 1.0)
    with pytest.raises(DataError, match="no column 'price'"):
        features.rows(["ab"])
    with pytest.raises(DataError, match="holds nan at position 0"):
        features.rows(["ab"], columns={"price": [np.nan], "kind": ["book"]})
    with pytest.raises(DataError, match="does not hold numbers"):
        features.rows(["ab"], columns={"price": ["dear"], "kind": ["book"]})


def test_text_statistics() -> None:
    features = TextFeatures(
        word=(1, 1), statistics=["punctuation", "uppercase", "digits"], norm="none", max_features=1
    )
    dense = features.fit_rows(["Ab, ÄÖ 1!", ""]).scipy().toarray()
    np.testing.assert_allclose(dense[:, 1:], [[2 / 7, 3 / 7, 1 / 7], [0, 0, 0]], rtol=1e-6)


def test_refusals_say_what_to_do() -> None:
    with pytest.raises(ValueError, match="scale must be one of"):
        TextFeatures(scale="tfidf").fit_rows(TEXTS)
    with pytest.raises(ValueError, match="needs labels"):
        TextFeatures(scale="nb").fit_rows(TEXTS)
    with pytest.raises(ValueError, match="min_df must be"):
        TextFeatures(min_df=1.5).fit_rows(TEXTS)
    with pytest.raises(ValueError, match="allows fewer documents"):
        TextFeatures(min_df=5, max_df=2).fit_rows(TEXTS)
    with pytest.raises(ValueError, match="hashing forgets"):
        TextFeatures(min_df=2, hash_bits=10).fit_rows(TEXTS)
    with pytest.raises(ValueError, match="from 1 to 30"):
        TextFeatures(hash_bits=40).fit_rows(TEXTS)
    with pytest.raises(ValueError, match="all texts at once"):
        TextFeatures(scale="nb").grow_rows(TEXTS)
    with pytest.raises(ValueError, match="leave statistics"):
        TextFeatures(statistics=["length"]).grow_rows(TEXTS)
    with pytest.raises(ValueError, match="learnt nothing"):
        TextFeatures().rows(TEXTS)
    with pytest.raises(ValueError, match="statistics may be"):
        TextFeatures(statistics=["size"]).fit_rows(TEXTS)
    with pytest.raises(ValueError, match="'english'"):
        TextFeatures(stop_words="klingon").fit_rows(TEXTS)
    with pytest.raises(ValueError, match="shortest, longest"):
        TextFeatures(word=2).fit_rows(TEXTS)


def test_scikit_learn_protocol() -> None:
    from sklearn.base import clone

    features = clone(TextFeatures(min_df=2, scale="nb"))
    X = features.fit_transform(TEXTS, np.where(CODES, "good", "bad"))
    assert X.shape == (len(TEXTS), features.n_features) == features.transform(TEXTS).shape
    assert features.get_feature_names_out().tolist() == list(features.names)
    assert linnet.TextFeatures is TextFeatures


def test_nothing_learnt_from_nothing() -> None:
    features = TextFeatures()
    assert features.fit_rows([]).shape == (0, 0)
    assert features.rows(["a text"]).shape == (1, 0)
    assert list(features.names) == []


def test_rows_without_scipy_train_a_model() -> None:
    rows = TextFeatures(tf="count").fit_rows(["good film", "bad film"] * 10)
    doubled = CsrRows(
        np.array([0, 2], dtype=np.int64),
        np.array([1, 1], dtype=np.int32),
        np.array([1, 2], dtype=np.float32),
        2,
    )
    from linnet.data.matrix import as_rows

    assert as_rows(rows, 1.0).nonzeros == len(rows.values)
    assert as_rows(doubled, 1.0).nonzeros == 1
    assert rows.shape == (len(rows), rows.features) == (20, 5)
