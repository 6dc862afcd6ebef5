"""What scikit-learn's vectorisers do to a text, as settings of `TextFeatures`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import RefusedError

Array = NDArray[np.float64]

# Patterns that are runs of word characters of a least length, or of anything but whitespace.
_WORDS = re.compile(r"(?:\(\?u\))?(\\b)?\\w(?:(\\w)*\+|\{(\d+),\})(\\b)?")
_LETTERS = re.compile(r"\\w")
_SPACED = re.compile(r"(?:\(\?u\))?(?:\\S|\[\^\\s\])\+")
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


@dataclass(frozen=True)
class TextPart:
    """The vectoriser: settings, names and weighting."""

    features: dict[str, Any]
    names: list[str]
    tf: str
    norm: str
    idf: Array | None
    n_columns: int
    notes: list[str] = field(default_factory=list)
    buckets: NDArray[np.intp] | None = None  # of each name, where names were hashed
    signs: Array = field(default_factory=lambda: np.ones(0))


def text_part(vectorizer: Any, texts: Iterable[str] | None) -> TextPart:
    """Read a fitted vectoriser; what cannot be carried over is refused."""
    from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer

    if type(vectorizer) not in (CountVectorizer, HashingVectorizer, TfidfVectorizer):
        raise _refused(
            f"its first step is {type(vectorizer).__name__}, not CountVectorizer, TfidfVectorizer or "
            f"HashingVectorizer itself"
        )
    features = _analysis(vectorizer)
    prefix = {"char": "chars:", "char_wb": "chars_wb:"}.get(vectorizer.analyzer, "")
    tf = "binary" if vectorizer.binary else "count"
    if type(vectorizer) is HashingVectorizer:
        return _hashed(vectorizer, texts, features, prefix, tf)
    if not hasattr(vectorizer, "vocabulary_"):
        raise _refused(f"{type(vectorizer).__name__} is not fitted")
    names = [""] * len(vectorizer.vocabulary_)
    for name, column in vectorizer.vocabulary_.items():
        names[int(column)] = name
    norm, idf = "none", None
    if type(vectorizer) is TfidfVectorizer:
        norm = vectorizer.norm or "none"
        idf = np.asarray(vectorizer.idf_, dtype=np.float64) if vectorizer.use_idf else None
        tf = "sublinear" if vectorizer.sublinear_tf and tf == "count" else tf
    notes = _notes(names, vectorizer.analyzer)
    return TextPart(features, [prefix + name for name in names], tf, norm, idf, len(names), notes)


def _analysis(v: Any) -> dict[str, Any]:
    for setting in ("preprocessor", "tokenizer", "strip_accents"):
        if getattr(v, setting) is not None and not (setting == "tokenizer" and v.analyzer != "word"):
            raise _refused(
                f"{setting}={getattr(v, setting)!r:.60} changes texts in a way that is not in a model "
                f"file; train again without it, or apply it to texts beforehand"
            )
    if v.input != "content":
        raise _refused(f"input={v.input!r} opens files; train again on the texts themselves")
    if v.encoding.lower().replace("_", "-") not in ("utf-8", "utf8"):
        raise _refused(f"encoding={v.encoding!r} is not UTF-8")
    if callable(v.analyzer) or v.analyzer not in ("word", "char", "char_wb"):
        raise _refused(f"analyzer={v.analyzer!r:.60} is code; use 'word', 'char' or 'char_wb'")
    lengths = (int(v.ngram_range[0]), int(v.ngram_range[1]))
    none = {"word": None, "chars": None, "chars_wb": None, "punctuation": False, "tokens": "unicode"}
    features = none | {"lowercase": bool(v.lowercase), "stop_words": None, "min_length": 1}
    if v.analyzer == "char_wb" and lengths[0] < 2:
        raise _refused("char_wb with n-grams of length 1 counts the spaces around words; begin with 2")
    if v.analyzer != "word":
        return features | {"chars" if v.analyzer == "char" else "chars_wb": lengths}
    return features | {"word": lengths, "stop_words": _stop_words(v)} | _tokens(v.token_pattern)


def _tokens(pattern: str) -> dict[str, Any]:
    r"""The rule behind a token_pattern: the default, ``(?u)\b\w\w+\b``, drops one-letter words."""
    if _SPACED.fullmatch(pattern):
        return {"tokens": "whitespace", "min_length": 1}
    found = _WORDS.fullmatch(pattern)
    if found is None:
        raise _refused(
            f"token_pattern={pattern!r} is none of Linnet's rules: words of a least length, such as "
            r"(?u)\b\w\w+\b or \w+, or \S+"
        )
    shortest = int(found[3]) if found[3] else len(_LETTERS.findall(pattern))
    return {"tokens": "unicode", "min_length": max(1, shortest)}


def _stop_words(v: Any) -> list[str] | None:
    """Lower-cased texts never have a stop word with capitals, so it stops nothing."""
    words = v.get_stop_words()
    if words is None:
        return None
    return sorted(w for w in words if not v.lowercase or w == w.lower()) or None


def _hashed(
    v: Any, texts: Iterable[str] | None, features: dict[str, Any], prefix: str, tf: str
) -> TextPart:
    """Names from texts, and the bucket and sign that each of them is hashed to."""
    from sklearn.feature_extraction import FeatureHasher

    if texts is None:
        raise _refused(
            "HashingVectorizer keeps no words, and Linnet hashes otherwise; give texts that have the "
            "words it should know, for instance those it was trained on"
        )
    analyze = v.build_analyzer()
    names = list(dict.fromkeys(name for text in texts for name in analyze(text)))
    if not names:
        raise _refused("texts have no features")
    hasher = FeatureHasher(v.n_features, input_type="string", alternate_sign=v.alternate_sign)
    placed = hasher.transform([name] for name in names)
    notes = _notes(names, v.analyzer)
    notes.append(f"{len(names)} names of features are known; words that are in no given text are not")
    shared = len(names) - len(np.unique(placed.indices))
    if shared and ((v.norm or "none") != "none" or v.binary):
        notes.append(
            f"{shared} names share a bucket with another; texts with both have a slightly other norm"
        )
    return TextPart(
        features,
        [prefix + name for name in names],
        tf,
        v.norm or "none",
        None,
        v.n_features,
        notes,
        placed.indices.astype(np.intp),
        np.asarray(placed.data, dtype=np.float64),
    )


def _notes(names: list[str], analyzer: str) -> list[str]:
    if analyzer == "word":
        han = sum(1 for name in names if _HAN.search(name))
        return [f"{han} names have Han characters, each of which is a word in Linnet"] if han else []
    other = sum(1 for name in names if re.search(r"[^\S ]", name)) if analyzer == "char" else 0
    if other:
        return [f"{other} names have a line break or a tab, which Linnet reads as a space"]
    return []


def _refused(why: str) -> RefusedError:
    return RefusedError(f"the vectoriser cannot become a model of Linnet: {why}")
