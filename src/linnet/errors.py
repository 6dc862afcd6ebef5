"""What Linnet raises and warns of. Every message names the culprit and says what to do."""

from __future__ import annotations


class RefusedError(ValueError):
    """A combination of structure, loss, learner and penalty that makes no sense."""


class DataError(ValueError):
    """Something in the user's data cannot be used."""


class NotSeparableError(ValueError):
    """A hard margin was asked for on data that no hyperplane separates."""


class DivergedError(ValueError):
    """The weights have left the range of numbers."""


class TrainingWarning(UserWarning):
    """Training ended otherwise than one would wish: not converged, interrupted, separable."""
