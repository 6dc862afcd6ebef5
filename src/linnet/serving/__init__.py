"""Models behind HTTP: ``linnet serve`` for programs, ``linnet look`` for people. Extra ``serve``."""

from __future__ import annotations

__all__: list[str] = []
