"""How much memory there is, and how much of it may be used."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from linnet.errors import DataError, setting

# What a container may have, by the second and the first version of control groups.
CONTAINER = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?B?)", re.IGNORECASE)

_LIMIT: ContextVar[float | None] = ContextVar("limit", default=None)


def byte_size(name: str, value: Any) -> int:
    """A number of bytes, as a whole number or with a unit.

    >>> byte_size("memory", "500MB"), byte_size("memory", "1.5 GB"), byte_size("memory", 1000)
    (500000000, 1500000000, 1000)
    """
    found = SIZE.fullmatch(str(value).strip()) if not isinstance(value, bool) else None
    if found is None:
        raise ValueError(f"{name} must be a size such as '500MB' or '2GB', not {value!r:.40}")
    unit = found[2].upper()
    return int(float(found[1]) * UNITS[unit if not unit or unit.endswith("B") else f"{unit}B"])


def shown(size: float) -> str:
    """Bytes for the eye.

    >>> shown(2.5e9), shown(3e7)
    ('2.5 GB', '30 MB')
    """
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{max(size / 1e6, 1):.0f} MB"


def memory() -> float:
    """Bytes that there are: of this machine, its container, or its limit; 8 GB where none says.

    Under `limited` it is what is left of the limit.
    """
    limit = _LIMIT.get()
    there = min([*_limits()], default=8.0 * 2**30)
    if limit is None:
        return there
    trim()
    return min(there, max(limit - resident(), 0.0))


def is_limited() -> bool:
    """Has somebody said how much there may be?"""
    return _LIMIT.get() is not None


def trim() -> None:
    """What has been freed goes back to the system, where the C library would keep it."""
    with contextlib.suppress(ImportError, AttributeError, OSError):
        import ctypes

        ctypes.CDLL(None).malloc_trim(0)


@contextlib.contextmanager
def limited(limit: int) -> Iterator[None]:
    """Within it the process is to hold no more than so many bytes, all that it is made of included."""
    before = _LIMIT.set(float(limit))
    try:
        yield
    finally:
        _LIMIT.reset(before)


def check_held(need: float, what: str, advice: str) -> None:
    """Refuse what would not fit below the limit, if there is one."""
    if _LIMIT.get() is not None and need > memory():
        left = f"{setting('memory')} leaves {shown(memory())}"
        raise DataError(f"{what} would take {shown(need)}, and {left}; {advice}")


def resident() -> float:
    """Bytes of this process that are in memory; 0 where the system does not say."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
        return float(pages * os.sysconf("SC_PAGE_SIZE"))
    with contextlib.suppress(ImportError, OSError):
        import resource
        import sys

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return float(most if sys.platform == "darwin" else most * 1024)
    return 0.0


def _limits() -> Iterator[float]:
    with contextlib.suppress(AttributeError, ValueError, OSError):
        yield float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    for file in CONTAINER:  # "max" is no number
        with contextlib.suppress(ValueError, OSError):
            yield float(Path(file).read_text("ascii"))
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        soft, _ = resource.getrlimit(resource.RLIMIT_AS)
        if soft != resource.RLIM_INFINITY:
            yield float(soft)
