"""Any number of threads, the same bits."""

from typing import Any

import pytest

import linnet

from .. import problems

# twelve passes are not enough for every learner
pytestmark = pytest.mark.filterwarnings("ignore::linnet.errors.TrainingWarning")

X, Y = problems.topics(n=3000, noise=0.3)


@pytest.mark.parametrize(
    ("loss", "learner", "penalty"),
    [
        ("logistic", "lbfgs", "l2"),
        ("logistic", "newton", "l2"),
        ("logistic", "cg", "l2"),
        ("logistic", "gradient", "l2"),
        ("logistic", "gis", "l2"),
        ("softmax_margin", "owlqn", "l1"),
        ("squared_hinge", "newton", "l2"),  # one against the rest
        ("hinge", "dual", "l2"),
        ("logistic", "sgd", "l2"),
    ],
)
@pytest.mark.parametrize("labels", [Y, Y % 2], ids=["four", "two"])
def test_same_weights(labels: Any, loss: str, learner: str, penalty: str) -> None:
    one, *others = (
        linnet.LinearClassifier(loss, learner, penalty, n_jobs=n, max_iter=12, diagnostics=False)
        for n in (1, 2, 3)
    )
    one.fit(X, labels)
    for other in others:
        other.fit(X, labels)
        assert other.model_.weights.tobytes() == one.model_.weights.tobytes()
        assert other.record_.objective == one.record_.objective


def test_same_scores() -> None:
    model = linnet.LogisticRegression().fit(X, Y)
    scores = [model.set_params(n_jobs=n).decision_function(X) for n in (1, 2, 3, -1, None)]
    for other in scores[1:]:
        assert other.tobytes() == scores[0].tobytes()
