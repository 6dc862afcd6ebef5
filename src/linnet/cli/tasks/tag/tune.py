"""``linnet tune`` on sentences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from linnet.cli.learning import learning_grid, settled, strength_said
from linnet.cli.presets import MOST_RULES, fixed_and_tried, preset_of, refuse_foreign, tuned_by_preset
from linnet.cli.tasks.tag.data import form_of, read_tagged, remember
from linnet.cli.tasks.tag.options import features_of, kind_kept, rules_of, tagger
from linnet.cli.trials import bar, fits, held_out


def tuned(data: str, given: dict[str, Any]) -> tuple[Any, dict[str, Any], Callable[[Any], Any]]:
    """What was tried, what stayed the same, and how the best is trained on everything."""
    import linnet

    form = form_of(data, given)
    sentences = read_tagged(data, given | {"format_": form})
    dev = read_tagged(given["dev"], given) if given["dev"] else None
    check_metric(given["metric"], sentences)
    if preset_of(given)[0] in ("brill", "memory"):
        return _by_preset(sentences, dev, form, given)
    refuse_foreign("")
    grid = {n: list(dict.fromkeys(given[n])) for n in ("features", "order") if given[n]}
    grid |= learning_grid(given)
    given, grid = settled(given, grid)
    model = tagger(given)
    if "features" in grid:
        grid["features"] = [features_of(asked) for asked in grid["features"]]
    if not strength_said(given, grid):
        from linnet.estimators.tagging.trials import STRENGTHS
        from linnet.estimators.trials import usual

        grid |= usual(model, STRENGTHS)
    how = held_out(given)
    progress = bar(fits(grid, 1 if dev is not None else how["folds"] or 5))
    result = linnet.tune(model, grid, sentences, dev=dev, progress=progress, **how)
    fixed = {name: getattr(model, name) for name in ("loss", "learner", "penalty") if name not in grid}

    def finish(best: Any) -> Any:
        best.fit(sentences)
        remember(best, sentences.layout, sentences.columns, given, form)
        return best

    return result, fixed, finish


def _by_preset(
    sentences: Any, dev: Any, form: str, given: dict[str, Any]
) -> tuple[Any, dict[str, Any], Callable[[Any], Any]]:
    """Of rules and memories."""
    kind, said = kind_kept(given, ())
    fixed, grid = fixed_and_tried(kind, given, said)
    templates = given["features"] or [None]
    if len(templates) > 1:
        raise click.UsageError("--features: with --preset brill there is one set of templates")
    if said is MOST_RULES:
        model = rules_of(fixed, given | {"features": templates[0]})
    else:
        model = kind(**fixed, n_jobs=given["threads"])
    result, same = tuned_by_preset(model, grid, sentences, None, dev, given)

    def finish(best: Any) -> Any:
        best.fit(sentences)
        remember(best, sentences.layout, sentences.columns, given, form)
        return best

    return result, same, finish


def check_metric(asked: str | None, sentences: Any) -> None:
    """Spans are scored where tags speak of some."""
    from linnet.data.chunks import is_chunked
    from linnet.evaluation.spans import SPAN_METRICS

    if asked is not None and asked not in SPAN_METRICS:
        raise click.UsageError(f"--metric {asked}: of taggers there are {', '.join(SPAN_METRICS)}")
    by_spans = asked not in (None, "accuracy", "sentence_accuracy")
    if by_spans and not is_chunked(sentences.labels.names):
        tag = sentences.labels.names[0]
        raise click.UsageError(f"--metric {asked}: tags such as {tag} speak of no spans; use accuracy")
