"""Many files answered into a folder."""

import os

import pytest

import linnet


@pytest.fixture
def files(tmp_path, models):
    """Texts in three files."""
    lines = (models / "birds-test.tsv").read_text().splitlines(keepends=True)
    for name, part in (("a", lines[:5]), ("b", lines[5:9]), ("c", lines[9:])):
        (tmp_path / f"{name}.tsv").write_text("".join(part))
    return tmp_path


def test_each_file_has_its_answers(run, models, files) -> None:
    model = models / "birds.linnet"
    code, output, said = run("predict", model, files / "*.tsv", "--into", files / "out")
    assert (code, output) == (0, "")
    assert "(3 of 3)" in said
    for name in "abc":
        alone = run("predict", model, files / f"{name}.tsv")[1]
        assert (files / "out" / f"{name}.tsv").read_text() == alone


def test_what_is_there_is_not_made_again(run, models, files) -> None:
    command = (
        "predict",
        models / "birds.linnet",
        files / "a.tsv",
        files / "b.tsv",
        "--into",
        files / "o",
    )
    assert run(*command)[0] == 0
    before = (files / "o" / "a.tsv").stat().st_mtime_ns
    (files / "b.tsv").write_text("linnet\tA red forehead\n")
    untouched = "x" * (files / "o" / "a.tsv").stat().st_size
    (files / "o" / "a.tsv").write_text(untouched)
    code, _, said = run(*command)
    assert code == 0
    assert "1 of 2 files were answered before" in said
    assert (files / "o" / "a.tsv").read_text() == untouched
    assert len((files / "o" / "b.tsv").read_text().splitlines()) == 1
    (files / "o" / "a.tsv").unlink()
    assert run(*command)[0] == 0
    assert (files / "o" / "a.tsv").stat().st_mtime_ns != before
    (files / "o" / "a.tsv").write_text("linnet\n")  # cut short
    assert run(*command)[0] == 0
    assert len((files / "o" / "a.tsv").read_text().splitlines()) == 5


def test_one_that_cannot_be_read_is_told_and_the_others_are_answered(run, models, files) -> None:
    (files / "b.tsv").write_bytes(b"\x1f\x8b broken")
    os.rename(files / "b.tsv", files / "b.tsv.gz")
    everything = (
        "predict",
        models / "birds.linnet",
        files / "a.tsv",
        files / "b.tsv.gz",
        files / "c.tsv",
    )
    code, _, said = run(*everything, "--into", files / "o")
    assert code != 0
    assert "b.tsv.gz" in said
    assert "1 of 3 files have no answer" in said
    assert sorted(os.listdir(files / "o")) == [".linnet-answers.jsonl", "a.tsv", "c.tsv"]


def test_answers_of_others_are_not_mixed(run, models, files) -> None:
    command = ("predict", models / "birds.linnet", files / "a.tsv", "--into", files / "o")
    assert run(*command)[0] == 0
    code, _, said = run(*command, "--proba")
    assert code != 0
    assert "answers of other options" in said
    other = linnet.TextClassifier().fit(["x", "y", "x", "y"], ["p", "q", "p", "q"])
    other.save(files / "other.linnet")
    code, _, said = run("predict", files / "other.linnet", files / "a.tsv", "--into", files / "o")
    assert code != 0
    assert "answers of another model" in said
    (files / "o" / ".linnet-answers.jsonl").write_text("{")
    code, _, said = run(*command)
    assert code != 0
    assert "is damaged" in said


@pytest.mark.parametrize(
    ("extra", "told"),
    [
        ((), "there are 3 files; say --into"),
        (("--into", "o", "-o", "x"), "two places"),
        (("--engine", "ray"), "3 files; say --into"),
        (("--into", "o", "--piece", "large"), "--piece must be a size"),
        (("--into", "o", "--piece", "0"), "at least one byte"),
    ],
)
def test_places_are_said(run, models, files, extra, told) -> None:
    code, _, said = run("predict", models / "birds.linnet", files / "*.tsv", *extra)
    assert code == 2
    assert told in said


def test_names_must_differ_and_inputs_stay(run, models, files) -> None:
    model = models / "birds.linnet"
    (files / "d").mkdir()
    (files / "d" / "a.tsv").write_text("linnet\tx\n")
    code, _, said = run("predict", model, files / "a.tsv", files / "d" / "a.tsv", "--into", files / "o")
    assert code == 2
    assert "two files are called a.tsv" in said
    code, _, said = run("predict", model, files / "a.tsv", "--into", files)
    assert code == 2
    assert "would be lost" in said
    code, _, said = run("predict", model, files / "*.csv", "--into", files / "o")
    assert code == 1
    assert "no file has such a name" in said
