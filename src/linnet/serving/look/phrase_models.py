"""What the page asks of parsers of phrases: those of spans and those of grammars alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linnet.data.bracket_tree import BracketTree, Constituent
from linnet.data.brackets import Brackets
from linnet.data.sequences import Sequences
from linnet.errors import DataError

Spans = list[list[Any]] | None  # of each sentence (begin, end, label)
LEAST = 0.02  # how probable a bracket is that is told


def is_grammar(model: Any) -> bool:
    """A grammar has tags as symbols, and is asked by words alone."""
    return hasattr(model, "grammar_")


def judged_trees(model: Any, gold: Brackets) -> Brackets:
    """Trees of sentences whose tags are not looked at, where the model has its own."""
    return model.parse_trees(gold, retag=model.tags_words)  # type: ignore[no-any-return]


def best_trees(
    model: Any,
    words: Sequence[Sequence[str]],
    known: Spans = None,
    without: Spans = None,
    tags: Sequence[Sequence[str | None]] | None = None,
) -> list[BracketTree]:
    """Of each sentence, under brackets that must or must not be there, and tags that are certain."""
    if is_grammar(model):
        given = {"known": known, "forbidden": without, "tags": tags}
        found = model.predict([list(one) for one in words], **given)
        trees = list(found)
        if known is not None or without is not None or tags is not None:
            for i, tree in enumerate(trees):
                if tree.top == model.failed:
                    raise DataError(f"sentence {i + 1}: no tree of the grammar keeps to all of this")
        return trees
    return list(model.parse_trees(_tokens(words, tags), known=known, without=without))


def ranked(
    model: Any, words: Sequence[Sequence[str]], k: int, known: Spans = None, without: Spans = None
) -> list[list[tuple[BracketTree, float]]]:
    """The k best trees of each sentence."""
    if is_grammar(model):
        given = [list(one) for one in words]
        return model.ranked_trees(given, k, known=known, forbidden=without)  # type: ignore[no-any-return]
    found = model.predict(_tokens(words), k=k, known=known, without=without)
    return [list(trees) for trees in found]


def shares(
    model: Any, words: Sequence[Sequence[str]], known: Spans = None, without: Spans = None
) -> list[list[tuple[Constituent, float]]] | None:
    """How probable brackets are; None: scores are margins."""
    if model.no_probabilities() is not None:
        return None
    if is_grammar(model):
        found = model.predict_proba([list(one) for one in words], known=known, forbidden=without)
        return [
            sorted(
                ((Constituent(*span), p) for span, p in each.items() if p >= LEAST),
                key=lambda row: (row[0].begin, -row[0].end),
            )
            for each in found
        ]
    return model.predict_proba(  # type: ignore[no-any-return]
        _tokens(words), known=known, without=without, least=LEAST
    )


def _tokens(words: Sequence[Sequence[str]], tags: Any = None) -> Any:
    if tags is None:
        return [[(word, None) for word in one] for one in words]
    return [list(zip(one, given, strict=True)) for one, given in zip(words, tags, strict=True)]


def texts_of(data: Sequences | Brackets) -> list[list[str]]:
    """The words of sentences."""
    if isinstance(data, Brackets):
        return data.column("word")
    name = "word" if "word" in data.columns else "form"
    return data.column(name)
