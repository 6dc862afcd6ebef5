"""Nothing in data commands a terminal or deceives its eye; a pipe gets what is there."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from linnet._visible import visible, visible_cell
from linnet.data import samples

from .terminal import on_terminal

Run = Callable[..., tuple[int, str, str]]
# A title, a cleared screen by C0 and by C1, text turned round, a hidden space, a rubbed out character.
EVIL = "\x1b]0;owned\x07\x1b[2J\x9b2J\u202e\u200bx\x7f[red]"
SHOWN = rb"\x1b]0;owned"
SAFE = re.compile(
    rb"\x1b\[[\d;]*m|\x1b\[\??\d*[A-Zhl]|\r(?=\n|\x1b|f)"
)  # colours, and lines of progress


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory, run: Run) -> Path:
    """Data and models of all tasks, with names that would command a terminal."""
    folder = tmp_path_factory.mktemp(f"evil{EVIL}".replace("/", ""))
    rows = [(EVIL, f"red {EVIL} forehead {k}") for k in range(6)]
    rows += [(f"wren{EVIL}", f"tiny {EVIL} tail {k}") for k in range(6)]
    (folder / "texts.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in rows), encoding="utf-8")
    (folder / "hand.jsonl").write_text(
        "".join(json.dumps({"label": a, "text": b}) + "\n" for a, b in rows), encoding="utf-8"
    )
    (folder / "other.tsv").write_text(f"new{EVIL}\tred\n", encoding="utf-8")
    word = EVIL.replace(" ", "")
    sentences = f"Anna{word} B-{word}\nsaw O\nit O\n\nBo B-{word}\nleft O\n\n" * 4
    (folder / "names.conll").write_text(sentences, encoding="utf-8")
    tree = (
        f"1\tAnna{word}\t_\tN{word}\t_\t_\t2\tsubj{word}\t_\t_\n2\tsaw\t_\tV\t_\t_\t0\troot\t_\t_\n\n"
    )
    (folder / "trees.conllu").write_text(tree * 6, encoding="utf-8")
    for name, data in (("texts", "texts.tsv"), ("names", "names.conll")):
        assert run("train", folder / data, "-o", folder / f"{name}.linnet", "-q")[0] == 0
    parse = ("--task", "parse", "--tagger", "auto", "-q")
    assert run("train", folder / "trees.conllu", "-o", folder / "trees.linnet", *parse)[0] == 0
    return folder


COMMANDS = [
    ("inspect", "texts.linnet"),
    ("inspect", "texts.linnet", "--json"),
    ("inspect", "names.linnet"),
    ("inspect", "trees.linnet"),
    ("inspect", "texts.linnet", "--label", EVIL + "?"),
    ("predict", "texts.linnet", "texts.tsv"),
    ("predict", "texts.linnet", "texts.tsv", "--top", "2", "--proba"),
    ("predict", "names.linnet", "names.conll"),
    ("predict", "trees.linnet", "trees.conllu"),
    ("tag", "names.linnet", "names.conll"),
    ("parse", "trees.linnet", "trees.conllu"),
    ("parse", "trees.linnet", "trees.conllu", "--draw"),
    ("evaluate", "texts.linnet", "texts.tsv", "--curve", f"wren{EVIL}"),
    ("evaluate", "texts.linnet", "hand.jsonl", "--train", "texts.tsv", "--json"),
    ("evaluate", "names.linnet", "names.conll"),
    ("evaluate", "trees.linnet", "trees.conllu"),
    ("explain", "texts.linnet", f"red {EVIL} forehead"),
    ("explain", "texts.linnet", f"red {EVIL} forehead", "--json"),
    ("explain", "texts.linnet", f"red {EVIL} forehead", "--html", "-"),
    ("explain", "names.linnet", "--data", "names.conll"),
    ("explain", "trees.linnet", "--data", "trees.conllu"),
    ("convert", "texts.tsv", "-", "--to", "jsonl"),
    ("convert", "texts.tsv", "-", "--to", "tsv"),
    ("convert", "names.conll", "-", "--to", "tokens"),
    ("train", "texts.tsv", "-o", "new.linnet", "--dev", "other.tsv"),
    ("train", "texts.tsv", "-o", "new.linnet", "--text", EVIL, "--format", "csv"),
    ("tune", "texts.tsv", "--folds", "2", "-C", "1,2"),
    ("compare", "texts.tsv", "--test", "hand.jsonl", "--model", "SVM"),
    ("quantize", "texts.linnet", "-o", "small.linnet"),
    ("grid", "--loss", EVIL),
    ("predict", EVIL, "texts.tsv"),
    ("predict", "texts.linnet", EVIL),
    (EVIL,),
    ("demo", EVIL),
    ("inspect", "--x" + EVIL),
]


NAMELESS = ("tune", "compare", "quantize")  # they show no labels


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda a: visible(" ".join(a)))
def test_every_command(evil: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]) -> None:
    monkeypatch.chdir(evil)
    seen = on_terminal(monkeypatch, *arguments)
    if arguments[0] not in NAMELESS and "--draw" not in arguments:  # drawings have a sign of their own
        assert SHOWN in seen.replace(b"\\u001b", b"\\x1b")
    left = SAFE.sub(b"", seen).decode()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\u200b]", left), left
    assert b"\x1b[2J" not in seen


def test_colours_are_shown(evil: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = on_terminal(monkeypatch, "explain", evil / "texts.linnet", "red forehead")
    assert b"\x1b[1m" in seen
    assert re.search(rb"\x1b\[38;5;16;48;5;\d+m|\x1b\[30;48;5;\d+m", seen)


def test_brackets_are_no_markup(evil: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments in (("inspect", "texts.linnet"), ("evaluate", "texts.linnet", "texts.tsv")):
        assert b"[red]" in on_terminal(monkeypatch, arguments[0], *(evil / a for a in arguments[1:]))


def test_cells_that_are_shown_longer_are_not_cut(evil: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments in (("inspect", "texts.linnet"), ("evaluate", "texts.linnet", "texts.tsv")):
        seen = on_terminal(monkeypatch, arguments[0], *(evil / a for a in arguments[1:]))
        assert visible_cell(EVIL).encode() in re.sub(rb"\x1b\[[\d;]*m", b"", seen)


def test_a_pipe_gets_what_is_there(evil: Path, run: Run) -> None:
    lines = (evil / "texts.tsv").read_bytes().decode().split("\n")[:-1]
    found = run("predict", evil / "texts.linnet", evil / "texts.tsv")[1].split("\n")
    assert found[:-1] == [line.split("\t")[0] for line in lines]
    assert len(found) == 13
    data = (evil / "names.conll").read_text(encoding="utf-8")
    assert run("convert", evil / "names.conll", "-", "--to", "conll")[1] == data
    code, _, said = run("predict", evil / "texts.linnet", evil / f"no{EVIL}")
    assert code == 1
    assert EVIL in said  # click, too, leaves it alone


def test_what_has_no_width() -> None:
    assert visible("pay\u200bpal") == "pay\\u200bpal"
    assert visible("\ufeffa") == "\\ufeffa"
    assert visible("👩\u200d👧 می\u200cخواهم") == "👩\u200d👧 می\u200cخواهم"
    assert visible("a\u200d👧") == "a\\u200d👧"
    assert visible("\udc80\U000e0041\u2028") == "\\udc80\\U000e0041\\u2028"
    assert visible("a\tb\r\nc\n") == "a\tb\r\nc\n"
    assert visible("100 %\rdone") == "100 %\\rdone"
    assert visible_cell("a\tb\r\n") == "a\\tb\\r\\n"
    for name in samples.NAMES:
        assert all(visible(text) == text for text in samples.load(name)[0])
