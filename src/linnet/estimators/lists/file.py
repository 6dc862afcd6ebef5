"""Lists and memories of texts, and lists over rows of symbols, to model files and back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import linnet.estimators.parts as parts
from linnet.data import CsrRows
from linnet.data.missing import Policy
from linnet.errors import DataError
from linnet.estimators.lists.brill import BrillClassifier, TextBrill
from linnet.estimators.lists.decision_list import DecisionList, TextDecisionList
from linnet.estimators.lists.rows import MOST_TOGETHER, RowList, SymbolFeatures
from linnet.estimators.memory.texts import TextNeighbors
from linnet.estimators.text.by_rows import TextByRows
from linnet.estimators.text.classifier import TextClassifier
from linnet.estimators.text.file import load_text, text_parts, under, unpack_features, without_code
from linnet.features import TextFeatures
from linnet.model.decision_list import DecisionListModel
from linnet.model.row_rules import RowRules
from linnet.persistence import ModelFile, StoredStrings, pack_strings

FEATURES, INITIAL = "features.", "initial."  # the tensors of each begin so
TEXTS: dict[str, type[TextByRows]] = {
    "text decision list": TextDecisionList,
    "text rules": TextBrill,
    "text neighbours": TextNeighbors,
}
ROWS: dict[str, type[RowList]] = {"decision list": DecisionList, "rules": BrillClassifier}
BAD = (DataError, KeyError, TypeError, ValueError, AttributeError, OverflowError, IndexError)


def text_list_parts(model: TextByRows) -> tuple[dict[str, Any], parts.Tensors]:
    """Features of texts, and what is learnt of them."""
    tensors: parts.Tensors = {}
    given = model.get_params(deep=False)
    features = given["features"]
    plain = given | {"features": "auto"} | ({"initial": "label"} if "initial" in given else {})
    spec: dict[str, Any] = {
        "kind": next(kind for kind, known in TEXTS.items() if type(model) is known),
        "params": parts.pack_params(type(model)(**plain), tensors),
        "features": model.features_.spec(),
    }
    if isinstance(features, TextFeatures):
        settings = without_code(features.get_params(deep=False))
        lists = {k: sorted(v) for k, v in settings.items() if isinstance(v, (set, frozenset))}
        made = TextFeatures(**settings | lists)
        spec["params"]["features"] = {"$features": parts.pack_params(made, tensors)}
    initial = given.get("initial", "label")
    if isinstance(initial, TextClassifier):
        spec["initial"], own = text_parts(initial)
        tensors |= {INITIAL + name: array for name, array in own.items()}
    spec["means"] = model.means_
    tensors |= {FEATURES + name: array for name, array in model.features_.tensors().items()}
    return _learnt(model, spec, tensors)


def row_list_parts(model: RowList) -> tuple[dict[str, Any], parts.Tensors]:
    """Names of columns and features, and what is learnt of them."""
    tensors: parts.Tensors = {}
    spec = {
        "kind": next(kind for kind, known in ROWS.items() if type(model) is known),
        "params": parts.pack_params(model, tensors),
    }
    tensors |= pack_strings("columns", model.features_.columns)
    tensors |= pack_strings("names", model.features_.names)
    return _learnt(model, spec, tensors)


def _learnt(
    model: Any, spec: dict[str, Any], tensors: parts.Tensors
) -> tuple[dict[str, Any], parts.Tensors]:
    spec["classes"] = parts.pack_labels(model.classes_, tensors)
    spec["record"] = parts.pack_record(model.record_, tensors)
    own = model.model_
    if isinstance(own, DecisionListModel):
        spec["default"] = [own.default, *own.default_counts]
        tensors |= {"entries": own.entries, "labels": own.labels, "counts": own.counts}
    elif isinstance(own, RowRules):
        spec["default"] = [own.default]
        tensors["rules"] = own.rules
    else:
        rows = own.rows
        tensors |= {"indptr": rows.indptr, "indices": rows.indices, "values": rows.values}
        tensors["labels"] = own.labels
    return spec, tensors


def load_text_list(file: ModelFile) -> TextByRows:
    """The classifier of texts in a file, checked."""
    what = TEXTS[file.kind]
    given = dict(file.spec["params"]) if isinstance(file.spec.get("params"), dict) else {}
    features = unpack_features(given.pop("features", None), file)
    model = parts.unpack_params(file, what, given)
    model.features = features
    classes, record = parts.unpack_labels(file), parts.unpack_record(file)
    try:
        if "initial" in file.spec and what is TextBrill:
            inner = replace(file, spec=file.spec["initial"], tensors=under(INITIAL, file))
            initial = load_text(inner)
            if not {*initial.classes_.tolist()} <= {*classes.tolist()}:
                raise DataError("its first labels are others")
            model.initial = initial  # type: ignore[attr-defined]
        model._check_own()
        Policy.of(model.missing)
        if not 0 < model._threads() < 2**31 or not isinstance(model.text, str):
            raise DataError("its settings make no sense")
        learnt = TextFeatures.from_parts(file.spec["features"], under(FEATURES, file))
        means = file.spec.get("means", {})
        model.means_ = {str(name): float(mean) for name, mean in means.items()}
        own = _model(file, model, learnt.n_features, len(classes))
        model._set(classes, learnt, own, record)
    except BAD as error:
        raise file.error(f"{error!s:.200}") from None
    return model


def load_row_list(file: ModelFile) -> RowList:
    """The classifier of rows in a file, checked."""
    model = parts.unpack_params(file, ROWS[file.kind])
    classes, record = parts.unpack_labels(file), parts.unpack_record(file)
    try:
        model._check_own()
        model._threads()
        columns = StoredStrings(file, "columns").decode()
        if not columns or not 1 <= int(model.conjunctions) <= MOST_TOGETHER:
            raise DataError("it has no columns, or looks at too many together")
        features = SymbolFeatures(columns, int(model.conjunctions))
        features.names = StoredStrings(file, "names").decode()
        features.number = {name: k for k, name in enumerate(features.names)}
        own = _model(file, model, len(features.names), len(classes))
        model._set(classes, features, own, record)
    except BAD as error:
        raise file.error(f"{error!s:.200}") from None
    return model


def _model(file: ModelFile, model: Any, features: int, labels: int) -> Any:
    """Every number must name something."""
    if isinstance(model, TextNeighbors):
        return model._memory(_rows(file, features), _codes(file, "labels", labels), labels)
    default = file.spec["default"]
    if not all(type(n) is int and n >= 0 for n in default) or default[0] >= labels:
        raise DataError("its default is no label")
    if isinstance(model, (TextBrill, BrillClassifier)):
        rules = np.ascontiguousarray(file.tensor("rules", "i", 2), np.int64)
        if rules.shape[1] != 5 or (rules < 0).any():
            raise DataError("its rules have another form")
        if (rules[:, 0] >= features).any() or (rules[:, 1:3] >= labels).any():
            raise DataError("a rule names a feature or a label that is not there")
        return RowRules(features, labels, default[0], rules)
    entries, counts = _codes(file, "entries", features), file.tensor("counts", "i", 2)
    given = _codes(file, "labels", labels)
    if len(given) != len(entries) or counts.shape != (len(entries), 2) or (counts < 0).any():
        raise DataError("its entries have another form")
    return DecisionListModel(
        features,
        labels,
        entries,
        given,
        counts.astype(np.int64),
        default[0],
        (default[1], default[2]),
        float(model.alpha),
    )


def _codes(file: ModelFile, name: str, size: int) -> Any:
    codes = np.ascontiguousarray(file.tensor(name, "i"), np.int32)
    if (codes < 0).any() or (codes >= size).any():
        raise DataError(f"its {name} name what is not there")
    return codes


def _rows(file: ModelFile, features: int) -> CsrRows:
    indptr = np.ascontiguousarray(file.tensor("indptr", "i"), np.int64)
    indices, values = _codes(file, "indices", features), file.tensor("values", "f")
    sound = len(indptr) > 1 and indptr[0] == 0 and indptr[-1] == len(indices) == len(values)
    if not sound or (np.diff(indptr) < 0).any() or not np.isfinite(values).all():
        raise DataError("its rows have another form")
    if len(file.tensor("labels", "i")) != len(indptr) - 1:
        raise DataError("its rows and labels differ in number")
    return CsrRows(indptr, indices, np.ascontiguousarray(values, np.float32), features, True)
