"""What happened in training, as plain data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
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


@dataclass
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

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON: arrays become lists."""
        return {name: _plain(value) for name, value in asdict(self).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    return value.tolist() if hasattr(value, "tolist") else value
