"""What happened in training, as plain data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(repr=False)
class Epoch:
    """One pass (or iteration). None: not computed."""

    epoch: int
    objective: float | None = None
    dual: float | None = None
    gap: float | None = None
    gradient_norm: float | None = None
    mistakes: int | None = None
    updates: int | None = None
    dev_score: float | None = None
    # Equal trainings are equal, however long they took; so are their model files, which have no times.
    seconds: float | None = field(default=None, compare=False)
    label: int | None = None  # whose problem it was, where labels went one against the rest

    def __repr__(self) -> str:
        known = ((name, value) for name, value in vars(self).items() if value is not None)
        return f"Epoch({', '.join(f'{name}={value!r}' for name, value in known)})"


@dataclass(repr=False)
class TrainingRecord:
    """The settings that mattered, every epoch, why it stopped, and the diagnostics of theory."""

    loss: str
    learner: str
    penalty: str
    structure: str
    C: float
    alpha: float
    epochs: list[Epoch] = field(default_factory=list)
    stopped: str = ""  # converged, limit, dev score, interrupted
    mistakes: int = 0  # made during training, over all epochs
    facts: dict[str, Any] = field(default_factory=dict)  # what only this learner knows
    diagnostics: dict[str, Any] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)  # what was learnt from, held-out scores

    @property
    def interrupted(self) -> bool:
        """Did Ctrl-C end the training, or what is measured after it?"""
        return self.stopped == "interrupted" or self.diagnostics.get("not_measured") == "interrupted"

    @property
    def n_iter(self) -> int:
        """Epochs run."""
        return len(self.epochs)

    @property
    def gap(self) -> float | None:
        """The last duality gap that was computed; of labels one against the rest the sum."""
        return self._last("gap")

    @property
    def objective(self) -> float | None:
        """The last objective that was computed; of labels one against the rest the sum."""
        return self._last("objective")

    def _last(self, name: str) -> float | None:
        known = {e.label: value for e in self.epochs if (value := getattr(e, name)) is not None}
        return sum(known.values()) if known else None

    def columns(self) -> dict[str, list[Any]]:
        """The epochs as columns: what was computed in any of them, None where it was not."""
        rows = [asdict(epoch) for epoch in self.epochs]
        names = [name for name in (rows[0] if rows else ()) if any(r[name] is not None for r in rows)]
        return {name: [row[name] for row in rows] for name in names}

    def frame(self) -> Any:
        """The epochs as a pandas data frame, a row each; ``columns()`` does without pandas."""
        try:
            import pandas
        except ImportError:
            raise ImportError(
                "record_.frame() needs pandas: pip install pandas (or 'linnet[report]'); "
                "record_.columns() is the same as a dict of lists"
            ) from None
        return pandas.DataFrame(self.columns())

    def plot(self) -> Any:
        """A figure of matplotlib: what changed from epoch to epoch, one below the other."""
        from linnet.training.record_plot import plotted

        return plotted(self)

    def __repr__(self) -> str:
        head = f"TrainingRecord: {self.loss}, {self.learner}, {self.penalty}, {self.structure}"
        strength = f"C {self.C:g}, " if self.C else ""
        lines = [f"{head}; {strength}{counted(self.n_iter, 'epoch')}, {self.stopped or 'not done'}"]
        last = {"objective": self.objective, "gap": self.gap, "mistakes": self.mistakes or None}
        for name, values in (("", last), ("facts", self.facts), ("data", self.data)):
            lines += _listed(name, values)
        lines += _listed("diagnostics", self.diagnostics)
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON: arrays become lists."""
        return {name: _plain(value) for name, value in asdict(self).items()}


def counted(number: int, what: str) -> str:
    """``1 epoch``, ``12 epochs``."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _listed(name: str, values: dict[str, Any]) -> list[str]:
    """One line of names and values, what is long by its size alone."""
    shown = [f"{key} {_short(value)}" for key, value in values.items() if value is not None]
    return [f"  {name + ': ' if name else ''}{', '.join(shown)}"] if shown else []


def _short(value: Any) -> str:
    if hasattr(value, "shape") and value.shape:
        return f"({' × '.join(map(str, value.shape))} numbers)"
    if isinstance(value, (list, tuple, dict)):
        return f"({len(value):,} values)"
    if isinstance(value, float):
        return f"{value:.6g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    return value.tolist() if hasattr(value, "tolist") else value
