"""Token features against a plain reading of templates, CRF++'s semantics and themselves."""

from __future__ import annotations

import json
import pickle
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet import _core
from linnet.data import as_texts
from linnet.data.attributes import attribute_rows
from linnet.data.examples import LabelColumn
from linnet.data.matrix import CsrRows
from linnet.errors import DataError
from linnet.features import Lexicon, TokenFeatures
from linnet.features.recipes import RECIPES

CRFPP_CHUNKING = """# Unigram
U00:%x[-2,0]
U01:%x[-1,0]
U02:%x[0,0]
U03:%x[1,0]
U04:%x[2,0]
U05:%x[-1,0]/%x[0,0]
U06:%x[0,0]/%x[1,0]

U10:%x[-2,1]
U11:%x[-1,1]
U12:%x[0,1]
U13:%x[1,1]
U14:%x[2,1]
U15:%x[-2,1]/%x[-1,1]
U16:%x[-1,1]/%x[0,1]
U17:%x[0,1]/%x[1,1]
U18:%x[1,1]/%x[2,1]

U20:%x[-2,1]/%x[-1,1]/%x[0,1]
U21:%x[-1,1]/%x[0,1]/%x[1,1]
U22:%x[0,1]/%x[1,1]/%x[2,1]

# Bigram
B
"""


@dataclass
class Sentences:
    """The least that features need."""

    columns: dict[str, _core.Texts]
    offsets: np.ndarray
    attributes: CsrRows | None = None
    attribute_names: list[str] | None = field(default=None)


def sentences(
    lists: Sequence[Sequence[Sequence[str]]], names: Sequence[str] = ("word", "pos")
) -> Sentences:
    tokens = [token for sentence in lists for token in sentence]
    columns = {name: as_texts([token[k] for token in tokens]) for k, name in enumerate(names)}
    return Sentences(columns, np.cumsum([0, *map(len, lists)], dtype=np.int64))


def named(rows: CsrRows, names: Sequence[str]) -> list[dict[str, float]]:
    """Each row by the names of its features."""
    return [
        {
            names[j]: x
            for j, x in zip(rows.indices[b:e].tolist(), rows.values[b:e].tolist(), strict=True)
        }
        for b, e in pairwise(rows.indptr.tolist())
    ]


def fitted(
    templates: Sequence[str] | str, data: Sentences, **settings: object
) -> list[dict[str, float]]:
    features = TokenFeatures(templates=templates, **settings)
    return named(features.fit_rows(data), features.names)


BIRDS = sentences(
    [
        [("The", "DT"), ("linnet", "NN"), ("sings", "VBZ")],
        [
            ("U.S.", "NNP"),
            ("linnets", "NNS"),
            ("sang", "VBD"),
            ("well-known", "JJ"),
            ("tunes", "NNS"),
            ("!", "."),
        ],
        [("1984", "CD")],
    ]
)

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


token = st.text(st.sampled_from("aAbB1.-é漢’"), min_size=1, max_size=5)
corpus = st.lists(st.lists(st.tuples(token, token), min_size=1, max_size=6), min_size=1, max_size=4)
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


def assert_same(ours: CsrRows, theirs: CsrRows) -> None:
    np.testing.assert_array_equal(ours.indptr, theirs.indptr)
    np.testing.assert_array_equal(ours.indices, theirs.indices)
    np.testing.assert_array_equal(ours.values, theirs.values)
    assert ours.features == theirs.features


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


# The language


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("word", {"word[0]=linnets"}),
        ("  word [0]".replace(" [", "["), {"word[0]=linnets"}),
        ("word[-1..+1]", {"word[-1]=U.S.", "word[0]=linnets", "word[1]=sang"}),
        ("prefix2..3", {"prefix2[0]=li", "prefix3[0]=lin"}),
        ("suffix1..2[-1..0]", {"suffix1[-1]=.", "suffix2[-1]=S.", "suffix1[0]=s", "suffix2[0]=ts"}),
        ("1[0]", {"1[0]=NNS"}),
        ("column(pos)[1]", {"column(pos)[1]=VBD"}),
        ("shape(pos)", {"shape(pos)[0]=X"}),
        ("pos[0] word[-1..0]", {"pos[0]=NNS word[-1]=U.S.", "pos[0]=NNS word[0]=linnets"}),
        ("bias", {"bias"}),
        ("first", set()),
        ("bias lower[4]", {"bias lower[4]=!"}),
        ("class[2]", {"hyphen[2]"}),
        ("class[4]", {"punctuation[4]"}),
        ("all-caps[-1]", {"all-caps[-1]"}),
        ("# word", set()),
        ("", set()),
        ("class[-3]", set()),
        ("word[-3]", {"word[-3]=_B-2"}),
    ],
)
def test_templates_read_as_the_manual_says(template: str, expected: set[str]) -> None:
    assert set(fitted([template], BIRDS)[4]) == expected


