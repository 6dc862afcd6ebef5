"""Text features with a given vocabulary, as that of an imported pipeline."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.estimators.text.from_sklearn import ImportedPipeline
from linnet.features import TextFeatures
from linnet.model import LinearModel
from linnet.persistence import pack_strings


def text_features(found: ImportedPipeline) -> tuple[TextFeatures, LinearModel]:
    """`TextFeatures` that know the names of the pipeline and no others, and the weights for them.

    Names that no text can have here, such as words of several Han characters, are left out.
    """
    unfitted = TextFeatures(**found.features | {"scale": "none"})
    unfitted.fit_rows([""])
    hashes, kept = _hashes(unfitted.analyzer, found.names)
    values = found.values[kept].astype(np.float32)
    strings = pack_strings("names", [found.names[j] for j in kept])
    df, documents = _frequencies(found.values[kept])
    named = (strings["names.bytes"], strings["names.offsets"])
    counter = _core.FeatureCounter(hashes, df, *named)
    spec = unfitted.spec()
    spec["settings"] = spec["settings"] | {"scale": found.features["scale"]}
    scaled = found.features["scale"] != "none"
    spec |= {"features": len(kept), "documents": documents, "scaled": scaled}
    tensors: dict[str, NDArray[Any]] = {
        "slots": counter.slots,
        "hashes": hashes,
        "name_bytes": named[0],
        "name_offsets": named[1],
    }
    if scaled:
        tensors |= {"values": values, "df": df}
    rows = np.concatenate([[0], kept + 1])
    model = LinearModel(found.model.weights[rows], found.model.width, found.model.bias)
    return TextFeatures.from_parts(spec, tensors), model


def _hashes(analyzer: _core.Analyzer, names: list[str]) -> tuple[NDArray[np.uint64], NDArray[np.intp]]:
    """Hashes of the names that the analyzer can find, and which they are.

    A name is an n-gram of itself; of character n-grams the prefix is no part of the text.
    """
    hashes: dict[int, int] = {}  # to the place of the name; in the order of names
    for place, name in enumerate(names):
        text = name
        for prefix in ("chars:", "chars_wb:"):
            text = text.removeprefix(prefix)
        found = analyzer.names(text)
        if name in found:
            hashes.setdefault(int(analyzer.hashes(text)[found.index(name)]), place)
    return np.array(list(hashes), dtype=np.uint64), np.array(list(hashes.values()), dtype=np.intp)


def _frequencies(idf: NDArray[np.float64]) -> tuple[NDArray[np.uint32], int]:
    """Document frequencies that give this idf, ln((1 + n) / (1 + df)) + 1, the rarest being 1.

    Only their proportions are known; a stream that goes on counts from there.
    """
    share = np.exp(1 - idf)  # (1 + df) / (1 + n)
    n = 2 / share.min(initial=1.0) - 1
    return np.maximum(np.round(share * (1 + n)) - 1, 0).astype(np.uint32), round(n)
