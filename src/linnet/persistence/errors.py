"""What is wrong with a model file."""

from __future__ import annotations

from linnet.errors import DataError


class ModelFileError(DataError):
    """A file that is no model file, is damaged, or was written by a later version; names the file."""


class DamageError(ValueError):
    """What is wrong, before it is known in which file."""
