"""Large files answered in pieces: the same bytes as in one go."""

import gzip
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import linnet
from linnet.data import samples

from .. import processes
from .tagged_files import UD

TEXTS, BIRDS = samples.load("birds-test")
ROWS = [*zip(TEXTS, BIRDS, strict=True)] * 3


def csv_of(rows: Any) -> str:
    return "id,text,label\n" + "".join(f'{i},"{text}\n{i}",{b}\n' for i, (text, b) in enumerate(rows))


def jsonl_of(rows: Any) -> str:
    made = [{"id": i, "text": text, "label": bird} for i, (text, bird) in enumerate(rows)]
    made[40]["note"] = made[50]["note"] = "late"
    return "".join(json.dumps(row) + "\n" for row in made)


FILES = {
    "a.tsv": "".join(f"{bird}\t{text}\n" for text, bird in ROWS),
    "a.txt": "".join(f"{text}\n" for text, _ in ROWS),
    "a.csv": csv_of(ROWS),
    "a.jsonl": jsonl_of(ROWS),
    "a.ft": "".join(f"__label__{bird.replace(' ', '-')} {text}\n" for text, bird in ROWS),
    "a.vw": "".join(f"|n {text.replace(':', ' ').replace('|', ' ')}\n" for text, _ in ROWS),
}


def same(run: Any, command: str, model: Path, path: Path, size: int, *extra: str) -> str:
    """Answers in pieces are those of the whole, and nothing else is left; what was said."""
    code, alone, _ = run(command, model, path, *extra)
    assert code == 0
    into = path.parent / "answers"
    code, _, said = run(command, model, path, "--into", into, "--piece", size, *extra)
    assert code == 0, said
    assert (into / path.name).read_bytes() == alone.encode()
    assert sorted(os.listdir(into)) == [".linnet-answers.jsonl", path.name]
    lines = (into / ".linnet-answers.jsonl").read_text().splitlines()
    assert len(lines) > 5  # pieces
    return said


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    "extra",
    [(), ("--proba",), ("--top", "2", "--scores"), ("--json",), ("--csv", "-k", "2"), ("--tsv",)],
)
def test_labels(run, models, tmp_path, name, extra) -> None:
    path = tmp_path / name
    path.write_text(FILES[name], encoding="utf-8")
    said = same(run, "predict", models / "birds.linnet", path, 6000, *extra)
    if name == "a.jsonl" and extra[:1] in (("--csv",), ("--tsv",)):
        assert said.count("is no key of the first object") == 1
        assert "'note' (line 41)" in said


def test_rows_of_numbers_and_row_groups(run, models, tmp_path) -> None:
    train = "".join(f"{'ab'[k % 2]} {1 + k % 2}:1 {3 + k % 5}:{k}\n" for k in range(200))
    (tmp_path / "a.svm").write_text(train)
    assert run("train", tmp_path / "a.svm", "-o", tmp_path / "m", "-q")[0] == 0
    same(run, "predict", tmp_path / "m", tmp_path / "a.svm", 200, "--csv")
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"id": [*range(len(ROWS))], "text": [text for text, _ in ROWS]})
    path = tmp_path / "p" / "a.parquet"
    path.parent.mkdir()
    pytest.importorskip("pyarrow.parquet").write_table(table, path, row_group_size=20)
    same(run, "predict", models / "birds.linnet", path, 2000, "--json")


@pytest.mark.parametrize(
    "extra", [(), ("--output-format", "tokens"), ("-k", "2"), ("--output-format", "tags")]
)
def test_tags(run, tagged, tmp_path, extra) -> None:
    path = tmp_path / "a.conll"
    path.write_text("-DOCSTART- -X- O\n\n" + (tagged / "test.conll").read_text())
    same(run, "tag", tagged / "names.linnet", path, 1000, *extra)


def test_tags_of_texts_tell_lines(run, tagged, tmp_path) -> None:
    path = tmp_path / "a.jsonl"
    lines = [json.dumps({"text": "Robin saw a barn owl near Kettle Marsh. May left."}) + "\n"] * 60
    path.write_text("".join(lines))
    same(run, "tag", tagged / "words.linnet", path, 400, "--format", "spans")
    os.remove(tmp_path / "answers" / ".linnet-answers.jsonl")
    entities = ("--format", "spans", "--output-format", "entities")
    same(run, "tag", tagged / "words.linnet", path, 400, *entities)
    assert json.loads((tmp_path / "answers" / "a.jsonl").read_text().splitlines()[-1])["line"] == 60


@pytest.mark.parametrize("extra", [(), ("--svg",), ("-k", "2"), ("--draw",)])
def test_trees(run, tmp_path, extra) -> None:
    (tmp_path / "train.conllu").write_text(UD)
    assert (
        run("train", tmp_path / "train.conllu", "-o", tmp_path / "m", "-q", "--task", "parse")[0] == 0
    )
    path = tmp_path / "a.conllu"
    path.write_text((UD.strip() + "\n\n") * 20)
    same(run, "parse", tmp_path / "m", path, 500, *extra)


def test_what_is_packed_is_one_piece(run, models, tmp_path) -> None:
    path = tmp_path / "a.tsv.gz"
    path.write_bytes(gzip.compress(FILES["a.tsv"].encode()))
    into = tmp_path / "o"
    assert run("predict", models / "birds.linnet", path, "--into", into, "--piece", 500)[0] == 0
    alone = run("predict", models / "birds.linnet", path)[1]
    assert gzip.decompress((into / "a.tsv.gz").read_bytes()) == alone.encode()
    assert len((into / ".linnet-answers.jsonl").read_text().splitlines()) == 2


