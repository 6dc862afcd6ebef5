"""Code of the user's on the command line: named by its path, and again for models that need it."""

import json
import sys

import pytest

TEXTS = ("linnet-sings", "wren-hides", "a-linnet", "the-wren")
ROWS = [("linnet" if "linnet" in text else "wren", text) for text in TEXTS]


@pytest.fixture
def folder(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "my_words.py").write_text("def dashes(text):\n    return text.split('-')\n", "utf-8")
    lines = "".join(f"{label}\t{text}\n" for label, text in ROWS * 3)
    (tmp_path / "d.tsv").write_text(lines, encoding="utf-8")
    train = ("train", "d.tsv", "-o", "m.linnet", "--tokenizer", "my_words:dashes", "-q")
    assert run(*train) == (0, "", "")
    yield tmp_path
    sys.modules.pop("my_words", None)


@pytest.mark.usefixtures("folder")
def test_a_model_asks_for_its_code(run) -> None:
    for command in (("predict", "m.linnet", "d.tsv"), ("evaluate", "m.linnet", "d.tsv")):
        code, output, said = run(*command)
        assert (code, output) == (1, "")
        assert "'my_words:dashes', which is code and no part of a model file" in said
        assert "by --tokenizer my_words:dashes, or by --trust-hooks" in said
    expected = "".join(f"{label}\n" for label, _ in ROWS * 3)
    for how in (("--tokenizer", "my_words:dashes"), ("--trust-hooks",)):
        assert run("predict", "m.linnet", "d.tsv", *how) == (0, expected, "")
        assert run("evaluate", "m.linnet", "d.tsv", *how)[0] == 0
        told = json.loads(run("explain", "m.linnet", "a-linnet", "--json", *how)[1])
        assert [word["name"] for word in told["words"]] == ["a", "linnet"]
    assert run("inspect", "m.linnet")[0] == 0  # needs none
    go_on = ("train", "d.tsv", "--from", "m.linnet", "-o", "n.linnet", "-q")
    assert "--tokenizer my_words:dashes" in run(*go_on)[2]
    assert run(*go_on, "--tokenizer", "my_words:dashes") == (0, "", "")


@pytest.mark.usefixtures("folder")
def test_mistakes_of_the_user(run) -> None:
    for path, words in (
        ("my_words", "'my_words' is no path such as module:function"),
        ("my_words:nothing", "cannot be imported: module 'my_words' has no attribute 'nothing'"),
        ("nowhere:f", "cannot be imported: No module named 'nowhere'"),
    ):
        code, output, said = run("train", "d.tsv", "-o", "x.linnet", "--tokenizer", path)
        assert (code > 0, output) == (True, "")
        assert words in said
        assert said.count("\n") == 1
    code, _, said = run("predict", "m.linnet", "d.tsv", "--preprocessor", "my_words:dashes")
    assert (code, "--preprocessor: the model was trained without one" in said) == (2, True)


def test_cleaning_holds_for_predictions(run, tmp_path) -> None:
    texts = [("c", "<b>caf\u00e9</b> noir"), ("t", "th\u00e9 &amp; vert")] * 5
    (tmp_path / "d.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in texts), encoding="utf-8")
    options = ("--strip-html", "--strip-accents", "--normalize", "NFKC", "-q")
    assert run("train", tmp_path / "d.tsv", "-o", tmp_path / "m.linnet", *options) == (0, "", "")
    (tmp_path / "x.txt").write_text("cafe noir\nCAF\u00c9 <i>noir</i>\n", encoding="utf-8")
    first, second = run("predict", tmp_path / "m.linnet", tmp_path / "x.txt", "--scores")[
        1
    ].splitlines()
    assert first == second
    assert first.startswith("c\t")
