"""``linnet train`` on sentences: a tagger."""

from __future__ import annotations

import time
from typing import Any

import click

from linnet._memory import byte_size, limited
from linnet.cli.files import load, reads_far, tell_all
from linnet.cli.learning import LEARNING
from linnet.cli.options import refuse_given
from linnet.cli.presets import preset_of
from linnet.cli.tasks import task_of_model
from linnet.cli.tasks.tag.data import (
    form_of,
    in_parts,
    read_files,
    read_tagged,
    read_unlabelled,
    remember,
)
from linnet.cli.tasks.tag.options import SHAPE, tagger
from linnet.cli.training import polite, save, tell_trained, undisturbed
from linnet.errors import DataError

FEW_TAGS = 20  # a toy may have more tags than tokens of each


def run(files: list[Any], output: str, given: dict[str, Any]) -> None:
    """Read, train, save, tell."""
    _check_unlabelled(given)
    started = time.perf_counter()
    with polite():
        if given["memory"] or given["cache"] or (reads_far() and not given["start"]):
            dev = _held_out(given)
            model = _go_on_in_parts(files, given) if given["start"] else _in_parts(files, dev, given)
        else:
            form = form_of(files[0], given)  # of a pipe, while it is there
            sentences = read_files(files, given)
            if not given["quiet"]:
                _note_many_tags(sentences, files[0])
            dev = _held_out(given)
            model = _go_on(sentences, given) if given["start"] else _fit(sentences, dev, form, given)
            remember(model, sentences.layout, sentences.columns, given, form)
        with undisturbed():
            save(model, output)
    if given["quiet"]:
        return
    _tell(model, output, time.perf_counter() - started, given)
    if dev is not None:
        _tell_score(model, dev)


def _note_many_tags(sentences: Any, file: Any) -> None:
    """Texts taken for tags are seldom the same twice."""
    from linnet.estimators.labels import are_odd_labels

    names = sentences.labels.names
    if len(names) >= FEW_TAGS and are_odd_labels(len(names), sentences.tokens):
        click.echo(
            f"note: {file} has {len(names):,} tags for {sentences.tokens:,} tokens; is something else "
            f"taken for the tag? The first one is {names[0][:40]!r}",
            err=True,
        )


def _held_out(given: dict[str, Any]) -> Any:
    return read_tagged(given["dev"], given) if given["dev"] else None


def _in_parts(files: list[Any], dev: Any, given: dict[str, Any]) -> Any:
    """The model of files that are larger than memory."""
    from linnet.estimators.sentence_files import FilesInParts

    model, found = tagger(given), FilesInParts(in_parts(files, given))
    found.dev_may_be_new = True
    watched = dev is not None and watches_dev(model)
    model.fit(found, dev=dev if watched else None, memory=given["memory"], cache=given["cache"])
    tell_all(found.told, given)
    remember(model, found.layout, found.columns, given, found.files[0].form)
    return model


def _go_on_in_parts(files: list[Any], given: dict[str, Any]) -> Any:
    """A stream: each part is learnt from once."""
    refuse_given(("cache",), "a model that goes on (--from) learns from each sentence once")
    model = None
    seen = {"sentences": 0, "tokens": 0}
    with limited(byte_size("memory", given["memory"])):
        for file in in_parts(files, given):
            for some in file.parts(file.path):
                model = _go_on(some, given) if model is None else model.partial_fit(some)
                seen["sentences"] += len(some)
                seen["tokens"] += some.tokens
                if not model.record_.data.get("layout"):
                    remember(model, some.layout, some.columns, given, file.form)
    if model is None:
        raise DataError(f"{files[0]} holds no tokens")
    model.record_.data |= seen
    return model


def _check_unlabelled(given: dict[str, Any]) -> None:
    """Their method is one of taggers, and DATA are read at once."""
    from linnet.estimators.tagging.unlabelled import METHODS

    method = given["unlabeled_method"]
    if method not in METHODS:
        raise click.UsageError(
            f"--unlabeled-method {method}: of taggers there are {', '.join(METHODS)}"
        )
    beside = [n for n in ("memory", "cache", "start", "dev") if given.get(n)]
    if preset_of(given)[0] in ("brill", "memory") or beside or reads_far():
        refuse_given(
            ("unlabeled",),
            "goes with DATA that are read at once: not with --memory, --cache, --from, --dev, an "
            "engine, or --preset brill and memory",
        )


def _fit(sentences: Any, dev: Any, form: str, given: dict[str, Any]) -> Any:
    model = tagger(given)
    if not hasattr(model, "learner"):  # rules: held-out sentences are scored, and steer nothing
        return model.fit(sentences)
    if given["unlabeled"]:
        more = read_unlabelled(given["unlabeled"], sentences, form, given)
        how = {name: given[name] for name in ("unlabeled_method", "unlabeled_weight")}
        return model.fit(sentences, unlabeled=more, **how)
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
    if not hasattr(model, "partial_fit"):
        raise click.UsageError(f"--from {given['start']}: lists and memories are learnt as a whole")
    model.verbose = False if given["quiet"] else None
    return model.partial_fit(sentences)


def unknown_tags(sentences: Any, known: list[str]) -> list[str]:
    """Tags that a model does not know."""
    return sorted({*sentences.labels.names} - {*known})


def _tell(model: Any, output: str, seconds: float, given: dict[str, Any]) -> None:
    data = model.record_.data
    what = (
        f"{data['sentences']:,} sentences, {data['tokens']:,} tokens, {len(model.classes_):,} tags, "
        f"{model.features_.n_features:,} {_counted(model)}"
    )
    scheme = [] if model.scheme_ is None else [f"tags keep to {model.scheme_}"]
    went_on = [f"went on from {given['start']}"]
    tell_trained(what, output, seconds, went_on if given["start"] else [*model.why_, *scheme])


def _counted(model: Any) -> str:
    """What a tagger has so many of."""
    return "rules" if model.record_.learner == "brill" else "features"


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
