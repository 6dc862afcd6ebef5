"""Commands in processes of their own, forked from one that has imported all it needs."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from linnet._start import hush
from linnet.cli import main
from linnet.data import samples

from .model_files import model_files

LIMIT = 120.0  # seconds, for the slowest machine under the sanitizers

SAMPLES = Path(samples.__file__).parent
MODELS = {
    "text.linnet": "text: plain",
    "columns.linnet": "text: columns",
    "numbers.linnet": "linear: linear",
    "tagger.linnet": "tagger: first order",
    "parser.linnet": "parser: second order",
}
# Every way in which a command writes a file, always `new`; what it reads is laid out by `lay_out`.
WRITING: dict[str, tuple[str, ...]] = {
    "train": ("train", "texts.tsv", "-q", "-o", "new"),
    "train --from": ("train", "texts.tsv", "--from", "text.linnet", "-q", "-o", "new"),
    "train a tagger": ("train", "tagged.conll", "-q", "-o", "new"),
    "train a parser": ("train", "trees.conllu", "--task", "parse", "-q", "-o", "new"),
    "tune": ("tune", "texts.tsv", "-C", "0.1,1", "--folds", "2", "-o", "new"),
    "quantize": ("quantize", "text.linnet", "-o", "new"),
    "predict": ("predict", "text.linnet", "texts.tsv", "-o", "new"),
    "tag": ("tag", "tagger.linnet", "tagged.conll", "-o", "new"),
    "parse": ("parse", "parser.linnet", "trees.conllu", "-o", "new"),
    "evaluate --html": ("evaluate", "text.linnet", "texts.tsv", "--resamples", "50", "--html", "new"),
    "curve": ("curve", "texts.tsv", "--points", "2", "--repeats", "1", "--html", "new"),
    "explain": ("explain", "text.linnet", "grey by the water", "--html", "new"),
    "convert": ("convert", "texts.tsv", "new", "--to", "jsonl"),
    "convert, packed": ("convert", "texts.tsv", "new.gz", "--to", "jsonl"),
    "convert trees": ("convert", "trees.conllu", "new", "--to", "conllx"),
}


@cache
def _inputs() -> dict[str, bytes]:
    texts, labels = samples.load("birds-train")
    lines = [f"{label}\t{text}\n" for text, label in zip(texts, labels, strict=True)]
    found = {"texts.tsv": "".join(lines[:200]).encode()}
    rows = list(zip(*samples.load_tagged("sightings-train"), strict=True))[:60]
    blocks = [
        "".join(f"{word} {tag}\n" for (word, _), tag in zip(words, tags, strict=True))
        for words, tags in rows
    ]
    found["tagged.conll"] = "\n".join(blocks).encode()
    trees = (SAMPLES / "rambles-test.conllu").read_bytes().split(b"\n\n")
    found["trees.conllu"] = b"\n\n".join(trees[:40]) + b"\n\n"
    return found | {name: model_files()[kind] for name, kind in MODELS.items()}


@cache
def warm() -> None:
    """Import whatever the commands do, so that those that are forked begin at once."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        lay_out(folder)
        for command in WRITING.values():
            result = CliRunner().invoke(main, within(folder, command))
            assert result.exit_code == 0, (command, result.stderr)


def within(folder: Path, command: Sequence[str]) -> list[str]:
    """The command with the paths of its files."""
    there = {*os.listdir(folder)}
    return [str(folder / w) if w in there or w.startswith(("new", "out")) else w for w in command]


def lay_out(folder: Path) -> None:
    """Files for the commands to read."""
    for name, data in _inputs().items():
        (folder / name).write_bytes(data)


def target(command: Sequence[str]) -> str:
    """The file that it writes."""
    return next(word for word in command if word in ("new", "new.gz"))


@dataclass(frozen=True)
class Ended:
    """How a process ended: its exit code, or the number of a signal, negative."""

    code: int
    said: str
    seconds: float


class Running:
    """A command at work in a folder; ``prepare`` is called first in its process."""

    def __init__(
        self, command: Sequence[str], folder: Path, prepare: Callable[[], Any] | None = None
    ) -> None:
        self.begun = time.monotonic()
        self.said = folder.parent / f"{folder.name}.said"
        self.pid = os.fork()
        if self.pid == 0:
            _become(command, folder, self.said, prepare)

    def send(self, number: int) -> None:
        """A signal; one that comes too late hits nobody, since the process has not been waited for."""
        os.kill(self.pid, number)

    def wait(self, limit: float = LIMIT) -> Ended:
        """The end, which comes within the limit."""
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            seconds = time.monotonic() - self.begun
            if pid:
                said = self.said.read_text(errors="replace") if self.said.exists() else ""
                self.said.unlink(missing_ok=True)
                return Ended(os.waitstatus_to_exitcode(status), said, seconds)
            if seconds > limit:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                raise AssertionError(f"a command has not ended after {limit} seconds")
            time.sleep(0.001)


def _become(
    command: Sequence[str], folder: Path, said: Path, prepare: Callable[[], Any] | None
) -> None:
    """The child: a command with its own streams and the usual signals. Never returns."""
    code: Any = 99
    try:
        os.chdir(folder)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        hush()  # as the command does before anything else
        nowhere, errors = os.open(os.devnull, os.O_RDWR), os.open(said, os.O_CREAT | os.O_WRONLY)
        for stream, descriptor in ((0, nowhere), (1, nowhere), (2, errors)):
            os.dup2(descriptor, stream)
        sys.stdin, sys.stdout = open(0), open(1, "w")  # noqa: SIM115
        sys.stderr = open(2, "w", buffering=1)  # noqa: SIM115
        if prepare is not None:
            prepare()
        try:
            main(list(command))
        except SystemExit as end:
            code = end.code or 0
        sys.stdout.flush()
    except KeyboardInterrupt:  # (it may come when all is over, too)
        code = 130
    except BaseException as error:
        import traceback

        traceback.print_exception(error, file=sys.stderr)
    finally:
        os._exit(code if isinstance(code, int) else 1)
