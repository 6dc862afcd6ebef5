"""Text classifiers as model files: what comes back."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet import TextClassifier
from linnet.features import SparseWeights, TextFeatures

from .. import processes
from ..birds import BIRDS, HELD_TEXTS, TEXTS, TWO_BIRDS, TWO_TEXTS
from .text_models import COLUMNS, MODELS, WORDS, use

KEPT = [Path(__file__).parent / "data" / f"text-classifier-{k}.linnet" for k in (1, 2)]


@pytest.mark.parametrize("name", MODELS)
def test_round_trip(name: str, path: Path) -> None:
    model = MODELS[name]()
    model.save(path)
    found = linnet.load(path)
    X: Any = {"text": TEXTS} | COLUMNS
    np.testing.assert_array_equal(found.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(
        np.array(found.predict(X), dtype=object), np.array(model.predict(X), dtype=object)
    )
    assert found.classes_.tolist() == model.classes_.tolist()
    assert found.classes_.dtype == model.classes_.dtype
    assert found.choice_.why == model.choice_.why
    assert (found.loss_, found.several_, found.joint_) == (model.loss_, model.several_, model.joint_)
    assert found.record_.epochs == model.record_.epochs
    assert found.record_.data["texts"] == len(TWO_TEXTS if "two" in name else TEXTS)
    assert repr(found.set_params(classifier=model.classifier)) == repr(model)
    found.set_params(classifier=None).save(path.with_suffix(".again"))
    model.set_params(classifier=None).save(path)
    assert path.read_bytes() == path.with_suffix(".again").read_bytes()
    use(found)


def test_columns_come_back_in_their_order(path: Path) -> None:
    X = {
        "text": TEXTS,
        "year": np.arange(120) % 7,
        "age": -np.arange(120.0),
        "z": BIRDS,
        "a": [b[1] for b in BIRDS],
    }
    features = TextFeatures(numeric=["year", "age"], categorical=["z", "a"])
    model = TextClassifier(features).fit(X, BIRDS)
    model.save(path)
    found = linnet.load(path)
    assert list(found.features_.names) == list(model.features_.names)
    np.testing.assert_array_equal(found.decision_function(X), model.decision_function(X))


def test_odd_settings_come_back(path: Path) -> None:
    features = TextFeatures(
        word=[1, 1],
        stop_words=frozenset({"the", "a"}),
        min_df=np.int64(2),
        max_df=np.float64(0.9),
        mix={},
    )
    model = TextClassifier(
        features,
        "logistic",
        linnet.learners.SGD(eta0=0.5),
        thresholds={"owl": 0.4},
        unsure=None,
        class_weight={"owl": 2},
        lexicon={"owl": {"dusk": 1.0}},
        random_state=7,
    ).fit(TEXTS, BIRDS)
    model.save(path)
    found = linnet.load(path)
    assert found.learner.eta0 == 0.5
    assert found.thresholds == {"owl": 0.4}
    assert set(found.features_.stop_words) == {"the", "a"}
    assert found.features.min_df == 2
    np.testing.assert_array_equal(found.predict(HELD_TEXTS), model.predict(HELD_TEXTS))
    found.fit(TEXTS, BIRDS)  # as it was trained
    np.testing.assert_array_equal(found.coef_, model.coef_)


@pytest.mark.parametrize("labels", [[3, 5], [True, False], ["b", "a"], [0.5, 2.5]], ids=str)
def test_labels_come_back(labels: list, path: Path) -> None:
    y = [labels[bird == "heron"] for bird in TWO_BIRDS]
    if isinstance(labels[0], float):
        y = np.array(y) * 2
    model = TextClassifier(TextFeatures(**WORDS)).fit(TWO_TEXTS, y)
    model.save(path)
    found = linnet.load(path).predict(TWO_TEXTS)
    assert found.dtype == model.classes_.dtype
    assert found.tolist() == list(model.predict(TWO_TEXTS))


def test_another_process_predicts_the_same(path: Path) -> None:
    model = MODELS["mix"]()
    model.save(path)
    script = (
        "import sys, json, linnet; m = linnet.load(sys.argv[1]);"
        "print(json.dumps(m.decision_function(json.loads(sys.stdin.read())).tolist()));"
        "assert 'sklearn' not in sys.modules and 'scipy' not in sys.modules"
    )
    run = processes.run(
        [sys.executable, "-c", script, str(path)],
        input=json.dumps(HELD_TEXTS[:20]),
        capture_output=True,
        encoding="utf-8",
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == model.decision_function(HELD_TEXTS[:20]).tolist()


@pytest.mark.parametrize("version", [1, 2])  # of the second weights are sparse, names deflated
def test_the_kept_file_of_each_format(version: int) -> None:
    kept = KEPT[version - 1]
    model = linnet.load(kept)
    assert isinstance(model.model_.stored, SparseWeights) == (version == 2)
    assert model.classes_.tolist() == ["heron", "linnet", "magpie", "owl", "swift", "wren"]
    assert model.predict(list(KEPT_LABELS)).tolist() == list(KEPT_LABELS.values())
    scores = model.decision_function([KEPT_TEXT])[0]
    np.testing.assert_allclose(scores, KEPT_SCORES[version - 1], atol=1e-5)
    assert model.explain(KEPT_TEXT).label == "linnet"
    assert "gorse" in model.get_feature_names_out()
    assert kept.stat().st_size < 50_000
    model.partial_fit(["a cuckoo calling"] * 3, ["cuckoo"] * 3)
    assert "cuckoo" in model.classes_.tolist()


KEPT_TEXT = "a finch with a red forehead sang from the gorse"
KEPT_LABELS = {
    KEPT_TEXT: "linnet",
    "something hooted in the big tree after dark": "owl",
    "a tall grey bird knee-deep in the shallows": "heron",
    "a tiny brown bird with a cocked tail": "wren",
}
KEPT_SCORES = [
    [-0.139663, 0.436278, -0.142664, 0.046228, -0.296989, 0.096810],
    [-0.000994, 0.147583, -0.000407, 0.000145, -0.001494, -0.000506],
]
