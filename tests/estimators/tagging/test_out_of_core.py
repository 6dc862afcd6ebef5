"""Taggers of files larger than memory, and of several files."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linnet import CRF, HMM, MEMM, Tagger, engines
from linnet.errors import DataError, DataWarning, RefusedError
from linnet.estimators import sentence_files
from linnet.estimators.tagging import outofcore
from linnet.features import TokenFeatures
from linnet.formats import read_sequences
from linnet.learners import SGD
from linnet.learners.passing import PassingSolver
from linnet.training import Checkpoint

from ..shards import PIECE, ROOM, Cut, bytes_of, in_shards, sample

__all__ = ["in_shards"]
TRAIN, TEST = sample("sightings-train.conll"), sample("sightings-test.conll")
pytestmark = pytest.mark.filterwarnings("ignore::linnet.errors.TrainingWarning")  # few passes will do


def partly(path: Path) -> Path:
    """Every seventh tag is missing, but in the first sentences."""
    words = [line.split() for line in TRAIN.read_text(encoding="utf-8").splitlines()]
    rows = [
        [*cells[:2], "?" if k % 7 == 0 and k > 2500 else cells[2]] if cells else []
        for k, cells in enumerate(words)
    ]
    text = "".join(" ".join(cells) + "\n" for cells in rows)
    path.write_text(text, encoding="utf-8")
    return path


def as_tokens(path: Path) -> Path:
    """JSON lines, with weights, some of them 0."""
    data = read_sequences(TRAIN)
    tags = data.tags()
    assert tags is not None
    lines = [
        {"tokens": words, "pos": pos, "tags": of, "weight": [1, 2.5, 0][k % 3]}
        for k, (words, pos, of) in enumerate(
            zip(data.column("word"), data.column("pos"), tags, strict=True)
        )
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def as_attributes(path: Path) -> Path:
    """Named numbers, as CRFsuite has them."""
    words = [line.split() for line in TRAIN.read_text(encoding="utf-8").splitlines()]
    lines = [f"{c[2]}\tw={c[0]}\tp={c[1]}:0.5\tend={c[0][-2:]}" if c else "" for c in words]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


MODELS: dict[str, Tagger] = {
    "auto": Tagger(),
    "perceptron": Tagger(learner="perceptron", max_iter=3),
    "rare features": Tagger(TokenFeatures(templates="ner", min_df=2, max_features=300)),
    "hidden Markov": HMM(),
    "segments": Tagger(segments=True, learner="perceptron", max_iter=2),
}


@pytest.mark.parametrize("name", MODELS)
def test_what_fits_is_learnt_as_ever(name: str, tmp_path: Path) -> None:
    model, kept = MODELS[name], tmp_path / "kept"
    whole = bytes_of(model.fit(TRAIN), tmp_path)
    assert bytes_of(model.fit(TRAIN, memory=ROOM), tmp_path) == whole
    assert bytes_of(model.fit(TRAIN, cache=kept), tmp_path) == whole
    made = {path: path.stat().st_ino for path in kept.iterdir()}
    assert bytes_of(model.fit(TRAIN, memory=ROOM, cache=kept), tmp_path) == whole
    assert {path: path.stat().st_ino for path in kept.iterdir()} == made  # nothing is made anew


@pytest.mark.parametrize("made", [as_tokens, as_attributes], ids=lambda f: f.__name__)
def test_other_formats(made: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And many pieces."""
    monkeypatch.setattr(sentence_files, "ALL", PIECE)
    path = made(tmp_path / ("data.jsonl" if made is as_tokens else "data.crfsuite"))
    model = Tagger(max_iter=2)
    whole = bytes_of(model.fit(path), tmp_path)
    assert bytes_of(model.fit(path, memory=ROOM), tmp_path) == whole


def test_several_files_are_one(tmp_path: Path) -> None:
    sentences = TRAIN.read_text(encoding="utf-8").split("\n\n")
    parts = ["\n\n".join(sentences[:100]) + "\n\n", "\n\n".join(sentences[100:])]
    (tmp_path / "a.conll").write_text(parts[0], encoding="utf-8")
    (tmp_path / "b.conll.gz").write_bytes(gzip.compress(parts[1].encode()))
    model = Tagger(max_iter=2)
    whole = bytes_of(model.fit(TRAIN), tmp_path)
    for X in ([tmp_path / "a.conll", tmp_path / "b.conll.gz"], str(tmp_path / "*.conll*")):
        assert bytes_of(model.fit(X), tmp_path) == whole
        assert bytes_of(model.fit(X, memory=ROOM), tmp_path) == whole
    bad = parts[1].replace(" O\n", " O extra\n", 1)
    (tmp_path / "c.conll").write_text(bad, encoding="utf-8")
    with pytest.raises(DataError, match=r"c\.conll, line \d+: "):
        model.fit([tmp_path / "a.conll", tmp_path / "c.conll"], memory=ROOM)
    (tmp_path / "d.conll").write_text("a D\nlinnet N\n\n", encoding="utf-8")
    for memory in (None, ROOM):
        with pytest.raises(DataError, match=r"d\.conll has the columns word, and .*a\.conll word, pos"):
            model.fit([tmp_path / "a.conll", tmp_path / "d.conll"], memory=memory)


