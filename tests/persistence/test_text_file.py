"""Text classifiers as model files: what comes back, and what damaged files may do (raise, no more)."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet import TextClassifier
from linnet.features import TextFeatures
from linnet.persistence import ModelFileError, read, write

from ..birds import BIRDS, HELD_TEXTS, SEVERAL, TEXTS, TWO_BIRDS, TWO_TEXTS

KEPT = Path(__file__).parent / "data" / "text-classifier-1.linnet"
ASKED = ["a grey bird in the reeds", "", "\ud800 é 漢 !"]
WORDS = {"word": (1, 1), "min_df": 3}
COLUMNS = {"year": [len(t) for t in TEXTS], "place": [b[:1] for b in BIRDS]}

MODELS = {
    "plain": lambda: TextClassifier(TextFeatures(**WORDS)).fit(TEXTS, BIRDS),
    "two": lambda: TextClassifier(TextFeatures(**WORDS, scale="nb")).fit(TWO_TEXTS, TWO_BIRDS),
    "mix": lambda: TextClassifier(
        TextFeatures(**WORDS, lead=2, chars_wb=(2, 2), mix={"lead": 0.5}, scale="idf")
    ).fit(TEXTS, BIRDS),
    "several": lambda: TextClassifier(TextFeatures(**WORDS)).fit(TEXTS, SEVERAL),
    "calibrated": lambda: TextClassifier(TextFeatures(**WORDS), calibration="isotonic").fit(
        TEXTS, BIRDS
    ),
    "hashed": lambda: TextClassifier(TextFeatures(hash_bits=8, keep_names=True, scale="idf")).fit(
        TEXTS, BIRDS
    ),
    "columns": lambda: TextClassifier(
        TextFeatures(**WORDS, statistics=["length"], numeric=["year"], categorical=["place"])
    ).fit({"text": TEXTS} | COLUMNS, BIRDS),
    "voted": lambda: TextClassifier(
        TextFeatures(**WORDS), classifier=linnet.VotedPerceptron(max_iter=2)
    ).fit(TEXTS, BIRDS),
    "packed": lambda: MODELS["plain"]().quantize(keep=80),
    "packed, 4 bits": lambda: MODELS["mix"]().quantize(4, keep=80, names=True),
    "packed several": lambda: MODELS["several"]().quantize(keep=80),
    "packed two": lambda: MODELS["two"]().quantize(keep=80),
    "packed columns": lambda: MODELS["columns"]().quantize(keep=80),
    "packed hashed": lambda: MODELS["hashed"]().quantize(),
}


@cache
def file_of(name: str) -> bytes:
    import tempfile

    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "m"
        MODELS[name]().save(path)
        return path.read_bytes()


def use(model: TextClassifier) -> None:
    """Everything a model is asked for; numbers may be wrong, nothing may break."""
    table = {model.text: ASKED, "year": [1, 2, 3], "place": ["l", "o", "?"]}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        assert model.decision_function(table).shape[0] == 3
        assert len(model.predict(table)) == 3
        if hasattr(model, "predict_proba"):
            assert model.predict_proba(table).shape == (3, len(model.classes_))
        if model.packed_ is not None or model.model_.scorer is None:
            for k, text in enumerate(ASKED[:2]):
                found = model.explain(text, {"year": k, "place": "l"})
                assert str(found)
                assert found.to_html()
        assert str(model.choice_) is not None
        assert repr(model)


def outcome(path: Path, raw: bytes | None = None) -> str:
    """'refused' with an error that names the file, or 'used'."""
    if raw is not None:
        path.write_bytes(raw)
    try:
        model = linnet.load(path)
    except ModelFileError as error:
        what = str(error)
    else:
        what = ""
    if what:
        assert str(path) in what
        assert len(what) < len(str(path)) + 300
        return "refused"
    use(model)
    return "used"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.linnet"


def edited(path: Path, name: str, spec: dict | None = None, tensors: dict | None = None) -> Path:
    """The file of a model with parts of its description and its tensors replaced."""
    path.write_bytes(file_of(name))
    file = read(path)
    arrays = {k: np.array(v) for k, v in file.tensors.items()} | (tensors or {})
    about = copy.deepcopy(file.spec) | (spec or {})
    write(path, about, {k: v for k, v in arrays.items() if v is not None})
    return path


# ---------------------------------------------------------------------- round trips


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
    run = subprocess.run(
        [sys.executable, "-c", script, str(path)],
        input=json.dumps(HELD_TEXTS[:20]),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == model.decision_function(HELD_TEXTS[:20]).tolist()


def test_the_file_of_the_first_version() -> None:
    model = linnet.load(KEPT)
    assert model.classes_.tolist() == ["heron", "linnet", "magpie", "owl", "swift", "wren"]
    assert model.predict(list(KEPT_LABELS)).tolist() == list(KEPT_LABELS.values())
    np.testing.assert_allclose(model.decision_function([KEPT_TEXT])[0], KEPT_SCORES, atol=1e-5)
    assert model.explain(KEPT_TEXT).label == "linnet"
    assert KEPT.stat().st_size < 40_000
    model.partial_fit(["a cuckoo calling"] * 3, ["cuckoo"] * 3)
    assert "cuckoo" in model.classes_.tolist()


KEPT_TEXT = "a finch with a red forehead sang from the gorse"
KEPT_LABELS = {
    KEPT_TEXT: "linnet",
    "something hooted in the big tree after dark": "owl",
    "a tall grey bird knee-deep in the shallows": "heron",
    "a tiny brown bird with a cocked tail": "wren",
}
KEPT_SCORES = [-0.139663, 0.436278, -0.142664, 0.046228, -0.296989, 0.096810]


# ---------------------------------------------------------------------- damage


@pytest.mark.parametrize("name", ["mix", "packed, 4 bits"])
def test_cut_off(name: str, path: Path) -> None:
    raw = file_of(name)
    path.write_bytes(raw)
    start = 8 + int.from_bytes(raw[:8], "little")
    ends = {start}
    for tensor in json.loads(raw[8:start]).values():
        if "data_offsets" in tensor:
            ends |= {start + end + by for end in tensor["data_offsets"] for by in (-1, 0, 1)}
    cuts = {0, 1, 7, 8, 9, start // 2, start - 1, *ends, len(raw) - 1}
    for length in sorted(cut for cut in cuts if 0 <= cut < len(raw)):
        assert outcome(path, raw[:length]) == "refused"
    assert outcome(path, raw + b"\0") == "refused"
    assert outcome(path, raw) == "used"


@pytest.mark.parametrize("name", ["mix", "packed, 4 bits"])
def test_flipped_bytes_of_the_header(name: str, path: Path) -> None:
    raw = file_of(name)
    start = 8 + int.from_bytes(raw[:8], "little")
    rng = np.random.default_rng(0)
    found = []
    for at in [*range(8), *rng.integers(8, start, 250).tolist()]:
        flip = 1 << int(rng.integers(8))
        found.append(outcome(path, raw[:at] + bytes([raw[at] ^ flip]) + raw[at + 1 :]))
    assert found.count("refused") > 50


@pytest.mark.parametrize("name", MODELS)
def test_flipped_bytes_of_each_tensor(name: str, path: Path) -> None:
    raw = bytearray(file_of(name))
    path.write_bytes(raw)
    start = 8 + int.from_bytes(raw[:8], "little")
    rng = np.random.default_rng(1)
    for tensor, place in json.loads(bytes(raw[8:start])).items():
        if tensor == "__metadata__" or tensor.startswith("_padding"):
            continue
        begin, end = (start + offset for offset in place["data_offsets"])
        for _ in range(3):
            bad = bytearray(raw)
            for at in rng.integers(begin, end, 12) if end > begin else []:
                bad[at] ^= 1 << int(rng.integers(8))
            outcome(path, bytes(bad))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("byte", [0x00, 0xFF, 0x7F])
def test_tensors_overwritten(name: str, byte: int, path: Path) -> None:
    path.write_bytes(file_of(name))
    for tensor, array in read(path).tensors.items():
        filled = np.frombuffer(bytes([byte]) * array.nbytes, array.dtype).reshape(array.shape)
        outcome(edited(path, name, tensors={tensor: filled}))
        path.write_bytes(file_of(name))


@pytest.mark.parametrize("name", MODELS)
def test_tensors_of_wrong_length_type_and_shape(name: str, path: Path) -> None:
    path.write_bytes(file_of(name))
    tensors = {k: np.array(v) for k, v in read(path).tensors.items()}
    for tensor, array in tensors.items():
        wrong: list[Any] = [None, array[:-1], array[:0], np.concatenate([array, array])]
        wrong += [array.reshape(1, *array.shape), np.zeros((), array.dtype)]
        wrong += [array.astype(t) for t in ("f8", "i8", "u1", "f4") if array.dtype != t]
        for bad in wrong:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = outcome(edited(path, name, tensors={tensor: bad}))
            expected_to_fail = bad is None and not tensor.startswith("calibration")
            assert result == "refused" or not expected_to_fail, tensor


def leaves(value: Any, place: tuple = ()) -> Iterator[tuple]:
    """Every place in the description."""
    yield place
    if isinstance(value, (dict, list)):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, (*place, key))


WRONG = (
    None,
    True,
    -1,
    0,
    1,
    2**31,
    2**63,
    2**70,
    1.5,
    1e308,
    1e999,
    "",
    "nan",
    "x",
    [],
    [[]],
    {},
    {"$x": 1},
)


@pytest.mark.parametrize("name", MODELS)
def test_wrong_values_everywhere(name: str, path: Path) -> None:
    raw = file_of(name)
    start = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:start])
    about = json.loads(header["__metadata__"]["linnet"])
    places = [place for place in leaves(about["spec"]) if place and "epochs" not in place]
    rng = np.random.default_rng(len(name))
    for place in places:
        for k in rng.choice(len(WRONG), 3, replace=False):
            bad = copy.deepcopy(about)
            inner: Any = bad["spec"]
            for key in place[:-1]:
                inner = inner[key]
            inner[place[-1]] = WRONG[k]
            text = json.dumps(bad).replace("Infinity", "1e999")
            outer = json.dumps(header | {"__metadata__": {"linnet": text}}).encode()
            outer += b" " * (-(8 + len(outer)) % 64)
            try:
                outcome(path, len(outer).to_bytes(8, "little") + outer + raw[start:])
            except BaseException as error:
                raise AssertionError(f"{place} = {WRONG[k]!r}: {error!r}") from error


@pytest.mark.parametrize("name", MODELS)
def test_missing_parts(name: str, path: Path) -> None:
    path.write_bytes(file_of(name))
    spec = read(path).spec
    for key in spec:
        if key in ("kind", "why", "softmax", "calibration", "params"):
            continue
        path.write_bytes(file_of(name))
        file = read(path)
        write(path, {k: v for k, v in file.spec.items() if k != key}, dict(file.tensors))
        assert outcome(path) == "refused", key


def test_crafted(path: Path) -> None:
    plain = read(_saved(path, "plain")).spec
    assert outcome(edited(path, "plain", {"softmax": -1.0})) == "refused"
    assert outcome(edited(path, "plain", {"softmax": 0.0})) == "refused"
    assert outcome(edited(path, "plain", {"kind": "chart parser"})) == "refused"
    for width in (1, 5, 7, 2**40):
        assert outcome(edited(path, "plain", {"model": plain["model"] | {"width": width}})) == "refused"
    for features in (0, 1, 10**6, 2**40, 2**63):
        crafted = plain["features"] | {"features": features}
        assert outcome(edited(path, "plain", {"features": crafted})) == "refused"
    for bits in (0, 9, 31, 63):
        settings = plain["features"]["settings"] | {"hash_bits": bits}
        crafted = plain["features"] | {"settings": settings}
        assert outcome(edited(path, "plain", {"features": crafted})) == "refused"
    packed = read(_saved(path, "packed")).spec
    for bias in ("nan", "inf", True, "x", 1e39):
        assert (
            outcome(edited(path, "packed", {"packed": packed["packed"] | {"bias": bias}})) == "refused"
        )
    for bits in (4, 2, 16):
        assert (
            outcome(edited(path, "packed", {"packed": packed["packed"] | {"bits": bits}})) == "refused"
        )
    # One packed feature fewer, and a row beside in its place.
    width = 6
    tensors = read(_saved(path, "packed")).tensors
    codes = np.array(tensors["packed.codes"])[:-width]
    count = packed["packed"]["features"] - 1
    crafted = edited(
        path,
        "packed",
        {"packed": packed["packed"] | {"features": count}},
        {"packed.codes": codes, "packed.beside": np.zeros((1, width), np.float32)},
    )
    assert outcome(crafted) == "refused"
    several = read(_saved(path, "packed several")).spec
    assert several["several"] is True
    assert outcome(edited(path, "packed two", {"several": True})) == "refused"


def _saved(path: Path, name: str) -> Path:
    path.write_bytes(file_of(name))
    return path


@pytest.mark.parametrize("name", ["plain", "mix", "two", "hashed"])
def test_a_damaged_vocabulary_grows_or_refuses(name: str, path: Path) -> None:
    path.write_bytes(file_of(name))
    tensors = {k: np.array(v) for k, v in read(path).tensors.items() if k.startswith("features.")}
    rng = np.random.default_rng(2)
    for tensor, array in tensors.items():
        for _ in range(4):
            raw = bytearray(array.tobytes())
            for at in rng.integers(0, len(raw), 20):
                raw[at] ^= 1 << int(rng.integers(8))
            bad = np.frombuffer(bytes(raw), array.dtype).reshape(array.shape)
            edited(path, name, tensors={tensor: bad})
            try:
                model = linnet.load(path)
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("ignore")
                    model.partial_fit(TEXTS[:20], BIRDS[:20])
                    list(model.features_.names)
            except ValueError:
                continue
            use(model)
