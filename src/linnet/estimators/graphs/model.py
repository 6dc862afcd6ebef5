"""A model of factor graphs: any loss and any learner over templates that share weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from linnet._params import is_whole, number, whole
from linnet.errors import DataError, RefusedError
from linnet.estimators.base import Estimator, unchanged_on_failure
from linnet.estimators.graphs.hidden import start
from linnet.estimators.graphs.packing import Case, Templates, cases_of, check_told, codes_of
from linnet.estimators.grid_settings import GridSettings
from linnet.graphs import Answers, FactorGraph
from linnet.graphs.graph import as_reals
from linnet.learners.base import Learner
from linnet.structures import Cell, Graph, Loopy, LoopyGraph, Problem
from linnet.training import Stopping, grid, train

Reals = NDArray[np.float64]
Assignment = dict[Any, Any]


class GraphModel(GridSettings, Estimator):
    """Scores the values of a graph's variables by w · Σ φ_p(x, y_p), factor by factor.

    X is a list of `FactorGraph` whose factors have templates, or of pairs of a graph and a mapping: the
    values that are given and never asked for. y is a list of mappings of variables to values; variables
    that are not there (or None) are missing, and are summed out. All factors of a template share
    weights: a table for each of their features, and one for the constant feature.

    ``inference`` is 'exact', by junction trees, or 'loopy', by belief propagation: an approximation,
    which learners that certify their result refuse. ``schedule``, ``damping`` and ``max_rounds`` are
    its own. With loss 'joint_likelihood' conditional templates are tables of probabilities: counted,
    or by EM where values are missing; then penalty='none'.
    """

    task: ClassVar[str] = "graph"
    n_jobs = None
    fit_intercept = True
    intercept_scaling = 1.0
    penalize_intercept = True
    warm_start = False

    def __init__(
        self,
        loss: str = "logistic",
        learner: str | Learner = "auto",
        penalty: str = "l2",
        *,
        C: float = 1.0,
        alpha: float | None = None,
        l1_ratio: float = 0.5,
        margin: float = 1.0,
        average: bool = False,
        max_iter: int | None = None,
        tol: float = 1e-4,
        inference: str = "exact",
        schedule: str = "sequential",
        damping: float = 0.0,
        max_rounds: int = 50,
        max_entries: float | None = None,
        shuffle: bool = True,
        random_state: Any = 0,
        verbose: bool | None = None,
    ) -> None:
        self.loss = loss
        self.learner = learner
        self.penalty = penalty
        self.C = C
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.margin = margin
        self.average = average
        self.max_iter = max_iter
        self.tol = tol
        self.inference = inference
        self.schedule = schedule
        self.damping = damping
        self.max_rounds = max_rounds
        self.max_entries = max_entries
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose

    # Learning

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train on graphs and the values of their variables."""
        with unchanged_on_failure(self):
            loopy = self._loopy()
            cases = cases_of(X)
            if not cases:
                raise DataError("X is empty: there is nothing to learn from")
            templates = Templates()
            templates.learn(cases)
            if not templates.by_name:
                raise DataError("no graph has a factor: there is nothing to learn from")
            weights = np.ones(len(cases))
            if sample_weight is not None:
                weights = np.ascontiguousarray(as_reals(sample_weight, "sample_weight"))
                if weights.shape != (len(cases),) or not ((weights >= 0) & np.isfinite(weights)).all():
                    raise DataError("sample_weight needs one non-negative number per graph")
            arrays = codes_of(cases, y)
            check_told(arrays, counted=self.loss == "joint_likelihood")
            blocks = templates.blocks(cases)
            kind: Any = Graph if loopy is None else LoopyGraph
            structure = kind(blocks, *arrays, self.max_entries, loopy)
            learner = self._chosen(structure)
            l1, l2, C = self._strengths(float(weights.sum()), learner)
            seed = self._seed()
            problem = Problem(
                structure,
                self.loss,
                self.penalty,
                weights,
                l1=l1,
                l2=l2,
                C=C,
                tol=self._tolerance(),
                seed=seed,
                shuffle=self.shuffle,
                margin=self._margin(),
                average=self.average,
                initial=start(structure, self.loss, seed),
            )
            trained = train(learner, problem, Stopping(self._limit(learner)), self.verbose)
            parts = structure.layout.parts(np.asarray(trained.learnt.weights, np.float64))
            shapes = {name: (-1, *t.shape) for name, t in templates.by_name.items()}
            self.templates_ = templates
            self.model_ = {name: w.reshape(shapes[name]).copy() for name, w in parts.items()}
            self.record_ = trained.record
            self.n_iter_ = max(1, trained.record.n_iter)
        return self

    def _chosen(self, structure: Graph) -> Learner:
        """What 'auto' means here: exact learners where sums are, EM where values are missing."""
        if self.learner != "auto":
            return self._learner(candidates=True)
        grid.check_names(self.loss, self.penalty)
        if self.loss == "joint_likelihood" and structure.loopy is not None:
            raise RefusedError(
                "loss 'joint_likelihood' counts what graphs show, or expects it exactly, and no "
                "messages are sent: leave out inference='loopy', or use loss 'logistic'"
            )
        wanted: list[str | Learner] = ["counting", "perceptron", "lbfgs", "owlqn", "sgd", "adagrad"]
        if self.loss == "hinge":
            wanted.remove("perceptron")
        if structure.partial:
            wanted.insert(0, "em")
        elif self.loss == "hinge":
            wanted.insert(0, "frank_wolfe")
        cell = Cell(type(structure), self.loss, self.penalty, self.average)
        return grid.first_legal(wanted, cell)

    def _loopy(self) -> Loopy | None:
        if self.inference not in ("exact", "loopy"):
            raise ValueError(f"inference must be 'exact' or 'loopy', not {self.inference!r}")
        if self.max_entries is not None and not number(self.max_entries) > 0:
            raise ValueError(
                f"max_entries must be a positive number, or None, not {self.max_entries!r}"
            )
        if self.inference == "exact":
            plain = Loopy()
            told = {
                "schedule": plain.schedule,
                "damping": plain.damping,
                "max_rounds": plain.max_rounds,
            }
            for name, usual in told.items():
                if getattr(self, name) != usual:
                    raise ValueError(f"{name}={getattr(self, name)!r} is of inference='loopy' alone")
            return None
        if not 0 <= number(self.damping) < 1:
            raise ValueError(f"damping must be 0 or more and less than 1, not {self.damping!r}")
        if self.schedule not in ("flooding", "sequential", "residual"):
            raise ValueError(
                f"schedule must be 'flooding', 'sequential' or 'residual', not {self.schedule!r}"
            )
        if not is_whole(self.max_rounds, 1):
            raise ValueError(f"max_rounds must be a whole number from 1, not {self.max_rounds!r}")
        return Loopy(self.schedule, int(self.max_rounds), 1e-6, float(self.damping))

    # Answering

    def graph(self, x: Any) -> FactorGraph:
        """The graph with a table for each factor, exp(w · φ) divided by its largest entry.

        It is ready to be asked anything.
        """
        self._check_fitted()
        return self._graph(Case.of(x, 0))[0]

    def _graph(self, case: Case) -> tuple[FactorGraph, float]:
        """With the logarithm of what its tables were divided by."""
        self.templates_.check([case])
        found = FactorGraph()
        found.variables = case.graph.variables
        shift = 0.0
        for block in case.graph.factors:
            assert block.template is not None
            template = self.templates_.by_name[block.template]
            w = self.model_[block.template]
            flat = w.reshape(len(w), -1)
            rows = self.templates_.matrix(template, block, 0)
            with np.errstate(invalid="ignore"):
                scores = flat[0] + (rows @ flat[1:] if template.features else 0.0)
            scores = np.broadcast_to(scores, (len(block), flat.shape[1]))
            top = scores.max(axis=1, keepdims=True)
            top = np.where(np.isfinite(top), top, 0.0)
            shift += float(top.sum())
            tables = np.exp(scores - top)
            found.add_factors(block.scopes, tables.reshape(len(block), *template.shape))
        return found, shift

    def _asked(self, X: Any) -> Iterator[tuple[Case, FactorGraph]]:
        """One graph after the other: the tables of one may be large, those of all need not fit."""
        self._check_fitted()
        for case in cases_of(X):
            yield case, self._graph(case)[0]

    def _answers(self, X: Any) -> Iterator[tuple[Case, Answers]]:
        for case, graph in self._asked(X):
            yield case, self._given(case, graph)

    def _given(self, case: Case, graph: FactorGraph) -> Answers:
        return graph.given(case.given, max_entries=self.max_entries)

    def predict(self, X: Any) -> list[Assignment]:
        """The best values of all variables that are not given.

        With inference='loopy', those that belief propagation believes in.
        """
        if self.inference == "loopy":
            found = [
                (case, graph.beliefs(case.given, maximise=True, **self._how()).best())
                for case, graph in self._asked(X)
            ]
        else:
            found = [(case, answers.best()[0]) for case, answers in self._answers(X)]
        return [_without(best, case.given) for case, best in found]

    def marginals(self, X: Any) -> list[dict[Any, Reals]]:
        """P(value) of all variables that are not given; beliefs with inference='loopy'."""
        if self.inference == "loopy":
            return [
                _without(graph.beliefs(case.given, **self._how()).marginals(), case.given)
                for case, graph in self._asked(X)
            ]
        return [_without(answers.marginals(), case.given) for case, answers in self._answers(X)]

    def kbest(self, X: Any, k: int) -> list[list[tuple[Assignment, float]]]:
        """The k best assignments of each graph, with their scores w · f(x, y); exact."""
        self._check_fitted()
        found = []
        for case in cases_of(X):
            graph, shift = self._graph(case)
            best = self._given(case, graph).kbest(k)
            found.append([(_without(one, case.given), score + shift) for one, score in best])
        return found

    def sample(self, X: Any, n: int = 1, *, seed: int = 0) -> list[list[Assignment]]:
        """Assignments drawn from P(y | x); exact."""
        found = []
        for i, (case, answers) in enumerate(self._answers(X)):
            drawn = answers.sample(n, seed=seed + i)
            variables = case.graph.variables
            found.append([_without(variables.decoded(codes), case.given) for codes in drawn])
        return found

    def log_likelihood(self, X: Any, y: Sequence[Mapping[Any, Any]]) -> Reals:
        """Log P(y | x) of each graph; what y does not tell is summed out."""
        cases = cases_of(X)
        codes_of(cases, y)  # which refuses what cannot be told of these graphs
        found = []
        for (case, graph), known in zip(self._asked(X), y, strict=True):
            told = {name: value for name, value in known.items() if value is not None}
            alone = graph.given(case.given, max_entries=self.max_entries)
            both = graph.given(told | dict(case.given), max_entries=self.max_entries)
            found.append(both.log_partition - alone.log_partition)
        return np.array(found)

    def score(self, X: Any, y: Sequence[Mapping[Any, Any]]) -> float:
        """The share of variables in y whose value is found."""
        found = self.predict(X)
        if len(found) != len(y):
            raise DataError(f"X has {len(found)} graphs, but y has {len(y)} entries")
        pairs = [
            (best[name], value)
            for best, gold in zip(found, y, strict=True)
            for name, value in gold.items()
            if name in best and value is not None
        ]
        if not pairs:
            raise DataError("y tells no variable that is asked for: there is nothing to score")
        return float(np.mean([a == b for a, b in pairs]))

    def explain(
        self, x: Any, assignment: Mapping[Any, Any] | None = None, *, k: int = 10
    ) -> list[dict[str, Any]]:
        """What speaks for an assignment (the best one if None): its factors by their scores.

        Each has its template, variables, values, score, and contributions of its features.
        """
        k = whole("k", k)
        case = Case.of(x, 0)
        self._check_fitted()
        self.templates_.check([case])
        best = dict(assignment or self.predict([x])[0]) | dict(case.given)
        codes = case.graph.variables.observed(best)
        if codes is None or (codes < 0).any():
            raise DataError("an assignment has a value for each variable")
        names = case.graph.names
        found: list[dict[str, Any]] = []
        for block in case.graph.factors:
            assert block.template is not None
            template = self.templates_.by_name[block.template]
            w = self.model_[block.template]
            rows = self.templates_.matrix(template, block, 0)
            feature_names = template.vocabulary.names if template.vocabulary is not None else []
            for s, scope in enumerate(block.scopes):
                entry = w[(slice(None), *codes[scope])]
                row = rows[s]
                parts: dict[Any, float] = {"(constant)": float(entry[0])}
                for j, value in zip(row.indices, row.data, strict=True):
                    label = feature_names[j] if feature_names else int(j)
                    parts[label] = float(value * entry[j + 1])
                found.append(
                    {
                        "template": block.template,
                        "variables": tuple(names[v] for v in scope),
                        "values": tuple(best[names[v]] for v in scope),
                        "score": sum(parts.values()),
                        "features": dict(sorted(parts.items(), key=lambda p: -abs(p[1]))),
                    }
                )
        return sorted(found, key=lambda one: -abs(one["score"]))[:k]

    def _how(self) -> dict[str, Any]:
        return {
            "schedule": self.schedule,
            "damping": self.damping,
            "max_rounds": self.max_rounds,
        }

    def nonzero_weights(self) -> int:
        """Of all templates."""
        return sum(int(np.count_nonzero(w)) for w in self.model_.values())

    def file_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a model file holds."""
        from linnet.estimators.graphs.file import graph_parts

        return graph_parts(self)


def _without(found: dict[Any, Any], given: Mapping[Any, Any]) -> dict[Any, Any]:
    return {name: value for name, value in found.items() if name not in given}
