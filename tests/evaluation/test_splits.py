"""Splits hold out what they say they do, or say why they cannot."""

from collections import Counter

import pytest

from linnet.errors import DataError
from linnet.evaluation import given, grouped, held_out, leave_one_out, stratified

Y = ["a"] * 12 + ["b"] * 6


def covers(splits, n: int) -> bool:
    return sorted(i for _, held in splits for i in held) == list(range(n)) and all(
        sorted([*kept, *held]) == list(range(n)) for kept, held in splits
    )


def test_stratified_folds_have_the_shares_of_the_whole() -> None:
    splits = stratified(Y, 3)
    assert covers(splits, 18)
    assert all(Counter(Y[i] for i in held) == {"a": 4, "b": 2} for _, held in splits)
    assert covers(stratified([("a",), (), ("a", "b")], 3), 3)


def test_groups_stay_together() -> None:
    groups = [i // 3 for i in range(18)]
    splits = grouped(Y, groups, 3)
    assert covers(splits, 18)
    for kept, held in splits:
        assert not {groups[i] for i in kept} & {groups[i] for i in held}
    assert covers(grouped([("a",)] * 6, [0, 0, 1, 1, 2, 2], 3), 6)


def test_one_by_one_and_one_part() -> None:
    assert covers(leave_one_out(Y), 18)
    ((kept, held),) = held_out(Y, 1 / 3)
    assert Counter(Y[i] for i in held) == {"a": 4, "b": 2}
    assert sorted([*kept, *held]) == list(range(18))
    ((kept, held),) = held_out(["a", "b", "c", "d"], 0.25)  # a label with a single example
    assert len(held) == 1
    ((kept, held),) = given(3, 2)
    assert (kept.tolist(), held.tolist()) == ([0, 1, 2], [3, 4])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stratified(Y, 7), "7 folds need 7 examples of every label, but 'b' has 6"),
        (lambda: stratified([*Y, "c"], 2), "'c' has 1; use at most 1 folds, or leave-one-out"),
        (lambda: stratified(Y, 19), "19 folds need as many examples, but there are 18"),
        (lambda: stratified(["a"] * 9, 3), "all examples have the label 'a'"),
        (lambda: grouped(Y, [0] * 9 + [1] * 9, 3), "3 folds need as many groups, but there are 2"),
        (lambda: grouped(Y, [0], 3), "18 examples have labels, but 1 have a group"),
        (lambda: leave_one_out(["a", "a"]), "all examples have the label 'a'"),
        (lambda: leave_one_out(["a"]), "folds"),
        (lambda: held_out(["a"]), "1 examples cannot be split"),
        (lambda: given(0, 3), "there are 0 examples to train on and 3 to choose by"),
    ],
)
def test_splits_that_cannot_be_are_refused(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_one_fold_is_a_mistake_of_usage_not_of_the_data() -> None:
    with pytest.raises(ValueError, match="folds must be a whole number of 2 or more") as error:
        stratified(Y, 1)
    assert not isinstance(error.value, DataError)
