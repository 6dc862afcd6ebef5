"""``linnet train`` on sentences: a tagger."""

from __future__ import annotations

import time
from typing import Any

import click

from linnet.cli.files import load, only
from linnet.cli.learning import LEARNING
from linnet.cli.options import refuse_given
from linnet.cli.tasks import task_of_model
from linnet.cli.tasks.tag.data import form_of, read_tagged, remember
from linnet.cli.tasks.tag.options import SHAPE, tagger
from linnet.cli.training import polite, save, tell_trained, undisturbed


def run(files: list[Any], output: str, given: dict[str, Any]) -> None:
    """Read, train, save, tell."""
    data = only(files)
    started = time.perf_counter()
    with polite():
        form = form_of(data, given)
        sentences = read_tagged(data, given | {"format_": form})
        dev = read_tagged(given["dev"], given) if given["dev"] else None
        model = _go_on(sentences, given) if given["start"] else _fit(sentences, dev, given)
        remember(model, sentences, given, form)
        with undisturbed():
            save(model, output)
    if given["quiet"]:
        return
    _tell(model, sentences, output, time.perf_counter() - started, given)
    if dev is not None:
        _tell_score(model, dev)


def _fit(sentences: Any, dev: Any, given: dict[str, Any]) -> Any:
    model = tagger(given)
    watched = dev is not None and watches_dev(model) and not unknown_tags(dev, sentences.labels.names)
    return model.fit(sentences, dev=dev if watched else None)


def watches_dev(model: Any) -> bool:
    """Does held-out data steer the training? Of online and batch learners that were named."""
    from linnet.training import grid

    return model.learner != "auto" and grid.resolve(model.learner).family in ("online", "batch")


def _go_on(sentences: Any, given: dict[str, Any]) -> Any:
    refuse_given((*SHAPE, *LEARNING), "a model that goes on (--from) keeps what it was made with")
    model = load(given["start"], given["threads"])
    if task_of_model(model).name != "tag":
        raise click.UsageError(f"--from {given['start']}: only a tagger goes on with sentences")
    model.verbose = False if given["quiet"] else None
    return model.partial_fit(sentences)


def unknown_tags(sentences: Any, known: list[str]) -> list[str]:
    """Tags that a model does not know."""
    return sorted({*sentences.labels.names} - {*known})


def _tell(model: Any, sentences: Any, output: str, seconds: float, given: dict[str, Any]) -> None:
    what = (
        f"{len(sentences):,} sentences, {sentences.tokens:,} tokens, {len(model.classes_):,} tags, "
        f"{model.features_.n_features:,} features"
    )
    scheme = [] if model.scheme_ is None else [f"tags keep to {model.scheme_}"]
    went_on = [f"went on from {given['start']}"]
    tell_trained(what, output, seconds, went_on if given["start"] else [*model.why_, *scheme])


def _tell_score(model: Any, dev: Any) -> None:
    from linnet.data.chunks import is_chunked
    from linnet.evaluation import column_counts

    unknown = unknown_tags(dev, model.classes_.tolist())
    if unknown:
        names = ", ".join(unknown[:5]) + (", …" if len(unknown) > 5 else "")
        click.echo(f"note: {dev.source} has tags never seen in training: {names}", err=True)
    found = column_counts(dev.labels, model.tag(dev, retag=bool(model.taggers_)), dev.offsets)
    said = f"accuracy on {dev.source}: {100 * found.token_accuracy:.2f} %"
    if is_chunked(dev.labels.names):
        said += f", F1 of spans {100 * found.f1:.2f} %"
    click.echo(said, err=True)