# ---------------------------------------------------------------------- shards


BATCH: dict[str, tuple[Tagger, bool]] = {
    "lbfgs": (Tagger("ner", "logistic", "lbfgs", max_iter=4), False),
    "costs": (Tagger("ner", "softmax_margin", "lbfgs", class_weight="balanced", max_iter=3), False),
    "missing tags": (Tagger("ner", "logistic", "lbfgs", max_iter=3), True),
    "counting": (HMM(), False),
    "em": (HMM(max_iter=3), True),
    "order 2": (Tagger("ner", "logistic", "lbfgs", order=2, max_iter=2), False),
    "dual": (Tagger("ner", "logistic", "dual", max_iter=3), False),
    "frank_wolfe": (Tagger("ner", "hinge", "frank_wolfe", max_iter=3), False),
}


@pytest.mark.parametrize("name", BATCH)
def test_sums_over_shards_are_those_of_an_engine(
    name: str, tmp_path: Path, in_shards: list[int]
) -> None:
    model, missing = BATCH[name]
    path, options = (partly(tmp_path / "data.conll"), {"missing": "?"}) if missing else (TRAIN, {})
    files = outofcore.FilesInParts([outofcore.SentenceFile(str(path), "conll", options)])
    model.fit(files, memory=ROOM)
    assert len(in_shards) > 2
    found = {name: array.copy() for name, array in model.model_.tensors().items()}
    with engines.engine(Cut(in_shards)):
        model.fit(read_sequences(path, "conll", **options))
    expected = model.model_.tensors()
    assert found.keys() == expected.keys()
    for part, array in expected.items():
        np.testing.assert_array_equal(found[part], array, err_msg=part)


ONLINE = {
    "auto": Tagger(),
    "crf": CRF(),
    "perceptron": Tagger(learner="perceptron", max_iter=5),
    "pa": Tagger(learner="pa", max_iter=5),
    "hinge": Tagger(loss="hinge"),
    "adagrad": Tagger(learner="adagrad", max_iter=3),
    "memm": MEMM(),
    "order 0": Tagger(order=0),
    "pairs": Tagger(["word[0]", "suffix3", "transition: word[0]"], max_iter=3),
}


@pytest.mark.parametrize("name", ONLINE)
def test_shard_after_shard_learns_as_much(name: str, in_shards: list[int]) -> None:
    model = ONLINE[name]
    whole = model.fit(TRAIN).score(TEST)
    first = model.fit(TRAIN, memory=ROOM)
    assert len(in_shards) > 2
    assert first.score(TEST) > whole - 0.02
    assert f"shards: {len(in_shards)}, one at a time in memory" in first.why_[-1]
    weights = first.model_.states.weights.copy()
    again = model.fit(TRAIN, memory=ROOM)
    np.testing.assert_array_equal(again.model_.states.weights, weights)


@pytest.mark.usefixtures("in_shards")
def test_what_auto_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Tagger().fit(TRAIN, memory=ROOM).record_.learner == "sgd"
    assert Tagger(loss="hinge").fit(TRAIN, memory=ROOM).record_.learner == "pa"
    assert HMM().fit(TRAIN, memory=ROOM).record_.learner == "counting"
    monkeypatch.setattr(outofcore.TaggerOutOfCore, "_watch", _too_many)
    hashed = Tagger().fit(TRAIN, memory=ROOM)
    assert hashed.features_.hash_bits is not None
    assert "hash_bits: " in hashed.why_[-2]
    with pytest.raises(DataError, match=r"more than 1 features.*hash them into fewer"):
        Tagger("ner").fit(TRAIN, memory=ROOM)


def _too_many(*_: Any) -> None:
    raise outofcore.OutgrownError("there are more than 1 features", "hash them into fewer")


@pytest.mark.usefixtures("in_shards")
@pytest.mark.parametrize(
    ("model", "told"),
    [
        (Tagger(segments=True), "segments needs all sentences at once"),
        (Tagger(tagger="auto"), "tagger needs all sentences at once"),
        (Tagger(diagnostics=True), "diagnostics needs all sentences at once"),
        (Tagger(all_states=False), "all_states=False needs all sentences at once"),
    ],
)
def test_what_needs_all_sentences_is_refused(model: Tagger, told: str) -> None:
    with pytest.raises(RefusedError, match=told):
        model.fit(TRAIN, memory=ROOM)


