"""Shards of instances that lie in ranges, and tasks over ranges."""

from __future__ import annotations

import numpy as np
import pytest

from linnet.engines import Local, slices


@pytest.mark.parametrize("shards", [1, 2, 3, 7, 50])
def test_slices_are_all_instances_in_their_order(shards):
    random = np.random.default_rng(shards)
    counts = random.integers(0, 5, 20).tolist()
    bounds = Local(shards).cut(sum(counts))
    every = [(k, i) for k, count in enumerate(counts) for i in range(count)]
    for (begin, end), found in zip(bounds, slices(counts, bounds), strict=True):
        assert [(s.range, i) for s in found for i in range(s.first, s.last)] == every[begin:end]
        assert all(s.first < s.last for s in found)


def test_no_instances_have_no_slices():
    assert slices([0, 0], [(0, 0)]) == [[]]


def test_tasks_in_order_are_made_when_they_are_asked_for():
    made = []
    answers = Local().in_order(made.append, [(k,) for k in range(3)])
    assert made == []
    next(answers)
    assert made == [0]


def test_what_is_shared_here_is_the_thing_itself():
    value = np.ones(3)
    assert Local().shared(value).get() is value
