"""Uvicorn, with clients that are too slow sent away, and a stop that lets answers out first."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import uvicorn

from linnet.errors import DataError
from linnet.serving.limits import Limits

LOOPBACK = ("127.0.0.1", "::1", "localhost")


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens there, or a reason why not."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # By name, or else asyncio would not know that it is TCP, and let answers wait for acknowledgements.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
        made.listen(1000)  # who comes before the first answer waits
    except (OSError, OverflowError) as error:
        made.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(f"--port {port}: nothing can listen on {host}:{port}: {reason}") from None
    return made


def run(app: Any, listening: socket.socket, limits: Limits, ready: Callable[[], None]) -> None:
    """Serve until Ctrl-C or SIGTERM; requests that are there are answered first."""
    config = uvicorn.Config(
        app,
        http=_patient_for(limits.seconds),
        lifespan="on",
        log_config=None,
        log_level="error",  # a line for each broken request would fill disks
        access_log=False,
        server_header=False,
        limit_concurrency=limits.connections,
        timeout_keep_alive=max(1, int(limits.seconds)),
        timeout_graceful_shutdown=max(1, int(limits.seconds)),
    )
    server = _Server(config, ready)
    with suppress(KeyboardInterrupt):  # uvicorn raises it anew once all is answered
        server.run(sockets=[listening])


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()


def _patient_for(seconds: float) -> Any:
    """Uvicorn's protocol, which closes a connection on which no request begins or gets complete.

    Uvicorn itself waits for ever for the first byte, and for the end of headers.
    """
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    class Patient(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
        _before: Any = None
        _watch: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._before = self  # no cycle is equal to it
            self._watch = self.loop.call_later(seconds, self._look)

        def connection_lost(self, exc: Exception | None) -> None:
            if self._watch is not None:
                self._watch.cancel()
            super().connection_lost(exc)

        def _look(self) -> None:
            idle = self.cycle is None or self.cycle.response_complete
            if idle and (self.cycle is None or self.cycle is self._before):
                self.transport.close()
                return
            self._before = self.cycle
            self._watch = self.loop.call_later(seconds, self._look)

    return Patient
