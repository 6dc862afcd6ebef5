"""Sentences in a real browser: what is pinned, spans that are taught, errors of taggers and parsers."""

import json
from pathlib import Path
from typing import Any

import pytest

import linnet
import linnet.data.samples

from .browsing import Looking, faults


@pytest.mark.parametrize("which", ["names", "trees", "phrases"])
def test_sentences_are_pinned_by_clicks(browser: Any, which: str, request: Any, tmp_path: Path) -> None:
    path = request.getfixturevalue(which)
    looking = Looking(browser, str(path), "--decisions", str(tmp_path / "d.jsonl"))
    try:
        page = looking.page(viewport={"width": 800, "height": 900})
        if which == "names":
            page.fill("#text", "Martin Okoye saw a linnet.")
            page.click(".tokens button:has-text('Martin')")
            page.click("[role=group] button:text-matches('^O')")
            page.wait_for_selector(".tokens button.pinned:has-text('Martin')")
        elif which == "trees":
            page.fill("#text", "The young farmer walked home.")
            page.click(".tokens button:has-text('young')")
            page.click(".tokens button:has-text('walked')")
            page.wait_for_selector(".tokens button.pinned:has-text('young')")
            page.click("text=Unpin all")
            page.locator("svg .act text").first.click()
        else:
            page.fill("#text", "the owl sings in town")
            page.locator("svg .act text:text-is('PP')").click()
            page.wait_for_selector("text=1 pinned")
            page.click("text=Unpin all")
            page.click("button[aria-label='Forbid NP over the owl']")
        page.wait_for_selector("text=1 pinned")
        assert faults(page) == []
        page.click("text=Unpin all")
        page.wait_for_selector("text=1 pinned", state="detached")
        page.click("nav a:has-text('Weights')")
        page.wait_for_selector("h2:has-text('How it was trained')")
        assert looking.wrong == []
    finally:
        looking.close()


def test_spans_by_keyboard_alone(tagging: Looking, tmp_path: Path) -> None:
    """Two words are marked by arrows and a key, saved by Enter; the next is passed over; undone."""
    page = tagging.page("teach", viewport={"width": 800, "height": 900})
    first = page.inner_text(".sentence")
    page.keyboard.press("ArrowLeft")  # to the first word
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("1")
    page.wait_for_selector(".sentence button[data-word='0'].marked.first:has-text('BIRD')")
    assert faults(page) == []
    page.keyboard.press("Enter")
    page.wait_for_selector("text=1 decided")
    assert page.inner_text(".sentence") != first
    page.keyboard.press("s")
    page.wait_for_selector("text=2 decided")
    page.keyboard.press("u")
    page.wait_for_selector("text=1 decided")
    page.context.close()
    lines = [json.loads(line) for line in (tmp_path / "d.jsonl").read_text().splitlines()]
    assert lines[0]["tags"][:2] == ["B-BIRD", "I-BIRD"]
    assert "tags" not in lines[1]
    assert lines[2]["undone"] == lines[1]["number"]


def test_spans_by_mouse(tagging: Looking, tmp_path: Path) -> None:
    page = tagging.page("teach", viewport={"width": 1000, "height": 900})
    boxes = [page.locator(f".sentence [data-word='{k}']").bounding_box() for k in (1, 2)]
    page.mouse.move(boxes[0]["x"] + 5, boxes[0]["y"] + 5)
    page.mouse.down()
    page.mouse.move(boxes[1]["x"] + 5, boxes[1]["y"] + 5)
    page.mouse.up()
    page.click(".labels button:has-text('PLACE')")
    page.wait_for_selector(".sentence button[data-word='1'].marked.first:has-text('PLACE')")
    page.click("button:has-text('Save')")
    page.wait_for_selector("text=1 decided")
    page.context.close()
    line = json.loads((tmp_path / "d.jsonl").read_text())
    assert line["tags"][1:3] == ["B-PLACE", "I-PLACE"]
    assert len(line["guesses"]) == len(line["tags"])


def test_errors_of_a_tagger(tagging: Looking) -> None:
    page = tagging.page("errors", viewport={"width": 1000, "height": 900})
    page.click(".matrix button[style*='against']")
    page.wait_for_selector("h3:has-text(' called ')")
    page.wait_for_selector("mark")
    page.wait_for_selector("h2:has-text('Two models side by side')")
    assert faults(page) == []
    page.context.close()


def test_errors_of_a_parser(browser: Any, trees: Path, tmp_path: Path) -> None:
    folder = Path(linnet.data.samples.__file__).parent
    weak = tmp_path / "weak.linnet"
    some = linnet.data.samples.load_trees("rambles-train").take(list(range(12)))
    linnet.DependencyParser(tagger="auto", loss="logistic").fit(some).save(weak)
    looking = Looking(
        browser, str(weak), str(folder / "rambles-test.conllu"), "--against", str(trees),
        "--decisions", str(tmp_path / "d.jsonl"),
    )  # fmt: skip
    try:
        for width in (390, 1300):
            page = looking.page("errors", viewport={"width": width, "height": 900})
            page.wait_for_selector("h2:has-text('Two models side by side')")
            page.locator("summary:has-text('The tree that was said')").first.click()
            page.wait_for_selector("svg .arc.amiss")
            page.click(".matrix button[style*='against']")
            page.wait_for_selector("h3:has-text(' called ')")
            page.wait_for_selector("text=speak")
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert faults(page) == []
            page.context.close()
        assert looking.wrong == []
    finally:
        looking.close()
