"""Code of the user's is no part of a model file: it is named, given again, or missed."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import pytest

import linnet
from linnet.features import TextFeatures
from linnet.features.text.hooks import HookError, MissingHook

TEXTS = ["linnet-sings", "wren-hides", "a-linnet", "the-wren"] * 3
LABELS = ["linnet", "wren"] * 6
MODULE = """
print("imported")
def dashes(text):
    return text.split("-")
def lower(text):
    return text.lower()
"""


def dashes(text: str) -> list[str]:
    return text.split("-")


@pytest.fixture
def hooks_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "hooks_here.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("hooks_here", None)


@pytest.mark.parametrize("auto", [True, False])
def test_a_path_is_imported_on_consent_alone(
    hooks_here: Path, capsys: pytest.CaptureFixture[str], auto: bool
) -> None:
    hooks = {"tokenizer": "hooks_here:dashes", "preprocessor": "hooks_here:lower"}
    model = linnet.TextClassifier(**hooks) if auto else linnet.TextClassifier(TextFeatures(**hooks))
    path = hooks_here / "m.linnet"
    model.fit(TEXTS, LABELS).save(path)
    sys.modules.pop("hooks_here")
    capsys.readouterr()

    loaded = linnet.load(path)
    assert "to be given again" in repr(loaded.features_)
    loaded.save(hooks_here / "again.linnet")
    loaded.quantize().save(hooks_here / "small.linnet")
    with pytest.raises(HookError, match=r"'hooks_here:lower', which is code.*trust_hooks=True"):
        loaded.predict(["a-linnet"])
    assert "hooks_here" not in sys.modules
    assert capsys.readouterr().out == ""

    for name in ("m", "again", "small"):
        trusted = linnet.load(hooks_here / f"{name}.linnet", trust_hooks=True)
        assert trusted.predict(["a-WREN"]).tolist() == ["wren"]
    assert capsys.readouterr().out == "imported\n"
    given = linnet.load(path, tokenizer=dashes, preprocessor=str.lower)
    assert given.decision_function(TEXTS).tolist() == model.decision_function(TEXTS).tolist()
    assert given.fit(TEXTS, LABELS).predict(["a-WREN"]).tolist() == ["wren"]


def test_a_callable_has_to_be_given_again(tmp_path: Path) -> None:
    model = linnet.TextClassifier(tokenizer=lambda text: text.split("-")).fit(TEXTS, LABELS)
    path = tmp_path / "m.linnet"
    model.save(path)
    for trust in (False, True):
        loaded = linnet.load(path, trust_hooks=trust)
        with pytest.raises(HookError, match=r"give it again when loading, by tokenizer=…$"):
            loaded.predict(["a-linnet"])
    assert isinstance(loaded.tokenizer, MissingHook)
    assert linnet.load(path, tokenizer=dashes).predict(["a-linnet"]).tolist() == ["linnet"]
    assert b"pickle" not in path.read_bytes()


def test_a_hook_that_the_model_never_had(tmp_path: Path) -> None:
    linnet.TextClassifier().fit(TEXTS, LABELS).save(tmp_path / "m.linnet")
    with pytest.raises(ValueError, match="tokenizer=…: the model was trained without one"):
        linnet.load(tmp_path / "m.linnet", tokenizer=dashes)


def test_cleaning_is_remembered(tmp_path: Path) -> None:
    texts = ["caf\u00e9 <b>noir</b>", "th\u00e9 vert"] * 4
    for features in ("auto", TextFeatures(strip_html=True, normalize="NFKC", strip_accents=True)):
        said = {} if features != "auto" else {"strip_html": True, "strip_accents": True}
        model = linnet.TextClassifier(features, **said).fit(texts, ["c", "t"] * 4)
        model.save(tmp_path / "m.linnet")
        loaded = linnet.load(tmp_path / "m.linnet")
        same = ["cafe noir", "CAF\u00c9 <i>noir</i>"]
        first, second = loaded.decision_function(same).tolist()
        assert first == second
        told = loaded.explain(same[1])
        assert [same[1][w.begin : w.end] for w in told.words[:2]] == ["CAF\u00c9", "noir"]
        assert pickle.loads(pickle.dumps(loaded)).decision_function(same)[0] == first


def test_features_that_are_given_take_these_settings_themselves() -> None:
    with pytest.raises(ValueError, match="strip_html: settings that join features='auto'"):
        linnet.TextClassifier(TextFeatures(), strip_html=True).fit(TEXTS, LABELS)


def test_streams_are_prepared_too() -> None:
    model = linnet.TextClassifier(tokenizer=dashes, strip_accents=True)
    for _ in range(3):
        model.partial_fit(TEXTS, LABELS)
    assert "linnet" in set(model.features_.names)
    assert model.predict(["l\u00ednnet"]).tolist() == ["linnet"]


def test_damaged_names_are_an_error() -> None:
    features = TextFeatures(tokenizer=dashes)
    features.fit_rows(TEXTS)
    spec, tensors = features.spec(), features.tensors()
    assert spec["settings"]["tokenizer"] == {"callable": "dashes"}
    spec["settings"]["tokenizer"] = 5
    with pytest.raises(linnet.errors.DataError, match="damaged"):
        TextFeatures.from_parts(spec, tensors)
