"""Tokens below a least length are left out before n-grams are formed."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import linnet._core as _core


def tokens(text: str, least: int, rule: str = "unicode") -> list[str]:
    return _core.Analyzer([("word", 1, 1)], True, False, rule, [], least).tokens(text)


def test_short_tokens_are_no_part_of_n_grams() -> None:
    words = _core.Analyzer([("word", 1, 2)], True, False, "unicode", ["the"], 2)
    assert words.names("It is a dog, the I x é ab") == [
        *["it", "is", "dog", "ab"],
        *["it is", "is dog", "dog ab"],
    ]
    assert tokens("é ß éß a\u0301", 2) == ["éß", "a\u0301"]
    assert tokens("a! bc -", 2, "whitespace") == ["a!", "bc"]


@given(text=st.text(st.characters(codec="ascii")), least=st.integers(1, 4))
def test_as_a_token_pattern(text: str, least: int) -> None:
    assert tokens(text, least) == re.findall(rf"\b\w{{{least},}}\b", text.lower())


def test_a_length_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="min_length"):
        _core.Analyzer([("word", 1, 1)], min_length=0)
