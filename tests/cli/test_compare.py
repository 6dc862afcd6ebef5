"""``linnet compare``: a row for each learner."""

import json

import numpy as np

NAMES = [
    "naive Bayes",
    "averaged perceptron",
    "Winnow, balanced",
    "MIRA",
    "AROW",
    "AdaBoost over words",
    "SVM",
    "SVM, squared hinge",
    "logistic regression",
    "logistic regression, L1",
    "least squares, L2",
    "decision list",
    "nearest texts",
]
SLOW = [
    "rules",
    "voted perceptron",
    "kernel perceptron",
    "kernel SVM",
    "SVM, one against all",
    "SVM, all pairs",
    "SVM, output codes",
    "SVM, Kesler",
]


def test_all_learners_on_a_test_file(run, data) -> None:
    arguments = ("compare", data / "birds-train.tsv", "--test", data / "birds-test.tsv")
    code, output, error = run(*arguments, "--json")
    assert code == 0
    assert f"left out, unless --all is given: {'; '.join(SLOW)}" in error
    rows = json.loads(output)["models"]
    assert [row["name"] for row in rows] == NAMES
    for row in rows:
        assert row["accuracy"] > 0.7, row
        assert row["macro_f1"] > 0.7, row
        assert row["nonzero"] > 0
        assert (row["bytes"] is None) == (row["name"] in NAMES[-2:])
        assert row["parameter"]
        assert row["objective"]
    by_name = {row["name"]: row for row in rows}
    assert by_name["logistic regression"]["probabilities"]
    assert by_name["naive Bayes"]["probabilities"]
    assert not by_name["SVM"]["probabilities"]
    sparse, dense = by_name["logistic regression, L1"], by_name["logistic regression"]
    assert sparse["nonzero"] < dense["nonzero"] / 2


def test_some_learners_on_a_part(run, data) -> None:
    arguments = (
        "compare",
        data / "verse-train.tsv",
        "--model",
        "SVM",
        "--model",
        "MIRA",
        "--word",
        "1",
    )
    code, output, _ = run(*arguments)
    assert code == 0
    assert "\x1b" not in output
    lines = [line for line in output.splitlines() if line.startswith(("SVM", "MIRA"))]
    assert len(lines) == 2
    assert "½‖w‖² + C Σ max(0, 1 − m)" in lines[0]


def test_everyone(run, data) -> None:
    arguments = ("compare", data / "birds-train.tsv", "--test", data / "birds-test.tsv")
    code, output, error = run(*arguments, "--json", "--all")
    assert code == 0
    assert "left out" not in error
    rows = {row["name"]: row for row in json.loads(output)["models"]}
    assert list(rows) == NAMES + SLOW
    assert all(row["accuracy"] > 0.8 for row in rows.values())
    # one that is named takes part, and it is the same
    code, output, _ = run(*arguments, "--json", "--model", "rules")
    (row,) = json.loads(output)["models"]
    assert row["accuracy"] == rows["rules"]["accuracy"]


