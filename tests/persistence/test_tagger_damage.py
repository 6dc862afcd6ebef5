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


@pytest.mark.parametrize(
    "name", ["voted", "voted, second order", "voted, third order", "voted, observed"]
)
def test_crafted_votes(name: str, path: Path) -> None:
    found = read(FILES.saved(path, name))
    tensors = {k.removeprefix("votes."): np.array(v) for k, v in found.tensors.items()}
    counts, weights, changes = (tensors[k] for k in ("counts", "weights", "changes"))
    most = FILES.model(name).model_.votes.state()[0]
    far, many = weights.astype("u8"), tensors["survived"].astype("u8")
    far[0], many[0] = most, 2**63
    wide = changes.astype("f8")
    for kept in ("weights", "changes"):
        assert FILES.outcome(FILES.edited(path, name, tensors={f"votes.{kept}": None})) == "refused"
    crafted: list[dict[str, np.ndarray]] = [
        {"weights": far},
        {"weights": np.full_like(far, 2**64 - 1)},
        {"weights": weights.astype("i8")},
        {"survived": many},
        {"survived": np.full_like(many, 2**62)},
        {"survived": tensors["survived"][1:]},
        {"counts": np.full_like(counts, 255).astype("u8") << 50},
        {"counts": counts[::-1][1:].copy()},
        {"counts": counts[:0], "weights": weights[:0], "changes": changes[:0]},
        {"changes": np.full_like(wide, np.nan)},
        {"changes": np.full_like(wide, np.inf)},
        {"changes": np.full_like(wide, 1e300)},
        {"changes": changes.astype("f2")},
    ]
    for wrong in crafted:
        edited = {f"votes.{k}": v for k, v in wrong.items()}
        assert FILES.outcome(FILES.edited(path, name, tensors=edited)) == "refused", wrong
    for updates in (0, -1, "x", 2**70, len(counts) + 1, True, [len(counts)]):
        assert FILES.outcome(FILES.edited(path, name, {"votes": updates})) == "refused", updates
    assert FILES.outcome(FILES.edited(path, "auto", {"votes": 1})) == "refused"
    assert FILES.outcome(FILES.edited(path, "packed", {"votes": 1})) == "refused"
    assert FILES.outcome(FILES.edited(path, "segments", {"votes": 1})) == "refused"
    # As many updates as it says, but none of them changes anything, or no vector has a vote.
    nothing = {"votes.counts": counts * 0, "votes.weights": weights[:0], "votes.changes": changes[:0]}
    assert FILES.outcome(FILES.edited(path, name, tensors=nothing)) == "used"
    assert FILES.outcome(
        FILES.edited(path, name, tensors={"votes.survived": tensors["survived"] * 0})
    ) == ("used")


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
        {"order": -1},
        {"normalisation": "?"},
        {"n_jobs": 2**40},
        {"cost": {"x": 1.0}},
    ):
        assert (
            FILES.outcome(FILES.edited(path, "first order", {"params": params | changed})) == "refused"
        )
