"""Names to ids, growing as long as it is let to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from linnet.errors import DataError


class Vocabulary:
    """Feature names in the order they were first seen."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.ids: dict[str, int] = {}
        for name in names:
            self.ids.setdefault(name, len(self.ids))

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, name: object) -> bool:
        return name in self.ids

    @property
    def names(self) -> list[str]:
        """All names, by id."""
        return list(self.ids)

    def forget_after(self, count: int) -> None:
        """Keep the first names only."""
        while len(self) > count:
            self.ids.popitem()

    def matrix(self, documents: Iterable[Mapping[Any, Any] | Iterable[Any]], grow: bool) -> Any:
        """CSR matrix of named features; unknown names are added if ``grow``, else dropped.

        A document is a mapping of name to value (number; a string value ``v`` of ``name`` becomes
        the feature ``name=v``; booleans count 1 or 0) or an iterable of names, each counting 1 per
        occurrence.
        """
        from scipy import sparse

        indptr, indices = [0], list[int]()
        data = list[float]()
        for i, document in enumerate(documents):
            row: dict[int, float] = {}
            for name, value in self._named(document, i):
                at = self.ids.setdefault(name, len(self.ids)) if grow else self.ids.get(name)
                if at is not None:
                    row[at] = row.get(at, 0.0) + value
            indices.extend(sorted(row))
            data.extend(row[j] for j in sorted(row))
            indptr.append(len(indices))
        return sparse.csr_matrix(
            (
                np.asarray(data, np.float64),
                np.asarray(indices, np.int32),
                np.asarray(indptr, np.int32),
            ),
            shape=(len(indptr) - 1, len(self)),
        )

    @staticmethod
    def _named(document: Any, i: int) -> Iterable[tuple[str, float]]:
        if isinstance(document, Mapping):
            for name, value in document.items():
                if isinstance(value, str):
                    yield f"{name}={value}", 1.0
                    continue
                try:
                    number = float(value)
                except (TypeError, ValueError):
                    number = math.nan
                if not math.isfinite(number):
                    raise DataError(
                        f"document {i}: feature {name!r} has value {value!r}; "
                        f"use a finite number, a boolean or a string"
                    )
                yield str(name), number
        elif isinstance(document, str) or not isinstance(document, Iterable):
            raise DataError(
                f"document {i} is {document!r}; named features come as a mapping of name to value or "
                f"an iterable of names"
            )
        else:
            for name in document:
                yield str(name), 1.0
