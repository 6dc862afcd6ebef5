"""Text features against scikit-learn's vectorisers, formulas and themselves."""

from __future__ import annotations

import itertools
import json
import pickle
import re
import signal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

import linnet
from linnet.data import as_texts
from linnet.data.matrix import CsrRows
from linnet.errors import DataError
from linnet.features import TextFeatures, label_ratios

WORDS = re.findall(r"\S+", "the cat sat on a mat . dogs , Cats ! and The film was not good at all ?")
RNG = np.random.default_rng(3)
TEXTS = [
    " ".join(WORDS[int(k)] for k in RNG.zipf(1.5, RNG.integers(0, 60)) % len(WORDS)) for _ in range(150)
]
CODES = RNG.integers(0, 2, len(TEXTS)).astype(np.int32)
PEER = {"token_pattern": r"\w+|[^\w\s]", "ngram_range": (1, 2), "dtype": np.float64}

text = st.text(st.sampled_from("ab cé.,A’\n漢\ud800"), max_size=30)


def by_name(rows: CsrRows, features: TextFeatures) -> dict[str, np.ndarray]:
    dense = rows.scipy().toarray()
    return {name: dense[:, j] for j, name in enumerate(features.names)}


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


@settings(max_examples=60, deadline=None)
@given(st.lists(text, max_size=12), st.lists(st.integers(0, 12), max_size=3))
def test_a_stream_in_chunks_is_the_whole_at_once(texts: list[str], cuts: list[int]) -> None:
    settings = {"chars_wb": (2, 3), "tf": "count", "norm": "none"}
    whole = TextFeatures(**settings)
    expected = whole.fit_rows(texts)
    stream = TextFeatures(**settings)
    places = [0, *sorted(min(c, len(texts)) for c in cuts), len(texts)]
    chunks = [stream.grow_rows(texts[a:b]) for a, b in itertools.pairwise(places)]
    np.testing.assert_array_equal(np.concatenate([c.indices for c in chunks]), expected.indices)
    np.testing.assert_array_equal(np.concatenate([c.values for c in chunks]), expected.values)
    assert list(stream.names) == list(whole.names)
    again = stream.rows(texts)
    np.testing.assert_array_equal(again.indices, expected.indices)


def test_idf_follows_a_stream() -> None:
    whole, stream = (TextFeatures(scale="idf") for _ in range(2))
    whole.fit_rows(TEXTS)
    stream.grow_rows(TEXTS[:40])
    stream.grow_rows(TEXTS[40:])
    np.testing.assert_array_equal(stream.values, whole.values)
    np.testing.assert_array_equal(stream.rows(TEXTS).values, whole.rows(TEXTS).values)


@pytest.mark.parametrize(
    "settings", [{"min_df": 2}, {"tf": "count", "scale": "idf"}, {"hash_bits": 6, "tf": "count"}]
)
def test_the_same_bits_for_any_number_of_threads(settings: dict) -> None:
    texts = [f"{t} number{i % 500} {i}" for i, t in enumerate(TEXTS * 30)]
    results = []
    for threads in (1, 2, 3):
        features = TextFeatures(chars=(2, 3), statistics=["punctuation", "length"], **settings)
        fitted = features.fit_rows(texts, threads=threads)
        rows = features.rows(texts, threads=threads)
        results.append([fitted.indptr, fitted.indices, fitted.values, rows.indices, rows.values])
        results[-1].extend(features.tensors().values())
    for other in results[1:]:
        for a, b in zip(results[0], other, strict=True):
            assert a.tobytes() == b.tobytes()


@settings(max_examples=60, deadline=None)
@given(st.lists(text, min_size=1, max_size=8), text)
def test_occurrences_add_up_to_the_row(texts: list[str], one: str) -> None:
    features = TextFeatures(chars=(1, 3), skip=1, tf="sublinear", scale="idf", statistics=["length"])
    features.fit_rows(texts)
    row = features.rows([one])
    sums: dict[int, float] = {}
    for j, begin, end, name, share in features.occurrences(one):
        sums[j] = sums.get(j, 0.0) + share
        if j >= 0:
            assert features.names[j] == name
        if begin >= 0:
            assert 0 <= begin <= end <= len(one)
            if name.startswith("chars:") and not any(c.isspace() for c in one[begin:end]):
                shown = one[begin:end].lower().replace("\ud800", "\ufffd")
                assert name == f"chars:{shown}"
    sums.pop(-1, None)
    assert sums.keys() == set(row.indices.tolist())
    for j, x in zip(row.indices.tolist(), row.values.tolist(), strict=True):
        assert sums[j] == pytest.approx(x, rel=1e-6)


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


