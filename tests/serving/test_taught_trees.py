"""Trees that are taught: what is pinned is kept, what is saved is learnt, what was said is apart."""

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.data.brackets import Brackets
from linnet.data.samples import load_trees

pytest.importorskip("starlette")

from linnet.errors import DataError
from linnet.serving.look.decisions import Decision, Decisions
from linnet.serving.look.exporting import exported, forms_of
from linnet.serving.look.learning import Learning
from linnet.serving.look.refitting import Refit
from linnet.serving.look.session import Looked, Session
from linnet.serving.look.teaching_trees import MOST_WORDS, TeachingTrees

from .test_phrases import ALL, HIGH

TRAIN, POOL = load_trees("rambles-train"), load_trees("rambles-test").take(list(range(40)))
WORDS = POOL.column("form")
HANGS = [("S", ("NP", ("DT", "the"), ("NN", "owl")), ("VP", ("VBZ", "sits")))]
SENTENCES = Brackets.from_nested([*HIGH[:4], *HANGS]).column("word")


@pytest.fixture(scope="module", params=["logistic", "auto"])
def parser(request: Any) -> Any:
    return linnet.DependencyParser(tagger="auto", loss=request.param).fit(TRAIN.take(list(range(20))))


@pytest.fixture(scope="module")
def phrases() -> Any:
    return linnet.ConstituencyParser().fit(Brackets.from_nested(ALL))


def teaching(model: Any, pool: Any, tmp_path: Path, **given: Any) -> TeachingTrees:
    return TeachingTrees(model, pool, Decisions(str(tmp_path / "d.jsonl")), **given)


def gold(i: int) -> Any:
    return {"heads": POOL.head_lists()[i], "relations": POOL.relation_lists()[i]}


def until_fitted(made: TeachingTrees) -> Any:
    for _ in range(1200):
        told = made.told()
        if told["fitting"] is None:
            return told
        time.sleep(0.1)
    raise AssertionError("the fit has no end")


def test_arcs_that_are_pinned_are_kept(parser: Any, tmp_path: Path) -> None:
    made = teaching(parser, WORDS, tmp_path)
    first = made.told("random")["sentences"][0]
    size = len(first["words"])
    assert len(first["heads"]) == len(first["relations"]) == len(first["tags"]) == size
    assert (first["sure"] is None) == (parser.loss_ == "hinge")
    root = first["heads"].index(0)
    other = (root + 1) % size
    asked = {"heads": {str(other): 0}, "relations": {str(root): "oddly"}, "tree": first}
    found = made.redrawn(first["place"], asked)
    assert found["heads"][other] == 0
    assert found["heads"].count(0) == 1
    assert found["relations"][root] == "oddly"
    assert not found["by_hand"]
    assert made.kind.checked(found, first["words"])


def test_arcs_that_cross_are_set_by_hand(parser: Any, tmp_path: Path) -> None:
    made = teaching(parser, [["a", "b", "c", "d"]], tmp_path)
    tree = {"heads": [2, 0, 2, 3], "relations": ["x", "root", "x", "x"]}
    found = made.redrawn(0, {"heads": {"0": 3, "3": 2}, "tree": tree})
    assert found["by_hand"]
    assert found["heads"] == [3, 0, 2, 2]
    with pytest.raises(DataError, match="no tree"):
        made.redrawn(0, {"heads": {"0": 2, "1": 1}, "tree": tree})


@pytest.mark.parametrize(
    "asked",
    [
        {"heads": {"0": 1}},
        {"heads": {"0": 99}},
        {"heads": {"99": 1}},
        {"heads": [1]},
        {"heads": {"0": "1"}},
        {"relations": {"x": "y"}},
    ],
)
def test_pins_that_cannot_be_are_refused(parser: Any, tmp_path: Path, asked: Any) -> None:
    made = teaching(parser, WORDS, tmp_path)
    with pytest.raises(DataError, match=r"heads|relations"):
        made.redrawn(0, asked)


