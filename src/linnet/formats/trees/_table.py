"""The table of formats of trees: ten columns each, which differ in the last two."""

from __future__ import annotations

from dataclasses import dataclass

from linnet.formats.sequences.conllu import COLUMNS


@dataclass(frozen=True)
class TreeFormat:
    """A row of the table ``TREE_FORMATS``."""

    name: str
    title: str
    about: str
    endings: tuple[str, ...]
    columns: tuple[str, ...]
    graph: tuple[str, ...]  # columns that say more of the arcs, and nothing true of predicted ones


CONLLU = TreeFormat(
    name="conllu",
    title="CoNLL-U",
    about="the ten columns of Universal Dependencies",
    endings=(".conllu",),
    columns=COLUMNS,
    graph=("deps",),
)
CONLLX = TreeFormat(
    name="conllx",
    title="CoNLL-X",
    about="the ten columns of the shared tasks of 2006 and 2007",
    endings=(".conllx",),
    columns=(*COLUMNS[:8], "phead", "pdeprel"),  # cpostag and postag are called upos and xpos here
    graph=("phead", "pdeprel"),
)
TREE_FORMATS: dict[str, TreeFormat] = {row.name: row for row in (CONLLU, CONLLX)}


def named(name: str) -> TreeFormat:
    if name not in TREE_FORMATS:
        known = ", ".join(TREE_FORMATS)
        raise ValueError(f"there is no format {name!r} of trees; there are {known}")
    return TREE_FORMATS[name]
