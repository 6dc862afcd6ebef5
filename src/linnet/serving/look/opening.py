"""The page of a model that is in memory: ``model.look(texts, labels)``."""

from __future__ import annotations

import threading
import webbrowser
from collections.abc import Sequence
from html import escape
from typing import Any

import uvicorn

from linnet.errors import DataError
from linnet.serving.answering import check_looked
from linnet.serving.look.app import look_application
from linnet.serving.look.running import HOST
from linnet.serving.look.session import Looked
from linnet.serving.running import bound


class Opened:
    """A page that is being served by a thread; `close` ends it."""

    def __init__(self, looked: Looked, port: int, browser: bool) -> None:
        self._listening = bound(HOST, port)
        app = look_application(looked)
        self.address = f"http://{HOST}:{self._listening.getsockname()[1]}/{app.state.page.secret}/"
        config = uvicorn.Config(
            app, log_config=None, log_level="error", access_log=False, lifespan="on"
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run,
            kwargs={"sockets": [self._listening]},
            name="linnet-look",
            daemon=True,
        )
        self._thread.start()
        if browser:
            webbrowser.open(self.address)

    def close(self) -> None:
        """No more answers."""
        self._server.should_exit = True
        self._thread.join()
        self._listening.close()

    def __repr__(self) -> str:
        return f"look at {self.address}"

    def _repr_html_(self) -> str:
        address = escape(self.address, quote=True)
        return f'<a href="{address}" target="_blank" rel="noreferrer">{address}</a>'


def opened(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    pool: Sequence[str] = (),
    train: tuple[Sequence[str], Sequence[Any]] | None = None,
    against: Any = None,
    decisions: str = "linnet.decisions.jsonl",
    port: int = 0,
    browser: bool = True,
) -> Opened:
    """Serve the page of a model in a thread, and open it."""
    check_looked(model, type(model).__name__)
    texts, labels = _texts("X", X), None if y is None else [str(label) for label in y]
    if labels is not None and len(labels) != len(texts):
        raise DataError(f"X has {len(texts)} texts but y {len(labels)} labels")
    if model.task != "classify" and (texts or pool or train is not None or against is not None):
        raise DataError("of taggers and parsers the page shows Try and Weights alone; give no data")
    looked = Looked(
        model,
        type(model).__name__,
        texts if labels is not None else (),
        labels,
        pool=_texts("pool", pool) or (texts if labels is None else ()),
        train=None if train is None else (_texts("train", train[0]), [str(one) for one in train[1]]),
        rival=against,
        decisions=decisions,
    )
    return Opened(looked, port, browser)


def _texts(name: str, given: Any) -> list[str]:
    if given is None:
        return []
    if isinstance(given, str):
        raise DataError(f"{name} is a single text; pass a list of texts")
    found = list(given)
    if not all(isinstance(text, str) for text in found):
        raise DataError(f"{name} is to be a list of strings")
    return found
