"""Spans and their scores against conlleval's rules and against seqeval."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data.chunks import as_column, find_chunks
from linnet.errors import DataError
from linnet.evaluation import METRICS
from linnet.evaluation.spans import Span, column_counts, span_counts, spans

TYPES = ("PER", "LOC")


def tag_lists(letters: str, types: tuple[str, ...] = TYPES) -> st.SearchStrategy[list[list[str]]]:
    tags = ["O", *(f"{letter}-{kind}" for letter in letters for kind in types)]
    return st.lists(st.lists(st.sampled_from(tags), min_size=1, max_size=9), min_size=1, max_size=4)


# conlleval, rule by rule as its two subroutines state them; [ and ] of the 1999 task left out.
def end_of_chunk(before: str, tag: str, type_before: str, kind: str) -> bool:
    end = (before, tag) in {
        ("B", "B"), ("B", "O"), ("I", "B"), ("I", "O"), ("E", "E"), ("E", "I"), ("E", "O"),
    }  # fmt: skip
    return end or (before not in ("O", ".") and type_before != kind)


def start_of_chunk(before: str, tag: str, type_before: str, kind: str) -> bool:
    start = (before, tag) in {
        ("B", "B"), ("I", "B"), ("O", "B"), ("O", "I"), ("E", "E"), ("E", "I"), ("O", "E"),
    }  # fmt: skip
    return start or (tag not in ("O", ".") and type_before != kind)


def conlleval(gold: list[list[str]], guess: list[list[str]]) -> tuple[int, int, int, int]:
    """(correct, found, wanted) spans and correct tokens, in one walk over the tokens."""
    correct = found = wanted = right = 0
    open_ = False  # a span that began alike in both has not ended yet
    before = [("O", ""), ("O", "")]
    pairs = [
        (g, h)
        for tags, guesses in zip(gold, guess, strict=True)
        for g, h in [*zip(tags, guesses, strict=True), ("O", "O")]  # a boundary after each sentence
    ]
    boundaries = np.cumsum([len(tags) + 1 for tags in gold]) - 1
    for i, pair in enumerate(pairs):
        now = [(tag.partition("-")[0], tag.partition("-")[2]) for tag in pair]
        ends = [end_of_chunk(b[0], n[0], b[1], n[1]) for b, n in zip(before, now, strict=True)]
        starts = [start_of_chunk(b[0], n[0], b[1], n[1]) for b, n in zip(before, now, strict=True)]
        if open_:
            if all(ends) and before[0][1] == before[1][1]:
                open_ = False
                correct += 1
            elif ends[0] != ends[1] or now[0][1] != now[1][1]:
                open_ = False
        if all(starts) and now[0][1] == now[1][1]:
            open_ = True
        wanted += starts[0]
        found += starts[1]
        if i not in boundaries:
            right += pair[0] == pair[1]
        before = now
    return correct + open_, found, wanted, right


@pytest.mark.parametrize("letters", ["BI", "I", "IE", "E", "B"])
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_counts_are_conllevals(letters: str, data: st.DataObject) -> None:
    gold = data.draw(tag_lists(letters))
    tags = ["O", *(f"{letter}-{kind}" for letter in letters for kind in TYPES)]
    guess = [[data.draw(st.sampled_from(tags)) for _ in sentence] for sentence in gold]
    counted = span_counts(gold, guess)
    told = (counted.hits.sum(), counted.guessed.sum(), counted.gold.sum(), counted.right.sum())
    assert told == conlleval(gold, guess)
    assert counted.tokens.sum() == sum(map(len, gold))


@pytest.mark.parametrize("letters", ["BI", "IE", "BIES", "I"])
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_spans_are_seqevals(letters: str, data: st.DataObject) -> None:
    metrics = pytest.importorskip("seqeval.metrics.sequence_labeling")
    for sentence in data.draw(tag_lists(letters)):
        expected = [(b, e + 1, kind) for kind, b, e in metrics.get_entities(sentence)]
        assert spans(sentence) == expected


@pytest.mark.parametrize("scheme", ["IOB2", "IOE2", "IOBES", "BILOU"])
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_strict_spans_are_seqevals(scheme: str, data: st.DataObject) -> None:
    schemes = pytest.importorskip("seqeval.scheme")
    letters = {"IOB2": "BI", "IOE2": "IE", "IOBES": "BIES", "BILOU": "BILU"}[scheme]
    tags = data.draw(tag_lists(letters))
    column, offsets = as_column(tags)
    found = find_chunks(column, offsets, strict=scheme)
    expected = [
        (
            int(offsets[entity.sent_id]) + entity.start,
            int(offsets[entity.sent_id]) + entity.end,
            entity.tag,
        )
        for sentence in schemes.Entities(tags, getattr(schemes, scheme)).entities
        for entity in sentence
    ]
    kinds = [found.names[k] for k in found.types.tolist()]
    assert list(zip(found.begins.tolist(), found.ends.tolist(), kinds, strict=True)) == expected


@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_scores_are_seqevals(data: st.DataObject) -> None:
    metrics = pytest.importorskip("seqeval.metrics")
    gold = data.draw(tag_lists("BI", ("PER", "LOC", "ORG")))
    tags = ["O", *(f"{letter}-{kind}" for letter in "BI" for kind in ("PER", "LOC", "MISC"))]
    guess = [[data.draw(st.sampled_from(tags)) for _ in sentence] for sentence in gold]
    counted = span_counts(gold, guess)
    assert counted.token_accuracy == pytest.approx(metrics.accuracy_score(gold, guess))
    if not counted.gold.sum() or not counted.guessed.sum():
        return  # seqeval warns
    assert counted.precision == pytest.approx(metrics.precision_score(gold, guess))
    assert counted.recall == pytest.approx(metrics.recall_score(gold, guess))
    assert counted.f1 == pytest.approx(metrics.f1_score(gold, guess))
    assert METRICS["micro_f1"](counted.counts()) == pytest.approx(counted.f1)
    per_type = counted.report()["per_type"]
    expected = metrics.f1_score(gold, guess, average=None, zero_division=0)
    shown = [row["f1"] for row in per_type if row["gold"] + row["guessed"]]
    assert shown == pytest.approx(list(expected))


def test_a_worked_case() -> None:
    gold = [["B-NP", "I-NP", "O", "B-VP"], ["B-NP", "B-NP"]]
    guess = [["B-NP", "I-NP", "B-VP", "I-VP"], ["I-NP", "I-NP"]]
    counted = span_counts(gold, guess)
    assert counted.types == ["NP", "VP"]
    assert counted.hits.tolist() == [[1, 0], [0, 0]]
    assert counted.guessed.tolist() == [[1, 1], [1, 0]]
    assert counted.gold.tolist() == [[1, 1], [2, 0]]
    assert (counted.precision, counted.recall) == (1 / 3, 1 / 4)
    assert counted.f1 == pytest.approx(2 / 7)
    assert counted.token_accuracy == 2 / 6
    assert counted.conlleval().splitlines()[0] == (
        "processed 6 tokens with 4 phrases; found: 3 phrases; correct: 1."
    )
    interval = counted.interval(resamples=200)
    assert interval.low <= interval.value <= interval.high
    assert interval == counted.interval(resamples=200)


def test_strict_mode_refuses_what_the_scheme_does() -> None:
    tags = ["I-PER", "O", "B-PER", "I-LOC"]
    assert spans(tags, strict="bio") == [Span(2, 3, "PER")]
    assert spans(tags, strict="iob1") == [Span(0, 1, "PER"), Span(3, 4, "LOC")]
    assert spans(["I-A", "E-A", "I-A"], strict="ioe1") == [Span(0, 2, "A"), Span(2, 3, "A")]
    assert spans(["I-A", "E-A", "O"], strict="ioe1") == []
    with pytest.raises(ValueError, match="there is no scheme 'xyz'; there are iob1"):
        spans(tags, strict="xyz")


def test_missing_tags_and_labels_never_seen() -> None:
    gold = [["B-PER", None, "O"]]
    counted = span_counts(gold, [["B-PER", "I-PER", "B-NEW"]])
    assert (counted.tokens.sum(), counted.right.sum()) == (2, 1)
    assert counted.types == ["NEW", "PER"]
    assert (counted.hits.sum(), counted.guessed.sum()) == (1, 2)  # the span's end is not known


def test_nothing_to_find() -> None:
    counted = span_counts([["O", "NN"]], [["O", "O"]])
    assert (counted.types, counted.f1, counted.token_accuracy) == ([], 0.0, 0.5)
    assert counted.report()["per_type"] == []
    assert spans([]) == []
    assert spans(["B", "I", "O", "I"]) == [Span(0, 2, "_"), Span(3, 4, "_")]


def test_lengths_are_checked() -> None:
    with pytest.raises(DataError, match="2 sentences, but guesses for 1"):
        span_counts([["O"], ["O"]], [["O"]])
    with pytest.raises(DataError, match="sentence 1 has 1 tokens, but 2 guesses"):
        span_counts([["O"]], [["O", "O"]])
    column, offsets = as_column([["O", "O"]])
    with pytest.raises(DataError, match="2 tokens have gold tags, but 1"):
        column_counts(column, as_column([["O"]])[0], offsets)
