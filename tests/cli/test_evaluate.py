"""``linnet evaluate``: its numbers, its tables, its refusals."""

import json

import numpy as np
import pytest

import linnet
from linnet.data import samples


def test_json_has_everything(run, models) -> None:
    code, output, _ = run("evaluate", models / "verse.linnet", models / "verse-test.tsv", "--json")
    assert code == 0
    told = json.loads(output)
    texts, labels = samples.load("verse-test")
    model = linnet.load(models / "verse.linnet")
    assert told["examples"] == len(texts)
    assert told["metrics"]["accuracy"] == pytest.approx(np.mean(model.predict(texts) == labels))
    assert told["labels"] == ["poem", "weather"]
    assert told["positive"]["label"] == "weather"
    for key in ("intervals", "per_label", "confusion", "precision_recall", "log_loss", "brier"):
        assert told[key]
    assert 0 <= told["positive"]["false_positive_rate"] <= 1
    assert sum(map(sum, told["confusion"]["counts"])) == len(texts)
    again = run("evaluate", models / "verse.linnet", models / "verse-test.tsv", "--json")[1]
    assert again == output


def test_tables_in_a_pipe_are_plain(run, models) -> None:
    code, output, _ = run("evaluate", models / "birds.linnet", models / "birds-test.tsv")
    assert code == 0
    assert "\x1b" not in output
    for words in ("accuracy", "macro F1", "95 % interval", "specificity", "Confusions", "linnet"):
        assert words in output


def test_worst_errors_are_explained(run, models) -> None:
    arguments = ("evaluate", models / "birds-poor.linnet", models / "birds-test.tsv", "--worst", 3)
    told = json.loads(run(*arguments, "--json")[1])
    lines = (models / "birds-test.tsv").read_text(encoding="utf-8").splitlines()
    margins = [error["margin"] for error in told["worst_errors"]]
    assert 0 < len(margins) <= 3
    assert margins == sorted(margins, reverse=True)
    for error in told["worst_errors"]:
        assert lines[error["line"] - 1] == f"{error['gold']}\t{error['text']}"
        assert error["guess"] != error["gold"]
    shown = run(*arguments)[1]
    assert "Worst errors" in shown
    assert "taken for" in shown


