"""Equal trainings give equal files: in another process, at another time, by command or in Python."""

import os
import sys
from pathlib import Path

import pytest

import linnet
from linnet.data import samples

from .. import processes
from ..shell import SOURCE

# All of them in one process: its start takes longer than they do.
TRAININGS = """
import sys
from pathlib import Path
from linnet import DependencyParser, Tagger, TextClassifier
from linnet.cli import main

MODELS = {
    "classifier": ("texts.tsv", TextClassifier(), ""),
    "online": ("texts.tsv", TextClassifier(learner="sgd"), "--learner sgd"),
    "tagger": ("tags.conll", Tagger(), ""),
    "mira": ("tags.conll", Tagger(learner="mira"), "--learner mira"),
    "parser": ("trees.conllu", DependencyParser(), "--task parse --tagger auto"),
}
for name, (data, model, options) in MODELS.items():
    model.fit(Path(data)).save(f"{sys.argv[1]}/{name}.linnet")
    output = f"{sys.argv[1]}/{name}-by-command.linnet"
    run = ["-q"] if sys.argv[1] == "first" else ["--threads", "2"]  # neither is part of the model
    main(["train", data, *run, "-o", output, *options.split()], standalone_mode=False)
"""
NAMES = ("classifier", "online", "tagger", "mira", "parser")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two processes have trained the same models, in ``first`` and ``second``."""
    made = tmp_path_factory.mktemp("same")
    texts, birds = samples.load("verse-train")
    lines = [f"{label}\t{text}\n" for text, label in zip(texts[:100], birds, strict=False)]
    (made / "texts.tsv").write_text("".join(lines), encoding="utf-8")
    rows = list(zip(*samples.load_tagged("sightings-train"), strict=True))[:30]
    blocks = ["".join(f"{w} {pos} {tag}\n" for (w, pos), tag in zip(*row, strict=True)) for row in rows]
    (made / "tags.conll").write_text("\n".join(blocks), encoding="utf-8")
    trees = Path(samples.__file__).with_name("rambles-train.conllu").read_text(encoding="utf-8")
    few = "\n\n".join(trees.split("\n\n")[:12]) + "\n\n"
    (made / "trees.conllu").write_text(few, encoding="utf-8")
    for run in ("first", "second"):
        (made / run).mkdir()
        own = {"PYTHONHASHSEED": str(len(run)), "PYTHONPATH": str(SOURCE)}
        processes.run(
            [sys.executable, "-c", TRAININGS, run], cwd=made, env=os.environ | own, check=True
        )
    return made


@pytest.mark.parametrize("suffix", ["", "-by-command"])
@pytest.mark.parametrize("name", NAMES)
def test_same_bytes(name: str, suffix: str, folder: Path) -> None:
    file = f"{name}{suffix}.linnet"
    assert (folder / "first" / file).read_bytes() == (folder / "second" / file).read_bytes()


def test_records_are_equal_but_for_the_time_they_took(tmp_path: Path) -> None:
    texts, labels = samples.load("verse-train")
    first, second = (linnet.TextClassifier().fit(texts, labels) for _ in range(2))
    assert first.record_ == second.record_
    assert all(epoch.seconds is not None for epoch in first.record_.epochs)
    first.save(tmp_path / "m.linnet")
    loaded = linnet.load(tmp_path / "m.linnet")
    assert loaded.record_ == first.record_
    assert [epoch.seconds for epoch in loaded.record_.epochs] == [None] * first.record_.n_iter
