"""Files beside the data: templates, lexicons, stop words; what is wrong with them names them."""

from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]
LATIN = "word\nw\xf6rter\n".encode("latin-1")


@pytest.mark.parametrize(
    ("options", "content", "said"),
    [
        (("--features",), LATIN, ", line 2: not UTF-8"),
        (("--features",), b"no[such\n", ": template 'no[such'"),
        (("--task", "parse", "--features"), LATIN, ", line 2: not UTF-8"),
        (("--lexicon",), LATIN, ", line 2: not UTF-8"),
        (("--lexicon",), b"linnet\tred\tnan\n", ", line 1: 'nan' is no number"),
        (("--lexicon",), b"dodo\tred\t1\n", ": the label 'dodo' never occurs in training"),
        (("--lexicon",), b"", " holds no lines"),
        (("--stop-words",), LATIN, ", line 2: not UTF-8"),
    ],
    ids=str,
)
def test_wrong_ones(
    run: Run, tmp_path: Path, options: tuple[str, ...], content: bytes, said: str
) -> None:
    small = tmp_path / "small"
    small.write_bytes(content)
    data = tmp_path / ("a.tsv" if options[0] in ("--lexicon", "--stop-words") else "a.conllu")
    token = "1\ta\t_\tD\t_\t_\t0\troot\t_\t_\n\n"
    data.write_text("linnet\ta b\nwren\tc d\n" * 4 if data.suffix == ".tsv" else token * 4)
    code, _, told = run("train", data, "-o", tmp_path / "m", *options, small)
    assert (code, told.count("\n")) == (1, 1), told
    assert f"Error: {small}{said}" in told
