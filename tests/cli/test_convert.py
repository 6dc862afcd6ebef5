"""``linnet convert``: data from format to format, models of others to ours."""

import pickle
from pathlib import Path

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import linnet
from linnet.data import samples
from linnet.formats import read_sequences, read_trees


@pytest.mark.parametrize("ending", ["csv", "jsonl", "ft", "vw", "csv.gz"])
def test_there_and_back(run, data, tmp_path, ending) -> None:
    to = {"ft": ("--to", "fasttext")}.get(ending, ())
    source, middle = data / "verse-test.tsv", tmp_path / f"x.{ending}"
    assert run("convert", source, middle, *to)[0] == 0
    code, output, _ = run("convert", middle, tmp_path / "back.tsv")
    assert (code, output) == (0, "")
    got, expected = (file.read_text(encoding="utf-8") for file in (tmp_path / "back.tsv", source))
    assert got == expected if ending != "vw" else got.count("\n") == expected.count("\n")


def test_tables_without_a_header(run, tmp_path) -> None:
    (tmp_path / "a.csv").write_text("ham,hello\nspam,buy\n", encoding="utf-8")
    code, output, said = run("convert", tmp_path / "a.csv", "-", "--to", "tsv", "--no-header")
    assert (code, output) == (0, "ham\thello\nspam\tbuy\n")
    assert "column '2' is taken as text" in said


@pytest.mark.parametrize("name", ["x.tsv", "x.jsonl", "x.jsonl.gz"])
def test_sentences_there_and_back(run, tagged, tmp_path, name) -> None:
    source, back = tagged / "test.conll", tmp_path / "back.conll"
    assert run("convert", source, tmp_path / name) == (0, "", "")
    assert run("convert", tmp_path / name, back) == (0, "", "")
    assert back.read_bytes() == source.read_bytes()


def test_tags_take_their_place_in_conllu(run, tagged, tmp_path) -> None:
    assert run("convert", tagged / "test.conll", tmp_path / "x.conllu") == (0, "", "")
    expected, got = (read_sequences(file) for file in (tagged / "test.conll", tmp_path / "x.conllu"))
    assert got.tags() == expected.tags()
    assert got.column("form") == expected.column("word")


def test_trees_there_and_back(run, tmp_path) -> None:
    source = Path(samples.__file__).parent / "rambles-test.conllu"
    assert run("convert", source, tmp_path / "x.conllx")[0] == 0
    assert run("convert", tmp_path / "x.conllx", tmp_path / "y.conllu")[0] == 0
    expected, got = (read_trees(file) for file in (source, tmp_path / "y.conllu"))
    np.testing.assert_array_equal(got.heads, expected.heads)
    assert got.relations.values() == expected.relations.values()


def test_to_plain_text(run, data, tmp_path) -> None:
    target = tmp_path / "x.txt"
    code, _, said = run("convert", data / "verse-test.tsv", target, "--to", "text")
    assert (code, "labels" in said) == (1, True)
    assert run("convert", data / "verse-test.tsv", target, "--to", "text", "--lossy")[0] == 0
    assert target.read_text(encoding="utf-8").splitlines() == samples.load("verse-test")[0]


def test_a_pipeline_of_scikit_learn(run, data, tmp_path) -> None:
    texts, labels = samples.load("birds-train")
    test = samples.load("birds-test")[0]
    pipeline = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(texts, labels)
    (tmp_path / "p.pkl").write_bytes(pickle.dumps(pipeline))
    target = tmp_path / "m.linnet"
    code, _, said = run("convert", tmp_path / "p.pkl", target)
    assert (code, "--trust-pickle" in said) == (2, True)
    assert not target.exists()
    assert run("convert", tmp_path / "p.pkl", target, "--trust-pickle")[0] == 0
    model = linnet.load(target)
    np.testing.assert_allclose(model.predict_proba(test), pipeline.predict_proba(test), atol=1e-4)
    output = run("predict", target, data / "birds-test.tsv")[1]
    assert output.splitlines() == pipeline.predict(test).tolist()


def test_a_model_of_liblinear(run, tmp_path) -> None:
    lines = [
        "solver_type L2R_LR",
        "nr_class 2",
        "label 1 -1",
        "nr_feature 2",
        "bias -1",
        "w",
        "2 ",
        "-1 ",
    ]
    (tmp_path / "x.model").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert run("convert", tmp_path / "x.model", tmp_path / "m.linnet")[0] == 0
    (tmp_path / "d.svm").write_text("0 1:1\n0 2:1\n", encoding="utf-8")
    assert run("predict", tmp_path / "m.linnet", tmp_path / "d.svm")[1] == "1\n-1\n"


