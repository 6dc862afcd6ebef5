"""A grammar with weights: words to scores of tags, charts, and trees of phrases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.bracket_tree import WRAPPERS, BracketTree, Constituent
from linnet.errors import DataError
from linnet.features.phrases import PhraseFeatures
from linnet.grammars.binarising import MADE
from linnet.grammars.derivations import Derivations
from linnet.grammars.grammar import Grammar
from linnet.grammars.shape import ChartShape, plain
from linnet.grammars.unknown import UNKNOWN, wider, word_class
from linnet.model.small_trees import PackedTrees
from linnet.structures import Charts

Reals = NDArray[np.float64]
FAILED = "NOPARSE"  # the bracket around a sentence that has no tree


class WordEvents:
    """Words of a grammar as events: known ones, classes of others, wider classes, and unknown ones."""

    def __init__(self, grammar: Grammar) -> None:
        self.names = list(grammar.words)
        classes = [word for word in grammar.words if word.split("-")[0] == UNKNOWN]
        self.members: dict[str, list[int]] = {}
        if grammar.unknown:
            index = {word: k for k, word in enumerate(grammar.words)}
            for name in classes:
                above = wider(name)
                while above is not None:
                    self.members.setdefault(above, []).append(index[name])
                    above = wider(above)
            self.members = {k: v for k, v in self.members.items() if k not in index}
        self.names += self.members
        self.index = {name: k for k, name in enumerate(self.names)}
        self.unknown = grammar.unknown

    @property
    def features(self) -> int:
        """How many events; the last one is of words that are not known at all."""
        return len(self.names) + 1

    def event(self, word: str, first: bool) -> int:
        """Its number."""
        found = self.index.get(word)
        if found is not None and (not self.unknown or word.split("-", maxsplit=1)[0] != UNKNOWN):
            return found
        name: str | None = word_class(word, first) if self.unknown else None
        while name is not None:
            if name in self.index:
                return self.index[name]
            name = wider(name)
        return len(self.names)

    def rows(self, sentences: list[list[str]]) -> _core.Rows:
        """One event for each word."""
        ids = [self.event(word, t == 0) for words in sentences for t, word in enumerate(words)]
        ones = np.ones(len(ids), np.float32)
        starts = np.arange(len(ids) + 1, dtype=np.int64)
        return _core.Rows.csr(starts, np.array(ids, np.int32), ones, self.features, 0.0)


@dataclass
class GrammarModel:
    """Rules, weights (flat, as `Charts` lays them out), and what is seen of words and spans."""

    grammar: Grammar
    shape: ChartShape
    weights: Reals
    features: PhraseFeatures | None = None  # None: words are events, and spans have no features
    coarse_counts: Reals | None = None  # of rules, which the coarse grammar is made of; None: weights
    within: float | None = None  # how far behind the best the coarse pass lets symbols be; None: none
    packed: PackedTrees | None = (
        None  # weights of features in a few bits, if they were rounded to these
    )

    def rounded(self, bits: int) -> GrammarModel:
        """With weights of features in a few bits."""
        tables, rules = self._blocks(self.weights)
        packed = {
            name: PackedTrees.of_tensors({name: table.astype(np.float32)}, table.shape[1], bits)
            for name, table in tables.items()
        }
        joined = PackedTrees({name: each.tables[name] for name, each in packed.items()}, frozenset())
        return self.unpacked(joined, np.concatenate(rules))

    def unpacked(self, packed: PackedTrees, rules: Reals) -> GrammarModel:
        """With weights of features that are packed, and others of rules."""
        weights = np.zeros(self.structure([]).layout.dim)
        tables, tied = self._blocks(weights)
        wide = packed.widened()
        if (
            {name: (len(block), packed.tables[name].width) for name, block in wide.items()}
            != {name: table.shape for name, table in tables.items()}
        ) or len(rules) != sum(map(len, tied)):
            raise DataError("it has other weights than rules and features")
        for name, table in tables.items():
            table[...] = wide[name][:, : table.shape[1]]
        begin = 0
        for each in tied:
            each[...] = rules[begin : begin + len(each)]
            begin += len(each)
        return replace(self, weights=weights, packed=packed)

    def tied_weights(self) -> Reals:
        """Those of rules, and of all that has no features."""
        return np.concatenate(self._blocks(self.weights)[1])

    def _blocks(self, weights: Reals) -> tuple[dict[str, Reals], list[Reals]]:
        """Views of tables, (features + 1, width), and of the others one after the other."""
        parts = self.structure([[]]).layout.parts(weights)
        tables = {name: part for name, part in parts.items() if part.ndim == 2}
        return tables, [part for part in parts.values() if part.ndim == 1]

    @cached_property
    def events(self) -> WordEvents:
        """Of words."""
        return WordEvents(self.grammar)

    @cached_property
    def names(self) -> list[str]:
        """Of symbols, without what binary trees added."""
        return [plain(name) for name in self.shape.symbols]

    def structure(self, sentences: list[list[str]], gold: Derivations | None = None) -> Charts:
        """Sentences with their rows."""
        return structure(self.shape, self.events, self.features, sentences, gold)

    @cached_property
    def coarse(self) -> _core.CoarsePass | None:
        """The grammar of labels alone; None if it would be the same, or is not wanted."""
        if self.within is None:
            return None
        names = self.names
        symbols = sorted(set(names))
        if len(symbols) == len(names):
            return None
        code = {name: k for k, name in enumerate(symbols)}
        of = np.array([code[name] for name in names])
        rules = len(self.shape.binary)
        scores = self._rule_scores()
        binary, own = _projected(of[self.shape.binary], scores[:rules], self.coarse_counts is not None)
        unary, low = _projected(of[self.shape.unary], scores[rules:], self.coarse_counts is not None)
        if self.coarse_counts is not None:
            totals = np.bincount(binary[:, 0], own, len(symbols))
            totals += np.bincount(unary[:, 0], low, len(symbols))
            own, low = np.log(own / totals[binary[:, 0]]), np.log(low / totals[unary[:, 0]])
        tags = np.unique(of[self.shape.tags])
        labels = np.zeros(len(symbols), np.int32)
        labels[of] = self.shape.label_of
        grammar = _core.ChartGrammar(
            len(symbols),
            int(of[self.shape.start]),
            self.shape.chains,
            tags.tolist(),
            labels.tolist(),
            self.shape.counts.tolist(),
            binary.astype(np.int32),
            unary.astype(np.int32),
        )
        place = {int(k): j for j, k in enumerate(tags)}
        mine = [place[int(of[k])] for k in self.shape.tags]
        return _core.CoarsePass(grammar, own, low, of.tolist(), mine, float(self.within))

    def _rule_scores(self) -> Reals:
        if self.coarse_counts is not None:
            return self.coarse_counts
        layout = self.structure([[]]).layout.parts(self.weights)
        found = [layout[name] for name in ("rules", "unaries") if name in layout]
        return np.concatenate([*found, np.zeros(0)])

    def trees(
        self, data: Charts, decode: str, keep: float, threads: int
    ) -> list[tuple[float, BracketTree | None]]:
        """One tree for each sentence, with its score."""
        found = _core.chart_trees(
            data.dataset(np.ones(data.size)),
            self.weights,
            decode,
            self.coarse,
            keep,
            threads,
        )
        return self._unpacked(*found)

    def several(self, packed: tuple[Any, Any]) -> list[list[tuple[float, BracketTree]]]:
        """What k-best lists and samples are."""
        counts, trees = packed
        all_ = iter(self._unpacked(*trees))
        return [[self._there(next(all_)) for _ in range(count)] for count in counts.tolist()]

    @staticmethod
    def _there(found: tuple[float, BracketTree | None]) -> tuple[float, BracketTree]:
        assert found[1] is not None
        return found[0], found[1]

    def _unpacked(
        self, scores: Any, starts: Any, nodes: Any, tag_starts: Any, tags: Any
    ) -> list[tuple[float, BracketTree | None]]:
        """Without what binary trees added; words are put in by who has them."""
        names = self.names
        tag_names = [names[k] for k in self.shape.tags.tolist()]
        start = self.shape.symbols[self.shape.start]
        rows, bounds, places = nodes.tolist(), starts.tolist(), tag_starts.tolist()
        found: list[tuple[float, BracketTree | None]] = []
        for i, score in enumerate(scores.tolist()):
            own = [tag_names[k] for k in tags[places[i] : places[i + 1]].tolist()]
            if not own:
                found.append((score, None))
                continue
            spans = [
                Constituent(begin, end, names[symbol])
                for begin, end, symbol in rows[bounds[i] : bounds[i + 1]]
                if names[symbol][:1] != MADE
            ]
            top = None
            if spans and spans[0].label == start and start in WRAPPERS:
                top, spans = start, spans[1:]
            found.append((score, BracketTree(own, own, spans, top)))
        return found

    def flat(self, words: Sequence[str]) -> BracketTree:
        """What is told of a sentence without a tree: words with their likeliest tags.

        Words that no tag may become have the tag ``UNK``.
        """
        table = self.structure([[]]).layout.parts(self.weights)["tokens"]
        names = np.array([plain(self.shape.symbols[k]) for k in self.shape.tags.tolist()])
        if self.features is None:
            at = [self.events.event(word, t == 0) + 1 for t, word in enumerate(words)]
            scores = table[at] + self._log_tags
        else:
            starts, places = self.features.token_places([list(words)])
            scores = np.add.reduceat(table[places + 1], starts[:-1], axis=0) + table[0]
        tags = names[scores.argmax(axis=1)]
        tags[~np.isfinite(scores).any(axis=1)] = UNKNOWN
        return BracketTree(list(words), tags.tolist(), [], FAILED)

    @cached_property
    def _log_tags(self) -> Reals:
        """How often each tag was seen; all alike if that is not known."""
        if self.coarse_counts is None:
            return np.zeros(len(self.shape.tags))
        seen = np.zeros(len(self.shape.symbols))
        rules = len(self.shape.binary)
        for below, counts in (
            (self.shape.binary[:, 1], self.coarse_counts[:rules]),
            (self.shape.binary[:, 2], self.coarse_counts[:rules]),
            (self.shape.unary[:, 1], self.coarse_counts[rules:]),
        ):
            np.add.at(seen, below, counts)
        return np.asarray(np.log(np.maximum(seen[self.shape.tags], 0.5)))


def structure(
    shape: ChartShape,
    events: WordEvents,
    features: PhraseFeatures | None,
    sentences: list[list[str]],
    gold: Derivations | None = None,
    lexicon: Reals | None = None,
) -> Charts:
    """Sentences with their rows, and what is known of their trees."""
    lengths = np.array([len(words) for words in sentences], np.int64)
    rows = events.rows(sentences) if features is None else features.token_rows(sentences)
    spans = None if features is None else features.span_rows(sentences)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    known = Derivations.unknown(lengths) if gold is None else gold
    return Charts(rows, offsets, known, shape, spans, lexicon)


def _projected(rules: NDArray[Any], scores: Reals, summed: bool) -> tuple[NDArray[Any], Reals]:
    """Coarse rules, each once, with the sum or the largest of what belongs to it."""
    if not len(rules):
        return rules, scores
    found, inverse = np.unique(rules, axis=0, return_inverse=True)
    inverse = inverse.ravel()
    if summed:
        return found, np.bincount(inverse, scores, len(found)).astype(np.float64)
    best = np.full(len(found), -np.inf)
    np.maximum.at(best, inverse, scores)
    return found, best


def lexicon_of(grammar: Grammar, events: WordEvents, shape: ChartShape, counts: Counter[Any]) -> Reals:
    """How many of each tag are expected of a word that was seen once more: as of its class.

    ``counts``: of (tag, word). Words of hand-written grammars have the tags that rules give them.
    """
    index = {name: k for k, name in enumerate(grammar.symbols)}
    number = {int(k): j for j, k in enumerate(shape.tags)}
    found = np.zeros((events.features, len(shape.tags)))
    if not grammar.unknown:
        for symbol, word in grammar.lexical.tolist():
            found[word, number[symbol]] = 1.0
        return found
    table = np.zeros_like(found)
    for (tag, word), count in counts.items():
        table[events.index[word], number[index[tag]]] += count
    for name, members in events.members.items():
        table[events.index[name]] = table[members].sum(axis=0)
    for k, word in enumerate(grammar.words):
        own: str | None = word if word.split("-")[0] == UNKNOWN else word_class(word)
        while own is not None and own not in events.index:
            own = wider(own)
        row = table[k if own is None else events.index[own]]
        found[k] = row / max(row.sum(), 1.0)
    return found
