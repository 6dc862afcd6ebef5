"""Parsers of more trees than memory holds: shards of which one at a time is there."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import linnet._core as _core
from linnet import engines
from linnet._memory import check_held, limited, shown
from linnet.data.kept import Kept, Pieces
from linnet.data.sequences import UNSAID
from linnet.data.trees import Trees
from linnet.engines import Paged
from linnet.errors import DataError, RefusedError, setting
from linnet.estimators.caching import Cache, check_limit, limit_of
from linnet.estimators.parsing.choice import (
    MOST_BITS,
    ParsingChoice,
    bits_within,
    choose_parsing,
    weights_of,
)
from linnet.estimators.parsing.input import NOT_SEEN, check_lengths
from linnet.estimators.parsing.settings import learn
from linnet.estimators.sentence_files import (
    PER_TAGGED,
    FilesInParts,
    TreeFile,
    check_alone,
    check_read_there,
    check_together,
    not_in_parts,
    shard_bytes,
)
from linnet.features.arcs import ArcFeatures
from linnet.training.tree_shards import TreesInParts

WORKING = 24 * 10**6  # bytes for the trees at hand, and what becomes of them
PER_WORD = 900  # bytes of a word in memory, with the arcs that it may have
PER_WEIGHT = 24  # bytes of a weight while it is learnt, and when the model is made


class TreesSeen:
    """What a pass over trees has shown: sizes, and columns that say something."""

    def __init__(self, max_words: int, facts: Mapping[str, Any] | None = None) -> None:
        self.max_words = max_words
        self.sums: dict[str, int] = {} if facts is None else dict(facts["sums"])
        self.unsaid: dict[str, int] = {} if facts is None else dict(facts["unsaid"])
        self.arcs: int = 0 if facts is None else facts["arcs"]

    def add(self, some: Trees) -> None:
        """The next trees."""
        check_lengths(some, self.max_words)
        for name, value in some.statistics().items():
            if name != "relations":  # names, counted by who keeps them
                self._add(name, value)
        for name, texts in some.columns.items():
            codes, names = texts.codes()
            gone = int((codes == names.index(UNSAID)).sum()) if UNSAID in names else 0
            self.unsaid[name] = self.unsaid.get(name, 0) + gone
        self.arcs += int(((some.relations.codes >= 0) & (some.heads >= 0)).sum())

    def facts(self) -> dict[str, Any]:
        """As JSON."""
        return {"sums": self.sums, "unsaid": self.unsaid, "arcs": self.arcs}

    def anew(self) -> TreesSeen:
        """One that has seen nothing."""
        return TreesSeen(self.max_words)

    def merge(self, facts: dict[str, Any]) -> None:
        """What another one has seen."""
        for name, value in facts["sums"].items():
            self._add(name, value)
        for name, gone in facts["unsaid"].items():
            self.unsaid[name] = self.unsaid.get(name, 0) + gone
        self.arcs += facts["arcs"]

    def _add(self, name: str, value: int) -> None:
        before = self.sums.get(name, 0)
        self.sums[name] = max(before, value) if name == "longest" else before + value

    def __len__(self) -> int:
        return self.sums["sentences"]

    @property
    def tokens(self) -> int:
        """Of all trees."""
        return self.sums["tokens"]

    def statistics(self) -> dict[str, Any]:
        """As of `Trees`."""
        return self.sums

    def columns(self) -> list[str]:
        """As `seen_columns` has them."""
        said = [name for name, gone in self.unsaid.items() if name == "form" or gone < self.tokens]
        return [name for name in said if name not in NOT_SEEN]

    def unsaid_shares(self, columns: list[str]) -> dict[str, float]:
        """As `unsaid_shares` has them."""
        return {name: self.unsaid[name] / max(1, self.tokens) for name in columns}


def fit_files(model: Any, given: Any, memory: Any, cache: Any) -> None:
    """Learn from files, some trees at a time if not all fit."""
    limit = limit_of(memory)
    check_alone(given, cache)
    made = isinstance(given, FilesInParts)
    files = given if made else FilesInParts([TreeFile.of(path, model.roots) for path in given])
    engine = engines.in_use()
    if engine is not None and engine.far:
        from linnet.estimators.parsing.machines import ParserOnMachines, why_here

        assert limit is not None
        check_read_there(why_here(model, files))
        with limited(limit):
            ParserOnMachines(model, files, engine, limit).fit()
        return
    if limit is None:
        ParserOutOfCore(model, files, None, cache).fit()
        return
    with limited(limit):
        ParserOutOfCore(model, files, limit, cache).fit()


class ParserOutOfCore:
    """Files, the limit of memory, and the place for what is kept of trees."""

    def __init__(self, model: Any, files: FilesInParts, limit: int | None, cache: Any) -> None:
        self.model, self.files, self.limit = model, files, limit
        self.cache = Cache(None if cache is None else os.fspath(cache), files)
        self.left = 0.0 if limit is None else limit - check_limit(limit) - WORKING
        self.shard = 0 if limit is None else shard_bytes(limit, self.left)

    def fit(self) -> None:
        """As if all were in memory, if they can be; else shard by shard."""
        model = self.model
        seen = TreesSeen(model.max_words)
        kept = self.files.kept(self.cache, seen)
        if not seen.sums:
            seen = TreesSeen(model.max_words, kept.stored.facts["seen"])
            self._check_lengths(seen)
        self._check(seen)
        if self._fits(seen, kept):
            model._fit(kept.read_trees(0, len(kept.sizes), model.roots), whole=False)
            return
        assert self.limit is not None
        check_together(False, self.limit)
        self._check_settings()
        shards = [Pieces(kept, *bounds) for bounds in kept.cut(self.shard // PER_WORD)]
        with engines.engine(Paged(len(shards))):
            self._in_shards(kept, seen, shards)

    def _check(self, seen: TreesSeen) -> None:
        name = self.files.files[0].path
        if seen.sums["missing_heads"] == seen.tokens:
            raise DataError(f"{name} has no trees: no word has a head")
        if seen.sums["missing_relations"] == seen.tokens:
            raise DataError(
                f"{name} has heads only: no word has a relation to its head; one name for all will do"
            )

    def _check_lengths(self, seen: TreesSeen) -> None:
        if seen.sums["longest"] > self.model.max_words:
            raise DataError(
                f"the longest sentence has {seen.sums['longest']} words, of {self.model.max_words} at "
                f"the most; split it into sentences, or raise the limit by {setting('max_words')}"
            )

    def _fits(self, seen: TreesSeen, kept: Kept) -> bool:
        """Would all trees and the learner of them be below the limit?"""
        if self.limit is None:
            return True
        per_word = PER_WORD + (0 if self.model.tagger is None else PER_TAGGED)
        weights = sum(weights_of(seen.tokens, len(kept.relations), MOST_BITS).values())
        return per_word * seen.tokens + PER_WEIGHT * weights <= self.left

    def _check_settings(self) -> None:
        """What needs all trees at once."""
        model = self.model
        for name, said in (
            ("tagger", model.tagger is not None),
            ("diagnostics", model.diagnostics is True),
        ):
            if said:
                raise RefusedError(not_in_parts(name))

    def _in_shards(self, kept: Kept, seen: TreesSeen, shards: list[Any]) -> None:
        assert self.limit is not None
        model, columns = self.model, seen.columns()
        room = (self.left - self.shard) / PER_WEIGHT
        most_bits = bits_within(seen.tokens, len(kept.relations), room)
        choice = choose_parsing(model, seen, columns, most_bits)
        self._check_room(choice, len(kept.relations))
        sampled = self.shard // PER_WORD
        trees = TreesInParts(
            kept,
            shards,
            model.roots,
            columns,
            sampled,
            bool(seen.sums["missing_heads"]),
            seen.arcs,
        )
        choice.why.append(
            f"shards: {len(shards)}, one at a time in memory, since all trees do not fit into "
            f"{shown(self.limit)}; candidates are learnt from a sample of "
            f"{min(sampled, seen.tokens):,} words"
        )
        found, record = learn(model, trees, choice)
        model.taggers_, model.segmenter_ = {}, None
        shares = seen.unsaid_shares(found.columns)
        names = kept.relations
        model._learnt(trees, names, choice, [], found, record, seen.statistics(), shares)

    def _check_room(self, choice: ParsingChoice, relations: int) -> None:
        """Refuse weights that do not fit, before trees are gone through."""
        joint = self.model.joint
        own = 2**joint.hash_bits if isinstance(joint, ArcFeatures) else 0
        weights = choice.arcs.n_features + own * _core.padded(relations)
        check_held(
            float(PER_WEIGHT * weights),
            f"{weights:,} weights of arcs and relations",
            f"hash features into fewer (hash_bits of ArcFeatures), or raise {setting('memory')}",
        )
