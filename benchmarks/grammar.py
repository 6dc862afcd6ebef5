"""Trees of phrases: with a grammar and without, beside NLTK's ViterbiParser; growth, memory.

    LINNET_DATA=... python benchmarks/grammar.py [--repeats 3] [--only SECTION] [--write]

The sample of the Penn treebank that NLTK has. One thread. Words alone are given; brackets are scored as
evalb does with COLLINS.prm. Parsers without a grammar are trained and asked in processes of their own,
from file to file. NLTK gets the very grammar that Linnet parses with, and the same sentences, rare
words replaced by their classes; its time is what its `parse` takes.
"""

from __future__ import annotations

import itertools
import resource
import time
import warnings
from functools import partial
from math import log
from pathlib import Path
from statistics import median
from typing import Any

from corpora import data_folder
from measure import interleaved, once, run_sections, table

import linnet
from linnet.data.brackets import Brackets
from linnet.evaluation.brackets import bracket_scores
from linnet.formats import read_brackets
from linnet.grammars import word_class
from processes import LIMIT, Side

MODELS: list[tuple[str, dict[str, Any]]] = [
    ("ConstituencyParser", {}),
    ("ConstituencyParser, one look", {"second": False}),
    ("ConstituencyParser, MIRA", {"loss": "hinge"}),
]
LENGTHS = (25, 50, 100, 200, 400)


def side(name: str, options: dict[str, Any], part: str, folder: Path) -> Side:
    """A parser with these settings, on a part of the sample."""
    root = data_folder() / "ptb_sample"
    model = folder / f"{name.replace(' ', '-').replace(',', '')}.linnet"
    return Side(name, "phrases_side.py", root / "train.mrg", root / f"{part}.mrg", model, options)


def phrases(folder: Path, repeats: int) -> str:
    """`ConstituencyParser`: labelled F1 of dev and test, and words a second file to file."""
    rows = []
    for name, options in MODELS:
        dev = side(name, options, "dev", folder)
        trained = dev.run("train")
        if trained.timed_out:
            raise SystemExit(
                f"{name}: training did not end within {LIMIT:,.0f} s; try a quieter machine"
            )
        for decode in ("best", "risk"):
            if decode == "risk" and options.get("loss") == "hinge":
                continue
            test = side(name, options, "test", folder)
            runs = {"dev": dev.run(decode), "test": test.run(decode)}
            seconds = median(dev.run(decode).said["file"] for _ in range(repeats))
            row = [f"{name}, {decode}", *(f"{run.said['f1']:.2f}" for run in runs.values())]
            row += [f"{runs['dev'].said['tags']:.2f}", f"{runs['dev'].said['words'] / seconds:,.0f}"]
            row += [f"{trained.cpu:.0f} ({trained.wall:.0f})", f"{trained.memory:.0f}"]
            row += [f"{runs['dev'].memory:.0f}", f"{dev.model.stat().st_size / 1e6:.1f}"]
            rows.append(row)
            print(" | ".join(row), flush=True)
    header = ["parser", "dev F1", "test F1", "dev tags", "words/s, file to file"]
    header += ["training, CPU s (wall)", "peak MB, training", "parsing", "model MB"]
    return table(header, rows)


def phrases_by_length(_folder: Path, repeats: int) -> str:
    """Seconds by the length of a sentence: words of the test file one after the other."""
    from linnet import ConstituencyParser
    from linnet.formats import read_brackets

    root = data_folder() / "ptb_sample"
    parser = ConstituencyParser(n_jobs=1, verbose=False, max_iter=2, jackknife=0)
    parser.fit(read_brackets(root / "train.mrg"))
    test = read_brackets(root / "test.mrg").cleaned()
    words = itertools.cycle([word for sentence in test.column("word") for word in sentence])
    rows = []
    for decode in ("best", "risk"):
        row = [decode]
        for length in LENGTHS:
            sentence = [list(itertools.islice(words, length))]
            taken = []
            for _ in range(repeats):
                started = time.process_time()
                parser.predict(sentence, decode=decode)
                taken.append(time.process_time() - started)
            row.append(f"{median(taken):.3f}")
        rows.append(row)
        print(" | ".join(row), flush=True)
    return table(["seconds", *(f"{length} words" for length in LENGTHS)], rows)


SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("plain, h=0 v=1", {"horizontal": 0, "vertical": 1, "tags": False, "prune": None}),
    ("h=2 v=2, the defaults", {}),
    ("h=2 v=2, most expected brackets", {"decode": "brackets"}),
    ("h=2 v=2, max-rule-product", {"decode": "rules"}),
    ("h=2 v=2, no coarse pass", {"prune": None}),
]
FEW = 2  # sentences of each length that NLTK is given


