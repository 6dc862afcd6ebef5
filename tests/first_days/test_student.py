"""The first day of a student: a perceptron worked by hand, a look inside, curves, a grid, a bound."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score

import linnet
from linnet.data import samples

from ..commands import command

# The exercise: four birds, a perceptron that starts at zero and goes through them in order.
BIRDS = [
    ("linnet", {"red": 1, "small": 1}),
    ("wren", {"small": 1, "cocked": 1}),
    ("linnet", {"red": 1}),
    ("wren", {"cocked": 1}),
]
X = [features for _, features in BIRDS]
Y = [bird for bird, _ in BIRDS]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("student")
    for name in ("verse-train", "verse-test"):
        rows = zip(*samples.load(name), strict=True)
        text = "".join(f"{label}\t{text}\n" for text, label in rows)
        (made / f"{name}.tsv").write_text(text, encoding="utf-8")
    lines = [f"{1 if bird == 'wren' else -1} |f {' '.join(features)}\n" for bird, features in BIRDS]
    (made / "birds.vw").write_text("".join(lines), encoding="utf-8")
    return made


def on_paper() -> tuple[dict[str, float], int, list[bool]]:
    """W += y x after each mistake, y = +1 for a wren; a tie goes to the first label, the linnet."""
    w: dict[str, float] = {}
    mistakes, first_pass = 0, []
    for epoch in range(10):
        wrong = 0
        for bird, features in BIRDS:
            score = sum(w.get(name, 0.0) * value for name, value in features.items())
            y = 1 if bird == "wren" else -1
            mistaken = (1 if score > 0 else -1) != y
            if epoch == 0:
                first_pass.append(mistaken)
            if mistaken:
                wrong += 1
                for name, value in features.items():
                    w[name] = w.get(name, 0.0) + y * value
        mistakes += wrong
        if not wrong:
            break
    return w, mistakes, first_pass


def perceptron(**settings: object) -> linnet.Perceptron:
    """As on paper: no averaging, no constant feature, in order."""
    plain = {"average": False, "fit_intercept": False, "shuffle": False}
    return linnet.Perceptron(**plain | settings)


def test_the_exercise_comes_out_as_on_paper() -> None:
    w, mistakes, first_pass = on_paper()
    model = perceptron(progressive=True).fit(X, Y)
    names = model.get_feature_names_out()
    found = dict(zip(names.tolist(), model.coef_[0].tolist(), strict=True))
    assert found == {name: w.get(name, 0.0) for name in found}
    assert model.record_.mistakes == mistakes
    assert model.record_.columns()["mistakes"][0] == sum(first_pass)
    shares = model.record_.facts["progressive"]
    assert shares["examples"] == [1, 2, 4]
    assert shares["errors"] == [float(np.mean(first_pass[:n])) for n in (1, 2, 4)]
    assert shares["label"] == ["linnet", "wren", "wren"]


def test_a_look_inside() -> None:
    model = perceptron().fit(X, Y)
    shown = str(model.inspect())
    assert shown.splitlines()[0] == "linnet"
    assert "cocked" in shown.partition("wren\n")[2]
    record = repr(model.record_)
    assert record.startswith("TrainingRecord: hinge, perceptron, none, binary; ")
    assert "converged" in record
    assert "array(" not in record


def test_the_bound_of_the_lecture_holds() -> None:
    """Novikoff: no more than (R / γ)² mistakes, γ the margin of the best separator."""
    best = linnet.LinearSVM(C=np.inf, fit_intercept=False).fit(X, Y).record_.diagnostics
    assert best["separates"]
    R = max(np.sqrt(len(features)) for features in X)
    assert best["R"] == pytest.approx(R)
    mistakes = perceptron().fit(X, Y).record_.mistakes
    assert mistakes <= (R / best["geometric_margin"]) ** 2 * (1 + 1e-6)
    assert best["mistake_bound"] == pytest.approx((R / best["geometric_margin"]) ** 2, rel=1e-3)
    clash = linnet.LinearSVM(fit_intercept=False).fit([*X, X[0]], [*Y, "wren"]).record_.diagnostics
    assert clash["mistake_bound"] is None  # nothing separates one bird from itself


def test_curves_for_the_report(tmp_path: Path) -> None:
    texts, labels = samples.load("verse-train")
    record = linnet.TextClassifier(learner="perceptron", max_iter=5).fit(texts, labels).record_
    frame = record.frame()
    assert frame["epoch"].tolist() == list(range(1, record.n_iter + 1))
    assert frame["mistakes"].iloc[0] > frame["mistakes"].iloc[-1]
    record.plot().savefig(tmp_path / "curves.png")
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")


def test_a_grid_search_as_in_the_course() -> None:
    texts, labels = samples.load("verse-train")
    grid = {"features__word": [(1, 1), (1, 2)], "C": [0.01, 1.0]}
    search = GridSearchCV(linnet.TextClassifier(), grid, cv=3, error_score="raise")
    search.fit(texts[:200], labels[:200])
    assert set(search.best_params_) == set(grid)
    assert search.best_score_ > 0.8
    rows = [text.lower().split() for text in texts[:200]]
    assert cross_val_score(linnet.Perceptron(), rows, labels[:200], cv=3).mean() > 0.7


def test_the_same_from_the_command_line(folder: Path) -> None:
    train, model = folder / "verse-train.tsv", folder / "verse.linnet"
    code, printed, told = command(
        "train", train, "-o", model, "--learner", "perceptron", "--progressive"
    )
    assert (code, printed) == (0, "")
    heading, first, second, *_ = told.splitlines()
    assert heading.split() == ["loss", "since", "last", "errors", "example", "label,", "predicted"]
    assert first.split()[3] == "1"
    assert second.split()[3] == "2"
    assert "600 examples, 2 labels" in told
    again = folder / "again.linnet"
    assert (
        command("train", train, "-o", again, "--learner", "perceptron", "--progressive", "-q")[0] == 0
    )
    assert again.read_bytes() == model.read_bytes()

    code, printed, _ = command("inspect", model, "--top", 3)
    assert code == 0
    assert f"Linnet {linnet.__version__}" in printed
    assert "\npoem " in printed
    assert "\nweather " in printed

    told = json.loads(command("evaluate", model, folder / "verse-test.tsv", "--json")[1])
    texts, labels = samples.load("verse-test")
    found = linnet.load(str(model))
    assert told["metrics"]["accuracy"] == pytest.approx(found.score(texts, labels))
    assert told["metrics"]["accuracy"] > 0.8


def test_a_mistake_is_told_in_a_sentence(folder: Path) -> None:
    code, printed, told = command(
        "train", folder / "verse-train.tsv", "-o", folder / "no.linnet", "--progressive"
    )
    assert (code, printed) == (2, "")
    assert told.startswith("Error: ") or "Error: " in told
    assert "step from example to example; dual does not: use 'sgd', 'perceptron', 'pa'" in told
    assert not (folder / "no.linnet").exists()
    with pytest.raises(ValueError, match="Invalid parameter 'words'"):
        linnet.TextClassifier().set_params(features__words=(1, 1))
