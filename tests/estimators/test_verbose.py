"""``verbose=True`` speaks, terminal or not: every estimator that has it, and whatever it trains."""

import contextlib
import inspect
import io
from functools import partial

import numpy as np
import pytest

import linnet.estimators as estimators
from linnet import TextClassifier, formats
from linnet.data import samples
from linnet.training import progress

from .. import phrase_bank
from ..grid.cells import phrases, problem

TEXTS, BIRDS = (list(part[:90]) for part in samples.load("birds-train"))
WORDS, TAGS = (part[:40] for part in samples.load_tagged("sightings-train"))
RNG = np.random.default_rng(0)
ROWS = np.abs(RNG.normal(size=(60, 5)))
KINDS = (ROWS[:, 0] > 0.6).astype(int)
LISTS = [[[1.0, 0.0], [0.0, 1.0]] for _ in range(9)]

SPEAKING = [
    name
    for name in estimators.__all__
    if inspect.isclass(getattr(estimators, name))
    and "verbose" in inspect.signature(getattr(estimators, name)).parameters
]


@pytest.fixture(scope="module")
def trees(tmp_path_factory):
    from importlib.resources import files

    folder = files("linnet.data") / "samples"
    whole = (folder / "rambles-train.conllu").read_text(encoding="utf-8")
    path = tmp_path_factory.mktemp("trees") / "t.conllu"
    path.write_text("\n\n".join(whole.split("\n\n")[:20]) + "\n\n", encoding="utf-8")
    return formats.read_trees(path)


def heard(fit) -> str:
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        fit()
    return said.getvalue()


def learn(model, trees) -> None:
    if isinstance(model, TextClassifier):
        model.fit(TEXTS, BIRDS)
    elif type(model).__name__ == "Reranker":
        model.fit(LISTS, [0] * len(LISTS))
    elif model.task == "tag":
        model.fit(WORDS, TAGS)
    elif model.task == "parse":
        model.fit(trees)
    elif type(model).__name__ == "TextRegressor":
        model.fit(TEXTS, [float(len(text)) for text in TEXTS])
    elif type(model).__name__ == "GrammarParser":
        model.fit(phrases())
    elif model.task == "trees":
        model.set_params(tagger=None).fit(phrase_bank.trees(20))
    elif type(model).__name__ == "GraphModel":
        model.fit(*problem("graph"))
    else:
        model.fit(ROWS, KINDS)


@pytest.mark.parametrize("name", SPEAKING)
@pytest.mark.filterwarnings("ignore::linnet.errors.TrainingWarning")
def test_every_estimator_speaks_if_asked(name, trees) -> None:
    kind = getattr(estimators, name)
    if name == "JointClassifier":
        kind = partial(kind, lambda x, label: {f"{label} {k}": value for k, value in enumerate(x)})
    said = heard(lambda: learn(kind(verbose=True), trees)).splitlines()
    assert said
    assert all(line.startswith("training ") and "epoch" in line for line in said)
    for quiet in (None, False):
        assert heard(lambda q=quiet: learn(kind(verbose=q), trees)) == ""


def test_there_are_estimators_that_speak() -> None:
    assert {"LinearClassifier", "TextClassifier", "Tagger", "DependencyParser", "Reranker"} <= {
        *SPEAKING
    }


@pytest.mark.parametrize(
    "settings",
    [
        {"classifier": estimators.MaxEnt()},
        {"learner": "counting", "loss": "joint_likelihood"},
        {"learner": "arow", "penalty": "none"},
        {"features": estimators.TextClassifier().features, "loss": "logistic"},
    ],
    ids=["classifier", "counting", "arow", "logistic"],
)
def test_whatever_a_text_classifier_trains(settings) -> None:
    assert "epoch" in heard(lambda: TextClassifier(verbose=True, **settings).fit(TEXTS, BIRDS))


def test_several_labels_speak() -> None:
    sets = [[bird, "bird"] if i % 2 else [bird] for i, bird in enumerate(BIRDS)]
    assert "epoch" in heard(lambda: TextClassifier(verbose=True).fit(TEXTS, sets))


def test_without_a_terminal_there_is_a_line_a_minute(monkeypatch) -> None:
    now = iter(range(0, 1000, 10))
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(now))

    def shown() -> None:
        with progress.Progress("training x", True) as line:
            for number in range(1, 13):
                line.update(progress.Epoch(number))

    said = heard(shown).splitlines()
    assert said[0] == "training x  epoch 1"
    assert said[-1] == "training x  epoch 12"
    assert 2 < len(said) < 6
