"""The parts of an estimator as JSON and tensors of a model file, and back.

Every ``pack_…`` returns JSON and adds arrays to ``tensors``; every ``unpack_…`` takes the file and
raises `ModelFileError` for what no ``pack_…`` can have written.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, replace
from functools import cached_property
from types import NoneType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._params import Params
from linnet.data import Vocabulary
from linnet.estimators.base import Labels
from linnet.estimators.grid_settings import REDUCTIONS
from linnet.features import SparseWeights
from linnet.learners import LEARNERS, Learner
from linnet.losses import LOSSES
from linnet.model import LinearModel
from linnet.model.codes import CodeVotes
from linnet.model.votes import VoteShares
from linnet.persistence import ModelFile, StoredStrings, pack, pack_strings
from linnet.regularisers import PENALTIES
from linnet.training.calibration import Calibrator, Isotonic, Sigmoid
from linnet.training.record import Epoch, TrainingRecord

Tensors = dict[str, NDArray[Any]]
P = TypeVar("P", bound=Params)


# ---------------------------------------------------------------------- settings


def pack_params(settings: Params, tensors: Tensors) -> dict[str, Any]:
    """Constructor arguments; a learner object is its name and its own arguments."""
    return {
        name: {"$learner": value.name, "params": pack_params(value, tensors)}
        if isinstance(value, Learner)
        else pack(value, name, tensors)
        for name, value in settings.get_params(deep=False).items()
    }


def unpack_params(file: ModelFile, what: type[P], given: Any = None) -> P:
    """An unfitted object of the settings in the file."""
    given = file.spec.get("params") if given is None else given
    try:
        made = what(**{name: _setting(file, value) for name, value in given.items()})
    except (AttributeError, KeyError, TypeError) as e:
        raise file.error(f"its settings are not those of {what.__name__} ({e!s:.80})") from None
    for name, known in NAMED.items():
        value = getattr(made, name, "auto")
        if not isinstance(value, Learner) and value != "auto" and not _is_name(value, known):
            raise file.error(f"there is no {name} {value!r:.40}; a later linnet may know it")
    return made


# Settings that are names of tables' rows, or 'auto'.
NAMED: dict[str, Collection[str]] = {
    "loss": LOSSES,
    "learner": LEARNERS,
    "penalty": PENALTIES,
    "multiclass": ("joint", "rest", *REDUCTIONS),
}


def _is_name(value: Any, known: Collection[str]) -> bool:
    return isinstance(value, str) and value in known


def _setting(file: ModelFile, value: Any) -> Any:
    if isinstance(value, dict) and "$learner" in value:
        learner = LEARNERS[value["$learner"]]
        return learner(**{k: file.unpack(v) for k, v in value["params"].items()})
    return file.unpack(value)


# ---------------------------------------------------------------------- labels


def pack_labels(labels: Labels, tensors: Tensors) -> dict[str, Any]:
    """Class labels: strings, numbers or booleans, of their own types."""
    if labels.dtype.kind == "U":
        tensors |= pack_strings("classes", labels.tolist())
        return {"type": "strings"}
    if labels.dtype.kind in "iuf":
        tensors["classes"] = labels
        return {"type": "numbers"}
    plain = labels.tolist()
    if labels.dtype.kind not in "bO" or not all(type(v) in (str, int, float, bool) for v in plain):
        raise TypeError(
            f"labels such as {plain[0]!r} cannot be saved; use strings or numbers as labels"
        )
    return {"type": "booleans" if labels.dtype.kind == "b" else "objects", "values": plain}


def unpack_labels(file: ModelFile) -> Labels:
    """The array of class labels."""
    spec = file.spec.get("classes")
    kind = spec.get("type") if isinstance(spec, dict) else None
    values = spec.get("values") if isinstance(spec, dict) else None
    if kind == "strings":
        labels = np.array(StoredStrings(file, "classes").decode(), dtype=np.str_)
    elif kind == "numbers":
        labels = file.tensor("classes", "iuf").copy()
    elif kind in ("booleans", "objects") and isinstance(values, list):
        plain = (bool,) if kind == "booleans" else (str, int, float, bool)
        if not all(type(v) in plain for v in values):
            raise file.error("its labels are of a type that labels cannot have")
        labels = np.array(values, dtype=bool if kind == "booleans" else object)
    else:
        raise file.error("its labels are missing")
    if len(labels) == 0:
        raise file.error("it has no labels")
    return labels


# ---------------------------------------------------------------------- weights


def pack_model(model: LinearModel, tensors: Tensors, dtype: Any = None) -> dict[str, Any]:
    """The weights as they lie in memory, or cast to ``dtype``, in sparse rows where these are smaller.

    Votes stand beside them.
    """
    if dtype is not None and np.dtype(dtype) not in (np.float32, np.float64):
        raise ValueError(f"dtype must be float32, float64 or None (as they are), not {dtype!r}")
    if np.dtype(dtype or model.stored.dtype) != model.stored.dtype:
        model = replace(model, stored=model.weights.astype(dtype))
    spec: dict[str, Any] = {"width": model.width, "bias": pack(model.bias, "bias", tensors)}
    model = model.compact()
    if isinstance(model.stored, SparseWeights):
        spec["sparse"] = True
        tensors |= model.stored.tensors("weights")
    else:
        tensors["weights"] = model.weights
    if isinstance(model.votes, CodeVotes):
        tensors |= {"codes": model.votes.codes, "codes.columns": model.votes.columns}
        spec["codes"] = True
    elif model.votes is not None:
        _, *arrays = model.votes.votes.state()
        tensors |= {f"votes.{i}": array for i, array in enumerate(arrays)}
        spec["votes"] = len(arrays)
    return spec


def unpack_model(file: ModelFile, n_labels: int, columns: int = 0) -> LinearModel:
    """Weights mapped, not copied, unless the padding of a row is not today's.

    ``columns`` says how many there must be; otherwise two labels may share one.
    """
    spec = file.spec.get("model")
    if not isinstance(spec, dict):
        raise file.error("it has no model")
    width, bias, votes = spec.get("width"), spec.get("bias"), spec.get("votes")
    allowed = (columns,) if n_labels == 0 else (1, 2) if n_labels <= 2 else (n_labels,)
    if type(width) is not int or width not in allowed:
        raise file.error(f"{width!r:.20} columns of weights do not go with {n_labels} labels")
    if type(bias) is not float or not abs(bias) <= float(np.finfo(np.float32).max):
        raise file.error("the value of the constant feature is no number")
    found: VoteShares | CodeVotes | None = None
    if "codes" in spec:
        found = _codes(file, width)
    elif votes is not None:
        found = VoteShares(_votes(file, width, votes), width)
    model = _with_weights(file, spec, width, bias, found)
    if isinstance(found, CodeVotes) and len(found.columns) != len(model.stored):
        raise file.error("its binary classifiers have other features than its weights")
    return model


def _with_weights(
    file: ModelFile, spec: dict[str, Any], width: int, bias: float, found: Any
) -> LinearModel:
    if "sparse" in spec:
        try:
            rows = SparseWeights.from_tensors("weights", file.tensors, width)
        except (ValueError, OverflowError) as e:
            raise file.error(str(e)) from None
        return LinearModel(rows, width, bias, found)
    weights = file.tensor("weights", "f", 2)
    if weights.dtype.itemsize < 4 or len(weights) < 1 or weights.shape[1] < width:
        raise file.error(f"a block of {weights.dtype} {weights.shape} is no {width} columns of weights")
    if weights.shape[1] != _core.padded(width):
        block = np.zeros((len(weights), _core.padded(width)), weights.dtype)
        block[:, :width] = weights[:, :width]
        weights = block
    return LinearModel(weights, width, bias, found)


def _codes(file: ModelFile, labels: int) -> CodeVotes:
    codes = file.tensor("codes", "i", 2)
    columns = file.tensor("codes.columns", "f", 2)
    sound = codes.dtype == np.int8 and len(codes) == labels and codes.shape[1] >= 1
    if not sound or not np.isin(codes, (-1, 0, 1)).all():
        raise file.error(f"a table of {codes.dtype} {codes.shape} is no code of {labels} labels")
    if columns.dtype.itemsize < 4 or columns.shape[1] != _core.padded(codes.shape[1]):
        raise file.error("its binary classifiers are not as many as its code asks")
    return CodeVotes(codes, np.ascontiguousarray(columns))


def _votes(file: ModelFile, width: int, count: Any) -> _core.Votes:
    arrays = [file.tensors.get(f"votes.{i}") for i in range(8)]
    try:
        return _core.Votes.from_state((width, *arrays))  # type: ignore[arg-type]  # it checks
    except (TypeError, ValueError, RuntimeError) as e:
        raise file.error(f"its {count!r:.20} arrays of votes are wrong: {e!s:.80}") from None


# ---------------------------------------------------------------------- names


class StoredVocabulary(Vocabulary):
    """Names of a model file; the dictionary is made when it is first asked for."""

    def __init__(self, stored: StoredStrings) -> None:
        self._stored = stored

    def __len__(self) -> int:
        return len(self.ids) if "ids" in self.__dict__ else len(self._stored)

    @cached_property
    def ids(self) -> dict[str, int]:  # type: ignore[override]
        """Ids by name."""
        found = {name: i for i, name in enumerate(self._stored.decode())}
        if len(found) != len(self._stored):
            raise self._stored.file.error("a name of a feature comes twice")
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return Vocabulary, (self.names,)


# ---------------------------------------------------------------------- calibration, record


def pack_calibrators(calibrators: list[Calibrator], tensors: Tensors) -> list[Any]:
    """One map from margin to probability for each column of weights."""
    return [
        {"type": type(c).__name__, **pack(vars(c), f"calibration.{k}", tensors)}
        for k, c in enumerate(calibrators)
    ]


def unpack_calibrators(file: ModelFile, width: int) -> list[Calibrator]:
    """As many as there are columns of weights."""
    made = [_calibrator(entry) for entry in _listed(file.value("calibration"))]
    if len(made) != width or None in made:
        raise file.error("its calibration does not go with its weights")
    return [c for c in made if c is not None]


def _calibrator(entry: Any) -> Calibrator | None:
    match entry:
        case {"type": "Sigmoid", "a": float(a), "b": float(b)}:
            return Sigmoid(a, b)
        case {"type": "Isotonic", "at": np.ndarray() as at, "values": np.ndarray() as values}:
            return Isotonic(at, values) if at.ndim == 1 and at.shape == values.shape != (0,) else None
    return None


def pack_record(record: TrainingRecord, tensors: Tensors) -> Any:
    """All but the time it took; what was not computed in an epoch is left out."""
    fields = dict(vars(record))
    fields["epochs"] = [
        {k: v for k, v in asdict(e).items() if v is not None and k != "seconds"} for e in record.epochs
    ]
    return pack(fields, "record", tensors)


def unpack_record(file: ModelFile) -> TrainingRecord:
    """The record of the training that the file was saved after."""
    fields = file.value("record")
    try:
        epochs = [Epoch(**epoch) for epoch in fields["epochs"]]
        record = TrainingRecord(**fields | {"epochs": epochs})
        _check_record(record)
    except (KeyError, TypeError) as e:
        raise file.error(f"its training record has another form ({e!s:.80})") from None
    return record


# What others look at of what was learnt from.
OF_DATA = {
    "format": (str, NoneType),
    "text": str,
    "label": (str, NoneType),
    "ending": str,
    "layout": list,
    "zero_based": bool,
    "header": bool,
}


def _check_record(record: TrainingRecord) -> None:
    """Raises TypeError for a field that no training writes."""
    wanted: dict[str, type] = dict.fromkeys(("loss", "learner", "penalty", "structure", "stopped"), str)
    wanted |= dict.fromkeys(("facts", "diagnostics", "data"), dict)
    for name, kind in wanted.items():
        _check_type(name, getattr(record, name), kind)
    for name in ("C", "alpha", "mistakes"):
        _check_type(name, getattr(record, name), (int, float))
    for name, kinds in OF_DATA.items():
        if name in record.data:
            _check_type(name, record.data[name], kinds)
    for name in record.data.get("layout", ()):
        _check_type("layout", name, str)
    for epoch in record.epochs:
        for name, value in vars(epoch).items():
            _check_type(name, value, (int, float, NoneType))


def _check_type(name: str, value: Any, kinds: Any) -> None:
    if not isinstance(value, kinds):
        raise TypeError(f"{name} is {value!r:.30}")


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def whole(file: ModelFile, spec: Mapping[str, Any], name: str) -> int:
    """A whole number of 0 or more."""
    value = spec.get(name)
    if type(value) is not int or value < 0:
        raise file.error(f"{name} is {value!r:.20}, no whole number")
    return value
