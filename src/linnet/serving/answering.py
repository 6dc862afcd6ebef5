"""What is answered to texts and sentences, as plain data: one call of a model for many of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from linnet.data import Sequences
from linnet.data.chunks import is_chunked, text_spans
from linnet.data.sequences import token_strings
from linnet.data.trees import Trees
from linnet.errors import DataError
from linnet.estimators.running_text import first_sentences

Item = str | list[str]  # a text, or the words of a sentence
Answer = dict[str, Any]

# Columns that a parser fills beside trees, and what they are called in its answers.
PREDICTED = {"upos": "tags", "xpos": "xpos", "feats": "feats", "lemma": "lemmas"}
# What may be asked of a model, by its task.
ACTIONS = {
    "classify": ("predict", "explain"),
    "tag": ("predict", "tag", "explain"),
    "parse": ("predict", "parse", "explain"),
    "trees": ("predict", "parse", "explain"),
}


def check_served(model: Any, name: str) -> None:
    """Models of texts can be asked over HTTP."""
    if model.task not in ACTIONS or not model.reads_text:
        raise DataError(
            f"{name} is a {type(model).__name__}, which is not asked about texts; served are text "
            f"classifiers, taggers and parsers"
        )
    if model.task == "classify":
        features = model.features_  # None: strings and trees are read as they are
        lacking = [] if features is None else [*features.numeric, *features.categorical]
    else:
        lacking = model.words_lack() if hasattr(model, "words_lack") else []
    if lacking:
        raise DataError(
            f"{name} looks at {', '.join(lacking)} beside the text; served are models that look at "
            f"words alone, or predict what they need (linnet train … --tagger auto)"
        )


def check_looked(model: Any, name: str) -> None:
    """Of classifiers the page shows what words add to scores."""
    check_served(model, name)
    if model.task == "classify" and not getattr(model, "weighs_words", False):
        raise DataError(
            f"{name} is a {type(model).__name__}, which has no weights of words to look at; linnet "
            f"explain and linnet evaluate tell why it answers as it does"
        )


def answered(model: Any, action: str, items: Sequence[Item], top: int | None = None) -> list[Answer]:
    """One answer for each item; all are texts, or all are lists of words."""
    if action not in ACTIONS[model.task]:
        known = ", ".join(f"/{name}" for name in ACTIONS[model.task])
        raise DataError(f"/{action}: the model is a {_called(model)}, which answers {known}")
    texts = not items or isinstance(items[0], str)
    if model.task == "classify":
        if not texts:
            raise DataError("sentences: a classifier is asked about texts, which are strings")
        return _explained(model, items) if action == "explain" else _labels(model, items, top)
    if top is not None:
        raise DataError("top: the best labels of a text; taggers and parsers give one answer")
    read = _read(model, items, texts)
    sentences = read.sequences if isinstance(read, Trees) else read
    each = _EXPLAINED if action == "explain" else _ANSWERED
    found = each[model.task](model, read)
    if not texts:
        return found
    bounds = first_sentences(sentences).tolist()
    return [{"sentences": found[begin:end]} for begin, end in pairwise(bounds)]


def _called(model: Any) -> str:
    names = {"classify": "classifier", "tag": "tagger", "parse": "parser"}
    return names.get(model.task, "parser of phrases")


# ---------------------------------------------------------------------- classifiers


def _labels(model: Any, texts: Sequence[Item], top: int | None) -> list[Answer]:
    scores = model._scores(list(texts))
    probable = model.no_probabilities() is None
    values = model._probabilities(scores) if probable else model._decision(scores)
    values = np.stack([-values, values], axis=1) if values.ndim == 1 else values
    number, numbers = ("probability", "probabilities") if probable else ("score", "scores")
    names = model.classes_.tolist()
    found: list[Answer]
    if model.several_:
        above = (np.flatnonzero(row) for row in np.asarray(model._above(scores)))
        found = [
            {"labels": [names[k] for k in said], numbers: row[said].tolist()}
            for said, row in zip(above, values, strict=True)
        ]
    else:
        labels, best = model._decide(scores).tolist(), values.max(axis=1).tolist()
        found = [{"label": label, number: value} for label, value in zip(labels, best, strict=True)]
    if top is not None:
        order = np.argsort(-values, axis=1, kind="stable")[:, :top]
        rows = np.take_along_axis(values, order, axis=1).tolist()
        for answer, places, row in zip(found, order.tolist(), rows, strict=True):
            pairs = zip(places, row, strict=True)
            answer["best"] = [{"label": names[k], number: value} for k, value in pairs]
    return found


def _explained(model: Any, texts: Sequence[Item]) -> list[Answer]:
    return [found.to_dict() for found in model.explanations(list(texts))]


# ---------------------------------------------------------------------- sentences


def _read(model: Any, items: Sequence[Item], texts: bool) -> Any:
    if model.task == "tag":
        word = model._word_name()
        if texts:
            return Sequences.from_texts(list(items), word=word)
        return Sequences.from_lists(
            [[(w,) for w in item] for item in items], names=(word,), allow_empty=True
        )
    if model.task == "parse":
        if texts:
            return model.cut_texts(list(items))
        return Trees.from_lists([[(w,) for w in item] for item in items], names=("form",))
    return Sequences.from_texts(list(items)) if texts else Sequences.from_lists(items, allow_empty=True)


def _tagged(model: Any, data: Sequences) -> list[Answer]:
    tags = model.tag(data)
    words = data.by_sentence(token_strings(data.columns[model._word_name()]))
    names = data.by_sentence(tags.values())
    found = [{"tokens": w, "tags": t} for w, t in zip(words, names, strict=True)]
    if data.spans is not None:
        places = data.by_sentence(data.spans.tolist())
        for answer, characters in zip(found, places, strict=True):
            answer["characters"] = characters
        if is_chunked(model.classes_.tolist()):
            for answer in found:
                answer["spans"] = []
            for _, first, _, span in text_spans(data, tags):
                sentence = int(np.searchsorted(data.offsets, first, side="right")) - 1
                found[sentence]["spans"].append(span._asdict())
    return found


def _parsed(model: Any, trees: Trees) -> list[Answer]:
    made = model.parse_trees(trees)
    parts = zip(made.column("form"), made.head_lists(), made.relation_lists(), strict=True)
    found = [{"tokens": w, "heads": h, "relations": r} for w, h, r in parts]
    for name, shown in PREDICTED.items():
        if name in made.columns:
            for answer, cells in zip(found, made.column(name), strict=True):
                answer[shown] = cells
    return found


def _bracketed(model: Any, words: Sequences) -> list[Answer]:
    return [
        {
            "tree": tree.one_line(),
            "tokens": tree.leaves(),
            "constituents": [[c.begin, c.end, c.label] for c in tree.spans()],
        }
        for tree in model.parse_trees(words)
    ]


def _told(model: Any, data: Any) -> list[Answer]:
    found = [one.to_dict() for one in model.explain(data)]
    if len(found) != len(data):
        raise DataError(f"a sentence has more words than are explained; at most {model.max_words}")
    return found


_ANSWERED: dict[str, Callable[[Any, Any], list[Answer]]] = {
    "tag": _tagged,
    "parse": _parsed,
    "trees": _bracketed,
}
_EXPLAINED: dict[str, Callable[[Any, Any], list[Answer]]] = dict.fromkeys(_ANSWERED, _told)
