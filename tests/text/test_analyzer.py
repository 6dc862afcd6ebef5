"""Tokens and n-grams: against a tokeniser in Python, against scikit-learn, and on any bytes."""

import re
import runpy
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from linnet import _core

from . import reference

Analyzer = _core.Analyzer
EVERYTHING = [("word", 1, 3), ("skip", 1, 2), ("chars", 1, 4), ("chars_wb", 1, 5), ("shape", 1, 2)]
ROOT = Path(__file__).parents[2]
TABLES = (ROOT / "cpp" / "linnet" / "text" / "unicode_tables.hpp").read_text(encoding="utf-8")
SAME_UNICODE = f"Unicode {unicodedata.unidata_version};" in TABLES
same_unicode = pytest.mark.skipif(not SAME_UNICODE, reason="Python knows another version of Unicode")

# Letters with and without case, marks, joiners, ideographs, symbols, spaces of all kinds, rarities of
# lower-casing; short texts of few characters repeat themselves, long ones cross blocks of 64 bytes.
CHARACTERS = (
    "aAbBzZ09_ ,.-'!@\t\n\x00\x1c\x7f\x85\xa0\u2028\u3000éÉßñ\u0301\u200dİ"
    "ıΣσςǅÅȺЖж漢字カ한\u0e01²½①ⅣⒶ€❤\ufe0f🙂\U0001d400\ufffd"
)
SOME_TEXT = st.one_of(
    st.text(alphabet=CHARACTERS, max_size=40),
    st.text(alphabet="ab A.\u00e9", min_size=50, max_size=300),
    st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=30),
)
ASCII = st.text(alphabet=st.sampled_from("abcXYZ 019.,'-_  "), max_size=60)


def text_of(data: bytes) -> str:
    return data.decode("utf-8", "replace")


@given(
    st.binary(max_size=200), st.booleans(), st.booleans(), st.sampled_from(["unicode", "whitespace"])
)
def test_any_bytes_have_grams_with_valid_spans(
    data: bytes, lowercase: bool, punctuation: bool, tokens: str
) -> None:
    analyzer = Analyzer(EVERYTHING, lowercase, punctuation, tokens, ["a"])
    hashes, begin, end, block, pad = analyzer.grams(data)
    assert np.all(begin < end)
    assert np.all(end <= len(data))
    assert np.all(block < len(EVERYTHING))
    assert np.all((pad == 0) | (block == 3))
    assert len(analyzer.names(data)) == len(hashes)
    np.testing.assert_array_equal(analyzer.hashes(data), hashes)


@given(st.one_of(st.binary(max_size=30), st.lists(st.integers(0xBF, 0xF5), max_size=6).map(bytes)))
@example(b"\xf0\x90\x80")
@example(b"\xed\xa0\x80")
@example(b"\xe2\x82x\xf4\x90\x80\x80")
def test_malformed_bytes_read_as_python_reads_them(data: bytes) -> None:
    analyzer = Analyzer(EVERYTHING)
    np.testing.assert_array_equal(analyzer.hashes(data), analyzer.hashes(text_of(data)))
    assert analyzer.names(data) == analyzer.names(text_of(data))


@given(SOME_TEXT)
def test_spans_begin_and_end_between_characters(text: str) -> None:
    data = text.encode()
    _, begin, end, *_ = Analyzer(EVERYTHING).grams(text)
    for b, e in zip(begin, end, strict=True):
        data[b:e].decode()


@same_unicode
@given(SOME_TEXT, st.booleans(), st.booleans())
@example("a\u0301b ,\u0301b \u0301b 漢\ufe00字\u0301a", True, True)
def test_tokens_are_those_of_the_reference(text: str, lowercase: bool, punctuation: bool) -> None:
    analyzer = Analyzer([("word", 1, 1)], lowercase, punctuation)
    expected = reference.tokens(text, punctuation)
    if lowercase:
        expected = [reference.lower(token) for token in expected]
    assert analyzer.tokens(text) == expected
    assert analyzer.names(text) == expected


@same_unicode
@given(st.text(alphabet=CHARACTERS.replace("漢字", ""), max_size=60))
def test_tokens_are_those_of_a_regular_expression(text: str) -> None:
    text = "".join(c for c in text if not reference.is_mark(c))
    if "".join(map(str.lower, text)) == reference.lower(text) == text.lower():
        assert Analyzer([("word", 1, 1)]).tokens(text) == re.findall(r"\w+|[^\w\s]", text.lower())


@same_unicode
def test_every_character_is_classed_and_lowered_as_in_python() -> None:
    analyzer = Analyzer([("word", 1, 1)])
    for start in range(0, 0x110000, 0x800):
        text = " ".join(map(chr, range(start, start + 0x800)))
        if 0xD800 <= start < 0xE000:
            continue
        assert analyzer.tokens(text) == [reference.lower(t) for t in reference.tokens(text)]


@given(SOME_TEXT)
def test_whitespace_tokens_are_pythons_split(text: str) -> None:
    analyzer = Analyzer([("word", 1, 1)], lowercase=False, tokens="whitespace")
    assert analyzer.tokens(text) == text.split()