@pytest.mark.parametrize("column", ["size", "place"])
def test_errors_of_models_with_columns_are_explained(run, tmp_path, column) -> None:
    rows = [("a small bird", "wren", 1, "shed"), ("a large bird", "owl", 9, "barn")] * 5
    lines = ["text,label,size,place", *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "train.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "test.csv").write_text(lines[0] + "\na small bird,owl,1,shed\n", encoding="utf-8")
    kind = {"size": "--numeric", "place": "--categorical"}[column]
    told = run("train", tmp_path / "train.csv", "-o", tmp_path / "m.linnet", "-q", kind, column)
    assert told == (0, "", "")
    code, shown, _ = run("evaluate", tmp_path / "m.linnet", tmp_path / "test.csv")
    assert code == 0
    assert "Worst errors" in shown
    assert "line 2: owl, taken for wren" in shown
    assert "No curve of wren: no example has this label" in shown
    if column == "place":
        assert "column:place=shed" in shown


def test_two_models(run, models) -> None:
    arguments = (
        "evaluate",
        models / "birds-poor.linnet",
        models / "birds-test.tsv",
        "--against",
        models / "birds.linnet",
        "--metric",
        "micro_f1",
    )
    told = json.loads(run(*arguments, "--json")[1])["against"]
    assert told["mcnemar"]["only_second"] >= told["mcnemar"]["only_first"]
    assert [d["metric"] for d in told["differences"]] == ["micro_f1"]
    assert "McNemar" in run(*arguments)[1]


def test_texts_of_the_training_data_are_found(run, models, tmp_path) -> None:
    train = (models / "verse-train.tsv").read_text(encoding="utf-8").splitlines()
    label, text = train[3].split("\t")
    other = "poem" if label == "weather" else "weather"
    test = tmp_path / "test.tsv"
    clean = (models / "verse-test.tsv").read_text(encoding="utf-8")
    test.write_text(f"{clean}{label}\t{text.upper()}\n{other}\t{text}\n", encoding="utf-8")
    arguments = ("evaluate", models / "verse.linnet", test, "--train", models / "verse-train.tsv")
    found = json.loads(run(*arguments, "--json")[1])["leaks"]
    before = json.loads(
        run(
            "evaluate",
            models / "verse.linnet",
            models / "verse-test.tsv",
            "--json",
            "--train",
            models / "verse-train.tsv",
        )[1]
    )["leaks"]
    assert found["texts"] == before["texts"] + 2
    assert found["other_label"] == before["other_label"] + 1
    assert found["lines"][-1]["train"] == 4
    assert "in both training and test" in run(*arguments)[1]


def test_unsure(run, models) -> None:
    arguments = ("evaluate", models / "birds.linnet", models / "birds-test.tsv", "--json")
    sure = json.loads(run(*arguments)[1])
    unsure = json.loads(run(*arguments, "--threshold", 0.9)[1])
    assert "coverage" not in sure["metrics"]
    assert unsure["metrics"]["coverage"] < 1
    assert unsure["metrics"]["covered_accuracy"] >= unsure["metrics"]["accuracy"]
    assert None in unsure["confusion"]["guessed"]
    one = json.loads(run(*arguments, "--threshold-of", "linnet", 1)[1])
    for before, after in zip(sure["per_label"], one["per_label"], strict=True):
        if before["label"] == "linnet":
            assert after["guessed"] < before["guessed"]
        else:
            assert after["guessed"] == before["guessed"]


def test_a_label_never_seen_is_an_error_and_is_named(run, models, tmp_path) -> None:
    test = tmp_path / "test.tsv"
    test.write_text("weather\train and wind\nlimerick\tthere was an old man\n", encoding="utf-8")
    told = json.loads(run("evaluate", models / "verse.linnet", test, "--json")[1])
    assert told["unseen_labels"] == [{"label": "limerick", "examples": 1}]
    assert told["metrics"]["accuracy"] <= 0.5
    assert "never seen in training: limerick" in run("evaluate", models / "verse.linnet", test)[1]


def test_mistakes_of_the_user(run, models, tmp_path) -> None:
    model, test = models / "verse.linnet", models / "verse-test.tsv"
    code, _, error = run("evaluate", model, test, "--metric", "f2")
    assert code == 2
    assert "unknown metric 'f2'; known are accuracy" in error
    code, _, error = run("evaluate", model, test, "--positive", "eggs")
    assert code == 2
    assert "no label is called 'eggs'" in error
    code, _, error = run("evaluate", model, test, "--curve", "eggs")
    assert code == 2
    assert "--curve: there is none of 'eggs'" in error
    assert run("evaluate", model, tmp_path / "nowhere.tsv")[0] == 1
    assert run("evaluate", tmp_path / "nowhere.linnet", test)[0] == 1
    empty = tmp_path / "empty.tsv"
    empty.write_text("", encoding="utf-8")
    assert run("evaluate", model, empty)[0] == 1


def test_several_labels_each(run, tmp_path) -> None:
    train = tmp_path / "train.txt"
    lines = ["__label__a red", "__label__b blue", "__label__a __label__b red blue"] * 8
    train.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert run("train", train, "-o", tmp_path / "m.linnet", "--format", "fasttext")[0] == 0
    arguments = ("evaluate", tmp_path / "m.linnet", train, "--format", "fasttext")
    told = json.loads(run(*arguments, "--json")[1])
    assert told["multilabel"]
    assert told["metrics"]["accuracy"] > 0.9
    assert told["metrics"]["hamming_loss"] < 0.1
    assert "hamming loss" in run(*arguments)[1]


def test_models_of_numbered_features(run, tmp_path) -> None:
    rows = ["yes 1:1 3:0.5", "no 2:1", "yes 1:2", "no 2:2 3:1"] * 5
    data = tmp_path / "rows.svm"
    data.write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert run("train", data, "-o", tmp_path / "rows.linnet", "--format", "svmlight")[0] == 0
    code, output, _ = run("evaluate", tmp_path / "rows.linnet", data, "--json")
    assert code == 0
    assert json.loads(output)["metrics"]["accuracy"] == 1
