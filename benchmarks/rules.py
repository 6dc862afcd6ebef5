"""Rules and memory beside NLTK's Brill, TiMBL and scikit-learn's neighbours.

    python benchmarks/rules.py [--repeats 3] [--only SECTION] [--write]

One thread, CPU seconds; of TiMBL, a program of its own, those that it tells (it reads instances that
are written beforehand, and is timed on the first test tokens alone). Rules must be the same as NLTK's,
and labels the same as TiMBL's, or there is no table.
"""

from __future__ import annotations

import re
import resource
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from corpora import data_folder, read
from measure import interleaved, once, run_sections, table

from linnet import BrillTagger, MemoryTagger, TextNeighbors
from linnet.evaluation import column_counts
from linnet.formats.sequences import read_sequences

RULES = 200
TOKENS = 5000  # that TiMBL is asked about
K = 5
QUERIES = 10_000  # so many texts are asked in a run, the same ones again if there are fewer


def nltk_side(X: list[list[str]], y: list[list[str]], test: list[list[str]]) -> dict[str, Any]:
    """Its trainer and its tagger over the tags that ours begins with."""
    from nltk.tag import BrillTaggerTrainer, brill
    from nltk.tag.api import TaggerI
    from nltk.tbl.template import Template

    first = BrillTagger(max_rules=0).fit(X, y)

    class Begun(TaggerI):
        def tag(self, tokens: Any) -> Any:
            return list(zip(tokens, first.predict([tokens])[0], strict=True))

        def tag_sents(self, sentences: Any) -> Any:
            tags = first.predict(list(sentences))
            return [list(zip(s, t, strict=True)) for s, t in zip(sentences, tags, strict=True)]

    Template._cleartemplates()
    gold = [list(zip(s, t, strict=True)) for s, t in zip(X, y, strict=True)]
    trainer = BrillTaggerTrainer(Begun(), brill.fntbl37(), deterministic=True)
    fitted = once(partial(trainer.train, gold, max_rules=RULES))
    begun = [
        [(w, t) for w, t in zip(s, p, strict=True)]
        for s, p in zip(test, first.predict(test), strict=True)
    ]
    tagged = once(lambda: [_mended(fitted.result, sentence) for sentence in begun])
    return {"fit": fitted, "tag": tagged, "rules": fitted.result.rules(), "first": first}


def _mended(tagger: Any, sentence: list[tuple[str, str]]) -> list[str]:
    tokens = list(sentence)
    for rule in tagger.rules():
        rule.apply(tokens)
    return [tag for _, tag in tokens]


def brill(folder: Path, repeats: int) -> str:  # noqa: ARG001
    """Training and tagging, and whether the rules are the same."""
    root = data_folder() / "ud_en_ewt"
    train, test = (
        read_sequences(root / f"en_ewt-ud-{part}.conllu", format="conllu") for part in ("train", "test")
    )
    X, y = _lists(train)
    T, gold = _lists(test)
    tokens = sum(map(len, T))
    runs = {"linnet": lambda: BrillTagger(max_rules=RULES, n_jobs=1).fit(X, y)}
    fitted = interleaved(runs, repeats)["linnet"]
    tagger = fitted.result
    tagged = interleaved({"linnet": lambda: tagger.predict(T)}, repeats)["linnet"]
    theirs = nltk_side(X, y, T)
    same = [str(r.replacement_tag) for r in theirs["rules"]] == [
        text.split(" -> ")[1].split(" if ")[0] for text in tagger.rules_text_
    ]
    if not same or tagged.result != theirs["tag"].result:
        sys.exit("the rules, or the tags, are not those of NLTK")
    before = theirs["first"].score(T, gold)
    rows = [
        [
            side,
            f"{fit.cpu:.2f}",
            f"{tokens / tag.cpu:,.0f}",
            f"{100 * before:.2f} → {100 * tagger.score(T, gold):.2f}",
        ]
        for side, fit, tag in (("linnet", fitted, tagged), ("NLTK", theirs["fit"], theirs["tag"]))
    ]
    print(*rows, sep="\n")
    return table([f"{RULES} rules", "training, CPU s", "tokens a second", "accuracy"], rows)


def _lists(data: Any) -> tuple[list[list[str]], list[list[str]]]:
    from linnet.data.sequences import token_strings

    word = "form" if "form" in data.columns else "word"
    names = data.labels.names
    tags = [names[code] for code in data.labels.codes.tolist()]
    return data.by_sentence(token_strings(data.columns[word])), data.by_sentence(tags)


