"""Sample data as files, and models trained on them, for the tests of commands."""

from collections.abc import Callable
from pathlib import Path

import pytest

from linnet.data import samples

from ..commands import command


@pytest.fixture(scope="session")
def run() -> Callable[..., tuple[int, str, str]]:
    """Call a command: its exit code, what it printed, what it said on stderr."""
    return command


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the samples as TSV."""
    folder = tmp_path_factory.mktemp("data")
    for name in samples.NAMES:
        texts, labels = samples.load(name)
        lines = [f"{label}\t{text}\n" for text, label in zip(texts, labels, strict=True)]
        (folder / f"{name}.tsv").write_text("".join(lines), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def models(data: Path, run: Callable[..., tuple[int, str, str]]) -> Path:
    """The same folder, with models of verse and birds, a good one and a poor one of each."""
    for name in ("verse", "birds"):
        train = data / f"{name}-train.tsv"
        assert run("train", train, "-o", data / f"{name}.linnet")[0] == 0
        poor = run("train", train, "-o", data / f"{name}-poor.linnet", "--word", "1", "-C", "0.0001")
        assert poor[0] == 0
    return data


@pytest.fixture(scope="session")
def tagged(tmp_path_factory: pytest.TempPathFactory, run: Callable[..., tuple[int, str, str]]) -> Path:
    """A folder with the tagged sample, a tagger of it, and one that looks at words alone."""
    folder = tmp_path_factory.mktemp("tagged")
    for name in samples.TAGGED:
        rows = zip(*samples.load_tagged(name), strict=True)
        blocks = [
            "".join(f"{word} {pos} {tag}\n" for (word, pos), tag in zip(*row, strict=True))
            for row in rows
        ]
        (folder / f"{name.removeprefix('sightings-')}.conll").write_text(
            "\n".join(blocks) + "\n", encoding="utf-8"
        )
    train = folder / "train.conll"
    assert run("train", train, "-o", folder / "names.linnet", "-q") == (0, "", "")
    assert run("train", train, "-o", folder / "words.linnet", "-q", "--features", "pos") == (0, "", "")
    return folder