def test_mistakes_of_the_user(run, data, tmp_path) -> None:
    source = data / "verse-test.tsv"
    (tmp_path / "abc.csv").write_text("a,b,c\n1,2,3\n", encoding="utf-8")
    (tmp_path / "a.conll").write_text("A DT\n", encoding="utf-8")
    (tmp_path / "bad.pkl").write_bytes(pickle.dumps({}))
    (tmp_path / "worse.pkl").write_bytes(b"\x80no")
    for arguments, code, words in (
        ((tmp_path / "nowhere", tmp_path / "x.csv"), 1, "nowhere does not exist"),
        ((tmp_path / "nowhere", tmp_path / "x.linnet"), 1, "nowhere: No such file"),
        ((tmp_path, tmp_path / "x.linnet"), 1, "Is a directory"),
        ((source, tmp_path / "x.pdf"), 2, "--to"),
        ((source, "-"), 2, "--to"),
        ((source, tmp_path / "x.csv", "--format", "pdf"), 2, "pdf"),
        ((source, tmp_path / "x.csv", "--to", "pdf"), 2, "pdf"),
        ((source, tmp_path / "x.svm"), 1, "cannot hold texts"),
        ((source, tmp_path / "no" / "x.csv"), 2, "no file can be written"),
        ((source, tmp_path / "x.linnet"), 1, "neither a LIBLINEAR model file"),
        ((source, source), 2, "the same file is read"),
        ((tmp_path / "abc.csv", tmp_path / "x.tsv"), 1, "name it with --text"),
        ((tmp_path / "a.conll", tmp_path / "x.csv"), 2, "holds sentences of tokens"),
        ((tmp_path / "a.conll", tmp_path / "x.jsonl", "--to", "jsonl"), 2, "conll, conllu, crfsuite"),
        ((tmp_path / "a.conll", tmp_path / "x.conllx"), 1, "a.conll, line 1"),
        ((tmp_path / "a.conll", tmp_path / "x.jsonl", "--lossy"), 2, "--lossy: for classifiers"),
        (
            (tmp_path / "a.conll", tmp_path / "x.jsonl", "--no-header"),
            2,
            "--no-header: for",
        ),
        ((source, tmp_path / "x.csv", "--trust-pickle"), 2, "--trust-pickle: for models"),
        ((tmp_path / "bad.pkl", tmp_path / "x.linnet", "--label", "a"), 2, "--label: for data"),
        ((tmp_path / "bad.pkl", tmp_path / "x.linnet", "--trust-pickle"), 1, "bad.pkl: "),
        ((tmp_path / "worse.pkl", tmp_path / "x.linnet", "--trust-pickle"), 1, "worse.pkl cannot"),
    ):
        got, output, said = run("convert", *arguments)
        assert (got, output, words in said, said.count("\n")) == (code, "", True, 1), (arguments, said)


def test_csv_for_spreadsheets(run, tmp_path) -> None:
    source = tmp_path / "a.tsv"
    source.write_text("=cmd()\t@sum\n", encoding="utf-8")
    assert run("convert", source, "-", "--to", "csv", "--safe-csv")[1].endswith("'=cmd(),'@sum\n")
    assert run("convert", source, "-", "--to", "csv")[1].endswith("\n=cmd(),@sum\n")
    code, _, said = run("convert", source, "-", "--to", "tsv", "--safe-csv")
    assert (code, said) == (2, "Error: --safe-csv: for the format 'csv'; it is 'tsv'\n")


IN_BIO = """A O
red B-COL
linnet B-BIRD
and O
blue B-COL
tit B-BIRD
Jay B-BIRD

Barn B-BIRD
owl I-BIRD
"""
SCHEMES = {
    "BIOES": "O S-COL S-BIRD O S-COL S-BIRD S-BIRD B-BIRD E-BIRD",
    "bilou": "O U-COL U-BIRD O U-COL U-BIRD U-BIRD B-BIRD L-BIRD",
    "iob1": "O I-COL I-BIRD O I-COL I-BIRD B-BIRD I-BIRD I-BIRD",
    "IO": "O I-COL I-BIRD O I-COL I-BIRD I-BIRD I-BIRD I-BIRD",
}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_schemes_of_tags(run, tmp_path, scheme) -> None:
    source, target = tmp_path / "x.conll", tmp_path / "y.conll"
    source.write_text(IN_BIO, encoding="utf-8")
    code, output, said = run("convert", source, target, "--scheme", scheme)
    assert (code, output) == (0, "")
    if scheme == "IO":
        assert said == (
            f"note: {source}, line 6: 1 span is followed by one of the same type at once, here first: "
            "io makes them one\n"
        )
    else:
        assert said == ""
        assert run("convert", target, tmp_path / "back.conll", "--scheme", "BIO")[0] == 0
        assert (tmp_path / "back.conll").read_text(encoding="utf-8").split() == IN_BIO.split()
    lines = target.read_text(encoding="utf-8").split("\n")
    assert [line.split()[1] for line in lines if line] == SCHEMES[scheme].split()


def test_what_no_scheme_writes_is_told(run, tmp_path) -> None:
    (tmp_path / "x.conll").write_text("a B-X\nb L-X\nc I-X\nd O\n", encoding="utf-8")
    code, output, said = run("convert", tmp_path / "x.conll", "-", "--to", "conll", "--scheme", "bio")
    assert (code, output) == (0, "a B-X\nb I-X\nc B-X\nd O\n\n")
    assert "x.conll, line 3: 1 span is not written as bilou has it, here first" in said
    (tmp_path / "pos.conll").write_text("a DET\nb NOUN\n\n", encoding="utf-8")
    code, _, said = run("convert", tmp_path / "pos.conll", tmp_path / "y.conll", "--scheme", "bio")
    assert (code, said) == (
        1,
        f"Error: {tmp_path / 'pos.conll'}: the tag 'DET' speaks of no span, as B-X or I-X would\n",
    )
    code, _, said = run("convert", tmp_path / "x.conll", tmp_path / "y.conll", "--scheme", "biz")
    assert (code, "there is no scheme 'biz'; there are iob1, iob2" in said) == (2, True)
    code, _, said = run(
        "convert", tmp_path / "x.conll", tmp_path / "y.spans", "--to", "spans", "--scheme", "bio"
    )
    assert (code, "--scheme: spans has spans" in said) == (2, True)