def memory(folder: Path, repeats: int) -> str:
    """Chunks by windows of two words and tags on either side, IB1 with MVDM."""
    root = data_folder() / "conll2000"
    train, test = (read_sequences(root / f"{part}.txt") for part in ("train", "test"))
    tagger = MemoryTagger(k=K, n_jobs=1)
    fitted = once(lambda: (tagger.fit(train), tagger.model_.memory))
    tagged = interleaved({"linnet": lambda: tagger.tag(test)}, repeats)["linnet"]
    score = column_counts(test.labels, tagged.result, test.offsets).f1
    rows = [
        ["linnet", f"{fitted.cpu:.1f}", f"{test.tokens / tagged.cpu:,.0f}", f"{100 * score:.2f}", "–"]
    ]
    if shutil.which("timbl"):
        for name, data in (("train", train), ("test", test)):
            _written(folder / name, tagger, data, None if name == "train" else TOKENS)
        labels, fit, rate = timbl(folder)
        ours = [tagged.result.names[code] for code in tagged.result.codes[:TOKENS].tolist()]
        other = sum(a != b for a, b in zip(ours, labels, strict=True))
        rows.append(["TiMBL", f"{fit:.1f}", f"{rate:,.0f}", "", f"{other} of {TOKENS:,}"])
    print(*rows, sep="\n")
    return table([f"k = {K}, MVDM", "reading, CPU s", "tokens a second", "F1", "other labels"], rows)


def _written(path: Path, tagger: MemoryTagger, data: Any, most: int | None) -> None:
    columns = [np.array([*c.names], object)[c.codes] for c in tagger.features_.of(data)]
    labels = np.array(data.labels.names, object)[data.labels.codes]
    rows = zip(*columns, labels, strict=True)
    kept = [" ".join(cell or "_" for cell in row) for row in rows][:most]
    path.write_text("\n".join(kept) + "\n", encoding="utf-8")


def timbl(folder: Path) -> tuple[list[str], float, float]:
    """Its labels, CPU seconds before the first answer, and answers for each of those after it."""
    base = ["timbl", "-f", "train", "-F", "Columns", "-k", str(K), "-m", "M", "-w", "gr", "-o", "out"]
    (folder / "one").write_text((folder / "test").read_text(encoding="utf-8").split("\n")[0] + "\n")
    seconds = []
    for test in ("one", "test"):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*base, "-t", test], cwd=folder, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    lines = (folder / "out").read_text(encoding="utf-8").splitlines()
    labels = [re.split(r"\s+", line)[11] for line in lines]
    return labels, seconds[0], (TOKENS - 1) / max(seconds[1] - seconds[0], 1e-9)


def _again(rounds: int, ask: Any) -> Any:
    for _ in range(rounds - 1):
        ask()
    return ask()


def texts(folder: Path, repeats: int) -> str:  # noqa: ARG001
    """The ten nearest texts by cosine; both sides are given the same rows."""
    from sklearn.neighbors import NearestNeighbors

    rows = []
    for name in ("titles-en", "trec_coarse", "banking77", "imdb"):
        root = data_folder() / name
        labels, kept = read(root / "train.tsv")
        gold, asked = read(root / "test.tsv")
        kept, labels, asked, gold = kept[:20000], labels[:20000], asked[:2000], gold[:2000]
        ours = TextNeighbors(k=10, n_jobs=1).fit(kept, labels)
        queries = ours.features_.rows(ours._read(asked, None)[0])
        peer = NearestNeighbors(n_neighbors=10, metric="cosine", algorithm="brute", n_jobs=1)
        peer.fit(ours.features_.transform(kept))
        theirs = ours.features_.transform(asked)
        ours.model_.nearest(queries)  # the index is made
        rounds = -(-QUERIES // len(asked))
        runs = {
            "linnet": partial(_again, rounds, partial(ours.model_.nearest, queries)),
            "scikit-learn": partial(_again, rounds, partial(peer.kneighbors, theirs)),
        }
        found = interleaved(runs, repeats)
        far = np.abs(1 - found["linnet"].result[1] - found["scikit-learn"].result[0]).max()
        if not far < 1e-5:
            sys.exit(f"{name}: distances differ by {far:.1e}")
        speeds = [rounds * len(asked) / found[side].cpu for side in runs]
        score = ours.score(asked, gold)
        rows.append(
            [
                name,
                f"{len(kept):,}",
                *(f"{s:,.0f}" for s in speeds),
                f"{speeds[0] / speeds[1]:.1f}",
                f"{100 * score:.1f}",
            ]
        )
        print(*rows[-1], flush=True)
    return table(
        ["corpus", "texts kept", "linnet, queries a second", "scikit-learn", "ratio", "accuracy"], rows
    )


if __name__ == "__main__":
    run_sections("rules", {"brill": brill, "memory": memory, "texts": texts}, __doc__ or "")
