"""Texts from anything that holds strings."""

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet import _core
from linnet.data import as_texts
from linnet.errors import DataError

WORDS = ["one", "", "zwölf Boxkämpfer", "漢字", "a text of more than twelve bytes", "one", "nul\0l"]
ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]))


def contents(texts: _core.Texts) -> list[str]:
    gc.collect()  # nothing but the texts themselves keeps the bytes alive
    return list(texts)


def pandas(dtype: str) -> Callable[[list[str]], Any]:
    def make(words: list[str]) -> Any:
        if "pyarrow" in dtype:
            pytest.importorskip("pyarrow")
        return pytest.importorskip("pandas").Series(words, dtype=dtype)

    return make


def arrow(kind: str) -> Callable[[list[str]], Any]:
    def make(words: list[str]) -> Any:
        pa = pytest.importorskip("pyarrow")
        return pa.array(words, type=getattr(pa, kind)())

    return make


def dictionary(words: list[str]) -> Any:
    pa = pytest.importorskip("pyarrow")
    return pa.array(words, type=pa.string()).dictionary_encode()


def chunked(words: list[str]) -> Any:
    pa = pytest.importorskip("pyarrow")
    return pa.chunked_array([words[:2], [], words[2:]], type=pa.string())


def sliced(words: list[str]) -> Any:
    pa = pytest.importorskip("pyarrow")
    return pa.array(["x", None, *words, None, "y"])[2:-2]


def polars(words: list[str]) -> Any:
    return pytest.importorskip("polars").Series(words)


SOURCES = {
    "list": list,
    "tuple": tuple,
    "iterator": iter,
    "bytes": lambda words: [word.encode() for word in words],
    "objects": lambda words: np.array(words, dtype=object),
    "numpy": np.array,
    "pandas": pandas("object"),
    "pandas strings": pandas("string"),
    "pandas arrow": pandas("string[pyarrow]"),
    "pandas categories": pandas("category"),
    "arrow": arrow("string"),
    "arrow large": arrow("large_string"),
    "arrow views": arrow("string_view"),
    "arrow binary": arrow("binary"),
    "arrow dictionary": dictionary,
    "arrow chunks": chunked,
    "arrow slice": sliced,
    "polars": polars,
    "polars slice": lambda words: polars(["x", *words, "y"])[1:-1],
}


@pytest.mark.parametrize("source", SOURCES)
def test_round_trip(source: str) -> None:
    texts = as_texts(SOURCES[source](WORDS))
    assert contents(texts) == WORDS
    assert len(texts) == len(WORDS)
    assert texts.size_in_bytes == sum(len(word.encode()) for word in WORDS)


@pytest.mark.parametrize("source", SOURCES)
def test_no_texts_are_texts(source: str) -> None:
    if source == "numpy":
        return  # an empty array of numbers
    assert len(as_texts(SOURCES[source]([]))) == 0


@given(st.lists(ANY_TEXT, max_size=30))
def test_any_strings_round_trip(words: list[str]) -> None:
    assert list(as_texts(words)) == words


@pytest.mark.parametrize("kind", ["string", "large_string", "string_view"])
@given(words=st.lists(ANY_TEXT, max_size=30), start=st.integers(0, 30))
def test_any_arrow_slices_round_trip(kind: str, words: list[str], start: int) -> None:
    array = arrow(kind)(words)[start:]
    assert list(as_texts(array)) == words[start:]


def test_texts_are_texts() -> None:
    texts = as_texts(WORDS)
    assert as_texts(texts) is texts


def test_bytes_are_kept_alive() -> None:
    words = [f"text number {i}, of some length" for i in range(1000)]
    texts = as_texts([str(word) + "!" for word in words])
    taken = texts.take(np.arange(0, 1000, 3))
    del texts
    gc.collect()
    junk = [f"another {i} that would take its place" for i in range(5000)]
    assert contents(taken) == [word + "!" for word in words[::3]]
    assert len(junk) == 5000


def test_the_list_may_change() -> None:
    words = ["a" * 50, "b" * 50]
    texts = as_texts(words)
    words.clear()
    assert contents(texts) == ["a" * 50, "b" * 50]


