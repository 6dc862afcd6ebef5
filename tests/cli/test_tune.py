"""``linnet tune``: every way to choose, and what it writes."""

import json

import pytest

import linnet
from linnet.data import samples


def test_by_a_dev_file_with_features(run, data, tmp_path) -> None:
    model = tmp_path / "best.linnet"
    arguments = (
        "tune", data / "birds-train.tsv", "--dev", data / "birds-test.tsv",
        "-C", "0.01,1", "--word", "1,1-2", "--chars-wb", "none", "--scale", "none,idf",
    )  # fmt: skip
    code, output, _ = run(*arguments, "--json", "-o", model)
    assert code == 0
    told = json.loads(output)
    assert len(told["rows"]) == 8
    assert told["splits"] == 1
    assert told["best"]["dev"] == max(row["dev"] for row in told["rows"])
    texts, labels = samples.load("birds-test")
    loaded = linnet.load(model)
    assert loaded.score(texts, labels) == pytest.approx(told["best"]["dev"], abs=0.03)
    code, output, _ = run(*arguments)
    assert code == 0
    assert "← best" in output
    assert "non-zero" in output


def test_cross_validation_and_the_path_of_l1(run, data) -> None:
    code, output, _ = run(
        "tune", data / "verse-train.tsv", "--folds", 3, "--penalty", "l1", "-C", "10,0.3,1", "--json"
    )
    assert code == 0
    told = json.loads(output)
    assert told["splits"] == 3
    assert [row["settings"]["C"] for row in told["rows"]] == [0.3, 1, 10]
    nonzero = [row["nonzero"] for row in told["rows"]]
    assert nonzero == sorted(nonzero)
    assert all(row["deviation"] is not None for row in told["rows"])


def test_groups_and_one_by_one(run, tmp_path) -> None:
    rows = ["author,label,text"]
    rows += [
        f"a{i % 4},{'sun' if i % 2 else 'rain'},{'dry' if i % 2 else 'wet'} day {i}" for i in range(24)
    ]
    path = tmp_path / "days.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    told = json.loads(run("tune", path, "--folds", 2, "--group", "author", "-C", "1", "--json")[1])
    assert told["splits"] == 2
    told = json.loads(run("tune", path, "--leave-one-out", "-C", "1", "--word", "1", "--json")[1])
    assert told["splits"] == 24
    assert told["best"]["dev"] == 1


def test_numbered_features(run, tmp_path) -> None:
    rows = ["yes 1:1 3:0.5", "no 2:1", "yes 1:2", "no 2:2 3:1"] * 10
    data, model = tmp_path / "rows.svm", tmp_path / "rows.linnet"
    data.write_text("\n".join(rows) + "\n", encoding="utf-8")
    code, output, _ = run("tune", data, "--format", "svmlight", "--folds", 2, "--json", "-o", model)
    assert code == 0
    assert json.loads(output)["best"]["dev"] == 1
    assert linnet.load(model).classes_.tolist() == ["no", "yes"]
    code, _, error = run("tune", data, "--format", "svmlight", "--word", "1")
    assert code == 2
    assert "holds numbers: --word is for texts" in error


def test_mistakes_of_the_user(run, data, tmp_path) -> None:
    train = data / "verse-train.tsv"
    for arguments, code, message in (
        (("--metric", "f2"), 2, "unknown metric 'f2'; known are accuracy"),
        (("--folds", 3, "--dev", train), 2, "give one"),
        (("-C", "1,x"), 2, "'x' is not a valid float"),
        (("-C", "1,0"), 2, "C: every value must be positive"),
        (("-C", "1", "--alpha", "1"), 2, "give one"),
        (("--word", "2-1"), 2, "is no range of lengths"),
        (("--folds", 1), 2, "folds must be a whole number of 2 or more"),
        (("--folds", 100_000), 1, "100000 folds need as many examples"),
        (("--group", "author"), 2, "column author: "),
    ):
        got, _, error = run("tune", train, *arguments)
        assert (got, message in error) == (code, True), (arguments, error)
    same = tmp_path / "same.tsv"
    same.write_text("a\tone\na\ttwo\na\tthree\n", encoding="utf-8")
    code, _, error = run("tune", same, "--folds", 2)
    assert code == 1
    assert "all examples have the label 'a'" in error
