"""Predictions as data: with the ids and columns that came in, labels and probabilities."""

import csv
import io
import json

import pytest

import linnet
from linnet.cli.following import following
from linnet.data import samples

from .test_pipes import call

TEXTS, BIRDS = samples.load("birds-test")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "t.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text", "label", "note"])
        for i in range(20):
            writer.writerow([f"00{i}", TEXTS[i], BIRDS[i], 'said "so",\nand went'])
    return path


@pytest.fixture(scope="module")
def model(models):
    return linnet.load(models / "birds.linnet")


def test_json_has_what_came_in(run, models, model, table) -> None:
    code, output, said = run("predict", models / "birds.linnet", table, "--json")
    assert (code, said) == (0, "")
    rows = [json.loads(line) for line in output.splitlines()]
    assert len(rows) == 20
    best = model.predict_proba(TEXTS[:20]).max(axis=1)
    assert rows[7] == {
        "id": "007",
        "text": TEXTS[7],
        "label": BIRDS[7],
        "note": 'said "so",\nand went',
        "predicted": model.predict([TEXTS[7]])[0],
        "probability": pytest.approx(best[7], rel=1e-5),
    }


@pytest.mark.parametrize(("option", "mark"), [("--csv", ","), ("--tsv", "\t")])
def test_tables_have_what_came_in(run, models, model, table, option, mark) -> None:
    code, output, said = run("predict", models / "birds.linnet", table, option)
    assert (code, said) == (0, "")
    rows = list(csv.DictReader(io.StringIO(output, newline=""), delimiter=mark))
    assert list(rows[0]) == ["id", "text", "label", "note", "predicted", "probability"]
    assert [row["id"] for row in rows] == [f"00{i}" for i in range(20)]
    assert [row["note"] for row in rows] == ['said "so",\nand went'] * 20
    assert [row["predicted"] for row in rows] == model.predict(TEXTS[:20]).tolist()


def test_the_best_labels(run, models, model, table) -> None:
    row = json.loads(
        run("predict", models / "birds.linnet", table, "--json", "--top", 2)[1].split("\n")[0]
    )
    assert [best["label"] for best in row["top"]] == [
        model.classes_[k] for k in (-model.predict_proba(TEXTS[:1])[0]).argsort()[:2]
    ]
    assert all(0 < best["probability"] < 1 for best in row["top"])
    _, output, _ = run("predict", models / "birds.linnet", table, "--csv", "-k", 2, "--scores")
    assert output.splitlines()[0] == "id,text,label,note,predicted_1,score_1,predicted_2,score_2"


def test_plain_lines_have_numbers(models) -> None:
    _, output, _ = call("predict", models / "birds.linnet", "--json", given=b"gorse\n\nivy\n")
    rows = [json.loads(line) for line in output.splitlines()]
    assert [(row["line"], row["text"]) for row in rows] == [(1, "gorse"), (2, ""), (3, "ivy")]


def test_tags_of_vw_are_ids(run, tmp_path, models) -> None:
    (tmp_path / "d.vw").write_text("'a1 | gorse\n| ivy\n", encoding="utf-8")
    _, output, _ = run("predict", models / "birds.linnet", tmp_path / "d.vw", "--json")
    assert [json.loads(line)["tag"] for line in output.splitlines()] == ["a1", ""]


def test_labels_of_tsv_come_back(run, models) -> None:
    _, output, _ = run("predict", models / "birds.linnet", models / "birds-test.tsv", "--json")
    row = json.loads(output.splitlines()[4])
    assert (row["line"], row["label"], row["text"]) == (5, BIRDS[4], TEXTS[4])


def test_names_that_are_taken(run, tmp_path, models) -> None:
    (tmp_path / "d.jsonl").write_text('{"text": "gorse", "score": 7}\n', encoding="utf-8")
    row = json.loads(run("predict", models / "birds.linnet", tmp_path / "d.jsonl", "--json")[1])
    assert list(row) == ["text", "score", "linnet_predicted", "linnet_probability"]
    assert row["score"] == 7


