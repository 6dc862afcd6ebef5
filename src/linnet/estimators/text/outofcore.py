"""Training on more text than memory holds: rows in a file, made by one pass over the texts."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO

import numpy as np

import linnet._core as _core
from linnet._memory import memory, shown
from linnet._writing import scratch
from linnet.data import CsrRows, MappedRows
from linnet.data.mapped import ENTRY
from linnet.data.sections import Sections, Stored
from linnet.errors import DataError, RefusedError, setting
from linnet.estimators.caching import Cache, OutgrownError, check_limit, made_anew, told
from linnet.estimators.text.choice import Choice, choose
from linnet.estimators.text.looked import Looked, TextFiles
from linnet.estimators.text.settings import linear, unfitted
from linnet.estimators.text.targets import Targets
from linnet.features import TextFeatures
from linnet.features.text.counted import CountedTexts
from linnet.features.text.hooks import HOOKS
from linnet.losses import LOSSES

WORKING = 16 * 10**6  # bytes for the texts at hand, and what becomes of them
PER_TEXT = 40  # bytes of a label, a weight, and its place in an order
HASHED = 160  # bytes for a weight, in the most demanding learner that 'auto' takes
WANT_ALL = ("dual", "coordinate")  # families of learners that go back and forth in the rows


@dataclass
class Made:
    """Rows of all texts, and what they were made of."""

    choice: Choice
    features: TextFeatures
    rows: CsrRows
    targets: Targets
    means: dict[str, float] = field(default_factory=dict)  # of numbers beside the texts


@dataclass
class OutOfCore:
    """Files, the limit of memory, and the place for what is written."""

    model: Any
    files: TextFiles
    limit: int | None
    cache: str | None
    threads: int
    why: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.kept = Cache(self.cache, self.files.inputs)
        self.place = self.kept.place
        self.at_start = check_limit(self.limit)

    def made(self) -> tuple[Made, Looked]:
        """Rows, from the cache or made anew, and what of the texts has been kept."""
        model, looked = self.model, None
        auto = isinstance(model.features, str)
        if auto:
            looked = self._looked()
            features = self._choose(looked).features
        else:
            self._choose(None)  # which looks at the settings
            features = model.features
        try:
            features, looked, stored = self._rows(unfitted(features), looked)
        except OutgrownError as error:
            if not auto or looked is None:
                raise
            bits = self._bits(looked)
            features = unfitted(features).set_params(hash_bits=bits, min_df=1, mix=None)
            self.why.append(f"hash_bits: {bits}, since {error.why}")
            features, looked, stored = self._rows(features, looked)
        choice = replace(self._choose(looked), features=features)
        made = Made(choice, features, self._mapped(stored, features), targets_of(looked))
        return self._fitting(made), looked

    # ------------------------------------------------------------------ what there is

    def _choose(self, looked: Looked | None) -> Choice:
        if looked is None:
            return choose(self.model, 0, 0.0, 2, False)
        labels = looked.labels
        mean = looked.texts.bytes / max(looked.texts.count, 1)
        return choose(self.model, looked.texts.count, mean, len(labels.names), labels.multilabel)

    def _looked(self) -> Looked:
        """Labels and lengths, which features='auto' goes by."""
        if self.files.inputs.pipes:
            raise DataError(
                f"{self.files.inputs.pipes[0]} can be read only once, and features='auto' looks at all "
                f"texts before it begins; say which features there are, or give a file"
            )
        path = self._path("look", None)
        stored = self.kept.reused(path, "looked")
        if stored is not None:
            return Looked.stored(stored, stored.facts["looked"])
        looked = self.files.look()
        if path is not None:
            with self.kept.written(path) as file:
                sections = Sections(file)
                sections.finish({"looked": looked.store(sections)} | self.files.inputs.facts())
        return looked

    def _rows(
        self, features: TextFeatures, looked: Looked | None
    ) -> tuple[TextFeatures, Looked, Stored]:
        hooked = any(getattr(features, name) is not None for name in HOOKS)
        path = None if hooked else self._path("rows", features)  # code is no part of a name
        stored = self.kept.reused(path, "looked")
        if stored is not None:
            try:
                names = [name for name in stored.table if name.startswith("feature ")]
                tensors = {name.removeprefix("feature "): stored.array(name) for name in names}
                known = TextFeatures.from_parts(stored.facts["features"], tensors)
                found = Looked.stored(stored, stored.facts["looked"])
                self.files.told.append(f"rows are those kept in {stored.name}")
                return known, found, stored
            except DataError as error:
                made_anew(error)
        with told(self.place), scratch(self.place) as file:
            counted = CountedTexts(features, file, self.threads)
            found = self.files.look(lambda texts: self._count(counted, texts))
            targets = targets_of(found)
            if targets.several and features.scale == "nb":
                raise ValueError("features: scale='nb' is for one label per text; use 'idf' or 'none'")
            counted.settle(None if targets.several else targets.codes, len(targets.classes))
            if path is None:
                with scratch(self.place) as rows:
                    self._write(rows, counted, None)
                    return features, found, Stored(rows.fileno(), self.place)
            with self.kept.written(path) as rows:
                self._write(rows, counted, found)
        return features, found, self.kept.kept(path)

    def _count(self, counted: CountedTexts, texts: _core.Texts) -> None:
        counted.add(texts)
        vocabulary, others = counted.vocabulary_bytes, PER_TEXT * counted.documents
        if self.limit is None or self.at_start + vocabulary + WORKING + others <= self.limit:
            return
        texts_read, limit = f"after {counted.documents:,} texts", shown(self.limit)
        if others > vocabulary:
            raise DataError(
                f"{texts_read} their labels and weights take {shown(others)}, which do not fit into "
                f"{limit}; raise {setting('memory')}"
            )
        size = counted.features.numbering.size
        raise OutgrownError(
            f"{texts_read} the vocabulary has {size:,} features, which do not fit into {limit}",
            f"hash features into fewer ({setting('hash_bits', 20)}), look for shorter n-grams, or "
            f"raise {setting('memory')}",
        )

    def _bits(self, looked: Looked) -> int:
        """Of hashes, so that weights take half of what there is."""
        assert self.limit is not None
        labels = len(looked.labels.names)
        width = 1 if labels == 2 or looked.labels.multilabel else _core.padded(labels)
        room = (self.limit - self.at_start - WORKING) / 2 / (HASHED * width)
        return int(np.clip(np.log2(max(room, 1)), 12, 24))

    def _write(self, file: BinaryIO, counted: CountedTexts, looked: Looked | None) -> None:
        """Rows, and if they are to be kept what else there is."""
        sections, features = Sections(file), counted.features
        sections.reserve("indptr", np.int64, counted.documents + 1)
        sections.reserve("indices", np.int32, counted.entries)
        sections.reserve("values", np.float32, counted.entries)
        parts = 0 if features.mix is None else len(features.part_weights)
        if parts:
            sections.reserve("part_starts", np.int64, counted.documents * parts + 1)
        text = at = 0
        for some in counted.rows():
            sections.put("indptr", text, some.indptr + at)
            if some.part_starts is not None:
                sections.put("part_starts", text * parts, some.part_starts + at)
            sections.put("indices", at, some.indices)
            sections.put("values", at, some.values)
            text, at = text + len(some.indptr) - 1, at + len(some.indices)
        facts: dict[str, Any] = {"size": features.n_features}
        if looked is not None:
            facts |= {"looked": looked.store(sections), "features": features.spec()}
            facts |= self.files.inputs.facts()
            for name, tensor in features.tensors().items():
                sections.add(f"feature {name}", tensor)
        sections.finish(facts)

    def _mapped(self, stored: Stored, features: TextFeatures) -> MappedRows:
        starts = stored.array("part_starts") if "part_starts" in stored else None
        distinct = features.mix is None or features.hash_bits is None
        return MappedRows(
            stored.array("indptr"),
            stored.array("indices"),
            stored.array("values"),
            features.n_features,
            distinct,
            starts,
            give_back=stored.give_back,
        )

    # ------------------------------------------------------------------ who learns from it

    def _fitting(self, made: Made) -> Made:
        """Rows in memory if they fit; otherwise a learner that reads them in order."""
        rows = made.rows
        assert isinstance(rows, MappedRows)
        rows.give_back()
        why = [*made.choice.why, *self.why]
        made.choice = replace(made.choice, why=why)
        size = ENTRY * len(rows.indices) + 8 * len(rows)
        left = memory() - WORKING - PER_TEXT * len(rows)
        weights = 16 * (rows.features + 1.0) * _width(made.targets)
        if self.limit is None or size + weights <= left:
            made.rows = rows.in_memory()
            return made
        made.rows = replace(rows, window=window_of(self.limit))
        if not rows.distinct:
            raise DataError(
                f"hash_bits with mix: blocks of features may meet in a bucket, so rows are looked "
                f"through as a whole, which takes {shown(size)}; leave out mix, or raise "
                f"{setting('memory')}"
            )
        return self._in_order(made, size, left)

    def _in_order(self, made: Made, size: float, left: float) -> Made:
        model, several = self.model, made.targets.several
        learner = linear(model, made.choice)._learner(made.rows.features <= 1000)
        if learner.family not in WANT_ALL:
            return made
        two = several or len(made.targets.classes) == 2
        loss, penalty = made.choice.loss, made.choice.penalty
        smooth = LOSSES[loss].smooth and (two or loss != "squared_hinge")
        other = "sgd" if not smooth else "lbfgs" if penalty in ("l2", "none") else "owlqn"
        leaves = f"{setting('memory')} leaves {shown(max(left, 0))}"
        taken = f"rows take {shown(size)}, {leaves}, and {learner.name} goes back and forth in them"
        if model.learner != "auto" or model.classifier is not None:
            raise RefusedError(f"{taken}; use the learner {other!r}, which reads them in order")
        settings = model.__sklearn_clone__().set_params(learner=other, loss=loss, penalty=penalty)
        settings.features = made.choice.features
        choice = choose(settings, len(made.targets), 0.0, len(made.targets.classes), several)
        chosen = f"learner: {other}, which reads rows in order: {taken}"
        made.choice = replace(choice, why=[*made.choice.why, chosen])
        return made

    # ------------------------------------------------------------------ what is kept

    def _path(self, kind: str, features: TextFeatures | None) -> str | None:
        """Where it is kept: by the files and how they are read, and by the features."""
        read = [[os.path.abspath(f.path), f.form, dict(f.options)] for f in self.files.files]
        settings = None if features is None else features.get_params(deep=False)
        return self.kept.path(kind, read, settings, self.files.weightless, repr(self.model.missing))


def targets_of(looked: Looked) -> Targets:
    """Labels as numbers of classes."""
    labels = looked.labels
    return Targets(np.asarray(labels.names, dtype=np.str_), labels.codes, labels.offsets)


def _width(targets: Targets) -> int:
    """Weights for each feature."""
    labels = len(targets.classes)
    return 1 if targets.several or labels == 2 else int(_core.padded(labels))


def window_of(limit: int) -> int:
    """Bytes of the file that each reader has in memory.

    Blocks of online learners go by it, so nothing has a say that differs from run to run.
    """
    return int(np.clip(limit // 32, 1 << 22, 1 << 26))
