"""Estimators to model files and back: every family has its own way, found by a table."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from linnet.errors import setting
from linnet.persistence import read

Path = str | os.PathLike[str]

# Who reads a model file, by the kind that it says it is of.
KINDS = {
    "brill tagger": ("linnet.estimators.tagging.brill_file", "load_brill"),
    "constituency parser": ("linnet.estimators.phrases.file", "load_constituency"),
    "graph model": ("linnet.estimators.graphs.file", "load_graph_model"),
    "grammar parser": ("linnet.estimators.grammars.file", "load_grammar"),
    "kernel machine": ("linnet.estimators.kernels.file", "load_kernel"),
    "linear classifier": ("linnet.estimators.linear.file", "load_linear"),
    "mapped classifier": ("linnet.estimators.kernels.mapped_file", "load_mapped"),
    "memory classifier": ("linnet.estimators.memory.file", "load_memory"),
    "memory tagger": ("linnet.estimators.memory.file", "load_memory_tagger"),
    "linear regressor": ("linnet.estimators.linear.file", "load_regressor"),
    "parser": ("linnet.estimators.parsing.file", "load_parser"),
    "tagger": ("linnet.estimators.tagging.file", "load_tagger"),
    "decision list": ("linnet.estimators.lists.file", "load_row_list"),
    "rules": ("linnet.estimators.lists.file", "load_row_list"),
    "text decision list": ("linnet.estimators.lists.file", "load_text_list"),
    "text rules": ("linnet.estimators.lists.file", "load_text_list"),
    "text neighbours": ("linnet.estimators.lists.file", "load_text_list"),
    "text classifier": ("linnet.estimators.text.file", "load_text"),
    "text regressor": ("linnet.estimators.text.file", "load_text_regressor"),
}


def save(estimator: Any, path: Path, dtype: Any = None) -> None:
    """Write a fitted estimator to a model file: its own ``save``, as a function.

    ``dtype`` is of linear classifiers, whose weights may be cast.
    """
    estimator.save(path, **({} if dtype is None else {"dtype": dtype}))


def load(
    path: Path, *, preprocessor: Any = None, tokenizer: Any = None, trust_hooks: bool = False
) -> Any:
    """The model in a file, fitted and ready to predict; the weights are mapped, not read.

    Loading never runs anything that is in the file. A file that is damaged, or is no model file, raises
    `linnet.persistence.ModelFileError`.

    A ``preprocessor`` or ``tokenizer`` of the user's that a text model was trained with is code and no
    part of the file: give it again, a callable or its path "module:function". ``trust_hooks`` imports
    what the file names; only for files that you trust as you trust code. Without either the model is
    loaded, and says what it misses when it is asked about a text.
    """
    file = read(path)
    if file.kind not in KINDS:
        raise file.error(f"there is no kind of model {file.kind!r:.60}; a later linnet may know it")
    room, name = KINDS[file.kind]
    model = getattr(import_module(room), name)(file)
    hooks = {"preprocessor": preprocessor, "tokenizer": tokenizer}
    if trust_hooks or any(hook is not None for hook in hooks.values()):
        give_hooks(model, hooks, trust_hooks)
    return model


def give_hooks(model: Any, hooks: Mapping[str, Any], trust: bool) -> None:
    """Hooks where a model that was loaded misses them."""
    from linnet.features.text.hooks import given_again

    features = getattr(model, "features_", None)
    for which, hook in hooks.items():
        if hook is not None and getattr(features, which, None) is None:
            raise ValueError(f"{setting(which)}: the model was trained without one")
    for holder in (features, getattr(model, "features", None), model):
        given_again(holder, hooks, trust)
