"""CoNLL-U and CoNLL-X: not one byte is lost, and what is no tree is told with its line."""

import gzip
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data import LabelColumn, Trees
from linnet.errors import DataError
from linnet.formats import detect_trees, format_trees, read_tree_batches, read_trees, write_trees

TEXT = (
    "# sent_id = 1\n# text = vámonos ya\n"
    "1-2\tvámonos\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
    "1\tvamos\tir\tVERB\t_\tMood=Imp\t0\troot\t0:root\t_\n"
    "2\tnos\tnosotros\tPRON\t_\tCase=Acc|Person=1\t1\tobj\t1:obj|2.1:nsubj\tA=1|B\n"
    "2.1\tya\tya\t_\t_\t_\t_\t_\t1:advmod\t_\n"
    "\n"
    "1\tsí\tsí\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
    "2\t1 000\t1 000\tNUM\t_\t_\t1\tnmod:x\t_\t_\n"
    "# the end\n\n"
)
CONLLX = (
    "1\tA\ta\tD\tDT\t_\t2\tdet\t2\tdet\n2\tlinnet\tlinnet\tN\tNN\tsg\t3\tsbj\t_\t_\n"
    "3\tsings\tsing\tV\tVB\t_\t0\troot\t0\troot\n\n"
)


def put(folder: Path, text: str | bytes, name: str = "data.conllu") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def rows(*cells: str) -> str:
    """Lines of id, form, head, relation; all else is unsaid."""
    made = []
    for row in cells:
        number, head, relation = row.split()
        made.append(f"{number}\tw\t_\t_\t_\t_\t{head}\t{relation}\t_\t_\n")
    return "".join(made) + "\n"


def test_reading(tmp_path: Path) -> None:
    trees = read_trees(put(tmp_path, TEXT))
    assert trees.head_lists() == [[0, 1], [-1, 1]]
    assert trees.relation_lists() == [["root", "obj"], [None, "nmod:x"]]
    assert trees.column("form") == trees.column("word") == [["vamos", "nos"], ["sí", "1 000"]]
    assert trees.column("feats")[0] == ["Mood=Imp", "Case=Acc|Person=1"]
    assert trees.sequences.lines.tolist() == [4, 5, 8, 9]
    assert trees.sequences.labels is None
    assert trees.notes == (f"{tmp_path / 'data.conllu'}: 1 of 4 words have no head",)


@pytest.mark.parametrize(("text", "form"), [(TEXT, "conllu"), (CONLLX, "conllx")])
def test_round_trip(tmp_path: Path, text: str, form: str) -> None:
    trees = read_trees(put(tmp_path, text, "data"), form)
    assert format_trees(trees, form) == text.encode()
    write_trees(trees, tmp_path / f"out.{form}.gz")
    assert gzip.decompress((tmp_path / f"out.{form}.gz").read_bytes()) == text.encode()
    assert format_trees(read_trees(tmp_path / f"out.{form}.gz"), form) == text.encode()


CELL = st.one_of(
    st.just(b"_"),
    st.text("aé 漢|=:#-.1", min_size=1, max_size=4).map(str.encode),
    st.binary(min_size=1, max_size=3).filter(lambda cell: not set(cell) & set(b"\t\r\n")),
)
COMMENT = st.binary(max_size=6).map(lambda cell: b"#" + cell.translate(None, b"\r\n") + b"\n")


@st.composite
def sentence(draw: st.DrawFn) -> bytes:
    """A tree whose words hang on ones drawn before them, and lines that are no words."""
    size = draw(st.integers(1, 6))
    order = draw(st.permutations(range(1, size + 1)))
    heads = {order[0]: b"0"}
    for k, word in enumerate(order[1:], 1):
        heads[word] = b"%d" % order[draw(st.integers(0, k - 1))]
    out = b"".join(draw(st.lists(COMMENT, max_size=2)))
    for word in range(1, size + 1):
        aside = draw(st.sampled_from([b"", b"", b"%d-%d" % (word, word + 1), b"%d.1" % (word - 1)]))
        if aside:
            out += b"\t".join([aside, *(draw(CELL) for _ in range(9))]) + b"\n"
        head = draw(st.sampled_from([heads[word], heads[word], b"_"]))
        relation = draw(st.sampled_from([b"_", b"root", b"nsubj:pass", "é".encode()]))
        first = [draw(CELL) for _ in range(5)]
        out += b"\t".join([b"%d" % word, *first, head, relation, draw(CELL), draw(CELL)]) + b"\n"
        out += b"".join(draw(st.lists(COMMENT, max_size=1)))
    return out + b"\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("trees")


