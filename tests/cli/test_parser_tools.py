"""Parsers from the command line: other ways of decoding, tuning, comparing, smaller models."""

import json
from pathlib import Path

import pytest

import linnet
from linnet.data import samples
from linnet.formats.trees import read_trees

SAMPLES = Path(samples.__file__).parent
TRAIN, TEST = SAMPLES / "rambles-train.conllu", SAMPLES / "rambles-test.conllu"


@pytest.fixture(scope="session")
def folder(tmp_path_factory, run) -> Path:
    """A parser, and one with probabilities."""
    folder = tmp_path_factory.mktemp("tools")
    common = ("train", TRAIN, "--task", "parse", "-q", "--max-iter", "3")
    assert run(*common, "-o", folder / "mira.linnet") == (0, "", "")
    crf = ("--loss", "logistic", "--order", "1")
    assert run(*common, "-o", folder / "crf.linnet", *crf) == (0, "", "")
    return folder


# Decoding


def test_trees_of_least_risk(run, folder, tmp_path) -> None:
    out = tmp_path / "risk.conllu"
    crf = folder / "crf.linnet"
    for command in ("parse", "predict"):
        assert run(command, crf, TEST, "--decode", "risk", "-o", out)[0] == 0
        expected = linnet.load(crf).parse(TEST, decode="risk")[0]
        assert (read_trees(out).heads == expected).all()
    code, said, _ = run("evaluate", crf, TEST, "--decode", "risk", "--against", crf)
    assert code == 0
    assert "LAS" in said


def test_risk_needs_probabilities(run, folder) -> None:
    for command in ("parse", "evaluate"):
        code, _, said = run(command, folder / "mira.linnet", TEST, "--decode", "risk")
        assert code == 2
        assert "--loss logistic" in said
    code, _, said = run("parse", folder / "crf.linnet", TEST, "--decode", "risk", "-k", "2")
    assert code == 2
    assert "leave out --decode" in said


# Smaller models


@pytest.mark.parametrize(("bits", "share"), [(8, 0.3), (4, 0.17)])
def test_quantized_parsers(run, folder, tmp_path, bits, share) -> None:
    mira, small = folder / "mira.linnet", tmp_path / "small.linnet"
    code, output, said = run("quantize", mira, "-o", small, "--bits", bits)
    assert (code, output) == (0, "")
    assert "MB →" in said
    assert small.stat().st_size < share * mira.stat().st_size
    loaded = linnet.load(small)
    assert loaded.score(TEST) > linnet.load(mira).score(TEST) - 0.02
    assert run("parse", small, TEST)[0] == run("inspect", small)[0] == 0
    with pytest.raises(ValueError, match="quantized already"):
        loaded.quantize()


def test_what_is_not_packed(run, folder, tmp_path) -> None:
    small = tmp_path / "small.linnet"
    for option in (("--keep", "10"), ("--size", "1MB"), ("--names",)):
        code, _, said = run("quantize", folder / "mira.linnet", "-o", small, *option)
        assert code == 2
        assert f"{option[0]}: for classifiers, regressors and taggers" in said
    with pytest.raises(ValueError, match="8 or 4"):
        linnet.load(folder / "mira.linnet").quantize(3)


# Tuning and comparing


def test_tuning(run, tmp_path) -> None:
    model = tmp_path / "best.linnet"
    common = ("tune", TRAIN, "--task", "parse", "--dev", TEST, "--json")
    code, output, _ = run(*common, "--order", "1,2", "--max-iter", "1,2", "-o", model)
    assert code == 0
    told = json.loads(output)
    assert told["metric"] == "las"
    tried = [row["settings"] for row in told["rows"]]
    assert tried == [{"order": o, "max_iter": n} for o in (1, 2) for n in (1, 2)]
    best = told["best"]["settings"]
    loaded = linnet.load(model)
    assert {name: getattr(loaded, name) for name in best} == best
    assert loaded.score(TEST) == pytest.approx(told["best"]["dev"])


def test_tuning_over_folds(run) -> None:
    common = ("tune", TEST, "--task", "parse", "--folds", "2")
    several = ("--loss", "perceptron,hinge", "--max-iter", "2", "--metric", "uas", "--non-projective")
    code, output, _ = run(*common, *several)
    assert code == 0
    assert "best uas" in output
    assert "±" in output
    code, output, _ = run(*common, "--json", "--order", "1")
    assert code == 0
    assert json.loads(output)["splits"] == 2


def test_comparing(run) -> None:
    two = ("--model", "counting", "--model", "MIRA, siblings")
    code, output, _ = run("compare", TRAIN, "--task", "parse", "--test", TEST, "--json", *two)
    assert code == 0
    told = json.loads(output)
    assert (told["train"], told["test"]) == (300, 100)
    counted, mira = told["models"]
    assert counted["parameter"] is None
    assert mira["parameter"] == "max_iter"
    assert counted["las"] < mira["las"]
    assert counted["p"] < 0.05
    assert mira["p"] is None
    code, output, _ = run("compare", TEST, "--task", "parse", "--model", "MIRA", "--model", "tree CRF")
    assert code == 0
    assert "best" in output
    assert "80 sentences to learn from, 20 to score on" in output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("tune", TRAIN, "--task", "parse", "--metric", "f1"), "there are uas, las"),
        (("tune", TRAIN, "--task", "parse", "--word", "1,2"), "--word: for classifiers"),
        (("tune", TRAIN, "--task", "parse", "--alpha", "1,2"), "has no effect with penalty='none'"),
        (("tune", TRAIN, "--task", "parse", "--preset", "crf"), "--preset: for classifiers, taggers"),
        (("tune", TRAIN, "--many-roots"), "--many-roots: for parsers"),
        (("compare", TRAIN, "--task", "parse", "--model", "SVM"), "no model is called 'SVM'"),
        (("compare", TRAIN, "--many-roots"), "for parsers"),
    ],
)
def test_what_is_refused(run, arguments, message) -> None:
    code, _, said = run(*arguments)
    assert code == 2
    assert message in said


# What is told


def test_the_first_pass_is_told(run, folder, tmp_path) -> None:
    mira = folder / "mira.linnet"
    told = json.loads(run("evaluate", mira, TEST, "--json")[1])["candidates"]
    assert 1 < told["per_word"] < 10
    assert told["recall"] > 0.99
    assert "candidates: " in run("evaluate", mira, TEST)[1]
    found = json.loads(run("inspect", mira, "--json")[1])
    assert found["candidates"]["candidate_recall"] > 0.99
    assert found["weights"]["siblings"]["top"]
    output = run("inspect", mira)[1]
    assert "for a sibling" in output
    assert "candidate_recall" in output
    said = run(
        "train", TEST, "-o", tmp_path / "m", "--task", "parse", "--max-iter", "1", "--dev", TEST
    )[2]
    assert "of the heads are among the candidates" in said
