"""What newcomers try: files as other programs write them, models with the wrong command."""

import sys

import pytest

import linnet

from .. import processes

ROWS = (("ham", "hello there"), ("spam", "buy now"), ("ham", "how are you"), ("spam", "cheap pills"))


def learnt(run, folder, name, content, *options):
    """The exit code and the notes of training on a file of that content."""
    file = folder / name
    file.write_text(content, encoding="utf-8", newline="")
    code, output, said = run("train", file, "-o", folder / "m.linnet", *options)
    assert output == ""
    return code, said


def lines(mark: str, *header: str, swapped: bool = False) -> str:
    rows = [row[::-1] if swapped else row for row in ROWS]
    return "".join(mark.join(row) + "\n" for row in ([header, *rows] if header else rows))


def test_python_runs_the_package() -> None:
    told = processes.run(
        [sys.executable, "-m", "linnet", "--version"], capture_output=True, encoding="utf-8", check=True
    )
    assert told.stdout == f"linnet, version {linnet.__version__}\n"


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("excel.csv", "\ufeff" + lines(";", "label", "text").replace("\n", "\r\n"), ()),
        ("columns.tsv", lines("\t", "sentence", "label", swapped=True), ("--format", "csv")),
        ("frame.tsv", lines("\t", "sentence", "label", swapped=True), ()),
        ("sms.csv", lines(",", "v1", "v2").replace("\n", ",,\n"), ()),
        ("bare.csv", lines(","), ("--no-header",)),
        ("bare.tsv", lines("\t"), ()),
        ("piped.csv", lines("|", "message", "verdict", swapped=True), ("--text", "message")),
    ],
)
def test_tables_of_other_programs(run, tmp_path, name, content, options) -> None:
    code, said = learnt(run, tmp_path, name, content, *options)
    assert code == 0, said
    assert "4 examples, 2 labels" in said
    assert "kB in " in said
    model = linnet.load(tmp_path / "m.linnet")
    assert model.classes_.tolist() == ["ham", "spam"]
    assert model.predict(["hello"]).tolist() == ["ham"]
    found = run("predict", tmp_path / "m.linnet", tmp_path / name, *options)[1]
    assert found.split() == [label for label, _ in ROWS]


@pytest.mark.parametrize(
    ("name", "content", "options", "code", "words"),
    [
        ("a.tsv", lines("\t", "label", "text"), ("--text", "text"), 2, "--format csv reads columns"),
        ("a.json", '[{"text": "a", "label": "b"},\n]\n', (), 1, "line 2: not JSON: Expecting value"),
        ("a.jsonl", '{"text": "a", "label": "b"}\n', ("--no-header",), 2, "--no-header: "),
        ("a.tsv", "ham\thello there\n\nspam\tbuy now\n", (), 1, "line 2: the line is empty"),
        ("a.mrg", "(S (NP we)\n", (), 1, "line 1"),
    ],
)
def test_small_mistakes(run, tmp_path, name, content, options, code, words) -> None:
    got, said = learnt(run, tmp_path, name, content, *options)
    assert (got, words in said) == (code, True), said
    assert not (tmp_path / "m.linnet").exists()


def test_guesses_are_told_unless_quiet(run, tmp_path) -> None:
    said = learnt(run, tmp_path, "a.csv", lines(","))[1]
    assert "--no-header if the first line is an example" in said
    swapped = lines("\t", swapped=True)
    said = learnt(run, tmp_path, "a.tsv", swapped)[1]
    assert "4 labels for 4 examples" in said
    assert "'buy now'" in said
    assert "labels for" not in learnt(run, tmp_path, "b.tsv", lines("\t"))[1]
    for name, content in (("a.csv", lines(",")), ("a.tsv", swapped)):
        assert learnt(run, tmp_path, name, content, "-q") == (0, "")


def test_the_column_that_a_model_learnt_from(run, tmp_path) -> None:
    content = lines(",", "verdict", "message")
    assert learnt(run, tmp_path, "a.csv", content, "--text", "message", "--label", "verdict")[0] == 0
    other, model = tmp_path / "b.csv", tmp_path / "m.linnet"
    other.write_text(lines(",", "label", "text"), encoding="utf-8")
    for command in ("predict", "evaluate"):
        code, output, said = run(command, model, other)
        assert (code, output) == (1, "")
        assert "the model learnt from 'message', --text names another" in said
        assert run(command, model, other, "--text", "text")[0] == 0


def test_a_command_that_is_misspelt(run) -> None:
    assert "Did you mean 'train'?" in run("trian")[2]
    assert "There are train, predict" in run("help")[2]


def test_models_with_the_wrong_command(run, models, tagged, tmp_path) -> None:
    birds, names = models / "birds.linnet", tagged / "names.linnet"
    texts, sentences = models / "birds-test.tsv", tagged / "test.conll"
    go_on = ("-o", tmp_path / "m.linnet", "--from")
    for arguments, code, words in (
        (("tag", birds, sentences), 2, "a classifier; use linnet predict"),
        (("parse", names, sentences), 2, "a tagger; use linnet tag"),
        (("predict", birds, sentences), 1, "is conll, sentences of tokens"),
        (("evaluate", birds, sentences), 1, "is conll, sentences of tokens"),
        (("evaluate", birds, texts, "--against", names), 1, "names.linnet is a tagger, and"),
        (("evaluate", names, sentences, "--against", birds), 1, "birds.linnet is a classifier, and"),
        (("train", texts, *go_on, names), 2, "only models of texts go on"),
        (("train", sentences, *go_on, birds), 2, "only a tagger goes on"),
    ):
        got, output, said = run(*arguments)
        assert (got, output, words in said) == (code, "", True), said
    lines_as_texts = run("predict", birds, sentences, "--format", "text")
    assert lines_as_texts[0] == 0
