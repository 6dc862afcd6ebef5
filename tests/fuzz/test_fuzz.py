"""A short attack of each kind; and that an attack would notice what is wrong."""

import faulthandler
import os
import signal
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from .cases import Case, from_json, made, to_json
from .running import judged, run
from .shrinking import shrunk
from .table import KINDS, available

# A few seconds each; `make fuzz` goes on for longer.
CASES = {
    "models": 150,
    "checkpoints": 60,
    "data": 150,
    "texts": 40,
    "fits": 80,
    "signals": 13,
    "disk": 13,
    "memory": 8,
}
KEPT = sorted((Path(__file__).parent / "kept").glob("*-*"))


@pytest.mark.parametrize("name", list(available()))
def test_a_short_attack(name: str) -> None:
    result = run(KINDS[name], seed=2, first=0, cases=CASES[name])
    assert result.finding is None, f"{result.finding.case.name}: {result.finding.what}"
    assert result.count == CASES[name]


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.name)
def test_what_was_found_stays_mended(path: Path) -> None:
    name = path.name.partition("-")[0]
    if name not in available():
        pytest.skip(f"no attacks by {name} here")
    assert judged(KINDS[name], Case.from_bytes(path.read_bytes())) is None


# ---------------------------------------------------------------------- would it be noticed?


def attack(judge: object) -> SimpleNamespace:
    """A kind whose cases are numbers from 0 to 99."""
    return SimpleNamespace(
        __name__="tests.odd",
        case=lambda random: Case("a number", to_json(random.randrange(100))),
        judge=judge,
    )


def wrong(case: Case, _: Path) -> None:
    assert from_json(case.data) % 7 != 3, "a number that is wrong"


def test_what_is_wrong_is_found_with_its_case() -> None:
    kind = attack(wrong)
    result = run(kind, seed=1, first=0, cases=200)
    found = result.finding
    assert found is not None
    assert 0 < result.count < 200
    assert from_json(found.case.data) % 7 == 3
    assert found.what.endswith("a number that is wrong\n") or "a number that is wrong" in found.what
    assert made(kind, 1, found.number) == found.case
    assert run(kind, seed=1, first=0, cases=found.number).finding is None


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        (lambda: (faulthandler.disable(), os.kill(os.getpid(), signal.SIGSEGV)), "SIGSEGV"),
        (lambda: os._exit(7), "code 7"),
        (lambda: time.sleep(60), "not done after 1 seconds"),
    ],
)
def test_crashes_and_endless_loops_are_found(harm, told) -> None:
    found = judged(attack(lambda *_: harm()), Case("x", b"1"), limit=1)
    assert found is not None
    assert told in found


def test_findings_are_made_small() -> None:
    def holds_x(case: Case, _: Path) -> None:
        if b"x" in case.data:
            raise ValueError("there is an x")

    case = Case("bytes", b"a" * 500 + b"x" + b"b" * 300)
    assert shrunk(attack(holds_x), case, "ValueError: there is an x", 30).data == b"x"

    def holds_seven(case: Case, _: Path) -> None:
        if 7 in from_json(case.data)["numbers"]:
            raise ValueError("there is a seven")

    case = Case("json", to_json({"numbers": [1, 2, 7, 3], "more": "text"}))
    less = shrunk(attack(holds_seven), case, "ValueError: there is a seven", 30)
    assert from_json(less.data) == {"numbers": [7]}


def test_a_case_comes_back_from_its_file() -> None:
    case = Case("read: data.tsv", b"a\tb\n\0\xff\n")
    assert Case.from_bytes(case.to_bytes()) == case
    value = {"a": (1, (2.5, None)), "b": ["\ud800"], "c": float("inf")}
    assert from_json(to_json(value)) == value
