"""Taggers from the command line: every format in and out."""

import json

import pytest

import linnet
from linnet.data import samples

from .tagged_files import TEXT, UD, sentences, write


def test_columns_come_back_with_the_tag_as_the_last_one(run, tagged, tmp_path) -> None:
    X, gold = samples.load_tagged("sightings-test")
    expected = linnet.load(tagged / "names.linnet").predict(X)
    for command in ("predict", "tag"):
        code, output, said = run(command, tagged / "names.linnet", tagged / "test.conll")
        assert (code, said) == (0, "")
        rows = sentences(output)
        assert [[tuple(row[:2]) for row in one] for one in rows] == X
        assert [[row[2] for row in one] for one in rows] == gold
        assert [[row[3] for row in one] for one in rows] == expected
    bare = write(
        tmp_path / "bare.conll",
        "".join("".join(f"{w} {p}\n" for w, p in one) + "\n" for one in X),
    )
    code, output, _ = run("tag", tagged / "names.linnet", bare, "--threads", 2)
    assert code == 0
    assert [[row[2] for row in one] for one in sentences(output)] == expected
    code, output, _ = run("tag", tagged / "names.linnet", bare, "--output-format", "tags")
    assert [[row[0] for row in one] for one in sentences(output)] == expected
    words = write(
        tmp_path / "words.conll", "".join("".join(f"{w}\n" for w, _ in one) + "\n" for one in X)
    )
    code, output, _ = run("tag", tagged / "words.linnet", words, "--format", "conll")
    assert [len(one) for one in sentences(output)] == [len(one) for one in X]


def test_probabilities_and_several_sequences(run, tagged) -> None:
    model = linnet.load(tagged / "names.linnet")
    X, _ = samples.load_tagged("sightings-test")
    code, output, _ = run("tag", tagged / "names.linnet", tagged / "test.conll", "--probabilities")
    assert code == 0
    shown = [float(row[4]) for one in sentences(output) for row in one]
    highest = [float(p) for rows in model.predict_proba(X) for p in rows.max(axis=1)]
    assert len(shown) == len(highest)
    assert shown == pytest.approx(highest, abs=2e-2)
    code, output, _ = run("tag", tagged / "names.linnet", tagged / "test.conll", "-k", 2)
    blocks = output.strip().split("\n\n")
    assert len(blocks) == 2 * len(X)
    (best, score), (second, less) = model.predict(X[:1], k=2)[0]
    assert blocks[0].splitlines()[0] == f"# 1 {score:.6f}"
    assert blocks[1].splitlines()[0] == f"# 2 {less:.6f}"
    assert [line.split()[-1] for line in blocks[0].splitlines()[1:]] == best
    assert [line.split()[-1] for line in blocks[1].splitlines()[1:]] == second


def test_spans_of_the_original_text(run, tagged, tmp_path) -> None:
    article = write(tmp_path / "article.txt", TEXT)
    code, output, _ = run("predict", tagged / "words.linnet", article)
    assert code == 0
    found = [json.loads(line) for line in output.splitlines()]
    assert [(span["text"], span["label"]) for span in found] == [
        ("Robin", "PERSON"),
        ("barn owl", "BIRD"),
        ("Kettle Marsh", "PLACE"),
        ("May Finch", "PERSON"),
    ]
    assert all(TEXT[span["start"] : span["end"]] == span["text"] for span in found)
    options = ("--output-format", "spans", "--proba")
    code, output, _ = run("tag", tagged / "words.linnet", article, *options)
    (record,) = (json.loads(line) for line in output.splitlines())
    assert record["text"] == TEXT
    assert [span["start"] for span in record["spans"]] == [span["start"] for span in found]
    assert all(0 < span["probability"] <= 1 for span in record["spans"])
    code, output, _ = run("tag", tagged / "words.linnet", article, "--output-format", "conll")
    assert sentences(output)[0][3:5] == [["barn", "B-BIRD"], ["owl", "I-BIRD"]]
    code, output, _ = run("tag", tagged / "words.linnet", article, "-k", 2)
    assert [len(json.loads(line)["best"]) for line in output.splitlines()] == [2, 2]


def test_spans_can_be_learnt_from_again(run, tagged, tmp_path) -> None:
    article = write(tmp_path / "a.txt", TEXT)
    output = run("tag", tagged / "words.linnet", article, "--output-format", "spans")[1]
    file = write(tmp_path / "spans.jsonl", output * 4)
    model = tmp_path / "m.linnet"
    assert run("train", file, "-o", model, "-q")[0] == 0
    assert run("tag", model, file)[1] == output * 4
    found = run("tag", model, file, "--output-format", "entities")[1]
    lines = [json.loads(line)["line"] for line in found.splitlines()]
    assert lines == [line for line in (1, 2, 3, 4) for _ in range(4)]
    assert json.loads(run("evaluate", model, file, "--json")[1])["spans"]["f1"] == 1


