"""Every `linnet` command of the README and the manual runs on the samples, and answers as quoted."""

import os
import pickle
import re
import shlex
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from linnet.cli import COMMANDS
from linnet.data import samples

from .fuzz.commands import Running
from .shell import shell

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
# A fenced block without a language or of the shell, or lines that are indented.
BLOCK = re.compile(r"^```(?:sh)?\n((?:(?!```).*\n)*)```$|((?:^    .*\n|^\n(?=    ))+)", re.MULTILINE)
OTHER = re.compile(r"^```\w.*\n(?:(?!```).*\n)*```$", re.MULTILINE)
COMMAND = re.compile(rf"^(?:[^|\n]* \| )?linnet (?:{'|'.join(COMMANDS)})\b")
PLAIN = re.compile(r"linnet [^|<>$`;&*?\\~]*")
# What pages take for granted besides the samples and the models of them.
FILES = {
    "article.txt": "Robin saw a barn owl near Kettle Marsh.\n",
    "bad.tsv": "wren\tA wren.\nowl\n",
    "heart_scale.model": (
        "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias -1\nw\n0.5\n-0.25\n"
    ),
    "fruit.csv": "colour,shape,fruit\n"
    + "red,round,apple\nred,long,pepper\ngreen,round,lime\ngreen,long,cucumber\n" * 10,
    "goods.csv": "title,kind,price,sold\nA red lamp,lamp,3.5,yes\nAn old chair,chair,20,no\n",
    "lights.uai.evid": "1 1 0\n",
    "questions.tsv": (
        "who\t(S (WP who) (VP (VB sings)))\nwho\t(S (WP who) (VP (VB flies)))\n"
        "where\t(S (WRB where) (VP (VBZ is) (NN it)))\nwhere\t(S (WRB where) (VP (VBZ is)))\n"
    ),
    "lights.bif": (
        "network lights {\n}\nvariable state { type discrete [ 2 ] { broken, works }; }\n"
        "variable north { type discrete [ 2 ] { red, green }; }\n"
        "variable east { type discrete [ 2 ] { red, green }; }\n"
        "probability ( state ) { table 0.25, 0.75; }\n"
        "probability ( north | state ) { (broken) 1, 0; (works) 0.5, 0.5; }\n"
        "probability ( east | state, north ) {\n  (broken, red) 1, 0; (broken, green) 1, 0;\n"
        "  (works, red) 0, 1; (works, green) 1, 0;\n}\n"
    ),
    "reviews.tsv": "4.5\tA fine walk.\n1\tA dull walk.\n3\tSome walk.\n2.5\tA long walk.\n" * 5,
    "reviews-test.tsv": "4\tA fine, long walk.\n1.5\tA dull one.\n3\tA walk.\n",
    "words.tsv": "wren\ttiny\t2\nowl\thoot\n",
    "more.tsv": "wren\tA wren sang in the ivy.\nrobin\tA robin on the spade.\n",
}


def commands(page: Path) -> Iterator[tuple[str, str]]:
    """Commands of a page in order, each with the output quoted below it; such blocks have prompts.

    What a page puts into /tmp goes to the folder of the test.
    """
    text = page.read_text(encoding="utf-8").replace("/tmp/", "")
    text = OTHER.sub(lambda block: block[0] if block[0].startswith("```sh") else "", text)
    for fenced, indented in BLOCK.findall(text):
        block = fenced or re.sub(r"^    ", "", indented, flags=re.MULTILINE)
        prompted = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
        if prompted:
            for entry in prompted:
                command, _, output = entry.partition("\n")
                if COMMAND.match(command):
                    yield command, output
        else:
            yield from ((line, "") for line in block.splitlines() if COMMAND.match(line))


def shape(line: str) -> str:
    """A line without its numbers, which may tell seconds or differ in the last digit."""
    return " ".join(re.sub(r"[-+]?\d[\d.,]*(?:e-\d+)?", "0", line).split())


def answered(command: str, folder: Path) -> tuple[int, str]:
    """The exit code and all that was said: by a process forked from this one, which has all imported.

    What a shell has to make something of is left to one.
    """
    if PLAIN.fullmatch(command):
        ended = Running(shlex.split(command, comments=True)[1:], folder, _heard).wait()
        return ended.code, ended.said
    run = shell("-c", command, tools=folder, folder=folder)
    return run.returncode, run.stdout + run.stderr


def _heard() -> None:
    """Results are told with all else, and warnings are what they are for everybody."""
    os.dup2(2, 1)
    warnings.resetwarnings()


@pytest.fixture(scope="session")
def sample_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The samples, models of them, and a few small files."""
    folder = tmp_path_factory.mktemp("samples")
    for file in Path(samples.__path__[0]).glob("*-*.*"):
        shutil.copy(file, folder)
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    pipeline = make_pipeline(TfidfVectorizer(), LogisticRegression())
    pipeline.fit(["a wren", "the owl"], ["wren", "owl"])
    (folder / "pipeline.pkl").write_bytes(pickle.dumps(pipeline))
    for name in ("birds", "verse"):
        command = f"linnet train {name}-train.tsv -o {name}.linnet -q"
        assert shell("-c", command, tools=folder, folder=folder).returncode == 0
    return folder


@pytest.mark.parametrize("page", [page for page in PAGES if any(commands(page))], ids=lambda p: p.stem)
def test_commands_run(page: Path, sample_folder: Path, tmp_path: Path) -> None:
    shutil.copytree(sample_folder, tmp_path, dirs_exist_ok=True)
    for command, quoted in commands(page):
        code, output = answered(command, tmp_path)
        assert (code != 0) == quoted.startswith("Error:"), f"{command}\n{output}"
        said = "\n".join(["", *map(shape, output.splitlines())])
        for line in map(shape, quoted.splitlines()):  # one that ends in … is cut off
            assert f"\n{line.removesuffix('…')}" in said, f"{command}\nlacks {line}\n{output}"
