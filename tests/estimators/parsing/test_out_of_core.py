"""Parsers of files larger than memory, and of several files."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linnet import DependencyParser, engines
from linnet.errors import DataError, DataWarning, RefusedError
from linnet.estimators.parsing import outofcore
from linnet.estimators.parsing.choice import bits_within, weights_of
from linnet.features.arcs import ArcFeatures
from linnet.formats import read_trees
from linnet.learners import Mixing
from linnet.learners.passing import PassingSolver
from linnet.training import Checkpoint

from ..shards import ROOM, Cut, bytes_of, in_shards, sample

__all__ = ["in_shards"]
TRAIN, TEST = sample("rambles-train.conllu"), sample("rambles-test.conllu")
pytestmark = pytest.mark.filterwarnings("ignore::linnet.errors.TrainingWarning")  # few passes will do


def few(path: Path, first: int = 0, last: int = 120) -> Path:
    sentences = TRAIN.read_text(encoding="utf-8").split("\n\n")[first:last]
    path.write_text("\n\n".join(sentences).strip() + "\n\n", encoding="utf-8")
    return path


MODELS = {
    "auto": DependencyParser(max_iter=2),
    "a tree CRF": DependencyParser(loss="logistic", order=1, max_iter=1),
    "counted": DependencyParser(loss="joint_likelihood"),
    "with taggers": DependencyParser(tagger="auto", jackknife=2, max_iter=1, without="tokens"),
}


@pytest.mark.parametrize("name", MODELS)
def test_what_fits_is_learnt_as_ever(name: str, tmp_path: Path) -> None:
    model, data, kept = MODELS[name], few(tmp_path / "few.conllu"), tmp_path / "kept"
    whole = bytes_of(model.fit(data), tmp_path)
    assert bytes_of(model.fit(data, memory=ROOM), tmp_path) == whole
    assert bytes_of(model.fit(data, cache=kept), tmp_path) == whole
    made = {path: path.stat().st_ino for path in kept.iterdir()}
    assert bytes_of(model.fit(data, memory=ROOM, cache=kept), tmp_path) == whole
    assert {path: path.stat().st_ino for path in kept.iterdir()} == made  # nothing is made anew


def test_several_files_are_one(tmp_path: Path) -> None:
    model, data = DependencyParser(max_iter=1), few(tmp_path / "all.txt").rename(tmp_path / "all")
    few(tmp_path / "a.conllu", 0, 70)
    packed = few(tmp_path / "b.conllu", 70, 120)
    (tmp_path / "b.conllu.gz").write_bytes(gzip.compress(packed.read_bytes()))
    packed.unlink()
    whole = bytes_of(model.fit(data), tmp_path)
    for X in ([tmp_path / "a.conllu", tmp_path / "b.conllu.gz"], str(tmp_path / "*.conllu*")):
        assert bytes_of(model.fit(X), tmp_path) == whole
        assert bytes_of(model.fit(X, memory=ROOM), tmp_path) == whole
    (tmp_path / "c.conllu").write_text("1\ta\ta\tDET\t_\t_\t3\tdet\t_\t_\n\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"c\.conllu, line 1: "):
        model.fit([tmp_path / "a.conllu", tmp_path / "c.conllu"], memory=ROOM)


SHARDED: dict[str, DependencyParser] = {
    "auto": DependencyParser(max_iter=3),
    "without relations": DependencyParser(max_iter=3, joint=None),
    "any arcs": DependencyParser(max_iter=3, projective=False),
    "a tree CRF by steps": DependencyParser(loss="logistic", max_iter=2),
}


@pytest.mark.parametrize("name", SHARDED)
def test_shard_after_shard_learns_as_much(name: str, in_shards: list[int]) -> None:
    model = SHARDED[name]
    whole = model.fit(TRAIN).score(TEST)
    first = model.fit(TRAIN, memory=ROOM)
    assert len(in_shards) > 2
    assert first.score(TEST) > whole - 0.03
    assert any("one at a time in memory" in line for line in first.why_)
    assert first.record_.data["sentences"] == len(read_trees(TRAIN))
    weights = first.model_.weights.copy()
    np.testing.assert_array_equal(model.fit(TRAIN, memory=ROOM).model_.weights, weights)
    assert first.names_["arcs"]
    assert first.names_["relations"]


def test_one_shard_gives_the_same_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights, relations and candidates, as if nothing had been cut."""
    data = few(tmp_path / "few.conllu")
    model = DependencyParser(max_iter=2)
    whole = model.fit(data).model_
    monkeypatch.setattr(outofcore.ParserOutOfCore, "_fits", lambda *_: False)
    found = model.fit(data, memory=ROOM).model_
    assert "shards: 1, " in model.why_[4]
    ours, theirs = found.tensors(), whole.tensors()
    assert ours.keys() == theirs.keys()
    assert all(np.array_equal(ours[part], theirs[part]) for part in theirs)


