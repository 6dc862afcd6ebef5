"""CSV for spreadsheets: no cell is a formula; without asking for it, cells come back as they were."""

from pathlib import Path

import numpy as np
import pytest

from linnet import formats

from .made import content, examples

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "-"]
PLAIN = ["a", "'=1", " =1", "1-1", ""]


def test_formulas_get_an_apostrophe(tmp_path: Path) -> None:
    texts = [*FORMULAS, *PLAIN]
    made = examples(
        texts, [f"{text}." for text in texts], columns={"=c": np.array(["@x"] * len(texts), object)}
    )
    path = tmp_path / "a.csv"
    formats.write(made, path, safe_csv=True)
    found = formats.read(path, columns=["'=c"])
    assert list(found.raw_texts()) == [f"'{t}".encode() for t in FORMULAS] + [t.encode() for t in PLAIN]
    assert found.labels is not None
    assert found.labels.values()[0] == "'=1+1."
    assert found.columns["'=c"].tolist() == ["'@x"] * len(texts)
    formats.write(made, path)
    again = formats.read(path, columns=["=c"])
    assert content(again)["texts"] == [text.encode() for text in texts]


def test_numbers_stay_numbers(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    formats.write(examples(["x"], ["y"], columns={"n": np.array([-1.5])}), path, safe_csv=True)
    assert formats.read(path, columns=["n"]).columns["n"].tolist() == [-1.5]


def test_of_csv_alone(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="safe_csv=True: for the format 'csv'; it is 'tsv'"):
        formats.write(examples(["x"], ["y"]), tmp_path / "a.tsv", safe_csv=True)
    assert not (tmp_path / "a.tsv").exists()
