"""``linnet train``: what it writes, what it says, what it refuses."""

import gzip
from pathlib import Path

import numpy as np
import pytest

import linnet
from linnet.data import samples


def test_it_says_what_it_chose_and_is_quiet_if_asked(run, data, tmp_path) -> None:
    arguments = ("train", data / "birds-train.tsv", "-o", tmp_path / "m.linnet")
    code, output, said = run(*arguments, "--dev", data / "birds-test.tsv")
    assert (code, output) == (0, "")
    for words in ("1,200 examples, 6 labels", "features: ", "loss: hinge", "C: 1", "birds-test.tsv: 9"):
        assert words in said
    assert "\x1b" not in said
    assert run(*arguments, "-q") == (0, "", "")


def test_the_model_is_that_of_the_library(run, data, tmp_path) -> None:
    assert run("train", data / "verse-train.tsv", "-o", tmp_path / "m.linnet")[0] == 0
    model = linnet.load(tmp_path / "m.linnet")
    expected = linnet.TextClassifier().fit(*samples.load("verse-train"))
    texts, labels = samples.load("verse-test")
    np.testing.assert_array_equal(model.decision_function(texts), expected.decision_function(texts))
    assert model.score(texts, labels) > 0.9


@pytest.mark.parametrize(
    "options",
    [
        ("--word", "1", "--tf", "count", "--scale", "none", "--norm", "none", "--alpha", "0.001"),
        ("--chars", "2-3", "--word", "none", "--loss", "hinge", "-C", "0.5"),
        ("--learner", "perceptron", "--loss", "perceptron", "--penalty", "none", "--average"),
        ("--penalty", "l1", "--loss", "logistic", "--alpha", "0.0001", "--hash-bits", "16"),
        ("--statistics", "length", "--statistics", "punctuation", "--stop-words", "english"),
        ("--learner", "sgd", "--loss", "logistic", "--dev", "verse-test.tsv", "--balanced"),
        ("--calibration", "sigmoid", "--shape", "--skip", "1", "--keep-case", "--no-punctuation"),
    ],
)
def test_settings(run, data, tmp_path, options) -> None:
    options = [data / option if option.endswith(".tsv") else option for option in options]
    code, _, said = run("train", data / "verse-train.tsv", "-o", tmp_path / "m.linnet", *options)
    assert code == 0, said
    assert linnet.load(tmp_path / "m.linnet").score(*samples.load("verse-test")) > 0.85


def test_threads_change_nothing(run, data, tmp_path) -> None:
    files = []
    for threads in (1, 2, 3):
        files.append(tmp_path / f"{threads}.linnet")
        train = ("train", data / "birds-train.tsv", "-o", files[-1], "--threads", threads)
        assert run(*train)[0] == 0
    texts, _ = samples.load("birds-test")
    first, *others = (linnet.load(file).decision_function(texts) for file in files)
    for other in others:
        np.testing.assert_array_equal(first, other)


@pytest.mark.parametrize("form", ["csv", "jsonl", "fasttext", "vw", "tsv.gz"])
def test_every_format_gives_the_same_model(run, data, models, tmp_path, form) -> None:
    ending = {"fasttext": "ft", "vw": "vw"}.get(form, form)
    if form == "tsv.gz":
        (tmp_path / "x.tsv.gz").write_bytes(gzip.compress((data / "verse-train.tsv").read_bytes()))
    else:
        target = tmp_path / f"x.{ending}"
        assert run("convert", data / "verse-train.tsv", target, "--to", form, "--lossy")[0] == 0
    assert run("train", tmp_path / f"x.{ending}", "-o", tmp_path / "m.linnet")[0] == 0
    texts, _ = samples.load("verse-test")
    got = linnet.load(tmp_path / "m.linnet").predict(texts)
    assert np.mean(got == linnet.load(models / "verse.linnet").predict(texts)) > 0.98


