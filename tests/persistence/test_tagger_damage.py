"""Damaged files of taggers: they are refused, or used without harm."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from linnet.persistence import read

from .damage import filled, flipped_header, flipped_tensors, misshapen
from .tagger_models import FILES, MODELS


@pytest.mark.parametrize("name", ["observed", "packed, 4 bits"])
def test_cut_off(name: str, path: Path) -> None:
    FILES.check_cut_off(path, name)


@pytest.mark.parametrize("name", MODELS)
def test_flipped_bytes(name: str, path: Path) -> None:
    raw, rng = FILES.bytes(name), np.random.default_rng(1)
    for bad in (*flipped_tensors(raw, 2, rng), *flipped_header(raw, 40, rng)):
        FILES.outcome(path, bad)


@pytest.mark.parametrize("name", MODELS)
def test_tensors_replaced(name: str, path: Path) -> None:
    tensors = {k: np.array(v) for k, v in read(FILES.saved(path, name)).tensors.items()}
    for tensor, array in tensors.items():
        wrong = [None, *misshapen(array, ("f8", "i8", "u1", "i1", "f4"))]
        for bad in (*wrong, *(filled(array, byte) for byte in (0x00, 0xFF, 0x7F))):
            result = FILES.outcome(FILES.edited(path, name, tensors={tensor: bad}))
            optional = tensor in ("model.start", "model.stop") or tensor.startswith("record")
            assert result == "refused" or bad is not None or optional, tensor


@pytest.mark.parametrize("name", MODELS)
def test_wrong_values_everywhere(name: str, path: Path) -> None:
    FILES.check_wrong_values(path, name, 2, lambda place: "why" in place)


def test_missing_parts(path: Path) -> None:
    for name in ("observed", "packed"):
        for key in read(FILES.saved(path, name)).spec:
            if key in ("kind", "why", "params", "scheme") or (key, name) == ("pairs", "packed"):
                continue
            assert FILES.outcome(FILES.without(path, name, key)) == "refused", key


def test_crafted(path: Path) -> None:
    spec = read(FILES.edited(path, "first order")).spec
    for labels in (0, 1, 6, 2**40, -1):
        assert FILES.outcome(
            FILES.edited(path, "first order", {"model": spec["model"] | {"labels": labels}})
        ) == ("refused")
    for order in (0, 1, 2, 3):
        FILES.outcome(FILES.edited(path, "first order", {"model": spec["model"] | {"order": order}}))
    for bias in (True, "x", 1e39, None):
        assert (
            FILES.outcome(FILES.edited(path, "first order", {"model": spec["model"] | {"bias": bias}}))
            == "refused"
        )
    for scheme in ("bio2", "x", ["bio"], 1):
        assert FILES.outcome(FILES.edited(path, "first order", {"scheme": scheme})) in (
            "refused",
            "used",
        )
    for bits in (0, 4, 7, 16, "8", None, [8]):
        assert FILES.outcome(FILES.edited(path, "packed", {"bits": bits})) == "refused"
    assert FILES.outcome(FILES.edited(path, "first order", {"estimator": "Oracle"})) == "refused"
    assert FILES.outcome(FILES.edited(path, "first order", {"bits": 8})) == "refused"
    params = spec["params"]
    for changed in (
        {"dictionary": {"ivy": ["NOT A TAG"]}},
        {"dictionary": {"ivy": []}},
        {"transitions": {"O": 3}},
        {"order": 7},
        {"normalisation": "?"},
        {"n_jobs": 2**40},
        {"cost": {"x": 1.0}},
    ):
        assert (
            FILES.outcome(FILES.edited(path, "first order", {"params": params | changed})) == "refused"
        )
