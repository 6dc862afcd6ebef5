"""The application of ``linnet look``: the page, its files, and what its views ask."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from linnet.errors import DataError, RefusedError
from linnet.serving.app import Json, refusal
from linnet.serving.limits import Limits, RequestError
from linnet.serving.look.exporting import FORMS, exported
from linnet.serving.look.session import VIEWS, Looked, Session
from linnet.serving.requests import Bodies, parsed

KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
# Everything comes from here; nothing is framed, nothing is sent elsewhere, not even the address.
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


@cache
def page_files() -> dict[str, bytes]:
    """The files of the page, by name."""
    room = files("linnet.serving").joinpath("page")
    return {
        item.name: item.read_bytes()
        for item in room.iterdir()
        if any(item.name.endswith(ending) for ending in KINDS)
    }


class Page:
    """One session under a secret address."""

    def __init__(self, looked: Looked, secret: str | None = None, hosts: tuple[str, ...] = ()) -> None:
        self.session = Session(looked)
        self.secret = secret or secrets.token_urlsafe(16)
        self.hosts = hosts or ("127.0.0.1", "localhost", "[::1]")
        self.bodies = Bodies(Limits(max_bytes=4_000_000, seconds=60.0))

    def _check(self, request: Request) -> None:
        """Only those who know the address, and only from a page of ours: names may be rebound."""
        given = request.path_params["secret"]
        if not secrets.compare_digest(given.encode(), self.secret.encode()):
            raise RequestError(404, "there is nothing here; open the address that linnet look told")
        host = request.headers.get("host", "").rsplit(":", 1)
        if (host[0] if len(host) == 2 and host[1].isdigit() else ":".join(host)) not in self.hosts:
            raise RequestError(404, "this page is asked by its own address")
        if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise RequestError(403, "this page is asked by itself alone")

    async def file(self, request: Request) -> Response:
        """A file of the page."""
        try:
            self._check(request)
            name = request.path_params.get("name") or "index.html"
            content = page_files().get(name)
            if content is None:
                raise RequestError(404, f"there is no file {name!r:.80}")
        except RequestError as refused:
            return _guarded(refusal(refused))
        kind = KINDS[name[name.rindex(".") :]]
        return _guarded(Response(content, media_type=kind))

    async def ask(self, request: Request) -> Response:
        """What a view asks."""
        try:
            self._check(request)
            view = VIEWS.get(request.path_params["view"])
            if view is None:
                raise RequestError(404, "there is no such view")
            with self.bodies.holding() as mine:
                body = await self.bodies.read(request.receive, request.headers, mine)
                asked = parsed(body or b"{}")
                told = await run_in_threadpool(self._told, view, asked)
        except RequestError as refused:
            return _guarded(refusal(refused))
        except (DataError, RefusedError, ValueError) as error:
            return _guarded(refusal(RequestError(422, str(error))))
        except MemoryError:
            return _guarded(refusal(RequestError(503, "out of memory")))
        return _guarded(Json(told))

    def _told(self, view: Any, asked: Any) -> Any:
        with self.session.lock:
            return view(self.session, asked)

    async def export(self, request: Request) -> Response:
        """Decisions as a file."""
        try:
            self._check(request)
            form = request.path_params["form"]
            if form not in FORMS:
                raise RequestError(404, f"there are {', '.join(FORMS)}")
            content = exported(self.session.decisions.standing(), form)
        except RequestError as refused:
            return _guarded(refusal(refused))
        except DataError as error:
            return _guarded(refusal(RequestError(422, str(error))))
        found = Response(content, media_type=FORMS[form])
        found.headers["content-disposition"] = f'attachment; filename="decisions.{form}"'
        return _guarded(found)


def _guarded(response: Response) -> Response:
    response.headers.update(HEADERS)
    return response


def look_application(
    looked: Looked, secret: str | None = None, hosts: tuple[str, ...] = ()
) -> Starlette:
    """ASGI; ``app.state.page.secret`` is the first part of every path."""
    page = Page(looked, secret, hosts)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        page.session.close()

    routes = [
        Route("/{secret}/", page.file),
        Route("/{secret}/api/{view}", page.ask, methods=["POST"]),
        Route("/{secret}/export/decisions.{form}", page.export),
        Route("/{secret}/{name}", page.file),
    ]

    async def failed(_: Request, error: Exception) -> Response:
        reason = f"the page failed: {type(error).__name__}: {error}"
        return _guarded(Json({"error": reason}, status_code=500))

    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers={Exception: failed})
    app.state.page = page
    return app