@pytest.mark.parametrize(
    "tree",
    [
        {"heads": [2, 1], "relations": ["a", "b"]},
        {"heads": [0, 0], "relations": ["a", "b"]},
        {"heads": [0], "relations": ["a"]},
        {"heads": [0, 1], "relations": ["a", " "]},
        {"heads": [0, 1], "relations": ["a", "b\tc"]},
        {"heads": [0, True], "relations": ["a", "b"]},
        [],
    ],
)
def test_what_is_no_tree_of_arcs_is_refused(parser: Any, tmp_path: Path, tree: Any) -> None:
    made = teaching(parser, [["a", "b"]], tmp_path)
    with pytest.raises(DataError, match="tree"):
        made.decide(0, {"tree": tree})
    assert not (tmp_path / "d.jsonl").exists()


@pytest.mark.parametrize("with_train", [False, True])
def test_arcs_are_learnt_and_kept_apart(parser: Any, tmp_path: Path, with_train: bool) -> None:
    train = TRAIN.take(list(range(20))) if with_train else None
    made = teaching(parser, WORDS, tmp_path, train=train)
    said = made.kind.trees(parser, WORDS[:6])
    for i in range(6):
        made.decide(i, {"tree": gold(i), "note": "n"})
    made.decide(6, {})
    lines = [json.loads(line) for line in (tmp_path / "d.jsonl").read_text().splitlines()]
    assert [line.get("tree") for line in lines] == [*(gold(i) for i in range(6)), None]
    assert lines[0]["guessed"] == {k: said[0][k] for k in ("heads", "relations")}
    told = until_fitted(made)
    assert (told["decided"], told["learnt"], told["left"]) == (7, 6, 33)
    assert told["refits"] == with_train
    assert not told["refused"] + told["failed"] + told["cannot"]
    if with_train:
        made.learn(anew=True)
        assert until_fitted(made)["fitted"] == 6
        assert made.told()["behind"] == 0
        assert made.model.taggers_ is parser.taggers_
        assert made.model.get_params()["tagger"] == "auto"
    right = [
        np.mean(np.array(one["heads"]) == np.array(POOL.head_lists()[i]))
        for model in (parser, made.model)
        for i, one in enumerate(made.kind.trees(model, WORDS[:6]))
    ]
    assert np.mean(right[6:]) > np.mean(right[:6])
    assert made.undo() == 6
    for _ in range(6):
        made.undo()
    assert made.model is parser
    made.stop()


def test_a_pool_of_one_sentence_is_learnt(parser: Any, tmp_path: Path) -> None:
    """There is nothing else that the parser could be reminded of."""
    made = teaching(parser, WORDS[:1], tmp_path)
    made.decide(0, {"tree": gold(0)})
    assert not made.told()["refused"]
    assert made.model is not parser
    assert made.told()["sentences"] == []


def test_the_least_sure_come_first(parser: Any, tmp_path: Path) -> None:
    made = teaching(parser, WORDS, tmp_path)
    sure = made.kind.sure(parser, made.pool)
    assert ((sure >= 0) & (sure <= 1 + 1e-9)).all()
    first = [one["place"] for one in made.told("least sure")["sentences"]]
    assert sure[first].tolist() == sorted(sure.tolist())[: len(first)]


def test_sentences_that_are_not_drawn_are_told(parser: Any, tmp_path: Path) -> None:
    made = teaching(parser, [*WORDS[:2], ["a"] * (MOST_WORDS + 1), ["10 000", "wrens"]], tmp_path)
    assert (made.told()["left"], made.told()["left_out"]) == (2, 2)


