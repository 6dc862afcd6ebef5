"""Words and sentences of running text: the rules, and that nothing is lost."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from linnet import _core


def split(text: str | bytes, english: bool = True) -> list[list[str]]:
    words, _, offsets, _, _ = _core.split_texts(_core.Texts.from_list([text]), english)
    ends = offsets.tolist()
    return [[words[i] for i in range(b, e)] for b, e in pairwise(ends)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It can't be; I'd've said they're O'Neill's.",
         "It ca n't be ; I 'd 've said they 're O'Neill 's ."),
        ("We cannot, won’t, gonna", "We can not , wo n’t , gon na"),
        ("The dogs' owners: 'em and the '90s", "The dogs ' owners : 'em and the '90s"),
        ("$5,000.50 (or 3.5%), 10:30, 1/2, -5 and .5",
         "$ 5,000.50 ( or 3.5 % ) , 10:30 , 1/2 , -5 and .5"),
        ("a well-known AT&T rock'n'roll and/or US$ 5", "a well-known AT&T rock'n'roll and / or US$ 5"),
        ("See http://x.org/a_(b), (www.foo.com).", "See http://x.org/a_(b) , ( www.foo.com ) ."),
        ("Mail a.b+c@foo.co.uk. Or @me #now #1", "Mail a.b+c@foo.co.uk . Or @me #now # 1"),
        ("Well... yes!? -- no… ***", "Well ... yes !? -- no … ***"),
        ("``So'' \"it\" is :-) fine;", "`` So '' \" it \" is :-) fine ;"),
        ("e.g. U.S. firms at 5 a.m. Dr. J. Smith Jr. of No. 5",
         "e.g. U.S. firms at 5 a.m. Dr. J. Smith Jr. of No. 5"),
        ("linnet.org and v2.0", "linnet.org and v2.0"),
        ("你好 ab", "你 好 ab"),
        ("e\u0301te\u0301 \u0301x", "e\u0301te\u0301 \u0301x"),
    ],
)  # fmt: skip
def test_words(text: str, words: str) -> None:
    assert [word for sentence in split(text) for word in sentence] == words.split(" ")


def test_without_english() -> None:
    assert split("what's z.B. it. Inc. Now", english=False) == [
        ["what's", "z.B.", "it", "."], ["Inc", "."], ["Now"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("He left. She came.", ["He left .", "She came ."]),
        ("Mr. J. Smith of Acme Inc. left. The U.S. The end.",
         ["Mr. J. Smith of Acme Inc. left .", "The U.S.", "The end ."]),
        ('"Stop!" he said. "Why?" Nobody knew.',
         ['" Stop ! " he said .', '" Why ? "', "Nobody knew ."]),
        ("A headline\n\nThe text goes\non here. so.", ["A headline", "The text goes on here . so ."]),
        ("1. First item. a. Second", ["1 . First item . a .", "Second"]),
        ("So do I. Next... And (this.) Then", ["So do I .", "Next ...", "And ( this . )", "Then"]),
        ("你好。我是人！好", ["你 好 。", "我 是 人 ！", "好"]),
        ("नमस्ते। आप", ["नमस्ते ।", "आप"]),
        ("Он ушёл. Она пришла. и всё", ["Он ушёл .", "Она пришла . и всё"]),
        ("version.The x", ["version . The x"]),
        ("", []),
        (" \n\n ", []),
    ],
)  # fmt: skip
def test_sentences(text: str, sentences: list[str]) -> None:
    assert [" ".join(words) for words in split(text)] == sentences


PIECES = st.sampled_from(
    ["a", "A", " ", ".", "..", "\n", "\n\n", "'", "’", "n't", "'s", "-", "http://", "www.", "@",
     "a@b.co", "1", ",", "(", ")", '"', "Dr.", "U.S.", "é", "\u0301", "你", "。", "\u200d", "!", "?",
     ":", ";)", "$", "&", "\0", "'ve", "t", "#", "😀", "\u2028", "\x85"]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(text=st.lists(PIECES | st.text(max_size=2), max_size=25).map("".join), english=st.booleans())
@example(text="n't", english=True)
@example(text="'", english=True)
def test_nothing_is_lost(text: str, english: bool) -> None:
    """Tokens are the text's own characters in order, and between them is whitespace alone."""
    words, places, offsets, documents, lines = _core.split_texts(_core.Texts.from_list([text]), english)
    at = 0
    rebuilt = ""
    for i, (begin, end) in enumerate(places.tolist()):
        assert at <= begin < end <= len(text)
        assert not text[at:begin].strip()
        rebuilt += text[at:begin] + words[i]
        assert lines[i] == text[:begin].count("\n")
        at = end
    assert not text[at:].strip()
    assert rebuilt + text[at:] == text
    assert offsets[0] == 0
    assert offsets[-1] == len(words) == len(places)
    assert (np.diff(offsets) > 0).all()
    assert documents.tolist() == [0] * (len(offsets) - 1)


@settings(max_examples=300, deadline=None)
@given(data=st.lists(st.binary(max_size=4) | PIECES.map(str.encode), max_size=20).map(b"".join))
def test_any_bytes(data: bytes) -> None:
    words, places, _, _, _ = _core.split_texts(_core.Texts.from_list([data]), True)
    text = data.decode(errors="replace")
    assert [text[b:e] for b, e in places.tolist()] == [words[i] for i in range(len(words))]
    covered = sum(end - begin for begin, end in places.tolist())
    assert covered == sum(not character.isspace() for character in text)


def test_several_texts() -> None:
    texts = _core.Texts.from_list(["One. Two.", "", "Three"])
    words, places, offsets, documents, _ = _core.split_texts(texts)
    assert [words[i] for i in range(len(words))] == ["One", ".", "Two", ".", "Three"]
    assert offsets.tolist() == [0, 2, 4, 5]
    assert documents.tolist() == [0, 0, 2]
    assert places[-1].tolist() == [0, 5]


def test_long_texts_take_linear_time() -> None:
    for piece in ("a+", ")", "'s", "A. ", "http://a)", "...", "a-", "\u0301", "( "):
        assert len(_core.split_texts(_core.Texts.from_list([piece * 100_000]))[0])
