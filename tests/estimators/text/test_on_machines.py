"""Files that workers read: the same model as of texts in memory on as many shards, to the byte."""

from __future__ import annotations

import gzip
import json
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linnet import NaiveBayes, TextClassifier, engine, engines
from linnet._memory import resident
from linnet.data import MappedRows, RowsElsewhere, samples
from linnet.errors import DataError, DataWarning, EngineError, RefusedError
from linnet.estimators.text import machines, ranged
from linnet.features import TextFeatures
from linnet.training import Checkpoint

pytestmark = pytest.mark.filterwarnings("ignore::linnet.errors.TrainingWarning")  # few passes will do
SHARDS = 3
ROOM = 10**10


class Far(engines.Local):
    """Workers of this process that do as if they were elsewhere."""

    far = True


@pytest.fixture(autouse=True)
def small_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machines, "SMALLEST", 6000)


BIRDS = [*zip(*samples.load("birds-train"), strict=True)]


def tsv(path: Path, copies: int = 1, two: bool = False) -> Path:
    lines = [f"{'wren' if two and b == 'wren' else 'other' if two else b}\t{t}\n" for t, b in BIRDS]
    path.write_text("".join(lines * copies), encoding="utf-8")
    return path


def bytes_of(model: TextClassifier, folder: Path) -> bytes:
    model.save(folder / "model.linnet")
    return (folder / "model.linnet").read_bytes()


def here_and_there(model: TextClassifier, data: Any, folder: Path, **given: Any) -> list[bytes]:
    """The model of texts that are read here, and of those that workers read."""
    found = []
    for one in (engines.Local(SHARDS), Far(SHARDS)):
        with engine(one):
            found.append(bytes_of(model.fit(data, **given), folder))
    return found


MODELS: dict[str, dict[str, Any]] = {
    "auto": {},
    "two labels": {},
    "lbfgs": {"learner": "lbfgs", "loss": "logistic", "max_iter": 5},
    "newton": {"learner": "newton", "loss": "logistic", "max_iter": 2},
    "owlqn": {"learner": "owlqn", "loss": "logistic", "penalty": "l1", "max_iter": 5},
    "mixing": {"learner": "mixing", "max_iter": 3},
    "averaging": {"learner": "averaging"},
    "one against the rest": {
        "loss": "logistic",
        "multiclass": "rest",
        "learner": "lbfgs",
        "max_iter": 3,
    },
    "hashed": {"features": TextFeatures(word=(1, 2), hash_bits=12, scale="idf", keep_names=True)},
    "hashed blocks": {"features": TextFeatures(word=(1, 1), chars=(3, 3), mix={}, hash_bits=9)},
    "pruned": {
        "features": TextFeatures(word=(1, 2), min_df=3, max_df=0.5, max_features=500, tf="sublinear")
    },
    "two labels, ratios of logarithms": {
        "features": TextFeatures(word=(1, 2), tf="sublinear", scale="nb", min_df=2)
    },
    "two labels, hashed ratios": {"features": TextFeatures(tf="count", scale="nb", hash_bits=12)},
    "naive Bayes": {"loss": "joint_likelihood", "penalty": "none"},
    "naive Bayes as a classifier": {
        "classifier": NaiveBayes(),
        "features": TextFeatures(word=(1, 1), tf="count", norm="none"),
    },
    "ratios for each label": {"features": TextFeatures(word=(1, 1), scale="nb")},
    "code": {"features": TextFeatures(word=(1, 1), preprocessor=str.upper, lowercase=False)},
    "weights of labels": {"class_weight": "balanced"},
    "some labels weigh nothing": {"class_weight": {"wren": 0.0, "linnet": 2.0}},
    "a lexicon": {"lexicon": {"wren": {"tiny": 2.0}}, "learner": "lbfgs", "max_iter": 3},
}


@pytest.mark.parametrize("name", MODELS)
def test_the_model_is_the_same(name: str, tmp_path: Path) -> None:
    data = tsv(tmp_path / "data.tsv", two=name.startswith("two labels"))
    here, there = here_and_there(TextClassifier(**MODELS[name]), data, tmp_path)
    assert here == there