def test_brackets_that_are_pinned_are_kept(phrases: Any, tmp_path: Path) -> None:
    made = teaching(phrases, SENTENCES, tmp_path)
    first = next(one for one in made.told()["sentences"] if "brackets" in one)
    words, label = first["words"], first["brackets"][0][2]
    asked: dict[str, Any] = {"tree": {k: first[k] for k in ("brackets", "tags")}}
    found = made.redrawn(first["place"], asked | {"pinned": [[1, len(words), "NP"]]})
    assert [1, len(words), "NP"] in found["brackets"]
    assert not any(b < 1 < e < len(words) for b, e, _ in found["brackets"])
    assert not found["by_hand"]
    whole = [0, len(words), label]
    found = made.redrawn(first["place"], asked | {"forbidden": [whole]})
    assert whole not in found["brackets"]
    # What the parser has no name for is put in by hand, and the rest is found under the other pins.
    odd = [[0, 2, "ODD"], [1, len(words), "NP"]]
    with pytest.raises(DataError, match="cross"):
        made.redrawn(first["place"], asked | {"pinned": odd})
    odd[1] = [2, len(words), "NP"]
    found = made.redrawn(first["place"], asked | {"pinned": odd, "tags": {"0": "ODD"}})
    assert found["by_hand"]
    assert all(one in found["brackets"] for one in odd)
    assert found["tags"][0] == "ODD"
    made.kind.checked(found, words)


@pytest.mark.parametrize(
    "tree",
    [
        {"brackets": [[0, 2, "A"], [1, 3, "B"]], "tags": ["a", "b", "c"]},
        {"brackets": [[0, 4, "A"]], "tags": ["a", "b", "c"]},
        {"brackets": [[0, 3, "A B"]], "tags": ["a", "b", "c"]},
        {"brackets": [[0, 3, "(A"]], "tags": ["a", "b", "c"]},
        {"brackets": [[0, 3, "A"]], "tags": ["a", "b"]},
        {"brackets": [[0, 3, "A"]], "tags": ["a", "b", ""]},
        {"brackets": "A", "tags": ["a", "b", "c"]},
        "(A a b c)",
    ],
)
def test_what_is_no_tree_of_phrases_is_refused(phrases: Any, tmp_path: Path, tree: Any) -> None:
    made = teaching(phrases, [["a", "b", "c"]], tmp_path)
    with pytest.raises(DataError, match=r"tree|brackets"):
        made.decide(0, {"tree": tree})
    assert not (tmp_path / "d.jsonl").exists()


@pytest.mark.parametrize("with_train", [False, True])
def test_brackets_are_learnt(phrases: Any, tmp_path: Path, with_train: bool) -> None:
    taught = Brackets.from_nested(HIGH)
    train = Brackets.from_nested(ALL) if with_train else None
    made = teaching(phrases, taught.column("word"), tmp_path, train=train)
    for i, tree in enumerate(taught):
        brackets = [list(span) for span in tree.spans()]
        made.decide(i, {"tree": {"brackets": brackets, "tags": list(tree.tags)}})
    told = until_fitted(made)
    assert not told["refused"] + told["failed"] + told["cannot"]
    assert made.model.score(taught) > phrases.score(taught)
    if with_train:
        made.learn(anew=True)
        assert until_fitted(made)["fitted"] == len(HIGH)
        assert made.model.score(taught) == 1
        assert made.model.taggers_ is phrases.taggers_
    assert told["last"][0]["tree"].startswith("(S ")
    made.stop()


@pytest.mark.filterwarnings("ignore:.*no tree")
def test_a_grammar_is_fitted_anew_or_says_why_not(tmp_path: Path) -> None:
    grammar = linnet.GrammarParser().fit(Brackets.from_nested(ALL))
    tree = {"brackets": [[0, 3, "S"], [0, 2, "NP"], [2, 3, "VP"]], "tags": ["DT", "NN", "VBZ"]}
    pool = [["the", "owl", "sits"], ["the", "wren", "sits"]]
    made = teaching(grammar, pool, tmp_path)
    made.decide(0, {"tree": tree})
    assert "no steps" in made.told()["cannot"]
    made = teaching(grammar, pool, tmp_path, train=Brackets.from_nested(ALL))
    until_fitted(made)
    made.follow()
    assert made.told("random")["fitted"] == 1
    found = made.kind.trees(made.model, [pool[1]])[0]
    assert found["brackets"] == tree["brackets"]
    made.stop()


