"""``linnet evaluate GOLD DATA``: one file against another, without a model."""

import json
from pathlib import Path

import pytest

from linnet.data import samples

SAMPLES = Path(samples.__file__).parent
TREES = SAMPLES / "rambles-test.conllu"


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def scores(run, *arguments) -> dict:
    code, output, said = run("evaluate", *arguments, "--json", "--resamples", "20")
    assert code == 0, said
    return json.loads(output)


@pytest.fixture(scope="module")
def parsed(run, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("parsed")
    model = folder / "p.linnet"
    train = ("train", SAMPLES / "rambles-train.conllu", "--task", "parse", "--max-iter", "2", "-q")
    assert run(*train, "-o", model) == (0, "", "")
    assert run("parse", model, TREES, "-o", folder / "parsed.conllu") == (0, "", "")
    return folder


def test_trees_score_as_the_model_that_made_them(run, parsed) -> None:
    model = scores(run, parsed / "p.linnet", TREES)
    files = scores(run, TREES, parsed / "parsed.conllu")
    for name in ("uas", "las", "words", "without_punctuation", "by_relation", "worst_sentences"):
        assert files[name] == model[name]
    assert files["las"] < 1
    assert files["columns"] == {"upos": 1.0, "lemma": 1.0}
    _, output, _ = run("evaluate", TREES, parsed / "parsed.conllu")
    assert f"LAS{100 * files['las']:28.2f}" in output
    assert f"upos: 100.00 % as in {TREES}" in output


def test_columns_beside_trees(run, tmp_path) -> None:
    wrong = TREES.read_text("utf-8").replace("\tNOUN\t", "\tX\t")
    told = scores(run, TREES, write(tmp_path / "x.conllu", wrong))
    assert told["las"] == 1.0
    assert 0.5 < told["columns"]["upos"] < 1
    assert told["columns"]["lemma"] == 1.0
    by_tag = scores(run, TREES, tmp_path / "x.conllu", "--label", "upos")
    assert by_tag["token_accuracy"]["value"] == told["columns"]["upos"]


def test_tags_and_spans(run, tagged, tmp_path) -> None:
    test = tagged / "test.conll"
    assert run("tag", tagged / "words.linnet", test, "-o", tmp_path / "out.conll")[0] == 0
    model, files = scores(run, tagged / "words.linnet", test), scores(run, test, tmp_path / "out.conll")
    for name in ("token_accuracy", "sentence_accuracy", "spans", "confusion"):
        assert files[name] == model[name]
    assert files["unseen_tags"] == []


def test_labels(run, models, tmp_path) -> None:
    test = models / "birds-test.tsv"
    model = scores(run, models / "birds.linnet", test)
    for options in ((), ("--proba",)):
        assert run("predict", models / "birds.linnet", test, "-o", tmp_path / "out", *options)[0] == 0
        files = scores(run, test, tmp_path / "out")
        assert (files["metrics"], files["confusion"]) == (model["metrics"], model["confusion"])
    records = [
        json.loads(json.dumps({"text": "x", "label": ["a", "b"]})),
        {"text": "y", "label": ["a"]},
    ]
    gold = write(tmp_path / "gold.jsonl", "".join(json.dumps(r) + "\n" for r in records))
    told = scores(run, gold, write(tmp_path / "said.txt", "b\ta\n\n"))
    assert (told["multilabel"], told["metrics"]["accuracy"]) == (True, 0.5)


@pytest.mark.parametrize(
    ("gold", "guess", "arguments", "code", "message"),
    [
        ("a A\nb B\n\n", "a A\nc B\n\n", (), 1, "line 2 has 'b', but"),
        ("a A\nb B\n\n", "a A\n\nb B\n\n", (), 1, "has 2 words in 1 sentences"),
        ("a A\nb B\n\n", "a A\nb B\n\nc C\n\n", (), 1, "3 in 2; the same sentences are wanted"),
        ("a A\n\n", "a A\n\n", ("--retag",), 2, "--retag: two files are compared, without a model"),
        ("a A\n\n", "a A\n\n", ("--against", "x"), 2, "--against: two files are compared"),
        ("a A\n\n", "a A\n\n", ("--subtypes",), 2, "--subtypes: for parsers"),
    ],
)
def test_what_cannot_be_compared(run, tmp_path, gold, guess, arguments, code, message) -> None:
    files = write(tmp_path / "gold.conll", gold), write(tmp_path / "guess.conll", guess)
    found, output, said = run("evaluate", *files, *arguments)
    assert (found, output) == (code, "")
    assert message in said


def test_labels_of_other_numbers(run, models, tmp_path) -> None:
    few = write(tmp_path / "few.txt", "owl\n")
    code, _, said = run("evaluate", models / "birds-test.tsv", few)
    assert code == 1
    assert "has 400 labels, and" in said
    code, _, said = run("evaluate", tmp_path / "none.linnet", few)
    assert code == 1
    assert "No such file" in said
