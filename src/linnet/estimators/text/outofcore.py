"""Training on more text than memory holds: rows in a file, made by one pass over the texts."""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

import linnet._core as _core
from linnet._memory import memory, resident, shown
from linnet._writing import replacing, scratch
from linnet.data import CsrRows, MappedRows
from linnet.data.mapped import ENTRY
from linnet.data.sections import DamagedError, Sections, Stored
from linnet.errors import DataError, DataWarning, RefusedError, outside, setting
from linnet.estimators.text.choice import Choice, choose
from linnet.estimators.text.looked import Looked, TextFiles
from linnet.estimators.text.settings import linear, unfitted
from linnet.estimators.text.targets import Targets
from linnet.features import TextFeatures
from linnet.features.text.counted import CountedTexts
from linnet.features.text.hooks import HOOKS
from linnet.losses import LOSSES

LEAST = 28 * 10**6  # bytes beside what is there at the start: below, nothing can be done
WORKING = 16 * 10**6  # bytes for the texts at hand, and what becomes of them
PER_TEXT = 40  # bytes of a label, a weight, and its place in an order
HASHED = 160  # bytes for a weight, in the most demanding learner that 'auto' takes
WANT_ALL = ("dual", "coordinate")  # families of learners that go back and forth in the rows
VERSION = 1


class OutgrownError(DataError):
    """The vocabulary does not fit below the limit."""

    def __init__(self, why: str, advice: str) -> None:
        super().__init__(f"{why}; {advice}")
        self.why = why


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
        self.place = self.cache or tempfile.gettempdir()
        self.at_start = resident()
        if self.cache is not None:
            with _told(self.cache):
                os.makedirs(self.cache, exist_ok=True)
        if self.limit is not None and self.limit < self.at_start + LEAST:
            raise DataError(
                f"{setting('memory')} is {shown(self.limit)}, and Python with Linnet has "
                f"{shown(self.at_start)} already: give {shown(self.at_start + LEAST)} or more"
            )

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
        if self.files.pipes:
            raise DataError(
                f"{self.files.pipes[0]} can be read only once, and features='auto' looks at all texts "
                f"before it begins; say which features there are, or give a file"
            )
        path = self._path("look", None)
        stored = self._reused(path)
        if stored is not None:
            return Looked.stored(stored, stored.facts["looked"])
        looked = self.files.look()
        if path is not None:
            with self._written(path) as file:
                sections = Sections(file)
                sections.finish({"looked": looked.store(sections)} | self._facts())
        return looked

    def _rows(
        self, features: TextFeatures, looked: Looked | None
    ) -> tuple[TextFeatures, Looked, Stored]:
        hooked = any(getattr(features, name) is not None for name in HOOKS)
        path = None if hooked else self._path("rows", features)  # code is no part of a name
        stored = self._reused(path)
        if stored is not None:
            try:
                names = [name for name in stored.table if name.startswith("feature ")]
                tensors = {name.removeprefix("feature "): stored.array(name) for name in names}
                known = TextFeatures.from_parts(stored.facts["features"], tensors)
                found = Looked.stored(stored, stored.facts["looked"])
                self.files.told.append(f"rows are those kept in {stored.name}")
                return known, found, stored
            except DataError as error:
                self._tell(f"{error}; it is made anew")
        with _told(self.place), scratch(self.place) as file:
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
            with self._written(path) as rows:
                self._write(rows, counted, found)
        stored = Stored.at(path)
        if stored is None:
            raise DataError(f"{path} is gone: somebody has removed it")
        return features, found, stored

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
        at = known = 0
        for some in counted.rows():
            sections.put("indptr", some.indptr[known:] + at)
            if some.part_starts is not None:
                sections.put("part_starts", some.part_starts[known:] + at)
            sections.put("indices", some.indices)
            sections.put("values", some.values)
            at, known = at + len(some.indices), 1  # the next begins where this one has ended
        facts: dict[str, Any] = {"size": features.n_features}
        if looked is not None:
            facts |= {"looked": looked.store(sections), "features": features.spec()} | self._facts()
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
        if self.cache is None or self.files.pipes:
            return None
        read = [[os.path.abspath(f.path), f.form, dict(f.options)] for f in self.files.files]
        settings = None if features is None else features.get_params(deep=False)
        known = [VERSION, kind, read, settings, self.files.weightless, repr(self.model.missing)]
        name = blake2b(json.dumps(known, default=repr).encode(), digest_size=8).hexdigest()
        return os.path.join(self.cache, f"linnet-{name}.{kind}")

    def _facts(self) -> dict[str, Any]:
        return {"stamps": self.files.stamps(), "hashes": self.files.hashes()}

    def _reused(self, path: str | None) -> Stored | None:
        """What is kept there, if it is whole and of the same inputs."""
        if path is None:
            return None
        try:
            with _told(path):
                stored = Stored.at(path)
            if stored is None:
                return None
            self._check_same(stored.facts)
            stored.check()
            if "looked" not in stored.facts:
                raise DamagedError("it has not all that is needed")
        except DamagedError as error:
            self._tell(f"{error}; it is made anew")
            return None
        return stored

    def _check_same(self, facts: dict[str, Any]) -> None:
        """Stamps are the same, or where only the time is another, the contents are."""
        for watched, stamp, hash_ in zip(
            self.files.watched, facts["stamps"], facts["hashes"], strict=True
        ):
            assert watched is not None
            if watched.stamp.key() == stamp:
                continue
            if watched.stamp.size == stamp[1]:
                with watched.reading():
                    pass
                if watched.stamp.hash == hash_:
                    continue
            raise DamagedError(f"{self.cache}: {watched.path} has changed since its rows were kept")

    @contextmanager
    def _written(self, path: str) -> Iterator[BinaryIO]:
        with _told(path), replacing(path) as file:
            yield file

    @staticmethod
    def _tell(what: str) -> None:
        warnings.warn(what, DataWarning, stacklevel=outside())


@contextmanager
def _told(place: str) -> Iterator[None]:
    """What the system says of the place where rows are kept."""
    try:
        yield
    except OSError as error:
        where = Path(os.fsdecode(error.filename or place))
        raise DataError(
            f"{where}: rows cannot be written or read there: {error.strerror or error}; "
            f"{setting('cache')} names another place"
        ) from None


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
