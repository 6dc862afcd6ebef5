"""Errors and Teach of taggers: what is told is what models say, and what is taught is learnt."""

import json
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
import linnet.data.samples
from linnet.data import Sequences
from linnet.data.chunks import convert_tags
from linnet.data.samples import load_tagged
from linnet.evaluation import span_counts
from linnet.formats import read_sequences

pytest.importorskip("starlette")

from linnet.errors import DataError
from linnet.serving.look.decisions import Decisions
from linnet.serving.look.exporting import exported
from linnet.serving.look.judged_tags import JudgedTags
from linnet.serving.look.session import Looked, Session
from linnet.serving.look.teaching_tags import TeachingTags, spans_of

FOLDER = Path(linnet.data.samples.__file__).parent
DATA = read_sequences(FOLDER / "sightings-test.conll")


def words_and_tags() -> Any:
    sentences, tags = load_tagged("sightings-train")
    return [[word for word, _ in sentence] for sentence in sentences], tags


def some(model: Any, n: int, tmp_path: Path, **settings: Any) -> Any:
    words, tags = words_and_tags()
    teaching = TeachingTags(model, words[n:], Decisions(str(tmp_path / "d.jsonl")), **settings)
    return teaching, {tuple(a): b for a, b in zip(words, tags, strict=True)}


@pytest.fixture(scope="module")
def small() -> Any:
    words, tags = words_and_tags()
    return linnet.CRF().fit(words[:40], tags[:40])


def test_errors_are_those_of_evaluation(names: Path) -> None:
    model = linnet.load(names)
    judged = JudgedTags(model, DATA, rival=model)
    guess = model.predict(DATA)
    gold = DATA.tags()
    assert gold is not None
    told = judged.overview
    pairs = [p for a, b in zip(gold, guess, strict=True) for p in zip(a, b, strict=True)]
    wrong = [pair for pair in pairs if pair[0] != pair[1]]
    assert told["errors"] == len(wrong)
    assert told["metrics"]["token_accuracy"] == pytest.approx(1 - len(wrong) / len(pairs))
    assert told["metrics"]["span_f1"] == pytest.approx(span_counts(gold, guess).f1)
    cell = judged.cell(*wrong[0])
    assert cell["all"] == sum(
        wrong[0] in list(zip(a, b, strict=True)) for a, b in zip(gold, guess, strict=True)
    )
    for one in cell["texts"]:
        assert (one["golds"][one["at"]], one["guesses"][one["at"]]) == wrong[0]
        assert one["because"]
    rows = judged.slices("linnet")
    assert rows[0]["texts"] + rows[1]["texts"] == len(pairs)
    assert judged.beside_rival["all"] == 0


@pytest.mark.parametrize("with_train", [True, False])
def test_spans_are_learnt(small: Any, tmp_path: Path, with_train: bool) -> None:
    """Forty decisions of the queue's choice make the tagger better, never much worse."""
    words, tags = words_and_tags()
    train = Sequences.from_lists(words[:40], tags[:40], names=("word",)) if with_train else None
    teaching, gold = some(small, 40, tmp_path, train=train)
    before = small.score(DATA)
    told = teaching.told()
    for k in range(40):
        one = told["sentences"][0]
        teaching.decide(one["place"], {"spans": spans_of(gold[tuple(one["words"])])})
        told = teaching.told()
        if k % 10 == 9:
            assert teaching.model.score(DATA) > before - 0.03
    assert told["refused"] is None
    assert teaching.model.score(DATA) > before
    assert small.score(DATA) == before  # the model as it came is as it was
    for one in teaching.decided():
        assert one.tags == list(gold[tuple(one.words)])
    again, _ = some(small, 40, tmp_path, train=train)
    assert len(again.decided()) == 40
    assert again.undo() is not None
    assert len(again.decided()) == 39


