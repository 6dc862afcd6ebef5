"""Parsers as model files: what comes back, and what damaged files may do (raise, no more)."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet import DependencyParser
from linnet.data.trees import Trees
from linnet.errors import DataError, RefusedError
from linnet.features.arcs import ArcFeatures
from linnet.persistence import ModelFileError, read, write

X = [
    [("a", "DET"), ("linnet", "NOUN"), ("sings", "VERB")],
    [("wrens", "NOUN"), ("hide", "VERB"), ("in", "ADP"), ("ivy", "NOUN")],
    [("the", "DET"), ("wren", "NOUN"), ("sings", "VERB"), ("sweetly", "ADV")],
    [("sing", "VERB")],
] * 3
Y = [
    ([2, 3, 0], ["det", "nsubj", "root"]),
    ([2, 0, 4, 2], ["nsubj", "root", "case", "obl"]),
    ([2, 3, 0, 3], ["det", "nsubj", "root", "advmod"]),
    ([0], ["root"]),
] * 3
ASKED = [*X[:4], [("\ud800 é 漢 !", "NOUN"), ("hides", "VERB")]]
TEMPLATES = ["h.upos m.upos *", "m.form", "h.upos s.upos m.upos"]
SMALL = ArcFeatures(templates=TEMPLATES, hash_bits=6)
NAMES = ArcFeatures(templates=["h.upos m.upos direction", "m.first.upos"], hash_bits=5)


def small(**settings: Any) -> DependencyParser:
    return DependencyParser(**{"features": SMALL, "relations": NAMES, "max_iter": 2} | settings)


MODELS = {
    "second order": lambda: small(n_jobs=1).fit(X, Y),
    "first order": lambda: small(order=1, candidates=None, learner="perceptron").fit(X, Y),
    "crossing": lambda: small(projective=False, features=TEMPLATES[:2], relations="auto").fit(X, Y),
    "probabilities": lambda: small(loss="logistic", learner=linnet.learners.SGD(eta0=0.5)).fit(X, Y),
    "counted": lambda: small(features="auto", loss="joint_likelihood").fit(X, Y),
    "tagger": lambda: small(tagger="auto", jackknife=2, roots="many").fit(X, Y),
    "taggers": lambda: small(
        tagger={"upos": linnet.StructuredPerceptron(features=["word", "suffix2"], max_iter=2)}
    ).fit(X, Y),
}
DAMAGED = ["second order", "tagger"]


@cache
def model_of(name: str) -> DependencyParser:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two passes are few
        return MODELS[name]()


@cache
def file_of(name: str) -> bytes:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "m"
        model_of(name).save(path)
        return path.read_bytes()


def use(model: DependencyParser) -> None:
    """Everything a parser is asked for; numbers may be wrong, nothing may break."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        trees = model.predict(ASKED)
        assert [len(heads) for heads, _ in trees] == [len(words) for words in ASKED]
        for heads, relations in trees:
            Trees.from_lists([["w"] * len(heads)], [heads], [relations], roots="many")
        if hasattr(model, "predict_proba"):
            assert len(model.predict_proba(ASKED)) == len(ASKED)
        told = model.explain(ASKED[0])
        assert str(told)
        assert told.to_html()
        assert str(model.inspect(3))
        assert repr(model)


def outcome(path: Path, raw: bytes | None = None) -> str:
    """'refused' with an error that names the file, or 'used'."""
    if raw is not None:
        path.write_bytes(raw)
    try:
        model = linnet.load(path)
    except ModelFileError as error:
        assert str(path) in str(error)  # noqa: PT017
        assert len(str(error)) < 2 * len(str(path)) + 400  # noqa: PT017
        return "refused"
    try:
        use(model)
    except DataError as error:  # what the sentences lack
        assert "column" in str(error) or "weights" in str(error)  # noqa: PT017
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
    model = model_of(name)
    model.save(path)
    found = linnet.load(path)
    assert type(found) is DependencyParser
    assert found.predict(ASKED) == model.predict(ASKED)
    assert found.predict(ASKED, k=3) == model.predict(ASKED, k=3)  # scores to the bit
    if hasattr(model, "predict_proba"):
        for ours, theirs in zip(found.predict_proba(ASKED), model.predict_proba(ASKED), strict=True):
            np.testing.assert_array_equal(ours, theirs)
    assert found.classes_.tolist() == model.classes_.tolist()
    assert (found.why_, found.loss_, found.names_) == (model.why_, model.loss_, model.names_)
    assert found.record_.epochs == model.record_.epochs
    assert found.explain(ASKED[1]) == model.explain(ASKED[1])
    assert str(found.inspect(5)) == str(model.inspect(5))
    found.save(path.with_suffix(".again"))
    assert path.read_bytes() == path.with_suffix(".again").read_bytes()
    use(found)


def test_a_pipeline_is_one_file(path: Path) -> None:
    path.write_bytes(file_of("tagger"))
    words = [[word for word, _ in sentence] for sentence in ASKED]
    assert linnet.load(path).predict(words) == model_of("tagger").predict(words)


def test_settings_come_back(path: Path) -> None:
    path.write_bytes(file_of("probabilities"))
    found = linnet.load(path)
    assert found.learner.eta0 == 0.5
    assert found.features.get_params() == SMALL.get_params()
    path.write_bytes(file_of("crossing"))
    found = linnet.load(path)
    assert (found.features, found.relations, found.projective) == (TEMPLATES[:2], "auto", False)
    path.write_bytes(file_of("taggers"))
    assert type(linnet.load(path).tagger["upos"]) is linnet.StructuredPerceptron
    for name in ("second order", "taggers"):
        path.write_bytes(file_of(name))
        again = linnet.load(path).fit(X, Y)  # as it was trained
        np.testing.assert_array_equal(again.model_.weights, model_of(name).model_.weights)