@pytest.mark.parametrize(
    "settings",
    [
        {"min_df": 2},
        {"scale": "idf", "tf": "sublinear"},
        {"scale": "nb", "statistics": ("length",), "stop_words": "english"},
        {"hash_bits": 8},
        {"hash_bits": 8, "keep_names": True, "scale": "idf"},
    ],
)
def test_parts_give_the_same_features_again(settings: dict) -> None:
    features = TextFeatures(**settings)
    features.fit_rows(TEXTS, CODES, 2)
    spec = json.loads(json.dumps(features.spec()))
    tensors = features.tensors()
    for array in tensors.values():
        array.flags.writeable = False
    loaded = TextFeatures.from_parts(spec, tensors)
    ours, theirs = features.rows(TEXTS), loaded.rows(TEXTS)
    assert ours.values.tobytes() == theirs.values.tobytes()
    assert ours.indices.tobytes() == theirs.indices.tobytes()
    assert list(loaded.names) == list(features.names)
    assert loaded.spec() == features.spec()
    if "statistics" not in settings and settings.get("scale") != "nb":
        more = ["entirely new words", *TEXTS[:3]]
        a, b = features.grow_rows(more), loaded.grow_rows(more)
        assert a.indices.tobytes() == b.indices.tobytes()
        assert a.values.tobytes() == b.values.tobytes()
        assert list(loaded.names) == list(features.names)


def test_a_hostile_table_is_refused_or_harmless() -> None:
    features = TextFeatures(scale="idf")
    features.fit_rows(TEXTS)
    spec, tensors = features.spec(), features.tensors()
    for name, array in tensors.items():
        with pytest.raises(DataError):
            TextFeatures.from_parts(spec, tensors | {name: array[:-1]})
        with pytest.raises(DataError):
            TextFeatures.from_parts(spec, {k: v for k, v in tensors.items() if k != name})
    with pytest.raises(DataError):
        TextFeatures.from_parts(spec | {"features": 10**9}, tensors)
    rng = np.random.default_rng(0)
    for slots in (
        rng.integers(0, 2**64, len(tensors["slots"]), dtype=np.uint64),  # full, ids anywhere
        tensors["slots"] | np.uint64(0x7FFFFFFF),
        np.full_like(tensors["slots"], 2**64 - 1),
    ):
        loaded = TextFeatures.from_parts(spec, tensors | {"slots": slots})
        rows = loaded.rows(TEXTS)
        assert ((rows.indices >= 0) & (rows.indices < features.n_features)).all()
    offsets = rng.integers(-(2**62), 2**62, len(tensors["name_offsets"]))
    offsets[0], offsets[-1] = 0, tensors["name_offsets"][-1]
    assert len(list(TextFeatures.from_parts(spec, tensors | {"name_offsets": offsets}).names)) > 0


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


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer that signals")
@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupted_stream_is_as_before(threads: int) -> None:
    features = TextFeatures(chars=(1, 6), scale="idf")
    features.grow_rows(TEXTS[:10])
    names, values = list(features.names), features.values
    many = as_texts([f"{text} {i}" for i, text in enumerate(TEXTS * 200)])

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(KeyboardInterrupt):
            features.grow_rows(many, threads=threads)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert list(features.names) == names
    np.testing.assert_array_equal(features.values, values)
    fresh = TextFeatures(chars=(1, 6), scale="idf")
    for chunk in (TEXTS[:10], TEXTS[10:20]):
        expected = fresh.grow_rows(chunk)
    again = features.grow_rows(TEXTS[10:20])
    np.testing.assert_array_equal(again.indices, expected.indices)
    np.testing.assert_array_equal(again.values, expected.values)


def test_nothing_learnt_from_nothing() -> None:
    features = TextFeatures()
    assert features.fit_rows([]).shape == (0, 0)
    assert features.rows(["a text"]).shape == (1, 0)
    assert list(features.names) == []


def test_features_can_be_pickled() -> None:
    features = TextFeatures(min_df=2, scale="idf")
    assert repr(pickle.loads(pickle.dumps(features))) == repr(features)
    expected = features.fit_rows(TEXTS)
    again = pickle.loads(pickle.dumps(features))
    assert again.rows(TEXTS).values.tobytes() == expected.values.tobytes()
    assert again.get_params() == features.get_params()


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
