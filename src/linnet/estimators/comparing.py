"""The familiar learners on the user's own data, each tuned a little: which of them is best here?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from linnet.data import Sequences, Trees
from linnet.data.brackets import Brackets
from linnet.evaluation import Compared, Contender, Judge, against_the_best
from linnet.evaluation import compare as train_all
from linnet.evaluation.splits import Split

# Where the contest over data of a kind is made up; what is none of these is texts.
CONTESTS: Mapping[type, tuple[str, str]] = {
    Sequences: ("linnet.estimators.tagging.contenders", "tag_contest"),
    Trees: ("linnet.estimators.parsing.contenders", "tree_contest"),
    Brackets: ("linnet.estimators.phrases.contenders", "bracket_contest"),
}
OF_TEXTS = ("linnet.estimators.text.contenders", "label_contest")
OF_TASKS = {
    "regress": ("linnet.estimators.text.number_contenders", "number_contest"),
    "symbols": ("linnet.estimators.lists.contenders", "symbol_contest"),
}


@dataclass(frozen=True)
class Contest:
    """Who takes part, what they learn from, and what they are scored on."""

    contenders: Mapping[str, Contender]
    train: Mapping[str, Any]  # in one form per kind of features
    y: Sequence[Any] | None
    test: Mapping[str, Any]
    y_test: Sequence[Any] | None
    splits: Sequence[Split]  # of the training data, to choose parameters by
    judge: Judge
    metric: str  # to choose by
    metrics: tuple[str, ...]  # to be told
    sizes: tuple[int, int]  # of training and test data
    units: int  # of the test data: texts, tokens or words
    about: str  # what they learn from
    left_out: frozenset[str] = frozenset()  # who cannot learn from these data
    notes: tuple[str, ...] = ()

    def unasked(self) -> list[str]:
        """Who takes part only if it is named, or everyone is asked for."""
        return [name for name, contender in self.contenders.items() if not contender.usual]

    def rows(self, names: Sequence[str] = (), everyone: bool = False) -> Iterator[Compared]:
        """One for each contender, or for those that are named, as they come.

        Slow ones take part if they are named, or if ``everyone`` does.
        """
        unknown = [name for name in names if name not in {*self.contenders, *self.left_out}]
        if unknown:
            known = "; ".join(self.contenders)
            raise ValueError(f"no model is called {unknown[0]!r}; there are {known}")
        asked = [self.contenders[n] for n in names or self.contenders if n in self.contenders]
        yield from train_all(
            [c for c in asked if names or everyone or c.usual],
            self.train,
            self.y,
            self.test,
            self.y_test,
            self.splits,
            self.metric,
            judge=self.judge,
            metrics=self.metrics,
            units=self.units,
        )


def contest(
    X: Any,
    y: Any = None,
    *,
    test: Any = None,
    held_out: float = 0.2,
    task: str | None = None,
    metric: str | None = None,
    features: Any = None,
    seed: int = 0,
    threads: int = 1,
    unlabeled: Any = None,
    **settings: Any,
) -> Contest:
    """What `compare` compares; taggers of `Sequences`, parsers of `Trees`, else classifiers."""
    if task not in (None, *OF_TASKS):
        raise ValueError(
            f"task must be None, which goes by the data, or {' or '.join(map(repr, OF_TASKS))}, not "
            f"{task!r:.60}"
        )
    given = {"held_out": held_out, "metric": metric, "features": features, "seed": seed}
    given |= {"threads": threads} | settings
    known = next((where for kind, where in CONTESTS.items() if isinstance(X, kind)), None)
    if task is not None and known is not None:
        raise ValueError(f"task={task!r} is for texts and rows, and X is {type(X).__name__}")
    if unlabeled is not None:
        if task is not None or known not in (None, CONTESTS[Sequences]):
            raise ValueError(
                "unlabeled are texts beside texts that have labels, or sentences beside sentences that "
                "have tags; leave it out"
            )
        given["unlabeled"] = unlabeled
    room, name = known or (OF_TEXTS if task is None else OF_TASKS[task])
    made: Contest = getattr(import_module(room), name)(X, y, test, **given)
    return made


def compare(
    X: Any, y: Any = None, *, models: Sequence[str] = (), everyone: bool = False, **settings: Any
) -> list[Compared]:
    """Train the familiar learners on your data and score them on data that they have not seen.

    X and y are texts and labels, or `Examples`; `Sequences` with tags; or `Trees`. The parameter of
    each learner is chosen on a fifth of the training data. It is scored on ``test``, which is as X, or
    on a share of X that is ``held_out``. ``p`` of a row is the chance that the lead of the best one is
    luck (a paired bootstrap). ``models`` names those to compare; ``everyone`` adds those that are slow,
    such as kernel machines. ``unlabeled`` are texts without labels, or sentences without tags: those
    who learn from them take part, too. With ``task="regress"`` y are numbers, and regressors compete;
    with ``task="symbols"`` X are rows of symbols, and memories, lists and rules do.
    ``metric``, ``features``, ``seed`` and ``threads`` are as of ``linnet compare``.
    """
    found = contest(X, y, **settings)
    return against_the_best(found.rows(models, everyone), found.metric, int(settings.get("seed", 0)))
