"""Taggers as model files: what comes back, and what damaged files may do (raise, no more)."""

from __future__ import annotations

import copy
import json
import pickle
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
from linnet.errors import RefusedError
from linnet.estimators import CRF, HMM, MEMM, StructuredMIRA, StructuredPerceptron, Tagger
from linnet.features import TokenFeatures
from linnet.persistence import ModelFileError, read, write

KEPT = Path(__file__).parent / "data" / "tagger-1.linnet"

WORDS = [
    "the linnet sings in the gorse",
    "a small wren hides in ivy",
    "Anna Reed saw a linnet in Kent",
    "the wren of Kent sings",
    "Reed hides",
]
TAGS = [
    "O B-BIRD O O O B-PLANT",
    "O B-BIRD I-BIRD O O B-PLANT",
    "B-PER I-PER O O B-BIRD O B-LOC",
    "O B-BIRD O B-LOC O",
    "B-PER O",
]
X = [words.split() for words in WORDS] * 4
Y = [tags.split() for tags in TAGS] * 4
ASKED = [*X[:5], ["Anna", "sings", "\ud800 é 漢 !"], ["wren"]]
TEMPLATES = ["word", "word[-1]", "suffix2", "shape"]
OBSERVED = [*TEMPLATES, "transition: word"]
LEXICON = {"birds": ["linnet", "wren", "small wren"], "kind": {"linnet": "bird", "ivy": "plant"}}
ATTRIBUTES = [[{"w": word, "n": len(word)} for word in sentence] for sentence in X]


def small(**settings: Any) -> Tagger:
    return Tagger(**{"features": TEMPLATES, "max_iter": 5} | settings)


MODELS = {
    "auto": lambda: Tagger(max_iter=5).fit(X, Y),
    "independent": lambda: small(order=0).fit(X, Y),
    "first order": lambda: small(ends=True).fit(X, Y),
    "second order": lambda: small(order=2, ends=True, learner="sgd").fit(X, Y),
    "observed": lambda: small(features=OBSERVED, learner="sgd").fit(X, Y),
    "segments": lambda: small(segments=True, longest=4).fit(X, Y),
    "local": lambda: MEMM(features=TEMPLATES, max_iter=5, ends=True).fit(X, Y),
    "hidden": lambda: HMM(smoothing=0.5).fit(X, Y),
    "perceptron": lambda: StructuredPerceptron(features=TEMPLATES, max_iter=3).fit(X, Y),
    "mira": lambda: StructuredMIRA(features=TEMPLATES, max_iter=3).fit(X, Y),
    "attributes": lambda: CRF(max_iter=5).fit(ATTRIBUTES, Y),
    "lexicons": lambda: small(
        features=TokenFeatures(
            templates=["word", "birds", "kind", "capital"],
            lexicons=LEXICON,
            classes={"capital": "^[A-Z]"},
        )
    ).fit(X, Y),
    "usual": lambda: small(features=["word", "usual[-1]", "usual[1]"]).fit(X, Y),
    "hashed": lambda: small(features=TokenFeatures(templates=TEMPLATES, hash_bits=8)).fit(X, Y),
    "settings": lambda: small(
        loss="softmax_margin",
        learner=linnet.learners.SGD(eta0=0.5),
        cost={("O", "B-PER"): 2.0, ("B-PER", "O"): 3},
        dictionary={"ivy": ["B-PLANT", "O"], "wren": {"B-BIRD", "I-BIRD"}},
        transitions={"B-LOC": ["O"]},
        legal="bio",
        class_weight={"O": 0.5},
    ).fit(X, Y),
    "packed": lambda: MODELS["auto"]().quantize(),
    "packed, 4 bits": lambda: MODELS["first order"]().quantize(4, keep=30, names=True),
    "packed observed": lambda: MODELS["observed"]().quantize(),
    "packed observed, 4 bits": lambda: MODELS["observed"]().quantize(4),
    "packed hidden": lambda: MODELS["hidden"]().quantize(),
    "packed hashed": lambda: MODELS["hashed"]().quantize(),
    "packed usual": lambda: MODELS["usual"]().quantize(),
    "packed lexicons": lambda: MODELS["lexicons"]().quantize(),
}


@cache
def model_of(name: str) -> Tagger:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # five iterations are few
        return MODELS[name]()


