"""Tagging from the column file, against CRFsuite.

    LINNET_DATA=... python benchmarks/chain.py [--repeats 3] [--only SECTION] [--write]

Every side is a process of its own, one thread, in turn; CPU and wall time and peak memory are those of
the process, imports and the making of features included. CRFsuite gets its features by python-crfsuite,
a sentence at a time, so that no more than its own copy is in memory.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from corpora import data_folder
from measure import run_sections, table

from processes import Run, Side, in_turn

# The template that comes with CRF++ for this task.
CRFPP = """\
U00:%x[-2,0]
U01:%x[-1,0]
U02:%x[0,0]
U03:%x[1,0]
U04:%x[2,0]
U05:%x[-1,0]/%x[0,0]
U06:%x[0,0]/%x[1,0]
U10:%x[-2,1]
U11:%x[-1,1]
U12:%x[0,1]
U13:%x[1,1]
U14:%x[2,1]
U15:%x[-2,1]/%x[-1,1]
U16:%x[-1,1]/%x[0,1]
U17:%x[0,1]/%x[1,1]
U18:%x[1,1]/%x[2,1]
U20:%x[-2,1]/%x[-1,1]/%x[0,1]
U21:%x[-1,1]/%x[0,1]/%x[1,1]
U22:%x[0,1]/%x[1,1]/%x[2,1]
B"""
MACROS = [
    [(int(a), int(b)) for a, b in re.findall(r"%x\[(-?\d+),(\d+)\]", line)]
    for line in CRFPP.splitlines()
    if line != "B"
]
WORDS = [[(k, 0)] for k in range(-2, 3)] + [[(-1, 0), (0, 0)], [(0, 0), (1, 0)]]
C2 = {"c2": 1.0}  # Linnet minimises ½‖w‖² + C Σ loss, CRFsuite c2 ‖w‖² + Σ loss: C = 1 / (2 c2)
SEEN = {"templates": CRFPP, "all_states": False, "all_transitions": False}  # as CRFsuite has it
TOLERANCES = (2e-2, 1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4)


class Corpus:
    """A corpus of columns and both sides' way to read it."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        self.chunks = name == "conll2000"
        root = data_folder() / name
        if self.chunks:
            self.train, self.test = root / "train.txt", root / "test.txt"
            self.read: dict[str, Any] = {}
            self.layout = {"columns": [0, 1, 2], "delimiter": None, "numbered": False}
        else:
            self.train, self.test = (root / f"en_ewt-ud-{part}.conllu" for part in ("train", "test"))
            self.read = {"format": "conllu"}
            self.layout = {"columns": [1, 3], "delimiter": "\t", "numbered": True}

    def linnet(self, name: str, **options: Any) -> Side:
        """A tagger with these settings."""
        model = self.folder / f"{self.name}-{name.replace(' ', '-')}.linnet"
        files = self.train, self.test, model
        return Side(name, "tagger_side.py", *files, {"read": self.read, "wide": self.chunks} | options)

    def crfsuite(
        self,
        name: str,
        algorithm: str,
        params: dict[str, Any],
        shapes: bool = False,
        kept: bool = False,
    ) -> Side:
        """CRFsuite with the same template, or with words, affixes and shapes."""
        model = self.folder / f"{self.name}-{name.replace(' ', '-')}.crfsuite"
        options = self.layout | {"algorithm": algorithm, "params": params, "shapes": shapes}
        options["kept"] = kept
        options["macros"] = MACROS if self.chunks else WORDS
        return Side(name, "crfsuite_side.py", self.train, self.test, model, options)

    def score(self, side: Side) -> float:
        """Per cent: F1 of chunks, or accuracy of tags, of what a side tagged last."""
        from linnet.evaluation.spans import column_counts
        from linnet.formats.sequences import read_sequences

        gold = read_sequences(self.test, **self.read)
        form = self.read.get("format", "conll") if side.script == "tagger_side.py" else "conll"
        found = read_sequences(f"{side.model}.tagged", format=form)
        assert gold.labels is not None
        assert found.labels is not None
        counts = column_counts(gold.labels, found.labels, gold.offsets)
        return 100 * (counts.f1 if self.chunks else counts.token_accuracy)