def test_rows_are_not_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, fitted = [], TextClassifier._fit_made

    def watched(self: Any, made: Any, *rest: Any) -> Any:
        seen.append(made.rows)
        return fitted(self, made, *rest)

    monkeypatch.setattr(TextClassifier, "_fit_made", watched)
    here_and_there(TextClassifier(), tsv(tmp_path / "data.tsv"), tmp_path)
    here, there = seen
    assert not isinstance(here, RowsElsewhere)
    assert isinstance(there, RowsElsewhere)
    assert (len(there), there.entries, there.features) == (len(here), here.entries, here.features)
    assert len(there.recipes) == SHARDS
    assert len(there.recipes[0].pieces) > 2
    for (begin, end), recipe in zip(there.bounds(), there.recipes, strict=True):
        made, wanted = recipe(), here[np.arange(begin, end)]
        for name in ("indptr", "indices", "values", "part_starts"):
            np.testing.assert_array_equal(getattr(made, name), getattr(wanted, name))
    places = np.array([1100, 3, 700, 3])
    np.testing.assert_array_equal(there[places].values, here[places].values)


def test_features_are_those_of_one_machine(tmp_path: Path) -> None:
    data = tsv(tmp_path / "data.tsv", two=True)
    for features in (TextFeatures(word=(1, 2), min_df=2, scale="nb"), TextFeatures(scale="idf")):
        found = []
        for one in (engines.Local(SHARDS), Far(SHARDS)):
            with engine(one):
                found.append(TextClassifier(features, max_iter=1).fit(data).features_)
        here, there = (one.tensors() for one in found)
        assert here.keys() == there.keys()
        assert {name: a.tobytes() for name, a in here.items()} == {
            name: a.tobytes() for name, a in there.items()
        }
        assert found[0].spec() == found[1].spec()


def several(path: Path) -> Path:
    rows = [
        f"__label__{label} {'__label__new ' * (k % 2)}{text}" for k, (text, label) in enumerate(BIRDS)
    ]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_several_labels_of_a_text(tmp_path: Path) -> None:
    model = TextClassifier(learner="lbfgs", max_iter=3)
    here, there = here_and_there(model, several(tmp_path / "data.ft"), tmp_path)
    assert model.several_
    assert here == there
    with engine(Far()), pytest.raises(ValueError, match="scale='nb' is for one label per text"):
        TextClassifier(TextFeatures(scale="nb")).fit(tmp_path / "data.ft")


def test_rows_are_made_once_for_all_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, make = [], ranged.TextShard._made

    def watched(self: Any) -> Any:
        made.append(self.name)
        return make(self)

    monkeypatch.setattr(ranged.TextShard, "_made", watched)
    with engine(Far(SHARDS)):
        model = TextClassifier(learner="lbfgs", max_iter=2).fit(several(tmp_path / "data.ft"))
    assert len(model.classes_) == 7
    assert len(made) == len(set(made)) == SHARDS


def test_several_files_weights_and_what_is_missing(tmp_path: Path) -> None:
    third = len(BIRDS) // 3
    objects = [
        {"text": t, "label": None if k % 90 == 50 else b, "weight": (k % 5) / 3}
        for k, (t, b) in enumerate(BIRDS[:third])
    ]
    lines = [json.dumps(one) + "\n" for one in objects]
    (tmp_path / "a.jsonl").write_text("".join(lines), encoding="utf-8")
    rows = "".join(f"{b}\t{t}\n" for t, b in BIRDS[third : 2 * third])
    (tmp_path / "b.tsv.gz").write_bytes(gzip.compress(rows.encode()))
    cells = ["label,text", *(f'{b},"{t}, he said\n""so"""' for t, b in BIRDS[2 * third :])]
    (tmp_path / "c.csv").write_text("\n".join(cells), encoding="utf-8")
    paths = [tmp_path / name for name in ("a.jsonl", "b.tsv.gz", "c.csv")]
    model, found = TextClassifier(class_weight="balanced"), []
    for one in (engines.Local(SHARDS), Far(SHARDS)):
        with engine(one), warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", DataWarning)
            found.append(bytes_of(model.fit(paths), tmp_path))
        (said,) = [str(warned.message) for warned in told if warned.category is DataWarning]
        assert f"4 of {400 if one.far is False else 1200:,} examples have no label" in said
        assert "a.jsonl, line 51)" in said
    assert found[0] == found[1]


def test_the_first_line_that_lacks_something_is_told(tmp_path: Path) -> None:
    """It is in a range that does not know how many lines are before it."""
    data = tmp_path / "data.jsonl"
    rows = [{"text": t, "label": None if k == 700 else b} for k, (t, b) in enumerate(BIRDS)]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with engine(Far()), pytest.warns(DataWarning, match=r"1 of .* \(the first: .*jsonl, line 701\)"):
        TextClassifier(max_iter=1).fit(data)


