"""``linnet predict``: a line for a text, whatever the texts come in."""

import json
from pathlib import Path

import numpy as np
import pytest

import linnet
from linnet.data import samples


@pytest.fixture(scope="session")
def several(run, tmp_path_factory) -> Path:
    """A model of texts with several labels, and its training file."""
    folder = tmp_path_factory.mktemp("several")
    lines = (
        "__label__a __label__b foo bar\n__label__b bar baz\n__label__a foo\n__label__c __label__a qux\n"
    )
    (folder / "d.ft").write_text(lines * 3, encoding="utf-8")
    assert run("train", folder / "d.ft", "-o", folder / "m.linnet")[0] == 0
    assert run("train", folder / "d.ft", "-o", folder / "margins.linnet", "--loss", "hinge")[0] == 0
    return folder


def test_a_label_for_each_text(run, models) -> None:
    code, output, said = run("predict", models / "birds.linnet", models / "birds-test.tsv")
    model, (texts, labels) = linnet.load(models / "birds.linnet"), samples.load("birds-test")
    assert (code, said) == (0, "")
    assert output.splitlines() == model.predict(texts).tolist()
    assert np.mean(np.array(output.splitlines()) == labels) > 0.9


def test_probabilities_scores_and_the_best(run, models) -> None:
    predict = ("predict", models / "birds.linnet", models / "birds-test.tsv")
    model, (texts, _) = linnet.load(models / "birds.linnet"), samples.load("birds-test")
    expected, best = model.predict_proba(texts), model.predict(texts)
    rows = [line.split("\t") for line in run(*predict, "--proba")[1].splitlines()]
    assert [row[0] for row in rows] == best.tolist()
    np.testing.assert_allclose([float(row[1]) for row in rows], expected.max(axis=1), atol=1e-6)
    for top in (3, 6, 99):
        rows = [line.split("\t") for line in run(*predict, "--top", top, "--proba")[1].splitlines()]
        assert all(len(row) == 2 * min(top, 6) for row in rows)
        numbers = np.array([row[1::2] for row in rows], dtype=float)
        assert (np.diff(numbers, axis=1) <= 0).all()
        assert [row[0] for row in rows] == best.tolist()
    names = [line.split("\t") for line in run(*predict, "--top", 2)[1].splitlines()]
    assert [row[0] for row in names] == best.tolist()
    scores = [line.split("\t") for line in run(*predict, "--scores")[1].splitlines()]
    shown = [float(row[1]) for row in scores]
    np.testing.assert_allclose(shown, model.decision_function(texts).max(axis=1), rtol=1e-5)


def test_two_labels(run, models) -> None:
    predict = ("predict", models / "verse.linnet", models / "verse-test.tsv")
    for kind in ("--scores", "--proba"):
        plain, shown, all_of_them = (
            run(*predict)[1],
            run(*predict, kind)[1],
            run(*predict, kind, "--top", 2)[1],
        )
        assert [line.split("\t")[0] for line in shown.splitlines()] == plain.splitlines()
        for line in all_of_them.splitlines():
            first, a, second, b = line.split("\t")
            assert {first, second} == {"poem", "weather"}
            assert float(a) >= float(b)


def test_unsure(run, models) -> None:
    predict = ("predict", models / "birds.linnet", models / "birds-test.tsv", "--threshold", 0.9)
    for line in run(*predict, "--proba")[1].splitlines():
        label, probability = line.split("\t")
        assert (label == "unsure") == (float(probability) < 0.9)
    assert "unsure" in run(*predict)[1].splitlines()


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_nothing(run, models, threads) -> None:
    predict = ("predict", models / "birds.linnet", models / "birds-test.tsv", "--top", 6, "--scores")
    assert run(*predict, "--threads", threads) == run(*predict)


def test_labels_of_the_data_are_not_looked_at(run, models, tmp_path) -> None:
    texts, _ = samples.load("birds-test")
    expected = run("predict", models / "birds.linnet", models / "birds-test.tsv")[1]
    files = {
        "texts.txt": "".join(f"{text}\n" for text in texts),
        "texts.tsv": "".join(f"{text}\n" for text in texts),
        "other.tsv": "".join(f"no such label\t{text}\n" for text in texts),
        "empty-labels.tsv": "".join(f"\t{text}\n" for text in texts),
        "crlf.tsv": "".join(f"x\t{text}\r\n" for text in texts),
        "no-newline.txt": "\n".join(texts),
        "table.csv": "text,label\n" + "".join(f'"{text}",x\n' for text in texts),
        "unlabelled.csv": "text\n" + "".join(f'"{text}"\n' for text in texts),
        "x.jsonl": "".join(json.dumps({"text": text, "label": 7}) + "\n" for text in texts),
        "empty-labels.csv": "label,text\n" + "".join(f',"{text}"\n' for text in texts),
        "x.ft": "".join(f"__label__x {text}\n" for text in texts),
        "some-labels.ft": "__label__x " + "".join(f"{text}\n" for text in texts),
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content.encode())
        assert run("predict", models / "birds.linnet", tmp_path / name) == (0, expected, ""), name


