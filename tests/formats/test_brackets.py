"""Brackets of the Penn Treebank: every way to write them is read, and mistakes have their line."""

import gzip
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data import Brackets, BracketTree, Constituent
from linnet.errors import DataError, EmptyError
from linnet.formats import (
    BRACKET_FORMATS,
    format_brackets,
    has_brackets,
    parse_brackets,
    ranges,
    read_bracket_batches,
    read_brackets,
    write_brackets,
)

TEXT = "( (S \n    (NP-SBJ (NNS linnets) )\n    (VP (VBP sing) )\n    (. .) ))\n"
NESTED = ("", ("S", ("NP-SBJ", ("NNS", "linnets")), ("VP", ("VBP", "sing")), (".", ".")))


def put(folder: Path, text: str | bytes, name: str = "data.mrg") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        "((S(NP-SBJ(NNS linnets))(VP(VBP sing))(. .)))",
        TEXT.replace("\n", "\r\n"),
        "\ufeff" + TEXT,
        "\n\n" + TEXT.replace(" ", "\t") + "\n \n",
        "# a comment (\n<S ID=1>\n" + TEXT + "</S>\n%% ) )\n",
    ],
)
def test_every_way_to_write_it(tmp_path: Path, text: str) -> None:
    path = put(tmp_path, text)
    assert read_brackets(path).nested() == [NESTED]
    packed = tmp_path / "data.mrg.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert read_brackets(packed).nested() == [NESTED]
    assert [batch.nested() for batch in read_bracket_batches(path)] == [[NESTED]]
    assert has_brackets(put(tmp_path, text, "data"))


def test_lines_of_words_and_notes(tmp_path: Path) -> None:
    path = put(tmp_path, f"<DOC>\n{TEXT}</DOC>\n")
    trees = read_brackets(path)
    assert trees.sequences.lines.tolist() == [3, 4, 5]
    assert trees.notes == (f"{path}: 2 lines between trees passed over; first line 1",)


def test_signs_at_the_beginning_of_lines_within_a_tree_are_words() -> None:
    assert parse_brackets("(S (#\n#) (NN\n<a>))").nested() == [("S", ("#", "#"), ("NN", "<a>"))]


def test_many_trees_on_a_line_and_their_tops() -> None:
    trees = parse_brackets("(TOP (S (NN a))) (NN b)(ROOT (X c) (Y d)) ( (S (NN e)))(S (NN f))")
    assert [tree.top for tree in trees] == ["TOP", None, "ROOT", "", None]
    assert [len(tree.spans()) for tree in trees] == [1, 0, 0, 1, 1]
    assert format_brackets(trees).count(b"\n") == 5
    assert format_brackets(trees).startswith(b"(TOP (S (NN a)))\n(NN b)\n(ROOT (X c) (Y d))\n( (S")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "(S (NN a))\n(S (NP (NN b))\n\n(S (NN c))\n",
            "line 2: the tree that begins here does not end",
        ),
        ("(S (NN a))\n(S\n (NN", "line 2: the tree that begins here does not end: 2 brackets"),
        ("(S (NN a)))\n", "line 1: a bracket closes that was never opened"),
        ("(S\n (NP (NN a)\n dog))", "line 3: the word 'dog' has no tag"),
        ("(S\n the (NN dog))", "line 1: the bracket 'S' has a word and more in it"),
        ("(NN New York)", "line 1: the bracket 'NN' has a word and more in it"),
        ("(S (NN a))\n( )\n", "line 2: a bracket holds nothing"),
        ("(S (NN a)\n(NP ))\n", "line 2: the bracket 'NP' holds nothing"),
        ("(S (NN a))\nand so on\n", "line 2: 'and' stands outside of brackets"),
        ("(S\n(\n(NN a)))", "line 2: a bracket has no label"),
        ("(S (N\xff\udcff (NN a)))", "is not UTF-8"),
        ("a\0b", "outside of brackets"),
    ],
)
def test_mistakes_have_their_line(tmp_path: Path, text: str, told: str) -> None:
    path = put(tmp_path, text.encode(errors="surrogateescape"))
    for read in (read_brackets, lambda p: list(read_bracket_batches(p))):
        with pytest.raises(DataError, match=r"data\.mrg") as caught:
            read(path)
        assert told in str(caught.value)


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n"])
def test_nothing_is_told(tmp_path: Path, text: str) -> None:
    with pytest.raises(EmptyError, match=r"data\.mrg"):
        read_brackets(put(tmp_path, text))


def test_utf_16_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="UTF-16"):
        read_brackets(put(tmp_path, TEXT.encode("utf-16")))


def test_nesting_without_end_is_no_matter(tmp_path: Path) -> None:
    path = put(tmp_path, "(S " * 20_000 + "(NN a)" + ")" * 20_000)
    trees = read_brackets(path)
    assert trees.constituents == 20_000
    write_brackets(trees, tmp_path / "out.mrg", indent=True)
    assert read_brackets(tmp_path / "out.mrg")[0].spans() == trees[0].spans()
    assert Brackets.from_nested(trees.nested()).constituents == 20_000
    with pytest.raises(DataError, match="line 1: the tree that begins here does not end"):
        parse_brackets("(S " * 20_000)


def test_escapes() -> None:
    text = "(S (-LRB- -LRB-) (NN a\\/b) (NN -RSB-) (-RRB- -RRB-))"
    assert parse_brackets(text)[0].leaves() == ["-LRB-", "a\\/b", "-RSB-", "-RRB-"]
    trees = parse_brackets(text, unescape=True)
    assert trees[0].leaves() == ["(", "a/b", "]", ")"]
    assert trees[0].tags == ["-LRB-", "NN", "NN", "-RRB-"]
    assert format_brackets(trees) == b"(S (-LRB- -LRB-) (NN a/b) (NN ]) (-RRB- -RRB-))\n"


