"""How much a server takes on, and how long it waits."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Of one request, and of all at a time."""

    max_bytes: int = 1_000_000  # of a request's body
    max_texts: int = 1000  # of a request
    seconds: float = 10.0  # until a request has arrived, and then until it is answered
    waiting: int = 200  # requests that are being answered
    connections: int = 1000

    @property
    def held(self) -> int:
        """Bytes of all bodies that are held at a time."""
        return 32 * self.max_bytes


class RequestError(Exception):
    """A request that is not answered, with its status and the reason."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
