"""Sentences and trees larger than memory, for tests of what a process holds."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from linnet.data import samples

from .. import processes
from ..shell import SOURCE

SIZE = 400_000_000  # bytes: ten times what may be added to what a process has
ROOM = SIZE // 10
measured = [
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="nobody says what is used"),
    pytest.mark.skipif(
        "libasan" in os.environ.get("LD_PRELOAD", ""), reason="not under the sanitizers"
    ),
]
WITHIN = f"""
import sys
from linnet import DependencyParser, Tagger
from linnet._memory import resident
import sklearn.utils.validation, scipy.sparse

def most():
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))

few, model = eval(sys.argv[1]), eval(sys.argv[1])
few.fit("few.conllu")
limit = int(resident()) + {ROOM}
model.fit("much.conllu", memory=limit)
print(most(), limit, model.record_.data["sentences"])
print(*model.why_, sep="\\n")
"""


def write(folder: Path) -> int:
    """A file of so many sentences, most of whose bytes are comments; and a small one."""
    text = (Path(samples.__file__).parent / "rambles-train.conllu").read_text(encoding="utf-8")
    sentences = [part for part in text.split("\n\n") if part.strip()][:400]
    (folder / "few.conllu").write_text("\n\n".join(sentences[:40]) + "\n\n", encoding="utf-8")
    copies = 20
    aside = "# " + "a note on the margin " * (SIZE // (copies * len(sentences)) // 21) + "\n"
    with open(folder / "much.conllu", "w", encoding="utf-8") as file:
        for _ in range(copies):
            file.writelines(f"{aside}{sentence}\n\n" for sentence in sentences)
    return copies * len(sentences)


def fitted_within(folder: Path, model: str) -> tuple[int, int, int, str]:
    """The peak of resident memory, the limit, sentences, and what there was to tell."""
    made = processes.run(
        [sys.executable, "-W", "ignore", "-c", WITHIN, model],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(SOURCE), "TMPDIR": str(folder)},
        check=True,
        capture_output=True,
        text=True,
    )
    first, _, told = made.stdout.partition("\n")
    most, limit, sentences = map(int, first.split())
    return most, limit, sentences, told
