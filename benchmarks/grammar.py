"""Trees of phrases from the file of brackets: accuracy, training time, words per second, growth.

    LINNET_DATA=... python benchmarks/grammar.py [--repeats 3] [--only SECTION] [--write]

The sample of the Penn treebank that NLTK has, words alone, by evalb's rules. One thread, one process
per training, CPU seconds of the process, imports and reading included.
"""

from __future__ import annotations

import itertools
import time
from pathlib import Path
from statistics import median
from typing import Any

from corpora import data_folder
from measure import run_sections, table

from processes import Side

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


def growth(_folder: Path, repeats: int) -> str:
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


SECTIONS = {"phrases": phrases, "phrases by length": growth}


if __name__ == "__main__":
    run_sections("grammar", SECTIONS, __doc__)