def test_columns_by_name(run, tmp_path) -> None:
    lines = ["say,kind,size,place"]
    lines += [f"the {a} one,{kind},{size},{place}" for a, kind, size, place in
              [("red", "linnet", 13, "heath"), ("tiny", "wren", 9, "hedge")] * 10]  # fmt: skip
    (tmp_path / "d.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    named = ("--text", "say", "--label", "kind")
    beside = ("--numeric", "size", "--categorical", "place")
    train = ("train", tmp_path / "d.csv", "-o", tmp_path / "m.linnet")
    assert run(*train, *named, *beside)[0] == 0
    for option in ((), ("--text", "say")):  # the model remembers the name
        code, output, _ = run("predict", tmp_path / "m.linnet", tmp_path / "d.csv", *option)
        assert (code, output) == (0, "linnet\nwren\n" * 10)
    for wrong, words in ((("--text", "nope", "--label", "kind"), "no column 'nope'"), ((), "--text")):
        code, _, said = run(*train, *wrong)
        assert (code, words in said) == (1, True), said
    assert run("explain", tmp_path / "m.linnet", "a text")[0] == 2


def test_going_on_with_new_words_and_labels(run, data, models, tmp_path) -> None:
    train = ("train", data / "verse-train.tsv", "-o", tmp_path / "m.linnet")
    code, _, said = run(*train, "--from", models / "birds.linnet")
    assert code == 0
    assert "went on from" in said
    assert "8 labels" in said
    model, before = (linnet.load(m) for m in (tmp_path / "m.linnet", models / "birds.linnet"))
    assert model.features_.n_features > before.features_.n_features
    assert model.score(*samples.load("verse-test")) > 0.8
    assert model.score(*samples.load("birds-test")) > 0.8
    code, _, said = run(*train, "--from", models / "birds.linnet", "-C", 3)
    assert code == 2
    assert "-C" in said


def test_a_lexicon_to_start_from(run, data, tmp_path) -> None:
    (tmp_path / "words.tsv").write_text("weather\train\t2\npoem\tthou\n", encoding="utf-8")
    train = ("train", data / "verse-train.tsv", "-o", tmp_path / "m.linnet", "--word", 1)
    code, _, said = run(*train, "--lexicon", tmp_path / "words.tsv")
    assert code == 0, said
    (tmp_path / "words.tsv").write_text("weather\train\tmuch\n", encoding="utf-8")
    code, _, said = run(*train, "--lexicon", tmp_path / "words.tsv")
    assert code == 1
    assert "words.tsv, line 1: 'much' is no number" in said


def write(path: Path, content: bytes | str) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("empty.tsv", "", "empty.tsv is empty"),
        ("texts.tsv", "no tab\nnone\n", "has no labels"),
        ("one.tsv", "a\tx\na\ty\n", "one.tsv has one label only (a)"),
        ("hole.tsv", "a\tx\nb\n", "hole.tsv, line 2"),
        ("damaged.tsv.gz", gzip.compress(b"a\tx\nb\ty\n" * 99, mtime=0)[:-9], "damaged"),
        ("utf16.tsv", "a\tx\nb\ty\n".encode("utf-16"), "UTF-16"),
        ("garbage", bytes(range(256)) * 9, "garbage"),
        ("wrong.jsonl", '{"text": 1}\n{', "wrong.jsonl, line"),
        ("wrong.svm", "1 1:1\n2 x\n", "wrong.svm, line 2"),
        ("nothing.tsv", "a\t\nb\t\n", "nothing to learn"),
    ],
)
def test_data_that_cannot_be_used(run, tmp_path, name, content, words) -> None:
    file = write(tmp_path / name, content)
    code, output, said = run("train", file, "-o", tmp_path / "m.linnet")
    assert (code, output) == (1, "")
    assert said.startswith("Error: ")
    assert said.count("\n") == 1
    assert words in said
    assert not (tmp_path / "m.linnet").exists()


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--loss", "wrath"), 2, "wrath"),
        (("--learner", "pupil"), 2, "pupil"),
        (("--penalty", "death"), 2, "death"),
        (("-C", "-1"), 2, "C: every value must be positive"),
        (("--word", "3-1"), 2, "--word"),
        (("--min-df", "few"), 2, "--min-df"),
        (("--hash-bits", "99"), 2, "hash_bits"),
        (("--statistics", "age"), 2, "age"),
        (("--threads", "0"), 2, "--threads"),
        (("--format", "pdf"), 2, "pdf"),
        (("--format", "svmlight"), 1, "line 1"),
        (("--text", "body"), 2, "--text"),
        (("--numeric", "size"), 2, "size"),
        (("--zero-based",), 2, "--zero-based"),
        (("--order", "2"), 2, "--order: for taggers and parsers"),
        (("--features", "pos"), 2, "--features: for taggers, parsers and parsers of phrases"),
        (("--task", "trees"), 1, "stands outside of brackets"),
        (("--task", "sing"), 2, "sing"),
        (("--nonsense",), 2, "--nonsense"),
        (("--dev", "nowhere.tsv"), 1, "nowhere.tsv does not exist"),
        (("--dev", "birds-test.tsv", "--learner", "sgd"), 1, "birds-test.tsv, line 1: the label"),
        (("--from", "nowhere.linnet"), 1, "nowhere.linnet: No such file"),
        (("--from", "birds-test.tsv"), 1, "no model file"),
        (("--lexicon", "nowhere.tsv"), 1, "nowhere.tsv"),
        (("--stop-words", "nowhere.txt"), 1, "nowhere.txt"),
        (("--max-df", "0.0001"), 1, "nothing to learn"),
    ],
)
def test_mistakes_of_the_user(run, data, tmp_path, monkeypatch, options, code, words) -> None:
    monkeypatch.chdir(data)
    got, output, said = run("train", "verse-train.tsv", "-o", tmp_path / "m.linnet", *options)
    assert (got, output) == (code, ""), said
    assert said.startswith("Error: ")
    assert said.count("\n") == 1
    assert words in said
    assert not (tmp_path / "m.linnet").exists()


