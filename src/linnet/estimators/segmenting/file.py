"""The segmenter of a parser, in the parser's file."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import linnet.estimators.parts as parts
from linnet.data.multiword import MultiwordSplits
from linnet.errors import DataError
from linnet.estimators.segmenting.segmenter import Segmenter
from linnet.estimators.tagging.file import load_tagger, tagger_parts
from linnet.persistence import ModelFile

OWN = "segmenter."  # its tensors begin so


def pack_segmenter(segmenter: Segmenter, tensors: parts.Tensors) -> dict[str, Any]:
    """Its description; its tensors join those of the model."""
    spec, own = tagger_parts(segmenter.tagger)
    tensors |= {OWN + name: array for name, array in own.items()}
    return {
        "tagger": spec,
        "splits": segmenter.splits.spec(),
        "blanks_within": segmenter.blanks_within,
    }


def unpack_segmenter(file: ModelFile) -> Segmenter | None:
    """The inverse; files of old have none."""
    about = file.spec.get("segmenter")
    if about is None:
        return None
    if not isinstance(about, dict) or not isinstance(about.get("tagger"), dict):
        raise DataError("its segmenter is no description")
    own = {n.removeprefix(OWN): a for n, a in file.tensors.items() if n.startswith(OWN)}
    tagger = load_tagger(replace(file, spec=about["tagger"], tensors=own))
    blanks_within = about.get("blanks_within", True) is not False  # files of old do not say
    return Segmenter(tagger, MultiwordSplits.from_spec(about.get("splits")), blanks_within)
