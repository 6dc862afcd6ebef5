"""The scores of the CoNLL 2018 shared task: kept outputs of the official script, and what must hold."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.data import Trees
from linnet.errors import DataError
from linnet.evaluation.shared_task import METRICS, OF_TREES, shared_task_scores
from linnet.formats import read_trees

# What conll18_ud_eval.py 1.2 counted: right, gold, system, aligned.
CASES = json.loads((Path(__file__).parent / "shared_task_cases.json").read_text(encoding="utf-8"))


def trees_of(folder: Path, text: str) -> Trees:
    path = folder / "some.conllu"
    path.write_text(text, encoding="utf-8")
    return read_trees(path)


@pytest.mark.parametrize("name", CASES)
def test_the_official_script_counts_the_same(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    found = shared_task_scores(trees_of(tmp_path, case["gold"]), trees_of(tmp_path, case["system"]))
    counts = {name: [s.right, s.gold, s.system, s.aligned] for name, s in found.items()}
    assert counts == case["scores"]
    assert list(found) == list(METRICS)


def cut(text: str, places: set[int]) -> Trees:
    """A text as one sentence, cut at some places; all words hang on the first."""
    at = sorted({0, *places, len(text)})
    words = [text[b:e] for b, e in pairwise(at)]
    heads = [[0, *[1] * (len(words) - 1)]]
    return Trees.from_lists([words], heads, [["root", *["dep"] * (len(words) - 1)]])


TEXT = "abcdefghijklmnop"
PLACES = st.sets(st.integers(1, len(TEXT) - 1))


@given(PLACES, PLACES)
def test_words_without_multiword_tokens_align_where_both_ends_agree(
    ours: set[int], theirs: set[int]
) -> None:
    found = shared_task_scores(cut(TEXT, ours), cut(TEXT, theirs))
    spans = [{*zip([0, *sorted(p)], [*sorted(p), len(TEXT)], strict=True)} for p in (ours, theirs)]
    assert found["Words"].right == found["Tokens"].right == len(spans[0] & spans[1])
    back = shared_task_scores(cut(TEXT, theirs), cut(TEXT, ours))
    assert back["Words"].f1 == found["Words"].f1
    assert back["Words"].precision == found["Words"].recall


@given(PLACES)
def test_a_file_against_itself_is_right(places: set[int]) -> None:
    trees = cut(TEXT, places)
    assert {score.f1 for name, score in shared_task_scores(trees, trees).items()} == {1.0}


def test_other_texts_are_refused_with_their_place() -> None:
    with pytest.raises(DataError, match="after 2 characters gold goes on with 'c', system with 'x'"):
        shared_task_scores(cut("abc", set()), cut("abx", {1}))


def test_trees_that_are_not_known_are_not_scored() -> None:
    gold = Trees.from_lists([["a", "b"]], [[2, None]])
    found = shared_task_scores(gold, gold)
    assert not {*OF_TREES} & {*found}
    assert found["Words"].f1 == 1.0


def test_multiword_tokens_that_overlap_are_refused(tmp_path: Path) -> None:
    rows = ["1-2\tab", "1\ta", "2-3\tbc", "2\tb", "3\tc"]
    heads = {"1": "0", "2": "1", "3": "1"}
    lines = []
    for row in rows:
        number, form = row.split("\t")
        head = heads.get(number, "_")
        lines.append(
            "\t".join([number, form, "_", "_", "_", "_", head, "dep" if head != "_" else "_", "_", "_"])
        )
    trees = trees_of(tmp_path, "\n".join(lines) + "\n\n")
    with pytest.raises(DataError, match="multiword tokens overlap"):
        shared_task_scores(trees, trees)