def test_first_and_last() -> None:
    found = fitted(["first", "last"], BIRDS)
    assert [set(row) for row in found[:3]] == [{"first"}, set(), {"last"}]
    assert set(found[-1]) == {"first", "last"}


def test_templates_come_as_list_lines_file_or_recipe(tmp_path: Path) -> None:
    (tmp_path / "templates").write_text("word\n# comment\nsuffix3\n", encoding="utf-8")
    expected = fitted(["word", "suffix3"], BIRDS)
    assert fitted("word\nsuffix3", BIRDS) == expected
    assert fitted(tmp_path / "templates", BIRDS) == expected
    for name, lines in RECIPES.items():
        without_tags = [line for line in lines if "usual" not in line]
        assert fitted(name, BIRDS) == fitted(without_tags, BIRDS)


def test_usual_tags_are_learnt_where_there_are_tags() -> None:
    words = ["the", "song", "the", "Song", "A", "song", "the", "rare"]
    tags = LabelColumn.from_values(["D", "N", "D", "N", "D", "V", "D", "V"])
    offsets = np.array([0, 4, 8])
    data = SimpleNamespace(columns={"word": as_texts(words)}, offsets=offsets, labels=tags)
    features = TokenFeatures(templates=["usual[-1] usual[0]", "usual"])
    features.fit_rows(data)
    assert sorted(features.names) == ["usual[-1]=D usual[0]=N", "usual[-1]=N usual[0]=D",
                                      "usual[0]=D", "usual[0]=N"]  # fmt: skip
    untagged = SimpleNamespace(columns=data.columns, offsets=offsets)
    spec, tensors = json.loads(json.dumps(features.spec())), features.tensors()
    copy = TokenFeatures.from_parts(spec, tensors)
    assert copy.lexicons is None
    assert copy.spec() == features.spec()
    assert_same(features.rows(untagged), copy.rows(untagged))
    assert_same(copy.fit_rows(data), features.rows(untagged))
    own = TokenFeatures(templates=["usual"], lexicons={"usual": {"rare": "X"}})
    own.fit_rows(data)
    assert list(own.names) == ["usual[0]=X"]
    with pytest.raises(ValueError, match="no tags to learn from"):
        TokenFeatures(templates=["usual"]).fit_rows(untagged)


def test_recipes_do_without_columns_that_are_not_there() -> None:
    words = Sentences({"word": BIRDS.columns["word"]}, BIRDS.offsets)
    for name in RECIPES:
        assert not any("pos[" in each for row in fitted(name, words) for each in row)