@settings(max_examples=150, deadline=None)
@given(
    st.lists(sentence(), min_size=1, max_size=4).map(b"".join), st.sampled_from(["conllu", "conllx"])
)
def test_not_one_byte_is_lost(folder: Path, data: bytes, form: str) -> None:
    path = put(folder, data, "any")
    trees = read_trees(path, form)
    assert format_trees(trees, form) == data
    assert b"".join(format_trees(batch, form) for batch in read_tree_batches(path, form, 2)) == data
    back = np.arange(len(trees))[::-1]
    assert format_trees(trees.take(back).take(back), form) == data
    predicted = format_trees(trees, form, trees.heads, trees.relations, keep_graph=True)
    assert predicted == data


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: "\n\n" + text.replace("\n\n", "\n \t\n\n\n") + "\n",
        lambda text: text.rstrip("\n"),
    ],
)
def test_other_line_ends_read_as_the_same(tmp_path: Path, change: Any) -> None:
    assert format_trees(read_trees(put(tmp_path, change(TEXT)))) == TEXT.encode()


def test_predictions_fill_heads_and_relations(tmp_path: Path) -> None:
    trees = read_trees(put(tmp_path, TEXT), labelled=False)
    assert (trees.heads == -1).all()
    assert trees.relation_lists() == [[None, None], [None, None]]
    heads, relations = [[2, 0], [0, 1]], [["obj", "root"], ["root", None]]
    written = format_trees(trees, "conllu", heads, relations).decode()
    assert written.splitlines()[3:6] == [
        "1\tvamos\tir\tVERB\t_\tMood=Imp\t2\tobj\t_\t_",
        "2\tnos\tnosotros\tPRON\t_\tCase=Acc|Person=1\t0\troot\t_\tA=1|B",
        "2.1\tya\tya\t_\t_\t_\t_\t_\t1:advmod\t_",  # no word, and not touched
    ]
    column = LabelColumn(["obj", "root"], np.array([0, 1, 1, -1], np.int32))
    arrays = format_trees(trees, "conllu", np.array([2, 0, 0, 1]), column)
    assert arrays.decode() == written
    kept = format_trees(trees, "conllu", heads, relations, keep_graph=True).decode()
    assert "2\tobj\t0:root\t_" in kept
    with pytest.raises(DataError, match="line 4: no word of the sentence is its root"):
        format_trees(trees, "conllu", [[2, 1], [0, 1]])


def test_trees_of_lists_are_written(tmp_path: Path) -> None:
    trees = Trees.from_lists([[("A", "DET"), ("linnet", "NOUN")]], [[2, 0]], [["det", "root"]])
    write_trees(trees, tmp_path / "a.conllu")
    assert (tmp_path / "a.conllu").read_text() == (
        "1\tA\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\tlinnet\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
    )
    with pytest.raises(DataError, match="sentence 1, word 2: CoNLL-U cannot hold a tab"):
        format_trees(Trees.from_lists([["a", "b\tc"]]))
    with pytest.raises(ValueError, match="not known by its ending"):
        write_trees(trees, tmp_path / "a.txt")


