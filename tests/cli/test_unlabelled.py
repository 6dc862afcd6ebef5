"""``linnet train --unlabeled``: as in Python, and refused where it would do nothing."""

import numpy as np
import pytest

import linnet
from linnet import Tagger, TextClassifier

from ..estimators.tagging import test_unlabelled as tagging
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


def test_how_much_an_unlabelled_text_counts(run, files):
    path = files / "m.linnet"
    given = ("--unlabeled-method", "em", "--unlabeled-weight", "0.5")
    code, _, said = run(
        "train", files / "few.tsv", "--unlabeled", files / "more.txt", "-o", path, *given
    )
    assert code == 0, said
    same = TextClassifier(unlabeled_method="em", unlabeled_weight=0.5)
    same.fit(TEXTS, LABELS, unlabeled=MORE)
    assert np.array_equal(linnet.load(path).decision_function(TEST), same.decision_function(TEST))


def test_views_of_co_training_are_those_of_python(run, files):
    path = files / "m.linnet"
    given = (
        "--unlabeled-method",
        "co",
        "--unlabeled-view",
        "word=1-2",
        "--unlabeled-view",
        "chars=2-4",
    )
    code, _, said = run(
        "train", files / "few.tsv", "--unlabeled", files / "more.txt", "-o", path, *given
    )
    assert code == 0, said
    assert "by 'co' over word=1-2 and chars=2-4" in said
    same = TextClassifier(unlabeled_method="co", unlabeled_views=("word=1-2", "chars=2-4"))
    same.fit(TEXTS, LABELS, unlabeled=MORE)
    assert np.array_equal(linnet.load(path).decision_function(TEST), same.decision_function(TEST))
    assert linnet.load(path).record_.facts["views"] == same.record_.facts["views"]


def test_labels_of_unlabelled_texts_are_not_looked_at_and_it_says_so(run, files):
    data = files / "few.tsv"
    code, _, said = run("train", data, "--unlabeled", data, "-o", files / "m.linnet")
    assert code == 0
    assert "has labels, which are not looked at" in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--unlabeled-method", "em"), "there is no --unlabeled FILE"),
        (("--unlabeled-weight", "1"), "--unlabeled-weight: there is no --unlabeled FILE"),
        (("--unlabeled", "more.txt", "--unlabeled-weight", "1"), "weighs no texts"),
        (("--unlabeled-view", "word=1"), "--unlabeled-view: there is no --unlabeled FILE"),
        (("--unlabeled", "more.txt", "--unlabeled-view", "word=1"), "--unlabeled-view has no effect"),
        (
            ("--unlabeled", "more.txt", "--unlabeled-method", "co", "--unlabeled-view", "word=1"),
            "--unlabeled-view must be two views, not 1",
        ),
        (("--unlabeled", "more.txt", "--dev", "few.tsv"), "--unlabeled"),
        (("--unlabeled", "more.txt", "--memory", "1GB"), "--unlabeled"),
        (("--unlabeled", "more.txt", "--preset", "memory"), "--unlabeled: --preset memory optimises"),
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


@pytest.fixture
def sentences(tmp_path):
    tagged = [
        "".join(f"{word}\t{tag}\n" for word, tag in zip(words, tags, strict=True))
        for words, tags in zip(tagging.X, tagging.Y, strict=True)
    ]
    (tmp_path / "few.conll").write_text("\n".join(tagged))
    more = tagging.MORE
    (tmp_path / "more.conll").write_text("\n".join("".join(f"{w}\n" for w in s) for s in more))
    (tmp_path / "tagged.conll").write_text("\n".join("".join(f"{w}\tX\n" for w in s) for s in more))
    (tmp_path / "wide.conll").write_text("\n".join("".join(f"{w}\ta\tb\n" for w in s) for s in more))
    (tmp_path / "empty.conll").write_text("")
    return tmp_path


@pytest.mark.parametrize("method", ["auto", "classes", "self", "entropy"])
def test_taggers_are_those_of_python(run, sentences, method):
    path = sentences / "m.linnet"
    code, _, said = run(
        "train", sentences / "few.conll", "--unlabeled", sentences / "more.conll", "-o", path,
        "--unlabeled-method", method,
    )  # fmt: skip
    assert code == 0, said
    assert "unlabeled: 400 sentences" in said
    same = Tagger().fit(tagging.X, tagging.Y, unlabeled=tagging.MORE, unlabeled_method=method)
    assert linnet.load(path).predict(tagging.TEST) == same.predict(tagging.TEST)


def test_tags_of_untagged_sentences_are_not_looked_at_and_it_says_so(run, sentences):
    path = sentences / "m.linnet"
    given = sentences / "few.conll", "--unlabeled", sentences / "tagged.conll"
    code, _, said = run("train", *given, "-o", path, "--unlabeled-method", "classes")
    assert code == 0, said
    assert "has tags, which are not looked at" in said
    same = Tagger().fit(tagging.X, tagging.Y, unlabeled=tagging.MORE, unlabeled_method="classes")
    assert linnet.load(path).predict(tagging.TEST) == same.predict(tagging.TEST)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--unlabeled", "more.conll", "--unlabeled-method", "joint"), "of taggers there are auto"),
        (("--unlabeled", "more.conll", "--unlabeled-view", "word=1"), "--unlabeled-view"),
        (("--unlabeled", "more.conll", "--dev", "few.conll"), "--unlabeled"),
        (("--unlabeled", "more.conll", "--memory", "1GB"), "--unlabeled"),
        (("--unlabeled", "more.conll", "--preset", "brill"), "--unlabeled"),
        (("--unlabeled", "more.conll", "--preset", "hmm"), "looks at words alone"),
        (("--unlabeled", "wide.conll"), "3 columns"),
        (("--unlabeled", "empty.conll"), "empty.conll"),
        (("--unlabeled-method", "self"), "there is no --unlabeled FILE"),
    ],
)
def test_taggers_refuse_what_would_do_nothing(run, sentences, options, message):
    given = [sentences / o if "." in o else o for o in options]
    code, _, said = run("train", sentences / "few.conll", "-o", sentences / "m.linnet", *given)
    assert code in (1, 2)
    assert message in said
    assert "Traceback" not in said