@pytest.mark.parametrize(
    "model",
    [
        TextClassifier(statistics=["length"], learner="lbfgs", loss="logistic", max_iter=3),
        TextClassifier(calibration="sigmoid", learner="lbfgs", loss="softmax_margin", max_iter=3),
    ],
)
def test_what_workers_cannot_do_is_done_here_and_refused_under_a_limit(
    model: TextClassifier, tmp_path: Path
) -> None:
    data = tsv(tmp_path / "data.tsv")
    here, there = here_and_there(model, data, tmp_path)
    assert here == there
    with engine(Far()), pytest.raises(RefusedError, match="lets workers read the texts, but"):
        model.fit(data, memory=ROOM)


def test_how_far_it_is(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with engine(Far(SHARDS)):
        TextClassifier(verbose=True, max_iter=2, learner="lbfgs").fit(tsv(tmp_path / "data.tsv"))
    said = capfd.readouterr().err.splitlines()
    parts = len(said) and said[0].partition(" of ")[2].split()[0]
    for what in ("looking", "counting"):
        assert f"{what}  {parts} of {parts} parts  1,200 texts" in said
    assert any(line.startswith("training lbfgs  epoch 2") for line in said)


def test_held_out_texts_are_watched(tmp_path: Path) -> None:
    data, dev = tsv(tmp_path / "data.tsv"), samples.load("birds-test")
    model = TextClassifier(learner="mixing", loss="perceptron", penalty="none", max_iter=4)
    here, there = here_and_there(model, data, tmp_path, dev=dev)
    assert here == there
    assert all(epoch.dev_score is not None for epoch in model.record_.epochs)


def test_mistakes_name_the_file_and_the_line(tmp_path: Path) -> None:
    data = tsv(tmp_path / "data.tsv")
    lines = data.read_text(encoding="utf-8").splitlines()
    lines[900] = "no tab"
    data.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with engine(Far()), pytest.raises(DataError, match=r"data\.tsv, line 901: no tab"):
        TextClassifier().fit(data)
    with engine(Far()), pytest.raises(DataError, match=r"nowhere\.tsv does not exist"):
        TextClassifier().fit(tmp_path / "nowhere.tsv")
    empty = tmp_path / "one.tsv"
    empty.write_text("a\tone\na\ttwo\n", encoding="utf-8")
    with engine(Far()), pytest.raises(DataError, match="one class only"):
        TextClassifier().fit(empty)


def test_a_file_that_changes_between_looking_and_learning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tsv(tmp_path / "data.tsv")
    there, made = os.stat(data), ranged.TextShard._made

    def changed(self: Any) -> Any:
        text = data.read_text(encoding="utf-8")
        data.write_text(text.replace("a", "e"), encoding="utf-8")
        os.utime(data, ns=(0, there.st_mtime_ns))  # as if nothing had been
        return made(self)

    monkeypatch.setattr(ranged.TextShard, "_made", changed)
    with engine(Far()), pytest.raises(DataError, match=r"data\.tsv has changed since"):
        TextClassifier().fit(data)


def test_a_machine_that_does_not_see_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tsv(tmp_path / "data.tsv")
    monkeypatch.setattr(os.path, "exists", lambda _: False)
    with engine(Far()), pytest.raises(EngineError, match="every machine must see the files under"):
        TextClassifier().fit([data])


# ---------------------------------------------------------------------- and a limit of memory

LIMITED: dict[str, dict[str, Any]] = {
    "auto": {},
    "lbfgs": {"learner": "lbfgs", "loss": "logistic", "max_iter": 5},
    "newton": {"learner": "newton", "loss": "logistic", "max_iter": 2},
    "naive Bayes": {"loss": "joint_likelihood", "penalty": "none"},
    "several labels": {"learner": "lbfgs", "max_iter": 3},
}


def on_shards(model: TextClassifier, data: Any, where: Any, folder: Path, **given: Any) -> bytes:
    with engine(where):
        return bytes_of(model.fit(data, **given), folder)


@pytest.mark.parametrize("where", [engines.Local, Far])
@pytest.mark.parametrize("name", LIMITED)
def test_shards_may_lie_in_files(
    name: str, where: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, in_file = [], ranged.TextShard._in_a_file

    def watched(self: Any, *given: Any) -> Any:
        made.append(in_file(self, *given))
        return made[-1]

    data = tmp_path / "data"
    data = several(data) if name == "several labels" else tsv(data)
    model = TextClassifier(**LIMITED[name])
    with engine(engines.Local(SHARDS)):
        whole = bytes_of(model.fit(data), tmp_path)
    assert on_shards(model, data, where(SHARDS), tmp_path, memory=ROOM) == whole
    monkeypatch.setattr(ranged.TextShard, "_in_a_file", watched)
    monkeypatch.setattr(machines, "window_of", lambda _: 1 << 20)
    monkeypatch.setattr(machines, "ENTRY", 10**6)  # bytes of an entry, so that nothing fits
    found = on_shards(model, data, where(SHARDS), tmp_path, memory=ROOM)
    assert all(
        isinstance(rows, MappedRows) and rows.window == (1 << 20) // (1 if where.far else 2)
        for rows in made
    )
    assert len(made) >= SHARDS
    if name == "auto":  # which would go back and forth in the rows
        assert model.record_.learner == "averaging"
        assert "learner: sgd, which reads rows in order: rows take" in model.why_[-1]
    else:
        assert found == whole


def test_who_wants_all_rows_is_told_of_another_learner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tsv(tmp_path / "data.tsv", two=True)
    monkeypatch.setattr(machines, "ENTRY", 10**6)
    with engine(Far()), pytest.raises(RefusedError, match=r"dual goes back and forth.*'lbfgs'"):
        TextClassifier(learner="dual").fit(data, memory=ROOM)
    with engine(Far()), pytest.raises(RefusedError, match="'averaging' of 'sgd'"):
        TextClassifier(learner="dual", loss="hinge").fit(data, memory=ROOM)


def test_a_vocabulary_that_outgrows_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tsv(tmp_path / "data.tsv", two=True)
    monkeypatch.setattr(
        machines.MergedFeatures,
        "vocabulary_bytes",
        property(lambda merged: ROOM if merged.features.hash_bits is None else 0),
    )
    limit = int(resident()) + 60_000_000
    with engine(Far()):
        with pytest.raises(DataError, match=r"texts the vocabulary has [\d,]+ features.*hash_bits=20"):
            TextClassifier(features=TextFeatures()).fit(data, memory=limit)
        auto = TextClassifier().fit(data, memory=limit)
    assert auto.features_.hash_bits is not None
    assert "hash_bits: " in auto.why_[-1]


def test_what_does_not_go_together(tmp_path: Path) -> None:
    data = tsv(tmp_path / "data.tsv")
    with engine("local"), pytest.raises(RefusedError, match="cache=… does not go with an engine"):
        TextClassifier().fit(data, cache=tmp_path)
    with engine("local"), pytest.raises(ValueError, match="memory and cache are for files"):
        TextClassifier().fit(["a"], ["b"], memory=ROOM)


# ---------------------------------------------------------------------- checkpoints


class StoppedError(Exception):
    """As if the process had been killed."""


def test_a_training_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    data, state = tsv(tmp_path / "data.tsv"), tmp_path / "state"
    model = TextClassifier(learner="lbfgs", loss="logistic", max_iter=8)
    with engine(Far(SHARDS)):
        whole = bytes_of(model.fit(data), tmp_path)
        watched = model.__sklearn_clone__()
        with pytest.raises(StoppedError), Checkpoint(state, every=0):
            _stopped_after(3, watched, data)
        assert state.exists()
        with Checkpoint(state, resume=True):
            again = bytes_of(model.fit(data), tmp_path)
        assert again == whole
        with pytest.raises(StoppedError), Checkpoint(state, every=0):
            _stopped_after(3, watched, data)
        with data.open("a", encoding="utf-8") as file:
            file.write("wren\tone more\n")
        with pytest.raises(DataError, match="the data were others"), Checkpoint(state, resume=True):
            model.fit(data)


def _stopped_after(passes: int, model: TextClassifier, data: Path) -> None:
    from linnet.learners.batch import BatchSolver

    epoch, made = BatchSolver.epoch, [0]

    def stopping(self: Any) -> Any:
        made[0] += 1
        if made[0] > passes:
            raise StoppedError
        return epoch(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BatchSolver, "epoch", stopping)
        model.fit(data)
