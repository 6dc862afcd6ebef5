"""Text classification from the raw file, against scikit-learn, fastText and Vowpal Wabbit.

    LINNET_DATA=... python benchmarks/text.py [--repeats 3] [--only SECTION] [--write]

Every side is a process of its own, one thread, in turn; CPU and wall time and peak memory are those of
the process, imports included. "train" is from the file to a model on disk, "end to end" from the files
to the labels of the test file. Files for fastText and VW are made before the clock starts.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from corpora import data_folder, read
from measure import run_sections, table

from processes import Side, in_turn, middle, process

DEFAULTS = (
    "imdb",
    "debian_sections",
    "titles-en",
    "banking77",
    "trec_fine",
    "trec_coarse",
    "movie_reviews",
)


def tokens(text: str) -> str:
    """Lower-cased words and marks with spaces between: VW and fastText split at spaces only."""
    return " ".join(re.findall(r"\w+|[^\w\s]", text.lower()))


class Corpus:
    """A corpus, in the formats of all sides."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        self.train, self.test = (data_folder() / name / f"{part}.tsv" for part in ("train", "test"))
        self.gold, _ = read(self.test)
        labels, _ = read(self.train)
        self.classes = sorted(set(labels))
        self.min_df = 2 if len(labels) > 20_000 else 1
        self.alpha = 1e-4 if len(self.classes) == 2 else 1e-5  # 1e-4 is too strong for many labels

    def linnet(self, name: str = "Linnet", **options: Any) -> Side:
        """With its defaults, unless told otherwise."""
        model = self.folder / f"{self.name}-{name.replace(' ', '-')}.linnet"
        return Side(name, "linnet_side.py", self.train, self.test, model, options)

    def sklearn(self, learner: str) -> Side:
        """The pipeline everybody writes first."""
        options = {"learner": learner, "min_df": self.min_df, "alpha": self.alpha}
        model = self.folder / f"{self.name}-{learner}.pickle"
        return Side(f"tf-idf + {learner}", "sklearn_side.py", self.train, self.test, model, options)

    def vw(self, passes: int) -> Side:
        """Two labels are -1 and 1, more are 1, 2, ….  Marks of the format become spaces."""
        numbers = dict(
            zip(self.classes, ("-1", "1") if len(self.classes) == 2 else range(1, 999), strict=False)
        )
        marks = str.maketrans(":|", ";;")
        files = [
            self._converted(
                path, "vw", lambda label, text: f"{numbers[label]} | {text.translate(marks)}"
            )
            for path in (self.train, self.test)
        ]
        options = {"labels": len(self.classes), "passes": passes, "bits": 24}
        return Side(
            f"VW {passes} passes",
            "vw_side.py",
            *files,
            self.folder / f"{self.name}-{passes}.vw",
            options,
        )

    def fasttext(self) -> Side:
        """Bigrams, and what its tutorial ends with: on few texts 25 passes, and a rate of 1."""
        few = len(read(self.train)[0]) < 20_000
        files = [
            self._converted(path, "ft", lambda label, text: f"__label__{label} {text}")
            for path in (self.train, self.test)
        ]
        return Side(
            "fastText",
            "fasttext_side.py",
            *files,
            self.folder / f"{self.name}.bin",
            {"lr": 1.0, "epoch": 25} if few else {"lr": 0.5, "epoch": 5},
        )

    def _converted(self, path: Path, ending: str, line: Any) -> Path:
        target = self.folder / f"{self.name}-{path.stem}.{ending}"
        if not target.exists():
            pairs = zip(*read(path), strict=True)
            with target.open("w", encoding="utf-8") as out:
                out.writelines(line(label, tokens(text)) + "\n" for label, text in pairs)
        return target

    def scores(self, side: Side) -> tuple[float, float]:
        """Accuracy in percent and macro-F1 of what a side predicted last."""
        from sklearn.metrics import f1_score

        found = side.labels()
        if side.script == "vw_side.py":
            two = len(self.classes) == 2
            found = [self.classes[float(v) > 0 if two else int(float(v)) - 1] for v in found]
        right = sum(a == b for a, b in zip(found, self.gold, strict=True))
        return 100 * right / len(found), f1_score(self.gold, found, average="macro")


