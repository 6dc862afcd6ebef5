"""Training on files that are not read as a whole: in parts, or by workers on other machines."""

from __future__ import annotations

import os
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import linnet._core as _core
from linnet import engines
from linnet._memory import byte_size, limited
from linnet.errors import RefusedError, setting
from linnet.estimators.text.looked import TextFiles
from linnet.estimators.text.machines import OnMachines
from linnet.estimators.text.missing import Settled
from linnet.estimators.text.outofcore import OutOfCore
from linnet.estimators.text.parted import PartedTexts
from linnet.estimators.text.reading import TextFile, columns_of
from linnet.estimators.text.settings import calibration_of, class_weight_of
from linnet.estimators.text.weights import weights_of
from linnet.formats._source import is_stream
from linnet.training.calibration import FITS

if TYPE_CHECKING:
    from linnet.estimators.text.classifier import TextClassifier


def parted_files(
    model: TextClassifier, X: Any, paths: list[str] | None, sample_weight: Any, memory: Any, cache: Any
) -> TextFiles | None:
    """The files that are read in parts; None: texts are all read here, at once."""
    engine = engines.in_use()
    named = paths is not None or isinstance(X, TextFiles)
    if memory is None and cache is None:
        far = engine is not None and engine.far
        if isinstance(X, TextFiles) or not named or not far or sample_weight is not None:
            return X if isinstance(X, TextFiles) else None
        return None if why_here(model, paths or []) else _files(model, paths)
    if not named:
        raise ValueError("memory and cache are for files: give the path of one, or several")
    if engine is not None:
        _check_engine(model, [f.path for f in X.files] if isinstance(X, TextFiles) else paths, cache)
    if sample_weight is not None:
        raise ValueError("sample_weight: weights of files that are read in parts are in them")
    return X if isinstance(X, TextFiles) else _files(model, paths)


def _files(model: TextClassifier, paths: list[str] | None) -> TextFiles:
    anew = model.__sklearn_clone__()  # as if nothing had been learnt before
    files = [TextFile.of(anew, path) for path in paths or ()]
    return TextFiles(files, anew, class_weight_of(model))


def _check_engine(model: TextClassifier, paths: list[str] | None, cache: Any) -> None:
    if cache is not None:
        raise RefusedError(
            f"{setting('cache')} does not go with an engine: its workers make rows of their shards, "
            f"and do not keep them; leave out one of the two"
        )
    why = why_here(model, paths or [])
    if why is not None:
        raise RefusedError(
            f"{setting('memory')} on an engine lets workers read the texts, but {why}; leave out "
            f"one of the two"
        )


def why_here(model: Any, paths: list[str]) -> str | None:
    """Why workers cannot read texts by themselves, so that their rows are sent; None: they can."""
    features, inner = model.features, model.classifier
    owner = model if isinstance(features, str) else features
    if any(columns_of(model, anew=True).values()) or owner.statistics:
        return "what stands beside a text is looked at as a whole"
    if calibration_of(model) in FITS:
        return f"calibration {calibration_of(model)!r} learns from other parts of the rows five times"
    if model.progressive or (inner is not None and (inner.progressive or inner.early_stopping)):
        return "examples are predicted here while they are learnt from"
    pipe = next((path for path in paths if is_stream(os.fspath(path))), None)
    return None if pipe is None else f"{pipe} can be read only here, and once"


def fit_parted(
    model: TextClassifier, files: TextFiles, memory: Any, cache: Any, dev: Any
) -> TextClassifier:
    """Learn from files, with no more memory than is given."""
    limit = None if memory is None else byte_size("memory", memory)
    given, threads = engines.in_use(), model._threads()
    texts: PartedTexts
    with (
        nullcontext() if limit is None else limited(limit),
        nullcontext() if given is None else engines.keeping(given) as engine,
    ):
        if engine is None:
            place = None if cache is None else os.fspath(cache)
            texts = OutOfCore(model, files, limit, place, threads)
        else:
            texts = OnMachines(model, files, limit, threads, engine)
        made, looked = texts.made()
        model._check_training(made.targets)
        nothing = Settled(_core.Texts.from_list([]), None, None)
        weights = weights_of(None, looked.weights, class_weight_of(model), made.targets, nothing)
        return model._fit_made(made, weights, dev, looked.described() | looked.data)
