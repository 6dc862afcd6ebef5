"""Instances in memory to model files and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import linnet.estimators.parts as parts
from linnet.errors import DataError
from linnet.model.instances import InstanceModel
from linnet.persistence import ModelFile, StoredStrings, pack_strings

if TYPE_CHECKING:
    from linnet.estimators.memory.rows import MemoryClassifier
    from linnet.estimators.memory.tagger import MemoryTagger

BAD = (DataError, KeyError, TypeError, ValueError, AttributeError, OverflowError, IndexError)


def memory_parts(memory: MemoryClassifier | MemoryTagger) -> tuple[dict[str, Any], parts.Tensors]:
    """All instances, and the names of their values."""
    from linnet.estimators.memory.tagger import MemoryTagger

    tensors: parts.Tensors = {}
    model = memory.model_
    spec = {
        "kind": "memory classifier",
        "params": parts.pack_params(memory, tensors),
        "classes": parts.pack_labels(memory.classes_, tensors),
        "record": parts.pack_record(memory.record_, tensors),
    }
    if isinstance(memory, MemoryTagger):
        spec |= {"kind": "memory tagger", "word": memory.word_, "columns": memory.features_.columns}
    tensors |= {"rows": model.rows, "labels": model.labels, "weights": model.weights}
    tensors["split"] = model.split
    tensors |= pack_strings("names", model.names)
    for k, values in enumerate(model.values):
        tensors |= pack_strings(f"values.{k}", values)
    return spec, tensors


def load_memory(file: ModelFile) -> MemoryClassifier:
    """The classifier in a file, checked."""
    from linnet.estimators.memory.rows import MemoryClassifier

    memory = parts.unpack_params(file, MemoryClassifier)
    classes, record = parts.unpack_labels(file), parts.unpack_record(file)
    try:
        _check_threads(memory)
        memory._set(classes, _instances(file, memory, len(classes)), record)
    except BAD as error:
        raise file.error(f"{error!s:.200}") from None
    return memory


def load_memory_tagger(file: ModelFile) -> MemoryTagger:
    """The tagger in a file, checked."""
    from linnet.estimators.memory.tagger import MemoryTagger, Windows

    memory = parts.unpack_params(file, MemoryTagger)
    classes, record = parts.unpack_labels(file), parts.unpack_record(file)
    tags = classes.tolist()
    if classes.dtype.kind != "U" or len(set(tags)) != len(tags):
        raise file.error("its tags are no distinct strings")
    try:
        memory._check_settings()
        _check_threads(memory)
        word, columns = file.spec["word"], file.spec["columns"]
        if not isinstance(word, str) or not all(isinstance(name, str) for name in columns):
            raise DataError("its columns have no names")
        features = Windows(list(columns), int(memory.window))
        model = _instances(file, memory, len(tags))
        if model.names != features.names:
            raise DataError("its features are not those of its windows")
        memory._set(tags, model, features, word, record)
    except BAD as error:
        raise file.error(f"{error!s:.200}") from None
    return memory


def _check_threads(memory: Any) -> None:
    if not 0 < memory._threads() < 2**31:
        raise DataError("n_jobs makes no sense")


def _instances(file: ModelFile, memory: Any, n_labels: int) -> InstanceModel:
    """Every number must name something."""
    names = StoredStrings(file, "names").decode()
    values = [StoredStrings(file, f"values.{k}").decode() for k in range(len(names))]
    rows, labels = file.tensor("rows", "i", 2), file.tensor("labels", "i")
    weights, split = file.tensor("weights", "f"), file.tensor("split", "f")
    sizes = np.array([len(v) for v in values])
    if not names or rows.shape != (len(labels), len(names)) or not len(labels):
        raise DataError("its instances have another form")
    if weights.shape != sizes.shape or split.shape != sizes.shape:
        raise DataError("its weights are not those of its features")
    if not (np.isfinite(weights).all() and (weights >= 0).all() and np.isfinite(split).all()):
        raise DataError("its weights are no numbers that weigh")
    if (rows < 0).any() or (rows >= sizes).any() or (labels < 0).any() or (labels >= n_labels).any():
        raise DataError("an instance names a value or a label that is not there")
    return InstanceModel(
        names,
        values,
        np.ascontiguousarray(rows, np.int32),
        np.ascontiguousarray(labels, np.int32),
        n_labels,
        weights.astype(np.float64),
        split.astype(np.float64),
        memory.how_near(),
    )
