"""``linnet train --kernel``, and every command that takes what it writes."""

import json

import pytest

import linnet


@pytest.mark.parametrize("kernel", ["gaussian", "linear", "polynomial degree=2", "spectrum length=3"])
def test_a_machine_from_the_command_line(run, data, tmp_path, kernel: str) -> None:
    model = tmp_path / "m.linnet"
    held_out = data / "verse-test.tsv"
    code, output, said = run(
        "train",
        data / "verse-train.tsv",
        "--kernel",
        kernel,
        "-C",
        "10",
        "-o",
        model,
        "--dev",
        held_out,
    )
    assert (code, output) == (0, ""), said
    assert "support vectors" in said
    assert "accuracy on" in said
    loaded = linnet.load(model)
    assert isinstance(loaded, linnet.KernelSVM)
    code, output, said = run("evaluate", model, held_out, "--json")
    assert code == 0, said
    assert json.loads(output)["metrics"]["accuracy"] > 0.8
    texts = tmp_path / "texts.txt"
    texts.write_text("shall I compare thee\na linnet\n")
    code, output, said = run("predict", model, texts, "--scores")
    assert code == 0, said
    assert len(output.splitlines()) == 2
    code, output, said = run("explain", model, "shall I compare thee", "--json")
    assert code == 0, said
    told = json.loads(output)
    assert len(told["shares"]) == 5
    code, output, said = run("inspect", model)
    assert code == 0, said
    assert "support vectors" in output


def test_rows_of_numbers(run, tmp_path) -> None:
    rows = tmp_path / "xor.svm"
    rows.write_text("1 1:1 2:1\n0 1:1 2:-1\n0 1:-1 2:1\n1 1:-1 2:-1\n")
    model = tmp_path / "m.linnet"
    code, _, said = run("train", rows, "--kernel", "polynomial degree=2", "-C", "100", "-o", model)
    assert code == 0, said
    code, output, said = run("predict", model, rows)
    assert code == 0, said
    assert output.split() == ["1", "0", "0", "1"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--kernel", "cubic"), "kernel must be one of"),
        (("--kernel", "gaussian width=2"), "has no setting"),
        (("--kernel", "subtree"), "use KernelSVM from Python"),
        (("--kernel", "linear", "--loss", "hinge"), "knows no such thing"),
        (("--kernel", "linear", "--lexicon", "words.tsv"), "knows no such thing"),
    ],
)
def test_what_makes_no_sense_is_refused(run, data, tmp_path, options, message: str) -> None:
    code, _, said = run("train", data / "verse-train.tsv", "-o", tmp_path / "m.linnet", *options)
    assert code == 2
    assert message in said
    assert "Traceback" not in said
