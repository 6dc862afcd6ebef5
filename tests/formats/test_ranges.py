"""Ranges of a file, one after the other, are the file."""

import gzip
import json
import pickle
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linnet.errors import DataError
from linnet.formats import (
    FORMATS,
    SEQUENCE_FORMATS,
    TREE_FORMATS,
    Range,
    Row,
    ranges,
    read_batches,
    read_sequence_batches,
    read_tree_batches,
)
from linnet.formats.sequences._tags import tag_strings

from .made import content, file

quick = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
sizes = st.integers(1, 60)
ends = st.sampled_from(["\n", "\r\n"])
words = st.text(st.sampled_from("aé日𝄞 ,;\"'"), max_size=6)
filled = words.map(lambda word: f"w{word}")


def pairs(examples: Any) -> list[Any]:
    """What there is of each example, and its line."""
    found = content(examples)
    size = len(examples)
    columns = [found["texts"] or [None] * size, found.get("labels") or [None] * size]
    columns += [found.get("weights") or [1.0] * size, found.get("rows") or [None] * size]
    return [*zip(*columns, examples.lines.tolist(), strict=True)]


def sentences(batch: Any) -> list[Any]:
    """What there is of each token, sentence by sentence, with its line and what stands aside."""
    tags = [None] * batch.tokens if batch.labels is None else tag_strings(batch.labels)
    names = [*batch.columns]
    aside = batch.aside
    found = []
    for i, (begin, end) in enumerate(pairwise(batch.offsets.tolist())):
        there = [] if aside is None else range(aside.offsets[i], aside.offsets[i + 1])
        found.append(
            (
                [
                    (batch.lines[t], tags[t], *(batch.columns[n][t] for n in names))
                    for t in range(begin, end)
                ],
                [(aside.lines[k], int(aside.places[k])) for k in there],
                1.0 if batch.weights is None else batch.weights[i],
            )
        )
    return found


def trees(batch: Any) -> list[Any]:
    heads = batch.head_lists()
    return [*zip(sentences(batch.sequences), heads, batch.relation_lists(), strict=True)]


SHOWN = {read_batches: pairs, read_sequence_batches: sentences, read_tree_batches: trees}


def told(read: Any, path: Any, *rest: Any, **options: Any) -> tuple[list[Any], str | None]:
    """All that is read, and what was wrong in the end."""
    found: list[Any] = []
    shown = SHOWN[read]
    try:
        for batch in read(path, *rest, **options):
            found += shown(batch)
    except DataError as error:
        return found, str(error)
    return found, None


def check(path: Path, form: Row, size: int, read: Any, options: dict[str, Any]) -> int:
    """The same as the whole, and the same complaint; returns how many ranges there were."""
    whole, wrong = told(read, path, form.name, **options)
    for lines in (True, False):
        cut = ranges(path, form, size, lines=lines, **options)
        assert [part.begin for part in cut] == [0, *(part.end for part in cut[:-1])]
        assert sum(part.size for part in cut) == path.stat().st_size
        found: list[Any] = []
        fault = None
        for part in cut:
            assert pickle.loads(pickle.dumps(part)) == part
            more, fault = told(read, part, form.name, **options)
            found += more
            if fault is not None:
                break
        assert (fault or "").partition(": ")[0] == (wrong or "").partition(": ")[0]  # file and line
        if wrong is None and lines:
            assert found == whole
    return len(cut)


def marked(data: str, mark: bool, final: bool) -> bytes:
    return (b"\xef\xbb\xbf" if mark else b"") + (data if final else data.rstrip("\r\n")).encode()


