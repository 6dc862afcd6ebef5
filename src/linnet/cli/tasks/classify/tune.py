"""``linnet tune`` on texts and on rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from linnet.cli.learning import learning_grid, settled, strength_said
from linnet.cli.options import refuse_given
from linnet.cli.presets import fixed_and_tried, refuse_foreign, tuned_by_preset
from linnet.cli.tasks.classify.data import numbered_as, read, remember
from linnet.cli.tasks.classify.options import (
    BESIDE,
    FEATURES,
    VARIED,
    classifier,
    feature_grid,
    kind_listed,
    listed_as,
    row_classifier,
)
from linnet.cli.trials import bar, fits, held_out
from linnet.errors import DataError

SHOWN = ("word", "chars", "chars_wb", "tf", "scale", "min_df")


def tuned(data: Any, given: dict[str, Any]) -> tuple[Any, dict[str, Any], Callable[[Any], Any]]:
    """What was tried, what stayed the same, and how the best is trained on everything."""
    kept = (given["group"],) if given["group"] else ()
    examples = read(data, given | {"categorical": (*given["categorical"], *kept)})
    grid, of_features = learning_grid(given), feature_grid(given)
    if given["preset"]:
        return _by_preset(data, examples, given)
    refuse_foreign("")
    if given["kernel"] or given["map_"]:
        result, fixed, finish = _of_kernels(examples, given, grid)
    else:
        given, grid = settled(given | dict.fromkeys(VARIED), grid)
        if examples.texts is None:
            said = next((name for name in of_features), None)
            if said is not None:
                raise click.UsageError(f"{data} holds numbers: --{said.replace('_', '-')} is for texts")
            result, fixed, finish = _of_rows(examples, given, grid)
        else:
            result, fixed, finish = _of_texts(examples, given, grid | of_features)

    def remembered(best: Any) -> Any:
        model = finish(best)
        remember(model, examples, data, given)
        return model

    return result, fixed, remembered


def _by_preset(
    data: Any, examples: Any, given: dict[str, Any]
) -> tuple[Any, dict[str, Any], Callable[[Any], Any]]:
    """Of lists and memories of texts."""
    refuse_given(("kernel", "map_", "group"), f"--preset {given['preset']} knows no such thing")
    if examples.texts is None:
        raise DataError(f"--preset {given['preset']}: {data} holds numbers, no texts")
    kind, said = kind_listed(given, ())
    fixed, tried = fixed_and_tried(kind, given, said)
    model = listed_as(kind, fixed, given | _one_each(given, "with --preset"))
    dev = read(given["dev"], given) if given["dev"] else None
    result, same = tuned_by_preset(model, tried, examples, None, dev, given)

    def finish(best: Any) -> Any:
        best.fit(examples, sample_weight=examples.weights)
        remember(best, examples, data, given)
        return best

    return result, same, finish


def _one_each(given: dict[str, Any], where: str) -> dict[str, Any]:
    """Features that have one value."""
    features = feature_grid(given)
    several = tuple(name for name, values in features.items() if len(values) > 1)
    refuse_given(several, f"{where} features have one value")
    return dict.fromkeys(VARIED) | {name: values[0] for name, values in features.items()}


def _of_kernels(
    examples: Any, given: dict[str, Any], grid: dict[str, Any]
) -> tuple[Any, dict[str, Any], Callable[[Any], Any]]:
    """Of kernels, or of maps: both read examples as they are."""
    from linnet.cli.tasks.classify.kernels import tuned_kernel, tuned_map

    if given["kernel"]:
        refuse_given(("map_",), "--kernel and --map are two ways to more features; give one")
    given, grid = settled(given | _one_each(given, "with --kernel or --map"), grid)
    tune = tuned_kernel if given["kernel"] else tuned_map
    return tune(examples, given, grid, _groups(examples, given))


def _of_texts(
    examples: Any, given: dict[str, Any], grid: dict[str, Any]
) -> tuple[Any, dict[str, Any], Callable[[Any], Any]]:
    import linnet

    model = classifier(given)
    said_of_features = [n for n in FEATURES if n not in (*VARIED, *BESIDE) and given.get(n) is not None]
    assert model.features == "auto" or said_of_features
    dev = read(given["dev"], given) if given["dev"] else None
    grid = _with_strengths(model, given, grid)
    result = linnet.tune(
        model, grid, examples, dev=dev, groups=_groups(examples, given), **_how(given, grid)
    )
    fixed = {name: getattr(model, name) for name in ("loss", "learner", "penalty") if name not in grid}
    from linnet.estimators.text.targets import read_targets

    chosen = result.estimator._choose(examples.texts, read_targets(examples.labels))
    features = chosen.features.get_params(deep=False)
    fixed["loss"] = chosen.loss if "loss" not in grid else fixed.get("loss")
    fixed |= {name: features[name] for name in SHOWN if features.get(name) and name not in grid}

    def finish(best: Any) -> Any:
        return best.fit(examples, sample_weight=examples.weights)

    return result, {name: value for name, value in fixed.items() if value is not None}, finish


def _of_rows(
    examples: Any, given: dict[str, Any], grid: dict[str, Any]
) -> tuple[Any, dict[str, Any], Callable[[Any], Any]]:
    import linnet
    from linnet.estimators.text.rows import RowMaker

    model, maker, y = row_classifier(given), RowMaker(), examples.labels.values()
    dev = None
    if given["dev"]:
        other = numbered_as(examples, read(given["dev"], given))
        dev = (maker.transform(other), other.labels.values())
    grid = _with_strengths(model, given, grid)
    rows, groups = maker.transform(examples), _groups(examples, given)
    result = linnet.tune(model, grid, rows, y, dev=dev, groups=groups, **_how(given, grid))
    fixed = {name: getattr(model, name) for name in ("loss", "learner", "penalty") if name not in grid}

    def finish(best: Any) -> Any:
        return best.fit(examples.matrix, y, sample_weight=examples.weights)

    return result, fixed, finish


def _with_strengths(model: Any, given: dict[str, Any], grid: dict[str, Any]) -> dict[str, Any]:
    """Strengths, or numbers of passes, unless some were said, be it one."""
    from linnet.estimators.text.trials import usual_of

    return grid if strength_said(given, grid) else grid | usual_of(model)


def _groups(examples: Any, given: dict[str, Any]) -> list[Any] | None:
    if not given["group"]:
        return None
    if given["group"] not in examples.columns:
        raise DataError(f"{examples.source} has no column {given['group']!r}")
    found: list[Any] = examples.columns[given["group"]].tolist()
    return found


def _how(given: dict[str, Any], grid: dict[str, Any]) -> dict[str, Any]:
    how = held_out(given)
    return how | {"progress": bar(fits(grid, 1 if given["dev"] else how["folds"] or 5))}