def crf(folder: Path, repeats: int) -> str:
    """The same objective over the same weights, until it is within 1e-4 of CRFsuite's last value."""
    corpus = Corpus("conll2000", folder)
    peer = corpus.crfsuite("CRFsuite L-BFGS", "lbfgs", C2)
    target = peer.run("train").said["objective"]
    same = {
        "templates": CRFPP,
        "all_states": False,
        "all_transitions": False,
        "C": 0.5,
        "loss": "logistic",
    }
    sides = [
        loosest(corpus, f"Linnet {name}", target, same | {"learner": learner}, tolerances)
        for name, learner, tolerances in (
            ("dual", "dual", TOLERANCES),
            ("L-BFGS", "lbfgs", (1e-3, 3e-4, 1e-4, 5e-5, 2e-5)),
        )
    ]
    runs = in_turn([*sides, peer], "train", repeats)
    theirs = runs[peer.name]
    rows = []
    for side in [*sides, peer]:
        run, objective = runs[side.name], runs[side.name].said["objective"]
        objective *= 2 if side is not peer else 1
        side.run("tag")
        figures = [
            f"{objective:.1f}",
            f"{run.said['epochs']:.0f}",
            *timed(run, theirs),
            f"{corpus.score(side):.2f}",
        ]
        rows.append([side.name, *figures])
        print(" | ".join(rows[-1]), flush=True)
    kept = corpus.crfsuite(
        "CRFsuite, features in a list", "lbfgs", C2 | {"max_iterations": 3}, kept=True
    )
    memory = kept.run("train").memory
    share = 100 * runs[sides[0].name].memory / memory
    rows.append([f"{kept.name}, 3 passes", "", "3", "", "", f"{memory:.0f} (dual: {share:.0f} %)", ""])
    print(" | ".join(rows[-1]), flush=True)
    early = theirs.cpu - theirs.said["solver"] + theirs.said["near solver"]
    ours = runs[sides[0].name].cpu
    rows.append(
        [
            "CRFsuite, if it stopped within 1e-4",
            "",
            f"{theirs.said['near epochs']:.0f}",
            f"{early:.2f}",
            f"{early / ours:.1f}× the first",
            "",
            "",
        ]
    )
    print(" | ".join(rows[-1]), flush=True)
    header = ["side", "objective", "passes", "CPU s (wall)", "faster by", "peak MB", "F1"]
    return table(header, rows)


def loosest(
    corpus: Corpus, name: str, target: float, options: dict[str, Any], tolerances: tuple[float, ...]
) -> Side:
    """The side with the loosest tolerance that comes within 1e-4 of the target."""
    for tol in tolerances:
        side = corpus.linnet(f"{name}, tol {tol:g}", tol=tol, **options)
        if 2 * side.run("train").said["objective"] <= target * 1.0001:
            return side
    raise SystemExit(f"{name} does not come within 1e-4 of {target}")


def timed(run: Run, theirs: Run) -> list[str]:
    """Seconds, how many times faster than the peer, memory."""
    share = run.memory / theirs.memory
    return [
        f"{run.cpu:.2f} ({run.wall:.2f})",
        f"{theirs.cpu / run.cpu:.1f}×",
        f"{run.memory:.0f} ({100 * share:.0f} %)",
    ]


def online(folder: Path, repeats: int) -> str:
    """Seconds per pass of the averaged perceptron and of passive-aggressive steps."""
    corpus = Corpus("conll2000", folder)
    same = {
        "templates": CRFPP,
        "all_transitions": False,
        "all_states": False,
        "max_iter": 10,
        "average": True,
    }
    pairs = [
        (
            corpus.linnet("Linnet perceptron", loss="perceptron", learner="perceptron", **same),
            corpus.crfsuite("CRFsuite ap", "ap", {"max_iterations": 10}),
        ),
        (
            corpus.linnet("Linnet PA", loss="hinge", learner="pa", **same),
            corpus.crfsuite("CRFsuite pa", "pa", {"max_iterations": 10}),
        ),
    ]
    rows = []
    for ours, peer in pairs:
        runs = in_turn([ours, peer], "train", repeats)
        theirs = runs[peer.name]
        per_pass = {name: run.said["solver"] / run.said["epochs"] for name, run in runs.items()}
        for side in (ours, peer):
            run = runs[side.name]
            side.run("tag")
            ratio = per_pass[peer.name] / per_pass[side.name]
            figures = [f"{per_pass[side.name]:.3f}", f"{ratio:.1f}×", *timed(run, theirs)]
            rows.append([side.name, *figures, f"{corpus.score(side):.2f}"])
            print(" | ".join(rows[-1]), flush=True)
    header = [
        "10 passes",
        "s per pass",
        "faster by",
        "CPU s in all (wall)",
        "faster by",
        "peak MB",
        "F1",
    ]
    return table(header, rows)


