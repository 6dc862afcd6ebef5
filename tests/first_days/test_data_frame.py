"""A data scientist with a data frame that has holes, and the CSV file it came from."""

import json
from pathlib import Path

import numpy as np
import pytest

import linnet
from linnet import TextClassifier
from linnet.data import samples
from linnet.errors import DataWarning

from ..shell import shell

pd = pytest.importorskip("pandas")

TEXTS, BIRDS = (list(part[:240]) for part in samples.load("birds-train"))
COLUMNS = {"numeric": ["wind"], "categorical": ["month"]}


def frame() -> "pd.DataFrame":
    """Notes of a bird club: some without a note, a bird, a wind or a month."""
    made = pd.DataFrame(
        {
            "id": [f"s{i:03}" for i in range(240)],
            "note": TEXTS,
            "wind": np.arange(240) % 7,
            "month": np.arange(240) % 12 + 1,
            "bird": BIRDS,
        }
    )
    made.loc[[3, 11], "note"] = None
    made.loc[[4, 9, 200], "bird"] = None
    made.loc[[5, 6], "wind"] = np.nan
    made.loc[8, "month"] = np.nan
    return made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("frame")
    (made / "tools").mkdir()
    frame().to_csv(made / "notes.csv", index=False)
    frame().to_json(made / "notes.jsonl", orient="records", lines=True)
    return made


def typed(folder: Path, commands: str) -> tuple[str, str]:
    done = shell("-ec", commands, tools=folder / "tools", folder=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_fit_predict_and_score_in_python() -> None:
    data = frame()
    with pytest.warns(DataWarning) as caught:
        model = TextClassifier(text="note", **COLUMNS).fit(data, data["bird"])
    assert [str(one.message) for one in caught] == [
        "2 of 240 texts are missing (the first: X['note'][3]): read as empty texts",
        "column 'wind': 2 of 240 numbers are missing (the first: position 5): "
        "the mean of training is taken",
        "column 'month': 1 of 240 values is missing (the first: position 8): "
        "(missing) is a value of its own",
        "3 of 240 examples have no label (the first: y[4]): left out",
    ]
    with pytest.warns(DataWarning):
        data["predicted"] = model.predict(data)
    assert data["predicted"].notna().all()
    with pytest.warns(DataWarning):
        assert model.score(data, data["bird"]) > 0.9
    whole = data.dropna()
    assert (model.predict(whole) == whole["predicted"]).all()  # months are floats there, too


def test_a_split_of_the_frame_goes_through_scikit_learn() -> None:
    from sklearn.model_selection import cross_val_score

    whole = frame().dropna(subset=["note", "bird"])
    scores = cross_val_score(TextClassifier(), whole["note"], whole["bird"], cv=3)
    assert scores.mean() > 0.6


def test_the_same_from_the_file_by_commands(folder) -> None:
    names = "--text note --label bird --numeric wind --categorical month"
    _, said = typed(folder, f"linnet train notes.csv -o m.linnet {names}")
    notes = [line for line in said.splitlines() if line.startswith("note: ")]
    assert notes == [
        "note: 2 of 240 texts are missing (the first: notes.csv, line 5): read as empty texts",
        "note: 3 of 240 examples have no label (the first: notes.csv, line 6): left out",
        "note: column 'wind': 2 of 237 numbers are missing (the first: notes.csv, line 7): "
        "the mean of training is taken",
        "note: column 'month': 1 of 237 values is missing (the first: notes.csv, line 10): "
        "(missing) is a value of its own",
    ]
    assert said.startswith("237 examples, 6 labels")
    by_file, _ = typed(folder, "linnet predict m.linnet notes.csv")
    by_pipe, _ = typed(folder, "cat notes.csv | linnet predict m.linnet")
    by_json, _ = typed(folder, "linnet predict m.linnet notes.jsonl")
    assert by_file == by_pipe == by_json
    assert len(by_file.splitlines()) == 240
    with pytest.warns(DataWarning):
        loaded = linnet.load(folder / "m.linnet").predict(frame())
    assert loaded.tolist() == by_file.splitlines()
    output, _ = typed(folder, "linnet evaluate m.linnet notes.csv --json --worst 0")
    assert json.loads(output)["examples"] == 237
    shown, _ = typed(folder, "linnet inspect m.linnet --top 1")
    [data] = [line for line in shown.splitlines() if line.startswith("data")]
    assert all(said in data for said in ("format csv", "text note", "label bird"))


def test_predictions_come_back_as_a_frame(folder) -> None:
    typed(
        folder,
        "linnet train notes.csv -o m.linnet -q --text note --label bird\n"
        "linnet predict m.linnet notes.csv --csv -o scored.csv",
    )
    scored = pd.read_csv(folder / "scored.csv")
    assert scored.columns.tolist() == [*frame().columns, "predicted", "probability"]
    assert scored["id"].tolist() == frame()["id"].tolist()
    assert scored["note"].isna().sum() == 2
    known = scored.dropna(subset=["bird"])
    assert (known["predicted"] == known["bird"]).mean() > 0.9


def test_mistakes_are_named(folder) -> None:
    done = shell(
        "-c", "linnet train notes.csv -o m.linnet --text note", tools=folder / "tools", folder=folder
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "Error: notes.csv: which column is the label? It has 'id', 'note', 'wind', 'month', 'bird'; "
        "name it with --label\n"
    )
    done = shell(
        "-c",
        "linnet train notes.csv -o m.linnet --text note --label bird --missing error",
        tools=folder / "tools",
        folder=folder,
    )
    assert (done.returncode, done.stderr) == (1, "Error: notes.csv, line 5: the text is missing\n")
