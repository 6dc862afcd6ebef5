"""Files of sentences: what each format holds, what is refused, what comes back."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from linnet.data import Sequences
from linnet.errors import DataError
from linnet.formats import detect, detect_task, read_sequences, write_sequences

CONLL = "A DT B-NP\nlinnet NN I-NP\nsings VBZ B-VP\n\nIt PRP B-NP\nflies VBZ B-VP\n"
CONLLU = (
    "# sent_id = 1\n# text = vámonos ya\n"
    "1-2\tvámonos\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\tvamos\tir\tVERB\t_\tMood=Imp\t0\troot\t_\t_\n"
    "2\tnos\tnosotros\tPRON\t_\t_\t1\tobj\t_\t_\n"
    "2.1\tya\tya\t_\t_\t_\t_\t_\t_\t_\n"
    "\n"
    "1\tsí\tsí\t_\t_\t_\t0\troot\t_\tSpaceAfter=No\n"
    "2\t1 000\t1 000\tNUM\t_\t_\t1\tobj\t_\t_\n"
    "2.1\tfin\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
)
CRFSUITE = "B\tw=a\tpos\\:x:2.5\tbias\n@weight:3\nI\tw=b\tw=b\tback\\\\slash\n\nO\tw=a:-1e-1\nO\n"


def put(folder: Path, text: str | bytes, name: str = "data") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def message_of(path: Path, form: str | None = None, **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        read_sequences(path, form, **options)
    return str(caught.value).replace(str(path), "FILE")


def test_columns(tmp_path: Path) -> None:
    read = read_sequences(put(tmp_path, CONLL))
    assert read.column("word") == [["A", "linnet", "sings"], ["It", "flies"]]
    assert read.column("pos") == [["DT", "NN", "VBZ"], ["PRP", "VBZ"]]
    assert read.tags() == [["B-NP", "I-NP", "B-VP"], ["B-NP", "B-VP"]]
    assert read.lines.tolist() == [1, 2, 3, 5, 6]
    assert read.layout == ("word", "pos", "tag")


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(" ", "\t"),
        lambda text: text.replace(" ", "  \t "),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n\n", "\n \t\n\n\n") + "\n\n",
        lambda text: "\n\n" + text.rstrip("\n"),
        lambda text: "-DOCSTART- -X- O\n\n" + text + "\n-DOCSTART-\n",
    ],
)
def test_columns_are_written_in_many_ways(tmp_path: Path, change: Any) -> None:
    read, plain = (
        read_sequences(put(tmp_path, change(CONLL)), "conll"),
        read_sequences(put(tmp_path, CONLL)),
    )
    assert read.tags() == plain.tags()
    assert read.column("word") == plain.column("word")


def test_choice_of_columns(tmp_path: Path) -> None:
    path = put(tmp_path, CONLL)
    by_place = read_sequences(path, label=1)
    assert by_place.tags() == [["DT", "NN", "VBZ"], ["PRP", "VBZ"]]
    assert list(by_place.columns) == ["word", "pos"]
    assert by_place.layout == ("word", "tag", "pos")
    by_name = read_sequences(path, columns=["form", "xpos", "chunk"], label="xpos")
    assert by_name.tags() == by_place.tags()
    assert list(by_name.columns) == ["form", "chunk"]
    assert read_sequences(path, columns="form,xpos").layout == ("form", "xpos", "tag")
    assert read_sequences(path, label="-3").tags() == [["A", "linnet", "sings"], ["It", "flies"]]
    unlabelled = read_sequences(path, labelled=False)
    assert (unlabelled.labels, list(unlabelled.columns)) == (None, ["word", "pos", "2"])
    assert read_sequences(put(tmp_path, "a\nb\n\nc\n", "bare"), "conll").labels is None
    known = read_sequences(path, labelled=False, columns=["a", "b", "c", "tag"])
    assert list(known.columns) == ["a", "b", "c"]


def test_missing_tags(tmp_path: Path) -> None:
    read = read_sequences(put(tmp_path, "a X\nb ?\n\nc Y\n"), missing="?")
    assert read.tags() == [["X", None], ["Y"]]


def test_comments_come_back(tmp_path: Path) -> None:
    text = "# one\na X\n# inside\nb Y\n\n-DOCSTART- X\n\n# two\nc Z\n\n"
    read = read_sequences(put(tmp_path, text), "conll", comment="#")
    assert read.column("word") == [["a", "b"], ["c"]]
    write_sequences(read, tmp_path / "out.conll")
    assert (tmp_path / "out.conll").read_text() == text
    write_sequences(read.take([1]), tmp_path / "out.conll", predicted=[["P"]])
    assert (tmp_path / "out.conll").read_text() == "-DOCSTART- X\n\n# two\nc Z P\n\n"


def test_predictions_come_last(tmp_path: Path) -> None:
    read = read_sequences(put(tmp_path, CONLL), label=1)
    guesses = [["1", "2", None], ["4", "5"]]
    write_sequences(read, tmp_path / "out.conll", predicted=guesses)
    assert (tmp_path / "out.conll").read_text() == (
        "A DT B-NP 1\nlinnet NN I-NP 2\nsings VBZ B-VP _\n\nIt PRP B-NP 4\nflies VBZ B-VP 5\n\n"
    )
    with pytest.raises(DataError, match="sentence 2 has 2 tokens, but 1 predicted"):
        write_sequences(read, tmp_path / "out.conll", predicted=[["1", "2", "3"], ["4"]])


def test_words_with_blanks(tmp_path: Path) -> None:
    read = read_sequences(put(tmp_path, "word\tner\nNew York\tLOC\n\nis\tO\n"), "tsv")
    assert read.column("word") == [["New York"], ["is"]]
    assert read.layout == ("word", "ner")
    write_sequences(read, tmp_path / "out.conll")
    assert read_sequences(tmp_path / "out.conll", delimiter="tab").column("word") == [
        ["New York"],
        ["is"],
    ]
    bare = read_sequences(put(tmp_path, "word\tner\nis\tO\n"), "tsv", header=False)
    assert bare.tokens == 2


def test_words_have_no_tag_by_right_where_others_have_one(tmp_path: Path) -> None:
    lines = [f"{k}\t{word}\t_\t{tag}\t{tag}\t_\t0\troot\t_\t_\n" for k, word, tag in
             ((1, "looks", "VBZ"), (2, "for", "_"), (3, "wrens", "NNS"))]  # fmt: skip
    path = put(tmp_path, "".join(lines), "x.conllu")
    assert read_sequences(path, label="xpos").tags() == [["VBZ", "_", "NNS"]]
    assert read_sequences(path, label="upos").tags() == [["VBZ", None, "NNS"]]  # every word has one
    assert read_sequences(path, label="xpos", missing="_").tags() == [["VBZ", None, "NNS"]]
    assert read_sequences(path, label="feats").labels is None
    with_tags = read_sequences(path, label="xpos")
    write_sequences(with_tags, tmp_path / "out.conllu")
    assert (tmp_path / "out.conllu").read_text() == "".join(lines) + "\n"


def test_conllu(tmp_path: Path) -> None:
    path = put(tmp_path, CONLLU, "x.conllu")
    read = read_sequences(path)
    assert read.column("word") == read.column("form") == [["vamos", "nos"], ["sí", "1 000"]]
    assert read.tags() == [["VERB", "PRON"], [None, "NUM"]]
    assert read_sequences(path, label="deprel").tags() == [["root", "obj"], ["root", "obj"]]
    assert read_sequences(path, label="xpos").labels is None
    assert read_sequences(path, label="feats").tags() == [["Mood=Imp", "_"], ["_", "_"]]
    write_sequences(read, tmp_path / "out.conllu")
    assert (tmp_path / "out.conllu").read_text() == CONLLU
    write_sequences(read.take([1]), tmp_path / "out.conllu", predicted=[["A", "B"]])
    assert "\tsí\tsí\tA\t" in (tmp_path / "out.conllu").read_text()
    assert "2.1\tfin" in (tmp_path / "out.conllu").read_text()


def test_conllu_from_lists(tmp_path: Path) -> None:
    made = Sequences.from_lists([["a", "b"]], [["X", "Y"]])
    write_sequences(made, tmp_path / "out.conllu")
    read = read_sequences(tmp_path / "out.conllu")
    assert (read.column("id"), read.column("form"), read.tags()) == (
        [["1", "2"]],
        [["a", "b"]],
        [["X", "Y"]],
    )


def test_crfsuite(tmp_path: Path) -> None:
    read = read_sequences(put(tmp_path, CRFSUITE.replace("@weight:3\n", "")), "crfsuite")
    assert read.attribute_names == ["back\\slash", "bias", "pos:x", "w=a", "w=b"]
    rows = read.attributes
    assert rows is not None
    assert rows.scipy().toarray().tolist() == [
        [0, 1, 2.5, 1, 0], [1, 0, 0, 0, 2], [0, 0, 0, pytest.approx(-0.1), 0], [0, 0, 0, 0, 0],
    ]  # fmt: skip
    assert read.tags() == [["B", "I"], ["O", "O"]]
    write_sequences(read, tmp_path / "out.crfsuite")
    again = read_sequences(tmp_path / "out.crfsuite")
    assert again.attributes is not None
    assert (again.attributes.scipy() != rows.scipy()).nnz == 0
    assert again.attribute_names == read.attribute_names


def test_weights_of_crfsuite(tmp_path: Path) -> None:
    read = read_sequences(put(tmp_path, "A\tx\n\n@weight:2.5\nB\ty\n"), "crfsuite")
    assert read.weights is not None
    assert read.weights.tolist() == [1, 2.5]
    write_sequences(read, tmp_path / "out.crfsuite")
    weights = read_sequences(tmp_path / "out.crfsuite").weights
    assert weights is not None
    assert weights.tolist() == [1, 2.5]
    assert "is not @weight:number" in message_of(put(tmp_path, "@what:1\nA\tx\n"), "crfsuite")


def test_tokens(tmp_path: Path) -> None:
    lines = [
        {"tokens": ["A", "b"], "pos": ["D", "N"], "tags": ["X", None], "weight": 2, "id": 7},
        {"tokens": ["c"], "pos": ["V"], "tags": ["Y"], "weight": 1},
    ]
    read = read_sequences(put(tmp_path, "\n".join(map(json.dumps, lines)) + "\n"))
    assert (read.column("word"), read.column("pos")) == ([["A", "b"], ["c"]], [["D", "N"], ["V"]])
    assert read.tags() == [["X", None], ["Y"]]
    assert read.weights is not None
    write_sequences(read, tmp_path / "out.jsonl", "tokens", predicted=[["P", "Q"], ["R"]])
    first = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])
    assert first == {
        "tokens": ["A", "b"], "pos": ["D", "N"], "tags": ["X", None],
        "predicted": ["P", "Q"], "weight": 2,
    }  # fmt: skip


def test_spans(tmp_path: Path) -> None:
    lines = [
        {
            "text": "Dr. Ada Lovelace met C. Babbage. She wrote.",
            "spans": [[21, 31, "PER"], [4, 16, "PER"]],
        },
        {"text": "Żółw z Łodzi.", "spans": [{"start": 7, "end": 12, "label": "LOC"}]},
        {"text": "", "spans": []},
    ]
    read = read_sequences(put(tmp_path, "\n".join(json.dumps(line) for line in lines)))
    assert read.tags() == [
        ["O", "B-PER", "I-PER", "O", "B-PER", "I-PER", "O"], ["O", "O", "O"], ["O", "O", "B-LOC", "O"],
    ]  # fmt: skip
    assert read.texts is not None
    assert read.spans is not None
    assert read.texts[1][slice(*read.spans[-2])] == "Łodzi"
    assert read.documents is not None
    assert read.documents.tolist() == [0, 0, 1]
    write_sequences(read, tmp_path / "out.jsonl", "spans")
    out = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert out == [
        {"text": lines[0]["text"], "spans": [[4, 16, "PER"], [21, 31, "PER"]]},
        {"text": lines[1]["text"], "spans": [[7, 12, "LOC"]]},
        {"text": "", "spans": []},
    ]
    write_sequences(read.take([2]), tmp_path / "out.jsonl", "spans")
    assert json.loads((tmp_path / "out.jsonl").read_text()) == out[1]


def test_spans_inside_words_and_across_sentences(tmp_path: Path) -> None:
    text = "Unlinnetlike birds. Sing. All."
    read = read_sequences(
        put(tmp_path, json.dumps({"text": text, "spans": [[2, 8, "B"], [13, 25, "C"]]}))
    )
    assert read.column("word") == [["Unlinnetlike", "birds", ".", "Sing", "."], ["All", "."]]
    assert read.tags() == [["B-B", "B-C", "I-C", "I-C", "I-C"], ["O", "O"]]
    assert read.notes[0].endswith(
        "1 spans are widened to whole words; first line 1, [2, 8, 'B']: 'linnet' becomes 'Unlinnetlike'"
    )


def test_running_text(tmp_path: Path) -> None:
    path = put(tmp_path, "Ada met\nCharles. He left.\n")
    read = read_sequences(path, "text")
    assert read.column("word") == [["Ada", "met", "Charles", "."], ["He", "left", "."]]
    assert read.lines.tolist() == [1, 1, 2, 2, 2, 2, 2]
    write_sequences(read, tmp_path / "out", "spans", predicted=[["B-P", "O", "B-P", "O"], ["O"] * 3])
    assert json.loads((tmp_path / "out").read_text()) == {
        "text": "Ada met\nCharles. He left.\n", "spans": [[0, 3, "P"], [8, 15, "P"]],
    }  # fmt: skip
    by_line = read_sequences(path, "text", by_line=True)
    assert by_line.documents is not None
    assert by_line.documents.tolist() == [0, 1, 1]
    write_sequences(read, tmp_path / "out", "text")
    assert (tmp_path / "out").read_text() == "Ada met Charles .\nHe left .\n"


def test_spans_of_joined_words(tmp_path: Path) -> None:
    made = Sequences.from_lists([["New", "York", "is"], ["big"]], [["B-L", "I-L", "O"], ["O"]])
    write_sequences(made, tmp_path / "out", "spans")
    out = [json.loads(line) for line in (tmp_path / "out").read_text().splitlines()]
    assert out == [{"text": "New York is", "spans": [[0, 8, "L"]]}, {"text": "big", "spans": []}]


@pytest.mark.parametrize(
    ("text", "form", "message"),
    [
        (
            "a X\nb\n",
            "conll",
            "FILE, line 2: 1 column where the lines before have 2; is the tag missing?",
        ),
        ("a X\nb Y Z\n", "conll", "FILE, line 2: 3 columns where the lines before have 2"),
        ("\n\n", "conll", "FILE holds no tokens"),
        ("# x\n", "conllu", "FILE, line 1: a sentence without words"),
        ("a\tb\n", "conllu", "FILE, line 1: 2 columns; CoNLL-U has 10"),
        (
            CONLLU.replace("2\tnos", "3\tnos"),
            "conllu",
            "FILE, line 5: the word's id is '3' where 2 is wanted",
        ),
        (
            CONLLU.replace("\tsí\tsí", "\tsí"),
            "conllu",
            "FILE, line 8: 9 columns where the lines before have 10",
        ),
        ("a\t\nb\tX\n", "tsv", "FILE, line 1: the tag is empty"),
        (b"a \xff\n", "conll", "FILE, line 1: the tag '\ufffd' is not UTF-8"),
        ("A\tx:y\n", "crfsuite", "FILE, line 1: 'x:y' has no finite number after its colon"),
        ("A\tx\nB\ty:nan\n", "crfsuite", "FILE, line 2: 'y:nan' has no"),
        ('{"tokens": []}', "tokens", "FILE, line 1: an empty sentence"),
        ('{"tokens": ["a"], "tags": []}', "tokens", "FILE, line 1: 1 tokens, but 'tags' has 0"),
        ('{"tokens": ["a"], "tags": [""]}', "tokens", "FILE, line 1: the tag is empty"),
        (
            '{"tokens": ["a"]}\n{"tokens": [1]}',
            "tokens",
            "FILE, line 2: 'tokens' must be a list of strings",
        ),
        ('{"x": 1}', "tokens", "FILE, line 1: no list of tokens"),
        (
            '{"text": "ab", "spans": [[0, 3, "X"]]}',
            "spans",
            "line 1: the span [0, 3] does not lie in a text of 2",
        ),
        ('{"text": "ab", "spans": [[1, 1, "X"]]}', "spans", "line 1: the span [1, 1] does not"),
        (
            '{"text": "a b", "spans": [[1, 2, "X"]]}',
            "spans",
            "line 1: the span [1, 2, 'X'] holds no word",
        ),
        (
            '{"text": "ab", "spans": [[0, 2, "X"], [1, 2, "Y"]]}',
            "spans",
            "line 1: spans overlap: [0, 2, 'X']",
        ),
        ('{"text": "ab", "spans": [[0, 1, "X"], [1, 2, "Y"]]}', "spans", "share a word"),
        ('{"text": "ab", "spans": [[0, "1", "X"]]}', "spans", "line 1: a span is"),
        ('{"text": 1}', "spans", 'FILE, line 1: no "text"'),
        ("", "text", "FILE is empty"),
        ("\ufeff \n", "text", "FILE holds no tokens"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, text: str | bytes, form: str, message: str) -> None:
    assert message in message_of(put(tmp_path, text), form)


def test_settings_are_checked(tmp_path: Path) -> None:
    path = put(tmp_path, CONLL)
    with pytest.raises(ValueError, match="'conllu' has no setting 'comment'; it takes label"):
        read_sequences(path, "conllu", comment="#")
    with pytest.raises(TypeError, match="readers have no setting 'what'"):
        read_sequences(path, what=1)
    with pytest.raises(ValueError, match="there is no format 'csv' of sentences"):
        read_sequences(path, "csv")
    with pytest.raises(ValueError, match="CoNLL-U has no column 'tag'"):
        read_sequences(path, "conllu", label="tag")
    assert "has no column 7" in message_of(path, label=7)
    assert "has no column 'x'" in message_of(path, label="x")
    assert "has 3 columns, but their names are a" in message_of(path, columns=["a"])
    with pytest.raises(ValueError, match="not known by its ending"):
        write_sequences(Sequences.from_lists([["a"]]), tmp_path / "x.what")


def test_what_a_format_cannot_hold(tmp_path: Path) -> None:
    attributes = Sequences.from_lists([[["a"]]])
    words = Sequences.from_lists([["a\tb", ""]], [["X", "Y"]])
    for form in ("conll", "tsv", "conllu", "tokens", "spans", "text"):
        with pytest.raises(DataError, match="'crfsuite' can"):
            write_sequences(attributes, tmp_path / "out", form)
    for form in ("conll", "tsv", "conllu"):
        with pytest.raises(DataError, match="sentence 1, word 1"):
            write_sequences(words, tmp_path / "out", form)
    with pytest.raises(DataError, match="write 'conll' or 'tokens'"):
        write_sequences(words, tmp_path / "out", "crfsuite")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("text", "name", "form", "task"),
    [
        (CONLL, "x.txt", "conll", "tag"),
        (CONLL, "x", "conll", "tag"),
        ("a X\nb Y\n", "x", "conll", "classify"),  # may be texts of two words
        ("a X\nb Y\n", "x.conll", "conll", "tag"),
        ("a\tX\nb\tY\n\nc\tZ\n", "x", "conll", "tag"),
        ("a b\tX\nb\tY\n\nc\tZ\n", "x", "tsv", "tag"),
        ("Word\tPOS\tTag\na\tP\tX\n\nb\tP\tY\n", "x.tsv", "tsv", "tag"),
        ("ham\thello there\nspam\tbuy now\n\nham\tbye\n", "x.tsv", "tsv", "classify"),
        ("hello there\tham\nbuy now\tspam\n\nbye\tham\n", "x.tsv", "tsv", "classify"),
        (CONLLU, "x", "conllu", "tag"),
        (CRFSUITE, "x.crfsuite", "crfsuite", "tag"),
        ("A\tx=1\ty\nB\tz\n\nC\tq\n", "x", "crfsuite", "tag"),
        ('{"tokens": ["a"], "tags": ["X"]}\n', "x.jsonl", "tokens", "tag"),
        ('{"text": "a", "spans": []}\n', "x.jsonl", "spans", "tag"),
        ('{"text": "a", "label": ["b"]}\n', "x.jsonl", "spans", "classify"),
        ("Some words.\n\nAnd some more words.\n", "x.txt", "text", "classify"),
        ("pos\ta text\nneg\tanother\n", "x.tsv", "tsv", "classify"),
        ("__label__a text\n", "x", "conll", "classify"),
    ],
)
def test_detection(tmp_path: Path, text: str, name: str, form: str, task: str) -> None:
    path = put(tmp_path, text, name)
    assert detect_task(path) == task
    assert detect(path, "tag") == form
    packed = put(tmp_path, gzip.compress(text.encode()), name + ".gz")
    assert detect_task(packed) == task
    assert detect(packed, "tag") == form
    if task == "tag":
        assert read_sequences(packed).tokens == read_sequences(path).tokens


def test_a_header_names_columns_of_words(tmp_path: Path) -> None:
    read = read_sequences(put(tmp_path, "Word\tTag\nEU\tB-ORG\n\nPeter\tB-PER\n", "x.tsv"))
    assert (list(read.columns), read.tags()) == (["Word"], [["B-ORG"], ["B-PER"]])


def test_sentences_of_any_length(tmp_path: Path) -> None:
    path = put(tmp_path, "w T\n" * 100_000 + "\n" + "".join(f"w T{i}\n" for i in range(1000)))
    read = read_sequences(path, "conll")
    assert read.lengths.tolist() == [100_000, 1000]
    assert read.labels is not None
    assert len(read.labels.names) == 1001
