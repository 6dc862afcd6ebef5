"""``linnet explain`` with a regressor: what each word adds to the number."""

from __future__ import annotations

from linnet.cli.tasks.classify.explain import explanations

__all__ = ["explanations"]
