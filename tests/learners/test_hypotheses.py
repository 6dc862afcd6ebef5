"""From online to batch: what votes, what survives, and what the survivor promises."""

import numpy as np
import pytest

import linnet
from linnet.errors import RefusedError
from linnet.learners.survival import survival_error, survival_needed

from .. import problems

LEARNERS = [
    ("perceptron", "perceptron"),
    ("perceptron", "winnow"),
    ("hinge", "pa"),
    ("hinge", "mira"),
    ("hinge", "arow"),
    ("hinge", "perceptron"),
    ("logistic", "sgd"),
    ("logistic", "adagrad"),
]


def data(labels: int) -> tuple[np.ndarray, np.ndarray]:
    X, y = problems.disjunction() if labels == 2 else problems.topics()
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=float), np.asarray(y)


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize(("loss", "learner"), LEARNERS)
@pytest.mark.parametrize("average", ["voted", "survivor"])
@pytest.mark.filterwarnings("ignore::linnet.errors.TrainingWarning")  # of separable data
def test_every_online_learner(loss: str, learner: str, labels: int, average: str) -> None:
    X, y = data(labels)
    model = linnet.LinearClassifier(loss, learner, "none", average=average, max_iter=3).fit(X, y)
    assert model.score(X, y) > 0.6
    assert model.record_.mistakes == sum(epoch.updates for epoch in model.record_.epochs)


def naive(X: np.ndarray, y: np.ndarray, passes: int) -> list[tuple[np.ndarray, int]]:
    """The perceptron's hypotheses and how many examples each survived."""
    Z, sign = np.hstack([np.ones((len(X), 1)), X]), np.where(y > 0, 1, -1)
    found, w, survived = [], np.zeros(Z.shape[1]), 0
    for _ in range(passes):
        for z, s in zip(Z, sign, strict=True):
            if (w @ z > 0) == (s > 0):
                survived += 1
                continue
            found.append((w.copy(), survived))
            w, survived = w + s * z, 0
    return [*found, (w, survived)]


def test_the_survivor_of_the_perceptron() -> None:
    X, y = data(2)
    codes = np.searchsorted(np.unique(y), y)
    settings = {"average": "survivor", "shuffle": False, "diagnostics": False}
    model = linnet.LinearClassifier("perceptron", "perceptron", "none", **settings).fit(X, y)
    hypotheses = naive(X, codes, 1)
    survived = [s for _, s in hypotheses]
    best = int(np.argmax(survived))
    assert model.intercept_[0] == pytest.approx(hypotheses[best][0][0])
    assert model.coef_[0] == pytest.approx(hypotheses[best][0][1:])
    told = model.record_.facts["survivor"]
    assert (told["survived"], told["number"]) == (survived[best], best + 1)
    assert told["hypotheses"] == len(hypotheses) == model.record_.mistakes + 1
    share = (best + 1) * (best + 2)
    assert told["epsilon"] == pytest.approx(min(1, np.log(share / 0.05) / survived[best]))


def test_no_bound_from_examples_that_were_learnt_from() -> None:
    X, y = data(2)
    model = linnet.LinearClassifier(
        "perceptron", "perceptron", "none", average="survivor", max_iter=5
    ).fit(X, y)
    assert model.record_.facts["survivor"]["epsilon"] is None


@pytest.mark.parametrize("labels", [2, 3])
def test_votes_of_the_perceptron_are_those_of_the_voted_one(labels: int) -> None:
    X, y = data(labels)
    settings = {"max_iter": 4, "shuffle": True, "random_state": 3}
    kept = linnet.LinearClassifier("perceptron", "perceptron", "none", average="voted", **settings)
    peer = linnet.VotedPerceptron(**settings).fit(X, y)
    assert kept.fit(X, y)._scores(X) == pytest.approx(peer._scores(X))