@given(SOME_TEXT, st.integers(1, 3), st.integers(0, 2), st.booleans())
def test_word_sequences(text: str, shortest: int, more: int, stop: bool) -> None:
    stop_words = ["a", "B"] if stop else []
    longest = shortest + more
    analyzer = Analyzer([("word", shortest, longest)], stop_words=stop_words)
    tokens = [t for t in Analyzer([]).tokens(text) if not stop or t not in ("a", "b")]
    expected = [
        " ".join(tokens[i : i + n])
        for n in range(shortest, longest + 1)
        for i in range(len(tokens) - n + 1)
    ]
    assert analyzer.tokens(text) == tokens
    assert analyzer.names(text) == expected


@given(SOME_TEXT, st.integers(1, 4))
def test_skip_pairs_leave_out_up_to_so_many_tokens(text: str, gap: int) -> None:
    tokens = Analyzer([]).tokens(text)
    expected = [
        f"skip:{tokens[i]} {tokens[i + g + 1]}"
        for g in range(1, gap + 1)
        for i in range(len(tokens) - g - 1)
    ]
    assert Analyzer([("skip", 1, gap)]).names(text) == expected


@same_unicode
@given(SOME_TEXT, st.sampled_from(["unicode", "whitespace"]))
@example("McDonald's USA 1,000 iPhone_7 ÉCOLE", "whitespace")
def test_shapes(text: str, rule: str) -> None:
    tokens = Analyzer([], lowercase=False, tokens=rule).tokens(text)
    expected = [f"shape:{reference.shape(token)}" for token in tokens]
    assert Analyzer([("shape", 1, 1)], tokens=rule).names(text) == expected


def sklearn_grams(kind: str, text: str, lengths: tuple[int, int]) -> list[str]:
    """Return scikit-learn's n-grams, less the single spaces around words."""
    analyze = CountVectorizer(analyzer=kind, ngram_range=lengths, lowercase=False).build_analyzer()
    grams = analyze(reference.lower(text))
    return [gram for gram in grams if kind == "char" or gram != " "]


@given(st.one_of(ASCII, SOME_TEXT), st.integers(1, 4), st.integers(0, 3))
def test_character_sequences_are_those_of_scikit_learn(text: str, shortest: int, more: int) -> None:
    lengths = (shortest, shortest + more)
    spaced = re.sub(r"\s+", " ", text)  # scikit-learn leaves a single tab as it is
    expected = [f"chars:{gram}" for gram in sklearn_grams("char", spaced, lengths)]
    assert Analyzer([("chars", *lengths)]).names(text) == expected
    expected = [f"chars_wb:{gram}" for gram in sklearn_grams("char_wb", text, lengths)]
    assert Analyzer([("chars_wb", *lengths)]).names(text) == expected


@settings(max_examples=200)
@given(st.lists(SOME_TEXT, min_size=1, max_size=5), st.booleans())
def test_hashes_are_equal_exactly_if_kind_and_name_are(texts: list[str], lowercase: bool) -> None:
    analyzer = Analyzer(EVERYTHING, lowercase)
    by_hash: dict[int, tuple[int, str]] = {}
    by_name: dict[tuple[int, str], int] = {}
    for text in texts:
        hashes, _, _, block, _ = analyzer.grams(text)
        for h, b, name in zip(hashes, block, analyzer.names(text), strict=True):
            assert by_hash.setdefault(int(h), (int(b), name)) == (int(b), name)
            assert by_name.setdefault((int(b), name), int(h)) == int(h)


def test_hashes_of_many_names_spread_over_all_bits() -> None:
    words = [f"w{i}" for i in range(1 << 15)]
    hashes = Analyzer([("word", 1, 2)]).hashes(" ".join(words))
    assert len(set(hashes.tolist())) == len(hashes)
    ones = (hashes[:, None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)).mean(axis=0)
    np.testing.assert_allclose(ones, 0.5, atol=0.01)
    for shift in (0, 20, 48):  # chi-square over 65536 cells is about that many
        cells = np.bincount((hashes >> np.uint64(shift)) & np.uint64(0xFFFF), minlength=1 << 16)
        expected = len(hashes) / (1 << 16)
        assert ((cells - expected) ** 2).sum() / expected < 1.03 * (1 << 16)


def test_a_word_hashes_alike_wherever_it_stands() -> None:
    analyzer = Analyzer([("word", 1, 1)])
    for word in ("a", "Straße", "internationalisation", "x" * 8, "X" * 16, "ЖЖЖЖ"):
        expected = analyzer.hashes(word)[0]
        for before in range(70):
            for after in ("", " ", " and more words after it"):
                found = analyzer.hashes("." * before + word.lower() + after)
                assert found[before] == expected


def test_rules_of_lower_case_are_simple() -> None:
    assert Analyzer([]).tokens("İSTANBUL ΟΔΟΣ Straße K") == ["istanbul", "οδοσ", "straße", "k"]


def test_a_text_of_nothing_has_no_grams() -> None:
    for text in ("", "   \t\n"):
        assert len(Analyzer([("word", 1, 2), ("skip", 1, 1)]).hashes(text)) == 0
    assert len(Analyzer(EVERYTHING).hashes("")) == 0


@pytest.mark.parametrize("block", [("word", 0, 1), ("word", 2, 1), ("chars", 1, 5000), ("verb", 1, 1)])
def test_blocks_that_make_no_sense_are_refused(block: tuple[str, int, int]) -> None:
    with pytest.raises(ValueError, match=r"n-gram lengths|verb"):
        Analyzer([block])


@same_unicode
def test_the_tables_are_those_of_this_unicode() -> None:
    tool = runpy.run_path(str(ROOT / "tools" / "make_unicode.py"))
    assert tool["render"]() == TABLES, "run `python tools/make_unicode.py`"
