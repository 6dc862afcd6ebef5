"""Data larger than memory: how much is held, and how fast passes are, beside Vowpal Wabbit.

    LINNET_DATA=... python benchmarks/outofcore.py --gigabytes 10 --memory 500MB --passes 3 [--write]

Reviews of imdb over and over, a tenth of their words exchanged for others. Both sides have words and
bigrams hashed into as many buckets, the logistic loss, all cores, and after the first pass as many
iterations, or passes; a run each, one after the other, since each takes minutes. Linnet's first pass
makes the rows that the later ones map: an iteration of L-BFGS is one or a few of them, and the first
begins with one more. VW learns in its first pass, too, and writes its cache.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from corpora import data_folder
from measure import table, write_sections  # which pins this process to one core

if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, range(os.cpu_count() or 1))

LINNET = """
import json, sys, time
from linnet import TextClassifier
from linnet.features import TextFeatures

sys.path.insert(0, sys.argv[4])
from peak import peak

path, model, given = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
begun = []
fit_made = TextClassifier._fit_made
def watched(*given):
    begun.append((time.perf_counter(), time.process_time()))
    return fit_made(*given)
TextClassifier._fit_made = watched
features = TextFeatures(word=(1, 2), hash_bits=given["bits"])
settings = {"max_iter": given["passes"], "calibration": None, "verbose": False}
learner = TextClassifier(features, "logistic", given["learner"], **settings)
start, cpu = time.perf_counter(), time.process_time()
learner.fit(path, memory=given["memory"])
end, used = time.perf_counter(), time.process_time()
learner.save(model)
(made, made_cpu), = begun
print(json.dumps({"memory": peak(), "first": made - start, "later": end - made, "cpu": used - cpu,
                  "passes": learner.record_.n_iter}))
"""
VW = """
import json, sys, time
import vowpalwabbit

sys.path.insert(0, sys.argv[4])
from peak import peak

path, folder, given = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
options = f"--quiet --loss_function logistic --ngram 2 -b {given['bits']} --holdout_off"
options += f" --passes {given['passes'] + 1} -k -c --cache_file {folder}/vw.cache"
start, cpu = time.perf_counter(), time.process_time()
vowpalwabbit.Workspace(f"{options} -d {path} -f {folder}/vw.model").finish()
print(json.dumps({"memory": peak(), "all": time.perf_counter() - start,
                  "cpu": time.process_time() - cpu}))
"""


def main() -> None:
    """Options."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--gigabytes", type=float, default=1.0)
    parser.add_argument("--memory", default="500MB")
    parser.add_argument("--learner", default="lbfgs")
    parser.add_argument("--passes", type=int, default=3, help="after the first")
    parser.add_argument("--bits", type=int, default=20, help="of hashes")
    parser.add_argument("--folder", type=Path, help="for the files, where data stay; a temporary one")
    parser.add_argument("--write", action="store_true", help="into benchmarks/README.md")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        found = outofcore(given, given.folder or Path(name), Path(name))
    print(found)
    if given.write:
        write_sections({"outofcore": found})


def outofcore(given: argparse.Namespace, kept: Path, folder: Path) -> str:
    """Below a limit of memory, and VW with its cache."""
    path, vw = kept / "data.tsv", kept / "data.vw"
    if not path.exists():
        noisy_reviews(data_folder() / "imdb" / "train.tsv", path, int(given.gigabytes * 1e9))
    if not vw.exists():
        for_vw(path, vw)
    size = path.stat().st_size / 1e6
    settings = {name: getattr(given, name) for name in ("memory", "learner", "passes", "bits")}
    ours = run(LINNET, path, folder / "model.linnet", settings, folder)
    each = ours["later"] / max(ours["passes"], 1)
    lines = [
        [
            f"Linnet, {given.learner}, at most {given.memory}",
            f"{ours['first']:,.0f}",
            f"{size / ours['first']:,.0f}",
            f"{each:,.1f}",
            f"{size / each:,.0f}",
            f"{ours['first'] + ours['later']:,.0f}",
            f"{ours['cpu']:,.0f}",
            f"{ours['memory']:,.0f}",
        ]
    ]
    print(*lines[-1], flush=True)
    peer = run(VW, vw, folder, settings, folder)
    name = f"VW, {given.passes + 1} passes"
    lines.append(
        [name, *["–"] * 4, f"{peer['all']:,.0f}", f"{peer['cpu']:,.0f}", f"{peer['memory']:,.0f}"]
    )
    header = ["", "first pass, s", "MB of text a second", "an iteration, s", "MB of text a second"]
    about = f"{size:,.0f} MB of text, {given.passes} iterations or passes after the first pass.\n\n"
    return about + table([*header, "all, s", "CPU, s", "peak, MB"], lines)


def run(code: str, data: Path, model: Path, settings: dict[str, Any], folder: Path) -> dict[str, Any]:
    """A side in a process of its own."""
    sides = Path(__file__).with_name("sides")
    command = [sys.executable, "-c", code, str(data), str(model), json.dumps(settings), str(sides)]
    env = os.environ | {"TMPDIR": str(folder)}
    ended = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=env)
    found: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return found


def noisy_reviews(source: Path, path: Path, size: int) -> None:
    """Reviews over and over, a tenth of their words exchanged for others."""
    lines = source.read_text(encoding="utf-8").splitlines()
    chance = random.Random(0)
    words = [word for line in lines[:2000] for word in line.split("\t", 1)[1].split()]
    written = 0
    with path.open("w", encoding="utf-8") as file:
        while written < size:
            label, text = chance.choice(lines).split("\t", 1)
            tokens = text.split()
            for place in chance.choices(range(len(tokens)), k=len(tokens) // 10):
                tokens[place] = chance.choice(words)
            written += file.write(f"{label}\t{' '.join(tokens)}\n")


def for_vw(path: Path, data: Path) -> None:
    """The same texts as it reads them."""
    marks = str.maketrans(":|", ";;")
    labels: dict[str, str] = {}
    with path.open(encoding="utf-8") as lines, data.open("w", encoding="utf-8") as out:
        for line in lines:
            label, text = line.split("\t", 1)
            out.write(f"{labels.setdefault(label, '-1' if labels else '1')} | {text.translate(marks)}")


if __name__ == "__main__":
    main()
