"""Sentences and trees ten times as large as what may be held: the limit is kept."""

from pathlib import Path

import pytest

from .much import SIZE, fitted_within, measured, write

pytestmark = measured


@pytest.fixture(scope="module")
def much(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    folder = tmp_path_factory.mktemp("much")
    return folder, write(folder)


@pytest.mark.parametrize("model", ["Tagger(max_iter=1)", "DependencyParser(max_iter=1)"])
def test_the_limit_is_kept(model: str, much: tuple[Path, int]) -> None:
    """The peak of resident memory (VmHWM), mapped pages included, stays below the limit."""
    folder, count = much
    assert (folder / "much.conllu").stat().st_size >= SIZE
    most, limit, sentences, told = fitted_within(folder, model)
    assert sentences == count
    assert "one at a time in memory" in told
    assert most <= limit
    assert sorted(path.name for path in folder.iterdir()) == ["few.conllu", "much.conllu"]
