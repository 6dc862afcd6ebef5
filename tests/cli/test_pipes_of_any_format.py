"""A pipe is looked at as a file is: what comes through it is told by its first lines."""

import json
import subprocess
import sys

import pytest

from linnet.data import samples

from ..processes import Process
from .test_pipes import answer, call, start

TEXTS = ["gorse and a red forehead", "a hoot, at night"]


@pytest.fixture(scope="module")
def expected(models) -> bytes:
    return call("predict", models / "birds.linnet", given="".join(f"{t}\n" for t in TEXTS).encode())[1]


def as_csv(mark: str = ",") -> str:
    return mark.join(["id", "text"]) + "\n" + "".join(f'{i}{mark}"{t}"\n' for i, t in enumerate(TEXTS))


WRITTEN = {
    "csv": as_csv(),
    "jsonl": "".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in enumerate(TEXTS)),
    "vw": "".join(f"| {t}\n" for t in TEXTS),
    "fasttext": "".join(f"__label__x {t}\n" for t in TEXTS),
    "tsv": "".join(f"x\t{t}\n" for t in TEXTS),
    "text": "".join(f"{t}\n" for t in TEXTS),
}


@pytest.mark.parametrize("form", WRITTEN)
def test_a_pipe_is_read_as_a_file_is(models, tmp_path, expected, form) -> None:
    given = WRITTEN[form].encode()
    code, output, said = call("predict", models / "birds.linnet", given=given)
    assert (code, output) == (0, expected)
    quiet = form in ("text", "tsv")  # the model has learnt from TSV
    told = f"note: standard input is read as {form}; --format names another (text: its lines are texts)"
    assert said.decode() == ("" if quiet else f"{told}\n")
    ending = {"vw": ".vw", "fasttext": ".ft", "text": ".txt"}.get(form, f".{form}")
    (tmp_path / f"a{ending}").write_bytes(given)
    assert call("predict", models / "birds.linnet", tmp_path / f"a{ending}")[:2] == (0, expected)


@pytest.mark.parametrize("form", ["csv", "jsonl", "vw"])
def test_lines_are_still_answered_one_by_one(models, expected, form) -> None:
    lines = WRITTEN[form].encode().splitlines(keepends=True)
    wanted = expected.splitlines(keepends=True)
    with start("predict", models / "birds.linnet") as process:
        if form == "csv":
            process.stdin.write(lines.pop(0))
        assert [answer(process, line) for line in lines] == wanted
        process.stdin.close()
        assert process.wait(20) == 0


def test_a_cell_of_csv_may_end_in_the_next_piece(models, expected) -> None:
    with start("predict", models / "birds.linnet") as process:
        process.stdin.write(b'id,text\n0,"gorse and\n')
        process.stdin.flush()
        assert answer(process, b'a red forehead"\n') == expected.splitlines(keepends=True)[0]
        process.stdin.close()
        assert process.wait(20) == 0


def test_a_first_line_of_prose_is_no_header(models) -> None:
    with start("predict", models / "birds.linnet") as process:
        assert answer(process, b"Hello, question\n").count(b"\n") == 1
        process.stdin.close()
        assert process.wait(20) == 0


def test_what_cannot_be_told_is_asked_for(models) -> None:
    given = b"gorse\nlinnet\tgorse\nivy\nivy\n"
    code, output, said = call("predict", models / "birds.linnet", given=given)
    assert (code, output) == (1, b"")
    assert said == (
        b"Error: standard input may be of the formats tsv or text: say which, by --format tsv\n"
    )
    _, output, _ = call("predict", models / "birds.linnet", "--format", "text", given=given)
    assert output.count(b"\n") == 4


def test_labels_of_csv_through_a_pipe_are_evaluated(models, run) -> None:
    texts, birds = samples.load("birds-test")
    rows = [json.dumps({"text": t, "label": b}) + "\n" for t, b in zip(texts, birds, strict=True)]
    code, output, said = call(
        "evaluate", models / "birds.linnet", "-", "--worst", 0, given="".join(rows).encode()
    )
    assert (code, said) == (0, b"")
    by_file = run("evaluate", models / "birds.linnet", models / "birds-test.tsv", "--worst", 0)[1]
    assert output.decode() == by_file