def defaults(folder: Path, _repeats: int) -> str:
    """Our recipes with our defaults; CRFsuite with affixes and shapes beside its template."""
    rows = []
    for name, what in (("conll2000", "F1"), ("ud_en_ewt", "accuracy")):
        corpus = Corpus(name, folder)
        for side in (
            corpus.linnet("Linnet, defaults"),
            corpus.crfsuite("CRFsuite ap, affixes and shapes", "ap", {"max_iterations": 30}, True),
            corpus.crfsuite("CRFsuite L-BFGS, affixes and shapes", "lbfgs", C2, True),
        ):
            run = side.run("train")
            side.run("tag")
            size = side.model.stat().st_size / 1e6
            figures = [f"{corpus.score(side):.2f}", f"{run.cpu:.2f} ({run.wall:.2f})"]
            rows.append([name, what, side.name, *figures, f"{run.memory:.0f}", f"{size:.1f}"])
            print(" | ".join(rows[-1]), flush=True)
    header = ["corpus", "", "side", "score", "training, CPU s (wall)", "peak MB", "model MB"]
    return table(header, rows)


def tagging(folder: Path, repeats: int) -> str:
    """From the test file to a file of tags, the model loaded anew by Linnet."""
    rows = []
    for name in ("ud_en_ewt", "conll2000"):
        corpus = Corpus(name, folder)
        ours = corpus.linnet("Linnet, defaults")
        peer = corpus.crfsuite("CRFsuite ap", "ap", {"max_iterations": 10}, not corpus.chunks)
        for side in (ours, peer):
            side.run("train")
        runs = in_turn([ours, peer], "tag", repeats)
        theirs = runs[peer.name].said["file"]
        for side in (ours, peer):
            said = runs[side.name].said
            row = [name, side.name]
            for span in ("tags", "file"):
                seconds = said.get(span)
                row.append("" if seconds is None else f"{said['tokens'] / seconds / 1000:.0f}")
                row.append("" if seconds is None else f"{theirs / seconds:.1f}×")
            rows.append(row)
            print(" | ".join(row), flush=True)
    header = ["corpus", "side", "1000 tokens/s, file to tags", "faster by", "file to file", "faster by"]
    return table(header, rows)


def growth(_folder: Path, repeats: int) -> str:
    """Seconds per pass for n, 2n and 4n sentences, and for L, 2L and 4L labels."""
    import numpy as np
    from measure import interleaved

    from linnet import Tagger, TokenFeatures
    from linnet.data import LabelColumn
    from linnet.formats.sequences import read_sequences

    data = read_sequences(data_folder() / "conll2000" / "train.txt")
    assert data.labels is not None
    rng = np.random.default_rng(0)
    labels = {
        count: LabelColumn(
            [f"t{k:03}" for k in range(count)],
            rng.integers(0, count, data.tokens).astype(np.int32),
        )
        for count in (16, 32, 64)
    }
    from dataclasses import replace

    some = data.take(np.arange(len(data) // 4))
    sized = {f"{k}n sentences": data.take(np.arange(k * len(data) // 4)) for k in (1, 2, 4)}
    sized |= {
        f"{count} labels at random": replace(
            some, labels=LabelColumn(column.names, column.codes[: some.tokens])
        )
        for count, column in labels.items()
    }
    rows = []
    for learner, settings in (
        ("perceptron", {"loss": "perceptron", "learner": "perceptron"}),
        ("dual", {"loss": "logistic", "learner": "dual", "tol": 0.0}),
        ("lbfgs", {"loss": "logistic", "learner": "lbfgs", "tol": 0.0}),
    ):

        def per_pass(data: Any, settings: dict[str, Any] = settings) -> float:
            import warnings

            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tagger = Tagger(
                    TokenFeatures(templates=CRFPP), max_iter=4, all_states=False, **settings
                ).fit(data)
            return sum(e.seconds for e in tagger.record_.epochs) / len(tagger.record_.epochs)

        found = interleaved(
            {name: (lambda data=data: per_pass(data)) for name, data in sized.items()}, repeats
        )
        rows.append([learner, *(f"{1000 * t.result:.0f} ms" for t in found.values())])
        print(" | ".join(rows[-1]), flush=True)
    return table(["pass of", *sized], rows)


SECTIONS = {
    "crf": crf,
    "online": online,
    "defaults": defaults,
    "tagging": tagging,
    "growth": growth,
}


if __name__ == "__main__":
    run_sections("chain", SECTIONS, __doc__)