@pytest.fixture
def stopped(models, tmp_path):
    """A command, and the folder of one like it that was killed when it had some pieces."""
    path, into = tmp_path / "a.tsv", tmp_path / "o"
    path.write_text(FILES["a.tsv"] * 6)
    command = ["predict", models / "birds.linnet", path, "--into", into, "--piece", "4000"]
    journal = into / ".linnet-answers.jsonl"
    words = [sys.executable, "-m", "linnet.cli", *map(str, command)]
    with processes.Process(words) as process:
        while not journal.exists() or journal.read_bytes().count(b"\n") < 4:
            assert process.poll() is None
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
    assert not (into / path.name).exists()
    return command, into


def pieces_done(into: Path) -> list[Any]:
    lines = (into / ".linnet-answers.jsonl").read_text().splitlines()[1:]
    return [line for line in map(json.loads, lines) if len(line) > 4]


def test_a_killed_command_goes_on(run, stopped) -> None:
    command, into = stopped
    before = pieces_done(into)
    parts = {path: path.stat().st_mtime_ns for path in into.glob(".linnet-part-*")}
    assert len(parts) >= len(before) >= 3
    code, _, said = run(*command)
    assert code == 0
    assert f"{len(before)} of " in said
    assert "pieces of" in said
    assert "answered before" in said
    after = pieces_done(into)
    assert after[: len(before)] == before  # not done again
    assert len({tuple(piece) for piece in after}) == len(after)
    assert (into / "a.tsv").read_text() == run(*command[:3])[1]
    assert sorted(os.listdir(into)) == [".linnet-answers.jsonl", "a.tsv"]
    assert "1 of 1 files were answered before" in run(*command)[2]


def test_a_piece_that_was_cut_short_is_answered_again(run, stopped) -> None:
    command, into = stopped
    count = len(pieces_done(into))
    begin, end = pieces_done(into)[1][3:5]
    (part,) = into.glob(f".linnet-part-*-{begin}-{end}")
    part.write_bytes(part.read_bytes()[:-1])
    code, _, said = run(*command)
    assert code == 0
    assert f"{count - 1} of " in said
    assert (into / "a.tsv").read_text() == run(*command[:3])[1]


def test_other_input_and_other_cuts_make_pieces_worthless(run, stopped) -> None:
    command, into = stopped
    code, _, said = run(*command[:-1], "9000")  # where cuts fall together, answers are taken
    assert code == 0
    assert sorted(os.listdir(into)) == [".linnet-answers.jsonl", "a.tsv"]
    path = command[2]
    path.write_text(FILES["a.tsv"])
    code, _, said = run(*command)
    assert code == 0
    assert "answered before" not in said
    assert (into / "a.tsv").read_text() == run(*command[:3])[1]
    assert sorted(os.listdir(into)) == [".linnet-answers.jsonl", "a.tsv"]


def test_parts_of_another_model_are_refused(run, stopped, tmp_path) -> None:
    command, _ = stopped
    linnet.TextClassifier().fit(["x", "y", "x", "y"], ["p", "q", "p", "q"]).save(tmp_path / "other")
    code, _, said = run("predict", tmp_path / "other", *command[2:])
    assert code == 1
    assert "answers of another model" in said


def test_one_mistake_is_told_once_with_its_line(run, models, tmp_path) -> None:
    lines = [f"{bird}\t{text}\n" for text, bird in ROWS]
    lines[100] = lines[200] = "no tab\n"
    path, into = tmp_path / "a.tsv", tmp_path / "o"
    path.write_text("".join(lines))
    (tmp_path / "b.tsv").write_text("".join(lines[:50]))
    files = (path, tmp_path / "b.tsv")
    code, _, said = run("predict", models / "birds.linnet", *files, "--into", into, "--piece", 2000)
    assert code == 1
    assert said.count("no tab between label and text") == 1
    assert "a.tsv, line 101: " in said
    assert "1 of 2 files have no answer" in said
    assert (into / "b.tsv").exists()
    assert not (into / "a.tsv").exists()


def test_what_is_missing_is_told_once(run, models, tmp_path) -> None:
    rows = [{"text": None if i > 50 and i % 50 == 7 else text} for i, (text, _) in enumerate(ROWS)]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = run("predict", models / "birds.linnet", path)[2]
    assert "texts are missing" in told
    said = same(run, "predict", models / "birds.linnet", path, 4000)
    count = sum(row["text"] is None for row in rows)
    assert said.count("texts are missing") == 1
    assert f"note: {count} of " in said
    assert f"(the first: {path}, line 58)" in said


def test_progress_is_that_of_the_whole_job(run, models, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("linnet.cli.following.ELSEWHERE", 0.0)
    (tmp_path / "a.tsv").write_text(FILES["a.tsv"] * 3)
    (tmp_path / "b.tsv").write_text(FILES["a.tsv"])
    files = (tmp_path / "a.tsv", tmp_path / "b.tsv")
    command = ("predict", models / "birds.linnet", *files, "--into", tmp_path / "o")
    said = run(*command, "--piece", 20_000)[2].splitlines()
    steps = [line for line in said if "pieces" in line]
    assert [line.split()[0] for line in steps] == [str(k + 1) for k in range(len(steps))]
    assert len(steps) > 3
    assert f"{len(steps)} of {len(steps)} pieces, " in steps[-1]
    assert not any("texts" in line for line in said)  # of single pieces


def test_pieces_are_of_files_in_a_folder(run, models, tmp_path) -> None:
    (tmp_path / "a.tsv").write_text(FILES["a.tsv"])
    code, _, said = run("predict", models / "birds.linnet", tmp_path / "a.tsv", "--piece", "1MB")
    assert code == 2
    assert "--piece is of files: say --into DIR" in said
