"""The record of a training, for people: shown, as a table, as a figure."""

from __future__ import annotations

import sys

import pytest

import linnet
from linnet.training.record import Epoch, TrainingRecord

NOTES = [{"red": 1, "brown": 1}, {"tiny": 1}, {"red": 1}, {"tiny": 1, "brown": 1}]
BIRDS = ["linnet", "wren", "linnet", "wren"]


def test_it_is_shown_in_a_few_lines() -> None:
    record = linnet.LinearSVM().fit(NOTES, BIRDS).record_
    shown = repr(record)
    first, *others = shown.splitlines()
    assert first.startswith("TrainingRecord: hinge, dual, l2, binary; C 1, ")
    assert first.endswith(f"{record.n_iter} epochs, converged")
    assert "array(" not in shown
    count = len(record.facts["support_vectors"])
    assert f"  facts: support_vectors ({count} numbers)" in others
    assert any(line.startswith("  diagnostics: errors 0, R ") for line in others)
    assert len(shown.splitlines()) <= 5
    assert repr(Epoch(3, mistakes=2)) == "Epoch(epoch=3, mistakes=2)"


def test_columns_have_what_was_computed() -> None:
    record = linnet.Perceptron().fit(NOTES, BIRDS).record_
    columns = record.columns()
    assert columns["epoch"] == list(range(1, record.n_iter + 1))
    assert sum(columns["mistakes"]) == record.mistakes
    assert "gap" not in columns
    assert "label" not in columns
    frame = record.frame()
    assert frame["mistakes"].tolist() == columns["mistakes"]
    assert list(frame.columns) == list(columns)
    assert TrainingRecord("hinge", "", "", "", 0.0, 0.0).columns() == {}


def test_figures() -> None:
    record = linnet.LogisticRegression(learner="lbfgs").fit(NOTES, BIRDS).record_
    figure = record.plot()
    titles = [ax.get_title() for ax in figure.axes]
    assert titles[0] == "objective"
    line = figure.axes[0].get_lines()[0]
    assert line.get_ydata().tolist() == [epoch.objective for epoch in record.epochs]
    online = linnet.Perceptron(progressive=True).fit(NOTES, BIRDS).record_.plot()
    assert [ax.get_title() for ax in online.axes][-2:] == ["mistakes", "progressive validation"]
    each = (
        linnet.LinearSVM(multiclass="rest").fit([*NOTES, {"blue": 1}], [*BIRDS, "tit"]).record_.plot()
    )
    assert len(each.axes[0].get_lines()) >= 3  # a curve for each label
    with pytest.raises(ValueError, match="nothing to plot"):
        TrainingRecord("joint_likelihood", "", "", "", 0.0, 0.0).plot()


@pytest.mark.parametrize(("method", "package"), [("frame", "pandas"), ("plot", "matplotlib")])
def test_what_is_missing_is_named(method: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    record = linnet.Perceptron().fit(NOTES, BIRDS).record_
    with pytest.raises(ImportError, match=f"needs {package}: pip install {package}"):
        getattr(record, method)()
