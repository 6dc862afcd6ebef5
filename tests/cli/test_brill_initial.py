"""What rules begin with: on the command line as in Python, and told by explain and inspect."""

import json

import pytest

import linnet
from linnet import load


@pytest.fixture
def first(run, tagged, tmp_path):
    """A tagger of words, by a part of the sentences."""
    path = tmp_path / "first.linnet"
    given = ("--columns", "word,pos,tag", "--preset", "hmm", "-q")
    assert run("train", tagged / "train.conll", *given, "-o", path)[0] == 0
    return path


def words_and_tags(tmp_path, tagged):
    """The sentences without their middle column."""
    made = tmp_path / "words.conll"
    lines = (tagged / "train.conll").read_text().splitlines()
    made.write_text("\n".join(" ".join(line.split()[:: len(line.split()) - 1]) if line.strip() else ""
                              for line in lines) + "\n")  # fmt: skip
    return made


def test_rules_mend_the_tags_of_a_model(run, tagged, tmp_path) -> None:
    data = words_and_tags(tmp_path, tagged)
    first, model = tmp_path / "first.linnet", tmp_path / "m.linnet"
    assert run("train", data, "--preset", "hmm", "-o", first, "-q")[0] == 0
    code, _, said = run("train", data, "--preset", "brill", "--initial", first, "-o", model)
    assert code == 0, said
    learnt, initial = load(model), load(first)
    sentence = ["Robin", "saw", "a", "barn", "owl"]
    same = linnet.BrillTagger(initial=initial).fit(*_read(data))
    assert learnt.rules_text_ == same.rules_text_
    code, output, _ = run("explain", model, " ".join(sentence), "--json")
    tokens = json.loads(output)["tokens"]
    assert [token["initial"] for token in tokens] == list(initial.predict([sentence])[0])
    assert {token["begun"] for token in tokens} == {"the first tagger, HMM"}
    assert "begins      the tags of the first tagger, HMM" in run("inspect", model)[1]
    usual = tmp_path / "usual.linnet"
    assert run("train", data, "--preset", "brill", "--initial", "words", "-o", usual, "-q")[0] == 0
    tokens = json.loads(run("explain", usual, "Robin sees a xylowl", "--json")[1])["tokens"]
    assert tokens[0]["begun"] == "its word"
    assert tokens[3]["begun"].startswith("the ending -")
    code, output, said = run(
        "tune", data, "--preset", "brill min_score=2,4", "--initial", first, "--folds", "2", "--json"
    )
    assert code == 0, said
    assert len(json.loads(output)["rows"]) == 2


def _read(path):
    from linnet.formats import read_sequences

    found = read_sequences(path)
    return (found,)


def test_rules_mend_the_labels_of_a_model(run, data, tmp_path) -> None:
    first, model = tmp_path / "first.linnet", tmp_path / "m.linnet"
    assert run("train", data / "birds-test.tsv", "-o", first, "-q")[0] == 0
    given = ("--preset", "brill", "--initial", first, "--max-iter", "10")
    code, _, said = run("train", data / "birds-train.tsv", *given, "-o", model)
    assert code == 0, said
    text = "a small brown bird"
    assert load(model).initial.predict([text])[0] == load(first).predict([text])[0]
    code, output, _ = run("explain", model, text)
    assert "begins with the label of the first classifier, TextClassifier" in output
    assert "begins      the label of the first classifier" in run("inspect", model)[1]
    plain = tmp_path / "plain.linnet"
    given = ("--preset", "brill", "--initial", "label", "--max-iter", "3", "-q")
    assert run("train", data / "birds-train.tsv", *given, "-o", plain)[0] == 0
    assert "begins with the most frequent label" in run("explain", plain, text)[1]


def test_what_rules_cannot_begin_with(run, data, tagged, tmp_path, first) -> None:
    texts, sentences, model = data / "birds-train.tsv", tagged / "train.conll", tmp_path / "m.linnet"
    for source, given, why in (
        (
            texts,
            ("--preset", "brill", "--initial", first),
            "is a tagger, and rules mend what a classifier",
        ),
        (texts, ("--initial", first), "--initial: of --preset brill only"),
        (texts, ("--preset", "memory", "--initial", first), "--initial: of --preset brill only"),
        (sentences, ("--preset", "memory", "--initial", first), "--initial: of --preset brill only"),
        (sentences, ("--initial", first), "--initial: of --preset brill only"),
        (sentences, ("--preset", "brill", "--initial", first, "-o", first), "the same file is read"),
        (sentences, ("--preset", "brill", "--initial", tmp_path / "none"), "No such file"),
    ):
        output = () if "-o" in given else ("-o", model)
        code, _, said = run("train", source, *given, *output)
        assert code in (1, 2), given
        assert why in said
        assert not model.exists()
