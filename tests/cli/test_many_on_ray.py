"""Many files and large ones answered on Ray, whatever is lost on the way."""

import json
import os
import signal
import threading
import time
from pathlib import Path

import pytest

ray = pytest.importorskip("ray")

from ..ray_cluster import cluster  # noqa: E402
from .tagged_files import UD  # noqa: E402
from .test_pieces import FILES  # noqa: E402

__all__ = ["cluster"]
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("cluster")]  # of Ray


@pytest.fixture
def files(tmp_path):
    """A large one and two small ones."""
    (tmp_path / "a.tsv").write_text(FILES["a.tsv"])
    (tmp_path / "b.tsv").write_text("x\tA red forehead\n")
    (tmp_path / "c.jsonl").write_text(FILES["a.jsonl"])
    return tmp_path


def check(run, model, files, *extra) -> str:
    paths = [files / name for name in ("a.tsv", "b.tsv", "c.jsonl")]
    into = files / "o"
    command = ("predict", model, *paths, *extra)
    code, _, said = run(*command, "--into", into, "--engine", "ray", "--piece", 6000)
    assert code == 0, said
    for path in paths:
        assert (into / path.name).read_text() == run("predict", model, path, *extra)[1]
    assert sorted(os.listdir(into)) == [".linnet-answers.jsonl", "a.tsv", "b.tsv", "c.jsonl"]
    return said


@pytest.mark.parametrize("extra", [(), ("--csv",)])
def test_the_same_bytes(run, models, files, extra) -> None:
    said = check(run, models / "birds.linnet", files, *extra)
    assert "(3 of 3)" in said
    lines = (files / "o" / ".linnet-answers.jsonl").read_text().splitlines()
    assert len(lines) > 8  # three files, and pieces
    assert said.count("is no key of the first object") == (1 if extra else 0)


def test_tags_and_trees(run, tagged, files) -> None:
    (files / "train.conllu").write_text(UD)
    parser = files / "parser"
    assert run("train", files / "train.conllu", "-o", parser, "-q", "--task", "parse")[0] == 0
    (files / "a.conll").write_text((tagged / "test.conll").read_text())
    (files / "a.conllu").write_text((UD.strip() + "\n\n") * 20)
    for name, command, model in (
        ("a.conll", "tag", tagged / "names.linnet"),
        ("a.conllu", "parse", parser),
    ):
        into = files / command
        asked = (command, model, files / name)
        code, _, said = run(*asked, "--into", into, "--engine", "ray", "--piece", 2000)
        assert code == 0, said
        assert (into / name).read_text() == run(*asked)[1]
        assert len((into / ".linnet-answers.jsonl").read_text().splitlines()) > 3


def test_what_is_wrong_is_told_with_its_line(run, models, files) -> None:
    lines = FILES["a.tsv"].splitlines(keepends=True)
    lines[90] = "no tab\n"
    (files / "a.tsv").write_text("".join(lines))
    command = ("predict", models / "birds.linnet", files / "a.tsv", "--into", files / "o")
    code, _, said = run(*command, "--engine", "ray", "--piece", 3000)
    assert code == 1
    assert "a.tsv, line 91: no tab" in said


def workers() -> list[int]:
    """Processes of our own cluster that are answering."""
    parents, titles = {}, {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            pid, stat = int(entry.name), (entry / "stat").read_text()
            parents[pid] = int(stat.rpartition(")")[2].split()[1])
            titles[pid] = (entry / "cmdline").read_bytes()
        except OSError:  # it has ended
            continue

    def ours(pid: int) -> bool:
        while pid > 1 and pid != os.getpid():
            pid = parents.get(pid, 0)
        return pid == os.getpid()

    return [pid for pid, title in titles.items() if title.startswith(b"ray::call_one") and ours(pid)]


def test_a_killed_worker_is_replaced(run, models, files) -> None:
    killed: list[int] = []

    def kill() -> None:
        limit = time.monotonic() + 60
        while len(killed) < 2 and time.monotonic() < limit:
            for pid in workers()[:1]:
                if pid not in killed:
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)
            time.sleep(0.05)

    thread = threading.Thread(target=kill)
    thread.start()
    check(run, models / "birds.linnet", files)
    thread.join()
    assert killed
    pieces = (files / "o" / ".linnet-answers.jsonl").read_text().splitlines()[1:]
    assert len({tuple(json.loads(piece)[:-1]) for piece in pieces}) == len(pieces)
