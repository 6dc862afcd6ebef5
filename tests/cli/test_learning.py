"""Options of learners: each does something, and where one would do nothing it is refused."""

import json

import numpy as np
import pytest

import linnet
from linnet import learners
from linnet.data import samples
from linnet.features import TextFeatures

WINNOW = ("--learner", "winnow", "--loss", "perceptron", "--penalty", "none")
COUNTING = ("--learner", "counting", "--loss", "joint_likelihood", "--penalty", "none")
SGD = ("--learner", "sgd", "--loss", "logistic", "--max-iter", "3")
STEPS = ("--loss", "hinge", "--penalty", "none", "--max-iter", "3")

# What is said, and the option that must matter.
SWITCHES = [
    (COUNTING, ("--variant", "bernoulli")),
    (COUNTING, ("--variant", "complement")),
    (COUNTING, ("--smoothing", "0.01")),
    (COUNTING, ("--prior", "uniform")),
    (SGD, ("--step", "constant")),
    (SGD, ("--eta0", "0.01")),
    (SGD, ("--power", "0.9")),
    (SGD, ("--batch-size", "4")),
    (("--learner", "pegasos", "--loss", "hinge"), ("--batch-size", "4")),
    (("--learner", "adagrad", *SGD[2:]), ("--batch-size", "4")),
    (("--learner", "adagrad", *SGD[2:]), ("--eta0", "0.01")),
    (WINNOW, ("--promotion", "1.01")),
    (WINNOW, ("--demotion", "3")),
    (WINNOW, ("--variant", "positive")),
    ((*WINNOW, "--variant", "positive"), ("--winnow-threshold", "3")),
    (("--learner", "pa", *STEPS), ("-C", "0.001")),
    (("--learner", "pa", "-C", "0.01", *STEPS), ("--variant", "II")),
    (("--learner", "mira", *STEPS), ("-C", "0.001")),
    (("--learner", "arow", *STEPS), ("--confidence", "100")),
    (("--learner", "sgd", "--loss", "hinge"), ("--margin", "0.2")),
    (("--learner", "dual", "--loss", "hinge"), ("--multiclass", "rest")),
]


@pytest.mark.parametrize(("said", "option"), SWITCHES, ids=lambda words: " ".join(words[-2:]))
def test_every_switch_moves_the_weights(run, data, tmp_path, said, option) -> None:
    # Multiclass where labels must be more than two; Winnow of positive weights takes counts alone.
    counts = ("--word", "1", "--tf", "binary", "--scale", "none", "--norm", "none")
    models = []
    for extra in ((), option):
        path = tmp_path / "m.linnet"
        code, _, told = run("train", data / "birds-train.tsv", "-o", path, "-q", *counts, *said, *extra)
        assert code == 0, told
        models.append(linnet.load(path))
    texts, labels = samples.load("birds-test")
    first, second = (model.decision_function(texts[:50]) for model in models)
    assert not np.array_equal(first, second)
    assert models[1].score(texts, labels) > 0.3


def test_a_switch_is_the_setting_of_the_learner(run, data, tmp_path) -> None:
    path = tmp_path / "m.linnet"
    options = (
        "--learner",
        "sgd",
        "--loss",
        "logistic",
        "--step",
        "inverse",
        "--word",
        "1",
        "--max-iter",
        "4",
    )
    assert run("train", data / "verse-train.tsv", "-o", path, "-q", *options)[0] == 0
    same = linnet.TextClassifier(
        TextFeatures(word=(1, 1)), "logistic", learners.SGD(step="inverse"), max_iter=4
    ).fit(*samples.load("verse-train"))
    texts, _ = samples.load("verse-test")
    np.testing.assert_array_equal(
        linnet.load(path).decision_function(texts), same.decision_function(texts)
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--step", "constant"), "--step is of a learner: name it by --learner (sgd"),
        (("--learner", "arow", "--penalty", "none", "--eta0", "1"), "--eta0: arow has no such setting"),
        (("--learner", "winnow", "--penalty", "none", "--variant", "tall"), "variant"),
        (("--learner", "lbfgs", "--batch-size", "8"), "--batch-size: lbfgs has no such setting"),
        (("--learner", "perceptron", "--penalty", "none", "--batch-size", "8"), "no such setting"),
        (("--learner", "sgd", "--batch-size", "0"), "batch_size must be 1, 2, …, not 0"),
        (("--learner", "perceptron", "--penalty", "none", "-C", "3"), "has no effect"),
        (("--learner", "arow", "--penalty", "none", "--alpha", "0.1"), "has no effect"),
        (("--loss", "logistic", "--margin", "2"), "has no effect"),
        (("--learner", "mira", "--penalty", "none", "--constraints", "3"), "has no effect"),
        (("--penalty", "l2", "--l1-ratio", "0.3"), "has no effect"),
    ],
)
def test_what_would_do_nothing_is_refused(run, data, tmp_path, options, said) -> None:
    code, _, told = run("train", data / "birds-train.tsv", "-o", tmp_path / "m.linnet", *options)
    assert code == 2
    assert said in told
    assert not (tmp_path / "m.linnet").exists()


