"""The first day of a linguist with a treebank: a parser, running text, scores of files, spans."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import linnet

from .typed import typed

BIRDS = ("wren", "owl", "heron", "linnet", "robin", "finch")
KINDS = ("old", "small", "young", "grey")
PEOPLE = ("Wanda", "Igor", "Mavis", "Otto")
SAW = (("looks", "for"), ("waits", "for"), ("listens", "to"))


def noun_phrase(dice: random.Random, first: int, head: int, relation: str) -> list[tuple]:
    """(form, lemma, upos, xpos, feats, head, relation), of words from number ``first`` on."""
    bird, kind = dice.choice(BIRDS), dice.choice(KINDS)
    long = dice.random() < 0.5
    noun = first + 1 + long
    rows = [("the", "the", "DET", "DT", "_", noun, "det")]
    if long:
        rows.append((kind, kind, "ADJ", "JJ", "_", noun, "amod"))
    return [*rows, (bird, bird, "NOUN", "NN", "Number=Sing", head, relation)]


def sentence(dice: random.Random) -> list[tuple]:
    """Somebody looks for a bird; the preposition has no xpos, by right."""
    verb, preposition = dice.choice(SAW)
    person = dice.choice(PEOPLE)
    rows = [(person, person, "PROPN", "NNP", "_", 2, "nsubj")]
    rows.append((verb, verb[:-1], "VERB", "VBZ", "_", 0, "root"))
    object_ = noun_phrase(dice, 4, 2, "obl")
    rows.append((preposition, preposition, "ADP", "_", "_", 3 + len(object_), "case"))
    return [*rows, *object_, (".", ".", "PUNCT", ".", "_", 2, "punct")]


def conllu(sentences: list[list[tuple]], *, tags: bool = True) -> str:
    blocks = []
    for rows in sentences:
        lines = []
        for k, (form, lemma, upos, xpos, feats, head, relation) in enumerate(rows, 1):
            cells = (lemma, upos, xpos, feats, head, relation) if tags else ("_",) * 6
            lines.append("\t".join(map(str, (k, form, *cells, "_", "_"))))
        blocks.append("\n".join(lines) + "\n\n")
    return "".join(blocks)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A treebank, its test sentences without tags, and names in columns."""
    made = tmp_path_factory.mktemp("linguist")
    dice = random.Random(3)
    train, test = ([sentence(dice) for _ in range(count)] for count in (80, 20))
    names = "".join(
        "".join(
            f"{form} {xpos} {'B-PERSON' if upos == 'PROPN' else 'B-BIRD' if upos == 'NOUN' else 'O'}\n"
            for form, _, upos, xpos, *_ in rows
        )
        + "\n"
        for rows in train
    )
    files = {
        "train.conllu": conllu(train),
        "test.conllu": conllu(test),
        "words.conllu": conllu(test, tags=False),
        "names.conll": names,
    }
    for name, text in files.items():
        (made / name).write_text(text, encoding="utf-8")
    typed(
        made,
        "linnet train train.conllu --task parse -o tags.linnet -q",
        "linnet train train.conllu --task parse --tagger auto -o words.linnet -q",
        "linnet train names.conll --tagger auto -o names.linnet -q",
    )
    return made


def test_training_says_what_it_chose(folder: Path) -> None:
    _, said = typed(
        folder, "linnet train train.conllu --task parse --tagger auto --tags upos -o t.linnet"
    )
    lines = said.splitlines()
    assert (
        "  tags: upos; the parser learns from tags predicted in 5 folds, and from those of the data"
        in lines
    )
    assert "  trees: projective, since no arcs cross" in lines


def test_a_parser_that_looks_at_tags_says_so(folder: Path) -> None:
    out, _ = typed(
        folder,
        "linnet parse tags.linnet words.conllu 2>&1 || echo code $?",
        'echo "Wanda looks for the owl." > note.txt',
        "linnet parse tags.linnet note.txt 2>&1 || echo code $?",
    )
    how = (
        "train a parser that begins with words alone: "
        "linnet train TREES --task parse --tagger auto -o MODEL"
    )
    assert out.splitlines() == [
        "Error: words.conllu: the words have no lemma, upos, xpos and feats, which the parser looks at "
        f"and does not predict; give words that have them, or {how}",
        "code 1",
        "Error: note.txt is running text, but the model looks at lemma, upos, xpos, feats; "
        f"give CoNLL-U, or {how}",
        "code 2",
    ]


