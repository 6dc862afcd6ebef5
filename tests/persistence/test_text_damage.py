"""Damaged files of text classifiers: they are refused, or used without harm."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import linnet
from linnet.persistence import read

from ..birds import BIRDS, TEXTS
from .damage import filled, flipped_header, flipped_tensors, misshapen
from .text_models import FILES, MODELS, use


@pytest.mark.parametrize("name", ["mix", "packed, 4 bits"])
def test_cut_off(name: str, path: Path) -> None:
    FILES.check_cut_off(path, name)


@pytest.mark.parametrize("name", ["mix", "packed, 4 bits"])
def test_flipped_bytes_of_the_header(name: str, path: Path) -> None:
    bad = flipped_header(FILES.bytes(name), 250, np.random.default_rng(0))
    assert [FILES.outcome(path, raw) for raw in bad].count("refused") > 50


@pytest.mark.parametrize("name", MODELS)
def test_flipped_bytes_of_each_tensor(name: str, path: Path) -> None:
    for raw in flipped_tensors(FILES.bytes(name), 3, np.random.default_rng(1)):
        FILES.outcome(path, raw)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("byte", [0x00, 0xFF, 0x7F])
def test_tensors_overwritten(name: str, byte: int, path: Path) -> None:
    for tensor, array in read(FILES.saved(path, name)).tensors.items():
        FILES.outcome(FILES.edited(path, name, tensors={tensor: filled(array, byte)}))
        FILES.saved(path, name)


@pytest.mark.parametrize("name", MODELS)
def test_tensors_of_wrong_length_type_and_shape(name: str, path: Path) -> None:
    tensors = {k: np.array(v) for k, v in read(FILES.saved(path, name)).tensors.items()}
    for tensor, array in tensors.items():
        for bad in (None, *misshapen(array, ("f8", "i8", "u1", "f4"))):
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = FILES.outcome(FILES.edited(path, name, tensors={tensor: bad}))
            expected_to_fail = bad is None and not tensor.startswith("calibration")
            assert result == "refused" or not expected_to_fail, tensor


@pytest.mark.parametrize("name", MODELS)
def test_wrong_values_everywhere(name: str, path: Path) -> None:
    FILES.check_wrong_values(path, name, 3, lambda _: False, 1e999, "nan")


@pytest.mark.parametrize("name", MODELS)
def test_missing_parts(name: str, path: Path) -> None:
    for key in read(FILES.saved(path, name)).spec:
        if key not in ("kind", "why", "softmax", "calibration", "params", "means"):
            assert FILES.outcome(FILES.without(path, name, key)) == "refused", key


def test_crafted(path: Path) -> None:
    plain = read(FILES.saved(path, "plain")).spec
    assert FILES.outcome(FILES.edited(path, "plain", {"softmax": -1.0})) == "refused"
    assert FILES.outcome(FILES.edited(path, "plain", {"softmax": 0.0})) == "refused"
    assert FILES.outcome(FILES.edited(path, "plain", {"kind": "chart parser"})) == "refused"
    for width in (1, 5, 7, 2**40):
        assert (
            FILES.outcome(FILES.edited(path, "plain", {"model": plain["model"] | {"width": width}}))
            == "refused"
        )
    for features in (0, 1, 10**6, 2**40, 2**63):
        crafted = plain["features"] | {"features": features}
        assert FILES.outcome(FILES.edited(path, "plain", {"features": crafted})) == "refused"
    for bits in (0, 9, 31, 63):
        settings = plain["features"]["settings"] | {"hash_bits": bits}
        crafted = plain["features"] | {"settings": settings}
        assert FILES.outcome(FILES.edited(path, "plain", {"features": crafted})) == "refused"
    packed = read(FILES.saved(path, "packed")).spec
    for bias in ("nan", "inf", True, "x", 1e39):
        assert (
            FILES.outcome(FILES.edited(path, "packed", {"packed": packed["packed"] | {"bias": bias}}))
            == "refused"
        )
    for bits in (4, 2, 16):
        assert (
            FILES.outcome(FILES.edited(path, "packed", {"packed": packed["packed"] | {"bits": bits}}))
            == "refused"
        )
    # One packed feature fewer, and a row beside in its place.
    width = 6
    tensors = read(FILES.saved(path, "packed")).tensors
    codes = np.array(tensors["packed.codes"])[:-width]
    count = packed["packed"]["features"] - 1
    crafted = FILES.edited(
        path,
        "packed",
        {"packed": packed["packed"] | {"features": count}},
        {"packed.codes": codes, "packed.beside": np.zeros((1, width), np.float32)},
    )
    assert FILES.outcome(crafted) == "refused"
    several = read(FILES.saved(path, "packed several")).spec
    assert several["several"] is True
    assert FILES.outcome(FILES.edited(path, "packed two", {"several": True})) == "refused"


@pytest.mark.parametrize("name", ["plain", "mix", "two", "hashed"])
def test_a_damaged_vocabulary_grows_or_refuses(name: str, path: Path) -> None:
    tensors = {
        k: np.array(v)
        for k, v in read(FILES.saved(path, name)).tensors.items()
        if k.startswith("features.")
    }
    rng = np.random.default_rng(2)
    for tensor, array in tensors.items():
        for _ in range(4):
            raw = bytearray(array.tobytes())
            for at in rng.integers(0, len(raw), 20):
                raw[at] ^= 1 << int(rng.integers(8))
            bad = np.frombuffer(bytes(raw), array.dtype).reshape(array.shape)
            FILES.edited(path, name, tensors={tensor: bad})
            try:
                model = linnet.load(path)
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("ignore")
                    model.partial_fit(TEXTS[:20], BIRDS[:20])
                    list(model.features_.names)
            except ValueError:
                continue
            use(model)
