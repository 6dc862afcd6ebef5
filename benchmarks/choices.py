"""What 'auto' chooses, and what else it might have chosen: scores on held-out parts of training files.

    LINNET_DATA=... python benchmarks/choices.py [--only texts|taggers|parsers|unlabelled]

Test files are not looked at. The tables are those of docs/defaults.md, label-bias.md, parser.md
and unlabelled.md.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import mean
from typing import Any

import one_thread  # noqa: F401

import numpy as np  # isort: skip
from corpora import data_folder, read
from measure import run_sections, table
from scipy.sparse import bmat
from scipy.sparse.csgraph import connected_components
from sklearn.metrics import accuracy_score, f1_score
from unlabelled_choices import unlabelled

from linnet import CRF, MEMM, DependencyParser, Tagger, TextClassifier, TextFeatures
from linnet.evaluation import column_counts, tree_scores
from linnet.features import ArcFeatures
from linnet.formats import read_trees
from linnet.formats.sequences import read_sequences

Split = tuple[np.ndarray, np.ndarray]  # places of texts to learn from, and to score on
# Parts that are held out in turn: (how many the texts are cut into, how many of them are tried).
PARTS = {
    "trec_fine": (5, 5),
    "trec_coarse": (5, 5),
    "titles-en": (5, 5),
    "banking77": (5, 5),
    "debian_sections": (10, 1),
    "movie_reviews": (5, 5),
    "imdb": (10, 1),
}
Change = Callable[
    [TextFeatures], dict[str, Any]
]  # settings of features that differ from what was chosen


def _without(block: str, setting: str, none: Any) -> Change:
    """No such block, and no weight for it."""

    def change(chosen: TextFeatures) -> dict[str, Any]:
        mix = {name: weight for name, weight in (chosen.mix or {}).items() if name != block}
        return {setting: none, "mix": mix if chosen.mix is not None else None}

    return change


BLOCKS = {"lead": 5, "chars_wb": (3, 4), "chars_first": 64, "mix": {"lead": 0.5, "chars_wb": 0.5}}
SHORT = [name for name in PARTS if name not in ("movie_reviews", "imdb")]
LONG = ["movie_reviews", "imdb"]
TWO = ["titles-en", *LONG]
MANY = [name for name in PARTS if name not in TWO]
ALL = list(PARTS)
# What is asked, of which corpora, how the features differ, how the other settings do.
VARIANTS: list[tuple[str, list[str], Change, dict[str, Any]]] = [
    ("the default", ALL, lambda _: {}, {}),
    ("blocks normalised together", SHORT, lambda _: {"mix": None}, {}),
    ("without first words", SHORT, _without("lead", "lead", 0), {}),
    ("the first 10 tokens, not 5", SHORT, lambda _: {"lead": 10}, {}),
    ("without pieces of words", SHORT, _without("chars_wb", "chars_wb", None), {}),
    ("first words and pieces of words", LONG, lambda _: BLOCKS, {}),
    ("single words", ALL, lambda _: {"word": (1, 1)}, {}),
    ("1–3-grams of words", ALL, lambda _: {"word": (1, 3)}, {}),
    ("skip-bigrams", SHORT, lambda _: {"skip": 2}, {}),
    ("shapes of words", SHORT, lambda _: {"shape": True}, {}),
    ("without punctuation", ALL, lambda _: {"punctuation": False}, {}),
    ("with capital letters", ALL, lambda _: {"lowercase": False}, {}),
    ("`min_df` 1", ["debian_sections", *LONG], lambda _: {"min_df": 1}, {}),
    ("`min_df` 2", [name for name in SHORT if name != "debian_sections"], lambda _: {"min_df": 2}, {}),
    ("`min_df` 3", ALL, lambda _: {"min_df": 3}, {}),
    ("no weights by rarity or labels", ALL, lambda _: {"scale": "none"}, {}),
    ("$(1 + \\ln c)$ × idf, not ratios", TWO, lambda _: {"tf": "sublinear", "scale": "idf"}, {}),
    ("presence × idf", MANY, lambda _: {"tf": "binary"}, {}),
    ("counts × idf", MANY, lambda _: {"tf": "count"}, {}),
    ("`C` 0.5", ALL, lambda _: {}, {"C": 0.5}),
    ("`C` 2", ALL, lambda _: {}, {"C": 2.0}),
    ("`tol` 0.2", ALL, lambda _: {}, {"tol": 0.2}),
    ("`tol` 0.01", ALL, lambda _: {}, {"tol": 0.01}),
    ("maximum entropy, `C` 20", ALL, lambda _: {}, {"loss": "logistic"}),
    ('`class_weight="balanced"`', MANY, lambda _: {}, {"class_weight": "balanced"}),
]


def splits(groups: np.ndarray, parts: int, tried: int) -> list[Split]:
    """Parts of about equal size that keep groups together, drawn at random."""
    names, group = np.unique(groups, return_inverse=True)
    order = np.random.default_rng(0).permutation(len(names))
    sizes = np.bincount(group)[order].cumsum()
    part = np.empty(len(names), dtype=int)
    part[order] = (sizes - 1) * parts // sizes[-1]
    inside = part[group]
    return [(np.flatnonzero(inside != k), np.flatnonzero(inside == k)) for k in range(tried)]


def families(texts: list[str]) -> np.ndarray:
    """The number of the family of each text: texts that share a rare run of eight words are related."""
    runs = TextFeatures(word=(8, 8), min_df=2, max_df=20).fit_transform(texts)
    return connected_components(bmat([[None, runs], [runs.T, None]]), directed=False)[1][: len(texts)]


def texts(_folder: Path, _repeats: int) -> str:
    """Accuracy in per cent, and macro F1 of the larger sets, for each change of one choice."""
    found: dict[str, dict[str, str]] = {name: {} for name, *_ in VARIANTS}
    for corpus, (parts, tried) in PARTS.items():
        labels, lines = (np.array(c, object) for c in read(data_folder() / corpus / "train.tsv"))
        kin = families(list(lines)) if corpus == "debian_sections" else np.arange(len(lines))
        held_out = splits(kin, parts, tried)
        chosen = TextClassifier().fit(lines[held_out[0][0]], labels[held_out[0][0]]).choice_.features
        for name, corpora, change, settings in VARIANTS:
            if corpus in corpora:
                features = TextFeatures(**chosen.get_params() | change(chosen))
                found[name][corpus] = held_out_score(features, settings, lines, labels, held_out)
                print(f"{corpus}: {name}: {found[name][corpus]}", flush=True)
        if corpus == "debian_sections":
            at_random = splits(np.arange(len(lines)), parts, tried)
            print(f"{corpus} at random: {held_out_score(chosen, {}, lines, labels, at_random)}")
    return table(
        ["", *PARTS], [[name, *(row.get(c, "") for c in PARTS)] for name, row in found.items()]
    )


def held_out_score(
    features: TextFeatures, settings: dict[str, Any], lines: Any, labels: Any, held_out: list[Split]
) -> str:
    """Accuracy, the mean over parts; and macro F1 where there are many labels."""
    scores = []
    for train, dev in held_out:
        model = TextClassifier(features, calibration=None, **settings).fit(lines[train], labels[train])
        found = model.predict(lines[dev])
        scores.append(
            (accuracy_score(labels[dev], found), f1_score(labels[dev], found, average="macro"))
        )
    accuracy, f1 = (mean(values) for values in zip(*scores, strict=True))
    return f"{100 * accuracy:.1f}" + (f" / {f1:.3f}" if len(np.unique(labels)) > 50 else "")


def taggers(_folder: Path, _repeats: int) -> str:
    """Accuracy on the development part of UD English EWT; F1 of chunks, the mean of four eighths."""
    root = data_folder()
    train, dev = (
        read_sequences(root / f"ud_en_ewt/en_ewt-ud-{part}.conllu", format="conllu")
        for part in ("train", "dev")
    )
    chunks = read_sequences(root / "conll2000/train.txt")
    rows = []
    for name, make in (
        ("the default", Tagger),
        ("`all_states=False`", lambda: Tagger(all_states=False)),
        (
            "`all_states=False`, $C = 1$, to a gap of 1 %",
            lambda: Tagger(all_states=False, C=1.0, tol=0.01, max_iter=1000),
        ),
        ("CRF, $C = 1$", lambda: CRF(C=1.0)),
        ("MEMM, $C = 1$", lambda: MEMM(C=1.0)),
    ):
        f1 = []
        for learnt, held in splits(np.arange(len(chunks.offsets) - 1), 8, 4):
            gold, found = chunks.take(held), make().fit(chunks.take(learnt)).tag(chunks.take(held))
            f1.append(column_counts(gold.labels, found, gold.offsets).f1)
        rows.append([name, f"{100 * make().fit(train).score(dev):.2f}", f"{100 * mean(f1):.2f}"])
        print(" | ".join(rows[-1]), flush=True)
    return table(["", "parts of speech, accuracy", "chunks, F1"], rows)


def parsers(_folder: Path, _repeats: int) -> str:
    """UAS and LAS on development parts, relations without subtypes, punctuation counted."""
    rows = []
    for corpus, name, settings in (
        ("en_ewt", "default, gold tags, lemmas and morphology", {}),
        ("en_ewt", "`order=1`", {"order": 1}),
        ("en_ewt", "`joint=None`", {"joint": None}),
        ("en_ewt", "`order=1, joint=None`", {"order": 1, "joint": None}),
        (
            "en_ewt",
            "$2^{18}$ rows of weights of relations",
            {"relations": ArcFeatures(templates="relations", hash_bits=18)},
        ),
        ("en_ewt", '`tagger="auto"`, from words', {"tagger": "auto"}),
        ("en_ewt", "the same, `jackknife=0`", {"tagger": "auto", "jackknife": 0}),
        ("got_proiel", "default", {}),
        ("got_proiel", "`joint=None`", {"joint": None}),
        ("got_proiel", "`projective=True, order=1`", {"projective": True, "order": 1}),
    ):
        train, dev = (
            read_trees(data_folder() / f"ud_{corpus}" / f"{corpus}-ud-{part}.conllu")
            for part in ("train", "dev")
        )
        parser = DependencyParser(**settings).fit(train)
        found = parser.parse_trees(dev, retag="tagger" in settings)
        scores = tree_scores(dev, found.heads, found.relations)
        rows.append([corpus, name, f"{100 * scores.uas:.2f}", f"{100 * scores.las:.2f}"])
        print(" | ".join(rows[-1]), flush=True)
    return table(["corpus", "", "UAS", "LAS"], rows)


if __name__ == "__main__":
    sections = {"texts": texts, "taggers": taggers, "parsers": parsers, "unlabelled": unlabelled}
    run_sections("choices", sections, __doc__)
