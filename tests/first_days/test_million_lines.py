"""Someone who scores a million lines a night: pipes, rows with ids, where a broken night goes on.

The commands are those that would be typed; the night is shorter.
"""

import csv
import json
from pathlib import Path

import pytest

from linnet.data import samples

from ..shell import shell

pytestmark = pytest.mark.usefixtures("labels")  # the model, whichever test comes first
NIGHT = 3000
TEXTS, BIRDS = samples.load("birds-test")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("night")
    (made / "tools").mkdir()
    train = zip(*samples.load("birds-train"), strict=True)
    (made / "train.tsv").write_text("".join(f"{b}\t{t}\n" for t, b in train), encoding="utf-8")
    texts = [TEXTS[i % len(TEXTS)] for i in range(NIGHT)]
    (made / "lines.txt").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    with (made / "night.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "when", "text"])
        writer.writerows([f"n{i:07}", "2026-11-16", text] for i, text in enumerate(texts))
    with (made / "night.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps({"id": i, "text": text}) + "\n" for i, text in enumerate(texts))
    return made


def typed(folder: Path, commands: str) -> tuple[str, str]:
    """What comes out, and what is said."""
    done = shell("-ec", commands, tools=folder / "tools", folder=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


@pytest.fixture(scope="module")
def labels(folder: Path) -> list[str]:
    output, said = typed(
        folder, "linnet train train.tsv -o birds.linnet -q; linnet predict birds.linnet lines.txt"
    )
    assert said == ""
    return output.splitlines()


def test_every_way_in_gives_the_same_labels(folder, labels) -> None:
    assert len(labels) == NIGHT
    for command, form in (
        ("cat lines.txt | linnet predict birds.linnet", None),
        ("cat night.csv | linnet predict birds.linnet", "csv"),
        ("cat night.jsonl | linnet predict birds.linnet -", "jsonl"),
        ("gzip -c night.csv | linnet predict birds.linnet", "csv"),
        ("linnet predict birds.linnet night.csv", None),
        ("linnet predict birds.linnet night.jsonl --threads 2", None),
    ):
        output, said = typed(folder, command)
        assert output.splitlines() == labels, command
        told = f"note: standard input is read as {form}; --format names another"
        assert said == ("" if form is None else f"{told} (text: its lines are texts)\n"), command


def test_rows_with_the_ids_that_came_in(folder, labels) -> None:
    output, _ = typed(folder, "cat night.csv | linnet predict birds.linnet --json")
    rows = [json.loads(line) for line in output.splitlines()]
    assert [row["id"] for row in rows] == [f"n{i:07}" for i in range(NIGHT)]
    assert [row["predicted"] for row in rows] == labels
    assert list(rows[0]) == ["id", "when", "text", "predicted", "probability"]
    output, _ = typed(
        folder,
        "linnet predict birds.linnet night.csv --csv -o scored.csv.gz; "
        "gzip -dc scored.csv.gz | head -1; gzip -dc scored.csv.gz | wc -l",
    )
    assert output.split() == ["id,when,text,predicted,probability", str(NIGHT + 1)]


def test_probabilities_stand_beside_the_same_labels(folder, labels) -> None:
    output, _ = typed(folder, "linnet predict birds.linnet lines.txt --proba")
    pairs = [line.split("\t") for line in output.splitlines()]
    assert [label for label, _ in pairs] == labels
    assert all(0 < float(number) <= 1 for _, number in pairs)


def test_a_broken_night_goes_on_where_it_ended(folder, labels) -> None:
    """A line out is a line in, and whole lines are written: what is there says where to go on."""
    output, said = typed(
        folder,
        "head -1234 lines.txt | linnet predict birds.linnet > done.txt\n"
        "tail -n +$(($(wc -l < done.txt) + 1)) lines.txt | linnet predict birds.linnet >> done.txt\n"
        "cat done.txt",
    )
    assert output.splitlines() == labels
    assert said == ""


def test_what_is_missing_is_told_once_and_answered(folder) -> None:
    output, said = typed(
        folder,
        """sed -e 's/"text": .*/"text": null}/;2500q' night.jsonl |
        linnet predict birds.linnet | wc -l""",
    )
    assert output.split() == ["2500"]
    assert said.splitlines()[-1] == ("note: 2,500 of 2,500 texts are missing: read as empty texts")


def test_a_file_appears_when_it_is_complete(folder) -> None:
    done = shell(
        "-c",
        "(cat train.tsv; echo no label here) | linnet predict birds.linnet -o out.txt",
        tools=folder / "tools",
        folder=folder,
    )
    assert done.returncode == 1
    assert "standard input, line 1201: no tab between label and text" in done.stderr
    assert not (folder / "out.txt").exists()