def test_weights_are_mapped(path: Path) -> None:
    path.write_bytes(file_of("second order"))
    model = linnet.load(path).model_
    for array in (model.weights, model.relation_weights):
        assert not array.flags.owndata
        assert not array.flags.writeable


def test_what_cannot_be_saved(path: Path) -> None:
    class Mine(DependencyParser):
        pass

    with pytest.raises(RefusedError, match="Mine cannot be saved"):
        Mine(max_iter=1).fit(X, Y).save(path)
    assert not path.exists()


def test_another_process_predicts_the_same(path: Path) -> None:
    model = model_of("second order")
    model.save(path)
    script = (
        "import sys, json, linnet; m = linnet.load(sys.argv[1]);"
        "X = [[tuple(t) for t in s] for s in json.loads(sys.stdin.read())];"
        "print(json.dumps(m.predict(X, k=2)));"
        "assert 'sklearn' not in sys.modules and 'scipy' not in sys.modules"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, str(path)],
        input=json.dumps(X[:4]),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == json.loads(json.dumps(model.predict(X[:4], k=2)))


# ---------------------------------------------------------------------- damage


@pytest.mark.parametrize("name", DAMAGED)
def test_cut_off(name: str, path: Path) -> None:
    raw = file_of(name)
    start = 8 + int.from_bytes(raw[:8], "little")
    ends = {start}
    for tensor in json.loads(raw[8:start]).values():
        if "data_offsets" in tensor:
            ends |= {start + end + by for end in tensor["data_offsets"] for by in (-1, 0, 1)}
    for length in sorted(cut for cut in {0, 8, start // 2, *ends} if 0 <= cut < len(raw)):
        assert outcome(path, raw[:length]) == "refused"
    assert outcome(path, raw + b"\0") == "refused"
    assert outcome(path, raw) == "used"


@pytest.mark.parametrize("name", MODELS)
def test_flipped_bytes(name: str, path: Path) -> None:
    raw = bytearray(file_of(name))
    start = 8 + int.from_bytes(raw[:8], "little")
    rng = np.random.default_rng(1)
    for tensor, place in json.loads(bytes(raw[8:start])).items():
        if tensor == "__metadata__" or tensor.startswith(("_padding", "tagger.")):
            continue
        begin, end = (start + offset for offset in place["data_offsets"])
        bad = bytearray(raw)
        for at in rng.integers(begin, end, 12) if end > begin else []:
            bad[at] ^= 1 << int(rng.integers(8))
        outcome(path, bytes(bad))
    for at in rng.integers(8, start, 30).tolist():
        bad = bytearray(raw)
        bad[at] ^= 1 << int(rng.integers(8))
        outcome(path, bytes(bad))


@pytest.mark.parametrize("name", ["second order", "first order", "crossing", "tagger"])
def test_tensors_replaced(name: str, path: Path) -> None:
    path.write_bytes(file_of(name))
    tensors = {k: np.array(v) for k, v in read(path).tensors.items()}
    for tensor, array in tensors.items():
        if tensor.startswith("tagger."):
            continue
        wrong: list[Any] = [None, array[:-1], array[:0], np.concatenate([array, array])]
        wrong += [array.reshape(1, *array.shape), array.reshape(-1), np.zeros((), array.dtype)]
        wrong += [
            np.frombuffer(bytes([byte]) * array.nbytes, array.dtype).reshape(array.shape)
            for byte in (0x00, 0xFF, 0x7F)
        ]
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wrong += [array.astype(t) for t in ("f8", "i8", "u1", "i1", "f4") if array.dtype != t]
        for bad in wrong:
            result = outcome(edited(path, name, tensors={tensor: bad}))
            assert result == "refused" or bad is not None or tensor.startswith("record"), tensor


def leaves(value: Any, place: tuple = ()) -> Any:
    """Every place in the description."""
    yield place
    if isinstance(value, (dict, list)):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, (*place, key))


WRONG = (None, True, -1, 0, 1, 2**31, 2**63, 2**70, 1.5, 1e308, "", "x", [], [[]], {}, {"$x": 1})


@pytest.mark.parametrize("name", MODELS)
def test_wrong_values_everywhere(name: str, path: Path) -> None:
    raw = file_of(name)
    start = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:start])
    about = json.loads(header["__metadata__"]["linnet"])
    rng = np.random.default_rng(len(name))
    for place in leaves(about["spec"]):
        if not place or "epochs" in place or "why" in place or "taggers" in place[:-2]:
            continue
        for k in rng.choice(len(WRONG), 2, replace=False):
            bad = copy.deepcopy(about)
            inner: Any = bad["spec"]
            for key in place[:-1]:
                inner = inner[key]
            inner[place[-1]] = WRONG[k]
            outer = json.dumps(header | {"__metadata__": {"linnet": json.dumps(bad)}}).encode()
            outer += b" " * (-(8 + len(outer)) % 64)
            try:
                outcome(path, len(outer).to_bytes(8, "little") + outer + raw[start:])
            except BaseException as error:
                raise AssertionError(f"{place} = {WRONG[k]!r}: {error!r}") from error


def test_missing_parts(path: Path) -> None:
    for name in DAMAGED:
        path.write_bytes(file_of(name))
        for key in read(path).spec:
            if key in ("kind", "why", "params"):
                continue
            path.write_bytes(file_of(name))
            file = read(path)
            write(path, {k: v for k, v in file.spec.items() if k != key}, dict(file.tensors))
            assert outcome(path) == "refused", key
