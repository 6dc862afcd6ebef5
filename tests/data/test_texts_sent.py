"""Columns of texts go to other processes as they are."""

from __future__ import annotations

import pickle

from hypothesis import given
from hypothesis import strategies as st

from linnet.data import as_texts


@given(st.lists(st.text(max_size=9), max_size=9))
def test_texts_are_pickled(items: list[str]) -> None:
    texts = as_texts(items)
    again = pickle.loads(pickle.dumps(texts))
    assert [again[i] for i in range(len(again))] == [texts[i] for i in range(len(texts))]
    assert len(again) == len(items)
