"""Dependency parsing from the CoNLL-U file: accuracy, training time, words per second, growth.

    LINNET_DATA=... python benchmarks/tree.py [--repeats 3] [--only SECTION] [--write]

One thread, one process per training, CPU seconds of the process, imports and reading included. There is
no peer to install from PyPI; what others were measured or published to reach stands in the text.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from corpora import data_folder
from measure import interleaved, run_sections, table

from processes import Side, in_turn

CORPORA = {"ud_en_ewt": "en_ewt", "ud_got_proiel": "got_proiel"}
MODELS: list[tuple[str, str, dict[str, Any]]] = [
    ("ud_en_ewt", "defaults, gold tags", {}),
    ("ud_en_ewt", "arc-factored, gold tags", {"order": 1}),
    ("ud_en_ewt", "defaults, tags predicted", {"tagger": "auto"}),
    ("ud_got_proiel", "projective, gold tags", {"projective": True, "order": 1}),
    ("ud_got_proiel", "non-projective, gold tags", {"projective": False, "order": 1}),
]


def side(corpus: str, name: str, options: dict[str, Any], folder: Path) -> Side:
    """A parser with these settings."""
    root = data_folder() / corpus
    train, test = (root / f"{CORPORA[corpus]}-ud-{part}.conllu" for part in ("train", "test"))
    model = folder / f"{corpus}-{name.replace(' ', '-').replace(',', '')}.linnet"
    return Side(name, "parser_side.py", train, test, model, options)


def accuracy(folder: Path, _repeats: int) -> str:
    """Test files as given; relations without subtypes, punctuation counted."""
    rows = []
    for corpus, name, options in MODELS:
        one = side(corpus, name, options, folder)
        trained = one.run("train")
        parsed = one.run("parse").said
        figures = [f"{parsed['uas']:.2f}", f"{parsed['las']:.2f}", f"{parsed['uas_words']:.2f}"]
        figures += [f"{trained.cpu:.0f} ({trained.wall:.0f})", f"{trained.memory:.0f}"]
        rows.append([corpus, name, *figures, f"{one.model.stat().st_size / 1e6:.1f}"])
        print(" | ".join(rows[-1]), flush=True)
    header = ["corpus", "parser", "UAS", "LAS", "UAS without punctuation"]
    return table([*header, "training, CPU s (wall)", "peak MB", "model MB"], rows)


def speed(folder: Path, repeats: int) -> str:
    """Words per second of CPU time, from the tagged test file."""
    sides = [side(*model, folder) for model in MODELS[:2]]
    for one in sides:
        one.run("train")
    runs = in_turn(sides, "parse", repeats)
    rows = []
    for name, run in runs.items():
        words = run.said["words"]
        rows.append([name, *(f"{words / run.said[span] / 1000:.0f}" for span in ("file", "trees"))])
        print(" | ".join(rows[-1]), flush=True)
    header = ["parser", "1000 words/s, file to file", "file to trees in memory"]
    return table(header, rows)


def growth(_folder: Path, repeats: int) -> str:
    """Microseconds per word by the length of sentences, with candidates and without."""
    import numpy as np

    from linnet import DependencyParser
    from linnet.formats import read_trees

    root = data_folder() / "ud_en_ewt"
    train = read_trees(root / "en_ewt-ud-train.conllu")
    dev = read_trees(root / "en_ewt-ud-dev.conllu")
    bounds = ((1, 10), (11, 20), (21, 40), (41, 80))
    parts = {
        f"{low}–{high} words": dev.take(np.flatnonzero((dev.lengths >= low) & (dev.lengths <= high)))
        for low, high in bounds
    }
    rows = []
    for name, settings in (
        ("arc-factored", {"order": 1}),
        ("arc-factored, all arcs", {"order": 1, "candidates": None}),
        ("siblings", {"order": 2}),
    ):
        parser = DependencyParser(max_iter=2, **settings).fit(train)
        found = interleaved(
            {part: partial(parser.parse, trees) for part, trees in parts.items()}, repeats
        )
        micros = [1e6 * found[part].cpu / trees.tokens for part, trees in parts.items()]
        rows.append([name, *(f"{value:.1f}" for value in micros)])
        print(" | ".join(rows[-1]), flush=True)
    return table(["µs per word", *parts], rows)


SECTIONS = {"accuracy": accuracy, "speed": speed, "growth": growth}


if __name__ == "__main__":
    run_sections("tree", SECTIONS, __doc__)