def defaults(folder: Path, _repeats: int) -> str:
    """One default for all, and what the peers reach with theirs, once each."""
    rows = []
    for name in DEFAULTS:
        corpus = Corpus(name, folder)
        row = [name]
        for side in (corpus.linnet(), corpus.sklearn("LinearSVC"), corpus.vw(3), corpus.fasttext()):
            run = side.run("end-to-end")
            if run.timed_out:
                row.append(f"not done after {run.wall:.0f} s")
                continue
            accuracy, f1 = corpus.scores(side)
            row.append(f"{accuracy:.2f} / {f1:.3f} ({run.cpu:.2f} s)")
        rows.append(row)
        print(" | ".join(row), flush=True)
    header = ["corpus", "Linnet", "tf-idf + LinearSVC", "VW 3 passes", "fastText"]
    return table(header, rows)


def compared(corpus: Corpus, span: str, sides: list[Side], repeats: int) -> str:
    """Time, memory and accuracy side by side; ratios to the first."""
    runs = in_turn(sides, span, repeats)
    ours = runs[sides[0].name]
    rows = []
    for side in sides:
        run = runs[side.name]
        if run.timed_out:
            rows.append([corpus.name, span, side.name, f"not done after {run.wall:.0f} s", *[""] * 4])
            continue
        if span == "train":
            side.run("predict")
        accuracy, f1 = corpus.scores(side)
        size = side.model.stat().st_size / 1e6
        figures = [f"{run.cpu:.2f} ({run.wall:.2f})", f"{run.cpu / ours.cpu:.1f}×", f"{run.memory:.0f}"]
        rows.append(
            [corpus.name, span, side.name, *figures, f"{size:.1f}", f"{accuracy:.2f} / {f1:.3f}"]
        )
        print(" | ".join(rows[-1]), flush=True)
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def speed(folder: Path, repeats: int) -> str:
    """The two large corpora, both spans."""
    imdb, debian = Corpus("imdb", folder), Corpus("debian_sections", folder)
    parts = [
        compared(
            imdb, "end-to-end", [imdb.linnet(), imdb.sklearn("LinearSVC"), imdb.sklearn("SGD")], repeats
        ),
        compared(imdb, "train", [imdb.linnet(), imdb.vw(3), imdb.fasttext()], repeats),
        compared(debian, "end-to-end", [debian.linnet(), debian.sklearn("SGD")], repeats),
        compared(debian, "train", [debian.linnet(), debian.vw(3), debian.fasttext()], repeats),
    ]
    header = [
        "corpus",
        "span",
        "side",
        "CPU s (wall)",
        "ratio",
        "peak MB",
        "model MB",
        "accuracy / macro-F1",
    ]
    return table(header, []) + "\n" + "\n".join(parts)


def features(_folder: Path, repeats: int) -> str:
    """Raw text to numbered counts, one thread: from a list of Python strings, on both sides."""
    from measure import interleaved
    from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer

    from linnet import TextFeatures, formats
    from linnet.data import as_texts

    examples = formats.read(data_folder() / "imdb" / "train.tsv")
    strings = [*examples.texts]
    megabytes = examples.texts.size_in_bytes / 1e6

    def ours(**settings: Any) -> Any:
        return TextFeatures(norm="none", **settings).fit_rows(as_texts(strings))

    runs = {
        "Linnet, hashed": lambda: ours(hash_bits=20),
        "scikit-learn HashingVectorizer": lambda: HashingVectorizer(
            ngram_range=(1, 2), binary=True, norm=None, alternate_sign=False
        ).fit_transform(strings),
        "Linnet, interned": ours,
        "Linnet, interned, min_df 2": lambda: ours(min_df=2),
        "scikit-learn CountVectorizer": lambda: CountVectorizer(
            ngram_range=(1, 2), binary=True
        ).fit_transform(strings),
    }
    timings = interleaved(runs, repeats)
    rows = [[name, f"{megabytes / t.cpu:.0f}"] for name, t in timings.items()]
    for row in rows:
        print(" | ".join(row), flush=True)
    return table(["word 1- and 2-grams of imdb", "MB/s of CPU time"], rows)


