"""Prints fingerprints of models that are learnt from the samples, and of what they predict.

Two builds of the core that print the same lines learn the same weights to the bit: `make clang`
compares those of two compilers.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from pathlib import Path

from linnet.cli import main as linnet
from linnet.data import samples

COMMANDS = {
    "birds": [
        "",
        "--loss logistic",
        "--loss logistic --penalty l1",
        "--learner sgd",
        "--learner perceptron",
    ],
    "verse": ["", "--loss squared_hinge", "--learner lbfgs --loss logistic"],
    "sightings": ["", "--preset hmm", "--preset mira", "--preset svm", "--segments"],
    "rambles": ["--task parse", "--task parse --order 1 --non-projective"],
}
ENDINGS = {"sightings": "conll", "rambles": "conllu"}


def fingerprint(file: Path) -> str:
    """Of its bytes."""
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16]


def main() -> None:
    """One line for each model: of the file, of its predictions, and what it was learnt by."""
    place = Path(samples.__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        model, answers = Path(folder) / "model.linnet", Path(folder) / "answers"
        for data, variants in COMMANDS.items():
            train, test = (
                place / f"{data}-{part}.{ENDINGS.get(data, 'tsv')}" for part in ("train", "test")
            )
            for options in variants:
                words = ["train", str(train), "-q", "-o", str(model), *options.split()]
                linnet(words, standalone_mode=False)
                linnet(["predict", str(model), str(test), "-o", str(answers)], standalone_mode=False)
                line = f"{fingerprint(model)} {fingerprint(answers)} {data} {options}".rstrip()
                sys.stdout.write(f"{line}\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
