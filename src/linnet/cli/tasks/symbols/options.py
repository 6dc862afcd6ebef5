"""How options become a classifier of rows of symbols."""

from __future__ import annotations

from typing import Any

import click

from linnet.cli.learning import LEARNING
from linnet.cli.options import refuse_given
from linnet.cli.presets import MOST_RULES, NEIGHBORS, Said, preset_of, settings_of

KINDS = {"memory": "MemoryClassifier", "decision-list": "DecisionList", "brill": "BrillClassifier"}
SAID = {"brill": MOST_RULES, "memory": NEIGHBORS}
FOREIGN = ("memory", "cache", "seed", "zero_based", "missing", "checkpoint", "resume")


def classifier(given: dict[str, Any]) -> Any:
    """The one that --preset names."""
    kind, said = kind_of(given)
    return kind(**settings_of(kind, given, said), n_jobs=given["threads"])


def kind_of(given: dict[str, Any], beside: tuple[str, ...] = FOREIGN) -> tuple[Any, Said]:
    """Its class, and the options that are settings of it."""
    import linnet.estimators as estimators

    name, _ = preset_of(given)
    if name not in KINDS:
        asked = f"--preset {name}" if name else "--preset says what learns"
        raise click.UsageError(f"{asked}: of rows of symbols there are {', '.join(KINDS)}")
    kept = ("max_iter",) if name == "brill" else ()
    other = tuple(o for o in (*LEARNING, *beside) if o not in kept)
    refuse_given(other, f"--preset {name} optimises nothing, and knows no such thing")
    return getattr(estimators, KINDS[name]), SAID.get(name, {})
