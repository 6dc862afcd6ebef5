"""Model files that are damaged, or written by someone who means harm."""

from __future__ import annotations

import contextlib
import copy
import json
import warnings
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import linnet
from linnet.errors import DataError, RefusedError
from linnet.persistence import ModelFileError

from ...grid import cells
from ...persistence import damage, parser_models, tagger_models, text_models
from ..cases import Case
from ..model_files import X, model_files
from ..mutations import mutate


def prepare() -> None:
    """What all cases need is made once."""
    model_files()


def case(random: Random) -> Case:
    """A model of some kind with bytes, bits of a tensor, or values of its description changed."""
    name = random.choice(sorted(model_files()))
    raw = model_files()[name]
    return Case(name, random.choice((mutate, _flipped, _redescribed, _redescribed))(raw, random))


def _flipped(raw: bytes, random: Random) -> bytes:
    start, tensors = damage.header(raw)
    places = [p["data_offsets"] for p in tensors.values() if "data_offsets" in p]
    begin, end = random.choice([(b, e) for b, e in places if e > b])
    bad = bytearray(raw)
    for _ in range(random.choice((1, 4, 30))):
        bad[start + random.randrange(begin, end)] = random.choice((0, 1, 127, 128, 255))
    return bytes(bad)


def _redescribed(raw: bytes, random: Random) -> bytes:
    start, tensors = damage.header(raw)
    about = json.loads(tensors["__metadata__"]["linnet"])
    bad: Any = copy.deepcopy(about)
    others = [*damage.leaves(about["spec"])][1:]
    for place in random.sample(others, random.choice((1, 1, 2))):
        inner = bad["spec"]
        try:
            for key in place[:-1]:
                inner = inner[key]
            inner[place[-1]] = random.choice((*damage.WRONG, "$tuple", {"$tuple": [1, 2]}))
        except (KeyError, IndexError, TypeError):
            continue  # a place inside what was replaced before
    text = json.dumps(bad).replace("Infinity", "1e999")
    outer = json.dumps(tensors | {"__metadata__": {"linnet": text}}).encode()
    outer += b" " * (-(8 + len(outer)) % 64)
    return len(outer).to_bytes(8, "little") + outer + raw[start:]


def judge(case: Case, folder: Path) -> None:
    """It is refused by its name, or used without harm."""
    path = folder / "model.linnet"
    path.write_bytes(case.data)
    try:
        model = linnet.load(path)
    except ModelFileError as error:
        assert str(path) in str(error), f"the file is not named: {error}"  # noqa: PT017
        return
    with contextlib.suppress(DataError):  # what sentences lack for such a model; weights that are NaN
        USES[case.name.partition(":")[0]](model)


def _use_linear(model: Any) -> None:
    named = getattr(model, "vocabulary_", None) is not None
    # (without its names a model takes matrices, of as many columns as it says)
    given = [{"a": 1.0}] if named else np.resize(X, (1, model.n_features_in_))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        assert len(model.predict(given)) == 1
        if hasattr(model, "decision_function"):
            assert np.shape(model.decision_function(given))[0] == 1
        assert repr(model)


def _use_numbers(model: Any) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        assert len(model.predict(["ten wrens", "nothing known"])) == 2
        assert model.explain("ten wrens") is not None
        assert repr(model)


def _use_phrases(model: Any) -> None:
    sentence = [[("the", "DT"), ("wren", "NN"), ("sings", "VBZ"), (".", ".")]]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        assert len(model.predict(sentence)) == 1
        assert len(model.predict(sentence, k=2)[0]) <= 2
        assert model.explain(sentence[0]) is not None
        assert repr(model)


def _use_grammar(model: Any) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        assert len(model.predict([["a", "linnet"], ["never", "seen"]])) == 2
        assert repr(model)


def _use_graph(model: Any) -> None:
    graphs, _ = cells.problem("graph")
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        assert len(model.predict(graphs[:1])) == 1
        assert repr(model)


def _use_rules(model: Any) -> None:
    given = [[("the", "DT"), ("wren", "NN")]] if len(model.features_.columns) > 1 else [["the", "can"]]
    assert len(model.predict(given)[0]) == 2
    assert len(model.explain(given)) == 1
    assert len(model.inspect(3)) <= 3
    assert repr(model)


def _use_kernel(model: Any) -> None:
    reads = model._reader(False).reads
    if reads == "rows" and model.features_ is None:
        given: Any = np.ones((2, min(model.n_features_in_, 1000)))
        if given.shape[1] != model.n_features_in_:
            return
        if model.vocabulary_ is not None:
            given = [{"a": 1.0}, {"c": 2.0}]
    else:
        given = {
            "trees": [("S", ("N", "wren")), "x"],
            "gram": np.ones((2, min(getattr(model.model_, "examples", 9), 9))),
        }.get(reads, ["a linnet", ""])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            assert len(model.predict(given)) == 2
            if getattr(model, "hypothesis", "") != "voted":
                assert len(model.explain(given)) == 2
        except (DataError, RefusedError):  # values beyond all bounds; features without names
            pass
    assert repr(model)


def _use_memory(model: Any) -> None:
    _use_rows(model, [["red", "round"], ["blue", "long"]])


def _use_lists(model: Any) -> None:
    _use_rows(model, ["the bass sings", "never seen", ""])


def _use_rows(model: Any, asked: list[Any]) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        assert len(model.predict(asked)) == len(asked)
        assert len(model.explain(asked)) == len(asked)
        assert repr(model)


USES = {
    "kernel": _use_kernel,
    "numbers": _use_numbers,
    "rules": _use_rules,
    "memory": _use_memory,
    "windows": _use_rules,
    "lists": _use_lists,
    "phrases": _use_phrases,
    "grammar": _use_grammar,
    "graph": _use_graph,
    "linear": _use_linear,
    "text": text_models.use,
    "tagger": tagger_models.use,
    "parser": parser_models.use,
}
