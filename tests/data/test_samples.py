"""The bundled samples load, and are what their grammar writes."""

import runpy
from pathlib import Path

import pytest

from linnet.data import samples

TOOL = Path(__file__).parents[2] / "tools" / "make_samples.py"
SIZES = {"birds-train": 1200, "birds-test": 400, "verse-train": 600, "verse-test": 200}


def test_the_grammar_writes_the_committed_files_byte_for_byte() -> None:
    tool = runpy.run_path(str(TOOL))
    for name, text in tool["render"]().items():
        assert (tool["FOLDER"] / name).read_bytes() == text.encode(), "run `make samples`"


@pytest.mark.parametrize("name", samples.NAMES)
def test_load(name: str) -> None:
    texts, labels = samples.load(name)
    assert len(texts) == len(labels) == SIZES[name]
    birds = {"heron", "linnet", "magpie", "owl", "swift", "wren"}
    assert set(labels) == (birds if name.startswith("birds") else {"poem", "weather"})
    assert all(text.endswith(".") and "{" not in text for text in texts)


@pytest.mark.parametrize("kind", ["birds", "verse"])
def test_no_text_is_both_trained_on_and_tested(kind: str) -> None:
    train, _ = samples.load(f"{kind}-train")
    test, _ = samples.load(f"{kind}-test")
    assert len({*train, *test}) == len(train) + len(test)


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"no sample is called 'bats'.*birds-train"):
        samples.load("bats")
