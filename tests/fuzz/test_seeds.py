"""The files that fuzzing begins with are good ones, of every format and kind."""

from pathlib import Path
from random import Random

import linnet
from linnet import formats
from linnet.estimators.files import KINDS
from linnet.persistence import read

from .data_files import ENDINGS, data_files
from .model_files import model_files
from .mutations import WAYS, mutate


def test_a_file_of_every_format(tmp_path: Path) -> None:
    assert {*ENDINGS} == {row.name for row in formats.TABLE}
    for name, data in data_files().items():
        path = tmp_path / name
        path.write_bytes(data)
        if name.startswith("trees"):
            assert len(formats.read_trees(path))
        elif name.endswith(".mrg"):
            assert len(formats.read_brackets(path))
        elif any(part in name for part in ("tagged", "tokens", "spans", "crfsuite", "conll")):
            assert len(formats.read_sequences(path))
        else:
            assert len(formats.read(path))


def test_a_model_of_every_kind(tmp_path: Path) -> None:
    kinds = set()
    for k, data in enumerate(model_files().values()):
        path = tmp_path / f"{k}.linnet"
        path.write_bytes(data)
        kinds.add(read(path).kind)
        linnet.load(path)
    assert kinds == {*KINDS}


def test_the_same_chance_makes_the_same_bytes() -> None:
    for data in (b"", b"a\tb\nc\td\n"):
        for way in WAYS:
            assert isinstance(way(data, Random(1)), bytes)
        assert [mutate(data, Random(k)) for k in range(50)] == [
            mutate(data, Random(k)) for k in range(50)
        ]
