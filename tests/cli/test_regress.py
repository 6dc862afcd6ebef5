"""``--task regress``: every command, and numbers that are none."""

import json
from pathlib import Path

import numpy as np
import pytest

WORTH = {"awful": -2, "bad": -1, "fine": 1, "great": 2, "superb": 3}


@pytest.fixture(scope="module")
def walks(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("walks")
    rng = np.random.default_rng(0)
    for name, count in (("train", 120), ("test", 40)):
        lines = []
        for words in rng.choice(list(WORTH), size=(count, 2)).tolist():
            lines.append(f"{sum(WORTH[w] for w in words)}\ta {words[0]} and {words[1]} walk\n")
        (folder / f"{name}.tsv").write_text("".join(lines))
    return folder


@pytest.fixture(scope="module")
def model(run, walks) -> Path:
    path = walks / "walks.linnet"
    code, _, said = run(
        "train", walks / "train.tsv", "--task", "regress", "-o", path, "-C", 10, "--dev",
        walks / "test.tsv",
    )  # fmt: skip
    assert code == 0
    assert "R² 0.9" in said
    return path


def test_predict_and_evaluate(run, walks, model) -> None:
    code, output, _ = run("predict", model, walks / "test.tsv")
    assert code == 0
    guess = np.array([float(line) for line in output.splitlines()])
    lines = (walks / "test.tsv").read_text().splitlines()
    gold = np.array([float(line.split("\t")[0]) for line in lines])
    (walks / "guess.txt").write_text(output)
    code, output, _ = run("evaluate", model, walks / "test.tsv", "--json", "--resamples", 100)
    assert code == 0
    told = json.loads(output)["metrics"]
    assert told["mae"]["value"] == pytest.approx(np.abs(gold - guess).mean(), rel=1e-4)
    assert told["r2"]["low"] <= told["r2"]["value"] <= told["r2"]["high"]
    code, output, _ = run("evaluate", model, walks / "test.tsv", "--against", model)
    assert code == 0
    assert "root mean squared error" in output
    assert "farthest off" in output


def test_explain_inspect_tune_quantize(run, walks, model) -> None:
    code, output, _ = run("explain", model, "a superb and fine walk")
    assert code == 0
    assert "superb" in output
    code, output, _ = run("inspect", model, "--top", 3)
    assert code == 0
    assert "text regressor" in output
    assert "higher" in output
    best = walks / "best.linnet"
    train = walks / "train.tsv"
    code, output, _ = run("tune", train, "--task", "regress", "-C", "0.01,10", "-o", best)
    assert code == 0
    assert "best rmse" in output
    assert run("predict", best, walks / "test.tsv")[0] == 0
    assert run("quantize", model, "-o", walks / "small.linnet")[0] == 0
    assert run("predict", walks / "small.linnet", walks / "test.tsv")[0] == 0


@pytest.mark.parametrize("target", ["high", "nan", "inf"])
def test_a_target_that_is_no_number_is_told_by_its_line(run, tmp_path, target) -> None:
    path = tmp_path / "bad.tsv"
    path.write_text(f"1\tone\n{target}\ttwo\n2\tthree\n")
    code, _, said = run("train", path, "--task", "regress", "-o", tmp_path / "m.linnet")
    assert code != 0
    assert "bad.tsv, line 2" in said
    assert target in said
    good, model = tmp_path / "good.tsv", tmp_path / "m.linnet"
    good.write_text("1\tone\n2\ttwo\n3\tthree\n" * 3)
    code, _, said = run("train", good, "--task", "regress", "--dev", path, "-o", model)
    assert code != 0
    assert "bad.tsv, line 2" in said
    assert not model.exists()  # it is told before anything is learnt


@pytest.mark.parametrize(
    ("option", "why"),
    [
        (("--multiclass", "pairs"), "for classifiers"),
        (("--loss", "hinge"), "squared error"),
        (("--memory", "1GB"), "in memory"),
        (("--hypothesis", "voted"), "for classifiers"),
    ],
)
def test_options_of_others_are_refused(run, walks, tmp_path, option, why) -> None:
    code, _, said = run(
        "train", walks / "train.tsv", "--task", "regress", "-o", tmp_path / "m.linnet", *option
    )
    assert code == 2
    assert why in said


def test_rows_of_numbers(run, tmp_path) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((60, 3))
    lines = [
        f"{x[0] - x[2]:.4f} " + " ".join(f"{j + 1}:{v:.4f}" for j, v in enumerate(x)) + "\n" for x in X
    ]
    (tmp_path / "rows.svm").write_text("".join(lines))
    model = tmp_path / "m.linnet"
    rows = tmp_path / "rows.svm"
    code, _, said = run(
        "train", rows, "--format", "svmlight", "--task", "regress", "-o", model, "-C", 100
    )
    assert code == 0, said
    code, output, _ = run("evaluate", model, rows, "--format", "svmlight", "--json")
    assert code == 0
    assert json.loads(output)["metrics"]["r2"]["value"] > 0.95


def test_probabilities_are_refused(run, walks, model) -> None:
    code, _, said = run("predict", model, walks / "test.tsv", "--proba")
    assert code == 2
    assert "one number" in said


def test_classifiers_by_their_new_options(run, data, tmp_path) -> None:
    train, model = data / "birds-train.tsv", tmp_path / "m.linnet"
    for options in (
        ("--multiclass", "pairs_votes"),
        ("--multiclass", "ecoc"),
        ("--multiclass", "kesler"),
        ("--learner", "adaboost", "--stumps", "discrete", "--max-iter", 50),
        ("--learner", "pa", "--hypothesis", "survivor"),
        ("--learner", "perceptron", "--hypothesis", "voted"),
    ):
        code, _, said = run("train", train, "-o", model, *options)
        assert code == 0, said
        assert run("evaluate", model, data / "birds-test.tsv")[0] == 0
    code, _, said = run("train", train, "-o", model, "--average", "--hypothesis", "last")
    assert code == 2
    assert "two ways to say the same" in said