def test_explanations_of_csv(models) -> None:
    texts = [f"{text}\n" for text in TEXTS]
    plain = call("explain", models / "birds.linnet", "--json", given="".join(texts).encode())
    piped = call("explain", models / "birds.linnet", "--json", given=as_csv().encode())
    assert piped[:2] == plain[:2]


# ---------------------------------------------------------------------- rows


def test_a_model_of_vw_never_hears_of_svmlight(run, tmp_path) -> None:
    (tmp_path / "d.vw").write_text("1 |a x:1 y:2\n2 |a z:3 |b w\n" * 9, encoding="utf-8")
    assert run("train", tmp_path / "d.vw", "-o", tmp_path / "m.linnet")[0] == 0
    model = tmp_path / "m.linnet"
    assert call("predict", model, given=b"|a z:3\n1 |a x:1\n") == (0, b"2\n1\n", b"")
    code, output, said = call("predict", model, given=b"z y\n")
    assert (code, output) == (1, b"")
    assert said.decode() == (
        "Error: standard input, line 1: no | before the features; a line reads: label | word word …\n"
    )


def test_unlabelled_rows_come_first(run, tmp_path) -> None:
    (tmp_path / "d.svm").write_text("a 1:1\nb 2:1\n" * 9, encoding="utf-8")
    assert run("train", tmp_path / "d.svm", "-o", tmp_path / "m.linnet")[0] == 0
    for given in (b"2:1 99:1\n", b"2:1\t99:1\n", b"0 2:1\n"):
        assert call("predict", tmp_path / "m.linnet", given=given) == (0, b"b\n", b"")
    code, _, said = call("predict", tmp_path / "m.linnet", given=b'{"text": "x"}\n')
    assert code == 1
    assert b"holds texts, but the model is one of numbered features" in said


# ---------------------------------------------------------------------- sentences and trees


def test_columns_through_a_pipe_to_a_tagger_of_words(tagged) -> None:
    data = (tagged / "test.conll").read_bytes()
    by_file = call("tag", tagged / "words.linnet", tagged / "test.conll")
    assert call("tag", tagged / "words.linnet", given=data) == by_file
    by_file = call("evaluate", tagged / "words.linnet", tagged / "test.conll", "--worst", 0)
    assert call("evaluate", tagged / "words.linnet", "-", "--worst", 0, given=data) == by_file


def test_tokens_through_a_pipe_are_told(tagged) -> None:
    code, output, said = call("tag", tagged / "words.linnet", given=b'{"tokens": ["An", "owl"]}\n')
    assert (code, json.loads(output)["tokens"]) == (0, ["An", "owl"])
    assert said == b"note: standard input is read as tokens; --format names another\n"


def test_running_text_of_as_many_words_a_line_stays_running_text(tagged) -> None:
    given = b"An owl sat here\n\nWe saw it there\n"
    code, output, said = call("tag", tagged / "words.linnet", given=given)
    assert (code, said) == (0, b"")
    assert [json.loads(line)["text"] for line in output.splitlines()] == [
        "An owl sat here", "", "We saw it there",
    ]  # fmt: skip


def test_a_tagger_is_trained_from_a_pipe(tagged, tmp_path) -> None:
    data = (tagged / "train.conll").read_bytes()
    code, _, said = call("train", "-", "-o", tmp_path / "m.linnet", given=data)
    assert code == 0
    assert b"300 sentences" in said


def test_a_producer_that_writes_as_it_likes(models, expected) -> None:
    """Pieces of any size, also through gzip."""
    program = (
        "import sys, time, gzip\n"
        f"data = gzip.compress({as_csv().encode()!r})\n"
        "for i in range(0, len(data), 7):\n"
        "    sys.stdout.buffer.write(data[i:i + 7]); sys.stdout.buffer.flush()\n"
    )
    with Process([sys.executable, "-c", program], stdout=subprocess.PIPE) as producer:
        process = start("predict", models / "birds.linnet", stdin=producer.stdout)
        output, _ = process.communicate(timeout=60)
    assert (process.returncode, output) == (0, expected)
