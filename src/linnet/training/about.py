"""What a training is: all settings that matter to its result, and a fingerprint of its data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from typing import Any

import numpy as np

import linnet._core as _core
from linnet.learners.base import Learner
from linnet.structures import Problem

SETTINGS = (
    *("loss", "penalty", "l1", "l2", "C", "tol", "seed", "average", "split"),
    *("penalize_intercept", "warm_start", "shuffle", "margin"),
)
DATA = "data"  # the fingerprint


def described(learner: Learner, problem: Problem, stopping: Any) -> dict[str, Any]:
    """Plain values by name. The number of threads is none of them: it changes no bit."""
    structure = problem.structure
    found: dict[str, Any] = {"structure": structure.name, "learner": learner.name}
    found |= {name: getattr(problem, name) for name in SETTINGS}
    found |= {"max_iter": stopping.max_epochs, "patience": stopping.patience}
    found["shards"] = None if problem.engine is None else problem.engine.shards
    found["held-out data"] = stopping.dev is not None
    found |= {f"{name} of {learner.name}": v for name, v in learner.get_params(deep=False).items()}
    digest = blake2b(digest_size=16)
    _add("", structure, digest, found)
    _add("weights", problem.weights, digest, found)
    _add("initial", problem.initial, digest, found)
    if problem.elsewhere is not None:  # nothing was in the structure
        digest.update(f"elsewhere {problem.elsewhere.fingerprint}\n".encode())
    plain = {name: v if _is_plain(v) else repr(v) for name, v in found.items()}
    return plain | {DATA: digest.hexdigest()}


def difference(before: Any, now: Mapping[str, Any]) -> str | None:
    """What is not the same, in words; None if all is."""
    if not isinstance(before, Mapping):
        return "its settings are not known"
    for name in [*now, *before]:
        was, is_ = before.get(name), now.get(name)
        if was != is_ and name != DATA:
            return f"{name} was {_shown(was)}, is {_shown(is_)}"
    return None if before.get(DATA) == now.get(DATA) else "the data were others"


def _shown(value: Any) -> str:
    if value is None:
        return "not given"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _is_plain(value: Any) -> bool:
    return value is None or type(value) in (bool, int, float, str)


def _add(name: str, value: Any, digest: Any, found: dict[str, Any]) -> None:
    """Arrays and rows into the fingerprint, plain values by their names."""
    if isinstance(value, np.ndarray):
        digest.update(f"{name} {value.dtype} {value.shape}\n".encode())
        digest.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, _core.Rows):
        digest.update(f"{name} {value.size} {value.features} {value.bias} {value.hash()}\n".encode())
    elif is_dataclass(value):
        for field in fields(value):
            _add(f"{name} {field.name}".strip(), getattr(value, field.name), digest, found)
    elif name and (_is_plain(value) or isinstance(value, (tuple, frozenset))):
        found[name] = value
