"""Files of trees and of running text, for commands."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import click

from linnet.cli.files import arriving, filled, is_pipe, opened, tell_notes
from linnet.errors import EmptyError, setting

TEXT = "text"
LINES, VERTICAL = "lines", "vertical"  # a sentence to a line; a word to a line, empty ones between


def tree_form(path: Any, given: dict[str, Any], usual: str | None = None) -> str:
    """CoNLL-U or CoNLL-X, and text where it is the usual format of a pipe or ends in .txt."""
    from linnet.formats import TREE_FORMATS
    from linnet.formats.trees import detect_trees

    asked = given.get("format_")
    known = [*TREE_FORMATS, *([TEXT, LINES, VERTICAL] if usual else [])]
    if asked is not None:
        if asked not in known:
            raise click.UsageError(f"--format {asked}: a parser reads {', '.join(known)}")
        return str(asked)
    if is_pipe(path):
        return found_trees(path) or usual or "conllu"
    if usual and os.fspath(path).lower().endswith((".txt", ".md", ".txt.gz", ".md.gz")):
        return TEXT
    return detect_trees(path)


def found_trees(path: Any) -> str | None:
    """The format if the first lines that have arrived are columns of trees."""
    from linnet.formats.sequences import evident_columns
    from linnet.formats.trees import detect_trees

    try:
        return detect_trees(path) if evident_columns(path)[0] == "conllu" else None
    except EmptyError:
        return None


def read_gold(path: Any, given: dict[str, Any], roots: str) -> Any:
    """Trees to learn from, or to compare with."""
    from linnet.formats.trees import read_trees

    path = opened(path)
    trees = read_trees(path, tree_form(path, given), labelled=True, roots=roots)
    if not given.get("quiet"):
        tell_notes(trees)
    return trees


def tell_unseen(model: Any, gold: Any) -> None:
    """Relations that the model cannot guess, and those that are not there."""
    known = {name.split(":")[0] for name in model.classes_.tolist()}
    unseen = [name for name in gold.without_subtypes().relations.names if name not in known]
    source = gold.sequences.source
    if unseen:
        names = ", ".join(unseen[:5]) + (", …" if len(unseen) > 5 else "")
        click.echo(f"note: {source} has relations never seen in training: {names}", err=True)
    if not (gold.relations.codes >= 0).any():
        click.echo(f"note: {source} has no relations, so that LAS says nothing", err=True)


def usual_form(model: Any) -> str:
    """What a pipe holds: running text if the model needs words alone, else CoNLL-U."""
    return TEXT if not model.words_lack() else "conllu"


def batches(model: Any, path: Any, given: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The format to write, and sentences as they come, their heads not looked at."""
    path = arriving(path)
    return filled(path, _batches(model, path, given))


def _batches(model: Any, path: Any, given: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    from linnet.data.sequences import token_strings
    from linnet.formats.sequences import read_sequence_batches
    from linnet.formats.trees import read_tree_batches

    form = tree_form(path, given, usual_form(model))
    if form not in (TEXT, LINES, VERTICAL):
        for trees in read_tree_batches(path, form, labelled=False, roots="many"):
            yield form, trees
        return
    check_words(model, path)
    if form == VERTICAL:
        for sentences in read_sequence_batches(path, "conll", delimiter="tab", labelled=False):
            yield "conllu", _words_of(sentences)
        return
    by_line = is_pipe(path) or form == LINES
    for sentences in read_sequence_batches(path, TEXT, by_line=by_line):
        end = "\n" if by_line else ""
        assert sentences.texts is not None
        texts = [text + end for text in token_strings(sentences.texts)]
        yield "conllu", model.cut_texts(texts, by_text=form == LINES)


def _words_of(sentences: Any) -> Any:
    """Words in a column, of which only the first is looked at."""
    from dataclasses import replace

    words = next(iter(sentences.columns.values()))
    return replace(sentences, columns={"word": words}, labels=None, layout=())


def check_words(model: Any, path: Any) -> None:
    """Of running text only words are known."""
    if model.words_lack():
        raise click.UsageError(
            f"{path} is running text, but the model looks at {', '.join(model.words_lack())}; give "
            f"CoNLL-U, or train a parser that begins with words alone: {setting('tagger', 'auto')}"
        )
