"""Every script makes its lemma of its form, whatever the letters."""

from difflib import SequenceMatcher

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from linnet.data.edit_scripts import (
    PATTERN,
    WHOLE,
    _longest_common,
    apply_script,
    edit_script,
    lower,
    upper,
)

WORDS = st.text(min_size=1, max_size=12) | st.text("abcABCßİŉÄä/%+0", min_size=1, max_size=8)


@given(WORDS, WORDS)
@example("İstanbul", "İstanbul")
@example("ẞ", "ß")
@example("a/b", "c/%2Fb")
def test_a_script_makes_its_lemma_of_its_form(form: str, lemma: str) -> None:
    script = edit_script(form, lemma)
    assert apply_script(script, form) == lemma
    assert script.startswith(WHOLE) or PATTERN.fullmatch(script)


@given(WORDS, st.text("xyz", max_size=3), st.text("xyz", max_size=3))
def test_a_form_between_other_letters_is_cut_out(form: str, front: str, back: str) -> None:
    script = edit_script(front + form + back, form)
    assert apply_script(script, front + form + back) == form


@given(st.text(min_size=1, max_size=10), st.text(max_size=40))
def test_any_script_and_form_have_an_answer_or_none(form: str, script: str) -> None:
    made = apply_script(script, form)
    assert made is None or isinstance(made, str)


@given(WORDS)
def test_letters_stay_as_many_as_they_are(word: str) -> None:
    assert len(lower(word)) == len(upper(word)) == len(word)


@pytest.mark.parametrize(
    ("form", "lemma", "script", "other", "made"),
    [
        ("dogs", "dog", "l/0+/1+", "Cats", "cat"),
        ("Ponies", "pony", "l/0+/3+y", "studies", "study"),
        ("gegangen", "gehen", None, None, None),
        ("Linnaeus", "Linnaeus", "k/0+/0+", "NATO", "NATO"),
        ("nato", "NATO", "u/0+/0+", "eu", "EU"),
        ("went", "go", "=go", "zzz", "go"),
        ("iPhones", "iPhone", "k/0+/1+", "iPads", "iPad"),
        ("iphone", "iPhone", "^1/0+/0+", "ipad", "iPad"),
        ("LINNETS", "Linnet", "c/0+/1+", "WRENS", "Wren"),
        ("x" * 10_000, "x" * 10_000, "l/0+/0+", "a", "a"),
        ("x" * 10_000, "y", "=y", "a", "y"),
    ],
)
def test_scripts_fit_other_forms(form, lemma, script, other, made) -> None:
    found = edit_script(form, lemma)
    assert apply_script(found, form) == lemma
    if script is not None:
        assert found == script
        assert apply_script(found, other) == made


def test_a_form_that_is_too_short_has_no_lemma() -> None:
    assert apply_script("l/0+/3+y", "as") is None


@given(st.text("abc", max_size=9), st.text("abc", max_size=9))
def test_the_longest_common_substring_is_that_of_difflib(form: str, lemma: str) -> None:
    match = SequenceMatcher(None, form, lemma, autojunk=False).find_longest_match()
    begin, at, size = _longest_common(form, lemma)
    assert size == match.size
    assert not size or (begin, at) == (match.a, match.b)
