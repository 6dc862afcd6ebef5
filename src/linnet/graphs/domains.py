"""Variables by name, each with a finite domain of named values."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError

Name = Hashable
Given = Mapping[Any, Any]


class Variables:
    """Names, domains and how many values each has."""

    def __init__(self) -> None:
        self.names: list[Name] = []
        self.numbers: dict[Name, int] = {}
        self.domains: list[tuple[Any, ...]] = []
        self._sizes: list[int] = []
        self._known: dict[tuple[Any, ...], dict[Any, int]] = {}

    def __len__(self) -> int:
        return len(self.names)

    @property
    def sizes(self) -> NDArray[np.int32]:
        """How many values each has."""
        return np.array(self._sizes, np.int32)

    def add(self, names: Iterable[Name], values: int | Sequence[Any]) -> None:
        """Variables with the same domain; a number of values means 0, 1, …"""
        if not isinstance(values, int | np.integer | Iterable):
            raise DataError(f"values must be a list of them, or how many there are, not {values!r:.60}")
        domain = tuple(range(values)) if isinstance(values, int | np.integer) else tuple(values)
        if not domain:
            raise DataError("a variable needs at least one value")
        if domain not in self._known:
            self._known[domain] = {value: code for code, value in enumerate(domain)}
            if len(self._known[domain]) < len(domain):
                raise DataError(f"a domain names a value twice: {', '.join(map(str, domain))[:100]}")
        for name in names:
            if name in self.numbers:
                raise DataError(f"there are two variables {name!r}")
            self.numbers[name] = len(self.names)
            self.names.append(name)
            self.domains.append(domain)
            self._sizes.append(len(domain))

    def number(self, name: Name) -> int:
        """Of a variable; an unknown one is refused."""
        try:
            return self.numbers[name]
        except (KeyError, TypeError):
            known = ", ".join(map(str, self.names[:5])) + (", …" if len(self.names) > 5 else "")
            raise DataError(f"there is no variable {name!r}; there are {known}") from None

    def code(self, variable: int, value: Any) -> int:
        """Of a value of a variable."""
        try:
            return self._known[self.domains[variable]][value]
        except (KeyError, TypeError):
            domain = ", ".join(map(str, self.domains[variable][:10]))
            raise DataError(
                f"variable {self.names[variable]!r} has no value {value!r}; it has {domain}"
            ) from None

    def observed(self, given: Given | None) -> NDArray[np.int32] | None:
        """Codes of what is given, −1 elsewhere."""
        if not given:
            return None
        found = np.full(len(self), -1, np.int32)
        for name, value in given.items():
            variable = self.number(name)
            found[variable] = self.code(variable, value)
        return found

    def decoded(self, codes: Sequence[int] | NDArray[np.int32]) -> dict[Any, Any]:
        """Names with their values."""
        pairs = zip(self.names, self.domains, codes, strict=True)
        return {name: domain[int(code)] for name, domain, code in pairs}

    def split(self, flat: NDArray[np.float64]) -> dict[Any, NDArray[np.float64]]:
        """Numbers of all values of all variables, by name."""
        ends = np.cumsum(self._sizes)
        return dict(zip(self.names, np.split(flat, ends[:-1]), strict=True)) if self.names else {}
