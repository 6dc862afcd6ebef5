"""The application of ``linnet serve``: what is asked of models over HTTP, in JSON."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from linnet.errors import DataError, RefusedError
from linnet.serving.answering import answered
from linnet.serving.batching import Batcher
from linnet.serving.limits import Limits, RequestError
from linnet.serving.metrics import Metrics
from linnet.serving.models import Models, Served
from linnet.serving.openapi import SUMMARIES, described
from linnet.serving.requests import Asked, Bodies, asked, parsed

Key = tuple[int, str, bool, int | None]  # of requests that may share a call


class Json(Response):
    """Plain data; what is not ASCII is escaped, so that no text can break it."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Scores that are not finite are strings."""
        return json_bytes(content)


def json_bytes(content: Any) -> bytes:
    """JSON that every reader takes."""
    try:
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()
    except ValueError:
        return json.dumps(_finite(content), separators=(",", ":")).encode()


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(inner) for inner in value]
    return repr(value) if isinstance(value, float) and value - value != 0 else value


class Service:
    """Models, a thread that asks them, and what is counted."""

    def __init__(self, models: Models, limits: Limits, token: str | None = None) -> None:
        self.models, self.limits, self.token = models, limits, token
        self.metrics, self.bodies = Metrics(), Bodies(limits)
        self.waiting = 0
        self.batcher = Batcher(self._answer)
        self._by_number: dict[int, Served] = {id(one): one for one in models.served.values()}
        self._renewing: set[asyncio.Future[None]] = set()

    def _answer(self, key: Key, items: Any) -> list[Any]:
        number, action, _, top = key
        return answered(self._by_number[number].model, action, items, top)

    def _renewed(self, served: Served) -> None:
        """A new file is loaded beside the requests; until it is there the old model answers."""
        if self.models.due(served) and not self._renewing:
            running = asyncio.get_running_loop().run_in_executor(None, self.models.renew, served)
            self._renewing.add(running)
            running.add_done_callback(self._renewing.discard)

    # ------------------------------------------------------------------ what is asked of models

    async def ask(self, action: str, scope: Scope, receive: Receive, send: Send) -> None:
        """POST /predict, /tag, /parse and /explain."""
        began = time.perf_counter()
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        status, more, texts = 200, {}, 0
        try:
            self._check_token(headers)
            if self.waiting >= self.limits.waiting:
                raise RequestError(503, "too many requests at a time; try again")
            self.waiting += 1
            try:
                wanted, told = await self._asked(receive, headers, action)
                texts = len(wanted.items)
            finally:
                self.waiting -= 1
        except RequestError as refused:
            status, more, told = refused.status, _headers_of(refused), {"error": str(refused)}
        await _sent(send, status, json_bytes(told), more)
        self.metrics.count(f"/{action}", status, time.perf_counter() - began, texts)

    async def _asked(
        self, receive: Receive, headers: Mapping[str, str], action: str
    ) -> tuple[Asked, dict[str, Any]]:
        with self.bodies.holding() as mine:
            body = await self.bodies.read(receive, headers, mine)
            wanted = asked(parsed(body), self.limits)
            try:
                served = self.models.named(wanted.model)
                self._renewed(served)
                key: Key = (id(served), action, wanted.words, wanted.top)
                found = await self._in_time(self.batcher.submit(key, wanted.items))
            except TimeoutError:
                raise RequestError(
                    504, f"no answer within {self.limits.seconds:g} seconds; ask about less at a time"
                ) from None
            except (DataError, RefusedError, ValueError) as error:
                raise RequestError(422, str(error)) from None
            except MemoryError:
                raise RequestError(503, "out of memory; ask about less at a time") from None
        answer = {"answer": found[0]} if wanted.single else {"answers": found}
        return wanted, {"model": served.name} | answer

    async def _in_time(self, waiting: asyncio.Future[list[Any]]) -> list[Any]:
        """As `asyncio.wait_for`, at a third of its cost."""
        late = asyncio.get_running_loop().call_later(self.limits.seconds, _expired, waiting)
        try:
            return await waiting
        finally:
            late.cancel()

    def _check_token(self, headers: Mapping[str, str]) -> None:
        if self.token is None:
            return
        scheme, _, given = headers.get("authorization", "").partition(" ")
        right = secrets.compare_digest(given.strip().encode(), self.token.encode())
        if scheme.lower() != "bearer" or not right:
            raise RequestError(401, "a token is required: send the header Authorization: Bearer TOKEN")

    # ------------------------------------------------------------------ about the server

    async def health(self, _: Request) -> Response:
        """Anyone may ask whether it is alive; names of models are for those who may ask them."""
        return Json({"status": "ok"})

    async def about(self, request: Request) -> Response:
        """GET /models, /metrics and /openapi.json."""
        try:
            self._check_token(request.headers)
        except RequestError as refused:
            return refusal(refused)
        if request.url.path == "/models":
            for served in self.models.served.values():
                self._renewed(served)
            return Json({"models": [served.told() for served in self.models.served.values()]})
        if request.url.path == "/openapi.json":
            return Json(described(self.limits, list(self.models.served), self.token is not None))
        gauges = {
            "linnet_requests_waiting": ("Requests that are being answered.", float(self.waiting)),
            "linnet_bytes_held": ("Bytes of their bodies.", float(self.bodies.held)),
            "linnet_calls": ("Calls of models, each for all that waited.", float(self.batcher.calls)),
            "linnet_models": ("Models that are served.", float(len(self.models.served))),
        }
        return PlainTextResponse(self.metrics.text(gauges), media_type="text/plain; version=0.0.4")