def test_parts_of_a_buffer() -> None:
    data = bytearray(b"eins zwei drei")
    starts, ends = np.array([0, 5, 10, 14]), np.array([4, 9, 14, 14])
    texts = _core.Texts.from_spans(data, starts, ends)
    assert contents(texts) == ["eins", "zwei", "drei", ""]
    with pytest.raises(BufferError):
        data.extend(b"more")  # the bytes are in use
    array = np.frombuffer(bytes(data), dtype=np.uint8).copy()
    texts = _core.Texts.from_spans(array, starts, ends)
    del array
    assert contents(texts) == ["eins", "zwei", "drei", ""]


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (3, 2), (0, 15), (2**62, 2**62 + 1)])
def test_parts_outside_the_buffer_are_refused(start: int, end: int) -> None:
    with pytest.raises(ValueError, match="span 1"):
        _core.Texts.from_spans(b"eins zwei drei", np.array([0, start]), np.array([1, end]))


def test_places_outside_are_refused() -> None:
    texts = as_texts(WORDS)
    for place in (-1, len(WORDS)):
        with pytest.raises(IndexError):
            texts.take(np.array([place]))
    with pytest.raises(IndexError):
        texts[len(WORDS)]
    assert texts[-1] == WORDS[-1]


def test_malformed_bytes_and_lone_surrogates_become_replacement_characters() -> None:
    texts = as_texts([b"\xff\xfe a", "\ud800", "x\udfffy", b"\xed\xa0\x80"])
    assert contents(texts) == ["\ufffd\ufffd a", "\ufffd", "x\ufffdy", "\ufffd" * 3]


@given(st.lists(st.sampled_from(["b", "a", "ß", "z", "漢", "\U0001f642", "\uffff", ""]), max_size=20))
def test_codes_number_the_sorted_distinct_texts(words: list[str]) -> None:
    codes, names = as_texts(words).codes()
    assert names == sorted(set(words))
    assert codes.dtype == np.int32
    assert [names[code] for code in codes] == words


def test_malformed_labels_that_read_alike_are_one() -> None:
    codes, names = as_texts([b"\xff", b"a", b"\xfe"]).codes()
    assert names == ["a", "\ufffd"]
    assert codes.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("a text", "X is a single text"),
        (b"a text", "X is a single text"),
        (["a", 3], "text 1 is of type int"),
        (["a", None], "text 1 is of type NoneType"),
        (np.array([1.0]), "text 0 is of type float"),
        (np.array([["a"]]), "2 dimensions"),
        (7, "not int"),
    ],
)
def test_what_is_no_texts_is_refused(source: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        as_texts(source)


@pytest.mark.parametrize("kind", ["string", "large_string", "string_view"])
def test_nulls_are_refused_with_their_row(kind: str) -> None:
    pa = pytest.importorskip("pyarrow")
    type_ = getattr(pa, kind)()
    with pytest.raises(DataError, match="text 3 is missing"):
        as_texts(pa.chunked_array([["a", "b"], ["c", None]], type=type_))
    with pytest.raises(DataError, match="text 1 is missing"):
        as_texts(pa.array([None, "a", None], type=type_)[1:])
    assert contents(as_texts(pa.array([None, "a"], type=type_)[1:])) == ["a"]


def test_nulls_of_dictionaries_are_refused_with_their_row() -> None:
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(DataError, match="text 1 is missing"):
        as_texts(pa.array(["a", None]).dictionary_encode())
    words = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", None]))
    with pytest.raises(DataError, match="text 1 is missing"):
        as_texts(words)


def test_a_column_of_nothing_but_nulls_is_refused() -> None:
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(DataError, match="text 0 is missing"):
        as_texts(pa.nulls(2))


def test_a_table_is_refused() -> None:
    pd = pytest.importorskip("pandas")
    with pytest.raises(DataError, match="2 dimensions"):
        as_texts(pd.DataFrame({"text": WORDS}))


def test_columns_of_other_things_are_refused() -> None:
    pa = pytest.importorskip("pyarrow")
    for column in (pa.array([1, 2]), pa.table({"a": ["x"]}), pa.array([1, 2]).dictionary_encode()):
        with pytest.raises(DataError, match="pass one column of text"):
            as_texts(column)


def test_arrow_data_are_used_once() -> None:
    pa = pytest.importorskip("pyarrow")

    class Once:
        def __init__(self) -> None:
            self.capsules = pa.array(["a"]).__arrow_c_array__()

        def __arrow_c_array__(self, _schema: object = None) -> Any:
            return self.capsules

    once = Once()
    assert contents(as_texts(once)) == ["a"]
    with pytest.raises(DataError, match="used up"):
        as_texts(once)


def test_what_only_claims_to_be_arrow_is_refused() -> None:
    class Liar:
        def __arrow_c_stream__(self, _schema: object = None) -> Any:
            return 3

    with pytest.raises(ValueError, match="PyCapsule"):
        as_texts(Liar())
