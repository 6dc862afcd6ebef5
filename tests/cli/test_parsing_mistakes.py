"""What users of parsers get wrong: files, options, relations that nobody has seen."""

from pathlib import Path

import pytest

from linnet.data import samples

TRAIN = Path(samples.__file__).parent / "rambles-train.conllu"


def sentence(heads: str, relations: str | None = None) -> str:
    names = (relations or " ".join("_" * len(heads.split()))).split()
    rows = (
        f"{i}\tw{i}\tw{i}\tNOUN\t_\t_\t{head}\t{name}\t_\t_\n"
        for i, (head, name) in enumerate(zip(heads.split(), names, strict=True), 1)
    )
    return "".join(rows) + "\n"


@pytest.fixture(scope="module")
def parser(tmp_path_factory, run) -> Path:
    path = tmp_path_factory.mktemp("parser") / "p.linnet"
    assert run("train", TRAIN, "--task", "parse", "-q", "-o", path) == (0, "", "")
    return path


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (sentence("0 0", "root root"), "line 2: word 2 is a second root beside word 1; one is wanted "
         "unless --many-roots is said"),
        (sentence("2 0 99999999999", "a root b"), "line 3: the head is '99999999999'; a word's number"),
        (sentence("2 0"), "has heads only: no word has a relation to its head"),
        ("# a comment\n\n" + sentence("0", "root"), "line 1: a sentence without words; remove these"),
    ],
)  # fmt: skip
def test_data_that_cannot_be_learnt_from(run, tmp_path, content, message) -> None:
    path = tmp_path / "bad.conllu"
    path.write_text(content, encoding="utf-8")
    code, output, said = run("train", path, "--task", "parse", "-o", tmp_path / "m.linnet")
    assert (code, output) == (1, "")
    assert said.startswith(f"Error: {path}")
    assert message in said
    assert not (tmp_path / "m.linnet").exists()


def test_relations_that_the_parser_cannot_guess_are_told(run, parser, tmp_path) -> None:
    strange, bare = tmp_path / "strange.conllu", tmp_path / "bare.conllu"
    strange.write_text(sentence("2 0 2", "zzz root nsubj:yyy"), encoding="utf-8")
    bare.write_text(sentence("2 0 2"), encoding="utf-8")
    code, _, said = run("evaluate", parser, strange)
    assert (code, said) == (0, f"note: {strange} has relations never seen in training: zzz\n")
    code, _, said = run("evaluate", parser, bare)
    assert (code, said) == (0, f"note: {bare} has no relations, so that LAS says nothing\n")
    train = ("train", TRAIN, "--task", "parse", "-o", tmp_path / "m.linnet", "--max-iter", "1")
    assert f"note: {strange} has relations never seen" in run(*train, "--dev", strange)[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("parse", "P", TRAIN, "--retag"), "--retag: the model has no tagger"),
        (("evaluate", "P", TRAIN, "--retag"), "--retag: the model has no tagger"),
        (("evaluate", "P", TRAIN, "--level", "2"), "'--level': 2.0 is not in the range 0<x<1"),
        (("evaluate", "P", TRAIN, "--level", "nan"), "level must be between 0 and 1, not nan"),
    ],
)
def test_options_out_of_place(run, parser, arguments, message) -> None:
    code, output, said = run(*(parser if part == "P" else part for part in arguments))
    assert (code, output) == (2, "")
    assert message in said


def test_a_sentence_too_long_is_told_with_its_line(run, parser, tmp_path) -> None:
    file = tmp_path / "long.conllu"
    file.write_text(sentence("_") + sentence(" ".join("_" * 40)), "utf-8")
    assert run("parse", parser, file)[0] == 0
    for command in (("parse", parser, file), ("explain", parser, "--data", file)):
        code, _, said = run(*command, "--max-words", 30)
        assert code == 1
        assert f"{file}, line 3: a sentence of 40 words, of 30 at the most" in said
        assert "or raise the limit by --max-words" in said
    code, _, said = run("train", TRAIN, "--task", "parse", "-o", tmp_path / "n", "--max-words", 5)
    assert (code, "words, of 5 at the most" in said) == (1, True)


def test_words_without_tags(run, parser, tmp_path) -> None:
    path = tmp_path / "bare.conllu"
    words = ["The", "heron", "sang", "."]
    lines = "".join(f"{k}\t{word}\t_\t_\t_\t_\t_\t_\t_\t_\n" for k, word in enumerate(words, 1))
    path.write_text(lines + "\n", encoding="utf-8")
    for command in ("parse", "predict", "explain"):
        data = ("--data", path) if command == "explain" else (path,)
        code, output, said = run(command, parser, *data)
        assert (code, output) == (1, "")
        assert "bare.conllu: the words have no lemma and upos, which the parser looks at" in said
        assert "linnet train TREES --task parse --tagger auto -o MODEL" in said


def test_tags_to_predict(run, tmp_path) -> None:
    model = tmp_path / "m.linnet"
    common = ("train", TRAIN, "-o", model, "--task", "parse", "--max-iter", "1", "--jackknife", "0")
    assert run(*common, "--tagger", "auto", "--tags", "upos", "-q") == (0, "", "")
    code, _, said = run(*common, "--tagger", "auto", "--tags", "upos,xpos")
    assert code == 1
    assert "the trees have no 'xpos' to learn from; they have upos" in said
