"""A small program with types, as `mypy --strict` reads it: the package brings its types along."""

import tempfile
from pathlib import Path

import linnet
from linnet import LinearSVM, Tagger, TextClassifier, TextFeatures, TokenFeatures
from linnet.data import samples
from linnet.evaluation import report


def train(texts: list[str], labels: list[str], path: Path) -> float:
    """A classifier of texts, saved and loaded."""
    model: TextClassifier = TextClassifier(TextFeatures(word=(1, 1)), C=1.0).fit(texts, labels)
    model.save(path)
    loaded = linnet.load(str(path))
    told = report(labels, loaded.predict(texts).tolist())
    print(model.inspect(3))
    return float(told["metrics"]["accuracy"])


def numbers(rows: list[dict[str, float]], labels: list[str]) -> float:
    """A classifier of named numbers."""
    svm: LinearSVM = LinearSVM(C=2.0).fit(rows, labels)
    return svm.score(rows, labels)


def tags() -> list[list[str]]:
    """A tagger of two sentences."""
    tagger = Tagger(TokenFeatures(templates=["word"]), learner=linnet.learners.Perceptron())
    words = [["a", "linnet", "sings"], ["the", "owl", "hoots"]]
    found: list[list[str]] = tagger.fit(words, [["D", "N", "V"]] * 2).predict(words)
    return found


with tempfile.TemporaryDirectory() as folder:
    print(train(*samples.load("verse-train"), Path(folder) / "verse.linnet"))
print(numbers([{"red": 1.0}, {"tiny": 1.0}], ["linnet", "wren"]), tags())
