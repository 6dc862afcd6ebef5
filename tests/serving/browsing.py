"""The page in a real browser: what its tests share, which are skipped where no Chromium is found."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ..processes import Process

playwright = pytest.importorskip("playwright.sync_api")
pytest.importorskip("uvicorn")

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next((found for name in NAMES if (found := shutil.which(name))), None)
if CHROMIUM is None:
    pytest.skip("no Chromium was found: apt-get install chromium", allow_module_level=True)

AXE = Path(__file__).parent / "vendor" / "axe.min.js"


def until(page: Any, expression: str, *given: Any) -> None:
    """Until it holds; the page itself forbids Playwright's own way, which evaluates strings."""
    for _ in range(600):
        if page.evaluate(expression, *given):
            return
        page.wait_for_timeout(100)
    raise AssertionError(expression)


class Looking:
    """A server of its own, and pages that remember what went wrong on them."""

    def __init__(self, browser: Any, *arguments: str) -> None:
        self.browser = browser
        self.process = Process(
            [sys.executable, "-m", "linnet", "look", "--no-browser", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        said = "note: "
        while said.startswith("note: "):
            said = self.process.stdout.readline()
        assert said.startswith("look at http://127.0.0.1:"), said
        self.address = said.split()[-1]
        self.wrong: list[str] = []

    def page(self, view: str = "try", **settings: Any) -> Any:
        context = self.browser.new_context(**settings)
        context.set_default_timeout(60_000)
        page = context.new_page()
        page.on(
            "console", lambda m: self.wrong.append(m.text) if m.type in ("error", "warning") else None
        )
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("dialog", lambda dialog: self.wrong.append(dialog.message))
        page.on("request", self._requested)
        page.goto(f"{self.address}#{view}")
        self.ready(page)
        return page

    def _requested(self, request: Any) -> None:
        if not request.url.startswith(self.address):
            self.wrong.append(f"outside: {request.url}")

    @staticmethod
    def ready(page: Any) -> None:
        until(page, "document.querySelector('main h1') && !document.querySelector('main .busy')")

    @staticmethod
    def typed(page: Any, text: str) -> None:
        """Until what is shown is about it: all of it, as text."""
        end = "".join(c for c in text if c.isprintable())[-3:]
        until(page, "e => (document.querySelector('.shaded')?.textContent ?? '').endsWith(e)", end)

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


def faults(page: Any) -> list[str]:
    """What axe finds; contrasts too. It is given to the page as a script of ours would be."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    told = page.evaluate("axe.run(document)")
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in told["violations"]]
