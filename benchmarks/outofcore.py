"""Data larger than memory: how much is held, and how fast passes are.

LINNET_DATA=... python benchmarks/outofcore.py --gigabytes 10 --memory 500MB --learner lbfgs --passes 5
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from corpora import data_folder

TRAIN = """
import json, sys, time
from linnet import TextClassifier
from linnet._memory import resident
from linnet.features import TextFeatures

path, model, given = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
passes = []
fit_made = TextClassifier._fit_made
def watched(*given):
    passes.append(time.perf_counter())
    return fit_made(*given)
TextClassifier._fit_made = watched
features = TextFeatures(word=(1, 2), hash_bits=given["bits"])
settings = {"max_iter": given["passes"], "calibration": None}
learner = TextClassifier(features, "logistic", given["learner"], **settings)
before, start = resident(), time.perf_counter()
learner.fit(path, memory=given["memory"])
end = time.perf_counter()
learner.save(model)
with open("/proc/self/status", encoding="ascii") as file:
    most = next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))
print(json.dumps({"before": before, "most": most, "first": passes[0] - start, "later": end - passes[0],
                  "passes": learner.record_.n_iter}))
"""


def main() -> None:
    """Options."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--gigabytes", type=float, default=1.0)
    parser.add_argument("--memory", default="500MB")
    parser.add_argument("--learner", default="lbfgs")
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--bits", type=int, default=20, help="of hashes")
    parser.add_argument("--folder", type=Path, help="for the files; a temporary one")
    outofcore(parser.parse_args())


def outofcore(given: argparse.Namespace) -> None:
    """Reviews with noise, learnt from below a limit of memory; VW beside it if it is there."""
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        folder = Path(name)
        path = folder / "data.tsv"
        size = noisy_reviews(data_folder() / "imdb" / "train.tsv", path, int(given.gigabytes * 1e9))
        settings = {name: getattr(given, name) for name in ("memory", "learner", "passes", "bits")}
        command = [sys.executable, "-c", TRAIN, path, folder / "model.linnet", json.dumps(settings)]
        env = os.environ | {"TMPDIR": str(folder)}
        ended = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=env)
        found = json.loads(ended.stdout)
        each, rate = found["later"] / max(found["passes"], 1), size / 1e6 / found["first"]
        most, before = found["most"] / 1e6, found["before"] / 1e6
        print(f"{size / 1e6:,.0f} MB of text, --memory {given.memory}, {given.learner}")
        print(f"peak RSS {most:,.0f} MB (VmHWM; {before:,.0f} MB at the start)")
        print(f"first pass {found['first']:.1f} s, {rate:.1f} MB of text a second")
        print(f"{found['passes']} later passes, {each:.2f} s each")
        if shutil.which("vw"):
            vowpal_wabbit(path, folder, given)


def noisy_reviews(source: Path, path: Path, size: int) -> int:
    """Reviews over and over, a tenth of their words exchanged for others; how many bytes."""
    lines = source.read_text(encoding="utf-8").splitlines()
    chance = random.Random(0)
    words = [word for line in lines[:2000] for word in line.split("\t", 1)[1].split()]
    written = 0
    with path.open("w", encoding="utf-8") as file:
        while written < size:
            label, text = chance.choice(lines).split("\t", 1)
            tokens = text.split()
            for _ in range(len(tokens) // 10):
                tokens[chance.randrange(len(tokens))] = chance.choice(words)
            line = f"{label}\t{' '.join(tokens)}\n"
            written += file.write(line)
    return path.stat().st_size


def vowpal_wabbit(path: Path, folder: Path, given: argparse.Namespace) -> None:
    """The same texts, bits and passes, with a cache of its own."""
    marks = str.maketrans(":|", ";;")
    data = folder / "data.vw"
    labels: dict[str, str] = {}
    with path.open(encoding="utf-8") as lines, data.open("w", encoding="utf-8") as out:
        for line in lines:
            label, text = line.split("\t", 1)
            out.write(f"{labels.setdefault(label, '-1' if labels else '1')} | {text.translate(marks)}")
    command = ["vw", "--quiet", "--loss_function", "logistic", "--ngram", "2", "-b", str(given.bits)]
    command += [
        "--passes",
        str(given.passes),
        "--cache_file",
        str(folder / "vw.cache"),
        "-d",
        str(data),
    ]
    start = time.perf_counter()
    subprocess.run(command, check=True)
    seconds = time.perf_counter() - start
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    print(f"VW: {given.passes} passes, {seconds:.1f} s; largest child {most / 1e6:,.0f} MB")


if __name__ == "__main__":
    main()