@pytest.mark.parametrize("option", [("-C", "0.0001"), ("--constraints", "5")])
def test_steps_of_taggers(run, tagged, tmp_path, option) -> None:
    mira = ("--learner", "mira", "--loss", "hinge", "--penalty", "none", "--max-iter", "2")
    written = []
    for extra in ((), option):
        path = tmp_path / "m.linnet"
        code, _, told = run("train", tagged / "train.conll", "-o", path, "-q", *mira, *extra)
        assert code == 0, told
        weights = linnet.load(path).inspect().to_dict()
        written.append(json.dumps(weights))
    assert written[0] != written[1]


def test_a_lexicon_without_data(run, tmp_path) -> None:
    words, model = tmp_path / "words.tsv", tmp_path / "m.linnet"
    words.write_text("wren\ttiny\t2\nowl\thoot\nowl\tfar off\t0.5\n", encoding="utf-8")
    code, _, said = run("train", "-o", model, "--lexicon", words)
    assert code == 0, said
    assert "3 weights set by hand, 2 labels" in said
    loaded = linnet.load(model)
    assert loaded.predict(["A tiny bird.", "A hoot far off."]).tolist() == ["wren", "owl"]
    code, _, said = run("train", "-o", tmp_path / "n.linnet", "--lexicon", words, "-C", "2")
    assert code == 2
    assert "-C" in said
    assert not (tmp_path / "n.linnet").exists()
    code, _, said = run("train", "-o", tmp_path / "n.linnet")
    assert code == 2
    assert "DATA" in said


def test_tune_tries_what_train_trains(run, data, tmp_path) -> None:
    said = ("--word", "1", "-C", "0.3", "--dev", data / "birds-test.tsv")
    code, output, _ = run(
        "tune", data / "birds-train.tsv", *said, "--json", "-o", tmp_path / "tuned.linnet"
    )
    assert code == 0
    code, _, told = run("train", data / "birds-train.tsv", *said, "-o", tmp_path / "trained.linnet")
    assert code == 0
    texts, labels = samples.load("birds-test")
    tuned, trained = (linnet.load(tmp_path / f"{name}.linnet") for name in ("tuned", "trained"))
    np.testing.assert_array_equal(tuned.decision_function(texts), trained.decision_function(texts))
    best = json.loads(output)["best"]["dev"]
    assert best == pytest.approx(trained.score(texts, labels))
    assert f"{100 * best:.2f} %" in told


def test_values_of_switches_are_tried(run, data) -> None:
    told = json.loads(
        run(
            "tune", data / "birds-train.tsv", "--folds", 2, "--json", "--word", "1",
            "--learner", "arow", "--loss", "hinge", "--penalty", "none", "--confidence", "0.1,10",
            "--max-iter", "5",
        )[1]
    )  # fmt: skip
    assert len(told["rows"]) == 2
    assert told["rows"][0]["settings"] != told["rows"][1]["settings"]


def test_models_that_vote_are_scored(run, data, tmp_path) -> None:
    model = tmp_path / "votes.linnet"
    votes = ("--learner", "voted", "--loss", "perceptron", "--penalty", "none", "--word", "1")
    assert run("train", data / "birds-train.tsv", "-o", model, "-q", *votes)[0] == 0
    code, output, said = run("evaluate", model, data / "birds-test.tsv")
    assert code == 0, said
    assert "accuracy" in output
    assert "there are no weights that would explain" in output + said
    texts, labels = samples.load("birds-test")
    told = json.loads(run("evaluate", model, data / "birds-test.tsv", "--json")[1])
    assert told["metrics"]["accuracy"] == pytest.approx(linnet.load(model).score(texts, labels))


@pytest.mark.parametrize("task", ["classify", "tag"])
def test_hard_margins(run, tmp_path, task) -> None:
    lines = {
        "classify": ("x\tthe wren\ny\tthe heron\nz\tan owl\n", "x\tan owl\n"),
        "tag": ("the D\nwren N\n\na D\nheron N\n", "\nthe N\nwren N\n"),
    }[task]
    path, model = tmp_path / "data.txt", tmp_path / "m.linnet"
    command = ("train", path, "--task", task, "-o", model, "-q", "--loss", "hinge", "-C", "inf")
    path.write_text(lines[0])
    code, _, told = run(*command)
    assert code == 0, told
    path.write_text("".join(lines))  # and a contradiction
    code, _, told = run(*command)
    assert code == 1
    assert "no hyperplane separates the data; use a finite C" in told
