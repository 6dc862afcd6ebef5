"""Files that are read by workers on a cluster: the same bytes as here, whatever is lost on the way."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

ray = pytest.importorskip("ray")

from tests.ray_cluster import cluster  # noqa: E402

from linnet import TextClassifier, engine, engines  # noqa: E402
from linnet.data import samples  # noqa: E402
from linnet.errors import DataError, EngineError  # noqa: E402
from linnet.estimators.text import machines, ranged  # noqa: E402
from linnet.features import TextFeatures  # noqa: E402
from linnet.learners import sharded_dual  # noqa: E402

__all__ = ["cluster"]
pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.usefixtures("cluster"),
]  # of Ray, and of few passes


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(machines, "SMALLEST", 20_000)
    texts, birds = samples.load("birds-train")
    lines = [f"{bird}\t{text}\n" for text, bird in zip(texts, birds, strict=True)]
    (tmp_path / "birds.tsv").write_text("".join(lines), encoding="utf-8")
    return tmp_path / "birds.tsv"


def bytes_of(model: TextClassifier, folder: Path) -> bytes:
    model.save(folder / "model.linnet")
    return (folder / "model.linnet").read_bytes()


def fitted(where: Any, model: TextClassifier, data: Path, shards: int = 2, **given: Any) -> bytes:
    with engine(where, **({"shards": shards} if isinstance(where, str) else {})):
        return bytes_of(model.fit(data, **given), data.parent)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"learner": "lbfgs", "loss": "logistic", "max_iter": 3, "multiclass": "rest"},
        {"features": TextFeatures(word=(1, 1), scale="nb", preprocessor=lambda text: text[5:])},
    ],
    ids=["auto", "one against the rest", "ratios for each label"],
)
def test_the_model_is_the_same(settings, data):
    model = TextClassifier(**settings)
    assert fitted("ray", model, data) == fitted("local", model, data)


def test_threads_of_workers_change_no_byte(data):
    model = TextClassifier(learner="lbfgs", loss="logistic", max_iter=3)
    whole = fitted("local", model, data, shards=1)
    assert fitted(engines.Ray(1, cpus=2), model, data) == whole
    with engines.keeping(engines.Ray(1, cpus=2)) as kept:
        assert kept.worker_threads == 2
    assert engines.Ray(1).worker_threads == 1


def test_under_a_limit_of_memory(data, monkeypatch):
    model = TextClassifier(learner="lbfgs", loss="logistic", max_iter=3)
    whole = fitted("local", model, data)
    monkeypatch.setattr(machines, "ENTRY", 10**6)  # bytes of an entry, so that nothing fits
    assert fitted("ray", model, data, memory="10GB") == whole


class Once:
    """Kills the process that it is called in, if it is the first to be."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __call__(self) -> None:
        try:
            self.mark.touch(exist_ok=False)
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)


class DyingShard(ranged.TextShard):
    """A shard whose first worker is killed when it has read half of it."""

    mark: Path

    def _made(self):
        whole = super()._made()
        Once(self.mark)()
        return whole


class DyingTask:
    """A look at a range, in which the first worker is killed."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __call__(self, *given: Any) -> Any:
        Once(self.mark)()
        return ranged.look(*given)


def test_workers_that_are_killed_while_they_read_change_no_byte(data, tmp_path, monkeypatch):
    whole = fitted("local", TextClassifier(), data)

    class Dying(DyingShard):
        mark = tmp_path / "shard"

    monkeypatch.setattr(machines, "TextShard", Dying)
    monkeypatch.setattr(machines, "look", DyingTask(tmp_path / "task"))
    assert fitted("ray", TextClassifier(), data) == whole
    assert (tmp_path / "shard").exists()
    assert (tmp_path / "task").exists()


def test_a_worker_that_is_killed_in_an_iteration_changes_no_byte(data, monkeypatch):
    whole, epoch, kill = fitted("local", TextClassifier(), data), sharded_dual.ShardedDual.epoch, [2, 3]

    def disturbed(self: Any) -> Any:
        if self.rounds in kill:
            kill.remove(self.rounds)
            actor = self.workers.workers.actors[len(kill)]
            process = ray.get(actor.__ray_call__.remote(lambda _: os.getpid()))
            os.kill(process, signal.SIGKILL)
        return epoch(self)

    monkeypatch.setattr(sharded_dual.ShardedDual, "epoch", disturbed)
    assert fitted("ray", TextClassifier(), data) == whole
    assert kill == []


def test_mistakes_are_told_as_they_are_here(data):
    text = data.read_text(encoding="utf-8")
    lines = text.splitlines()
    lines[900] = "no tab"
    data.write_text("\n".join(lines), encoding="utf-8")
    with engine("ray", shards=2), pytest.raises(DataError, match=r"birds\.tsv, line 901: no tab"):
        TextClassifier().fit(data)


class Blind:
    """Looks on a machine where the files are not."""

    def __call__(self, source: ranged.TextRange, *given: Any) -> Any:
        os.path.exists = lambda _: False  # in a worker
        try:
            return ranged.look(source, *given)
        finally:
            os.path.exists = REAL


REAL = os.path.exists


def test_a_machine_that_does_not_see_the_files(data, monkeypatch):
    monkeypatch.setattr(machines, "look", Blind())
    with engine("ray", shards=2), pytest.raises(EngineError, match="every machine must see the files"):
        TextClassifier().fit(data)


def test_nothing_is_said(data, capfd):
    fitted("ray", TextClassifier(max_iter=1), data)
    assert capfd.readouterr().err == ""
    assert engines.in_use() is None


@pytest.mark.parametrize("kind", ["tagger", "parser"])
def test_sentences_and_trees(kind, monkeypatch):
    """Tags, counts of features and shards come from workers."""
    from linnet import DependencyParser, Tagger
    from linnet.estimators import ranged_sentences

    from ..estimators.shards import sample

    monkeypatch.setattr(ranged_sentences, "SMALLEST", 20_000)
    if kind == "tagger":
        path, model = sample("sightings-train.conll"), Tagger("ner", learner="lbfgs", max_iter=2)
    else:
        path = sample("rambles-train.conllu")
        model = DependencyParser(max_iter=1, relations=["h.upos m.upos"])
    found = []
    for where in ("local", "ray"):
        with engine(where, shards=2):
            found.append({n: a.copy() for n, a in model.fit(path).model_.tensors().items()})
    ours, theirs = found
    assert ours.keys() == theirs.keys()
    for name in ours:
        if not name.startswith("relation"):  # shards of relations are those of sentences there
            assert ours[name].tobytes() == theirs[name].tobytes(), name
