"""The page in a real browser: every view by mouse and by keyboard, without errors or outside requests.

Playwright drives a Chromium that is found on this computer; where there is none the tests are skipped.
`LINNET_SCREENSHOTS=folder` keeps a picture of every view at three widths, light and dark.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

import linnet

from .browsing import Looking, faults, until

VIEWS = {
    "try": "Try",
    "errors": "Errors",
    "labels": "Labels that look wrong",
    "teach": "Teach",
    "weights": "Weights",
}
HOSTILE = '<script>window.hacked=1</script><img src=x onerror="window.hacked=1">'
ODD = [
    HOSTILE,
    "\u202eright to left\u200b hidden",
    "\x1b[31mred\x1b[0m",
    "x" * 1_000_000,
    "א ב ג <b>bold</b>",
]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_at_three_widths(looking: Looking, scheme: str) -> None:
    kept = os.environ.get("LINNET_SCREENSHOTS")
    for width in (390, 800, 1300):
        page = looking.page("try", viewport={"width": width, "height": 900}, color_scheme=scheme)
        for view, title in VIEWS.items():
            page.click(f"nav a:has-text('{title}')")
            page.wait_for_selector(f"main h1:text-is('{title}')")
            looking.ready(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, view
            if width == 1300 or (width == 390 and scheme == "light"):
                assert faults(page) == [], (view, width, scheme)
            if kept:
                page.screenshot(path=f"{kept}/{view}-{width}-{scheme}.png")
        page.context.close()


def test_try_by_mouse(looking: Looking) -> None:
    page = looking.page()
    page.fill("#text", "A red forehead on top of the gorse.")
    until(page, "document.querySelector('main .current strong')?.textContent === 'linnet'")
    page.click("text=Which words does the label hang on?")
    page.click("text=Strike them out")
    until(page, "document.querySelector('main .current strong')?.textContent !== 'linnet'")
    page.click("text=Put all back")
    until(page, "document.querySelector('main .current strong')?.textContent === 'linnet'")
    page.click(".bars button:has-text('owl')")
    page.wait_for_selector("h2:has-text('Why owl?')")
    page.context.close()


def test_by_keyboard_alone(looking: Looking, tmp_path: Path) -> None:
    """From the top of the page to a label that is doubted, and to one that is taught."""
    page = looking.page()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the view"
    for _ in range(3):  # Try, Errors, Labels that look wrong
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("h1:has-text('Labels that look wrong')")
    page.wait_for_selector("button:has-text('Accept')")
    for key in ("a", "k", "a", "u"):
        before = page.inner_text("main [role=status]")
        page.keyboard.press(key)
        changed = "before => document.querySelector('main [role=status]').innerText !== before"
        until(page, changed, before)
    page.goto(f"{looking.address}#teach")
    page.wait_for_selector("#current")
    for key in ("1", "2", "s", "u"):
        before = page.inner_text("#current")
        page.keyboard.press(key)
        until(page, "before => document.querySelector('#current').innerText !== before", before)
    page.context.close()
    lines = [json.loads(line) for line in (tmp_path / "decisions.jsonl").read_text().splitlines()]
    assert [line["view"] for line in lines] == ["labels"] * 4 + ["teach"] * 4
    assert lines[4]["label"] == "heron"
    assert "label" not in lines[6]
    assert lines[7]["undone"] == lines[6]["number"]


def test_errors_by_mouse(looking: Looking) -> None:
    page = looking.page("errors")
    page.click(".matrix button[aria-label*='called']:not([aria-label*='heron called heron'])")
    page.wait_for_selector("h3:has-text(' called ')")
    page.locator("#threshold").press("End")
    page.wait_for_selector("text=Saying nothing below 100.0 %")
    page.locator("#threshold").press("Home")
    page.fill("#slice", "the")
    page.press("#slice", "Tab")
    page.wait_for_selector("td:has-text('contains the')")
    page.click("text=Look for them")
    page.wait_for_selector("text=have most words in common")
    page.select_option("#curve", "owl")
    page.wait_for_selector("svg[aria-label='Precision and recall of owl']")
    page.locator("#threshold").press("ArrowRight")
    page.wait_for_selector("text=owl from 1.0 % on")
    page.context.close()


def test_weights_by_mouse(looking: Looking) -> None:
    page = looking.page("weights")
    page.fill("#search", "gorse")
    rows = "[...document.querySelectorAll('main tbody tr')]"
    until(page, f"{rows}.every(row => row.innerText.includes('gorse'))")
    page.select_option("#label", "linnet")
    page.wait_for_selector("td:has-text('linnet')")
    page.context.close()


def test_hostile_content_is_shown_as_text(browser: Any, tmp_path: Path) -> None:
    """In texts, labels and features, on every view."""
    labels = [HOSTILE, "plain"]
    texts = [f"{word} {odd[:300]}" for odd in ODD for word in ("good", "bad", "fine", "ill")]
    given = [labels[i % 2] for i in range(len(texts))]
    model, data = tmp_path / "hostile.linnet", tmp_path / "hostile.jsonl"
    linnet.TextClassifier().fit(texts, given).save(model)
    flipped = [*given[:-3], *reversed(given[-3:])]
    lines = [json.dumps({"text": t, "label": y}) for t, y in zip([*texts], flipped, strict=True)]
    data.write_text("\n".join([*lines, json.dumps({"text": ODD[3], "label": "plain"})]) + "\n")
    looking = Looking(
        browser, str(model), str(data), "--pool", str(data), "--decisions", str(tmp_path / "d.jsonl")
    )
    try:
        for view in VIEWS:
            page = looking.page(view, viewport={"width": 390, "height": 800})
            if view == "try":
                for odd in ODD:
                    page.fill("#text", odd)
                    looking.typed(page, odd)
            assert page.evaluate("window.hacked") is None
            assert page.evaluate("document.querySelectorAll('main script, main img').length") == 0
            assert page.evaluate("document.documentElement.scrollWidth") <= 390
            if view == "errors":
                assert "<script>" in page.inner_text("main")
            page.context.close()
        assert looking.wrong == []
    finally:
        looking.close()


def test_skipping_to_a_view_stays_on_it(looking: Looking) -> None:
    page = looking.page("weights")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    until(page, "document.activeElement.id === 'view'")
    assert page.inner_text("main h1") == "Weights"
    page.context.close()


def test_a_view_that_comes_late_writes_over_no_other(looking: Looking) -> None:
    page = looking.page()
    waiting: list[Any] = []
    page.route("**/api/errors", lambda route: waiting.append(route))  # noqa: PLW0108
    page.click("nav a:has-text('Errors')")
    page.wait_for_selector("main .busy")
    page.click("nav a:has-text('Weights')")
    looking.ready(page)
    for route in waiting:
        route.continue_()
    page.unroute("**/api/errors")
    page.wait_for_timeout(1000)
    assert page.inner_text("main h1") == "Weights"
    page.context.close()