def test_running_text_becomes_trees(folder: Path) -> None:
    out, said = typed(folder, 'echo "Wanda looks for the grey owl." | linnet parse words.linnet')
    assert said == ""
    assert out == (
        "# text = Wanda looks for the grey owl.\n"
        "1\tWanda\tWanda\tPROPN\tNNP\t_\t2\tnsubj\t_\t_\n"
        "2\tlooks\tlook\tVERB\tVBZ\t_\t0\troot\t_\t_\n"
        "3\tfor\tfor\tADP\t_\t_\t6\tcase\t_\t_\n"
        "4\tthe\tthe\tDET\tDT\t_\t6\tdet\t_\t_\n"
        "5\tgrey\tgrey\tADJ\tJJ\t_\t6\tamod\t_\t_\n"
        "6\towl\towl\tNOUN\tNN\tNumber=Sing\t2\tobl\t_\tSpaceAfter=No\n"
        "7\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\tSpacesAfter=\\n\n\n"
    )


def test_files_are_scored_against_each_other(folder: Path) -> None:
    out, said = typed(
        folder,
        "linnet parse words.linnet words.conllu -o parsed.conllu",
        "linnet evaluate test.conllu parsed.conllu",
    )
    assert said == ""
    lines = out.splitlines()
    assert lines[0].startswith("20 sentences, ")
    assert lines[1].startswith("UAS                      100.00")
    assert lines[2].startswith("LAS                      100.00")
    assert "upos: 100.00 % as in test.conllu" in lines
    assert "xpos: 100.00 % as in test.conllu" in lines  # _ is the tag of for and to
    assert {"lemma: 100.00 % as in test.conllu", "feats: 100.00 % as in test.conllu"} <= {*lines}


def test_a_tagger_of_xpos_knows_words_without_one(folder: Path) -> None:
    out, _ = typed(
        folder,
        "linnet train train.conllu --label xpos -o xpos.linnet -q",
        "linnet evaluate xpos.linnet test.conllu",
        "linnet tag xpos.linnet words.conllu | grep -c -P '\\tfor\\t_\\t_\\t_\\t'",
        "grep -c -P '\\tfor\\t' words.conllu",
    )
    lines = out.splitlines()
    assert any(
        line.split() == ["token", "accuracy", "1.0000", "1.0000", "–", "1.0000"] for line in lines
    )
    assert any(line.split()[:4] == ["_", "1.0000", "1.0000", "1.0000"] for line in lines)
    assert lines[-1] == lines[-2]


def test_names_in_running_text(folder: Path) -> None:
    out, _ = typed(folder, 'echo "Igor waits for the young heron." | linnet tag names.linnet')
    assert json.loads(out) == {
        "text": "Igor waits for the young heron.",
        "spans": [
            {"start": 0, "end": 4, "label": "PERSON", "text": "Igor"},
            {"start": 25, "end": 30, "label": "BIRD", "text": "heron"},
        ],
    }


def test_the_same_in_python(folder: Path) -> None:
    text = "Wanda looks for the grey owl. Igor waits for the wren."
    parser = linnet.load(folder / "words.linnet")
    trees = parser.parse([text])
    assert trees.heads.tolist() == [2, 0, 6, 6, 6, 2, 2, 2, 0, 5, 5, 2, 2]
    assert trees[0].deprel[:3] == ["nsubj", "root", "case"]
    assert [text[b:e] for b, e in zip(trees[0].start, trees[0].end, strict=True)] == trees[0].form
    assert trees.column("form")[1] == ["Igor", "waits", "for", "the", "wren", "."]
    assert trees.column("xpos")[1][2] == "_"
    tagger = linnet.load(folder / "names.linnet")
    (tags,) = tagger.predict([text])
    assert len(tags) == 13
    assert [(span.label, text[span.start : span.end]) for span in tagger.spans(text)] == [
        ("PERSON", "Wanda"),
        ("BIRD", "owl"),
        ("PERSON", "Igor"),
        ("BIRD", "wren"),
    ]
