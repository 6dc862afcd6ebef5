"""A training record as a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linnet.training.record import TrainingRecord

# A panel for each, if there is something to show: title, columns, whether by powers of ten.
PANELS = (
    ("objective", ("objective", "dual"), False),
    ("duality gap", ("gap",), True),
    ("norm of the gradient", ("gradient_norm",), True),
    ("mistakes", ("mistakes",), False),
    ("held-out score", ("dev_score",), False),
)


def plotted(record: TrainingRecord) -> Any:
    """A figure of matplotlib, with no window of its own; progressive validation is a panel too."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError(
            "record_.plot() needs matplotlib: pip install matplotlib, or 'linnet[report]'"
        ) from None
    columns = record.columns()
    panels = [
        (title, [name for name in names if name in columns], powers)
        for title, names, powers in PANELS
        if any(name in columns for name in names)
    ]
    progressive = record.facts.get("progressive")
    if not panels and not progressive:
        raise ValueError("there is nothing to plot: no epoch of this training was measured")
    count = len(panels) + bool(progressive)
    figure = Figure(figsize=(7, 2.2 * count + 0.5), layout="constrained")
    axes = figure.subplots(count, squeeze=False)[:, 0]
    for ax, (title, names, powers) in zip(axes, panels, strict=False):
        for name in names:
            for epochs, values, label in _curves(columns, name):
                ax.plot(epochs, values, marker=".", label=name if label is None else f"{name}, {label}")
        ax.set(title=title, xlabel="epoch")
        if powers and any(value > 0 for name in names for value in columns[name] if value is not None):
            ax.set_yscale("log")
        if 1 < len(ax.get_lines()) <= 10:
            ax.legend()
    if progressive:
        ax = axes[-1]
        ax.plot(progressive["examples"], progressive["average_loss"], marker=".", label="loss")
        ax.plot(progressive["examples"], progressive["errors"], marker=".", label="errors")
        ax.set(title="progressive validation", xlabel="examples", xscale="log")
        ax.legend()
    figure.suptitle(f"{record.loss}, {record.learner}, {record.penalty}: {record.stopped}")
    return figure


def _curves(columns: dict[str, list[Any]], name: str) -> Any:
    """One, or one for each label that was trained by itself."""
    count = len(columns["epoch"])
    labels = columns.get("label", [None] * count)
    for label in dict.fromkeys(labels):
        places = [i for i in range(count) if labels[i] == label and columns[name][i] is not None]
        yield [columns["epoch"][i] for i in places], [columns[name][i] for i in places], label