def refusal(refused: RequestError) -> Response:
    """The reason, as JSON; a request whose body was left unread ends its connection."""
    told = {"error": str(refused)}
    return Json(told, status_code=refused.status, headers=_headers_of(refused))


def _headers_of(refused: RequestError) -> dict[str, str]:
    headers = {"connection": "close"} if refused.status in (401, 408, 413, 503) else {}
    headers |= {"retry-after": "1"} if refused.status == 503 else {}
    return headers | ({"www-authenticate": "Bearer"} if refused.status == 401 else {})


async def _sent(send: Send, status: int, body: bytes, more: Mapping[str, str]) -> None:
    headers = [(b"content-length", b"%d" % len(body)), (b"content-type", b"application/json")]
    headers += [(name.encode(), value.encode()) for name, value in more.items()]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _expired(waiting: asyncio.Future[list[Any]]) -> None:
    if not waiting.done():
        waiting.set_exception(TimeoutError())


class Questions:
    """What is asked of models goes straight to the service; all else is routed.

    A route of Starlette makes a request, a response and a match with each path out of every question,
    which takes longer than the answer.
    """

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app, self._service = app, service
        self._actions = {f"/{name}": name for name in SUMMARIES}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        action = None
        if scope["type"] == "http" and scope["method"] == "POST":
            path = scope["path"].removeprefix(scope.get("root_path", ""))  # of what it is mounted in
            action = self._actions.get(path)
        if action is None:
            await self._app(scope, receive, send)
        else:
            await self._service.ask(action, scope, receive, send)


async def _failed(_: Request, error: Exception) -> Response:
    """What nobody thought of: the sender learns nothing of the inside."""
    return Json({"error": f"the server failed: {type(error).__name__}"}, status_code=500)


def application(models: Models, limits: Limits | None = None, token: str | None = None) -> Starlette:
    """ASGI: for uvicorn, for tests, or within another application."""
    service = Service(models, limits or Limits(), token)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        service.batcher.stop()

    routes = [Route(f"/{name}", _by_post, methods=["POST"]) for name in SUMMARIES]
    routes.append(Route("/health", service.health))
    routes += [Route(path, service.about) for path in ("/models", "/metrics", "/openapi.json")]
    handlers: Any = {Exception: _failed, 404: _unknown, 405: _unknown}
    front = [Middleware(Questions, service=service)]
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers, middleware=front)
    app.state.service = service
    return app


async def _by_post(_: Request) -> Response:
    raise AssertionError("questions by POST are answered before they are routed")


async def _unknown(request: Request, error: Any) -> Response:
    known = ", ".join(f"POST /{name}" for name in SUMMARIES)
    reason = (
        f"{request.method} {request.url.path:.80} is not served; there are {known}, GET /health, "
        f"/models, /metrics and /openapi.json"
    )
    return Json({"error": reason}, status_code=error.status_code, headers=error.headers)
