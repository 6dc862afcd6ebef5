"""What goes wrong with files while a training goes on: told clearly, and nothing is lost or left."""

import gzip
import os
import resource
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from linnet.estimators import TextClassifier
from linnet.estimators.text import outofcore

from .test_checkpoint import die_at, inputs, run

OLD = b"the model before"
SHARDS = ("a.tsv.gz", "b.tsv.gz", "c.tsv.gz")
LEARNER = ("--learner", "sgd", "--loss", "logistic")
PLAIN = ("train", *SHARDS, "--memory", "4GB", "--cache", "kept", *LEARNER, "-o", "new")
WORDS = (*PLAIN, "--checkpoint", "state", "--every", "0s", "--resume")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three files, a model from before, and the checkpoint of a training that was killed."""
    inner = tmp_path / "files"
    inner.mkdir()
    lines = inputs()["texts.tsv"].splitlines(keepends=True)
    for k, name in enumerate(SHARDS):
        (inner / name).write_bytes(gzip.compress("".join(lines[k::3]).encode()))
    ended = run([*PLAIN], inner)
    assert ended.code == 0, ended.said
    (inner / "new").rename(tmp_path / "expected")
    (inner / "new").write_bytes(OLD)
    assert run([*WORDS], inner, die_at(3)).code == -signal.SIGKILL
    return inner


def forget_rows(folder: Path) -> None:
    for path in (folder / "kept").iterdir():
        path.unlink()


def vanished(folder: Path) -> None:
    (folder / "b.tsv.gz").unlink()


def cut(folder: Path) -> None:
    forget_rows(folder)
    data = (folder / "b.tsv.gz").read_bytes()
    (folder / "b.tsv.gz").write_bytes(data[: len(data) // 2])


def vanishes_between_two_passes(folder: Path) -> None:
    looked = outofcore.OutOfCore._looked

    def and_gone(self: outofcore.OutOfCore) -> object:
        found = looked(self)
        forget_rows(folder)
        vanished(folder)
        return found

    outofcore.OutOfCore._looked = and_gone  # type: ignore[method-assign,assignment]


def cut_while_it_is_read(folder: Path) -> None:
    forget_rows(folder)
    add = outofcore.CountedTexts.add

    def and_cut(self: outofcore.CountedTexts, texts: object) -> None:
        add(self, texts)  # type: ignore[arg-type]
        data = (folder / "a.tsv.gz").read_bytes()
        (folder / "a.tsv.gz").write_bytes(data[:-20])

    outofcore.CountedTexts.add = and_cut  # type: ignore[method-assign,assignment]


def limited(room: int) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))


def full_for_rows(folder: Path) -> None:
    forget_rows(folder)
    limited(4000)


def full_for_the_model(_: Path) -> None:
    save = TextClassifier.save

    def and_full(self: TextClassifier, *given: object, **named: object) -> None:
        limited(4000)
        save(self, *given, **named)  # type: ignore[arg-type]

    TextClassifier.save = and_full  # type: ignore[method-assign]


DISASTERS: dict[Callable[[Path], None], str] = {
    vanished: "b.tsv.gz does not exist",
    cut: "b.tsv.gz is damaged: it begins as gzip, but it ends too early",
    vanishes_between_two_passes: "b.tsv.gz does not exist",
    cut_while_it_is_read: "a.tsv.gz has changed while it was read",
    full_for_rows: "rows cannot be written or read there: File too large; --cache",
    full_for_the_model: "new: File too large",
}


@pytest.mark.parametrize("disaster", DISASTERS, ids=lambda f: f.__name__)
def test_it_is_told_and_nothing_is_lost(disaster: Callable[[Path], None], folder: Path) -> None:
    before = {name: (folder / name).read_bytes() for name in (*SHARDS, "state", "new")}
    ended = run([*WORDS], folder, lambda: disaster(folder))
    assert ended.code in (1, 2), ended.said
    assert DISASTERS[disaster] in ended.said
    assert "Traceback" not in ended.said
    assert (folder / "new").read_bytes() == OLD
    assert "no checkpoint could be written" not in ended.said, "there is nothing new to write"
    assert (folder / "state").exists()
    if disaster is not full_for_the_model:  # for which all was learnt
        assert (folder / "state").read_bytes() == before["state"]
    assert {*os.listdir(folder)} <= {*SHARDS, "kept", "state", "new"}
    assert all(name.endswith((".rows", ".look")) for name in os.listdir(folder / "kept"))
    for name in SHARDS:
        (folder / name).write_bytes(before[name])
    ended = run([*WORDS], folder)
    assert ended.code == 0, ended.said
    assert "going on from state" in ended.said
    assert (folder / "new").read_bytes() == (folder.parent / "expected").read_bytes()
    assert {*os.listdir(folder)} == {*SHARDS, "kept", "new"}


def test_rows_that_were_cut_are_made_anew(folder: Path) -> None:
    (path,) = (folder / "kept").glob("*.rows")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    ended = run([*WORDS], folder)
    assert ended.code == 0, ended.said
    assert "it is cut short" in ended.said
    assert "it is made anew" in ended.said
    assert "going on from state" in ended.said
    assert (folder / "new").read_bytes() == (folder.parent / "expected").read_bytes()
    assert path.read_bytes() == whole