ERRORS = {
    "cycle": (rows("1 2 a", "2 1 b", "3 0 root"), "line 1: the heads make a cycle: 1 → 2 → 1"),
    "own head": (rows("1 0 root", "2 2 b"), "line 2: word 2 is its own head"),
    "two roots": (rows("1 0 root") + rows("1 0 root", "2 1 a", "3 0 root"),
                  "line 5: word 3 is a second root beside word 1; one is wanted unless roots='many'"),
    "no root": (rows("1 2 a", "2 1 b"), "line 1: no word of the sentence is its root"),
    "out of range": (rows("1 0 root", "2 3 a"),
                     "line 2: the head of word 2 is 3, but the sentence has 2 words"),
    "ids": (rows("1 0 root", "3 1 a"), "line 2: the word's id is '3' where 2 is wanted"),
    "id from 2": (rows("2 0 root"), "line 1: the word's id is '2' where 1 is wanted"),
    "no number": (rows("1 0 root", "2 one a"), "line 2: the head is 'one'; a word's number, 0 or _"),
    "leading zero": (rows("1 0 root", "2 01 a"), "line 2: the head is '01'; a word's number, 0 or _"),
    "negative": (rows("1 0 root", "2 -1 a"), "line 2: the head is '-1'; a word's number, 0 or _"),
    "huge": (rows("1 0 root", "2 99999999999 a"), "line 2: the head is '99999999999'; a word's number"),
    "columns": (rows("1 0 root") + "1\tw\t0\n", "line 3: 3 columns; CoNLL-U has 10, with a tab"),
    "first columns": ("1 w 0\n", "line 1: 1 column; CoNLL-U has 10, with a tab between each"),
    "relation": (rows("1 0 root").replace("root", ""), "line 1: the relation is empty"),
    "bytes": (rows("1 0 root").encode().replace(b"root", b"\xff"), "line 1: the relation '\ufffd' is"),
    "only comments": ("# a\n\n", "line 1: a sentence without words"),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_errors_name_file_and_line(tmp_path: Path, name: str) -> None:
    text, message = ERRORS[name]
    path = put(tmp_path, text)
    with pytest.raises(DataError) as caught:
        read_trees(path)
    assert str(caught.value).startswith(f"{path}, {message}")
    with pytest.raises(DataError) as caught:
        list(read_tree_batches(path))
    assert str(caught.value).startswith(f"{path}, {message}")


def test_lines_are_counted_across_batches(tmp_path: Path) -> None:
    """A pipe gives sentence after sentence; the lines of messages are those of the whole."""
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)

    def feed() -> None:
        with open(fifo, "wb", buffering=0) as pipe:
            pipe.write(TEXT.encode())
            taken.wait(10)
            pipe.write(rows("1 1 a").encode())

    taken = threading.Event()
    thread = threading.Thread(target=feed)
    thread.start()
    batches = read_tree_batches(fifo)
    assert next(batches).head_lists() == [[0, 1], [-1, 1]]
    taken.set()
    with pytest.raises(DataError, match="line 12: no word of the sentence is its root"):
        next(batches)
    thread.join()


def test_several_roots_and_broken_trees_on_request(tmp_path: Path) -> None:
    path = put(tmp_path, rows("1 0 root", "2 0 root"))
    assert read_trees(path, roots="many").head_lists() == [[0, 0]]
    path = put(tmp_path, rows("1 2 a", "2 x b"))
    assert read_trees(path, labelled=False).tokens == 2


def test_files_without_trees(tmp_path: Path) -> None:
    for text in ("", "\n\n"):
        with pytest.raises(DataError, match=r"is empty|holds no tokens"):
            read_trees(put(tmp_path, text))
    path = put(tmp_path, rows("1 _ _"))
    assert not read_trees(path).complete
    with pytest.raises(DataError, match="holds no trees: the column HEAD is _ everywhere"):
        read_trees(path, labelled=True)


def test_five_hundred_words(tmp_path: Path) -> None:
    chain = [f"{k} {k - 1} dep" for k in range(1, 501)]
    assert read_trees(put(tmp_path, rows(*chain))).head_lists() == [list(range(500))]
    chain[0] = "1 500 dep"
    with pytest.raises(DataError, match="no word of the sentence"):
        read_trees(put(tmp_path, rows(*chain)))


def test_formats_are_told_apart(tmp_path: Path) -> None:
    assert detect_trees(put(tmp_path, TEXT)) == "conllu"
    assert detect_trees(put(tmp_path, TEXT, "data.txt")) == "conllu"
    assert detect_trees(put(tmp_path, CONLLX, "data.txt")) == "conllx"
    assert detect_trees(put(tmp_path, TEXT, "data.conllx")) == "conllx"
    assert read_trees(put(tmp_path, CONLLX, "data.txt")).column("pdeprel") == [["det", "_", "root"]]
    with pytest.raises(ValueError, match="there is no format 'xml' of trees; there are conllu, conllx"):
        read_trees(tmp_path / "data.txt", "xml")


PIECES = [
    b"1\tw\t_\t_\t_\t_\t0\troot\t_\t_\n", b"2\tw\t_\t_\t_\t_\t1\ta\t_\t_\n", b"\t", b"\n", b"\r\n",
    b"#", b"1", b"1-2\t_\n", b"1.1", b"\xff", b"\xef\xbb\xbf", b"\0", b"_", b"\x1f\x8b", b" ",
]  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(data=st.lists(st.sampled_from(PIECES), max_size=10).map(b"".join))
def test_any_bytes(folder: Path, data: bytes) -> None:
    path = put(folder, data, "any.conllu")
    try:
        trees = read_trees(path)
    except DataError as error:
        if str(path) not in str(error):
            pytest.fail(f"the message does not name the file: {error}")
        return
    assert trees.tokens > 0
