"""``linnet train --unlabeled``: as in Python, and refused where it would do nothing."""

import numpy as np
import pytest

import linnet
from linnet import TextClassifier

from ..estimators.text.test_unlabelled import LABELS, MORE, TEST, TEXTS


@pytest.fixture
def files(tmp_path):
    lines = [f"{label}\t{text}\n" for text, label in zip(TEXTS, LABELS, strict=True)]
    (tmp_path / "few.tsv").write_text("".join(lines))
    (tmp_path / "more.txt").write_text("".join(f"{text}\n" for text in MORE))
    (tmp_path / "rows.svm").write_text("1 1:1\n2 2:1\n")
    return tmp_path


@pytest.mark.parametrize("method", ["auto", "em"])
def test_it_is_the_model_of_python(run, files, method):
    path = files / "m.linnet"
    code, _, said = run(
        "train", files / "few.tsv", "--unlabeled", files / "more.txt", "-o", path,
        "--unlabeled-method", method,
    )  # fmt: skip
    assert code == 0, said
    assert "unlabeled: 150 texts, by" in said
    same = TextClassifier(unlabeled_method=method).fit(TEXTS, LABELS, unlabeled=MORE)
    assert np.array_equal(linnet.load(path).decision_function(TEST), same.decision_function(TEST))


def test_labels_of_unlabelled_texts_are_not_looked_at_and_it_says_so(run, files):
    data = files / "few.tsv"
    code, _, said = run("train", data, "--unlabeled", data, "-o", files / "m.linnet")
    assert code == 0
    assert "has labels, which are not looked at" in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--unlabeled-method", "em"), "there is no --unlabeled FILE"),
        (("--unlabeled", "more.txt", "--dev", "few.tsv"), "--unlabeled"),
        (("--unlabeled", "more.txt", "--memory", "1GB"), "--unlabeled"),
        (("--unlabeled", "nowhere.txt"), "nowhere.txt"),
        (("--unlabeled", "rows.svm"), "no texts"),
        (("--unlabeled", "more.txt", "--calibration", "sigmoid"), "calibration"),
        (("--unlabeled", "more.txt", "--unlabeled-method", "em", "--loss", "hinge"), "loss"),
    ],
)
def test_what_would_do_nothing_is_refused(run, files, options, message):
    given = [files / o if "." in o else o for o in options]
    code, _, said = run("train", files / "few.tsv", "-o", files / "m.linnet", *given)
    assert code in (1, 2)
    assert message in said
    assert "Traceback" not in said
