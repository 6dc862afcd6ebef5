"""Taggers of more sentences than memory holds: shards of which one at a time is there."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet import engines
from linnet._memory import limited, shown
from linnet.data import LabelColumn, Sequences
from linnet.data.kept import KnownSentences, Pieces
from linnet.engines import Paged
from linnet.errors import RefusedError, setting
from linnet.estimators.caching import Cache, OutgrownError, check_limit, limit_of
from linnet.estimators.sentence_files import (
    PER_TAGGED,
    FilesInParts,
    SentenceFile,
    check_alone,
    check_read_there,
    check_together,
    not_in_parts,
    shard_bytes,
)
from linnet.estimators.tagging.choice import (
    MANY_WEIGHTS,
    TaggingChoice,
    all_states,
    choose_tagging,
    smallest,
)
from linnet.estimators.tagging.fitted import codes_of
from linnet.estimators.tagging.rules import scheme_in_use, transition_rules
from linnet.features import TokenFeatures
from linnet.model import model_of
from linnet.structures import Chain, ChainRules, Elsewhere, Structure
from linnet.training.diagnostics import not_measured

WORKING = 16 * 10**6  # bytes for the sentences at hand, and what becomes of them
PER_FEATURE = 280  # bytes of a feature in the vocabulary, while it is counted and made ready
PER_WEIGHT = 24  # bytes of a weight while it is learnt, and when the model is made
PER_CELL = 28  # bytes of a token in a column, as a text and as a number


class SentencesSeen:
    """Nothing more is to be known than what is kept."""

    def add(self, some: Sequences) -> None:
        """Tags and columns are counted by who keeps them."""

    def facts(self) -> dict[str, Any]:
        """None."""
        return {}

    def anew(self) -> SentencesSeen:
        """Another one."""
        return SentencesSeen()

    def merge(self, facts: dict[str, Any]) -> None:
        """Nothing."""


def fit_files(model: Any, given: Any, memory: Any, cache: Any, dev: Any) -> Any:
    """Learn from files, some sentences at a time if not all fit."""
    limit = limit_of(memory)
    check_alone(given, cache)
    files = (
        given if isinstance(given, FilesInParts) else FilesInParts(list(map(SentenceFile.of, given)))
    )
    engine = engines.in_use()
    if engine is not None and engine.far:
        from linnet.estimators.tagging.machines import TaggerOnMachines, why_here

        assert limit is not None
        check_read_there(why_here(model, files))
        with limited(limit):
            return TaggerOnMachines(model, files, engine, limit).fit(dev)
    if limit is None:
        return TaggerOutOfCore(model, files, None, cache).fit(dev)
    with limited(limit):
        return TaggerOutOfCore(model, files, limit, cache).fit(dev)


class TaggerOutOfCore:
    """Files, the limit of memory, and the place for what is kept of sentences."""

    def __init__(self, model: Any, files: FilesInParts, limit: int | None, cache: Any) -> None:
        self.model, self.files, self.limit = model, files, limit
        self.cache = Cache(None if cache is None else os.fspath(cache), files)
        self.threads = model._threads()
        self.left = 0.0 if limit is None else limit - check_limit(limit) - WORKING
        self.shard = 0 if limit is None else shard_bytes(limit, self.left)
        self.need = 0.0

    def fit(self, dev: Any) -> Any:
        """As if all were in memory, if they can be; else shard by shard."""
        kept = self.files.kept(self.cache, SentencesSeen())
        sample = kept.read(0, 1)
        self._see_tags(kept, sample)
        dev = self._known_tags(dev)
        if self.limit is None:
            return self._whole(kept, dev)
        features, hashed = self._features(kept, sample)
        if features is None:
            return self._whole(kept, dev)
        check_together(False, self.limit)
        size = int(self.shard / self._per_token(features, sample))
        shards = [Pieces(kept, *bounds) for bounds in kept.cut(size)]
        with engines.engine(Paged(len(shards))):
            self._check()
            choice = replace(self._chosen(kept, sample), features=features)
            choice.why.extend([*hashed, self._why_shards(len(shards))])
            return self._in_shards(kept, sample, choice, shards, dev)

    def _see_tags(self, kept: KnownSentences, sample: Sequences) -> None:
        self.tags: list[str] = self.model._tags_of(_named(sample, kept))

    def _known_tags(self, dev: Any) -> Any:
        """Held-out data, unless they have other tags and that is no mistake."""
        if dev is None or not self.files.dev_may_be_new:
            return dev
        return None if {*dev.labels.names} - {*self.tags} else dev

    def _whole(self, kept: KnownSentences, dev: Any) -> Any:
        return self.model._fit(kept.read(0, len(kept.sizes)), None, dev)

    # ------------------------------------------------------------------ what there is

    def _features(self, kept: KnownSentences, sample: Sequences) -> tuple[Any, list[str]]:
        """Features of all sentences, numbered; None if all of it fits into memory.

        If there are too many, 'auto' hashes them, and says why.
        """
        features = self._chosen(kept, sample).features
        auto = self.model.features == "auto" and isinstance(features, TokenFeatures)
        try:
            features.fit_parts(kept.parts(), self.threads, self._watch)
            if self._fits(kept, features, sample):
                return None, []
            if auto:
                self._check_weights(features)
            return features, []
        except OutgrownError as error:
            if not auto:
                raise
            told = error.why
        bits = self._bits()
        features = TokenFeatures(**features.get_params(deep=False) | {"hash_bits": bits})
        return features.fit_parts(kept.parts(), self.threads), [f"hash_bits: {bits}, since {told}"]

    def _chosen(self, kept: KnownSentences, sample: Sequences) -> TaggingChoice:
        return choose_tagging(self.model, sample, self.tags, bool(kept.facts["missing"]))

    def _watch(self, size: int) -> None:
        """Refuse a vocabulary that outgrows the limit."""
        assert self.limit is not None
        self.need = float(PER_FEATURE * size)
        if self.need > self.left:
            raise OutgrownError(
                f"there are more than {size:,} features, which do not fit into {shown(self.limit)}",
                f"hash them into fewer ({setting('hash_bits', 20)}), use fewer templates, or raise "
                f"{setting('memory')}",
            )

    def _check_weights(self, features: Any) -> None:
        assert self.limit is not None
        need = PER_WEIGHT * float(features.n_features) * _core.padded(len(self.tags))
        room = self.left - self.shard
        if need + PER_FEATURE * features.n_features > room:
            raise OutgrownError(
                f"weights of {features.n_features:,} features and {len(self.tags)} tags take "
                f"{shown(need)}",
                "",
            )

    def _bits(self) -> int:
        """Of hashes, so that weights take half of what there is."""
        room = (self.left - self.shard) / 2
        weights = room / (PER_WEIGHT * _core.padded(len(self.tags)))
        return int(np.clip(np.log2(max(weights, 1)), 12, 24))

    def _per_token(self, features: Any, sample: Sequences) -> float:
        """Bytes of a token in a shard, with its row."""
        return PER_CELL * len(features.columns) + 10 * self._entries(features, sample) + 32

    def _entries(self, features: Any, sample: Sequences) -> float:
        """Of the row of a token."""
        return len(features.rows(sample, self.threads).indices) / max(sample.tokens, 1)

    def _fits(self, kept: KnownSentences, features: Any, sample: Sequences) -> bool:
        """Would all sentences, their rows and a learner of them be below the limit?"""
        entries = self._entries(features, sample)
        size = features.n_features
        pairs = float(size) * len(self.tags)
        seen = pairs if pairs <= MANY_WEIGHTS else min(pairs, kept.tokens * entries)
        rows = kept.tokens * (PER_CELL * len(kept.columns) + 12 * entries + 32)
        rows += 0 if self.model.tagger is None else PER_TAGGED * kept.tokens
        assert self.limit is not None
        self.need = rows + PER_FEATURE * size + PER_WEIGHT * seen
        return bool(self.need <= self.left)

    def _why_shards(self, count: int) -> str:
        """Without what differs from run to run: it is part of the model."""
        assert self.limit is not None
        return (
            f"shards: {count}, one at a time in memory, since sentences and what is learnt of them do "
            f"not fit into {shown(self.limit)}"
        )

    # ------------------------------------------------------------------ shards

    def _in_shards(
        self,
        kept: KnownSentences,
        sample: Sequences,
        choice: TaggingChoice,
        shards: Sequence[Any],
        dev: Any,
    ) -> Any:
        model, tags = self.model, self.tags
        features = choice.features
        pair_features = self._pair_features(features, kept)
        scheme = scheme_in_use(model.legal, kept.tagged(), tags)
        rules = transition_rules(scheme, model.transitions, tags)
        training = model._training(choice)
        settings = self._settings(kept)
        prune = smallest(model, all_states(model, choice, features.n_features, len(tags)))
        shard = TagShard(settings, kept, None, features, pair_features, tags, rules, training, prune)
        structure = shard.made(sample.take([]))
        labelled = _labelled(kept, tags) if kept.facts["missing"] else None
        elsewhere = Elsewhere(
            tuple(replace(shard, source=source) for source in shards),
            tuple(source.size for source in shards),
            kept.facts["weight"],
            partial=bool(kept.facts["missing"]),
            labelled=labelled,
            fingerprint=kept.fingerprint(),
        )
        problem = training.problem(structure, np.zeros(0), elsewhere)
        on_dev = None
        if dev is not None:
            read = model._read_dev(dev, tags)
            on_dev = model._dev_score(read, features, pair_features, rules, tags)
        trained = training.train(problem, on_dev)
        record, learnt = trained.record, trained.learnt
        del trained, problem  # the learner is as large as what it has learnt
        found = model_of(learnt, structure)
        del learnt, structure
        record.data = {"sentences": kept.sentences, "tokens": kept.tokens, "tags": len(tags)}
        if model.diagnostics is not False:
            record.diagnostics = not_measured("sentences were read shard by shard")
        model._set(tags, features, pair_features, found, record, choice, scheme, rules)
        return model

    def _check(self) -> None:
        """What needs all sentences at once."""
        asked = wants_all(self.model)
        if asked is not None:
            raise RefusedError(not_in_parts(asked))

    def _settings(self, kept: KnownSentences) -> Any:
        """The tagger for shards: what is counted over all sentences has been."""
        model = self.model.__sklearn_clone__()
        if isinstance(model.class_weight, str) and model.class_weight == "balanced":
            counts = kept.tag_counts()
            factors = counts.sum() / (len(self.tags) * np.where(counts > 0, counts, 1))
            model.class_weight = dict(zip(kept.tags or (), factors.tolist(), strict=True))
        return model

    def _pair_features(self, features: Any, kept: KnownSentences) -> Any:
        made = self.model._pair_features_of(features, None)
        return None if made is None else made.fit_parts(kept.parts(), self.threads)


def wants_all(model: Any) -> str | None:
    """The setting that needs all sentences at once, if there is one."""
    settings = (
        ("segments", model.segments),
        ("tagger", model.tagger is not None),
        ("warm_start", model.warm_start),
        ("diagnostics", model.diagnostics is True),
        ("all_states=False", model.all_states is False),
        ("all_transitions=False", not model.all_transitions),
    )
    return next((name for name, said in settings if said), None)


@dataclass(frozen=True)
class TagShard:
    """A recipe: the sentences of some pieces, as chains."""

    settings: Any  # a tagger
    known: KnownSentences
    source: Any  # some of them
    features: Any
    pair_features: Any
    tags: list[str]
    rules: ChainRules
    training: Any
    prune: float

    def __call__(self) -> tuple[Structure, NDArray[np.float64]]:
        data = self.source.read(self._columns())
        weights = np.ones(len(data)) if data.weights is None else data.weights
        return self.made(data), weights

    def made(self, data: Sequences) -> Chain:
        """Of sentences; weights are laid out alike in all shards."""
        threads = self.settings._threads()
        rows = self.features.rows(data, threads)
        pairs = None if self.pair_features is None else self.pair_features.rows(data, threads)
        labels = (
            np.full(data.tokens, -1, np.int32)
            if data.labels is None
            else codes_of(data.labels, self.tags)
        )
        chain: Chain = self.settings._chain_of(
            self.training, data, self.tags, labels, self.rules, rows, pairs
        )
        return replace(chain, shard=True, prune=self.prune)

    def _columns(self) -> list[str]:
        """Those that are looked at."""
        found = {*self.features.columns}
        if self.pair_features is not None:
            found |= {*self.pair_features.columns}
        if self.settings.constrain_training and self.settings.dictionary is not None:
            return self.known.columns
        return [name for name in self.known.columns if name in found]


def _named(sample: Sequences, kept: KnownSentences) -> Sequences:
    """The sample, with a token of every tag."""
    if kept.tags is None:
        return sample
    codes = np.arange(len(kept.tags), dtype=np.int32) if kept.tags else np.full(1, -1, np.int32)
    return Sequences(
        {"word": _core.Texts.from_list([""] * len(codes))},
        np.array([0, len(codes)]),
        LabelColumn(kept.tags, codes),
    )


def _labelled(kept: KnownSentences, tags: Sequence[str]) -> NDArray[np.bool_] | None:
    """Sentences of which every token has a tag; None if these do not show every tag."""
    whole, shown_ = [], np.zeros(len(tags), bool)
    for part in kept.tagged():
        assert part.labels is not None
        codes = codes_of(part.labels, tags)
        missing = np.concatenate([[0], np.cumsum(codes < 0)])
        found = missing[part.offsets[1:]] == missing[part.offsets[:-1]]
        shown_[codes[np.repeat(found, part.lengths)]] = True
        whole.append(found)
    return np.concatenate(whole) if shown_.all() else None
