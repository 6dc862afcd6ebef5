"""A request's body: read within limits, and understood or refused with a sentence that says why."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from linnet.serving.limits import Limits, RequestError

Receive = Callable[[], Awaitable[Any]]
FIELDS = ("text", "texts", "sentence", "sentences")


class Bodies:
    """Bodies that are held at the moment: all together they stay below a limit, too."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.held = 0

    @contextmanager
    def holding(self) -> Iterator[list[int]]:
        """What is held inside is given back at the end; a list of one number, the bytes."""
        mine = [0]
        try:
            yield mine
        finally:
            self.held -= mine[0]

    async def read(self, receive: Receive, headers: Mapping[str, str], mine: list[int]) -> bytes:
        """The whole body; too long, too slow or cut off is refused."""
        announced = headers.get("content-length", "")
        if announced.isdigit() and int(announced) > self.limits.max_bytes:
            raise self._too_long()
        try:
            async with asyncio.timeout(self.limits.seconds):
                return await self._arriving(receive, mine)
        except TimeoutError:
            raise RequestError(
                408, f"the request did not arrive within {self.limits.seconds:g} seconds"
            ) from None

    async def _arriving(self, receive: Receive, mine: list[int]) -> bytes:
        parts: list[bytes] = []
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise RequestError(400, "the connection was cut")
            part = message.get("body", b"")
            mine[0] += len(part)
            self.held += len(part)
            if mine[0] > self.limits.max_bytes:
                raise self._too_long()
            if self.held > self.limits.held:
                raise RequestError(503, "too many large requests at a time; try again")
            parts.append(part)
            if not message.get("more_body", False):
                return parts[0] if len(parts) == 1 else b"".join(parts)

    def _too_long(self) -> RequestError:
        return RequestError(413, f"the request is longer than {self.limits.max_bytes} bytes")


def parsed(body: bytes) -> dict[str, Any]:
    """A JSON object."""
    try:
        found = json.loads(body)
    except RecursionError:
        raise RequestError(400, "the body is nested too deeply") from None
    except ValueError as error:
        raise RequestError(400, f"the body is no JSON: {error}") from None
    if not isinstance(found, dict):
        raise RequestError(400, 'the body is to be an object, such as {"texts": ["…"]}')
    return found


@dataclass(frozen=True)
class Asked:
    """What a request asks about."""

    items: list[Any]  # strings, or lists of words
    single: bool
    words: bool
    model: str | None
    top: int | None


def asked(found: dict[str, Any], limits: Limits) -> Asked:
    """Texts, or sentences of words, one or many."""
    unknown = found.keys() - {*FIELDS, "model", "top"}
    if unknown:
        raise RequestError(
            422, f"there is no field {min(unknown)!r:.80}; known are {', '.join(FIELDS)}, model, top"
        )
    given = [name for name in FIELDS if name in found]
    if len(given) != 1:
        raise RequestError(422, f"give one of {', '.join(FIELDS)}")
    field, value = given[0], found[given[0]]
    single = field in ("text", "sentence")
    items = [value] if single else value
    if not isinstance(items, list):
        raise RequestError(422, f"{field}: a list is wanted")
    if len(items) > limits.max_texts:
        raise RequestError(413, f"{field}: {len(items)} are more than {limits.max_texts}")
    words = field.startswith("sentence")
    _check_items(field, items, words)
    model, top = found.get("model"), found.get("top")
    if model is not None and not isinstance(model, str):
        raise RequestError(422, "model: the name of one is wanted")
    if top is not None and (not isinstance(top, int) or isinstance(top, bool) or not 0 < top < 2**31):
        raise RequestError(422, "top: a positive number is wanted")
    return Asked(items, single, words, model, top)


def _check_items(field: str, items: list[Any], words: bool) -> None:
    for i, item in enumerate(items):
        if not words and not isinstance(item, str):
            raise RequestError(422, f"{field}: number {i + 1} is no string")
        if words and not (isinstance(item, list) and all(isinstance(w, str) for w in item)):
            raise RequestError(422, f"{field}: number {i + 1} is no list of words")
