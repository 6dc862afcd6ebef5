"""The page on a port of this computer, opened in the browser."""

from __future__ import annotations

import threading
import webbrowser
from collections.abc import Callable
from typing import Any

from linnet.serving.limits import Limits
from linnet.serving.running import bound, run

HOST = "127.0.0.1"


def served(app: Any, port: int, tell: Callable[[str], Any], browser: bool = True) -> None:
    """Until Ctrl-C; ``tell`` is told the address, which is the key to the page."""
    with bound(HOST, port) as listening:
        address = f"http://{HOST}:{listening.getsockname()[1]}/{app.state.page.secret}/"

        def ready() -> None:
            tell(f"look at {address}")
            tell("Ctrl-C ends it")
            if browser:  # may take its time, and may find none
                threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

        run(app, listening, Limits(seconds=600.0), ready)