def test_lists_of_tokens(run, tagged, tmp_path) -> None:
    options = ("--output-format", "tokens")
    code, output, _ = run("tag", tagged / "names.linnet", tagged / "test.conll", *options)
    records = [json.loads(line) for line in output.splitlines()]
    assert list(records[0]) == ["tokens", "pos", "tags", "predicted"]
    for record in records:
        del record["predicted"]
        record["names"] = record.pop("tags")
    file = write(tmp_path / "t.jsonl", "".join(json.dumps(r) + "\n" for r in records))
    model = tmp_path / "m.linnet"
    assert run("train", file, "-o", model, "-q", "--label", "names")[0] == 0
    for record in records:
        del record["names"]
    bare = write(tmp_path / "b.jsonl", "".join(json.dumps(r) + "\n" for r in records))
    code, output, said = run("tag", model, bare, "--proba")
    assert code == 0, said
    first = json.loads(output.splitlines()[0])
    assert list(first) == ["tokens", "pos", "tags", "probabilities"]
    assert len(first["tags"]) == len(first["probabilities"]) == len(first["tokens"])
    assert run("tag", model, file)[0] == run("evaluate", model, file)[0] == 0


def test_conllu_has_the_tag_in_its_place(run, tmp_path) -> None:
    file = write(tmp_path / "d.conllu", UD * 3)
    for label, column in ((None, 3), ("xpos", 4)):
        model = tmp_path / "m.linnet"
        named = () if label is None else ("--label", label)
        assert run("train", file, "-o", model, "-q", *named)[0] == 0
        assert run("tag", model, file)[:2] == (0, UD * 3)
        rows = [line.split("\t") for line in UD.splitlines() if "\t" in line]
        hidden = ["\t".join("_" if k == column else c for k, c in enumerate(row)) for row in rows]
        empty = write(tmp_path / "e.conllu", f"{UD.splitlines()[0]}\n" + "\n".join(hidden) + "\n\n")
        assert run("tag", model, empty)[:2] == (0, UD)
        sure = run("tag", model, file, "--proba")[1].splitlines()
        assert sure[4].split("\t")[9].startswith("SpaceAfter=No|P=0.")
        assert "token accuracy         1.0000" in run("evaluate", model, file)[1]
    words = write(tmp_path / "w.conll", "A\nlinnet\n\n")
    assert run("tag", model, words)[1] == "A DT\nlinnet NN\n\n"
    sure = run("tag", model, words, "--output-format", "conllu", "--proba")[1].splitlines()
    assert sure[0].startswith("1\tA\t_\t")
    assert "\tDT\t" in sure[0]
    assert "\tP=" in sure[0]
    words = write(tmp_path / "w.conll", "A DT\nlinnet NN\n\n")
    assert "token accuracy         1.0000" in run("evaluate", model, words)[1]


def test_attributes_of_crfsuite(run, tmp_path) -> None:
    text = "N\tw=linnet\tsmall:0.5\nV\tw=sings\n\nN\tw=wren\nV\tw=hides\n\n"
    file = write(tmp_path / "a.crfsuite", text)
    model = tmp_path / "m.linnet"
    assert run("train", file, "-o", model, "-q")[0] == 0
    assert run("tag", model, file)[1].count("N\t") == 2
    probabilities = run("tag", model, file, "--proba")[1].splitlines()
    assert [line.split("\t")[0] for line in probabilities] == ["N", "V", "", "N", "V", ""]
    bare = write(tmp_path / "b.crfsuite", "w=linnet\nw=sings\n")
    assert run("tag", model, bare, "--unlabelled")[1] == "N\tw=linnet\nV\tw=sings\n\n"
    assert "token accuracy         1.0000" in run("evaluate", model, file)[1]
    assert run("tag", model, file, "-k", 3)[1].startswith("# 1 ")


def test_a_file_that_holds_nothing_is_a_mistake(run, tagged, tmp_path) -> None:
    for model in ("names", "words"):
        for name in ("e.conll", "e.txt", "e"):
            for text in ("", "\n\n", "  \n"):
                file = write(tmp_path / name, text)
                told = "holds no " if text else "is empty"
                code, output, said = run("tag", tagged / f"{model}.linnet", file)
                assert (code, output) == (1, ""), (model, name)
                assert said.startswith(f"Error: {file} {told}"), (model, name)


def test_what_text_lacks_is_predicted_first(run, tagged, tmp_path) -> None:
    text = write(tmp_path / "article.txt", "Wanda Finch saw a barn owl near Kettle Marsh.\n")
    code, output, said = run("tag", tagged / "names.linnet", text, "--format", "text")
    assert (code, output) == (1, "")
    assert "has no column 'pos', which the model looks at" in said
    assert "linnet train DATA --tagger auto -o MODEL" in said
    model = tmp_path / "m.linnet"
    code, _, said = run(
        "train", tagged / "train.conll", "-o", model, "--tagger", "auto", "--jackknife", "2"
    )
    assert code == 0
    assert "tagged first: pos; the tagger learns from tags predicted in 2 folds" in said
    found = [json.loads(line) for line in run("tag", model, text)[1].splitlines()]
    assert [(span["label"], span["text"]) for span in found] == [
        ("PERSON", "Wanda Finch"),
        ("BIRD", "barn owl"),
        ("PLACE", "Kettle Marsh"),
    ]
    code, _, said = run("evaluate", model, tagged / "test.conll", "--worst", "0")
    assert (code, said) == (0, f"note: pos as in {tagged / 'test.conll'}; --retag predicts them\n")
    assert run("evaluate", model, tagged / "test.conll", "--retag")[2] == ""
    assert run("explain", model, "Wanda saw an owl.")[0] == 0
    code, _, said = run("explain", tagged / "names.linnet", "Wanda saw an owl.")
    assert code == 2
    assert "looks at pos: give sentences that have them by --data" in said
    code, _, said = run("evaluate", tagged / "names.linnet", tagged / "test.conll", "--retag")
    assert (code, said) == (2, "Error: --retag: the model has no tagger\n")
