"""From running text to CoNLL-U, and the scores of the shared task, by commands."""

import json
from pathlib import Path

import pytest

from linnet.data import samples
from linnet.formats import read_trees

SAMPLES = Path(samples.__file__).parent
TREES = SAMPLES / "rambles-test.conllu"
TRAIN = ("train", SAMPLES / "rambles-train.conllu", "--task", "parse", "--tagger", "auto")
QUICK = ("--jackknife", "0", "--max-iter", "2", "-q")


@pytest.fixture(scope="module")
def model(run, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("pipeline") / "p.linnet"
    assert run(*TRAIN, *QUICK, "-o", path)[0] == 0
    return path


def test_scores_from_text(run, model) -> None:
    code, output, _ = run("evaluate", model, TREES, "--from-text", "--json")
    assert code == 0
    table = json.loads(output)["shared_task"]
    assert table["Tokens"]["f1"] > 0.99
    assert table["LAS"]["f1"] > 0.9
    code, output, _ = run("evaluate", model, TREES, "--from-text")
    assert output.splitlines()[0].split() == ["precision", "recall", "F1", "aligned"]
    assert [line.split()[0] for line in output.splitlines()[1:]] == list(table)
    code, _, said = run("evaluate", model, TREES, "--from-text", "--retag")
    assert (code, "--retag: --from-text aligns words" in said) == (2, True)


def test_files_of_other_words(run, model, tmp_path) -> None:
    text, parsed = tmp_path / "t.txt", tmp_path / "parsed.conllu"
    text.write_text("A kite waited. It sang.", encoding="utf-8")
    assert run("parse", model, text, "-o", parsed)[0] == 0
    joined = tmp_path / "joined.conllu"
    rows = ["1\tA\t_\tDET\t_\t_\t2\tdet\t_\t_", "2\tkitewaited.\t_\tX\t_\t_\t0\troot\t_\t_", ""]
    rows += ["1\tIt\t_\tPRON\t_\t_\t2\tnsubj\t_\t_", "2\tsang\t_\tVERB\t_\t_\t0\troot\t_\t_"]
    rows += ["3\t.\t_\tPUNCT\t_\t_\t2\tpunct\t_\t_", "", ""]
    joined.write_text("\n".join(rows), encoding="utf-8")
    code, output, _ = run("evaluate", joined, parsed, "--json")
    assert code == 0
    table = json.loads(output)["shared_task"]
    assert table["Words"] == {
        "precision": 4 / 7,
        "recall": 4 / 5,
        "f1": 8 / 12,
        "aligned_accuracy": None,
    }
    assert table["Sentences"]["f1"] == 1.0
    code, _, said = run("evaluate", TREES, parsed)
    assert code == 1
    assert "the texts differ: after" in said
    code, _, said = run("evaluate", joined, parsed, "--subtypes")
    assert (code, "--subtypes: the two files have other words" in said) == (2, True)


def test_what_text_may_look_like(run, model, tmp_path) -> None:
    lines, words = tmp_path / "lines.txt", tmp_path / "words.txt"
    lines.write_text("A kite waited. It sang.\nIt sang.\n", encoding="utf-8")
    words.write_text("A\nkite\nwaited\n\nIt\nsang\n", encoding="utf-8")
    for path, form, lengths in (
        (lines, "lines", [7, 3]),
        (words, "vertical", [3, 2]),
        (lines, "text", [4, 3, 3]),
    ):
        out = tmp_path / "out.conllu"
        assert run("parse", model, path, "--format", form, "-o", out)[0] == 0
        found = read_trees(out)
        assert found.lengths.tolist() == lengths
        assert found.column("lemma")[-1][:2] == ["it", "sing"]


def test_what_is_explained_is_cut_as_what_is_parsed(run, model) -> None:
    code, output, _ = run("explain", model, "She doesn't sing.", "--json")
    assert code == 0
    assert json.loads(output)["words"] == ["She", "doesn't", "sing", "."]


def test_what_is_left_out(run, tmp_path) -> None:
    path = tmp_path / "p.linnet"
    assert run(*TRAIN, *QUICK, "--without", "lemma,tokens", "-o", path)[0] == 0
    blank = tmp_path / "blank.conllu"
    rows = "1\tA\t_\t_\t_\t_\t_\t_\t_\t_\n2\tkite\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    blank.write_text(rows, encoding="utf-8")
    code, output, _ = run("parse", path, blank)
    assert code == 0
    assert "1\tA\t_\tDET\t_\t_\t" in output
    code, _, said = run(*TRAIN, *QUICK, "--without", "lemmas", "-o", path)
    assert code != 0
    assert "'lemmas' is none of feats, lemma, tokens" in said
