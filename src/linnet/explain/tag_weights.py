"""What a tagger goes by: its largest weights of features and of transitions, by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.explain.feature_names import Names, names_of, observed_move
from linnet.explain.top_weights import largest
from linnet.model import ChainModel

if TYPE_CHECKING:
    from rich.console import RenderableType

Named = list[tuple[str, float]]


@dataclass(frozen=True)
class Extremes:
    """The highest weights, highest first, and the lowest, lowest first; zeros are in neither."""

    top: Named
    bottom: Named

    def rows(self) -> Named:
        """All of them from the highest to the lowest."""
        return [*self.top, *reversed(self.bottom)]


@dataclass(frozen=True)
class TagWeights:
    """Weights by name: of features for each tag, of transitions between tags."""

    tags: dict[str, Extremes]
    transitions: Extremes  # a → b, with order 2 also a → b → c, and so on
    observed: Extremes  # features of transitions
    start: dict[str, float] | None
    stop: dict[str, float] | None
    counts: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, ready for JSON."""
        return asdict(self)

    def groups(self) -> list[tuple[str, Named]]:
        """What there is to show, each with a title."""
        found = [(f"tag {tag}", weights.rows()) for tag, weights in self.tags.items()]
        found.append(("transitions", self.transitions.rows()))
        found.append(("transitions that see the tokens", self.observed.rows()))
        for title, ends in (("first tags", self.start), ("last tags", self.stop)):
            found.append((title, sorted((ends or {}).items(), key=lambda row: -row[1])))
        return [(title, rows) for title, rows in found if rows]

    def summary(self) -> str:
        """How many weights of each kind there are."""
        return ", ".join(f"{count:,} {what}" for what, count in self.counts.items())

    def __rich__(self) -> RenderableType:
        from rich.console import Group
        from rich.table import Table

        from linnet.explain.shown import Text

        table = Table(show_edge=False, pad_edge=False)
        table.add_column("", style="bold")
        table.add_column("weight", justify="right")
        table.add_column("name")
        for title, rows in self.groups():
            for k, (name, weight) in enumerate(rows):
                style = "green" if weight > 0 else "red"
                table.add_row(Text(title if k == 0 else ""), Text(f"{weight:+.4f}", style), Text(name))
            table.add_section()
        return Group(table, Text(self.summary(), style="dim"))

    def __str__(self) -> str:
        lines = [self.summary()]
        for title, rows in self.groups():
            lines.append(title)
            lines += [f"  {weight:+9.4f}  {name}" for name, weight in rows]
        return "\n".join(lines)


def tag_weights(
    features: Any,
    model: ChainModel,
    classes: Sequence[Any],
    top: int = 10,
    pair_features: Any = None,
) -> TagWeights:
    """The ``top`` weights from above and from below of each tag and of transitions."""
    if isinstance(top, bool) or top < 1:
        raise ValueError(f"top must be at least 1, not {top!r}")
    tags = [str(label) for label in classes]
    name, states = row_names(features), model.states
    rows, reals = states.rows, states.reals
    found = {}
    for y, tag in enumerate(tags):
        at = np.flatnonzero(states.labels == y)
        found[tag] = extremes(reals[at], top, lambda k, at=at: name(int(rows[at[k]])))
    counts = {
        "tags": len(tags),
        "features": states.features,
        "weights of features": int(np.count_nonzero(reals)),
    }
    chained = model.order > 0
    if chained and model.transitions is not None:
        counts["of transitions"] = int(np.count_nonzero(model.transitions))
    for size, window in enumerate(model.windows, 3):
        what = "of triples" if size == 3 else f"of windows of {size}"
        counts[what] = int(np.count_nonzero(window))
    observed = _observed(pair_features, model, tags, top)
    if model.pairs is not None:
        counts["features of transitions"] = model.pairs.features
        counts["weights of them"] = int(np.count_nonzero(model.pairs.weights))
    return TagWeights(
        found,
        _moves(model, tags, top) if chained else Extremes([], []),
        observed,
        _ends(model.start, tags) if chained else None,
        _ends(model.stop, tags) if chained else None,
        counts,
    )


def state_features(
    features: Any, model: ChainModel, classes: Sequence[Any]
) -> dict[tuple[str, str], float]:
    """All weights of features that are not zero, by (feature, tag), as python-crfsuite has them."""
    name, tags, states = row_names(features), [str(label) for label in classes], model.states
    rows, reals = states.rows, states.reals
    at = np.flatnonzero(reals)
    called = {row: name(row) for row in np.unique(rows[at]).tolist()}
    parts = (rows[at].tolist(), states.labels[at].tolist(), reals[at].tolist())
    return {(called[row], tags[y]): weight for row, y, weight in zip(*parts, strict=True)}


def transition_features(model: ChainModel, classes: Sequence[Any]) -> dict[tuple[str, str], float]:
    """All weights of transitions that are not zero, by (tag, tag after it)."""
    if model.transitions is None:
        return {}
    tags, table = [str(label) for label in classes], model.transitions
    return {(tags[a], tags[b]): float(table[a, b]) for a, b in np.argwhere(table).tolist()}


def extremes(weights: NDArray[np.floating], top: int, name: Any) -> Extremes:
    """Of equal weights the earlier come first."""
    return Extremes(
        [(name(k), float(weights[k])) for k in largest(weights, top)],
        [(name(k), float(weights[k])) for k in largest(-weights, top)],
    )


def _moves(model: ChainModel, tags: list[str], top: int) -> Extremes:
    tables = [table for table in (model.transitions, *model.windows) if table is not None]
    weights = np.concatenate([np.zeros(0, np.float32), *(table.reshape(-1) for table in tables)])

    def name(k: int) -> str:
        for table in tables:
            if k < table.size:
                break
            k -= table.size
        return " → ".join(tags[int(y)] for y in np.unravel_index(k, table.shape))

    return extremes(weights, top, name)


def _observed(features: Any, model: ChainModel, tags: list[str], top: int) -> Extremes:
    if model.pairs is None:
        return Extremes([], [])
    rows, pairs, feature = model.pairs.rows, model.pairs.labels, row_names(features)

    def name(k: int) -> str:
        a, b = divmod(int(pairs[k]), len(tags))
        return observed_move(feature(int(rows[k])), tags[a], tags[b])

    return extremes(model.pairs.reals, top, name)


def row_names(features: Any) -> Names:
    """Row 0 of weights is the constant feature."""
    name = names_of(features)
    return lambda row: name(row - 1) if row else "bias"


def _ends(weights: Any, tags: list[str]) -> dict[str, float] | None:
    return None if weights is None else dict(zip(tags, weights.tolist(), strict=True))