def test_files_go_there_and_back(tmp_path: Path) -> None:
    """What is exported is read as it was decided; columns that nobody decided say nothing."""
    arcs = Decision(1, "A b", words=["A", "b"], tree={"heads": [2, 0], "relations": ["det", "root"]})
    tree = {"brackets": [[0, 2, "S"], [0, 1, "NP"]], "tags": ["DT", "X"]}
    spans = Decision(2, "( b", words=["(", "b"], tree=tree, note="odd\none")
    both = [arcs, spans, Decision(3, "passed", words=["passed"]), Decision(4, "text", "label")]
    (tmp_path / "a.conllu").write_bytes(exported(both, "conllu"))
    (tmp_path / "b.mrg").write_bytes(exported(both, "mrg"))
    read = linnet.formats.read_trees(tmp_path / "a.conllu")
    assert (read.column("form"), read.head_lists()) == ([["A", "b"]], [[2, 0]])
    assert read.relation_lists() == [["det", "root"]]
    assert read.column("upos") == [["_", "_"]]
    (back,) = linnet.formats.read_brackets(tmp_path / "b.mrg")
    assert [list(span) for span in back.spans()] == tree["brackets"]
    rows = [json.loads(line) for line in exported(both, "jsonl").splitlines()]
    assert rows[0] == {"tokens": ["A", "b"], "heads": [2, 0], "relations": ["det", "root"]}
    assert rows[1] == {"tokens": ["(", "b"], **tree, "note": "odd\none"}
    assert exported(both, "tsv") == b"label\ttext\n"
    assert forms_of("parse") == ["conllu", "jsonl"]


def test_a_session_teaches_trees(phrases: Any, tmp_path: Path) -> None:
    session = Session(Looked(phrases, pool=SENTENCES, decisions=str(tmp_path / "d.jsonl")))
    assert session.about({})["views"] == ["try", "teach", "weights"]
    assert session.about({})["exports"] == ["mrg", "jsonl"]
    one = session.teach({"order": "random"})["sentences"][0]
    tree = {k: one[k] for k in ("brackets", "tags")}
    found = session.teach({"place": one["place"], "redraw": True, "tree": tree, "forbidden": []})
    assert found["words"] == one["words"]
    assert session.teach({"place": one["place"], "tree": tree})["decided"] == 1
    assert session.teach({"undo": True})["decided"] == 0
    with pytest.raises(DataError, match="rules are for labels"):
        session.rules({})
    with pytest.raises(DataError, match="no sentence"):
        session.teach({"place": 99, "tree": tree})
    session.close()


def test_a_fit_can_be_stopped_and_failures_are_told() -> None:
    def slow() -> None:
        while True:
            time.sleep(0.01)

    fit = Refit(slow, [1])
    assert fit.running
    fit.stop()
    assert not fit.running
    assert fit.model is None

    def fails(_: Any) -> Any:
        raise ValueError("odd data")

    learning = Learning("first", lambda base, made: f"{base}+{len(made)}", fails, background=True)
    assert learning.learnt({1: "a"}) == "first+1"
    while learning.fitting is not None:
        learning.take()
    assert "odd data" in learning.told()["failed"]
    assert learning.learnt({1: "a"}) == "first+1"
    assert learning.fitting is None  # the same is not tried again unasked
    assert learning.learnt({1: "a", 2: "b"}) == "first+2"
    assert learning.fitting is not None
    learning.stop()
    asked = Learning("first", lambda *_: "on", fails, background=True, unasked=False)
    assert asked.learnt({1: "a"}) == "on"
    assert asked.fitting is None
    asked.learnt({1: "a"}, anew=True)
    assert asked.fitting is not None
    asked.stop()
