"""The halving algorithm of the manual: at most log₂ |H| mistakes, on any stream that H explains."""

import re
from itertools import product
from math import log2
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

PAGE = Path(__file__).parents[2] / "docs" / "online-to-batch.md"
BITS = list(product((0, 1), repeat=4))


def halving() -> Any:
    """The function as it stands on the page."""
    (code,) = re.findall(r"(def halving.*?)\n\n\n", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    found: dict[str, Any] = {}
    exec(code, found)
    return found["halving"]


@given(st.data(), st.lists(st.sampled_from(BITS), max_size=30))
@settings(max_examples=60, deadline=None)
def test_mistakes_are_within_the_bound(data: st.DataObject, stream: list[tuple[int, ...]]) -> None:
    """Over random classes of functions of four bits."""
    tables = data.draw(st.lists(st.integers(0, 2**16 - 1), min_size=1, max_size=40, unique=True))
    hypotheses = [lambda x, t=t: bool(t >> BITS.index(x) & 1) for t in tables]
    truth = data.draw(st.sampled_from(hypotheses))
    mistakes, left = halving()(hypotheses, [(x, truth(x)) for x in stream])
    assert mistakes <= log2(len(hypotheses))
    assert left >= 1
