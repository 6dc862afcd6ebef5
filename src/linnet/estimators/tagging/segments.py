"""What taggers by segments do not do."""

from __future__ import annotations

from typing import Any

import numpy as np

from linnet.errors import RefusedError

ONLY = {
    "order": 1,
    "ends": False,
    "normalisation": "global",
    "transitions": None,
    "dictionary": None,
    "constrain_training": False,
    "cost": None,
    "class_weight": None,
    "warm_start": False,
    "all_transitions": True,
}  # the settings that go with segments
LONGEST = 1000  # tokens


def check_segments(tagger: Any) -> None:
    """Refuse settings that segments have no place for."""
    longest = tagger.longest
    if not isinstance(tagger.segments, (bool, np.bool_)):
        raise ValueError(f"segments must be True or False, not {tagger.segments!r}")
    if longest is not None:
        whole = isinstance(longest, (int, np.integer)) and not isinstance(longest, bool)
        if not whole or not 1 <= longest <= LONGEST:
            raise ValueError(f"longest must be None or a number from 1 to {LONGEST}, not {longest!r}")
        if not tagger.segments:
            raise ValueError("longest is of segments; set segments=True")
    if not tagger.segments:
        return
    for name, value in ONLY.items():
        given = getattr(tagger, name)
        if given is not value and given != value:
            raise RefusedError(
                f"segments=True does not go with {name}={given!r:.40}; leave out one of them"
            )
    if tagger.all_states is False:
        raise RefusedError(
            "segments have weights for every pair of feature and place; leave out all_states=False"
        )