@cache
def file_of(name: str) -> bytes:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "m"
        model_of(name).save(path)
        return path.read_bytes()


def asked(model: Tagger) -> Any:
    if model.features_.columns:
        return ASKED
    return [[{"w": word, "n": len(word)} for word in sentence] for sentence in ASKED]


def use(model: Tagger) -> None:
    """Everything a tagger is asked for; numbers may be wrong, nothing may break."""
    given = asked(model)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        assert [len(tags) for tags in model.predict(given)] == [len(words) for words in given]
        if hasattr(model, "predict_proba"):
            assert len(model.predict_proba(given)) == len(given)
        found = model.explain(given[0])
        assert str(found)
        assert found.to_html()
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
        assert len(str(error)) < len(str(path)) + 300  # noqa: PT017
        return "refused"
    try:
        use(model)
    except linnet.errors.DataError as error:  # what the sentences lack, or rules that allow nothing
        assert "column" in str(error) or "rules" in str(error) or "words" in str(error)  # noqa: PT017
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
    given = asked(model)
    assert type(found) is type(model)
    assert found.predict(given) == model.predict(given)
    assert found.predict(given, k=3) == model.predict(given, k=3)  # scores to the bit
    if hasattr(model, "predict_proba"):
        for ours, theirs in zip(found.predict_proba(given), model.predict_proba(given), strict=True):
            np.testing.assert_array_equal(ours, theirs)
    assert found.classes_.tolist() == model.classes_.tolist()
    assert found.choice_.why == model.choice_.why
    assert (found.loss_, found.scheme_) == (model.loss_, model.scheme_)
    assert found.record_.epochs == model.record_.epochs
    assert found.explain(given[0]) == model.explain(given[0])
    assert str(found.inspect(5)) == str(model.inspect(5))
    found.save(path.with_suffix(".again"))
    assert path.read_bytes() == path.with_suffix(".again").read_bytes()
    use(found)
    for again in (copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert again.predict(given, k=2) == model.predict(given, k=2)


def test_settings_come_back(path: Path) -> None:
    model = model_of("settings")
    path.write_bytes(file_of("settings"))
    found = linnet.load(path)
    assert found.cost == {("O", "B-PER"): 2.0, ("B-PER", "O"): 3}
    assert found.dictionary == {"ivy": ["B-PLANT", "O"], "wren": ["B-BIRD", "I-BIRD"]}
    assert found.transitions == model.transitions
    assert found.learner.eta0 == 0.5
    assert found.features == TEMPLATES
    np.testing.assert_array_equal(found.rules_.transitions, model.rules_.transitions)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = found.fit(X, Y)  # as it was trained
        np.testing.assert_array_equal(again.model_.transitions, model.model_.transitions)
        path.write_bytes(file_of("lexicons"))
        found = linnet.load(path)
        assert list(found.fit(X, Y).features_.names) == list(model_of("lexicons").features_.names)


def test_weights_are_mapped(path: Path) -> None:
    for name in ("auto", "observed", "second order"):
        path.write_bytes(file_of(name))
        model = linnet.load(path).model_
        arrays = [model.states.starts, model.states.labels, model.states.weights, model.transitions]
        if name == "observed":
            arrays += [model.pairs.starts, model.pairs.weights]
        for array in arrays:
            assert not array.flags.owndata
            assert not array.flags.writeable


def test_a_packed_file_is_small() -> None:
    assert len(file_of("packed")) < 0.5 * len(file_of("auto"))
    assert len(file_of("packed, 4 bits")) < len(file_of("first order"))


def test_what_cannot_be_saved(path: Path) -> None:
    class Mine(Tagger):
        pass

    with pytest.raises(RefusedError, match="Mine cannot be saved"):
        Mine(features=TEMPLATES, max_iter=2, learner="perceptron", loss="perceptron").fit(X, Y).save(
            path
        )
    voted = small(learner="voted", loss="perceptron", penalty="none").fit(X, Y)
    with pytest.raises(RefusedError, match="voted"):
        voted.save(path)
    for ask in (voted.quantize, voted.inspect, lambda: voted.explain(X[0])):
        with pytest.raises(ValueError, match="votes"):
            ask()
    model = copy.copy(model_of("perceptron"))
    model.random_state = np.random.RandomState(0)
    with pytest.raises(TypeError, match="random_state"):
        model.save(path)
    assert not path.exists()


def test_another_process_predicts_the_same(path: Path) -> None:
    model = model_of("lexicons")
    model.save(path)
    script = (
        "import sys, json, linnet; m = linnet.load(sys.argv[1]);"
        "print(json.dumps(m.predict(json.loads(sys.stdin.read()), k=2)));"
        "assert 'sklearn' not in sys.modules and 'scipy' not in sys.modules"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, str(path)],
        input=json.dumps(X[:5]),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == json.loads(json.dumps(model.predict(X[:5], k=2)))


# ---------------------------------------------------------------------- damage


@pytest.mark.parametrize("name", ["observed", "packed, 4 bits"])
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
        if tensor == "__metadata__" or tensor.startswith("_padding"):
            continue
        begin, end = (start + offset for offset in place["data_offsets"])
        for _ in range(2):
            bad = bytearray(raw)
            for at in rng.integers(begin, end, 12) if end > begin else []:
                bad[at] ^= 1 << int(rng.integers(8))
            outcome(path, bytes(bad))
    for at in rng.integers(8, start, 40).tolist():
        bad = bytearray(raw)
        bad[at] ^= 1 << int(rng.integers(8))
        outcome(path, bytes(bad))


@pytest.mark.parametrize("name", MODELS)
def test_tensors_replaced(name: str, path: Path) -> None:
    path.write_bytes(file_of(name))
    tensors = {k: np.array(v) for k, v in read(path).tensors.items()}
    for tensor, array in tensors.items():
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
            optional = tensor in ("model.start", "model.stop") or tensor.startswith("record")
            assert result == "refused" or bad is not None or optional, tensor


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
        if not place or "epochs" in place or "why" in place:
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
    for name in ("observed", "packed"):
        path.write_bytes(file_of(name))
        for key in read(path).spec:
            if key in ("kind", "why", "params", "scheme") or (key, name) == ("pairs", "packed"):
                continue
            path.write_bytes(file_of(name))
            file = read(path)
            write(path, {k: v for k, v in file.spec.items() if k != key}, dict(file.tensors))
            assert outcome(path) == "refused", key


def test_crafted(path: Path) -> None:
    spec = read(edited(path, "first order")).spec
    for labels in (0, 1, 6, 2**40, -1):
        assert outcome(edited(path, "first order", {"model": spec["model"] | {"labels": labels}})) == (
            "refused"
        )
    for order in (0, 1, 2, 3):
        outcome(edited(path, "first order", {"model": spec["model"] | {"order": order}}))
    for bias in (True, "x", 1e39, None):
        assert (
            outcome(edited(path, "first order", {"model": spec["model"] | {"bias": bias}})) == "refused"
        )
    for scheme in ("bio2", "x", ["bio"], 1):
        assert outcome(edited(path, "first order", {"scheme": scheme})) in ("refused", "used")
    for bits in (0, 4, 7, 16, "8", None, [8]):
        assert outcome(edited(path, "packed", {"bits": bits})) == "refused"
    assert outcome(edited(path, "first order", {"estimator": "Oracle"})) == "refused"
    assert outcome(edited(path, "first order", {"bits": 8})) == "refused"
    params = spec["params"]
    for changed in (
        {"dictionary": {"ivy": ["NOT A TAG"]}},
        {"dictionary": {"ivy": []}},
        {"transitions": {"O": 3}},
        {"order": 7},
        {"normalisation": "?"},
        {"n_jobs": 2**40},
        {"cost": {"x": 1.0}},
    ):
        assert outcome(edited(path, "first order", {"params": params | changed})) == "refused"


def test_the_file_of_the_first_version() -> None:
    model = linnet.load(KEPT)
    assert type(model) is CRF
    assert model.predict(X[:5]) == Y[:5]
    assert model.scheme_ == "iob2"
    assert KEPT.stat().st_size < 40_000
    scores = [best[0][1] for best in model.predict(X[:5], k=1)]
    np.testing.assert_allclose(scores, KEPT_SCORES, atol=1e-3)
    assert model.explain(X[4]).tags == ["B-PER", "O"]


KEPT_SCORES = [40.6855, 37.981, 44.0761, 32.226, 12.0544]