def corpus(part: str) -> Brackets:
    """A part of the sample, cleaned."""
    return read_brackets(data_folder() / "ptb_sample" / f"{part}.mrg").cleaned()


def accuracy(_folder: Path, _repeats: int) -> str:
    """Dev F1, tags, training time, words per second."""
    train, dev = corpus("train"), corpus("dev")
    words = dev.column("word")
    rows = []
    for name, settings in SETTINGS:
        parser = linnet.GrammarParser(n_jobs=1, **settings)
        trained = once(partial(parser.fit, train))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            parsed = once(partial(parser.predict, words))
        scores = bracket_scores(dev, parsed.result)
        failed = sum(tree.top == parser.failed for tree in parsed.result)
        figures = [f"{100 * scores.f1:.2f}", f"{100 * scores.tagging_accuracy:.2f}", str(failed)]
        figures += [f"{trained.cpu:.1f}", f"{dev.tokens / parsed.cpu:,.0f}"]
        rows.append([name, *figures, f"{len(parser.grammar_.binary):,}"])
        print(" | ".join(rows[-1]), flush=True)
    header = ["grammar", "dev F1", "tags", "without a tree", "training, CPU s", "words/s"]
    return table([*header, "binary rules"], rows)


def nltk_peer(_folder: Path, repeats: int) -> str:
    """Seconds for the same sentences, of the same grammar."""
    from nltk import PCFG, ViterbiParser
    from nltk.grammar import Nonterminal, ProbabilisticProduction

    train, dev = corpus("train"), corpus("dev")
    own = linnet.GrammarParser(
        horizontal=0, vertical=1, tags=False, smoothing=0.0, prune=None, n_jobs=1
    ).fit(train)
    productions = [
        ProbabilisticProduction(
            Nonterminal(left),
            [Nonterminal(part) if isinstance(part, str) else part.text for part in right],
            prob=weight,
        )
        for left, right, weight in own.grammar_.rules()
    ]
    peer = ViterbiParser(PCFG(Nonterminal("TOP"), productions), max_time=None)
    known = set(own.grammar_.words)
    rows = []
    for low, high in ((6, 10), (11, 15), (16, 20)):
        chosen = []
        for words in dev.column("word"):
            seen = [w if w in known else word_class(w, t == 0) for t, w in enumerate(words)]
            if low <= len(words) <= high and known.issuperset(seen):
                chosen.append((words, seen))
        chosen = chosen[:FEW]
        if not chosen:
            continue
        mine = interleaved({"linnet": partial(own.predict, [w for w, _ in chosen])}, repeats)["linnet"]
        theirs = once(lambda chosen=chosen: [list(peer.parse(seen)) for _, seen in chosen])
        best = [
            score for score, _ in own.model_.trees(own._read([w for w, _ in chosen])[1], "best", 0, 1)
        ]
        for score, found in zip(best, theirs.result, strict=True):
            if abs(score - found[0].logprob() * log(2)) > 1e-6:
                raise SystemExit("the two have found trees of different probability")
        ratio = theirs.cpu / mine.cpu
        sizes = f"{low}–{high} words, {len(chosen)} sentences"
        rows.append([sizes, f"{mine.cpu:.4f}", f"{theirs.cpu:.1f}", f"{ratio:,.0f}"])
        print(" | ".join(rows[-1]), flush=True)
    return table(["sentences", "Linnet, CPU s", "NLTK, CPU s", "times as fast"], rows)


def growth(_folder: Path, repeats: int) -> str:
    """Seconds by length, with the coarse pass and without; sentences are put together to be long."""
    train, dev = corpus("train"), corpus("dev")
    words = [word for sentence in dev.column("word") for word in sentence]
    rows = []
    for name, settings in (("coarse pass", {}), ("none", {"prune": None})):
        parser = linnet.GrammarParser(n_jobs=1, **settings).fit(train)
        lengths = (10, 20, 40, 80, 160, 200) if not settings else (10, 20, 40, 80)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            runs = {str(n): partial(parser.predict, [words[:n]]) for n in lengths}
            found = interleaved(runs, repeats)
        seconds = [f"{found[str(n)].cpu:.3f}" for n in lengths]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        rows.append([name, *seconds, *[""] * (6 - len(lengths)), str(peak)])
        print(" | ".join(rows[-1]), flush=True)
    return table(["words", "10", "20", "40", "80", "160", "200", "peak MB, with training"], rows)


SECTIONS = {
    "phrases": phrases,
    "phrases by length": phrases_by_length,
    "accuracy": accuracy,
    "nltk": nltk_peer,
    "growth": growth,
}


if __name__ == "__main__":
    run_sections("grammar", SECTIONS, __doc__)
