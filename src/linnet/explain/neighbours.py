"""Which instances in memory decided, as data, for terminals and for pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import RenderableType

Row = tuple[str, ...]


@dataclass(frozen=True)
class Neighbour:
    """An instance of the training data, the first of which has number 1."""

    number: int
    label: str
    distance: float
    agree: list[str]  # the features that have the same value, as they are read
    differ: list[str]


class Explained:
    """The label of something, and rows that say why."""

    what: str
    label: str

    def head(self) -> str:
        """What, and its label."""
        return f"{self.what}  {self.label}"

    def rows(self) -> list[Row]:
        """What led to it."""
        raise NotImplementedError

    def rest(self) -> str:
        """What is not listed."""
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, ready for JSON."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]

    def to_html(self) -> str:
        """A piece of HTML that needs nothing else."""
        rows = "".join(
            f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in self.rows()
        )
        return (
            f'<div class="linnet-explanation"><p>{escape(self.head())}</p>'
            f"<table>{rows}</table>{escape(self.rest())}</div>"
        )

    def _repr_html_(self) -> str:
        return self.to_html()

    def __rich__(self) -> RenderableType:
        from linnet.explain.shown import Text

        return Text(str(self))

    def __str__(self) -> str:
        lines = [self.head(), *("  " + "  ".join(row).rstrip() for row in self.rows())]
        return "\n".join([*lines, *([self.rest()] if self.rest() else [])])


@dataclass(frozen=True)
class NeighbourExplanation(Explained):
    """What was asked about, its label, and who voted, nearest first; ``others`` more are not listed."""

    what: str
    label: str
    votes: dict[str, float]
    neighbours: list[Neighbour]
    others: int = 0

    def head(self) -> str:
        """What, its label, and the votes for it."""
        votes = sorted(self.votes.items(), key=lambda pair: -pair[1])
        said = ", ".join(f"{label} {vote:.4g}" for label, vote in votes if vote > 0)
        return f"{self.what}  {self.label}  votes: {said}"

    def rows(self) -> list[Row]:
        """Distance, label, and in what they agree."""
        return [
            (f"{n.distance:.4f}", n.label, f"instance {n.number}", _compared(n))
            for n in self.neighbours
        ]

    def rest(self) -> str:
        """How many more there are."""
        return f"  and {self.others:,} more" if self.others else ""


@dataclass(frozen=True)
class PathStep:
    """A node of a tree: what leads to it, its label, how many of its instances have that."""

    test: str
    label: str
    agree: int
    instances: int


@dataclass(frozen=True)
class PathExplanation(Explained):
    """The nodes that were passed, from the root to the one that decided."""

    what: str
    label: str
    steps: list[PathStep]

    def rows(self) -> list[Row]:
        """The label at each node, how sure it is there, and the test."""
        return [
            (step.label, f"{step.agree:,} of {step.instances:,}", step.test or "all instances")
            for step in self.steps
        ]


@dataclass(frozen=True)
class SentenceNeighbours:
    """An explanation for each token."""

    tokens: Sequence[Explained]

    @property
    def tags(self) -> list[str]:
        """The predicted tags."""
        return [token.label for token in self.tokens]

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, ready for JSON."""
        return {"tokens": [token.to_dict() for token in self.tokens]}

    def to_html(self) -> str:
        """A piece of HTML that needs nothing else."""
        return "".join(token.to_html() for token in self.tokens)

    def _repr_html_(self) -> str:
        return self.to_html()

    def __rich__(self) -> RenderableType:
        from linnet.explain.shown import Text

        return Text(str(self))

    def __str__(self) -> str:
        return "\n".join(str(token) for token in self.tokens)


def _compared(neighbour: Neighbour) -> str:
    same, other = ", ".join(neighbour.agree), ", ".join(neighbour.differ)
    return "; ".join([*([f"same {same}"] if same else []), *([f"other {other}"] if other else [])])


def explain_instances(
    model: Any,
    labels: Sequence[str],
    queries: Any,
    asked: Sequence[Sequence[str]],
    whats: Sequence[str],
    most: int = 10,
) -> Sequence[Explained]:
    """Of queries of an `InstanceModel`; ``asked`` are the values of each, as they were given."""
    if model.how.algorithm == "igtree":
        rows = zip(queries, asked, whats, strict=True)
        return [_by_path(model, labels, q, values, what) for q, values, what in rows]
    best, shares = model.best(queries, 1), model.shares(queries, 1)
    offsets, found, distances = model.neighbours(queries)
    told = []
    for i, values in enumerate(asked):
        begin, end = offsets[i], offsets[i + 1]
        listed = [
            _neighbour(model, labels, queries[i], values, int(found[k]), float(distances[k]))
            for k in range(begin, min(end, begin + most))
        ]
        votes = {str(labels[c]): float(shares[i, c]) for c in shares[i].nonzero()[0].tolist()}
        told.append(
            NeighbourExplanation(
                whats[i], str(labels[best[i]]), votes, listed, max(0, int(end - begin) - most)
            )
        )
    return told


def _neighbour(
    model: Any, labels: Sequence[str], query: Any, values: Sequence[str], number: int, distance: float
) -> Neighbour:
    own = model.rows[number]
    agree, differ = [], []
    for f, name in enumerate(model.names):
        value = model.values[f][own[f]]
        if own[f] == query[f]:
            agree.append(f"{name}={value}")
        else:
            differ.append(f"{name}={value} for {values[f]}")
    return Neighbour(number + 1, str(labels[model.labels[number]]), distance, agree, differ)


def _by_path(
    model: Any, labels: Sequence[str], query: Any, values: Sequence[str], what: str
) -> PathExplanation:
    """Of a tree: what was tested, and what each node that was passed would have said."""
    tested = ["", *(f"{model.names[f]}={values[f]}" for f in model.order)]
    steps = [
        PathStep(tested[depth], str(labels[label]), agree, instances)
        for depth, (label, agree, instances) in enumerate(model.tree.path(query))
    ]
    return PathExplanation(what, steps[-1].label, steps)