def test_mistakes(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="memory and cache are for files"):
        Tagger().fit([["a"]], [["D"]], memory=ROOM)
    with pytest.raises(ValueError, match="memory and cache are for files"):
        Tagger().fit(read_sequences(TRAIN), memory=ROOM)
    with pytest.raises(ValueError, match="sample_weight: weights of files"):
        Tagger().fit(TRAIN, sample_weight=[1], memory=ROOM)
    with pytest.raises(RefusedError, match="does not go with an engine"), engines.engine("local"):
        Tagger().fit(TRAIN, memory=ROOM, cache=tmp_path)
    with pytest.raises(DataError, match=r"memory=… is 1 MB, and Python with Linnet has"):
        Tagger().fit(TRAIN, memory="1MB")
    (tmp_path / "list.json").write_text('[{"tokens": ["a"], "tags": ["D"]}]', encoding="utf-8")
    with pytest.raises(DataError, match="cannot be read in parts: it is one list of JSON"):
        Tagger().fit(tmp_path / "list.json", memory=ROOM)
    (tmp_path / "empty.conll").write_text("\n\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"no sentence is left to learn from|holds no tokens|is empty"):
        Tagger().fit(tmp_path / "empty.conll", memory=ROOM)


@pytest.mark.usefixtures("in_shards")
def test_diagnostics_are_left_out_with_a_word() -> None:
    model = Tagger(max_iter=1).fit(TRAIN, memory=ROOM)
    assert model.record_.diagnostics == {"not_measured": "sentences were read shard by shard"}


@pytest.mark.usefixtures("in_shards")
def test_held_out_data_are_watched() -> None:
    model = Tagger("ner", learner=SGD(), max_iter=4).fit(TRAIN, dev=TEST, memory=ROOM)
    assert all(epoch.dev_score is not None for epoch in model.record_.epochs)


@pytest.mark.usefixtures("in_shards")
def test_a_training_goes_on_after_a_crash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Tagger("ner", learner="perceptron", max_iter=4)
    whole = bytes_of(model.fit(TRAIN, memory=ROOM), tmp_path)
    epoch, crashed = PassingSolver.epoch, []

    def crash(self: PassingSolver) -> Any:
        if self.rounds == 2 and not crashed:
            crashed.append(True)
            raise OSError("no more")
        return epoch(self)

    monkeypatch.setattr(PassingSolver, "epoch", crash)
    state = tmp_path / "state"
    with pytest.raises(OSError, match="no more"), Checkpoint(state, every=0):
        model.fit(TRAIN, memory=ROOM)
    assert state.exists()
    with Checkpoint(state, every=0, resume=True):
        model.fit(TRAIN, memory=ROOM)
    assert bytes_of(model, tmp_path) == whole


# ---------------------------------------------------------------------- what is kept


def kept_in(folder: Path) -> Path:
    (path,) = folder.glob("*.sentences")
    return path


def test_what_is_kept_serves_other_settings(tmp_path: Path) -> None:
    """It is of files, not of features: another tagger needs nothing new."""
    kept = tmp_path / "kept"
    Tagger("ner", max_iter=1).fit(TRAIN, cache=kept)
    number = kept_in(kept).stat().st_ino
    Tagger("pos", learner="perceptron", max_iter=1).fit(TRAIN, cache=kept)
    assert kept_in(kept).stat().st_ino == number


@pytest.mark.parametrize("damage", ["cut", "byte", "foreign", "changed", "touched"])
def test_what_is_damaged_or_of_another_file_is_made_anew(damage: str, tmp_path: Path) -> None:
    data, kept = tmp_path / "data.conll", tmp_path / "kept"
    data.write_bytes(TRAIN.read_bytes())
    model = Tagger("ner", max_iter=1)
    model.fit(data, cache=kept)
    path, whole = kept_in(kept), bytes_of(model, tmp_path)
    content = path.read_bytes()
    told = {"cut": "it is cut short", "byte": "its section piece 0 is damaged"}
    told |= {"foreign": "it is no cache of Linnet's", "changed": "has changed since"}
    if damage == "cut":
        path.write_bytes(content[:-100])
    elif damage == "byte":
        path.write_bytes(content[:5000] + bytes([content[5000] ^ 1]) + content[5001:])
    elif damage == "foreign":
        path.write_bytes(b"something else" * 1000)
    elif damage == "changed":
        data.write_bytes(TRAIN.read_bytes() + b"a DT O\n\n")
    else:
        os.utime(data, ns=(0, 0))
    if damage == "touched":  # the same bytes
        model.fit(data, cache=kept)
        assert path.read_bytes() == content
        return
    with pytest.warns(DataWarning, match=f"{told[damage]}.*; it is made anew"):
        model.fit(data, cache=kept)
    if damage != "changed":
        assert bytes_of(model, tmp_path) == whole
        assert path.read_bytes() == content
    else:
        assert model.record_.data["sentences"] == len(read_sequences(data))