def test_any_bytes_of_words_come_back() -> None:
    raw = b"(S (NN a\xff\xc2\xa0b) (N\xfe \x00))\n"
    assert format_brackets(parse_brackets(raw)) == raw


@pytest.mark.parametrize(
    ("tree", "told"),
    [
        (BracketTree(["New York"], ["NN"], []), "tree 1: brackets cannot hold the word 'New York'"),
        (BracketTree(["a"], [""], []), "tree 1: brackets cannot hold the tag ''"),
        (BracketTree(["a"], ["NN"], [Constituent(0, 1, "N P")]), "the label 'N P'"),
        (BracketTree(["a"], ["NN"], [Constituent(0, 1, "")]), "the label ''"),
        (BracketTree([], [], []), "a tree without words"),
    ],
)
def test_what_brackets_cannot_hold_is_not_written(tmp_path: Path, tree: BracketTree, told: str) -> None:
    with pytest.raises(DataError) as caught:
        write_brackets(Brackets.from_trees([tree]), tmp_path / "out.mrg")
    assert told in str(caught.value)
    assert not (tmp_path / "out.mrg").exists()


words = st.text(st.sampled_from("aé日()-\\/#<"), min_size=1, max_size=4)
leaves = st.tuples(st.sampled_from(["NN", "-LRB-", "''", "#"]), words)
phrases = st.sampled_from(["S", "NP-SBJ=1", "#", "<X>"])
nodes = st.recursive(
    st.tuples(phrases, leaves),
    lambda inner: st.tuples(phrases, inner, st.one_of(inner, leaves)),
    max_leaves=8,
)


@settings(max_examples=80, deadline=None)
@given(st.lists(nodes, min_size=1, max_size=5), st.booleans(), st.data())
def test_what_is_written_is_read(nested: list[Any], indent: bool, data: Any) -> None:
    made = Brackets.from_nested(nested).with_tops(data.draw(st.sampled_from([None, "", "TOP"])))
    written = format_brackets(made, indent=indent)
    read = parse_brackets(written)
    assert format_brackets(read, indent=indent) == written
    assert [tree.spans() for tree in read] == [tree.spans() for tree in made]
    plain = [tree.leaves() for tree in parse_brackets(written, unescape=True)]
    wanted = [[word.replace("\\/", "/") for word in tree.leaves()] for tree in made]
    assert plain == wanted


@settings(max_examples=40, deadline=None)
@given(st.lists(nodes, min_size=1, max_size=6), st.integers(1, 30), st.booleans(), st.integers(1, 3))
def test_pieces_of_any_size_are_the_file(
    tmp_path_factory: Any, nested: list[Any], piece: int, indent: bool, size: int
) -> None:
    from linnet.formats.brackets._read import _whole_trees

    written = b"# (\n" + format_brackets(Brackets.from_nested(nested), indent=indent) + b"<S>\n"
    blocks = list(_whole_trees(written[k : k + piece] for k in range(0, len(written), piece)))
    assert b"".join(blocks) == written
    assert sum(block.count(b"\n") for block in blocks) == written.count(b"\n")
    path = put(tmp_path_factory.mktemp("pieces"), written)
    batches = list(read_bracket_batches(path, size=size))
    assert all(len(batch) <= size for batch in batches)
    assert [tree for batch in batches for tree in batch.nested()] == read_brackets(path).nested()


def test_a_pipe_is_read_tree_by_tree(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    there = threading.Event()

    def send() -> None:
        with open(path, "wb", buffering=0) as file:
            file.write(TEXT.encode())
            assert there.wait(20)
            file.write(b"(S (NN a))\n")

    thread = threading.Thread(target=send)
    thread.start()
    batches = read_bracket_batches(path)
    assert next(batches).nested() == [NESTED]
    there.set()
    assert next(batches).nested() == [("S", ("NN", "a"))]
    thread.join()


@pytest.mark.parametrize(
    ("text", "is_it"),
    [
        (TEXT, True),
        (TEXT * 3000, True),
        (TEXT[:30], True),
        ("(S (NP (NN a", True),
        ("(hello world)\n(and so on)\n", False),
        ("(see above) A linnet\n", False),
        ("(a (b) c)\n", False),
        ("word tag\n", False),
        ("(())", False),
        ("", False),
    ],
)
def test_detection_by_content(tmp_path: Path, text: str, is_it: bool) -> None:
    assert has_brackets(put(tmp_path, text, "data")) is is_it


def test_a_file_is_one_range(tmp_path: Path) -> None:
    path = put(tmp_path, TEXT * 50)
    (whole,) = ranges(path, BRACKET_FORMATS["brackets"], 100)
    assert sum(map(len, read_bracket_batches(whole))) == 50


@pytest.mark.skipif("LINNET_DATA" not in os.environ, reason="LINNET_DATA names no folder of corpora")
def test_the_sample_of_the_penn_treebank(tmp_path: Path) -> None:
    trees = read_brackets(Path(os.environ["LINNET_DATA"]) / "ptb_sample" / "dev.mrg")
    assert len(trees) == 273
    assert {tree.top for tree in trees} == {""}
    for indent in (False, True):
        write_brackets(trees, tmp_path / "out.mrg", indent=indent)
        assert read_brackets(tmp_path / "out.mrg").nested() == trees.nested()
