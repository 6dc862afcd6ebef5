"""Blanks around tokens: text that rules have cut comes back to the character, too."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from linnet.data import Trees
from linnet.data.sequences import token_strings
from linnet.data.surface import Surface, escaped, unescaped

BLANKS = st.text(alphabet=" \t\n\r", max_size=4)
PIECES = st.text(alphabet="abc.,!'“”ßé-|\\ \n\t", max_size=30)


@given(st.lists(PIECES, min_size=1, max_size=4))
@example([" Wanda  looks.\nShe doesn't.  \n\nAn owl! ", "x"])
@example(["a|b \\s c"])
def test_text_that_rules_cut_comes_back(texts: list[str]) -> None:
    cut = Trees.from_texts(texts).sequences
    documents = np.unique(cut.documents)  # those with any word
    of = np.repeat(cut.documents, cut.lengths)
    tokens = Surface.of(cut)
    for document in documents.tolist():
        begin, end = np.searchsorted(of, [document, document + 1]).tolist()
        assert "".join(tokens.pieces(begin, end)) == texts[document]


def test_what_is_said_of_blanks() -> None:
    cut = Trees.from_texts([" A wren, too.\n"]).sequences
    assert token_strings(cut.columns["misc"]) == [
        "SpacesBefore=\\s",
        "SpaceAfter=No",
        "_",
        "SpaceAfter=No",
        "SpacesAfter=\\n",
    ]


@given(BLANKS)
def test_blanks_are_written_and_read(blanks: str) -> None:
    assert unescaped(escaped(blanks)) == blanks
