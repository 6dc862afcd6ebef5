"""Parsers in a real browser: trees that are taught by mouse and by keyboard alone, errors of phrases.

`LINNET_SCREENSHOTS=folder` keeps a picture of the views at three widths, light and dark.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import linnet
import linnet.data.samples
from linnet.data.brackets import Brackets

from .browsing import Looking, faults, until

FOLDER = Path(linnet.data.samples.__file__).parent
TREES = """\
(S (NP (DT the) (NN wren)) (VP (VBZ sings) (PP (IN in) (NP (NN town)))))
(S (NP (NP (DT the) (NN owl)) (PP (IN in) (NP (NN hedges)))) (VP (VBZ sits)))
(S (NP (DT the) (NN owl)) (VP (VBZ sings) (PP (IN in) (NP (NN spring))) (ADVP (RB here))))
"""


@pytest.fixture
def arcs(browser: Any, trees: Path, tmp_path: Path) -> Iterator[Looking]:
    found = Looking(
        browser, str(trees), "--pool", str(FOLDER / "rambles-test.conllu"),
        "--decisions", str(tmp_path / "d.jsonl"),
    )  # fmt: skip
    yield found
    found.close()
    assert found.wrong == []


@pytest.fixture
def bank(browser: Any, phrases: Path, tmp_path: Path) -> Iterator[Looking]:
    pool, gold = tmp_path / "pool.mrg", tmp_path / "gold.mrg"
    pool.write_text(TREES)
    gold.write_text(TREES)
    found = Looking(
        browser, str(phrases), str(gold), "--pool", str(pool), "--against", str(phrases),
        "--decisions", str(tmp_path / "d.jsonl"),
    )  # fmt: skip
    yield found
    found.close()
    assert found.wrong == []


def lines(tmp_path: Path) -> list[Any]:
    return [json.loads(line) for line in (tmp_path / "d.jsonl").read_text().splitlines()]


def heads(page: Any) -> list[str]:
    """What each word says of itself."""
    found: list[str] = page.eval_on_selector_all(
        ".heads [data-word] .tag", "all => all.map((one) => one.textContent)"
    )
    return [one for one in found if "←" in one]


def test_arcs_by_keyboard_alone(arcs: Looking, tmp_path: Path) -> None:
    page = arcs.page("teach", viewport={"width": 900, "height": 900})
    before = heads(page)
    page.keyboard.press("ArrowRight")  # from the first word to the second
    page.keyboard.press("Space")
    page.wait_for_selector(".heads [data-word='2'][aria-pressed=true]")
    page.keyboard.press("r")  # the root is its head
    page.wait_for_selector(".heads [data-word='2'].pinned:has-text('← root')")
    page.keyboard.press("l")
    page.keyboard.type("root")
    page.keyboard.press("Enter")
    page.wait_for_selector(".heads [data-word='2']:has-text('root ← root')")
    assert faults(page) == []
    assert heads(page) != before
    page.evaluate("document.activeElement.blur()")
    for _ in range(2):  # both corrections are taken back
        page.keyboard.press("z")
    until(page, "() => !document.querySelector('.heads .pinned')")
    assert heads(page) == before
    page.keyboard.press("Enter")
    page.wait_for_selector("text=1 decided")
    page.keyboard.press("n")
    page.keyboard.type("hard")
    page.keyboard.press("Enter")
    page.keyboard.press("s")
    page.wait_for_selector("text=2 decided")
    page.keyboard.press("u")
    page.wait_for_selector("text=1 decided")
    page.context.close()
    first, second, third = lines(tmp_path)
    assert first["tree"] == first["guessed"]
    assert [f"{r} ← {first['words'][h - 1] if h else 'root'}" for h, r in zip(
        first["tree"]["heads"], first["tree"]["relations"], strict=True)] == before  # fmt: skip
    assert "tree" not in second
    assert second["note"] == "hard"
    assert third["undone"] == second["number"]


def test_arcs_by_mouse(arcs: Looking, tmp_path: Path) -> None:
    page = arcs.page("teach", viewport={"width": 390, "height": 844}, has_touch=True)
    words = page.locator(".heads [data-word]").count() - 1
    page.click(f".heads [data-word='{words}']")
    page.click(".heads [data-word='1']")
    page.wait_for_selector(f".heads [data-word='{words}'].pinned")
    page.fill("#fresh", "odd")
    page.click("button:has-text('Add')")
    page.click(f".heads [data-word='{words}']")
    page.fill("#relation", "odd")
    page.click("button:text-is('Set')")
    page.wait_for_selector(f".heads [data-word='{words}']:has-text('odd')")
    page.locator("svg .act text").first.click()
    page.wait_for_selector(".heads [aria-pressed=true]")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.click("button:has-text('Save')")
    page.wait_for_selector("text=1 decided")
    page.context.close()
    (line,) = lines(tmp_path)
    assert line["tree"]["heads"][words - 1] == 1
    assert line["tree"]["relations"][words - 1] == "odd"
    assert line["guessed"]["relations"][words - 1] != "odd"


def test_brackets_by_keyboard_alone(bank: Looking, tmp_path: Path) -> None:
    page = bank.page("teach", viewport={"width": 900, "height": 900})
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Shift+ArrowRight")  # the first two words
    page.wait_for_selector(".chosen:has-text('“the ')")
    page.keyboard.press("0")
    until(page, "() => !document.querySelector('.outline').innerText.includes('NP the')")
    page.keyboard.press("l")
    page.keyboard.type("NP")
    page.keyboard.press("Enter")
    page.wait_for_selector(".outline button.pinned:has-text('NP the')")
    assert faults(page) == []
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("c")
    page.keyboard.type("PP")
    page.keyboard.press("Enter")
    page.wait_for_selector(".outline button.pinned:has-text('PP the')")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ArrowUp")  # to the bracket around
    page.wait_for_selector(".sentence [aria-pressed=true] >> nth=3")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=1 decided")
    page.context.close()
    (line,) = lines(tmp_path)
    assert [0, 2, "PP"] in line["tree"]["brackets"]
    assert [0, 2, "NP"] not in line["tree"]["brackets"]
    assert [0, 2, "NP"] in line["guessed"]["brackets"]


def test_brackets_by_mouse(bank: Looking, tmp_path: Path) -> None:
    page = bank.page("teach", viewport={"width": 1000, "height": 900})
    page.locator("svg .act text:text-is('VP')").first.click()
    page.wait_for_selector(".chosen:has-text('“s')")  # sings, sits or sleeps
    phrase = page.inner_text(".chosen").strip("“”")
    page.click("button:has-text('Remove VP')")
    until(page, "p => !document.querySelector('.outline').innerText.includes('VP ' + p)", phrase)
    page.click(".sentence [data-word='2']")
    page.click("button:has-text('Extend')")  # as on a phone, without shift
    page.click(".sentence [data-word='0']")
    assert page.locator(".sentence [aria-pressed=true]").count() == 3
    page.click(".sentence [data-word='0']")
    page.fill("#tag", "XX")
    page.locator("#tag").press("Enter")
    page.wait_for_selector(".sentence [data-word='0']:has-text('XX')")
    page.click("button:has-text('Save')")
    page.wait_for_selector("text=1 decided")
    page.click("text=trees in brackets")
    page.context.close()
    (line,) = lines(tmp_path)
    assert line["tree"]["tags"][0] == "XX"
    words = line["words"]
    assert all(" ".join(words[b:e]) != phrase for b, e, x in line["tree"]["brackets"] if x == "VP")


def test_a_fit_in_the_background_is_told(browser: Any, trees: Path, tmp_path: Path) -> None:
    """The page says what it is fitted to, and the tree that is being looked at stays."""
    looking = Looking(
        browser, str(trees), "--pool", str(FOLDER / "rambles-test.conllu"),
        "--train", str(FOLDER / "rambles-train.conllu"), "--decisions", str(tmp_path / "d.jsonl"),
    )  # fmt: skip
    try:
        page = looking.page("teach", viewport={"width": 900, "height": 900})
        page.keyboard.press("Enter")
        page.wait_for_selector("text=1 decided")
        text = page.inner_text(".heads")
        page.wait_for_selector("#state:has-text('1 of your 1 trees')", timeout=300_000)
        assert page.inner_text(".heads") == text
        page.context.close()
        assert looking.wrong == []
    finally:
        looking.close()


def test_errors_of_a_parser_of_phrases(bank: Looking) -> None:
    for width in (390, 1300):
        page = bank.page("errors", viewport={"width": width, "height": 900})
        page.wait_for_selector("h2:has-text('Two models side by side')")
        page.click(".matrix button[aria-label*='no bracket']")
        page.wait_for_selector("h3:has-text(' called ')")
        page.wait_for_selector(".card mark")
        page.locator("summary:has-text('The trees, drawn')").first.click()
        page.wait_for_selector("svg .amiss")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert faults(page) == []
        page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("which", ["arcs", "bank"])
def test_views_of_parsers_at_three_widths(which: str, scheme: str, request: Any) -> None:
    looking = request.getfixturevalue(which)
    kept = os.environ.get("LINNET_SCREENSHOTS")
    for view in ("teach", "errors") if which == "bank" else ("teach",):
        for width in (390, 800, 1300):
            page = looking.page(view, viewport={"width": width, "height": 900}, color_scheme=scheme)
            if view == "teach":
                page.click("[data-word='1']")
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert faults(page) == []
            if kept:
                page.screenshot(path=f"{kept}/{which}-{view}-{width}-{scheme}.png", full_page=True)
            page.context.close()


def test_what_was_exported_is_imported(bank: Looking, tmp_path: Path) -> None:
    page = bank.page("teach", viewport={"width": 900, "height": 900})
    page.keyboard.press("Enter")
    page.wait_for_selector("text=1 decided")
    with page.expect_download() as waiting:
        page.click("text=trees in brackets")
    path = tmp_path / "taught.mrg"
    waiting.value.save_as(path)
    page.context.close()
    (line,) = lines(tmp_path)
    (tree,) = linnet.formats.read_brackets(path).cleaned()
    assert [list(span) for span in tree.spans()] == line["tree"]["brackets"]
    assert Brackets.from_trees([tree]).column("pos")[0] == line["tree"]["tags"]
