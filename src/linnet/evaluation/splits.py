"""Ways to hold data out, by scikit-learn, after checking that they can be done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet._params import whole
from linnet.errors import DataError

Indices = NDArray[np.int64]
Split = tuple[Indices, Indices]  # rows to train on, rows held out


def stratified(y: Sequence[Any], folds: int = 5, seed: int = 0) -> list[Split]:
    """K folds with the same share of every label; plain folds where examples have several labels."""
    _check_folds(folds, len(y))
    from sklearn.model_selection import KFold, StratifiedKFold

    if _several_each(y):
        return _listed(KFold(folds, shuffle=True, random_state=seed).split(np.zeros(len(y))))
    names = _names(y)
    label, least = min(Counter(names).items(), key=lambda item: (item[1], item[0]))
    if folds > least:
        raise DataError(
            f"{folds} folds need {folds} examples of every label, but {label!r} has {least}; use "
            f"at most {least} folds" + (", or leave-one-out" if least < 2 else "")
        )
    split = StratifiedKFold(folds, shuffle=True, random_state=seed)
    return _listed(split.split(np.zeros(len(y)), np.asarray(names)))


def grouped(y: Sequence[Any], groups: Sequence[Any], folds: int = 5, seed: int = 0) -> list[Split]:
    """K folds that keep examples of one group together (one author, one thread, one product)."""
    _check_folds(folds, len(y))
    if len(groups) != len(y):
        raise DataError(f"{len(y)} examples have labels, but {len(groups)} have a group")
    distinct = len({str(group) for group in groups})
    if folds > distinct:
        raise DataError(f"{folds} folds need as many groups, but there are {distinct}; use fewer folds")
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

    members = np.asarray([str(group) for group in groups])
    if _several_each(y):
        return _listed(GroupKFold(folds).split(np.zeros(len(y)), groups=members))
    names = _names(y)
    if folds > max(Counter(names).values()):
        raise DataError(f"{folds} folds are more than any label has examples; use fewer folds")
    split = StratifiedGroupKFold(folds, shuffle=True, random_state=seed)
    return _listed(split.split(np.zeros(len(y)), np.asarray(names), members))


def leave_one_out(y: Sequence[Any]) -> list[Split]:
    """Every example held out once, by itself."""
    n = len(y)
    _check_folds(n, n)
    if not _several_each(y):
        _names(y)
    everything = np.arange(n)
    return [(np.delete(everything, i), everything[i : i + 1]) for i in range(n)]


def held_out(y: Sequence[Any], share: float = 0.2, seed: int = 0) -> list[Split]:
    """One split; stratified if every label has two examples."""
    if not 0 < share < 1:
        raise ValueError(f"the held-out share must be between 0 and 1, not {share}")
    if len(y) < 2:
        raise DataError(f"{len(y)} examples cannot be split in two")
    from sklearn.model_selection import train_test_split

    strata: list[str] | None = None if _several_each(y) else _names(y)
    size = max(1, round(share * len(y)))
    if strata is not None:
        counts = Counter(strata)
        if min(counts.values()) < 2 or size < len(counts) or len(y) - size < len(counts):
            strata = None
    kept, held = train_test_split(np.arange(len(y)), test_size=size, random_state=seed, stratify=strata)
    return [(np.sort(kept), np.sort(held))]


def plain(n: int, folds: int = 5, seed: int = 0) -> list[Split]:
    """K folds of instances without labels of their own, such as sentences; n folds: one by one."""
    _check_folds(folds, n)
    order = np.random.default_rng(seed).permutation(n)
    parts = [np.sort(order[k::folds]) for k in range(folds)]
    return [(np.setdiff1d(np.arange(n), held), held) for held in parts]


def plain_held_out(n: int, share: float = 0.2, seed: int = 0) -> list[Split]:
    """One split of instances without labels of their own."""
    if not 0 < share < 1:
        raise ValueError(f"the held-out share must be between 0 and 1, not {share}")
    if n < 2:
        raise DataError(f"{n} examples cannot be split in two")
    order = np.random.default_rng(seed).permutation(n)
    size = min(max(1, round(share * n)), n - 1)
    return [(np.sort(order[size:]), np.sort(order[:size]))]


def given(train: int, dev: int) -> list[Split]:
    """Held-out data of their own: the ``dev`` rows that follow the ``train`` rows."""
    if train == 0 or dev == 0:
        raise DataError(f"there are {train} examples to train on and {dev} to choose by; give both")
    return [(np.arange(train), np.arange(train, train + dev))]


def _check_folds(folds: int, n: int) -> None:
    whole("folds", folds, 2)
    if folds > n:
        raise DataError(f"{folds} folds need as many examples, but there are {n}")


def _several_each(y: Sequence[Any]) -> bool:
    return any(isinstance(item, (list, tuple, set, frozenset)) for item in y)


def _names(y: Sequence[Any]) -> list[str]:
    names = [str(label) for label in y]
    if len(set(names)) < 2:
        raise DataError(f"all examples have the label {names[0]!r}; two or more labels are needed")
    return names


def _listed(splits: Any) -> list[Split]:
    return [(np.asarray(train), np.asarray(held)) for train, held in splits]
