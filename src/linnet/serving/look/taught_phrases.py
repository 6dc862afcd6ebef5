"""Trees of phrases that a person corrects: some brackets are pinned, others found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.bracket_tree import BracketTree, Constituent
from linnet.data.brackets import Brackets
from linnet.errors import DataError, RefusedError
from linnet.estimators.phrases.going_on import gone_on
from linnet.estimators.tagging.first import fit_taggers, make_taggers
from linnet.serving.look.phrase_models import best_trees, is_grammar, ranked, shares

Told = dict[str, Any]
Words = Sequence[Sequence[str]]
Pairs = list[tuple[Sequence[str], Told]]
Span = tuple[int, int, str]
REMINDED = 100  # trees
TAG = "pos"


class Phrases:
    """Brackets (begin, end, label), outer ones first, and a tag for each word."""

    name = "phrases"

    def __init__(self, model: Any, pool: Words, train: Brackets | None) -> None:
        self.first, self.pool = model, pool
        self.train = None if train is None else train.cleaned()
        self.names = [str(name) for name in model.classes_.tolist()]

    # ------------------------------------------------------------------ trees

    def trees(self, model: Any, sentences: Words) -> list[Told]:
        """Brackets, tags, and how probable brackets are, if they are."""
        return self._told(model, sentences, None, None, None)

    def _told(self, model: Any, sentences: Words, known: Any, without: Any, tags: Any) -> list[Told]:
        if not sentences:
            return []
        found = best_trees(model, sentences, known, without, tags)
        sure = shares(model, sentences, known, without)
        rows = []
        for i, tree in enumerate(found):
            brackets = [(b, e, label) for b, e, label in tree.spans()]
            likely = {} if sure is None else {tuple(span): p for span, p in sure[i]}
            each = None if sure is None else [round(likely.get(span, 0.0), 4) for span in brackets]
            rows.append(
                {"brackets": [list(one) for one in brackets], "tags": list(tree.tags), "sure": each}
            )
        return rows

    def redrawn(self, model: Any, words: Sequence[str], asked: Mapping[str, Any]) -> Told:
        """Under brackets that are pinned and others that are forbidden, and tags: {place: tag}.

        What no tree of the model keeps to is done by hand to ``tree``: brackets that cross what is
        pinned are gone, and the others stay.
        """
        size = len(words)
        pinned, forbidden = (
            _spans(asked.get(name) or [], size, name) for name in ("pinned", "forbidden")
        )
        tags = _tags(asked.get("tags") or {}, size)
        given = [[tags.get(k) for k in range(size)]] if tags else None
        # What it has no name for is done by hand at last.
        known, out = ([one for one in each if one[2] in self.names] for each in (pinned, forbidden))
        by_hand = ""
        try:
            told = self._told(model, [words], [known], [out], given)[0]
        except DataError as error:
            by_hand = str(error)
            told = self.checked(asked.get("tree"), words) | {"sure": None}
        if by_hand or len(known) < len(pinned):
            by_hand = by_hand or "there are labels that the parser does not know"
            told |= {
                "brackets": self._by_hand(told["brackets"], words, pinned, forbidden),
                "sure": None,
            }
        for k, tag in tags.items():
            told["tags"][k] = tag
        return told | {"by_hand": by_hand}

    @staticmethod
    def _by_hand(
        brackets: list[Any], words: Sequence[str], pinned: list[Span], forbidden: list[Span]
    ) -> list[list[Any]]:
        for one in pinned:
            if crossing := next((other for other in pinned if _cross(one, other)), None):
                raise DataError(f"{_said(one, words)} and {_said(crossing, words)} cross: let one go")
        kept = [
            span
            for span in map(tuple, brackets)
            if span not in forbidden and not any(_cross(span, one) for one in pinned)
        ]
        kept += [one for one in pinned if one not in kept]
        kept.sort(key=lambda span: (span[0], -span[1]))  # what is new is inside of the same words
        return [list(span) for span in kept]

    def checked(self, tree: Any, words: Sequence[str]) -> Told:
        """Brackets that do not cross, and a tag for each word."""
        spans, tags = (tree.get(x) if isinstance(tree, dict) else None for x in ("brackets", "tags"))
        size = len(words)
        if not isinstance(tags, list) or len(tags) != size or not all(map(_is_name, tags)):
            raise DataError(
                f"tree: {size} tags are wanted, one for each word, without blanks or brackets"
            )
        found = _spans(spans, size, "brackets")
        try:
            self._tree(words, found, tags)
        except DataError as error:
            raise DataError(f"that is no tree: {error}") from None
        return {"brackets": [list(span) for span in found], "tags": list(tags)}

    @staticmethod
    def _tree(words: Sequence[str], spans: Sequence[Any], tags: Sequence[str]) -> BracketTree:
        tree = BracketTree(list(words), list(tags), [Constituent(*span) for span in spans])
        return Brackets.from_trees([tree])[0]

    def line(self, tree: Told, words: Sequence[str]) -> str:
        """In brackets."""
        return self._tree(words, tree["brackets"], tree["tags"]).one_line()[:300]

    def sure(self, model: Any, sentences: Words) -> NDArray[np.float64]:
        """The mean probability of the brackets of a tree; of margins, the lead for each word."""
        if model.no_probabilities() is None:
            rows = [one["sure"] for one in self._told(model, sentences, None, None, None)]
            return np.array([np.mean(row) if row else 0.0 for row in rows], np.float64)
        found = ranked(model, sentences, 2)
        leads = [two[0][1] - two[1][1] if len(two) > 1 else np.inf for two in found]
        sizes = np.array([len(words) for words in sentences])
        return np.asarray(np.minimum(np.array(leads) / sizes, 1.0), np.float64)

    # ------------------------------------------------------------------ learning

    def go_on(self, base: Any, trees: Pairs) -> Any:
        """By steps over these and some that it knew."""
        if is_grammar(base):
            raise RefusedError(
                "a grammar has no steps to go on by; it is learnt from all trees at once"
            )
        taught = {tuple(words) for words, _ in trees}
        known = [tree for tree in self._reminders if tuple(tree.words) not in taught]
        return gone_on(base, Brackets.from_trees([*known, *self._made(trees)]))

    @cached_property
    def _reminders(self) -> list[BracketTree]:
        """Trees that it was trained on, or of the pool as it parses them as it came."""
        if self.train is None:
            return best_trees(self.first, self.pool[:REMINDED])
        places = np.random.default_rng(0).permutation(len(self.train))[:REMINDED]
        return list(self.train.take(places))

    def refit(self, made: Pairs) -> Any:
        """The parser alone: its tagger stays."""
        new = self._made(made)
        if is_grammar(self.first):
            return self.first.__sklearn_clone__().fit(Brackets.from_trees([*self._tagged, *new]))
        words = self.first._read(
            Brackets.from_trees(new).sequences, retag=bool(self.first.taggers_)
        ).words
        tags = words.column(TAG)
        new = [
            BracketTree(tree.words, own, tree.constituents) for tree, own in zip(new, tags, strict=True)
        ]
        fresh = self.first.__sklearn_clone__().set_params(tagger=None)
        fresh.fit(Brackets.from_trees([*self._tagged, *new]))
        fresh.set_params(tagger=self.first.tagger)
        fresh.taggers_ = self.first.taggers_
        return fresh

    @cached_property
    def _tagged(self) -> list[BracketTree]:
        """What it was trained on, with tags by taggers that have not seen the sentence."""
        assert self.train is not None
        model = self.first
        if not model.taggers_:
            return list(self.train)
        settings = {"random_state": model.random_state, "n_jobs": model.n_jobs}
        folds, seed = model.jackknife, int(model.random_state)
        taggers = make_taggers("auto", [TAG], settings)
        _, columns = fit_taggers(taggers, self.train.sequences, folds, seed)
        words = self.train.sequences
        tags = [list(one) for one in words.by_sentence(_strings(columns.get(TAG, words.columns[TAG])))]
        return [
            BracketTree(tree.words, own, tree.constituents)
            for tree, own in zip(self.train, tags, strict=True)
        ]

    def _made(self, trees: Pairs) -> list[BracketTree]:
        return [self._tree(words, tree["brackets"], tree["tags"]) for words, tree in trees]


def _strings(texts: Any) -> list[str]:
    from linnet.data.sequences import token_strings

    return token_strings(texts)


def _spans(given: Any, size: int, name: str) -> list[Span]:
    """Brackets within the sentence."""
    found = []
    for row in given if isinstance(given, list) else [None]:
        whole = isinstance(row, (list, tuple)) and len(row) == 3 and type(row[0]) is type(row[1]) is int
        if row is None or not whole or not 0 <= row[0] < row[1] <= size or not _is_name(row[2]):
            raise DataError(
                f"{name}: [[begin, end, label], …] of words is wanted, labels without blanks"
            )
        found.append((row[0], row[1], row[2]))
    return found


def _tags(given: Any, size: int) -> dict[int, str]:
    if not isinstance(given, dict) or not all(
        str(k).isdigit() and int(k) < size and _is_name(tag) for k, tag in given.items()
    ):
        raise DataError("tags: an object of numbers of words and their tags is wanted, without blanks")
    return {int(k): tag for k, tag in given.items()}


def _is_name(given: Any) -> bool:
    """As files of brackets can hold it."""
    return (
        isinstance(given, str)
        and bool(given)
        and given.split() == [given]
        and not set(given) & set("()")
    )


def _cross(one: Sequence[Any], other: Sequence[Any]) -> bool:
    return bool(one[0] < other[0] < one[1] < other[1] or other[0] < one[0] < other[1] < one[1])


def _said(span: Span, words: Sequence[str]) -> str:
    return f"{span[2]} over “{' '.join(words[span[0] : span[1]])}”"