BATCH = {
    "a tree CRF": DependencyParser(loss="logistic", learner="lbfgs", max_iter=2, candidates=None),
    "mixing": DependencyParser(learner=Mixing("pa"), joint=None, max_iter=2, candidates=None),
}


@pytest.mark.parametrize("name", BATCH)
def test_sums_over_shards_are_those_of_an_engine(
    name: str, tmp_path: Path, in_shards: list[int]
) -> None:
    """Heads, that is: relations are learnt shard after shard."""
    model, data = BATCH[name], few(tmp_path / "few.conllu", 0, 130)
    found = model.fit(data, memory=ROOM).model_.weights.copy()
    sizes = list(in_shards)
    assert len(sizes) > 1
    with engines.engine(CutTrees(sizes)):
        model.fit(data)
    np.testing.assert_array_equal(found, model.model_.weights)


class CutTrees(Cut):
    def cut(self, size: int) -> list[tuple[int, int]]:
        """Relations are of arcs."""
        return super().cut(size) if size == sum(self.sizes) else engines.Local(2).cut(size)


@pytest.mark.usefixtures("in_shards")
@pytest.mark.parametrize(
    ("model", "told"),
    [
        (DependencyParser(tagger="auto"), "tagger needs all sentences at once"),
        (DependencyParser(diagnostics=True), "diagnostics needs all sentences at once"),
        (DependencyParser(loss="joint_likelihood"), "joint_likelihood' needs all sentences at once"),
    ],
)
def test_what_needs_all_trees_is_refused(model: DependencyParser, told: str) -> None:
    with pytest.raises(RefusedError, match=told):
        model.fit(TRAIN, memory=ROOM)


@pytest.mark.usefixtures("in_shards")
def test_a_training_goes_on_after_a_crash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within the relations, when heads are done."""
    model, data = DependencyParser(max_iter=2), few(tmp_path / "few.conllu")
    whole = bytes_of(model.fit(data, memory=ROOM), tmp_path)
    epoch, passes = PassingSolver.epoch, [0]

    def crash(self: PassingSolver) -> Any:
        passes[0] += 1
        if passes[0] == 4:
            raise OSError("no more")
        return epoch(self)

    monkeypatch.setattr(PassingSolver, "epoch", crash)
    state = tmp_path / "state"
    with pytest.raises(OSError, match="no more"), Checkpoint(state, every=0):
        model.fit(data, memory=ROOM)
    with Checkpoint(state, every=0, resume=True):
        model.fit(data, memory=ROOM)
    assert bytes_of(model, tmp_path) == whole


@pytest.mark.usefixtures("in_shards")
def test_mistakes(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="memory and cache are for files"):
        DependencyParser().fit(read_trees(TEST), memory=ROOM)
    data = tmp_path / "words.conllu"
    data.write_text("1\ta\ta\tDET\t_\t_\t_\t_\t_\t_\n\n", encoding="utf-8")
    with pytest.raises(DataError, match="has no trees: no word has a head"):
        DependencyParser().fit(data, memory=ROOM)
    data.write_text("1\ta\ta\tDET\t_\t_\t0\t_\t_\t_\n\n", encoding="utf-8")
    with pytest.raises(DataError, match="has heads only"):
        DependencyParser().fit(data, memory=ROOM)
    with pytest.raises(DataError, match=r"line 3: a sentence of \d+ words, of 3 at the most"):
        DependencyParser(max_words=3).fit(TRAIN, memory=ROOM)
    kept = tmp_path / "kept"
    DependencyParser(max_iter=1).fit(few(tmp_path / "few.conllu"), memory=ROOM, cache=kept)
    with pytest.raises(DataError, match=r"the longest sentence has \d+ words, of 3 at the most"):
        DependencyParser(max_words=3).fit(tmp_path / "few.conllu", memory=ROOM, cache=kept)
    many = ArcFeatures(hash_bits=30)
    with pytest.raises(DataError, match=r"weights of arcs and relations would take.*hash_bits"):
        DependencyParser(many).fit(tmp_path / "few.conllu", memory="2GB")


def test_what_is_damaged_is_made_anew(tmp_path: Path) -> None:
    data, kept = few(tmp_path / "few.conllu"), tmp_path / "kept"
    model = DependencyParser(max_iter=1)
    whole = bytes_of(model.fit(data, cache=kept), tmp_path)
    (path,) = kept.glob("*.sentences")
    content = path.read_bytes()
    path.write_bytes(content[:5000] + bytes([content[5000] ^ 1]) + content[5001:])
    with pytest.warns(DataWarning, match="its section piece 0 is damaged; it is made anew"):
        model.fit(data, cache=kept)
    assert bytes_of(model, tmp_path) == whole
    assert path.read_bytes() == content


def test_weights_go_by_the_room_there_is() -> None:
    most = weights_of(10**9, 40, bits_within(10**9, 40, 10**12))
    assert most == {"arcs": 2**22, "joint": 2**16 * 40}
    for room in (10**6, 3 * 10**6):
        assert sum(weights_of(10**9, 40, bits_within(10**9, 40, room)).values()) <= room
