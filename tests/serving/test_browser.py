"""The page in a real browser: every view by mouse and by keyboard, without errors or outside requests.

Playwright drives a Chromium that is found on this computer; where there is none the tests are skipped.
`LINNET_SCREENSHOTS=folder` keeps a picture of every view at three widths, light and dark.
"""

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import linnet
import linnet.data.samples

from ..processes import Process

playwright = pytest.importorskip("playwright.sync_api")
pytest.importorskip("uvicorn")

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next((found for name in NAMES if (found := shutil.which(name))), None)
if CHROMIUM is None:
    pytest.skip("no Chromium was found: apt-get install chromium", allow_module_level=True)

AXE = Path(__file__).parent / "vendor" / "axe.min.js"
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


def until(page: Any, expression: str, *given: Any) -> None:
    """Until it holds; the page itself forbids Playwright's own way, which evaluates strings."""
    for _ in range(600):
        if page.evaluate(expression, *given):
            return
        page.wait_for_timeout(100)
    raise AssertionError(expression)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
        found = started.chromium.launch(executable_path=CHROMIUM, args=flags, headless=True)
        yield found
        found.close()


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


@pytest.fixture
def looking(browser: Any, birds: Path, tmp_path: Path) -> Iterator[Looking]:
    folder = Path(linnet.data.samples.__file__).parent
    found = Looking(
        browser, str(birds), str(folder / "birds-test.tsv"), "--pool", str(folder / "verse-test.tsv"),
        "--against", str(birds), "--decisions", str(tmp_path / "decisions.jsonl"),
    )  # fmt: skip
    yield found
    found.close()
    assert found.wrong == []


def faults(page: Any) -> list[str]:
    """What axe finds; contrasts too. It is given to the page as a script of ours would be."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    told = page.evaluate("axe.run(document)")
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in told["violations"]]


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
    until(page, "document.querySelector('main .current strong').textContent === 'linnet'")
    page.click("text=Which words does the label hang on?")
    page.click("text=Strike them out")
    until(page, "document.querySelector('main .current strong').textContent !== 'linnet'")
    page.click("text=Put all back")
    until(page, "document.querySelector('main .current strong').textContent === 'linnet'")
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


@pytest.fixture
def tagging(browser: Any, names: Path, tmp_path: Path) -> Iterator[Looking]:
    folder = Path(linnet.data.samples.__file__).parent
    found = Looking(
        browser, str(names), str(folder / "sightings-test.conll"), "--against", str(names),
        "--pool", str(folder / "sightings-test.conll"), "--decisions", str(tmp_path / "d.jsonl"),
    )  # fmt: skip
    yield found
    found.close()
    assert found.wrong == []


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


def test_rules_by_keyboard(looking: Looking) -> None:
    page = looking.page("teach")
    page.focus("#rule")
    page.keyboard.type("rain, wind")
    page.keyboard.press("Tab")
    page.keyboard.type("heron")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("td:has-text('rain, wind')")
    page.focus("#weak")
    page.keyboard.press("Space")
    page.wait_for_selector("#said:has-text('learnt')")
    assert faults(page) == []
    page.click("button:has-text('Remove')")
    page.wait_for_selector("td:has-text('rain, wind')", state="detached")
    page.context.close()


def test_the_loop_is_told_how_long_it_took(looking: Looking) -> None:
    page = looking.page("teach")
    page.keyboard.press("1")
    until(page, "document.body.dataset.took > 0")
    page.context.close()


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


@pytest.fixture
def many(browser: Any, tmp_path: Path) -> Iterator[Looking]:
    """A model of more labels than there are keys, and data of which every label is wrong."""
    names = [f"{kind} {k}" for kind in ("finch", "tit", "owl") for k in range(10)]
    texts = [f"this is {name.replace(' ', '')} number {k}" for name in names for k in range(5)]
    labels = [name for name in names for _ in range(5)]
    model, data = tmp_path / "many.linnet", tmp_path / "many.tsv"
    linnet.TextClassifier().fit(texts, labels).save(model)
    random.Random(0).shuffle(labels)
    lines = [f"{label}\t{text}\n" for label, text in zip(labels, texts, strict=True)]
    data.write_text("".join(lines))
    pool = tmp_path / "pool.txt"
    pool.write_text("".join(f"{text}\n" for text in texts))
    decisions = str(tmp_path / "d.jsonl")
    found = Looking(browser, str(model), str(data), "--pool", str(pool), "--decisions", decisions)
    yield found
    found.close()
    assert found.wrong == []


def test_labels_are_changed_by_typing(many: Looking, tmp_path: Path) -> None:
    page = many.page("labels")
    page.keyboard.press("c")
    page.keyboard.type("ow")
    page.keyboard.press("Enter")
    page.wait_for_selector("#said:has-text('10 labels begin like this')")
    page.keyboard.type("l 7")
    page.keyboard.press("Enter")
    page.wait_for_selector("main [role=status]:has-text('1 decided')")
    page.keyboard.press("k")
    page.wait_for_selector("main [role=status]:has-text('2 decided')")
    page.context.close()
    first, second = map(json.loads, (tmp_path / "d.jsonl").read_text().splitlines())
    assert first["label"] == "owl 7"
    assert second["label"] == second["was"]


def test_all_labels_that_look_wrong_can_be_reached(many: Looking) -> None:
    """They are told by hundreds."""
    page = many.page("labels")
    told = page.inner_text("main [role=status]")
    number = int(told.split()[0])
    assert number > 100
    for k in range(number):
        page.keyboard.press("ArrowRight")
        said = "document.querySelector('main [role=status]').innerText"
        until(page, f"n => {said}.endsWith(`Number ${{n}}.`)", min(k + 2, number))
    page.context.close()


def test_labels_without_a_key_are_given_by_typing(many: Looking, tmp_path: Path) -> None:
    page = many.page("teach")
    page.keyboard.press("/")
    page.keyboard.type("tit 9")
    assert faults(page) == []
    page.keyboard.press("Enter")
    page.wait_for_selector("main [role=status]:has-text('1 decided')")
    page.keyboard.type("finch 3")
    page.keyboard.press("Enter")
    page.wait_for_selector("main [role=status]:has-text('2 decided')")
    page.context.close()
    lines = map(json.loads, (tmp_path / "d.jsonl").read_text().splitlines())
    assert [line["label"] for line in lines] == ["tit 9", "finch 3"]
