"""From running text to CoNLL-U: Linnet beside UDPipe 1, both trained on the same files in the same run.

`python benchmarks/pipeline.py --only gothic` trains both on UD Gothic PROIEL and scores them on its
test part by the table of the CoNLL 2018 shared task: from raw text, from gold tokens, from gold tags.
UDPipe is `ufal.udpipe` of PyPI with its usual settings. It takes hours to train: in the folder
$LINNET_PEERS its models are kept for other runs, with what their training took.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

from corpora import data_folder
from measure import once, run_sections, table

import linnet
from linnet.data import Trees
from linnet.data.surface import running_texts
from linnet.errors import DataError
from linnet.estimators.tagging.analysis import FEATS_TEMPLATES, LEMMA_TEMPLATES
from linnet.evaluation import shared_task_scores
from linnet.evaluation.shared_task import METRICS
from linnet.features.characters import TEMPLATES
from linnet.formats import read_trees, write_trees
from processes import HERE, process

TREEBANKS = {
    "ewt": ("ud_en_ewt/en_ewt-ud-{}.conllu", None),
    "gothic": ("ud_got_proiel/got_proiel-ud-{}.conllu", None),
    "ewt-1000": ("ud_en_ewt/en_ewt-ud-{}.conllu", 1000),
    "gothic-1000": ("ud_got_proiel/got_proiel-ud-{}.conllu", 1000),
}
INPUTS = ("raw text", "gold tokens", "gold tags")
WEEK = 7 * 24 * 3600.0


def parts(name: str, folder: Path) -> dict[str, Path]:
    """The files of a treebank; of a small one the first sentences of the training part."""
    pattern, sentences = TREEBANKS[name]
    found = {part: data_folder() / pattern.format(part) for part in ("train", "dev", "test")}
    if sentences is not None:
        small = read_trees(found["train"], roots="many")
        found["train"] = folder / f"{name}.conllu"
        write_trees(small.take(range(min(sentences, len(small)))), found["train"])
    return found


def bare(gold: Trees, folder: Path, keep: tuple[str, ...]) -> Path:
    """Words without analyses but these columns."""
    blank = [["_"] * n for n in gold.lengths.tolist()]
    gone = {name: blank for name in ("lemma", "upos", "xpos", "feats") if name not in keep}
    path = folder / f"bare-{'-'.join(keep)}.conllu"
    unknown = [[None] * n for n in gold.lengths.tolist()]
    write_trees(gold.with_columns(**gone), path, heads=unknown, relations=unknown)
    return path


class Linnet:
    """`DependencyParser(tagger="auto")`, quantised, as a user has it."""

    def __init__(self, files: dict[str, Path], folder: Path) -> None:
        quiet = {"n_jobs": 1, "verbose": False, "diagnostics": False}
        parser = linnet.DependencyParser(tagger="auto", **quiet)
        alone = linnet.DependencyParser(**quiet)  # learns from the columns of the same trees
        self.seconds = once(partial(parser.fit, str(files["train"]))).cpu
        seconds = once(partial(alone.fit, str(files["train"]))).cpu
        self.told = f" (the parser alone {seconds:.1f} s: {self.seconds / seconds:.1f} times that)"
        parser.quantize(8).save(folder / "linnet.model")
        self.size = (folder / "linnet.model").stat().st_size
        self._parser = linnet.load(folder / "linnet.model")
        self._parser.n_jobs = 1

    def from_text(self, texts: list[str], out: Path) -> None:
        """Everything predicted."""
        trees = self._parser.parse(["\n\n".join(texts)])
        write_trees(trees, out)

    def from_words(self, path: Path, tags: bool, out: Path) -> None:
        """What the file lacks predicted."""
        write_trees(self._parser.parse_trees(path, retag=not tags), out)


def udpipe_model(files: dict[str, Path], folder: Path) -> Path:
    """A model, and beside it the CPU seconds of its training; kept where $LINNET_PEERS says."""
    told = hashlib.sha256(b"".join(files[part].read_bytes() for part in ("train", "dev")))
    path = Path(os.environ.get("LINNET_PEERS", folder)) / f"udpipe-{told.hexdigest()[:16]}.model"
    if not path.exists():
        made = path.with_suffix(".part")
        side = [str(HERE / "sides" / "udpipe_side.py"), "train"]
        run = process([*side, str(files["train"]), str(files["dev"]), str(made)], limit=WEEK)
        path.with_suffix(".seconds").write_text(f"{run.cpu}")
        made.rename(path)
    return path


class UDPipe:
    """Version 1, by its Python binding."""

    told = ""

    def __init__(self, files: dict[str, Path], folder: Path) -> None:
        import ufal.udpipe as udpipe

        self._udpipe = udpipe
        path = udpipe_model(files, folder)
        self.size = path.stat().st_size
        self.seconds = float(path.with_suffix(".seconds").read_text())
        self._model = udpipe.Model.load(str(path))

    def _run(self, reads: str, tags: str, text: str, out: Path) -> None:
        udpipe, error = self._udpipe, self._udpipe.ProcessingError()
        default = udpipe.Pipeline.DEFAULT
        pipeline = udpipe.Pipeline(self._model, reads, tags or default, default, "conllu")
        found = pipeline.process(text, error)
        if error.occurred():
            raise RuntimeError(error.message)
        out.write_text(found, encoding="utf-8")

    def from_text(self, texts: list[str], out: Path) -> None:
        """Everything predicted."""
        self._run("tokenize", "", "\n\n".join(texts), out)

    def from_words(self, path: Path, tags: bool, out: Path) -> None:
        """Tags and trees, or trees alone."""
        none = self._udpipe.Pipeline.NONE if tags else ""
        self._run("conllu", none, path.read_text(encoding="utf-8"), out)


def compared(name: str, folder: Path, repeats: int) -> str:
    """Train both, answer three times, and put the F1 of all columns side by side."""
    files = parts(name, folder)
    gold = read_trees(files["test"], roots="many")
    texts = running_texts(gold.sequences)
    words = bare(gold, folder, ())
    tagged = bare(gold, folder, ("lemma", "upos", "xpos", "feats"))
    rows, told = [], []
    for title, side in (("Linnet", Linnet), ("UDPipe 1", UDPipe)):
        system = side(files, folder)
        answers: dict[str, Callable[[Path], None]] = {
            "raw text": partial(system.from_text, texts),
            "gold tokens": partial(system.from_words, words, False),
            "gold tags": partial(system.from_words, tagged, True),
        }
        for what, answer in answers.items():
            out = folder / "out.conllu"
            seconds = min(once(partial(answer, out)).cpu for _ in range(repeats))
            scores = shared_task_scores(gold, read_trees(out, roots="many"))
            shown = [f"{100 * scores[metric].f1:.2f}" for metric in METRICS]
            rows.append([title, what, *shown, f"{gold.tokens / seconds:,.0f}"])
        size = f"{system.size / 1e6:.1f} MB"
        told.append(f"{title}: training {system.seconds:.0f} s of CPU{system.told}, {size}.")
    made = table(["", "from", *METRICS, "words/s"], rows) + "\n\n" + " ".join(told)
    print(made)
    return made


def without_near(kept: str) -> Callable[[str], bool]:
    """Templates that do not look at these names."""
    return lambda line: not re.search(kept, line)


# Each leaves something out of the pipeline: a list of templates, what of it stays, and settings.
ABLATIONS: dict[str, tuple[list[str] | None, Callable[[str], bool], dict[str, object]]] = {
    "all": (None, str.isprintable, {}),
    "text cut without what rules say": (TEMPLATES, without_near("rule"), {}),
    "text cut without runs around": (TEMPLATES, without_near("back|ahead|here"), {}),
    "text cut by rules": (None, str.isprintable, {"without": "tokens"}),
    "features without xpos": (FEATS_TEMPLATES, without_near("xpos"), {}),
    "features without words around": (FEATS_TEMPLATES, without_near(r"\[|-1|1\]"), {}),
    "lemmas without tags": (LEMMA_TEMPLATES, without_near("upos|feats"), {}),
    "lemmas without affixes": (LEMMA_TEMPLATES, without_near("prefix|suffix"), {}),
    "trees from tags of the data": (None, str.isprintable, {"jackknife": 0}),
    "trees arc by arc (order 1)": (None, str.isprintable, {"order": 1}),
}


def ablations(folder: Path, _: int) -> str:
    """What each step and group of features is worth: on the dev part, from raw text."""
    rows = []
    for name in ("ewt-1000", "gothic-1000"):
        files = parts(name, folder)
        gold = read_trees(files["dev"], roots="many")
        text = "\n\n".join(running_texts(gold.sequences))
        for what, (templates, stays, settings) in ABLATIONS.items():
            before = list(templates or ())
            if templates is not None:
                templates[:] = filter(stays, before)
            parser = linnet.DependencyParser(
                tagger="auto", n_jobs=1, verbose=False, diagnostics=False, **settings
            )
            parser.fit(str(files["train"]))
            if templates is not None:
                templates[:] = before
            try:
                scores = shared_task_scores(gold, parser.parse([text]))
            except DataError as error:  # rules find no sentences where a text has no marks
                print(f"{name}, {what}: {error}")
                rows.append([name, what, *("–" for _ in METRICS)])
                continue
            rows.append([name, what, *(f"{100 * scores[metric].f1:.2f}" for metric in METRICS)])
    made = table(["", "", *METRICS], rows)
    print(made)
    return made


SECTIONS = {name: partial(compared, name) for name in TREEBANKS} | {"ablations": ablations}

if __name__ == "__main__":
    run_sections("pipeline", SECTIONS, __doc__ or "")