def mostly(good: Any, bad: list[Any], most: int) -> Any:
    """A list of good ones, with one bad one among them at most."""
    some = st.lists(good, max_size=most // 2)
    one = st.sampled_from([[], *([row] for row in bad)])
    first = st.lists(good, min_size=1, max_size=most // 2)
    return st.builds(lambda a, b, c: a + b + c, first, one, some)


LINES: dict[str, Any] = {
    "text": words,
    "tsv": st.builds("{}\t{}".format, filled, words),
    "fasttext": st.builds(
        "{} {}".format, st.sampled_from(["__label__a", "__label__a __label__b"]), filled
    ),
    "vw": st.builds("{} |n {}".format, st.sampled_from(["a", "b 2", "b"]), st.just("w v")),
    "svmlight": st.sampled_from(["a 1:1 3:2", "b", "b 2:0.5 # c", "# c"]),
    "jsonl": st.one_of(
        st.builds(lambda a, b: json.dumps({"label": a, "text": b}, ensure_ascii=False), filled, words),
        st.builds(lambda a, b: json.dumps({"text": b, "label": [a, "z"]}), filled, words),
        st.just('{"title": "t", "text": "u", "label": "v"}'),
    ),
}
BAD = {"tsv": ["no tab", ""], "svmlight": ["x 0:1", "y 1:z", ""], "jsonl": ["[1]", "{", "{}", ""]}


@pytest.mark.parametrize("name", LINES)
@given(data=st.data())
@quick
def test_lines(name: str, tmp_path: Path, data: Any) -> None:
    rows = data.draw(mostly(LINES[name], BAD.get(name, []), 12))
    end, labelled = data.draw(ends), data.draw(st.sampled_from([None, False]))
    body = "".join(row + end for row in rows) + end * data.draw(st.integers(0, 2))
    path = file(tmp_path, "data", marked(body, data.draw(st.booleans()), data.draw(st.booleans())))
    options = {} if labelled is None or name == "text" else {"labelled": labelled}
    check(path, FORMATS[name], data.draw(sizes), read_batches, options)


CELLS = st.one_of(
    words.map(lambda word: word.replace('"', "").replace(",", "").replace(";", "")),
    st.text(st.sampled_from('aé,;\n\r"'), max_size=6).map(lambda t: '"' + t.replace('"', '""') + '"'),
    st.sampled_from(['5" wide', 'a"b"']),
)
BAD_CELLS = ['w,"bad" end', 'w,"open', "w", "a,b,c"]


@given(data=st.data())
@quick
def test_csv(tmp_path: Path, data: Any) -> None:
    end = data.draw(st.sampled_from(["\n", "\r\n", "\r"]))
    rows = data.draw(
        mostly(
            st.builds("w{},{}".format, words.map(lambda w: w.replace('"', "").replace(",", "")), CELLS),
            BAD_CELLS,
            12,
        )
    )
    header = data.draw(
        st.sampled_from(["label,text", '"label","text"', '"la\nbel",text', end + "label,text"])
    )
    body = "".join(row + data.draw(st.sampled_from(["", "\n"])) + end for row in [header, *rows])
    path = file(tmp_path, "a.csv", marked(body, data.draw(st.booleans()), data.draw(st.booleans())))
    options = {} if data.draw(st.booleans()) else {"header": False}
    check(path, FORMATS["csv"], data.draw(sizes), read_batches, options)


WORD = "\té\té\tX" + "\t_" * 6
COLUMNS: dict[str, Any] = {
    "conll": ["a X", "é Y", "b Z", "# c"],
    "tsv": ["a\tX", "é\tY"],
    "crfsuite": ["X\ta\tb:2", "Y\té", "Z\ta"],
}
ASIDE = {"conll": ["-DOCSTART- -X-"], "tsv": ["-DOCSTART-\tx"], "crfsuite": ["@weight:2"]}
WRONG = {
    "conll": [["a b c"], ["a b c", "a X"]],
    "tsv": [["a"], ["a\tb\tc", "a\tX"]],
    "crfsuite": [["Z\ta:b"]],
    "conllu": [["2" + WORD], ["1\ta"], ["1-2" + WORD], ["# c"]],
}


@pytest.mark.parametrize("name", WRONG)
@given(data=st.data())
@quick
def test_sentences(name: str, tmp_path: Path, data: Any) -> None:
    if name == "conllu":
        good = st.integers(1, 3).map(lambda n: [f"{k + 1}{WORD}" for k in range(n)])
        good = st.one_of(good, good.map(lambda lines: ["# id", "1-2" + WORD, *lines]))
    else:
        good = st.lists(st.sampled_from(COLUMNS[name]), min_size=1, max_size=4)
        good = st.one_of(good, st.sampled_from(ASIDE[name]).map(lambda line: [line]))
    groups = data.draw(mostly(good, WRONG[name], 8))
    end = data.draw(ends)
    body = "word\ttag" + end if name == "tsv" and data.draw(st.booleans()) else ""
    for group in groups:
        body += "".join(line + end for line in group) + end * data.draw(st.integers(1, 3))
    path = file(tmp_path, "data", marked(body, data.draw(st.booleans()), data.draw(st.booleans())))
    options = {"comment": "#"} if name == "conll" and data.draw(st.booleans()) else {}
    check(path, SEQUENCE_FORMATS[name], data.draw(sizes), read_sequence_batches, options)


TOKENS = [
    {"tokens": ["a", "é"], "tags": ["X", "Y"]},
    {"tokens": ["b"], "tags": [None], "weight": 2},
    {"pos": ["Z"], "tokens": ["b"], "tags": ["X"], "weight": 3},
]
SPANS = [
    {"text": "a é b.", "spans": [[0, 1, "X"]]},
    {"label": [], "text": "A. B", "spans": [], "weight": 2},
]


@pytest.mark.parametrize(
    ("name", "rows"), [("tokens", TOKENS), ("spans", SPANS), ("text", ["A é.", ""])]
)
@given(data=st.data())
@quick
def test_sentences_by_line(name: str, rows: list[Any], tmp_path: Path, data: Any) -> None:
    lines = data.draw(st.lists(st.sampled_from(rows), min_size=1, max_size=10))
    end = data.draw(ends)
    body = "".join((row if name == "text" else json.dumps(row)) + end for row in lines)
    path = file(tmp_path, "data", marked(body, data.draw(st.booleans()), data.draw(st.booleans())))
    check(path, SEQUENCE_FORMATS[name], data.draw(sizes), read_sequence_batches, {})


@pytest.mark.parametrize("name", TREE_FORMATS)
@given(data=st.data())
@quick
def test_trees(name: str, tmp_path: Path, data: Any) -> None:
    good = st.integers(1, 3).map(lambda n: [f"{k + 1}\té\té\tX\t_\t_\t{k}\tr\t_\t_" for k in range(n)])
    bad = [["1\ta"], ["2" + "\t_" * 9], ["1\ta\ta\tX\t_\t_\tz\tr\t_\t_"]]
    sentence = st.one_of(good, good.map(lambda lines: ["# sent_id = 1", *lines]))
    end = data.draw(ends)
    body = ""
    for group in data.draw(mostly(sentence, bad, 8)):
        body += "".join(line + end for line in group) + end * data.draw(st.integers(1, 3))
    path = file(tmp_path, "data", marked(body, data.draw(st.booleans()), data.draw(st.booleans())))
    check(path, TREE_FORMATS[name], data.draw(sizes), read_tree_batches, {})


def test_row_groups(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    texts = [f"text {k}" for k in range(100)]
    path = tmp_path / "a.parquet"

    def write() -> list[Range]:
        table = pyarrow.table({"text": texts, "label": ["a", "b"] * 50})
        parquet.write_table(table, path, row_group_size=7)
        return ranges(path, FORMATS["parquet"], 500)

    cut = write()
    assert len(cut) > 3
    assert all(part.groups for part in cut)
    found = [pair for part in cut for pair in told(read_batches, part, "parquet")[0]]
    assert found == told(read_batches, path, "parquet")[0]
    texts[80] = None  # type: ignore[call-overload]
    faults = [told(read_batches, part, "parquet")[1] for part in write()]
    assert [fault for fault in faults if fault] == [f"{path}, row 81: 'text' is null"]


def test_what_is_read_whole_is_one_range(tmp_path: Path) -> None:
    body = "".join(f"x\ttext {k}\n" for k in range(100))
    for name, data, form in (
        ("a.tsv.gz", gzip.compress(body.encode()), FORMATS["tsv"]),
        ("b.tsv", "label\ttext\n" + body, FORMATS["tsv"]),
        ("c.jsonl", json.dumps([{"text": "a", "label": "b"}] * 50), FORMATS["jsonl"]),
        ("d.json", json.dumps([{"tokens": ["a"], "tags": ["b"]}] * 50), SEQUENCE_FORMATS["tokens"]),
    ):
        path = file(tmp_path, name, data)
        (part,) = ranges(path, form, 10)
        assert part.whole
        read = read_batches if form in FORMATS.values() else read_sequence_batches
        assert told(read, part, form.name) == told(read, path, form.name)
    path = file(tmp_path, "e.txt", "One. Two.\n" * 10)
    assert len(ranges(path, SEQUENCE_FORMATS["text"], 10, by_line=False)) == 1
    assert len(ranges(path, SEQUENCE_FORMATS["text"], 10, by_line=True)) == 5
    assert len(ranges(file(tmp_path, "empty", ""), FORMATS["text"], 10)) == 1
    with pytest.raises(DataError, match="standard input is a pipe"):
        ranges("-", FORMATS["text"], 10)
    with pytest.raises(ValueError, match="size must be at least 1"):
        ranges(path, FORMATS["text"], 0)


def test_the_head_of_the_file_decides(tmp_path: Path) -> None:
    """Names, whether it is labelled, and several labels: not what a range begins with."""
    rows = [{"text": "a", "label": ["x", "y"]}] + [{"title": "t", "text": "b", "label": []}] * 20
    path = file(tmp_path, "a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    cut = ranges(path, FORMATS["jsonl"], 100)
    assert len(cut) > 3
    batches = [batch for part in cut for batch in read_batches(part)]
    assert [t for batch in batches for t in batch.raw_texts()] == [b"a"] + [b"b"] * 20
    assert all(batch.labels.multilabel for batch in batches)
    path = file(tmp_path, "a.tsv", "x\ta\n" + "label\ttext\n" * 20)
    assert all(
        batch.labels is not None and not batch.notes
        for part in ranges(path, FORMATS["tsv"], 30)
        for batch in read_batches(part)
    )


@pytest.mark.parametrize("name", ["a.tsv", "a.parquet"])
def test_a_changed_file_is_told(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    form = FORMATS[name[2:]]

    def write(count: int) -> None:
        if name == "a.tsv":
            path.write_text("x\ttext\n" * count)
            return
        pyarrow = pytest.importorskip("pyarrow")
        table = pyarrow.table({"text": ["a", "b"] * count, "label": ["a", "b"] * count})
        pytest.importorskip("pyarrow.parquet").write_table(table, path, row_group_size=10)

    write(50)
    cut = ranges(path, form, 100)
    assert len(cut) > 2
    write(60)
    with pytest.raises(DataError, match="has changed since it was cut into ranges"):
        list(read_batches(cut[1]))
    path.unlink()
    with pytest.raises(DataError, match="does not exist"):
        list(read_batches(cut[1], form.name))


def test_a_file_that_changes_while_it_is_read_is_told(tmp_path: Path) -> None:
    path = file(tmp_path, "a.txt", "text\n" * 500_000)
    part = ranges(path, FORMATS["text"], 1_200_000)[0]
    batches = read_batches(part, "text")
    next(batches)
    with path.open("ab") as more:
        more.write(b"text\n")
    with pytest.raises(DataError, match="has changed"):
        list(batches)
