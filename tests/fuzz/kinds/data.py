"""Data files of every format, damaged, given to readers and commands."""

from __future__ import annotations

import warnings
from pathlib import Path
from random import Random
from typing import Any

from click.testing import CliRunner

from linnet import formats
from linnet.cli import main
from linnet.errors import DataError, DataWarning

from ..cases import Case
from ..commands import lay_out, warm, within
from ..data_files import data_files
from ..mutations import mutate

TEXTS: dict[str, tuple[str, ...]] = {
    "train": ("train", "DATA", "-q", "-o", "out.linnet"),
    "predict": ("predict", "text.linnet", "DATA"),
    "predict numbers": ("predict", "numbers.linnet", "DATA"),
    "predict columns": ("predict", "columns.linnet", "DATA"),
    "evaluate": ("evaluate", "text.linnet", "DATA"),
    "convert": ("convert", "DATA", "out.jsonl", "--to", "jsonl"),
    "convert lossy": ("convert", "DATA", "-", "--to", "vw", "--lossy"),
    "a lexicon": ("train", "--lexicon", "DATA", "-q", "-o", "out.linnet"),
    "stop words": ("train", "texts.tsv", "--stop-words", "DATA", "-C", "1", "-q", "-o", "out.linnet"),
}
SENTENCES: dict[str, tuple[str, ...]] = {
    "train": ("train", "DATA", "--task", "tag", "--max-iter", "3", "-q", "-o", "out.linnet"),
    "tag": ("tag", "tagger.linnet", "DATA"),
    "evaluate": ("evaluate", "tagger.linnet", "DATA"),
    "convert": ("convert", "DATA", "out", "--to", "tokens"),
    "templates": ("train", "tagged.conll", "--features", "DATA", "-q", "-o", "out.linnet"),
}
TREES: dict[str, tuple[str, ...]] = {
    "train": ("train", "DATA", "--task", "parse", "--max-iter", "2", "-q", "-o", "out.linnet"),
    "parse": ("parse", "parser.linnet", "DATA"),
    "evaluate": ("evaluate", "parser.linnet", "DATA"),
    "convert": ("convert", "DATA", "out", "--to", "conllx"),
}
PHRASES: dict[str, tuple[str, ...]] = {
    "convert": ("convert", "DATA", "out.brackets", "--indent", "--clean"),
    "convert to tags": ("convert", "DATA", "out.conll"),
    "evaluate": ("evaluate", "DATA", "DATA"),
}
ALL = {"texts": TEXTS, "sentences": SENTENCES, "trees": TREES, "phrases": PHRASES}


def family(name: str) -> str:
    """What a file of that name holds."""
    if name.endswith(".mrg"):
        return "phrases"
    if name.startswith(("trees", "enhanced")):
        return "trees"
    tagged = ("tagged", "tokens", "spans", "crfsuite", "conll")
    return "sentences" if any(part in name for part in tagged) else "texts"


def prepare() -> None:
    """What all cases need is made once."""
    data_files()
    warm()


def case(random: Random) -> Case:
    """A damaged file, and who reads it: both ways of reading, or a command."""
    name = random.choice(sorted(data_files()))
    reader = random.choice(("read", "read", *ALL[family(name)]))
    return Case(f"{reader}: {name}", mutate(data_files()[name], random))


def judge(case: Case, folder: Path) -> None:
    """It is read, or refused by its name."""
    reader, _, name = case.name.partition(": ")
    lay_out(folder)
    path = folder / name
    path.write_bytes(case.data)
    if reader == "read":
        _judge_readers(family(name), path)
    else:
        _judge_command(ALL[family(name)][reader], path, folder)


def _judge_readers(family: str, path: Path) -> None:
    """What is read as a whole is read in batches, too; these do without labels, and take more."""
    whole, batches = {
        "texts": (formats.read, formats.read_batches),
        "sentences": (formats.read_sequences, formats.read_sequence_batches),
        "trees": (formats.read_trees, formats.read_tree_batches),
        "phrases": (formats.read_brackets, formats.read_bracket_batches),
    }[family]
    found = _outcome(lambda: len(whole(path)), path)
    parts = _outcome(lambda: sum(map(len, batches(path))), path)
    # In batches, lines of running text are texts of their own, and a first index 0 may come late.
    running = family == "sentences" and found != "refused" and formats.detect_sequences(path) == "text"
    if found != "refused" and not running and not path.name.endswith(".svm"):
        assert found == parts, f"read as a whole: {found}, in batches: {parts}"


def _outcome(read: Any, path: Path) -> int | str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # of what is read with a note
            return int(read())
    except DataError as error:
        assert str(path) in str(error), f"the file is not named: {error}"  # noqa: PT017
        return "refused"


def _judge_command(command: tuple[str, ...], path: Path, folder: Path) -> None:
    words = [path.name if word == "DATA" else word for word in command]
    with warnings.catch_warnings():
        warnings.simplefilter("default")  # they are told, also where tests make them errors
        result = CliRunner().invoke(main, within(folder, words))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code in (0, 1, 2), f"exit code {result.exit_code}"
    if result.exit_code:
        *_, last = result.stderr.splitlines() or [""]
        assert last.startswith("Error: "), f"no error is told: {result.stderr!r:.300}"
    if result.exit_code == 1 and "cannot hold" not in result.stderr:  # of the format to convert to
        assert path.name in result.stderr, f"the file is not named: {result.stderr!r:.300}"
