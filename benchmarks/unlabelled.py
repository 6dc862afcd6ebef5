"""Texts without labels beside few that have one: what they add, and where plain EM takes away.

    LINNET_DATA=... python benchmarks/unlabelled.py [--repeats SEEDS] [--write]

So many texts of each label are drawn from the training file, all others of it are unlabelled, and
the test file is scored. 'auto' is the default: a switch decides. A gain is the mean over draws with its
standard error, and beside it stand the worst and the best draw: with few labels the draw decides more
than the method does. EM is naive Bayes with λ = 0.1, beside naive Bayes on the labels alone.
"""

from __future__ import annotations

from pathlib import Path

import one_thread  # noqa: F401

import numpy as np  # isort: skip
from corpora import data_folder, read
from measure import once, run_sections, table

from linnet import NaiveBayes, TextClassifier

CORPORA = ("titles-en", "banking77", "imdb", "trec_coarse")
LABELLED = (5, 20, 100)


def drawn(labels: list[str], per_label: int, seed: int) -> np.ndarray:
    """Places of so many texts of each label, or all that it has."""
    order = np.random.default_rng(seed).permutation(len(labels))
    codes = np.unique(labels, return_inverse=True)[1][order]
    return np.sort(np.concatenate([order[codes == k][:per_label] for k in range(codes.max() + 1)]))


def cell(name: str, per_label: int, seed: int) -> dict[str, float]:
    """Accuracies on the test file, the time of the default, and whether it used the texts."""
    folder = data_folder() / name
    labels, texts = read(folder / "train.tsv")
    gold, test = read(folder / "test.tsv")
    places = drawn(labels, per_label, seed)
    known = set(places.tolist())
    given, marks = [texts[i] for i in places], [labels[i] for i in places]
    others = [text for i, text in enumerate(texts) if i not in known]

    def score(model: TextClassifier) -> float:
        return 100 * model.score(test, gold)

    timed = once(lambda: TextClassifier(n_jobs=1).fit(given, marks, unlabeled=others))
    return {
        "labels": score(TextClassifier(n_jobs=1).fit(given, marks)),
        "auto": score(timed.result),
        "used": float("not used" not in timed.result.why_[-1]),
        "seconds": timed.cpu,
        "nb": score(TextClassifier(classifier=NaiveBayes(smoothing=0.1), n_jobs=1).fit(given, marks)),
        "em": score(
            TextClassifier(unlabeled_method="em", n_jobs=1).fit(given, marks, unlabeled=others)
        ),
    }


def few_labels(_folder: Path, seeds: int) -> str:
    """A row for each corpus and number of labels, over seeds."""
    rows, means = [], {}
    for name in CORPORA:
        for per_label in LABELLED:
            cells = [cell(name, per_label, seed) for seed in range(seeds)]
            mean = {key: float(np.mean([one[key] for one in cells])) for key in cells[0]}
            gains = np.array([one["auto"] - one["labels"] for one in cells])
            error = gains.std(ddof=1) / np.sqrt(seeds) if seeds > 1 else np.nan
            means[name, per_label] = gains.mean()
            rows.append(
                [
                    f"{name}, {per_label} a label",
                    f"{mean['labels']:.1f}",
                    f"{mean['auto']:.1f}",
                    f"{gains.mean():+.1f} ± {error:.1f}",
                    f"{gains.min():+.1f} to {gains.max():+.1f}",
                    f"{sum(one['used'] for one in cells):.0f} of {seeds}",
                    f"{mean['nb']:.1f}",
                    f"{mean['em']:.1f} ({mean['em'] - mean['nb']:+.1f})",
                    f"{mean['seconds']:.1f} s",
                ]
            )
            print(" | ".join(rows[-1]), flush=True)
    few = [gain for (_, per_label), gain in means.items() if per_label < 100]
    header = ["labelled", "labels alone", "auto", "gain", "of one draw", "used"]
    header += ["naive Bayes", "EM", "fit (auto), CPU"]
    return table(header, rows) + (
        f"\n\nWith 5 and 20 labels the default gains 3 points or more in {sum(g >= 3 for g in few)} of "
        f"{len(few)} cells; its least mean gain anywhere is {min(means.values()):+.1f} points."
    )


if __name__ == "__main__":
    run_sections("unlabelled", {"few": few_labels}, __doc__ or "")