def test_outputs_that_cannot_be_written(run, data, tmp_path) -> None:
    for output in (tmp_path, tmp_path / "no" / "m.linnet"):
        code, _, said = run("train", data / "verse-train.tsv", "-o", output)
        assert (code, f"-o {output}" in said) == (2, True)


def test_dev_labels_never_seen_count_as_errors(run, data, tmp_path) -> None:
    train = ("train", data / "verse-train.tsv", "-o", tmp_path / "m.linnet")
    code, _, said = run(*train, "--dev", data / "birds-test.tsv")
    assert code == 0
    assert "labels never seen in training: " in said
    assert "birds-test.tsv: 0.00 %" in said


def test_numbers(run, tmp_path) -> None:
    rows = ["up 1:1 3:0.5", "down 2:1 3:0.5"]
    file = write(tmp_path / "d.svm", "\n".join(rows * 20))
    assert run("train", file, "-o", tmp_path / "m.linnet", "--dev", file)[0] == 0
    more = write(
        tmp_path / "more.svm", "? 2:1 77:1\n1:1\n"
    )  # a feature never seen, a row without label
    assert run("predict", tmp_path / "m.linnet", more)[:2] == (0, "down\nup\n")
    for options, words in ((("--word", 1), "--word"), (("--from", tmp_path / "m.linnet"), "--from")):
        code, _, said = run("train", file, "-o", tmp_path / "n.linnet", *options)
        assert (code, words in said) == (2, True)


def test_numbers_counted_from_zero_stay_so(run, tmp_path) -> None:
    train = write(tmp_path / "d.svm", "a 0:1\nb 1:1\nc 2:1\n" * 9)
    code, _, said = run("train", train, "-o", tmp_path / "m.linnet")
    assert code == 0
    assert "counted from 0" in said
    test = write(tmp_path / "t.svm", "? 1:1\n? 2:1\n")  # no 0 among them
    assert run("predict", tmp_path / "m.linnet", test)[:2] == (0, "b\nc\n")


def test_named_numbers_go_by_name(run, tmp_path) -> None:
    train = write(tmp_path / "d.vw", "a |w x:2 y:1\nb |w z:3 y:1\n" * 9)
    assert run("train", train, "-o", tmp_path / "m.linnet")[0] == 0
    test = write(tmp_path / "t.vw", "b |w z:3\nb |w new:1 x:2\n")
    assert run("predict", tmp_path / "m.linnet", test)[:2] == (0, "b\na\n")


def test_progressive_validation_is_shown_and_kept(run, data, tmp_path) -> None:
    arguments = ("train", data / "birds-train.tsv", "-o", tmp_path / "m.linnet", "--learner", "pa")
    code, output, told = run(*arguments, "--progressive")
    assert (code, output) == (0, "")
    heading, *lines = told.splitlines()
    assert heading.split() == ["loss", "since", "last", "errors", "example", "label,", "predicted"]
    texts, birds = samples.load("birds-train")
    counters = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, len(texts)]
    table = linnet.load(tmp_path / "m.linnet").record_.facts["progressive"]
    assert table["examples"] == counters
    for at, line in zip(counters, lines, strict=False):
        assert f" {at:,}  {birds[at - 1]}, " in line
    assert lines[0].split()[:3] == ["1.000000", "1.000000", "1.0000"]  # nothing is known yet
    assert f"{table['average_loss'][-1]:.6f}" in lines[len(counters) - 1]
    assert run(*arguments, "--progressive", "-q")[2] == ""
    code, _, told = run(*arguments[:-2], "--progressive")
    assert code == 2
    assert "progressive validation is of learners that step from example to example" in told


def test_held_out_rows_count_from_where_training_rows_do(run, tmp_path) -> None:
    train, dev = tmp_path / "d.svm", tmp_path / "e.svm"
    train.write_text("a 0:1\nb 1:1\nc 2:1\n" * 9, encoding="utf-8")
    dev.write_text("b 1:1\nc 2:1\n" * 3, encoding="utf-8")  # no 0: by itself it would count from 1
    code, _, error = run("train", train, "--dev", dev, "-o", tmp_path / "m.linnet")
    assert code == 0
    assert "e.svm: 100.00 %" in error
    train.write_text("b 1:1\nc 2:1\n" * 9, encoding="utf-8")
    dev.write_text("b 0:1\nc 1:1\n", encoding="utf-8")
    code, _, error = run("train", train, "--dev", dev, "-o", tmp_path / "m.linnet")
    assert code == 1
    assert "e.svm, line 1: index 0" in error
    assert "counted from 1" in error


@pytest.mark.parametrize("name", ["d.svm", "d"])
def test_rows_with_an_empty_line_are_no_sentences(run, tmp_path, name) -> None:
    (tmp_path / name).write_text("a 1:1\nb 2:1\n\n" * 9, encoding="utf-8")
    code, _, error = run("train", tmp_path / name, "-o", tmp_path / "m.linnet")
    assert code == 1
    assert f"{name}, line 3: the line is empty; remove it" in error
