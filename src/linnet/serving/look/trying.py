"""Try: what a model says of a text that is being typed, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linnet.data import Sequences
from linnet.data.sequences import token_strings
from linnet.errors import DataError
from linnet.explain.explanation import Explanation
from linnet.serving.look.labelling import said, shown, values_of
from linnet.serving.look.phrase_models import best_trees, ranked
from linnet.serving.look.phrase_models import shares as shares_of_brackets
from linnet.serving.look.removal import smallest_removal, without, words_of

MOST_ROWS = 60  # of a table of features
MOST_BEST = 5  # sequences of tags, or trees
MOST_LEADS = 80  # words, up to which trees with other heads are sought for each
LONGEST, MOST_WORDS = (
    1_000_000,
    40_000,
)  # characters of a text that is looked at, and parts between blanks
Told = dict[str, Any]


def tried(model: Any, text: str, asked: Mapping[str, Any]) -> Told:
    """Of any model; ``asked`` has what was struck out or pinned."""
    if len(text) > LONGEST:
        raise DataError(f"the text has {len(text):,} characters; at most {LONGEST:,} are looked at")
    if (words := len(text.split())) > MOST_WORDS:
        raise DataError(f"the text has {words:,} words; at most {MOST_WORDS:,} are looked at")
    return _TRIED[model.task](model, text, asked)


# ---------------------------------------------------------------------- labels


def shares(model: Any, texts: Sequence[str]) -> list[list[Told]]:
    """Of each text all labels, best first, with probabilities where there are some."""
    scores = model._scores(list(texts))
    values = values_of(model, scores)
    chances = model._probabilities(scores) if model.no_probabilities() is None else None
    names = [str(label) for label in model.classes_.tolist()]
    found = []
    for i, row in enumerate(values if chances is None else chances):
        order = np.argsort(-row, kind="stable").tolist()
        found.append(
            [
                {
                    "label": names[k],
                    "score": float(values[i, k]),
                    "probability": None if chances is None else float(chances[i, k]),
                }
                for k in order
            ]
        )
    return found


def _labels(model: Any, text: str, asked: Mapping[str, Any]) -> Told:
    spans = words_of(text)
    struck = [k for k in asked.get("struck") or [] if isinstance(k, int) and 0 <= k < len(spans)]
    left = without(text, spans, struck)
    before, after = shares(model, [text, left])
    (answer,) = said(model, model._scores([left]))
    told: Told = {
        "words": spans,
        "struck": struck,
        "labels": after,
        "before": before if struck else None,
        "answer": shown(answer),
        "said": list(answer) if model.several_ else None,
        "explained": None,
    }
    if model.model_.votes is None:
        found = model.explain(left, by="feature")
        if isinstance(found, Explanation):
            told["explained"] = explained(found, str(asked.get("label") or after[0]["label"]))
        else:  # of lists and rules: the lines that decided
            told["unexplained"] = str(found)
    else:
        told["unexplained"] = "A model that votes has no weights to explain its scores by."
    if asked.get("removal"):
        told["removal"] = smallest_removal(model, text, spans)
    return told


def explained(found: Explanation, label: str) -> Told:
    """What characters, words and features add to the score of a label."""
    names = [str(name) for name in found.labels]
    sign = 1.0
    if found.against is not None:  # one score, for the second label
        y, sign = 0, -1.0 if label == found.against else 1.0
    else:
        y = names.index(label) if label in names else 0
    label = found.against if found.against is not None and sign < 0 else names[y]
    features = found.by_feature(y)
    return {
        "label": label,
        "text": found.text,
        "score": sign * float(found.scores[y]),
        "bias": sign * float(found.bias[y]),
        "runs": [[run, sign * value] for run, value in found.runs(y)],
        "words": [[name, sign * value, n] for name, value, n in found.by_word(y)[:MOST_ROWS]],
        "features": [[name, sign * value, n] for name, value, n in features[:MOST_ROWS]],
        "others": max(0, len(features) - MOST_ROWS),
        "unknown": found.unknown,
    }


# ---------------------------------------------------------------------- sentences


def _pinned(asked: Mapping[str, Any], lengths: Sequence[int]) -> list[dict[int, Any]]:
    """Of each sentence what is pinned: {place: value}."""
    given = asked.get("pinned") or []
    found: list[dict[int, Any]] = [{} for _ in lengths]
    for row in given if isinstance(given, list) else []:
        if isinstance(row, list) and len(row) >= 3 and all(isinstance(x, int) for x in row[:2]):
            sentence, place = row[0], row[1]
            if 0 <= sentence < len(lengths) and 0 <= place < lengths[sentence]:
                found[sentence][place] = row[2]
    return found


def _tags(model: Any, text: str, asked: Mapping[str, Any]) -> Told:
    word = model._word_name()
    data = Sequences.from_texts([text], word=word)
    lengths = data.lengths.tolist()
    pinned = _pinned(asked, lengths)
    known_tags = set(model.classes_.tolist())
    known: Any = [
        [each.get(k) if each.get(k) in known_tags else None for k in range(n)]
        for each, n in zip(pinned, lengths, strict=True)
    ]
    known = known if any(pinned) else None
    told: Told = {"tags": model.classes_.tolist(), "sentences": []}
    if not len(data):
        return told
    best = model.predict(data, known=known)
    several = model.predict(data, k=MOST_BEST, known=known) if _ranks(model) else None
    chances = model.predict_proba(data, known=known) if model.no_probabilities() is None else None
    words = data.by_sentence(token_strings(data.columns[word]))
    places = data.by_sentence(np.asarray(data.spans).tolist())
    for i, tags in enumerate(best):
        tokens = []
        for k, tag in enumerate(tags):
            token: Told = {
                "word": words[i][k],
                "at": places[i][k],
                "tag": tag,
                "pinned": k in pinned[i],
            }
            if chances is not None:
                row = chances[i][k]
                order = np.argsort(-row, kind="stable")[:5].tolist()
                token["chances"] = [[str(model.classes_[y]), float(row[y])] for y in order]
            tokens.append(token)
        told["sentences"].append(
            {"tokens": tokens, "best": [] if several is None else [[t, s] for t, s in several[i]]}
        )
    return told


def _ranks(model: Any) -> bool:
    """Can it give more than the best sequence?"""
    return hasattr(model.model_, "kbest")


def _arcs(model: Any, text: str, asked: Mapping[str, Any]) -> Told:
    trees = model.cut_texts([text])
    told: Told = {"sentences": []}
    if not len(trees):
        return told
    lengths = trees.lengths.tolist()
    pinned = _pinned(asked, lengths)
    known: Any = [
        [each.get(k) if isinstance(each.get(k), int) else None for k in range(n)]
        for each, n in zip(pinned, lengths, strict=True)
    ]
    known = known if any(pinned) else None
    made = model.parse_trees(trees, known=known)
    chances = model.predict_proba(trees, known=known) if model.no_probabilities() is None else None
    several = model.predict(trees, k=MOST_BEST, known=known)
    leads = None
    if chances is None and known is None and trees.tokens <= MOST_LEADS:
        leads = [_leads(one) for one in model.explain(made)]
    tags = made.column("upos") if "upos" in made.columns else None
    parts = zip(made.column("form"), made.head_lists(), made.relation_lists(), strict=True)
    for i, (words, heads, relations) in enumerate(parts):
        told["sentences"].append(
            {
                "words": words,
                "heads": heads,
                "relations": relations,
                "tags": None if tags is None else tags[i],
                "pinned": sorted(pinned[i]),
                "chances": None if chances is None else [_heads(row) for row in chances[i]],
                "leads": None if leads is None else leads[i],
                "best": [[h, r, s] for h, r, s in several[i]],
            }
        )
    return told


def _leads(explanation: Any) -> list[Told]:
    """Of each word the head that came second, and what the best tree that has it scores less."""
    return [{"lead": one.margin, "second": one.head.runner_up} for one in explanation.explained]


def _heads(row: Any) -> list[list[float]]:
    """The heads that are most probable for a word."""
    order = np.argsort(-row, kind="stable")[:4].tolist()
    return [[int(h), float(row[h])] for h in order if row[h] > 0.0005]


def _phrases(model: Any, text: str, asked: Mapping[str, Any]) -> Told:
    data = Sequences.from_texts([text])
    told: Told = {"sentences": []}
    if not len(data):
        return told
    known, forbidden = _brackets(asked, "pinned", data), _brackets(asked, "forbidden", data)
    words = data.column("word")
    trees = best_trees(model, words, known, forbidden)
    chances = shares_of_brackets(model, words, known, forbidden)
    several = ranked(model, words, MOST_BEST, known, forbidden)
    for i, tree in enumerate(trees):
        told["sentences"].append(
            {
                "words": list(tree.words),
                "tags": list(tree.tags),
                "brackets": [[c.begin, c.end, c.label] for c in tree.spans()],
                "tree": tree.one_line(),
                "pinned": (known or [[]] * len(trees))[i],
                "forbidden": (forbidden or [[]] * len(trees))[i],
                "chances": None
                if chances is None
                else [[c.begin, c.end, c.label, float(p)] for c, p in chances[i]],
                "best": [[t.one_line(), float(s)] for t, s in several[i] if np.isfinite(s)],
            }
        )
    return told


def _brackets(asked: Mapping[str, Any], name: str, data: Sequences) -> list[list[Any]] | None:
    """[sentence, begin, end, label] of each."""
    lengths = data.lengths.tolist()
    found: list[list[Any]] = [[] for _ in lengths]
    given = asked.get(name) or []
    for row in given if isinstance(given, list) else []:
        if isinstance(row, list) and len(row) == 4 and all(isinstance(x, int) for x in row[:3]):
            sentence, begin, end, label = row
            if 0 <= sentence < len(lengths) and 0 <= begin < end <= lengths[sentence]:
                found[sentence].append((begin, end, str(label)))
    return found if any(found) else None


_TRIED = {"classify": _labels, "tag": _tags, "parse": _arcs, "trees": _phrases}