def test_the_queue_is_by_the_least_sure_word(small: Any, tmp_path: Path) -> None:
    teaching, _ = some(small, 40, tmp_path)
    sure = [row.max(axis=1).min() for row in small.predict_proba(teaching.pool)]
    assert teaching.queue("least sure")[0] == int(np.argmin(sure))
    for order in ("mixture", "most telling", "random"):
        assert sorted(teaching.queue(order)) == list(range(len(teaching.pool)))


def test_spans_are_written_as_the_model_does(tmp_path: Path) -> None:
    words, tags = words_and_tags()
    iobes = convert_tags(tags, "iobes")
    model = linnet.CRF().fit(words[:40], iobes[:40])
    teaching = TeachingTags(model, words[40:], Decisions(str(tmp_path / "d.jsonl")))
    place = next(i for i, one in enumerate(teaching.pool) if len(one) >= 5)
    teaching.decide(place, {"spans": [[0, 2, "BIRD"], [3, 4, "PLACE"]]})
    assert teaching.decided()[0].tags[:5] == ["B-BIRD", "E-BIRD", "O", "S-PLACE", "O"]


@pytest.mark.parametrize(
    "asked",
    [
        {"spans": [[0, 0, "A"]]},
        {"spans": [[0, 2, "A"], [1, 3, "B"]]},
        {"spans": [[0, 999, "A"]]},
        {"spans": [[0, 1, ""]]},
        {"spans": "all"},
        {"spans": [[0.5, 1, "A"]]},
        {"tags": ["O"]},
    ],
)
def test_spans_that_cannot_be_are_refused(small: Any, tmp_path: Path, asked: Any) -> None:
    teaching, _ = some(small, 40, tmp_path)
    with pytest.raises(DataError, match="wanted"):
        teaching.decide(0, asked)
    assert teaching.decided() == []


def test_a_session_teaches_and_exports(small: Any, tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    session = Session(
        Looked(small, pool=[["Ada", "saw", "a", "wren"]], tagged=DATA, decisions=str(path))
    )
    assert session.about({})["views"] == ["try", "errors", "teach", "weights"]
    assert session.errors({})["kind"] == "tags"
    session.teach({"place": 0, "spans": [[0, 1, "PERSON"]], "note": "sure"})
    standing = session.decisions.standing()
    assert exported(standing, "conll") == b"Ada B-PERSON\nsaw O\na O\nwren O\n\n"
    assert exported(standing, "tsv") == b"Ada\tB-PERSON\nsaw\tO\na\tO\nwren\tO\n\n"
    assert json.loads(exported(standing, "jsonl")) == {
        "tokens": ["Ada", "saw", "a", "wren"],
        "tags": ["B-PERSON", "O", "O", "O"],
    }
    assert json.loads(path.read_text())["guesses"]
    with pytest.raises(DataError, match="rules are for labels"):
        session.rules({})


def test_a_tagger_in_memory_is_looked_at(names: Path, tmp_path: Path) -> None:
    pytest.importorskip("uvicorn")
    model = linnet.load(names)
    words, tags = words_and_tags()
    settings: Any = {"decisions": str(tmp_path / "d.jsonl"), "browser": False}
    opened = model.look(words[:50], tags[:50], pool=words[50:70], train=(words, tags), **settings)
    try:
        assert _views(opened) == ["try", "errors", "teach", "weights"]
    finally:
        opened.close()
    for pool in (["A wren sang. An owl hooted."], words[:2]):
        opened = model.look(pool, **settings)
        try:
            assert _views(opened) == ["try", "teach", "weights"]
        finally:
            opened.close()
    with pytest.raises(DataError, match="give some"):
        model.look(against=model, **settings)
    with pytest.raises(DataError, match="lists of words"):
        model.look([[{"w": 1.0}]], **settings)


def _views(opened: Any) -> Any:
    with urllib.request.urlopen(f"{opened.address}api/about", data=b"{}", timeout=60) as answer:
        return json.load(answer)["views"]