def test_keys_that_come_later(run, tmp_path, models) -> None:
    lines = '{"id": 1, "text": "gorse"}\n{"text": "ivy", "by": ["x", "y"]}\n'
    (tmp_path / "d.jsonl").write_text(lines, encoding="utf-8")
    code, output, said = run("predict", models / "birds.linnet", tmp_path / "d.jsonl", "--csv")
    assert code == 0
    assert [row.split(",")[:2] for row in output.splitlines()] == [
        ["id", "text"],
        ["1", "gorse"],
        ["", "ivy"],
    ]
    assert said == "note: 'by' (line 2) is no key of the first object: left out; --json keeps it\n"
    _, output, _ = run("predict", models / "birds.linnet", tmp_path / "d.jsonl", "--json")
    assert json.loads(output.splitlines()[1])["by"] == ["x", "y"]


def test_several_labels_and_margins(run, tmp_path) -> None:
    rows = [{"text": t, "label": [b, "bird"]} for t, b in zip(TEXTS[:90], BIRDS[:90], strict=True)]
    (tmp_path / "d.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    assert run("train", tmp_path / "d.jsonl", "-o", tmp_path / "m.linnet", "-q")[0] == 0
    _, output, _ = run("predict", tmp_path / "m.linnet", tmp_path / "d.jsonl", "--json")
    row = json.loads(output.splitlines()[0])
    assert "bird" in row["predicted"]
    assert len(row["probability"]) == len(row["predicted"])
    (tmp_path / "d.svm").write_text("a 1:1\nb 2:1\n" * 9, encoding="utf-8")
    margins = ("-q", "--loss", "hinge")
    assert run("train", tmp_path / "d.svm", "-o", tmp_path / "n.linnet", *margins)[0] == 0
    _, output, _ = run("predict", tmp_path / "n.linnet", tmp_path / "d.svm", "--tsv")
    assert output.splitlines()[0] == "line\tpredicted\tscore"
    assert output.splitlines()[1].startswith("1\ta\t")


def test_one_form_and_classifiers_alone(run, models, tagged, table) -> None:
    code, _, said = run("predict", models / "birds.linnet", table, "--csv", "--tsv")
    assert (code, said) == (2, "Error: --csv and --tsv are two forms; give one\n")
    code, _, said = run("predict", tagged / "words.linnet", tagged / "test.conll", "--csv")
    assert code == 2
    assert said.startswith("Error: --csv: for classifiers;")


# ---------------------------------------------------------------------- once through, and how far


@pytest.mark.parametrize("options", [(), ("--proba",), ("--json",), ("--top", 2, "--proba")])
def test_texts_are_scored_once(run, models, table, monkeypatch, options) -> None:
    """Whatever is asked for: numbers cost no second pass over the texts."""
    from linnet.estimators.text.fitted import FittedText

    scored = []
    once = FittedText._scores_of
    monkeypatch.setattr(
        FittedText,
        "_scores_of",
        lambda self, texts, columns: scored.append(len(texts)) or once(self, texts, columns),
    )
    assert run("predict", models / "birds.linnet", table, *options)[0] == 0
    assert scored == [20]


class Source:
    """Of which half has been read."""

    examples, taken, size = None, 50, 100


@pytest.mark.parametrize(
    ("size", "told"),
    [(100, "8,000 texts, 50 %, 100 a second, 80 s left\n"), (None, "8,000 texts, 100 a second\n")],
)
def test_a_line_a_minute_where_there_is_no_terminal(capsys, size, told) -> None:
    source, now = Source(), [0.0]
    source.size = size
    with following(source, "texts", lambda: now[0]) as tell:
        for _ in range(10):  # 20 seconds each
            now[0] += 20.0
            tell(2000)
    said = capsys.readouterr().err.splitlines(keepends=True)
    assert len(said) == 3
    assert said[0] == told.replace("8,000", "6,000").replace("80 s", "60 s")


def test_short_predictions_say_nothing(run, models, table) -> None:
    assert run("predict", models / "birds.linnet", table)[2] == ""
