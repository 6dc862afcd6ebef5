"""What tests of dependency trees share."""

import numpy as np
from hypothesis import strategies as st

from linnet import _core

ORACLES = {"projective": _core.ProjectiveOracle, "trees": _core.NonProjectiveOracle}

KERNELS = {
    "first order": (_core.ProjectiveOracle, _core.Projective),
    "siblings": (_core.SiblingsOracle, _core.Siblings),
}

SCALES = st.sampled_from([0.0, 0.1, 3.0, 30.0, 300.0])


def heads_of(words: int, mu: np.ndarray) -> tuple[int, ...]:
    return tuple(mu.reshape(words, words + 1).argmax(axis=1).tolist())


def is_tree(heads: tuple[int, ...], single_root: bool) -> bool:
    for m in range(1, len(heads) + 1):
        steps, h = 0, m
        while h != 0:
            steps, h = steps + 1, heads[h - 1]
            if steps > len(heads):
                return False
    return not single_root or heads.count(0) == 1


def random_candidates(rng: np.random.Generator, words: int) -> list[list[int]]:
    return [[h for h in range(words + 1) if h != m and rng.random() < 0.3] for m in range(1, words + 1)]