def test_who_learns_from_texts_without_labels(run, data, tmp_path) -> None:
    few = tmp_path / "few.tsv"
    lines = (data / "birds-train.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    few.write_text("".join(lines[:60]), encoding="utf-8")
    more = tmp_path / "more.tsv"
    more.write_text("".join(lines[60:200]), encoding="utf-8")
    names = ["EM", "co-training", "naive Bayes"]
    given = [part for name in names for part in ("--model", name)]
    arguments = ("compare", few, "--test", data / "birds-test.tsv", "--word", "1", "--json", *given)
    code, output, said = run(*arguments, "--unlabeled", more)
    assert code == 0, said
    assert "has labels, which are not looked at" in said
    rows = {row["name"]: row for row in json.loads(output)["models"]}
    assert set(rows) == set(names)
    assert rows["EM"]["parameter"] == "unlabeled_weight"
    assert all(row["accuracy"] > 0.3 and row["nonzero"] > 0 for row in rows.values()), rows
    code, _, said = run(*arguments)
    assert code == 2
    assert "no model is called 'EM'" in said


def test_texts_without_labels_go_with_texts(run, data, tmp_path) -> None:
    rows = tmp_path / "rows.svm"
    rows.write_text("yes 1:1\nno 2:1\n" * 10, encoding="utf-8")
    given = ("--unlabeled", data / "birds-train.tsv")
    code, _, said = run("compare", rows, "--format", "svmlight", *given)
    assert code == 1
    assert said.startswith("Error: ")
    code, _, said = run("compare", data / "birds-train.tsv", "--task", "regress", *given)
    assert code == 2
    assert "--unlabeled: for classifiers" in said


def test_two_labels_have_no_reductions(run, data) -> None:
    code, _, error = run("compare", data / "verse-train.tsv", "--model", "SVM, all pairs")
    assert code == 0
    assert "with two labels a reduction is the SVM itself" in error


def test_regressors(run, tmp_path) -> None:
    rng = np.random.default_rng(0)
    worth = {"awful": -4, "small": -1, "plain": 0, "nice": 1, "good": 2, "great": 3}
    lines = []
    for _ in range(300):
        words = rng.choice(list(worth), rng.integers(2, 7))
        lines.append(f"{sum(worth[w] for w in words) + rng.normal(0, 0.3):.3f}\t{' '.join(words)}\n")
    data = tmp_path / "worth.tsv"
    data.write_text("label\ttext\n" + "".join(lines), encoding="utf-8")
    code, output, error = run("compare", data, "--task", "regress", "--json", "--all")
    assert code == 0, error
    rows = {row["name"]: row for row in json.loads(output)["models"]}
    assert list(rows) == [
        "mean",
        "ridge",
        "lasso",
        "least mean squares",
        "perceptron",
        "Winnow",
        "kernel SVM",
    ]
    assert abs(rows["mean"]["r2"]) < 0.1
    assert all(row["r2"] > 0.5 for name, row in rows.items() if name != "mean")
    # of errors the least is the best
    code, output, _ = run("compare", data, "--task", "regress", "--json", "--metric", "rmse")
    rows = {row["name"]: row for row in json.loads(output)["models"]}
    (best,) = [name for name, row in rows.items() if row["p"] is None]
    assert rows[best]["rmse"] == min(row["rmse"] for row in rows.values())
    code, _, error = run("compare", data, "--task", "regress", "--metric", "accuracy")
    assert code == 2
    assert "of regressors there are mae, rmse, r2, spearman" in error


def test_several_labels_each(run, tmp_path) -> None:
    lines = ["__label__a red", "__label__b blue", "__label__a __label__b red blue"] * 10
    data = tmp_path / "train.txt"
    data.write_text("\n".join(lines) + "\n", encoding="utf-8")
    code, output, said = run("compare", data, "--format", "fasttext", "--json", "--word", "1")
    assert code == 0
    assert "left out: they give one label, and these examples have several" in said
    rows = json.loads(output)["models"]
    assert [row["name"] for row in rows] == NAMES[:-2]
    assert all(row["macro_f1"] > 0.75 for row in rows), rows


def test_numbered_features(run, tmp_path) -> None:
    rows = ["yes 1:1 3:0.5", "no 2:1 3:-1", "yes 1:2", "no 2:2 3:1"] * 10
    data = tmp_path / "rows.svm"
    data.write_text("\n".join(rows) + "\n", encoding="utf-8")
    names = [part for name in ("naive Bayes", "SVM") for part in ("--model", name)]
    code, output, error = run("compare", data, "--format", "svmlight", "--json", *names)
    assert code == 0
    assert "naive Bayes is left out" in error
    (row,) = json.loads(output)["models"]
    assert (row["name"], row["accuracy"]) == ("SVM", 1)


def test_mistakes_of_the_user(run, data) -> None:
    code, _, error = run("compare", data / "verse-train.tsv", "--model", "SWM")
    assert code == 2
    assert "no model is called 'SWM'; there are naive Bayes" in error
    code, _, error = run("compare", data / "verse-train.tsv", "--metric", "f2")
    assert code == 2
    assert "unknown metric" in error
    code, _, error = run("compare", data / "verse-train.tsv", "--held-out", "2")
    assert code == 2
    assert "between 0 and 1" in error


def test_features_of_a_second_file_are_those_of_the_first(run, tmp_path) -> None:
    for name, first, second in (
        ("vw", "a |w x:2 y:1\nb |w z:3 y:1\n", "b |w new:1 z:3\na |w x:2\n"),
        ("svm", "a 1:1 3:1\nb 2:1 3:1\n", "b 2:1 9:1\na 1:1\n"),
    ):
        train, test = tmp_path / f"train.{name}", tmp_path / f"test.{name}"
        train.write_text(first * 9, encoding="utf-8")
        test.write_text(second, encoding="utf-8")
        code, output, said = run("compare", train, "--test", test, "--model", "SVM", "--json")
        assert code == 0, said
        assert json.loads(output)["models"][0]["accuracy"] == 1
        code, output, said = run("tune", train, "--dev", test, "-C", "1", "--json")
        assert code == 0, said
        assert json.loads(output)["rows"][0]["dev"] == 1
