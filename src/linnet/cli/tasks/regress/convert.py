"""``linnet convert`` of texts with numbers: as of texts with labels."""

from __future__ import annotations

from linnet.cli.tasks.classify.convert import convert

__all__ = ["convert"]
