"""Rows of numbers in files that workers read: the same model, to the byte, as of rows read here."""

from __future__ import annotations

import os
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linnet import engines
from linnet._lacks import gathering
from linnet.errors import DataError, EngineError
from linnet.estimators.linear import ranged
from linnet.estimators.linear.ranged import rows_of_workers
from linnet.formats import read

from ...commands import command
from ...far import Far

SHARDS = 3
pytestmark = pytest.mark.filterwarnings("ignore::linnet.errors.TrainingWarning")  # few passes will do


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many ranges, on workers that are made of what was pickled."""
    monkeypatch.setattr(ranged, "SMALLEST", 700)
    monkeypatch.setattr(engines, "Ray", Far)


def lines(count: int = 240, labels: str = "abc", first: int = 1) -> list[str]:
    rng = random.Random(5)
    made = []
    for _ in range(count):
        label = rng.choice(labels)
        numbers = sorted(rng.sample(range(first, 30), 5))
        values = [abs(rng.gauss(float(labels.index(label) == j % 3), 1)) for j in numbers]
        made.append(" ".join([label, *(f"{j}:{v:.3f}" for j, v in zip(numbers, values, strict=True))]))
    return made


def write(path: Path, rows: list[str]) -> Path:
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def trained(path: Path, *options: Any, engine: str) -> tuple[bytes, str]:
    """The model, and what was said but for the time."""
    model = path.with_suffix(".linnet")
    said = ("--shards", SHARDS, "--engine", engine, *options)
    code, _, told = command("train", path, "-o", model, *said)
    assert code == 0, told
    return model.read_bytes(), re.sub(r", [\d.]+ s$", "", told, flags=re.MULTILINE)


def refused(path: Path, *options: Any) -> str:
    code, _, told = command("train", path, "-o", path.with_suffix(".x"), "--engine", "ray", *options)
    assert code != 0
    return told


@pytest.fixture
def no_rows_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def whole(*_: Any, **__: Any) -> None:
        raise AssertionError("the file was read here")

    monkeypatch.setattr("linnet.cli.tasks.classify.data._read", whole)


LEARNING: list[tuple[str, ...]] = [
    (),
    ("--learner", "lbfgs", "--balanced"),
    ("--multiclass", "rest", "--learner", "dual", "--loss", "logistic"),
    ("--learner", "dual", "--loss", "hinge", "--max-iter", "5"),
    ("--penalty", "l1"),
    ("--learner", "counting"),
    ("--learner", "mixing", "--inner", "perceptron", "--max-iter", "3"),
    ("--learner", "averaging", "--inner", "sgd", "--max-iter", "3"),
]


@pytest.mark.parametrize("options", LEARNING, ids=" ".join)
def test_the_bytes_are_those_of_rows_that_are_read_here(tmp_path, options) -> None:
    path = write(tmp_path / "rows.svm", lines())
    assert trained(path, *options, engine="ray") == trained(path, *options, engine="local")


@pytest.mark.usefixtures("no_rows_here")
def test_no_row_is_read_here(tmp_path) -> None:
    _, told = trained(write(tmp_path / "rows.svm", lines()), engine="ray")
    assert told.startswith("240 examples, 3 labels, 29 features")


def test_two_labels_and_a_0_that_comes_late(tmp_path) -> None:
    """Only the last range shows from where features are counted."""
    path = write(tmp_path / "rows.svm", [*lines(labels="ab"), "a 0:1 7:2"])
    model, told = trained(path, engine="ray")
    assert (model, told) == trained(path, engine="local")
    assert f"note: {path}: the index 0 occurs, so features are counted from 0" in told
    path = write(tmp_path / "rows.svm", lines(labels="ab"))
    assert trained(path, "--zero-based", engine="ray") == trained(path, "--zero-based", engine="local")


def test_labels_that_are_missing_are_told_alike(tmp_path) -> None:
    rows = lines()
    rows[100:140] = [row.partition(" ")[2] for row in rows[100:140]]  # whole ranges of them
    path = write(tmp_path / "rows.svm", rows)
    model, told = trained(path, engine="ray")
    assert (model, told) == trained(path, engine="local")
    assert "40 of 240 examples have no label (the first: " in told
    assert "rows.svm, line 101)" in told
    assert "rows.svm, line 101: the label is missing" in refused(path, "--missing", "error")


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("a 3:x", "line 151: '3:x' is not index:value"),
        ("a 3:1 3:2", "line 151: index 3 occurs twice"),
        ("0.5 3:1", "line 151: the label 0.5 is a real number"),
        ("", "line 151: the line is empty"),
        ("a,b 1:1", "rows.svm has rows of several labels"),
    ],
)
def test_mistakes_are_told_with_file_and_line(tmp_path, row, why) -> None:
    rows = lines()
    rows[150] = row
    told = refused(write(tmp_path / "rows.svm", rows), "--format", "svmlight")
    assert why in told
    assert "rows.svm" in told


def test_files_without_examples(tmp_path) -> None:
    path = write(tmp_path / "rows.svm", ["# nothing"] * 200)
    told = refused(path, "--format", "svmlight")
    assert f"{path} holds a header or comments, and no examples" in told
    path = write(tmp_path / "rows.svm", [f"1:1 2:{k}" for k in range(300)])
    assert "rows.svm, line 1: no label" in refused(path, "--format", "svmlight")
    path = write(tmp_path / "rows.svm", lines(labels="a"))
    assert f"{path} has one label only (a)" in refused(path)


@pytest.mark.parametrize("same_time", [False, True])
def test_a_file_that_changes_between_passes(tmp_path, same_time) -> None:
    """It is known by size and time, and by what was read of it."""
    path = write(tmp_path / "rows.svm", lines())
    before = path.stat()
    examples = rows_of_workers(str(path), {}, Far(SHARDS))
    text = path.read_text(encoding="utf-8")
    path.write_text(text[:-2] + ("1\n" if text[-2] == "9" else "9\n"), encoding="utf-8")
    if same_time:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert examples.matrix is not None
    with pytest.raises(DataError, match=r"rows\.svm has changed since it was cut into ranges"):
        examples.matrix[np.arange(len(examples))]


def test_a_worker_that_does_not_see_the_file(tmp_path) -> None:
    path = write(tmp_path / "rows.svm", lines())
    examples = rows_of_workers(str(path), {}, Far(SHARDS))
    path.unlink()
    assert examples.matrix is not None
    with pytest.raises(EngineError, match="every machine must see the files under the same name"):
        examples.matrix[np.arange(2)]


def test_what_is_read_here_is_told(tmp_path) -> None:
    path = write(tmp_path / "rows.svm", lines())
    why = "note: files are read here, and rows sent to the workers: "
    assert f"{why}examples are predicted here" in refused(path, "--progressive")
    other = write(tmp_path / "more.svm", lines())
    assert "of several files all must hold texts" in refused(path, other)


def test_packed_files_are_one_range(tmp_path) -> None:
    import gzip

    path = tmp_path / "rows.svm.gz"
    path.write_bytes(gzip.compress("\n".join(lines()).encode()))
    assert trained(path, engine="ray") == trained(path, engine="local")


features = st.lists(st.integers(0, 6), max_size=4, unique=True)
labelled = st.builds(
    lambda label, query, numbers, tail: (
        " ".join([label, *query, *(f"{j}:{j - 2}.5" for j in numbers)]) + tail
    ),
    st.sampled_from(["a", "b", "-1"]),
    st.sampled_from([[], [], ["qid:3"]]),
    features,
    st.sampled_from(["", " # why"]),
)
line = st.one_of(labelled, labelled, st.just("# a remark"), st.just("5:1"))


@given(
    first=labelled,
    rest=st.lists(line, max_size=25),
    bad=st.sampled_from([None, None, "a 1:1:1", "b 1:2 1:3", "2.5 1:1"]),
    size=st.integers(1, 60),
    shards=st.integers(1, 4),
)
@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_the_rows_of_workers_are_those_of_the_reader(
    tmp_path: Path, first: str, rest: list[str], bad: str | None, size: int, shards: int
) -> None:
    where = len(rest) // 2
    rows = [first, *rest[:where], *([] if bad is None else [bad]), *rest[where:]]
    path = write(tmp_path / "rows.svm", rows)
    told: list[Any] = []
    found: list[Any] = []
    for reader in (read, on_workers(size, shards)):
        with gathering() as lacks:
            try:
                examples = reader(str(path), "svmlight", missing="auto")
            except DataError as error:
                found.append(str(error))
                continue
        told.append([*lacks.values()])
        assert examples.matrix is not None
        matrix = examples.matrix[np.arange(len(examples))]
        found.append(
            (
                [array.tolist() for array in (matrix.indptr, matrix.indices, matrix.values)],
                (matrix.features, examples.labels.values(), examples.zero_based, {*examples.notes}),
            )
        )
    assert found[0] == found[1]
    assert told[:1] == told[1:]


def on_workers(size: int, shards: int) -> Any:
    def reader(path: str, _: str, **options: Any) -> Any:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ranged, "SMALLEST", size)
            patch.setattr(ranged, "LARGEST", size)
            return rows_of_workers(path, options, Far(shards))

    return reader