def test_a_file_to_write_to(run, models, tmp_path) -> None:
    predict = ("predict", models / "birds.linnet", models / "birds-test.tsv")
    assert run(*predict, "-o", tmp_path / "out") == (0, "", "")
    assert (tmp_path / "out").read_text(encoding="utf-8") == run(*predict)[1]


def test_several_labels(run, several) -> None:
    predict = ("predict", several / "m.linnet", several / "d.ft")
    assert run(*predict)[1].splitlines()[:4] == ["a\tb", "b", "a", "a\tc"]
    for line, plain in zip(run(*predict, "--proba")[1].splitlines(), ["a\tb", "b"], strict=False):
        cells = line.split("\t")
        assert cells[::2] == plain.split("\t")
        assert all(0.5 < float(cell) <= 1 for cell in cells[1::2])
    assert all(line.count("\t") == 5 for line in run(*predict, "--top", 9, "--proba")[1].splitlines())
    assert set(run(*predict, "--threshold", 1)[1].splitlines()) == {""}


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("nowhere.linnet", "birds-test.tsv"), 1, "nowhere.linnet: No such file"),
        ((".", "birds-test.tsv"), 1, ". is not a file"),
        (("birds-test.tsv", "birds-test.tsv"), 1, "birds-test.tsv is damaged or no model file"),
        (("birds.linnet", "nowhere.tsv"), 1, "nowhere.tsv does not exist"),
        (("birds.linnet", "."), 1, ". is a directory"),
        (("birds.linnet", "birds-test.tsv", "--format", "pdf"), 2, "pdf"),
        (("birds.linnet", "birds-test.tsv", "--text", "body"), 2, "--text"),
        (("birds.linnet", "birds-test.tsv", "--top", "0"), 2, "--top"),
        (("birds.linnet", "birds-test.tsv", "--threshold", "7"), 2, "--threshold"),
        (("birds.linnet", "birds-test.tsv", "--proba", "--scores"), 2, "--proba and --scores"),
        (("birds.linnet", "birds-test.tsv", "--threshold", ".5", "--top", "2"), 2, "--top lists"),
        (
            ("birds.linnet", "birds-test.tsv", "-o", "no/where"),
            2,
            "written there: No such directory",
        ),
        (
            ("birds.linnet", "birds-test.tsv", "-o", "."),
            2,
            "written there: Is a directory",
        ),
        (("birds.linnet", "numbers.svm"), 1, "holds numbers"),
        (("numbers.linnet", "birds-test.tsv"), 1, "holds texts"),
        (("numbers.linnet", "numbers.svm", "--threshold", "0.5"), 2, "--threshold"),
        (("numbers.linnet", "numbers.svm", "--proba"), 2, "--proba: the scores of this model"),
        (("birds.linnet", "a", "b"), 2, "--into"),
        ((), 2, "MODEL"),
    ],
)
def test_mistakes_of_the_user(run, models, monkeypatch, arguments, code, words) -> None:
    monkeypatch.chdir(models)
    if not Path("numbers.svm").exists():
        Path("numbers.svm").write_text("a 1:1\nb 2:1\n" * 9, encoding="utf-8")
        assert run("train", "numbers.svm", "-o", "numbers.linnet", "--loss", "hinge")[0] == 0
    got, output, said = run("predict", *arguments)
    assert (got, output) == (code, ""), said
    assert said.startswith("Error: ")
    assert said.count("\n") == 1
    assert words in said


def test_margins_of_several_labels_are_no_probabilities(run, several) -> None:
    for option in (("--proba",), ("--threshold", 0.5)):
        code, _, said = run("predict", several / "margins.linnet", several / "d.ft", *option)
        assert (code, option[0] in said, "--loss logistic" in said) == (2, True, True)


def test_a_damaged_model(run, models, tmp_path) -> None:
    whole = (models / "birds.linnet").read_bytes()
    for length in (0, 7, 100, len(whole) // 2, len(whole) - 1):
        (tmp_path / "m.linnet").write_bytes(whole[:length])
        code, output, said = run("predict", tmp_path / "m.linnet", models / "birds-test.tsv")
        assert (code, output) == (1, "")
        assert said.startswith(f"Error: {tmp_path / 'm.linnet'} is damaged")


def test_a_label_of_two_lines_breaks_none(run, tmp_path) -> None:
    rows = [{"text": "x", "label": "a\nb\tc"}, {"text": "y", "label": "d"}]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "d.jsonl").write_text(lines * 3, encoding="utf-8")
    assert run("train", tmp_path / "d.jsonl", "-o", tmp_path / "m.linnet")[0] == 0
    assert run("predict", tmp_path / "m.linnet", tmp_path / "d.jsonl")[1] == "a b c\nd\n" * 3
