"""A factorial CRF on CoNLL-2000: parts of speech and chunks decided together, beside the pipeline.

    LINNET_DATA=... python benchmarks/factorial.py [--only SECTION] [--write]

Both by averaged perceptrons over the same features, five passes over the training file, scored on the
test file. The pipeline tags, then chunks with the tags it found; its
chunker has learnt from gold tags, or from tags that were predicted in five folds.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from corpora import data_folder
from measure import once, run_sections, table

from linnet import FactorGraph, GraphModel

TRAIN, TEST, FOLDS, EPOCHS = 8936, 2012, 5, 5
Sentence = list[tuple[str, str, str]]  # word, part of speech, chunk


def sentences(name: str, count: int) -> list[Sentence]:
    """The first ones of a file."""
    text = (data_folder() / "conll2000" / name).read_text(encoding="utf-8")
    blocks = [block for block in text.split("\n\n") if block.strip()][:count]
    return [[tuple(line.split()[:3]) for line in block.splitlines()] for block in blocks]


def features(words: list[str], t: int) -> list[str]:
    """Of a word and its neighbours."""
    w = words[t]
    before, after = (words[k].lower() if 0 <= k < len(words) else "" for k in (t - 1, t + 1))
    shape = f"{w[0].isupper()}{w[0].isdigit()}{'-' in w}"
    ends = [f"end{n}={w[-n:].lower()}" for n in (1, 2, 3)]
    return [f"w={w.lower()}", f"-1={before}", f"+1={after}", f"shape={shape}", *ends]


def rows(sentence: Sentence) -> list[list[str]]:
    """Features of all words."""
    words = [w for w, _, _ in sentence]
    return [features(words, t) for t in range(len(words))]


def chain(sentence: Sentence, values: list[str], extra: list[str] | None = None) -> FactorGraph:
    """One layer; ``extra`` is the tag of each word, for the second step of the pipeline."""
    n = len(sentence)
    graph = FactorGraph().add_variables(n, values)
    seen = rows(sentence)
    if extra is not None:
        tags = ["", *extra, ""]
        for t, row in enumerate(seen):
            row += [f"t={tags[t + 1]}", f"t-1={tags[t]}", f"t+1={tags[t + 2]}"]
    graph.add_factors(np.arange(n)[:, None], template="token", features=seen)
    if n > 1:
        graph.add_factors(np.stack([np.arange(n - 1), np.arange(1, n)], 1), template="pair")
    return graph


def both(sentence: Sentence, upos: list[str], chunks: list[str]) -> FactorGraph:
    """Two layers, joined word by word."""
    n = len(sentence)
    graph = FactorGraph().add_variables([("pos", t) for t in range(n)], upos)
    graph.add_variables([("chunk", t) for t in range(n)], chunks)
    at, seen = np.arange(n), rows(sentence)
    graph.add_factors(at[:, None], template="pos", features=seen)
    graph.add_factors(at[:, None] + n, template="chunk", features=seen)
    graph.add_factors(np.stack([at, at + n], 1), template="both")
    if n > 1:
        pairs = np.stack([at[:-1], at[1:]], 1)
        graph.add_factors(pairs, template="pos pair")
        graph.add_factors(pairs + n, template="chunk pair")
    return graph


def model() -> GraphModel:
    """Both sides learn alike."""
    return GraphModel("perceptron", "perceptron", "none", average=True, max_iter=EPOCHS)


def gold(data: list[Sentence], column: int) -> list[dict[int, str]]:
    """Values of one layer."""
    return [dict(enumerate(token[column] for token in sentence)) for sentence in data]


def tagged(tagger: GraphModel, data: list[Sentence], values: list[str]) -> list[list[str]]:
    """Tags found."""
    found = tagger.predict([chain(s, values) for s in data])
    return [[one[t] for t in range(len(one))] for one in found]


def accuracy(found: list[list[str]], data: list[Sentence], column: int) -> float:
    """In percent of words."""
    pairs = [
        (a, token[column])
        for row, s in zip(found, data, strict=True)
        for a, token in zip(row, s, strict=True)
    ]
    return 100 * float(np.mean([a == b for a, b in pairs]))


def jointly(_folder: Path, _repeats: int) -> str:
    """The graph and the two pipelines."""
    train, test = sentences("train.txt", TRAIN), sentences("test.txt", TEST)
    upos, chunks = (sorted({token[k] for s in train for token in s}) for k in (1, 2))
    table_rows = []

    def pipeline(folds: bool) -> tuple[list[list[str]], list[list[str]]]:
        tagger = model().fit([chain(s, upos) for s in train], gold(train, 1))
        seen = [[token[1] for token in s] for s in train]
        if folds:
            for k in range(FOLDS):
                rest = [s for i, s in enumerate(train) if i % FOLDS != k]
                part = model().fit([chain(s, upos) for s in rest], gold(rest, 1))
                seen[k::FOLDS] = tagged(part, train[k::FOLDS], upos)
        chunker = model()
        chunker.fit([chain(s, chunks, t) for s, t in zip(train, seen, strict=True)], gold(train, 2))
        tags = tagged(tagger, test, upos)
        found = chunker.predict([chain(s, chunks, t) for s, t in zip(test, tags, strict=True)])
        return tags, [[one[t] for t in range(len(one))] for one in found]

    def graph() -> tuple[list[list[str]], list[list[str]]]:
        y = [
            {("pos", t): token[1] for t, token in enumerate(s)}
            | {("chunk", t): token[2] for t, token in enumerate(s)}
            for s in train
        ]
        joint = model().fit([both(s, upos, chunks) for s in train], y)
        found = joint.predict([both(s, upos, chunks) for s in test])
        layers = [
            [[one[layer, t] for t in range(len(s))] for one, s in zip(found, test, strict=True)]
            for layer in ("pos", "chunk")
        ]
        return layers[0], layers[1]

    sides = {
        "pipeline, gold tags": lambda: pipeline(False),
        "pipeline, tags of folds": lambda: pipeline(True),
        "factorial graph": graph,
    }
    for name, run in sides.items():
        timing = once(run)
        tags, spans = timing.result
        figures = [accuracy(tags, test, 1), accuracy(spans, test, 2)]
        table_rows.append([name, *(f"{x:.2f}" for x in figures), f"{timing.cpu:.0f}"])
        print(" | ".join(table_rows[-1]), flush=True)
    return table(["", "parts of speech, %", "chunk tags, %", "CPU s"], table_rows)


if __name__ == "__main__":
    run_sections("factorial", {"jointly": jointly}, __doc__)
