"""Problems and layouts of structures, for tests that look inside."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from linnet import _core
from linnet.structures import Problem


def places(data: _core.Dataset) -> SimpleNamespace:
    """Where each block of weights begins, by name; one that is not there would begin at the end."""
    names = ("transitions", "start", "stop", "triples", "windows4", "windows5", "pairs", "lengths")
    begins = {name: begin for name, begin, *_ in data.blocks}
    return SimpleNamespace(**dict.fromkeys(names, data.dim) | begins)


def changed(problem: Problem, **settings: Any) -> Problem:
    """With other settings of its structure."""
    return replace(problem, structure=replace(problem.structure, **settings))
