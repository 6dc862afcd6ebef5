"""Token features against a plain reading of templates, and CRF++'s semantics."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.features import TokenFeatures

from .token_sentences import BIRDS, CRFPP_CHUNKING, assert_same, corpus, fitted, named, sentences

# A plain reading of templates. A value is (function, argument, column, offset).


def is_capital(char: str) -> bool:
    return char.isalpha() and char.lower() != char


def plain_shape(token: str) -> str:
    out = ""
    for char in token:
        kind = ("X" if is_capital(char) else "x") if char.isalpha() else "d" if char.isalnum() else char
        out += "" if out.endswith(kind) else kind
    return out


KINDS = {
    "initial-cap": lambda t: is_capital(t[0]),
    "all-caps": lambda t: (
        sum(map(is_capital, t)) > 1 and not any(c.isalpha() and not is_capital(c) for c in t)
    ),
    "inner-cap": lambda t: (
        any(map(is_capital, t[1:])) and any(c.isalpha() and not is_capital(c) for c in t)
    ),
    "has-digit": lambda t: any(c.isnumeric() for c in t),
    "all-digits": lambda t: all(c.isnumeric() for c in t),
    "hyphen": lambda t: "-" in t,
    "period": lambda t: "." in t,
    "number": lambda t: (
        any(c.isnumeric() for c in t) and all(c.isnumeric() or c in "+-.,:/" for c in t)
    ),
    "apostrophe": lambda t: "'" in t or "’" in t,
    "punctuation": lambda t: not any(c.isalnum() for c in t),
    "year": lambda t: re.search(r"^1\d", t) is not None,
}

CLUSTERS = {"a": "0110", "A": "1", "é-1": "01"}


def plain_value(function: str, argument: int, token: str) -> str | None:
    match function:
        case "token":
            return token
        case "lower":
            return token.lower()
        case "shape":
            return plain_shape(token)
        case "prefix":
            return token[:argument] if len(token) >= argument else None
        case "suffix":
            return token[-argument:] if len(token) >= argument else None
        case "cluster":
            found = CLUSTERS.get(token, CLUSTERS.get(token.lower()))
            return None if found is None else found[:argument] if argument else found
        case _:
            return "" if KINDS[function](token) else None


def plain_features(template: Sequence[tuple], sentence: Sequence[Sequence[str]], t: int) -> str | None:
    out = []
    for function, argument, column, offset in template:
        label = {"token": ("word", "pos")[column]}.get(function, function) + (
            str(argument) if argument else ""
        )
        label += "(pos)" if column == 1 and function != "token" else ""
        at = t + offset
        if 0 <= at < len(sentence):
            value = plain_value(function, argument, sentence[at][column])
        elif function in ("token", "lower", "shape"):
            value = f"_B{at}" if at < 0 else f"_B+{at - len(sentence) + 1}"
        else:
            value = None
        if value is None:
            return None
        out.append(f"{label}[{offset}]" + ("" if function in KINDS else f"={value}"))
    return " ".join(out)


def written(template: Sequence[tuple]) -> str:
    parts = []
    for function, argument, column, offset in template:
        name = (
            ("word", "pos")[column]
            if function == "token"
            else function + (str(argument) if argument else "")
        )
        parts.append(f"{name}{'(pos)' if column == 1 and function != 'token' else ''}[{offset}]")
    return " ".join(parts)


plain = st.tuples(
    st.sampled_from(["token", "lower", "shape", *KINDS]),
    st.just(0),
    st.integers(0, 1),
    st.integers(-3, 3),
)

sized = st.tuples(
    st.sampled_from(["prefix", "suffix", "cluster"]),
    st.integers(1, 4),
    st.integers(0, 1),
    st.integers(-3, 3),
)

template = st.lists(plain | sized, min_size=1, max_size=3)

OWN = {"classes": {"year": r"^1\d"}, "lexicons": {"cluster": CLUSTERS}}


@settings(max_examples=150, deadline=None)
@given(corpus, st.lists(template, min_size=1, max_size=5))
def test_agrees_with_a_plain_reading(lists: list, templates: list) -> None:
    found = fitted([written(each) for each in templates], sentences(lists), **OWN)
    distinct = list(dict.fromkeys(map(tuple, templates)))
    expected = [
        Counter(filter(None, (plain_features(each, sentence, t) for each in distinct)))
        for sentence in lists
        for t in range(len(sentence))
    ]
    assert found == expected


@settings(max_examples=50, deadline=None)
@given(corpus)
def test_numbers_features_by_first_occurrence(lists: list) -> None:
    data = sentences(lists)
    features = TokenFeatures(templates=["word[-1..1]", "lower[0] pos[0]", "suffix1..2"])
    rows = features.fit_rows(data)
    firsts = list(dict.fromkeys(rows.indices.tolist()))
    assert firsts == list(range(features.n_features))
    assert len(set(features.names)) == features.n_features  # names and hashes are one to one
    assert_same(rows, features.rows(data))


# CRF++


def crfpp_names(sentence: Sequence[Sequence[str]], t: int, lines: Sequence[str]) -> list[str]:
    """Lines of a template file with their macros filled in, as CRF++ does it."""

    def fill(macro: re.Match[str]) -> str:
        at, column = t + int(macro[1]), int(macro[2])
        if at < 0:
            return f"_B{at}"
        return f"_B+{at - len(sentence) + 1}" if at >= len(sentence) else sentence[at][column]

    return [re.sub(r"%x\[(-?\d+),(\d+)\]", fill, line) for line in lines]


@settings(max_examples=50, deadline=None)
@given(corpus)
def test_reads_the_chunking_template_of_crfpp(lists: list) -> None:
    lines = [line for line in CRFPP_CHUNKING.splitlines() if line.startswith("U")]
    assert len(lines) == 19
    features = TokenFeatures(templates=CRFPP_CHUNKING)
    found = named(features.fit_rows(sentences(lists)), features.names)
    everything = [(sentence, t) for sentence in lists for t in range(len(sentence))]
    assert found == [dict.fromkeys(crfpp_names(*place, lines), 1.0) for place in everything]
    assert features.transitions
    assert features.pairs() is None


def test_crfpp_lines_that_begin_alike_share_features() -> None:
    lines = ["U:%x[-1,0]", "U:%x[0,0]", "U:%x[1,0]"]
    assert fitted(lines, sentences([[("a",), ("a",)]], ["word"])) == [
        {"U:_B-1": 1, "U:a": 2},
        {"U:a": 2, "U:_B+1": 1},
    ]


def test_crfpp_bigrams_describe_transitions() -> None:
    features = TokenFeatures(templates=["U00:%x[0,0]", "B", "B01:%x[-1,1]/%x[0,1]"])
    assert named(features.fit_rows(BIRDS), features.names)[0] == {"U00:The": 1}
    pairs = features.pairs()
    assert pairs is not None
    assert named(pairs.fit_rows(BIRDS), pairs.names)[:2] == [{"B01:_B-1/DT": 1}, {"B01:DT/NN": 1}]
    assert features.transitions
    assert not TokenFeatures(templates=["U00:%x[0,0]"]).transitions


def test_own_templates_describe_transitions() -> None:
    features = TokenFeatures(templates=["word", "transition: pos[-1] pos[0]"])
    assert named(features.fit_rows(BIRDS), features.names)[1] == {"word[0]=linnet": 1}
    pairs = features.pairs()
    assert pairs is not None
    names = named(pairs.fit_rows(BIRDS), pairs.names)[1]
    assert names == {"transition: pos[-1]=DT pos[0]=NN": 1}
    assert TokenFeatures(templates=["word"]).pairs() is None
