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
