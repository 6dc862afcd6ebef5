"""What text, label and columns were called in training holds afterwards; what is missing is named."""

import csv
import json
from pathlib import Path

import pytest

import linnet
from linnet import TextClassifier
from linnet.data import samples

TEXTS, BIRDS = samples.load("birds-train")
TEXTS, BIRDS = TEXTS[:300], BIRDS[:300]


def table(path: Path, text: str = "note", label: str = "species", delimiter: str = ",") -> Path:
    """With columns whose known names would mislead."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(["id", "title", text, label, "category"])
        for i, (note, bird) in enumerate(zip(TEXTS, BIRDS, strict=True)):
            writer.writerow([i, "a walk", note, bird, "outdoors"])
    return path


@pytest.fixture(scope="module")
def birds(run, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("names")
    data = table(folder / "birds.csv")
    said = ("--text", "note", "--label", "species")
    assert run("train", data, "-o", folder / "m.linnet", "-q", *said) == (0, "", "")
    return folder


def test_text_and_label_hold_for_evaluate_and_predict(run, birds) -> None:
    code, output, said = run("evaluate", birds / "m.linnet", birds / "birds.csv", "--json")
    assert (code, said) == (0, "")
    assert json.loads(output)["labels"] == sorted(set(BIRDS))
    code, output, said = run("predict", birds / "m.linnet", birds / "birds.csv")
    assert (code, said) == (0, "")
    expected = linnet.load(birds / "m.linnet").predict(TEXTS).tolist()
    assert output.split("\n")[:-1] == expected


def test_they_may_be_given_anew(run, birds, tmp_path) -> None:
    other = table(tmp_path / "other.csv", "remark", "bird")
    code, _, said = run("evaluate", birds / "m.linnet", other)
    assert code == 1
    assert said == (
        f"Error: {other} has no column 'note'; it has 'id', 'title', 'remark', 'bird', 'category'; "
        "the model learnt from 'note', --text names another\n"
    )
    code, output, said = run(
        "evaluate", birds / "m.linnet", other, "--text", "remark", "--label", "bird", "--json"
    )
    assert (code, said) == (0, "")
    assert json.loads(output)["labels"] == sorted(set(BIRDS))


def test_another_column_in_place_of_the_label_is_told(run, birds, tmp_path) -> None:
    other = table(tmp_path / "other.csv", label="bird")
    code, _, said = run("evaluate", birds / "m.linnet", other)
    assert code == 0
    assert said == (
        f"note: {other} has no column 'species', the label in training; column 'category' is taken\n"
    )


def test_inspect_shows_them(run, birds) -> None:
    _, output, _ = run("inspect", birds / "m.linnet")
    [line] = [line for line in output.splitlines() if line.startswith("data")]
    assert "format csv" in line
    assert "label species" in line
    assert "text note" in line
    found = json.loads(run("inspect", birds / "m.linnet", "--json")[1])["data"]
    assert (found["format"], found["text"], found["label"]) == ("csv", "note", "species")


def test_names_that_were_found_hold_as_well(run, tmp_path) -> None:
    """By their names or places; files that have others are read as files are."""
    data = tmp_path / "d.jsonl"
    rows = [{"sentence": t, "intent": b} for t, b in zip(TEXTS, BIRDS, strict=True)]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert run("train", data, "-o", tmp_path / "m.linnet", "-q") == (0, "", "")
    more = [{"label": "x", "text": "y"} | row for row in rows]
    data.write_text("".join(json.dumps(row) + "\n" for row in more), encoding="utf-8")
    code, output, said = run("evaluate", tmp_path / "m.linnet", data, "--json")
    assert (code, said) == (0, "")
    assert json.loads(output)["labels"] == sorted(set(BIRDS))
    others = [{"label": b, "text": t} for t, b in zip(TEXTS, BIRDS, strict=True)]
    data.write_text("".join(json.dumps(row) + "\n" for row in others), encoding="utf-8")
    code, output, said = run("evaluate", tmp_path / "m.linnet", data, "--json")
    assert code == 0
    assert said == (
        f"note: {data} has no column 'sentence', the text in training; column 'text' is taken\n"
        f"note: {data} has no column 'intent', the label in training; column 'label' is taken\n"
    )


def test_a_format_that_was_said_holds_for_files_of_the_same_ending(run, tmp_path) -> None:
    data = table(tmp_path / "d.tsv", delimiter="\t")
    said = ("--format", "csv", "--text", "note", "--label", "species")
    assert run("train", data, "-o", tmp_path / "m.linnet", "-q", *said) == (0, "", "")
    code, output, said = run("evaluate", tmp_path / "m.linnet", data, "--json")
    assert (code, said) == (0, "")
    assert json.loads(output)["labels"] == sorted(set(BIRDS))
    code, output, said = run("predict", tmp_path / "m.linnet", data)
    assert (code, output.count("\n"), said) == (0, len(TEXTS), "")


def test_a_header_that_was_not_there(run, tmp_path) -> None:
    data = table(tmp_path / "d.csv")
    data.write_text(data.read_text(encoding="utf-8").partition("\n")[2], encoding="utf-8")
    said = ("--no-header", "--text", "3", "--label", "4")
    assert run("train", data, "-o", tmp_path / "m.linnet", "-q", *said) == (0, "", "")
    code, output, said = run("predict", tmp_path / "m.linnet", data)
    assert (code, output.count("\n"), said) == (0, len(TEXTS), "")


def test_they_hold_in_python(birds, tmp_path) -> None:
    model = TextClassifier(text="note").fit(
        linnet.formats.read(birds / "birds.csv", text="note", label="species")
    )
    model.save(tmp_path / "m.linnet")
    again = linnet.load(tmp_path / "m.linnet")
    assert again.score(birds / "birds.csv") == model.score(TEXTS, BIRDS)
    assert again.predict(birds / "birds.csv").tolist() == model.predict(TEXTS).tolist()


def test_what_a_pipe_is_told_by(run, birds) -> None:
    from .test_pipes import call

    given = "kind;note\n" + "".join(f"x;{text}\n" for text in TEXTS[:3] if ";" not in text)
    code, output, said = call("predict", birds / "m.linnet", given=given.encode())
    assert (code, said) == (0, b"")
    expected = linnet.load(birds / "m.linnet").predict(TEXTS[:3]).tolist()
    assert output.decode().split("\n")[:-1] == expected
    assert run  # the fixture trained the model


# ---------------------------------------------------------------------- no label column


@pytest.mark.parametrize("command", ["train", "evaluate", "tune", "compare"])
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_table_without_a_label_says_which_columns_there_are(
    run, models, tmp_path, command, form
) -> None:
    data = tmp_path / f"d.{form}"
    data.write_text(
        "id,text,stars\n1,a,5\n2,b,4\n"
        if form == "csv"
        else '{"id": 1, "text": "a", "stars": 5}\n{"id": 2, "text": "b", "stars": 4}\n',
        encoding="utf-8",
    )
    arguments = {
        "train": (data, "-o", tmp_path / "m.linnet"),
        "evaluate": (models / "birds.linnet", data),
    }.get(command, (data,))
    code, output, said = run(command, *arguments)
    assert (code, output) == (1, "")
    assert said == (
        f"Error: {data}: which column is the label? It has 'id', 'text', 'stars'; "
        "name it with --label\n"
    )
