"""TSV as pandas writes it: a header, and quotes around cells that need them."""

from pathlib import Path

import pytest

from linnet import formats

from .made import file

TEXTS = ['He said "hi"', "two\nlines", "a\ttab", "plain"]
BODY = '"He said ""hi"""', '"two\nlines"', '"a\ttab"', "plain"


def rows(*cells: tuple[str, ...]) -> str:
    return "".join("\t".join(row) + "\n" for row in cells)


LABELS = ["x", "y", "x", "y"]
WRITTEN = {
    "label and text": rows(("label", "text"), *zip(LABELS, BODY, strict=True)),
    "text and label": rows(("text", "label"), *zip(BODY, LABELS, strict=True)),
    "with the index": rows(("", "text", "label"), *zip("0123", BODY, LABELS, strict=True)),
    "all quoted": rows(
        ('"label"', '"text"'),
        *((f'"{k}"', t if t.startswith('"') else f'"{t}"') for k, t in zip(LABELS, BODY, strict=True)),
    ),
}


@pytest.mark.parametrize("case", WRITTEN)
def test_quotes_are_taken_off(tmp_path: Path, case: str) -> None:
    path = file(tmp_path, "a.tsv", WRITTEN[case])
    read = formats.read(path)
    assert [read.texts[i] for i in range(len(read))] == TEXTS
    assert read.labels.values() == LABELS
    assert read.notes == (
        f"{path}: the first line is taken as a header, column 'text' as text, 'label' as label; "
        "quotes are taken off",
    )
    batches = list(formats.read_batches(path, skip_labels=True, size=3))
    assert [batch.texts[i] for batch in batches for i in range(len(batch))] == TEXTS


def test_pandas(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": TEXTS, "label": LABELS})
    for index in (True, False):
        frame.to_csv(tmp_path / "a.tsv", sep="\t", index=index)
        read = formats.read(tmp_path / "a.tsv")
        assert ([read.texts[i] for i in range(4)], read.labels.values()) == (TEXTS, LABELS)


def test_quotes_that_are_text_stay(tmp_path: Path) -> None:
    """Without a doubled quote, a tab or a line break in it, no writer would have quoted a cell."""
    texts = ['"A quotation."', '"Two" words', '"open']
    for head in ("label\ttext\n", ""):
        for given in (texts, texts[:1]):
            data = head + "".join(f"x\t{text}\n" for text in given)
            read = formats.read(file(tmp_path, "a.tsv", data))
            assert [read.texts[i] for i in range(len(read))] == given
    read = formats.read(file(tmp_path, "a.tsv", "text\tlabel\n" + rows(*((t, "x") for t in texts))))
    assert [read.texts[i] for i in range(3)] == texts


def test_quotes_without_a_header_are_told(tmp_path: Path) -> None:
    path = file(tmp_path, "a.tsv", 'x\t"He said ""hi"""\ny\tplain\n')
    read = formats.read(path)
    assert read.texts[0] == '"He said ""hi"""'
    assert read.notes == (f"{path}: cells seem to be quoted; format='csv' takes the quotes off",)
