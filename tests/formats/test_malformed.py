"""Bytes that are not UTF-8 in sentences and running text: they are read, and said."""

import pytest

from linnet.errors import DataWarning
from linnet.formats import read_sequences, read_tree_batches, read_trees
from linnet.formats.sequences import read_sequence_batches

ROW = "1\tki\xff\t_\tN\t_\t_\t0\troot\t_\t_\n\n".encode("latin-1")
FILES = {
    "running.txt": (b"A kite.\nA ki\xff\xfete.\n", "text", 2, "2 sequences of bytes that are not"),
    "words.conll": (b"A D\n\nki\xff N\n\n", "conll", 3, "1 sequence of bytes that is not"),
    "words.tsv": (b"word\ttag\nki\xff\tN\n", "tsv", 2, "1 sequence"),
    "words.conllu": (ROW, "conllu", 1, "1 sequence"),
    "cut.txt": (b"A kite \xe2\x82", "text", 1, "1 sequence"),
    "surrogate.txt": (
        b"A\n\xed\xa0\x80 \xef\xbf\xbd",
        "text",
        2,
        "3 sequences",
    ),  # U+FFFD is a character
}


@pytest.mark.parametrize("name", FILES)
def test_the_first_place_and_the_number_are_said(tmp_path, name):
    data, form, line, told = FILES[name]
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.warns(DataWarning, match=f"{name}, line {line}: {told}") as caught:
        read = read_sequences(path, form)
    assert len(caught) == 1
    words = read.column("form" if form == "conllu" else "word")
    assert any("\ufffd" in word for sentence in words for word in sentence)


def test_trees_and_batches_say_it_with_lines_of_the_file(tmp_path):
    path = tmp_path / "words.conllu"
    path.write_bytes(ROW.replace(b"\xff", b"te") + ROW)
    for read in (read_trees, lambda path: list(read_tree_batches(path))):
        with pytest.warns(DataWarning, match=r"words\.conllu, line 3: 1 sequence"):
            read(path)
    with pytest.warns(DataWarning, match=r"words\.conllu, line 3"):
        list(read_sequence_batches(path, "conllu"))


def test_characters_of_any_script_are_not_complained_of(tmp_path, recwarn):
    path = tmp_path / "fine.txt"
    path.write_bytes("\ufeffA kite\0 \ufffd שלום 鳥 \U0001f985\u2028x\r\n".encode())
    assert read_sequences(path, "text").tokens
    assert not recwarn.list