def test_votes_by_hand_of_a_rule_that_multiplies() -> None:
    """Balanced Winnow: each hypothesis as it was, replayed in plain Python."""
    X, y = data(2)
    X = X * np.random.default_rng(0).uniform(0.5, 1.5, X.shape)  # no ties that rounding would break
    X = X.astype(np.float32).astype(np.float64)
    sign = np.where(np.searchsorted(np.unique(y), y) > 0, 1, -1)
    up, down = np.ones(X.shape[1]), np.ones(X.shape[1])
    votes, survived = np.zeros(len(X)), 0
    for z, s in zip(X, sign, strict=True):
        w = up - down
        if (w @ z > 0) == (s > 0):
            survived += 1
            continue
        votes += survived * np.where(X @ w > 0, 1, -1)
        raised, lowered = 1.37**z, 1.61**-z
        up, down = (up * raised, down * lowered) if s > 0 else (up * lowered, down * raised)
        survived = 1  # it survives what it has learnt from, as Freund and Schapire count
    votes += survived * np.where(X @ (up - down) > 0, 1, -1)
    learner = linnet.learners.Winnow("balanced", 1.37, 1.61)
    model = linnet.LinearClassifier(
        "perceptron", learner, "none", average="voted", max_iter=1, shuffle=False, fit_intercept=False
    ).fit(X, y)
    assert model.decision_function(X) == pytest.approx(votes / len(X), abs=1e-6)


def test_the_survivor_keeps_its_promise() -> None:
    """Of many runs on a known distribution at most a share of δ errs more than the record says."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=6)
    fresh = rng.normal(size=(4000, 6))
    gold = fresh @ truth > 0
    broken, bounds, runs = 0, [], 200
    for _ in range(runs):
        X = rng.normal(size=(400, 6))
        y = X @ truth > 0
        if y.all() or not y.any():
            continue
        model = linnet.LinearClassifier(
            "perceptron", "perceptron", "none", average="survivor", fit_intercept=False,
            diagnostics=False, shuffle=False,
        ).fit(X, y)  # fmt: skip
        epsilon = model.record_.facts["survivor"]["epsilon"]
        broken += (model.predict(fresh) != gold).mean() > epsilon + 0.02  # noise of 4000 examples
        bounds.append(epsilon)
    assert broken <= 0.05 * runs
    assert np.median(bounds) < 0.5  # and it says something


def test_the_rule() -> None:
    """(1/ε) ln((M + 1)/δ): coins that fall on one side with a probability above ε seldom survive."""
    needed = survival_needed(0.1, 0.05, 101)
    assert needed == int(np.ceil(10 * np.log(101 / 0.05)))
    assert survival_error(needed, 0.05, 101) <= 0.1
    rng = np.random.default_rng(0)
    lived = (rng.geometric(0.1, size=(2000, 101)) > needed).any(axis=1)
    assert lived.mean() <= 0.05
    with pytest.raises(ValueError, match="between 0 and 1"):
        survival_needed(0, 0.05, 3)


def test_saved_and_loaded(tmp_path) -> None:
    X, y = data(3)
    for average in ("voted", "survivor"):
        model = linnet.LinearClassifier("hinge", "pa", "none", average=average, max_iter=2).fit(X, y)
        model.save(tmp_path / "m.linnet")
        loaded = linnet.load(tmp_path / "m.linnet")
        assert (loaded._scores(X) == model._scores(X)).all()
        assert loaded.record_.facts == model.record_.facts


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"learner": "lbfgs", "loss": "logistic"}, "has no hypotheses to go back to"),
        ({"learner": "sgd", "loss": "hinge", "penalty": "l2"}, "changes all hypotheses"),
        ({"learner": "voted", "loss": "perceptron"}, "has no hypotheses to go back to"),
        ({"learner": linnet.learners.SGD(batch_size=4), "loss": "hinge"}, "use batch_size=1"),
    ],
)
def test_refusals(settings: dict[str, object], why: str) -> None:
    X, y = data(2)
    given = {"penalty": "none", "average": "survivor"} | settings
    with pytest.raises(RefusedError, match=why):
        linnet.LinearClassifier(**given).fit(X, y)


def test_other_words_are_refused() -> None:
    X, y = data(2)
    with pytest.raises(ValueError, match="average must be True, False, 'voted' or 'survivor'"):
        linnet.Perceptron(average="median").fit(X, y)
    with pytest.raises(RefusedError, match="does not start from zero"):
        linnet.Winnow("positive", average="voted").fit(X, y)
    assert linnet.Winnow("positive", average="survivor").fit(X, y).score(X, y) > 0.6
    with pytest.raises(AttributeError, match="looks back on one training"):
        linnet.Perceptron(average="survivor").partial_fit(X, y)