def test_columns_of_other_names_are_found() -> None:
    renamed = {"form": BIRDS.columns["word"], "upos": BIRDS.columns["pos"]}
    assert fitted(["word pos"], Sentences(renamed, BIRDS.offsets)) == fitted(["word pos"], BIRDS)
    unnamed = {"0": BIRDS.columns["word"], "1": BIRDS.columns["pos"]}
    assert fitted(["word pos"], Sentences(unnamed, BIRDS.offsets)) == fitted(["word pos"], BIRDS)


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("word[-1", r"'word\[-1', position 8: '\]' is expected; write a position as"),
        ("word[x]", r"position 6: a number is expected"),
        ("word]", r"position 5: a space or the end is expected"),
        ("wrd[0]", r"'wrd\[0\]', position 1: nothing is called 'wrd'; the columns are word, pos, and"),
        ("word[0] %", r"position 9: a name is expected"),
        ("lemma(x)", "nothing is called|there is no column 'x'"),
        ("lower(lemma)", "position 1: there is no column 'lemma'; the columns are word, pos"),
        ("7[0]", "there is no column '7'"),
        ("prefix", "prefix needs a length; write prefix3"),
        ("prefix0", "is no range of lengths"),
        ("suffix4..2", r"4\.\.2 is no range of lengths; write the smaller one first"),
        ("word1..2", "nothing is called 'word1'"),
        ("lower..2", "lower has no number"),
        ("word[2..-2]", r"position 5: \[2\.\.-2\] is no range of positions"),
        ("word[101]", "at most 100 tokens away"),
        ("bias[1]", "bias has no position; write bias alone"),
        ("transition:", "a value is expected"),
        ("column[0]", "column needs a name"),
        (" ".join(["word[-5..5]"] * 5), "stands for 161051 templates; use narrower ranges"),
        ("U00:%x[0,5]", "line 1 of the CRF.. template.*position 5: there is no column 5"),
        ("U00:%x[0,0]%y", r"position 12: '%' must begin a macro"),
        ("U00:%x[200,0]", "looks further than 100 tokens"),
        ("U00:%x[0,0]\nX", "line 2 of the CRF.. template, 'X', position 1"),
    ],
)
def test_bad_templates_say_what_to_do(template: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TokenFeatures(templates=template).fit_rows(BIRDS)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"templates": 3}, "templates must be 'pos'"),
        ({"templates": "chunks"}, "recipes are pos, chunk, ner, and the path of a file must be"),
        ({"classes": {"x": "("}}, "the class 'x' is no regular expression"),
        ({"lexicons": {"x": 3}}, "the lexicon 'x' is of type int"),
        ({"site": "arc"}, "site must be 'token' or 'pair'"),
        ({"hash_bits": 8, "min_df": 2}, "with hash_bits leave min_df"),
        ({"min_df": 1.5}, "min_df must be"),
        ({"max_features": 0}, "max_features must be at least 1"),
        ({"hash_bits": 40}, "hash_bits must be from 1 to 30"),
    ],
)
def test_bad_settings_say_what_to_do(settings: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TokenFeatures(**settings).fit_rows(BIRDS)


def test_says_which_column_is_missing() -> None:
    features = TokenFeatures(templates=["word pos"])
    with pytest.raises(ValueError, match="nothing yet; call fit_rows"):
        features.rows(BIRDS)
    features.fit_rows(BIRDS)
    with pytest.raises(
        DataError, match="look at the column 'pos', which is not there; the columns are word"
    ):
        features.rows(Sentences({"word": BIRDS.columns["word"]}, BIRDS.offsets))


# Classes and lexicons


def test_phrases_are_found_the_longest_first() -> None:
    places = {"New York": "LOC", "New York Times": "ORG", "paris": "LOC", "York": "PER"}
    text = ["the", "New", "York", "Times", "of", "New", "York", "and", "PARIS", "York", "Times"]
    data = sentences([[(word,) for word in text[:7]], [(word,) for word in text[7:]]], ["word"])
    found = fitted(["place"], data, lexicons={"place": places})
    values = [next(iter(row), "place[0]=-").removeprefix("place[0]=") for row in found]
    assert values == ["-", "B-ORG", "I-ORG", "I-ORG", "-", "B-LOC", "I-LOC", "-", "B-LOC", "B-PER", "-"]
    names = fitted(["name[-1] name"], data, lexicons={"name": ["New York", "Times"]})
    assert names[2] == {"name[-1]=B name[0]=I": 1}


def test_lexicons_are_read_from_files(tmp_path: Path) -> None:
    files = {
        "brown": "0110\tlinnet\t7\n10\tsings\t3\n",
        "values": "linnet\tbird\n",
        "phrases": "The linnet\n\nsings\n",
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    lexicons = {name: tmp_path / name for name in files}
    found = fitted(["brown2..3", "brown", "values", "phrases"], BIRDS, lexicons=lexicons)
    assert set(found[1]) == {
        "brown2[0]=01",
        "brown3[0]=011",
        "brown[0]=0110",
        "values[0]=bird",
        "phrases[0]=I",
    }
    assert set(found[2]) == {"brown2[0]=10", "brown3[0]=10", "brown[0]=10", "phrases[0]=B"}
    (tmp_path / "ragged").write_text("a\tb\nc\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 2: 1 columns, but the first line has 2"):
        Lexicon.read(tmp_path / "ragged")


# Numbering


def corpus_of(size: int, seed: int = 1) -> Sentences:
    random = np.random.default_rng(seed)
    words = [f"w{k}" for k in random.zipf(1.3, size) % 500]
    cuts = np.unique([0, size, *random.integers(0, size, size // 15)])
    columns = {"word": as_texts(words), "pos": as_texts([w[-1] for w in words])}
    return Sentences(columns, cuts.astype(np.int64))


@pytest.mark.parametrize(
    "settings", [{}, {"min_df": 3}, {"hash_bits": 10}, {"hash_bits": 18, "keep_names": True}]
)
def test_threads_change_nothing(settings: dict) -> None:
    data = corpus_of(20_000)
    one = TokenFeatures(templates="chunk", **settings)
    two = TokenFeatures(templates="chunk", **settings)
    rows = one.fit_rows(data)
    assert_same(rows, two.fit_rows(data, threads=4))
    assert_same(rows, one.rows(data, threads=3))
    for name, array in one.tensors().items():
        np.testing.assert_array_equal(array, two.tensors()[name])


def test_rare_features_are_left_out() -> None:
    data = corpus_of(3_000)
    counts = Counter(name for row in fitted("chunk", data) for name in row)
    some = {name for row in fitted("chunk", data, min_df=4) for name in row}
    assert some == {name for name, count in counts.items() if count >= 4}
    share = {name for row in fitted("chunk", data, min_df=0.01) for name in row}
    assert share == {name for name, count in counts.items() if count >= 30}
    features = TokenFeatures(templates="chunk", max_features=100)
    features.fit_rows(data)
    ranked = sorted(counts, key=lambda name: -counts[name])
    assert {counts[name] for name in features.names} <= {counts[name] for name in ranked[:100]}
    assert features.n_features == 100


def test_hashing_keeps_sums() -> None:
    data = corpus_of(500)
    exact = TokenFeatures(templates="chunk")
    sums = [sum(row.values()) for row in named(exact.fit_rows(data), exact.names)]
    hashed = TokenFeatures(templates="chunk", hash_bits=6)
    rows = hashed.fit_rows(data)
    assert rows.features == hashed.n_features == 64
    np.testing.assert_array_equal(np.add.reduceat(rows.values, rows.indptr[:-1]), sums)
    for begin, end in pairwise(rows.indptr):
        assert len(set(rows.indices[begin:end])) == end - begin
    assert hashed.names[5] == "hash:5"
    kept = TokenFeatures(templates="chunk", hash_bits=24, keep_names=True)
    for row, theirs in zip(kept_rows(kept, data), named(exact.rows(data), exact.names), strict=True):
        assert {name for names in row for name in names.split(" | ")} >= set(theirs)


def kept_rows(features: TokenFeatures, data: Sentences) -> list[dict[str, float]]:
    return named(features.fit_rows(data), features.names)


def test_grows_as_if_it_had_seen_all_at_once() -> None:
    data = corpus_of(2_000)
    half = len(data.offsets) // 2
    at = int(data.offsets[half])
    first = {name: texts.take(np.arange(at)) for name, texts in data.columns.items()}
    rest = {name: texts.take(np.arange(at, 2_000)) for name, texts in data.columns.items()}
    whole = TokenFeatures(templates="chunk")
    rows = whole.fit_rows(data)
    grown = TokenFeatures(templates="chunk")
    a = grown.grow_rows(Sentences(first, data.offsets[: half + 1]))
    grown = TokenFeatures.from_parts(grown.spec(), grown.tensors())
    b = grown.grow_rows(Sentences(rest, data.offsets[half:] - at))
    np.testing.assert_array_equal(np.concatenate([a.indices, b.indices]), rows.indices)
    assert list(grown.names) == list(whole.names)


# Attributes that come with the tokens


def test_attributes_are_features_as_they_are() -> None:
    items = [[{"w": "The", "n": 2.5}, ["bird", "bird"]], [["bird"]]]
    rows, names, offsets = attribute_rows(items)
    features = TokenFeatures(templates=["word"])
    alone = Sentences({}, offsets, rows, names)
    expected = [{"w=The": 1.0, "n": 2.5}, {"bird": 2.0}, {"bird": 1.0}]
    assert named(features.fit_rows(alone), features.names) == expected
    columns = {"word": as_texts(["a", "b", "c"])}
    both = features.fit_rows(Sentences(columns, offsets, rows, names))
    assert named(both, features.names)[0] == {"word[0]=a": 1.0, "w=The": 1.0, "n": 2.5}
    other, others, _ = attribute_rows([[["new", "bird"]]])
    known = features.rows(Sentences({"word": as_texts(["c"])}, np.array([0, 1]), other, others))
    assert named(known, features.names) == [{"word[0]=c": 1.0, "bird": 1.0}]


def test_attributes_are_numbered_as_crfsuite_does() -> None:
    items = [
        [{"b": "x", "a": 2, "t": True, "f": False, "p": {"q": "r", "s": 0.5}}, ["z", "b=x", "z"]],
        [{"l": ["u", "v"], "b": "x"}],
    ]
    rows, names, offsets = attribute_rows(iter(items))
    assert names == ["b=x", "a", "t", "f", "p:q=r", "p:s", "z", "l:u", "l:v"]
    assert offsets.tolist() == [0, 2, 3]
    assert named(rows, names) == [
        {"b=x": 1, "a": 2, "t": 1, "p:q=r": 1, "p:s": 0.5},
        {"z": 2, "b=x": 1},
        {"l:u": 1, "l:v": 1, "b=x": 1},
    ]


def test_attributes_are_read_as_crfsuite_does() -> None:
    crfsuite = pytest.importorskip("pycrfsuite")
    sentence = [{"b": "x", "a": 2, "t": True, "p": {"q": "r", "s": 0.5}}, ["z", "y"], {"l": ["u", "v"]}]
    rows, names, _ = attribute_rows([sentence])
    theirs = [name.replace("=", ":") for name in names]  # they write b:x where we write b=x
    assert named(rows, theirs) == crfsuite.ItemSequence(sentence).items()


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (["ab"], "a sentence 0 is a str"),
        ([["ab"]], "an item of sentence 0 is a str"),
        ([[["a"], [3]]], "sentence 0, token 1: the name of an attribute is of type int"),
        ([[{"a": None}]], "the attribute 'a' is None; use a finite number"),
        ([[{"a": float("nan")}]], "the attribute 'a' is nan"),
        ([[3]], "not iterable"),
        (3, "not iterable"),
    ],
)
def test_bad_attributes_say_where_they_are(items: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        attribute_rows(items)


# Files


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"min_df": 2},
        {"hash_bits": 12},
        {"hash_bits": 12, "keep_names": True},
        {"templates": CRFPP_CHUNKING},
        {
            "templates": ["year word", "cluster2", "place[-1..1]"],
            "classes": {"year": r"^w1"},
            "lexicons": {"cluster": {"w1": "0110", "w2": "é"}, "place": ["w3 w1", "w2"]},
        },
    ],
)
def test_survives_a_model_file(settings: dict) -> None:
    data, more = corpus_of(800), corpus_of(300, seed=2)
    features = TokenFeatures(**{"templates": "chunk"} | settings)
    features.fit_rows(data)
    spec = json.loads(json.dumps(features.spec()))
    tensors = {name: array.copy() for name, array in features.tensors().items()}
    for array in tensors.values():
        array.setflags(write=False)
    for copy in (TokenFeatures.from_parts(spec, tensors), pickle.loads(pickle.dumps(features))):
        assert_same(features.rows(more), copy.rows(more))
        assert list(copy.names[:100]) == list(features.names[:100])
        assert json.loads(json.dumps(copy.spec())) == spec


def test_damage_is_reported() -> None:
    features = TokenFeatures(templates="chunk")
    features.fit_rows(BIRDS)
    spec, tensors = features.spec(), features.tensors()
    for name in spec:
        with pytest.raises(DataError, match="damaged"):
            TokenFeatures.from_parts({k: v for k, v in spec.items() if k != name}, tensors)
    for name in tensors:
        with pytest.raises(DataError, match="damaged"):
            TokenFeatures.from_parts(spec, {k: v for k, v in tensors.items() if k != name})
    with pytest.raises(DataError, match="damaged"):
        TokenFeatures.from_parts(spec | {"templates": ["word["]}, tensors)


def test_unfitted_features_are_copied_by_pickle() -> None:
    assert pickle.loads(pickle.dumps(TokenFeatures(min_df=2))).min_df == 2


# Odd sentences


def test_odd_sentences() -> None:
    empty = Sentences({"word": as_texts([])}, np.array([0, 0, 0]))
    features = TokenFeatures(templates=["word[-1..1]", "first", "last"])
    assert len(features.fit_rows(empty)) == 0
    long = Sentences({"word": as_texts(["a"] * 100_000)}, np.array([0, 0, 100_000, 100_000]))
    assert len(features.fit_rows(long)) == 100_000
    assert features.n_features == 7
    blank = sentences([[("", "x"), ("\ud800", "y")]])
    assert [set(row) for row in fitted(["word", "prefix1", "class"], blank)] == [
        {"word[0]="},
        {"word[0]=\ufffd", "prefix1[0]=\ufffd", "punctuation[0]"},
    ]


@pytest.mark.parametrize("offsets", [[1, 3], [0, 2, 1, 3], [0, 4], []])
def test_bad_offsets_are_refused(offsets: list[int]) -> None:
    data = Sentences({"word": as_texts(["a", "b", "c"])}, np.array([0, 3]))
    features = TokenFeatures(templates=["word"])
    features.fit_rows(data)
    with pytest.raises(ValueError, match=r"sentence|column"):
        features.rows(Sentences(data.columns, np.array(offsets, dtype=np.int64)))
