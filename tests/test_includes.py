"""Headers of the core include what lies below them: layers of C++, as import-linter holds Python's."""

import re
from pathlib import Path

CPP = Path(__file__).parents[1] / "cpp"
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)

# From the ground up; a room includes itself and those above it in this list.
ROOMS = (
    "base",
    "text",
    "features",
    "memory",
    "kernels",
    "sentences",
    "inference",
    "structures",
    "structures/brackets",
    "graphs",
    "charts",
    "losses",
    "arcs",
    "phrases",
    "data",
    "theory",
    "decoding",
    "optimisers",
    "learners/counting",
    "learners/online",
    "learners/batch",
    "learners/dual",
    "learners/shards",
    "learners/chains",
    "learners/parsers",
    "learners/rules",
    "learners/kernels",
    "learners/boosting",
)


def room_of(header: str) -> str:
    """``linnet/learners/online/sgd.hpp`` is in learners/online."""
    return header.removeprefix("linnet/").rpartition("/")[0]


def test_every_room_is_listed() -> None:
    found = {room_of(str(path.relative_to(CPP))) for path in (CPP / "linnet").rglob("*.hpp")}
    assert found == set(ROOMS)


def test_includes_go_downward_only() -> None:
    wrong = [
        f"{path.relative_to(CPP)} includes {header}"
        for path in (CPP / "linnet").rglob("*.hpp")
        for header in INCLUDE.findall(path.read_text(encoding="utf-8"))
        if ROOMS.index(room_of(header)) > ROOMS.index(room_of(str(path.relative_to(CPP))))
    ]
    assert wrong == []


def test_includes_name_the_room() -> None:
    for path in CPP.rglob("*.?pp"):
        for header in INCLUDE.findall(path.read_text(encoding="utf-8")):
            assert (CPP / header).is_file(), f"{path} includes {header}"
            assert header.startswith("linnet/") or "bind" in path.parts


def test_rooms_are_small() -> None:
    for room in ROOMS:
        assert len(list((CPP / "linnet" / room).glob("*.hpp"))) <= 25, room