def predict(folder: Path, repeats: int) -> str:
    """Raw texts to labels: strings in memory against scikit-learn, files against VW."""
    imdb = Corpus("imdb", folder)
    megabytes = imdb.test.stat().st_size / 1e6
    rows = []
    full, hashed = imdb.linnet(), imdb.linnet("Linnet hashed", features=HASHED)
    packed = imdb.linnet("Linnet packed")
    svc, vw = imdb.sklearn("LinearSVC"), imdb.vw(3)
    for side in (full, hashed, svc, vw):
        side.run("train")
    quantise(full.model, packed.model)
    runs = in_turn([full, hashed, packed, svc, vw], "predict", repeats)
    for span, peer in (("strings", svc), ("file", vw)):
        theirs = runs[peer.name].said[span]
        for name, run in runs.items():
            if span in run.said:
                rate, ratio = megabytes / run.said[span], theirs / run.said[span]
                rows.append([SPANS[span], name, f"{rate:.1f}", f"{ratio:.1f}×"])
    for row in rows:
        print(" | ".join(row), flush=True)
    return table(["span", "side", "MB/s of CPU time", "ratio to the peer"], rows)


SPANS = {
    "strings": "Python strings in memory to labels",
    "file": "model file and text file to a file of labels, imports not counted",
}
HASHED = {"hash_bits": 20}


def quantise(model: Path, target: Path) -> None:
    """As a user would."""
    process(["-m", "linnet.cli", "quantize", str(model), "-o", str(target), "--size", "2MB"])


def small(folder: Path, _repeats: int) -> str:
    """The imdb model packed."""
    imdb = Corpus("imdb", folder)
    full = imdb.linnet()
    full.run("train")
    rows = []
    for name, bits, size in (
        ("as trained", None, None),
        ("8 bits", "8", "2MB"),
        ("4 bits", "4", "1MB"),
    ):
        side = imdb.linnet(f"Linnet {name}")
        if bits is None:
            side = full
        else:
            process(
                [
                    "-m",
                    "linnet.cli",
                    "quantize",
                    str(full.model),
                    "-o",
                    str(side.model),
                    "--bits",
                    bits,
                    "--size",
                    size,
                ]
            )
        side.run("predict")
        rows.append([name, f"{side.model.stat().st_size / 1e6:.2f}", f"{imdb.scores(side)[0]:.2f}"])
        print(" | ".join(rows[-1]), flush=True)
    return table(["imdb model", "MB", "accuracy"], rows)


def labels(folder: Path, repeats: int) -> str:
    """Many labels: weights in sparse rows, and the same in full."""
    from copy import deepcopy
    from dataclasses import replace
    from functools import partial

    from measure import interleaved

    import linnet

    rows = []
    for name in ("debian_sections", "banking77", "trec_fine"):
        corpus = Corpus(name, folder)
        side = corpus.linnet()
        side.run("train")
        sparse, strings = linnet.load(side.model), read(corpus.test)[1]
        full = deepcopy(sparse)
        full.model_ = replace(sparse.model_, stored=sparse.model_.weights)
        models = {"full": full, "sparse": sparse}
        runs = {form: partial(model.decision_function, strings) for form, model in models.items()}
        timings = interleaved(runs, max(5, repeats))
        assert (timings["full"].result == timings["sparse"].result).all()
        stored = sparse.model_.stored.tensors("").values()
        sizes = (full.model_.weights.nbytes, sum(array.nbytes for array in stored))
        figures = [f"{size / 1e6:.1f}" for size in (*sizes, side.model.stat().st_size)]
        times = [f"{1e3 * timings[form].cpu:.0f}" for form in models]
        rows.append([name, str(len(corpus.classes)), *figures, *times])
        print(" | ".join(rows[-1]), flush=True)
    header = ["corpus", "labels", "weights in full, MB", "sparse, MB", "the file, MB"]
    return table([*header, "CPU ms in full", "CPU ms sparse"], rows)


def start(folder: Path, repeats: int) -> str:
    """What it costs to say hello."""
    corpus = Corpus("imdb", folder)
    side = corpus.linnet()
    if not side.model.exists():
        side.run("train")
    one = ["-m", "linnet.cli", "predict", str(side.model)]
    spans = {
        "linnet --help": lambda: process(["-m", "linnet.cli", "--help"]),
        "linnet predict, one line, imdb model": lambda: process(one, b"What a film!\n"),
    }
    rows = []
    for name, run in spans.items():
        cpu = middle([run() for _ in range(max(5, repeats))]).cpu
        rows.append([name, f"{cpu:.3f}"])
        print(" | ".join(rows[-1]), flush=True)
    return table(["command", "CPU s"], rows)


SECTIONS = {
    "defaults": defaults,
    "speed": speed,
    "features": features,
    "predict": predict,
    "small": small,
    "labels": labels,
    "start": start,
}


if __name__ == "__main__":
    run_sections("text", SECTIONS, __doc__)
