"""Which tags may stand where: legal spans, transitions, a dictionary, tags that are known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from linnet.data import Sequences
from linnet.data.chunks import (
    SCHEMES,
    is_chunked,
    legal_transitions,
    scheme_named,
    scheme_of_parts,
)
from linnet.data.sequences import listed, token_strings
from linnet.errors import DataError
from linnet.structures.chain_rules import ChainRules, Mask

Tags = Sequence[str]


def scheme_in_use(setting: Any, parts: Iterable[Sequences], tags: Tags) -> str | None:
    """The scheme that predicted tags obey; 'auto': that of the training data, if they all obey it.

    The data may come in parts, which are gone through more than once.
    """
    if setting is None:
        return None
    if setting != "auto":
        if not isinstance(setting, str):
            raise ValueError(f"legal must be 'auto', None or one of {', '.join(SCHEMES)}")
        scheme = scheme_named(setting)
        if not is_chunked(tags):
            raise ValueError(f"legal={setting!r}, but tags such as {tags[0]!r} speak of no spans")
        return scheme
    found = scheme_of_parts((part.labels, part.offsets) for part in parts if part.labels is not None)
    if found is None or not all(_obeys(part, tags, found) for part in parts):
        return None
    return found


def _obeys(sequences: Sequences, tags: Tags, scheme: str) -> bool:
    """Is every tag of the data one that the scheme allows there?"""
    column, offsets = sequences.labels, sequences.offsets
    assert column is not None
    place = {tag: k for k, tag in enumerate(tags)}  # the column may name tags that no token has
    codes = np.array([*(place.get(name, -1) for name in column.names), -1], np.int32)[column.codes]
    legal = legal_transitions(tags, scheme)
    firsts, lasts = offsets[:-1][np.diff(offsets) > 0], offsets[1:][np.diff(offsets) > 0] - 1
    inside = np.ones(len(codes), bool)
    inside[firsts] = False
    at = np.flatnonzero(inside)
    a, b = codes[at - 1], codes[at]
    known = (a >= 0) & (b >= 0)
    moves = legal.allowed[a[known], b[known]].all()
    ends = [
        mask[codes[x][codes[x] >= 0]].all() for mask, x in ((legal.start, firsts), (legal.stop, lasts))
    ]
    return bool(moves and all(ends))


def transition_rules(scheme: str | None, given: Any, tags: Tags) -> ChainRules:
    """The masks of a scheme and of transitions that a user allows, {before: [after, …]}."""
    transitions = start = stop = None
    if scheme is not None:
        legal = legal_transitions(tags, scheme)
        transitions, start, stop = (mask.astype(np.uint8) for mask in legal)
    if given is not None:
        own = _given_transitions(given, tags)
        transitions = own if transitions is None else transitions & own
    return ChainRules(transitions, start, stop)


def _given_transitions(given: Any, tags: Tags) -> Mask:
    if not isinstance(given, Mapping):
        raise ValueError("transitions must be a dict that lists for tags those that may follow")
    code = {tag: k for k, tag in enumerate(tags)}
    mask = np.ones((len(tags), len(tags)), np.uint8)
    for before, after in given.items():
        mask[_code(before, code, "transitions")] = 0
        for tag in _listed(after, f"transitions of {before!r}"):
            mask[code[before], _code(tag, code, "transitions")] = 1
    return mask


def token_mask(
    sequences: Sequences, dictionary: Any, known: Any, tags: Tags, word: str | None
) -> Mask | None:
    """(tokens, tags): what the dictionary has for a word, and the tags that are known beforehand.

    ``known`` are tags, or such a mask.
    """
    if dictionary is None and known is None:
        return None
    code = {tag: k for k, tag in enumerate(tags)}
    mask = np.ones((sequences.tokens, len(tags)), np.uint8)
    if dictionary is not None:
        if word is None:
            raise DataError("a dictionary needs the words of tokens, and these have attributes only")
        rows = dictionary_masks(dictionary, tags)
        for i, token in enumerate(token_strings(sequences.columns[word])):
            if token in rows:
                mask[i] = rows[token]
    if isinstance(known, np.ndarray) and known.dtype == np.uint8:
        narrower = mask & known
        mask = np.where(narrower.any(axis=1, keepdims=True), narrower, known)
    elif known is not None:
        for i, tag in enumerate(_flat_known(known, sequences)):
            if tag is not None:
                k = _code(tag, code, "known")
                mask[i] = 0
                mask[i, k] = 1
    return mask


def dictionary_masks(dictionary: Any, tags: Tags) -> dict[str, Mask]:
    """(tags,) for each word: those that it may have."""
    if not isinstance(dictionary, Mapping):
        raise ValueError("dictionary must be a dict that lists the tags that a word may have")
    code = {tag: k for k, tag in enumerate(tags)}
    return {word: _mask_of(listed, code, word) for word, listed in dictionary.items()}


def _mask_of(listed: Any, code: Mapping[str, int], word: str) -> Mask:
    mask = np.zeros(len(code), np.uint8)
    for tag in _listed(listed, f"dictionary of {word!r}"):
        mask[_code(tag, code, "dictionary")] = 1
    if not mask.any():
        raise ValueError(f"dictionary leaves no tag for {word!r}")
    return mask


def _flat_known(known: Any, sequences: Sequences) -> list[Any]:
    given = listed(known, "known", "tags")
    if [len(tags) for tags in given] != sequences.lengths.tolist():
        raise DataError("known must have one tag, or None, for each token of X")
    return [tag for tags in given for tag in tags]


def _listed(given: Any, what: str) -> Iterable[str]:
    if isinstance(given, str):
        return [given]
    if not isinstance(given, Iterable):
        raise ValueError(f"{what}: a tag or a list of tags is wanted, not {given!r}")
    return given


def _code(tag: Any, code: Mapping[str, int], setting: str) -> int:
    if not isinstance(tag, str) or tag not in code:
        raise ValueError(f"{setting} names the tag {tag!r}, which is not among {', '.join(code)}")
    return code[tag]
