"""The program TiMBL as an oracle, where it is installed: weights, distances, labels."""

import random
import re
import shutil

import pytest

from linnet import MemoryClassifier

from .. import processes

TIMBL = shutil.which("timbl")
pytestmark = pytest.mark.skipif(TIMBL is None, reason="timbl is not installed")
METRIC = {"overlap": "O", "mvdm": "M"}
WEIGHTS = {"none": "nw", "gain ratio": "gr", "information gain": "ig", "chi-square": "x2"}
DECAY = {"equal": "Z", "inverse": "ID", "linear": "IL", "exponential": "ED:1"}


def instances(count, seed):
    """Labels that depend on the first feature, and a little on the second."""
    random.seed(seed)
    rows = [[random.choice("abcdefgh"[: 3 + f]) for f in range(5)] for _ in range(count)]
    labels = ["XYZ"[(ord(r[0]) + (r[1] == "a") * random.randint(0, 1)) % 3] for r in rows]
    return rows, labels


def answered(tmp_path, *options):
    """The labels and distances that it prints."""
    said = ["-f", "train", "-t", "test", "-F", "Columns", "+v", "di+k", "-o", "out", *options]
    processes.run([TIMBL, *said], cwd=tmp_path, check=True, capture_output=True)
    labels, distances = [], []
    for line in (tmp_path / "out").read_text().splitlines():
        if line.startswith("#"):
            distances[-1].append(float(re.findall(r"[\d.]+", line)[-1]))
        else:
            labels.append(line.split()[6])
            distances.append([])
    return labels, distances


def written(path, rows, labels):
    path.write_text("".join(" ".join([*r, c]) + "\n" for r, c in zip(rows, labels, strict=True)))


@pytest.mark.parametrize("metric", METRIC)
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("decay", DECAY)
def test_labels_and_distances_are_those_of_timbl(tmp_path, metric, weights, decay):
    train, test = instances(200, 1), instances(60, 2)
    written(tmp_path / "train", *train)
    written(tmp_path / "test", *test)
    k = 3
    how = ("-k", str(k), "-m", METRIC[metric], "-w", WEIGHTS[weights], "-d", DECAY[decay])
    labels, distances = answered(tmp_path, *how)
    memory = MemoryClassifier(k, metric, weights, decay).fit(*train)
    ours = [sorted({round(d, 9) for _, d in pairs}) for pairs in memory.kneighbors(test[0])]
    for mine, theirs in zip(ours, distances, strict=True):
        assert mine == pytest.approx(theirs[:k], rel=1e-6, abs=1e-9)
    assert memory.predict(test[0]).tolist() == labels
