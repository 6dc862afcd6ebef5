"""Trainings that may be interrupted: what has been learnt is saved."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from linnet.cli.output import amount


@contextmanager
def polite() -> Iterator[None]:
    """SIGTERM asks for an end as Ctrl-C does."""
    terminated = False

    def terminate(*_: Any) -> None:
        nonlocal terminated
        terminated = True
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    except (
        KeyboardInterrupt
    ):  # maybe not the one of above: the core has ended first, a part of the work
        raise KeyboardInterrupt(*(["terminated"] if terminated else [])) from None
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def undisturbed() -> Iterator[None]:
    """A model that is there is saved, whatever signals come."""
    asked = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, signal.SIG_IGN) for number in asked]
    try:
        yield
    finally:
        for number, handler in zip(asked, before, strict=True):
            signal.signal(number, handler)


def save(model: Any, output: str) -> None:
    """By how many threads it was trained, and how loudly, is no part of a model."""
    parts = [model, *getattr(model, "taggers_", {}).values()]  # of a parser
    said = [
        (part, name, getattr(part, name))
        for part in parts
        for name in ("n_jobs", "verbose")
        if hasattr(part, name)
    ]
    for part, name, _ in said:
        setattr(part, name, None)
    model.save(output)
    for part, name, before in said:
        setattr(part, name, before)


def tell_trained(what: str, output: str, seconds: float, why: Iterable[str]) -> None:
    """A few lines for the eye, on stderr: stdout is for results."""
    size = amount(os.path.getsize(output))
    click.echo(f"{what}; {size} in {output}, {seconds:.2f} s", err=True)
    for line in why:
        click.echo(f"  {line}", err=True)
