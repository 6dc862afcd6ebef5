"""Taggers by rules to model files and back."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

import linnet.estimators.parts as parts
from linnet.errors import DataError
from linnet.estimators.tagging.file import GIVEN, pack_taggers, unpack_taggers
from linnet.features.rule_templates import RuleColumn, parse_rules
from linnet.features.templates import Known
from linnet.model.rule_list import RuleList, WordTags, columns_of
from linnet.persistence import ModelFile, StoredStrings, pack_strings

if TYPE_CHECKING:
    from linnet.estimators.tagging.brill import BrillTagger


def brill_parts(tagger: BrillTagger) -> tuple[dict[str, Any], parts.Tensors]:
    """Rules with their values, and the tags that words begin with."""
    tensors: parts.Tensors = {}
    model, words = tagger.model_, tagger.words_
    given = tagger.get_params(deep=False)
    if isinstance(given["templates"], (os.PathLike, tuple)):
        given["templates"] = tagger._lines() if given["templates"] else []
    if words is None:
        given["initial"] = {GIVEN: True}
    spec = {
        "kind": "brill tagger",
        "params": parts.pack_params(type(tagger)(**given), tensors),
        "classes": parts.pack_labels(tagger.classes_, tensors),
        "record": parts.pack_record(tagger.record_, tensors),
        "columns": list(tagger.features_.columns),
        "word": tagger._word_name(),
        "templates": [" ".join(value.text for value in template) for template in model.templates],
    }
    tensors |= {"rules": model.rules, "counts": model.counts}
    for k, column in enumerate(model.columns):
        tensors |= pack_strings(f"values.{k}", model.values[column])
    if words is None:
        spec["taggers"] = pack_taggers({"initial": tagger.initial}, tensors)
        return spec, tensors
    for name, table in (("words", words.words), ("endings", words.endings)):
        tensors |= pack_strings(name, table)
        tensors[f"{name}.tags"] = np.fromiter(table.values(), np.int32, len(table))
    return spec, tensors


def load_brill(file: ModelFile) -> BrillTagger:
    """The tagger in a file, checked."""
    from linnet.estimators.tagging.brill import BrillTagger

    tagger = parts.unpack_params(file, BrillTagger)
    labels = parts.unpack_labels(file)
    tags = labels.tolist()
    if labels.dtype.kind != "U" or len(set(tags)) != len(tags):
        raise file.error("its tags are no distinct strings")
    record = parts.unpack_record(file)
    spec = file.spec
    try:
        names, lines, word = spec["columns"], spec["templates"], spec["word"]
        if not all(isinstance(name, str) for name in [*names, *lines, word]) or word not in names:
            raise DataError("its templates are no strings")
        words = None
        if "taggers" in spec:
            tagger.initial = unpack_taggers(file)["initial"]
        else:
            words = WordTags(
                _table(file, "words", tags), _table(file, "endings", tags), int(tagger.suffix)
            )
            if "" not in words.endings:
                raise DataError("it has no tag for words that it does not know")
        tagger._check_settings()
        model = _rules(file, tags, lines, Known(names))
        tagger._set(tags, model, words, word, record)
    except (DataError, KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise file.error(f"{error!s:.200}") from None
    return tagger


def _table(file: ModelFile, name: str, tags: list[str]) -> dict[str, int]:
    strings, codes = StoredStrings(file, name).decode(), file.tensor(f"{name}.tags", "i")
    if len(strings) != len(codes) or not _within(codes, len(tags)):
        raise DataError(f"the tags of its {name} are not those of the model")
    return dict(zip(strings, codes.tolist(), strict=True))


def _rules(file: ModelFile, tags: list[str], lines: list[str], known: Known) -> RuleList:
    """Every rule must fit its template, and name values that are there."""
    templates = parse_rules(lines, known)
    columns = columns_of(templates)
    values = {c: StoredStrings(file, f"values.{k}").decode() for k, c in enumerate(columns)}
    rules, counts = file.tensor("rules", "i", 2), file.tensor("counts", "i", 2)
    width = 3 + max(map(len, templates))
    if rules.dtype != np.int32 or rules.shape[1] != width or counts.shape != (len(rules), 2):
        raise DataError("its rules have another form")
    sizes = {RuleColumn(""): len(tags)} | {c: len(vs) for c, vs in values.items()}
    for row in rules.tolist():
        fits = 0 <= row[0] < len(templates) and all(0 <= tag < len(tags) for tag in row[1:3])
        if not fits or not all(
            0 <= value < sizes[condition.column]
            for condition, value in zip(templates[row[0]], row[3:], strict=False)
        ):
            raise DataError("a rule names a tag or a value that is not there")
    return RuleList(tags, templates, values, np.ascontiguousarray(rules), counts.astype(np.int64))


def _within(codes: Any, size: int) -> bool:
    return not len(codes) or bool(codes.min() >= 0 and codes.max() < size)
