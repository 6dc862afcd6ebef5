"""How many threads there are where nobody says how many."""

import os

import pytest

from linnet import LinearClassifier
from linnet._params import cores


def test_the_environment_says_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINNET_THREADS", "3")
    assert cores() == 3
    assert LinearClassifier()._threads() == 3
    assert LinearClassifier(n_jobs=2)._threads() == 2
    monkeypatch.delenv("LINNET_THREADS")
    assert cores() == len(os.sched_getaffinity(0))


@pytest.mark.parametrize("said", ["0", "-1", "two", "1.5"])
def test_nonsense_is_told(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINNET_THREADS", said)
    with pytest.raises(ValueError, match=f"LINNET_THREADS={said}: it must be a whole number"):
        cores()
