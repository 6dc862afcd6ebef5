"""``linnet explain``: sums that are scores, in the terminal, as data, as a page."""

import json

import numpy as np
import pytest

import linnet
from linnet.data import samples

TEXT = "A finch with a red forehead on the gorse"


def test_contributions_sum_to_the_scores(run, models) -> None:
    code, output, said = run("explain", models / "birds.linnet", TEXT, "", "--json")
    assert (code, said) == (0, "")
    told, empty = map(json.loads, output.splitlines())
    model = linnet.load(models / "birds.linnet")
    total = np.array(told["bias"]) + np.sum([p["contributions"] for p in told["pieces"]], axis=0)
    np.testing.assert_allclose(total, model.decision_function([TEXT])[0], atol=1e-5)
    assert told["label"] == model.predict([TEXT])[0] == "linnet"
    assert (empty["text"], empty["pieces"]) == ("", [])


def test_in_a_pipe_it_is_plain(run, models) -> None:
    code, output, _ = run("explain", models / "birds.linnet", TEXT)
    assert code == 0
    assert "\x1b" not in output
    for words in ("linnet: ", "of which bias", "gorse", TEXT):
        assert words in output


def test_a_page(run, models, tmp_path) -> None:
    text = "<script>alert(1)</script> & gorse"
    assert run("explain", models / "birds.linnet", text, "--html", tmp_path / "x.html")[:2] == (0, "")
    page = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "<script" not in page
    assert run("explain", models / "birds.linnet", text, "--html", "-")[1] == page


def test_quantized_models_explain_too(run, models, tmp_path) -> None:
    small = tmp_path / "small.linnet"
    assert run("quantize", models / "birds.linnet", "-o", small)[0] == 0
    told = json.loads(run("explain", small, TEXT, "--json")[1])
    assert told["label"] == "linnet"
    assert "red forehead" in {piece["name"] for piece in told["pieces"]}


def test_every_sample_is_explained_as_it_is_predicted(run, models) -> None:
    texts = samples.load("verse-test")[0][:40]
    output = run("explain", models / "verse.linnet", "--json", "--", *texts)[1]
    predicted = linnet.load(models / "verse.linnet").predict(texts).tolist()
    assert [json.loads(line)["label"] for line in output.splitlines()] == predicted


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("nowhere.linnet", "x"), 1, "nowhere.linnet: No such file"),
        (("birds.linnet", "x", "--html", "no/where.html"), 2, "no/where.html"),
        (("birds.linnet", "x", "--html", "-", "--json"), 2, "--html and --json"),
        ((), 2, "MODEL"),
    ],
)
def test_mistakes_of_the_user(run, models, monkeypatch, arguments, code, words) -> None:
    monkeypatch.chdir(models)
    got, output, said = run("explain", *arguments)
    assert (got, output, said.count("\n")) == (code, "", 1)
    assert said.startswith("Error: ")
    assert words in said


def test_numbers_have_no_words(run, tmp_path) -> None:
    (tmp_path / "d.svm").write_text("a 1:1\nb 2:1\n" * 9, encoding="utf-8")
    assert run("train", tmp_path / "d.svm", "-o", tmp_path / "m.linnet")[0] == 0
    code, _, said = run("explain", tmp_path / "m.linnet", "x")
    assert (code, "numbered features" in said) == (2, True)


def test_pieces_are_gathered_into_words(run, models) -> None:
    told = json.loads(run("explain", models / "birds.linnet", TEXT, "--json")[1])
    sums = [np.sum([p["contributions"] for p in told[unit]], axis=0) for unit in ("words", "pieces")]
    np.testing.assert_allclose(*sums, atol=1e-12)
    assert [word["name"] for word in told["words"]] == TEXT.split()
    model = linnet.load(models / "birds.linnet")
    probabilities = dict(zip(model.classes_.tolist(), model.predict_proba([TEXT])[0], strict=True))
    assert told["probabilities"] == pytest.approx(probabilities, abs=1e-4)
    by_word = run("explain", models / "birds.linnet", TEXT)[1]
    assert by_word.startswith(f"label linnet, probability {probabilities['linnet']:.3f}\n")
    assert "speaks for the label" in by_word
    assert "chars_wb:" not in by_word
    assert "chars_wb:" in run("explain", models / "birds.linnet", TEXT, "--by", "feature")[1]
    page = run("explain", models / "birds.linnet", TEXT, "--html", "-")[1]
    assert ">gorse</span>" in page
    assert "chars_wb:" not in page


def test_stumps(run, data, tmp_path) -> None:
    model = tmp_path / "m.linnet"
    said = ("--learner", "adaboost", "--max-iter", "20", "-q")
    assert run("train", data / "birds-train.tsv", *said, "-o", model)[0] == 0
    code, output, said_ = run("explain", model, "a red finch", "a wren", "--by", "stump")
    assert code == 0, said_
    assert "'finch' is there" in output
    assert "no 'finch'" in output
    told = json.loads(run("explain", model, "a red finch", "--by", "stump", "--json")[1])
    assert told["label"] == linnet.load(model).predict(["a red finch"])[0]
    assert "is there</td>" in run("explain", model, "a red finch", "--by", "stump", "--html", "-")[1]


def test_other_models_have_no_stumps(run, models) -> None:
    code, _, said = run("explain", models / "birds.linnet", TEXT, "--by", "stump")
    assert code in (1, 2)
    assert "by='stump' is of AdaBoost" in said


@pytest.fixture
def with_columns(run, tmp_path):
    kinds = (("no", "a"), ("yes", "b"))
    rows = [f"{kinds[k % 2][0]},text number {k},{k % 5 + k % 2},{kinds[k % 2][1]}\n" for k in range(40)]
    lines = ["label,text,stars,kind\n", *rows]
    (tmp_path / "d.csv").write_text("".join(lines), encoding="utf-8")
    options = ("--numeric", "stars", "--categorical", "kind", "-q")
    assert run("train", tmp_path / "d.csv", "-o", tmp_path / "m.linnet", *options)[0] == 0
    return tmp_path


def test_a_file_of_texts_and_columns(run, with_columns) -> None:
    model, data = with_columns / "m.linnet", with_columns / "d.csv"
    code, output, said = run("explain", model, "--data", data, "--json")
    assert (code, said) == (0, "")
    told = list(map(json.loads, output.splitlines()))
    assert [one["text"] for one in told] == [f"text number {k}" for k in range(40)]
    assert {"column:stars", "column:kind=b"} <= {word["name"] for word in told[3]["words"]}
    expected = run("predict", model, data)[1].split()
    assert [one["label"] for one in told] == expected
    assert run("explain", model, "--data", data)[1].count("column:stars") == 36  # the others have 0
    page = run("explain", model, "--data", data, "--html", "-")[1]
    assert page.count("<h3>label ") == 40


def test_columns_are_asked_for(run, with_columns) -> None:
    code, output, said = run("explain", with_columns / "m.linnet", "a text")
    assert (code, output) == (2, "")
    assert "looks at columns beside the text (stars, kind): give a file that has them by --data" in said
    code, _, said = run("explain", with_columns / "m.linnet", "x", "--data", with_columns / "d.csv")
    assert (code, "--data and TEXT are two sources" in said) == (2, True)


def test_lines_of_a_file(run, models, tmp_path) -> None:
    (tmp_path / "x.txt").write_text(f"{TEXT}\nSomething hooted twice.\n", encoding="utf-8")
    output = run("explain", models / "birds.linnet", "--data", tmp_path / "x.txt", "--json")[1]
    assert [json.loads(line)["label"] for line in output.splitlines()] == ["linnet", "owl"]
