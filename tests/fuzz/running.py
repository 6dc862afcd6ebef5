"""Cases in processes of their own: one that crashes or never ends is a finding as well."""

from __future__ import annotations

import os
import re
import shutil
import signal
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from .cases import Case, made

LIMIT = 300.0  # seconds for one case; most take milliseconds


@dataclass(frozen=True)
class Finding:
    """A case that went wrong, and how."""

    kind: str
    number: int
    case: Case
    what: str


@dataclass
class Tried:
    """What a process has done: how many cases, of which labels, and what went wrong last."""

    count: int
    labels: Counter[str]
    finding: Finding | None = None


def judged(kind: ModuleType, case: Case, limit: float = LIMIT) -> str | None:
    """What is wrong with a case, found in a process of its own; None if nothing is."""
    found = _try(kind, lambda: iter([(0, case)]), limit)
    return found.finding.what if found.finding else None


def run(
    kind: ModuleType, seed: int, first: int, *, cases: int | None = None, seconds: float = 1e9
) -> Tried:
    """Cases from the number ``first`` on, until there were enough, the time is over, or one fails."""
    end = time.monotonic() + seconds

    def numbered() -> Iterator[tuple[int, Case]]:
        number = first
        while (cases is None or number < first + cases) and time.monotonic() < end:
            yield number, made(kind, seed, number)
            number += 1

    return _try(kind, numbered, LIMIT)


def _try(kind: ModuleType, cases: Callable[[], Iterator[tuple[int, Case]]], limit: float) -> Tried:
    """In a child, which notes each case before it is tried, and what is wrong with one that fails."""
    name = kind.__name__.rpartition(".")[2]
    getattr(kind, "prepare", lambda: None)()  # once for all children
    with tempfile.TemporaryDirectory(prefix="linnet-fuzz-") as place:
        log = Path(place) / "log"
        for note in ("labels", "case"):
            (Path(place) / note).touch()
        (Path(place) / "number").write_text("0 0")
        child = os.fork()
        if child == 0:
            _judge_all(kind, cases, Path(place), log)
        status = _wait(child, log, limit)
        lines = log.read_text(errors="replace").split("\n", 1) if log.exists() else [""]
        count, number = map(int, (Path(place) / "number").read_text().split())
        labels = Counter((Path(place) / "labels").read_text().splitlines())
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0:
            return Tried(count, labels)
        what = "\n".join(lines).strip() or f"the process ended by {_reason(status)}"
        case = Case.from_bytes((Path(place) / "case").read_bytes())
        return Tried(count, labels, Finding(name, number, case, what))


def _judge_all(
    kind: ModuleType, cases: Callable[[], Iterator[tuple[int, Case]]], place: Path, log: Path
) -> None:
    """The child. Never returns."""
    code = 1
    try:
        os.setpgid(0, 0)
        folder, labels = place / "folder", open(place / "labels", "w", buffering=1)  # noqa: SIM115
        for count, (number, case) in enumerate(cases(), 1):
            (place / "number").write_text(f"{count} {number}")
            (place / "case").write_bytes(case.to_bytes())
            if hasattr(kind, "label"):
                labels.write(f"{kind.label(case)}\n")
            folder.mkdir()
            try:
                kind.judge(case, folder)
            finally:
                shutil.rmtree(folder)
        code = 0
    except BaseException as error:
        log.write_text("".join(traceback.format_exception(error)), errors="replace")
    finally:
        os._exit(code)


def _wait(child: int, log: Path, limit: float) -> int:
    """The status of its end; a case that takes too long is killed, with whatever it has started."""
    number = log.parent / "number"
    pause = 0.001
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return status
        last = number.stat().st_mtime if number.exists() else time.time()
        if time.time() - last > limit:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            log.write_text(f"not done after {limit:.0f} seconds")
            return 1 << 8
        time.sleep(pause)
        pause = min(2 * pause, 0.05)


def _reason(status: int) -> str:
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return f"code {os.WEXITSTATUS(status)}"  # of the sanitizers, which have told on standard error


def verdict(what: str) -> str:
    """What a smaller case must be judged as, too: the error, without numbers and names of files."""
    errors = re.findall(r"^[\w.]+(?:Error|Exit|Interrupt)\b.*", what, re.MULTILINE)
    return re.sub(r"[/'\"].*|\d+", "", (errors or [what.strip()])[-1])[:60]
