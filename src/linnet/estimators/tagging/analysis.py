"""What is said of words beside parts of speech: features, and lemmas as edit scripts.

Both look at parts of speech that were found before. Features are found together with parts of speech:
a label is a whole analysis that the data show, so that what is said of a word goes together, and tags
are found anew in view of those around. Each word has one by itself: what words beside it say is in
their forms and tags, and a chain of whole analyses does no better. Lemmas are a flat problem over the
kinds of words that the data show, each with its tags: what follows from the sentence is said by these.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet import engines
from linnet.data import LabelColumn, Sequences
from linnet.data.edit_scripts import PATTERN, WHOLE, apply_script, edit_script
from linnet.data.sequences import UNSAID, tag_column, token_strings
from linnet.errors import DataError
from linnet.learners import PassiveAggressive

if TYPE_CHECKING:
    from linnet.estimators.tagging.tagger import Tagger

FEATS, LEMMA = "feats", "lemma"
AFTER = (FEATS, LEMMA)  # columns that are predicted in view of the parts of speech
IN_WHOLE = ("upos", "xpos", FEATS)  # columns of a whole analysis
BETWEEN = "\t"  # the cells of a whole analysis, which is one label: upos, xpos, feats
PASSES = {FEATS: 5, LEMMA: 10}
STEP = {FEATS: 0.03, LEMMA: 1.0}  # the most of one, in passive-aggressive steps
PRUNE = {FEATS: 0.003, LEMMA: 0.0}  # a tenth of a step, and nothing
MOST_ALLOWED = 1 << 26  # marks of which analyses words may have, at a time
ALL_PAIRS = {FEATS: True, LEMMA: False}  # weights for pairs of feature and label that are never seen
STEPS: dict[str, Any] = {"loss": "hinge", "penalty": "none", "diagnostics": False}
FEATS_TEMPLATES = [
    "bias",
    "word",
    "lower[-2..2]",
    "lower[-1] lower",
    "lower lower[1]",
    "prefix1..4",
    "suffix1..6",
    "suffix1..3[-1]",
    "suffix1..3[1]",
    "suffix3[-1] suffix3",
    "suffix3 suffix3[1]",
    "shape",
    "usual[-2..2]",
    "usual[-1] usual[1]",
    "usual[-1] suffix3",
    "suffix3 usual[1]",
    "upos[-2..2]",
    "upos[-1] upos",
    "upos upos[1]",
    "upos[-1] upos upos[1]",
    "upos suffix1..5",
    "upos lower",
    "lower[-1] upos",
    "lower[1] upos",
    "upos usual[-1] usual[1]",
    "suffix2[-1] upos suffix2",
    "suffix2 upos suffix2[1]",
    "xpos[-1..1]",
    "xpos suffix1..4",
    "xpos lower",
    "upos xpos",
]
LEMMA_TEMPLATES = [
    "bias",
    "word",
    "lower upos",
    "lower upos feats",
    "suffix1..6",
    "prefix1..4",
    "upos",
    "feats",
    "upos suffix1..6",
    "upos shape",
    "feats suffix1..6",
    "shape",
    "upos feats shape",
    "suffix2 shape upos",
    "prefix2 suffix3 upos",
]


def in_turn(columns: Iterable[str]) -> list[str]:
    """Columns in the order in which they are predicted: those that look at others last."""
    place = {name: k for k, name in enumerate(("upos", "xpos", *AFTER))}
    return sorted(columns, key=lambda name: (place.get(name, 1), name))


def analyser(name: str, columns: Sequence[str], settings: dict[str, Any]) -> Tagger:
    """A tagger that fills a column, and perhaps others beside it, in view of these."""
    from linnet.estimators.tagging.tagger import Tagger

    kind = LEMMA if name == LEMMA else FEATS
    lines = LEMMA_TEMPLATES if name == LEMMA else FEATS_TEMPLATES
    gone = {"upos", "xpos", FEATS} - {*columns}
    templates = [line for line in lines if not gone & {*re.findall(r"[a-z]+", line)}]
    pairs = ALL_PAIRS[kind] if engines.in_use() is None else None
    own = {"max_iter": PASSES[kind], "all_states": pairs, "prune": PRUNE[kind]}
    learner = PassiveAggressive(STEP[kind])
    return Tagger(templates, order=0, learner=learner, **own | STEPS | settings)


def seen_before(name: str, predicted: Collection[str]) -> list[str]:
    """The columns that a tagger of this one looks at beside words, of those that will be there."""
    wanted = ("upos", FEATS) if name == LEMMA else ("upos", "xpos")
    return [column for column in wanted if column in predicted]


def lemma_data(data: Sequences, columns: Sequence[str]) -> Sequences:
    """Each kind of word once, a sentence by itself, with the script of its most frequent lemma."""
    words, kinds = kinds_of_words(data, columns)
    lemmas = token_strings(data.columns[LEMMA])
    counts: dict[int, Counter[str]] = {}
    for kind, lemma in zip(kinds.tolist(), lemmas, strict=True):
        counts.setdefault(kind, Counter())[lemma] += 1
    forms = token_strings(words.columns["word"])
    scripts = [edit_script(form, counts[k].most_common(1)[0][0]) for k, form in enumerate(forms)]
    return replace(words, labels=tag_column(scripts))


def lemmas(tagger: Any, data: Sequences) -> list[str]:
    """The lemma of each word; a script that does not fit its form leaves it as it is."""
    words, kind = kinds_of_words(data, [n for n in tagger.features_.columns if n != "word"])
    found = tagger.tag(words)
    forms = token_strings(words.columns["word"])
    names = found.names
    made = [
        apply_script(names[code], form) or form
        for code, form in zip(found.codes.tolist(), forms, strict=True)
    ]
    return [made[k] for k in kind.tolist()]


def are_scripts(tags: Sequence[str]) -> bool:
    """Does a tagger of lemmas say how they are made, or name them?"""
    return all(tag.startswith(WHOLE) or PATTERN.fullmatch(tag) for tag in tags)


def kinds_of_words(data: Sequences, columns: Sequence[str]) -> tuple[Sequences, NDArray[np.int64]]:
    """Words that differ in their form or a column, each as a sentence; and of each word its kind."""
    form = "form" if "form" in data.columns else "word"
    codes = np.zeros(data.tokens, np.int64)
    for name in (form, *columns):
        own, names = data.columns[name].codes()
        _, codes = np.unique(codes * len(names) + own, return_inverse=True)
    _, first, kind = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first)  # by first occurrence, however values are numbered
    first, kind = first[order], np.argsort(order)[kind]
    taken = {"word": data.columns[form].take(first)}
    taken |= {name: data.columns[name].take(first) for name in columns}
    return Sequences(taken, np.arange(len(first) + 1)), kind


def analysis_data(data: Sequences, guessed: Sequences, names: Sequence[str]) -> Sequences | None:
    """Sentences with tags as ``guessed``, whose labels are whole analyses of these columns.

    None: there is one column only, or some words lack a tag.
    """
    cells = [token_strings(data.columns[name]) for name in names]
    tags = [column for name, column in zip(names, cells, strict=True) if name != FEATS]
    if len(names) < 2 or any(UNSAID in column for column in tags):
        return None
    labels = [
        BETWEEN.join(f"{name}={cell}" for name, cell in zip(names, analysis, strict=True))
        for analysis in zip(*cells, strict=True)
    ]
    return replace(guessed, labels=tag_column(labels))


def whole_columns(tagger: Any) -> list[str]:
    """The columns of which a tagger says whole analyses; none, if it says something else."""
    kinds = {(*analysis_of(tag),) for tag in tagger.classes_.tolist()}
    columns = [*kinds.pop()] if len(kinds) == 1 else []
    return columns if len(columns) > 1 and {*columns} <= {*IN_WHOLE} else []


def filled_columns(name: str, taggers: Mapping[str, Any]) -> list[str]:
    """The columns that a tagger alone fills: its own, and others of its analyses."""
    return [name, *(column for column in whole_columns(taggers[name]) if column not in taggers)]


def analysis_of(tag: str) -> dict[str, str]:
    r"""What a whole analysis says, by column.

    >>> analysis_of("upos=NOUN\tfeats=Case=Nom|Number=Sing")
    {'upos': 'NOUN', 'feats': 'Case=Nom|Number=Sing'}
    """
    return {name: cell for name, _, cell in (part.partition("=") for part in tag.split(BETWEEN))}


def analyses_of(
    tagger: Any, allowed: Mapping[str, Mapping[str, Sequence[str]]]
) -> dict[str, list[str]]:
    """Of forms in a dictionary that has values by column: the whole analyses that they may have."""
    labels = {tag: analysis_of(tag) for tag in tagger.classes_.tolist()}
    found = {}
    for form in {form: None for column in allowed.values() for form in column}:
        said = {name: {*values[form]} for name, values in allowed.items() if form in values}
        found[form] = [
            tag
            for tag, cells in labels.items()
            if all(cells[name] in said[name] for name in said.keys() & cells.keys())
        ]
        if not found[form]:
            raise DataError(
                f"dictionary of {form!r}: none of its analyses is one that a word of the data has; "
                f"leave it out, or leave out features (without)"
            )
    return found


def whole_codes(tagger: Any, data: Sequences, given: Collection[str]) -> NDArray[np.int32]:
    """The analysis of each word, one of those that have the tags which are given, if any does."""
    labels = [analysis_of(tag) for tag in tagger.classes_.tolist()]
    names = [name for name in labels[0] if name in given and name in data.columns]
    found: NDArray[np.int32]
    if not names:
        found = tagger.tag(data).codes
        return found
    values = {name: data.columns[name].codes() for name in names}
    allowed = {
        name: np.array([[cells[name] == value for cells in labels] for value in told], np.uint8)
        for name, (_, told) in values.items()
    }
    found = np.zeros(data.tokens, np.int32)
    most = max(1, MOST_ALLOWED // len(labels))
    cuts = np.searchsorted(data.offsets, np.arange(0, data.tokens, most), side="right") - 1
    for begin, end in pairwise([*np.unique(cuts).tolist(), len(data)]):  # some sentences at a time
        at = slice(data.offsets[begin], data.offsets[end])
        mask = np.ones((at.stop - at.start, len(labels)), np.uint8)
        for name, (codes, _) in values.items():
            mask &= allowed[name][codes[at]]
        mask[~mask.any(axis=1)] = 1
        found[at] = tagger.tag(data.take(range(begin, end)), known=mask).codes
    return found


def tagger_columns(tagger: Any) -> list[str]:
    """What a tagger looks at beside words."""
    columns = getattr(tagger.features_, "columns", ())
    return [name for name in columns if name not in ("word", "form")]


def columns_of(
    tagger: Any, name: str, data: Sequences, given: Collection[str]
) -> dict[str, _core.Texts]:
    """What a tagger fills a column with, and others beside it; tags that are given stay."""
    tags = tagger.classes_.tolist()
    if name == LEMMA and are_scripts(tags):
        return {name: _core.Texts.from_list(lemmas(tagger, data))}
    columns = whole_columns(tagger)
    if not columns:
        return {name: texts_of(tagger.tag(data))}
    codes, analyses = whole_codes(tagger, data, given), [analysis_of(tag) for tag in tags]
    return {
        column: texts_of(LabelColumn([cells[column] for cells in analyses], codes))
        for column in columns
        if column not in given
    }


def texts_of(column: LabelColumn) -> _core.Texts:
    """Tags as texts, one for each token."""
    return _core.Texts.from_list(column.names).take(column.codes.astype(np.int64))
