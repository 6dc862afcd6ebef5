"""Texts with several labels each in a real browser: errors, thresholds, doubts and teaching."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import linnet

from .browsing import Looking, faults, until
from .sightings import sightings

VIEWS = ("try", "errors", "labels", "teach", "weights")


@pytest.fixture
def looking(browser: Any, sets: Path, tmp_path: Path) -> Iterator[Looking]:
    data, pool, train = (tmp_path / name for name in ("data.jsonl", "pool.txt", "train.jsonl"))
    texts, labels = sightings("train")
    _write(data, *sightings("test", 1))
    _write(train, texts[200:], labels[200:])
    pool.write_text("".join(f"{text}\n" for text in texts[:200]))
    found = Looking(
        browser, str(sets), str(data), "--pool", str(pool), "--train", str(train), "--against",
        str(sets), "--decisions", str(tmp_path / "d.jsonl"),
    )  # fmt: skip
    yield found
    found.close()
    assert found.wrong == []


def _write(path: Path, texts: list[str], labels: list[tuple[str, ...]]) -> None:
    lines = (json.dumps({"label": one, "text": text}) for one, text in zip(labels, texts, strict=True))
    path.write_text("".join(f"{line}\n" for line in lines))


def _decisions(folder: Path) -> list[Any]:
    return [json.loads(line) for line in (folder / "d.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_at_three_widths(looking: Looking, scheme: str) -> None:
    for width in (390, 800, 1300):
        for view in VIEWS:
            page = looking.page(view, viewport={"width": width, "height": 900}, color_scheme=scheme)
            if view == "errors":
                page.click(".yesno button[aria-label*='missed']")
                page.wait_for_selector("h3:has-text('missed')")
            assert page.evaluate("document.documentElement.scrollWidth") <= width, view
            if width == 1300 or (width == 390 and scheme == "light"):
                assert faults(page) == [], (view, width, scheme)
            page.context.close()


def test_errors_by_mouse(looking: Looking) -> None:
    page = looking.page("errors")
    page.click(".yesno button[aria-label^='owl'][aria-label*='too many']")
    page.wait_for_selector("h3:has-text('owl too many')")
    page.wait_for_selector(".pill.extra:has-text('owl')")
    page.wait_for_selector("text=speak")
    page.click(".matrix:not(.yesno) button[aria-label*='instead nothing']")
    page.wait_for_selector("h3:has-text('said instead nothing')")
    page.wait_for_selector(".pill.missed")
    page.fill("#slice", "gorse")
    page.press("#slice", "Tab")
    page.wait_for_selector("td:has-text('contains gorse')")
    page.click("text=Look for them")
    page.wait_for_selector("text=have most words in common")
    page.wait_for_selector("h2:has-text('Two models side by side')")
    page.wait_for_selector("td:has-text('micro f1')")
    page.context.close()


def test_thresholds_by_keyboard(looking: Looking) -> None:
    """One threshold of all labels; then one of a label, which is kept while another is chosen."""
    page = looking.page("errors")
    slider = page.locator("#threshold")
    slider.press("End")
    page.wait_for_selector("text=All labels from 100.0 % on: 0.00 labels to a text")
    page.select_option("#curve", "owl")
    page.wait_for_selector("svg[aria-label='Precision and recall of owl']")
    page.wait_for_selector("text=owl from 50.0 % on")
    for _ in range(5):
        slider.press("ArrowLeft")
    page.wait_for_selector("text=With 1 threshold of yours")
    page.select_option("#curve", "wren")
    page.wait_for_selector("svg[aria-label='Precision and recall of wren']")
    slider.press("ArrowRight")
    page.wait_for_selector("text=With 2 thresholds of yours")
    kept = json.loads(page.inner_text("main code").removeprefix("thresholds="))
    assert kept == {"owl": 0.45, "wren": 0.51}
    page.select_option("#curve", "owl")
    page.wait_for_selector("text=owl from 45.0 % on")
    page.click("text=Take the best of each")
    page.wait_for_selector("text=With 6 thresholds of yours")
    page.click("button:has-text('As the model has them')")
    page.wait_for_selector("main code", state="detached")
    page.context.close()


def test_doubts_by_keyboard_alone(looking: Looking, tmp_path: Path) -> None:
    """Accepted, kept, and a set put together by keys; then one is taken back."""
    page = looking.page("labels")
    status = "document.querySelector('main [role=status]').innerText"
    suggested = page.inner_text(".card strong >> nth=1")
    page.keyboard.press("a")
    until(page, f"{status}.includes('1 decided')")
    page.keyboard.press("k")
    until(page, f"{status}.includes('2 decided')")
    before = page.locator(".labels button[aria-pressed=true]").count()
    page.keyboard.press("1")
    until(page, f"document.querySelectorAll('.labels [aria-pressed=true]').length !== {before}")
    assert faults(page) == []
    page.keyboard.press("Enter")
    until(page, f"{status}.includes('3 decided')")
    page.keyboard.press("u")
    until(page, f"{status}.includes('2 decided')")
    page.context.close()
    first, second, third, fourth = _decisions(tmp_path)
    assert (", ".join(first["label"]) or "no label") == suggested
    assert second["label"] == second["was"]
    assert set(third["label"]) ^ set(third["was"])
    assert fourth["undone"] == third["number"]


def test_teaching_by_keyboard_alone(looking: Looking, tmp_path: Path) -> None:
    """Keys turn labels, Enter saves the set, x makes it empty; an empty one is a decision."""
    page = looking.page("teach")
    status = "document.querySelector('#view section [role=status]').innerText"
    decided = "n => document.body.innerText.includes(`${n} decided`)"
    guess = page.locator(".labels [aria-pressed=true]").count()
    page.keyboard.press("1")
    until(page, f"document.querySelectorAll('.labels [aria-pressed=true]').length !== {guess}")
    assert faults(page) == []
    until(page, f"{status}.startsWith('Chosen')")
    page.keyboard.press("n")
    page.keyboard.type("not sure")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    until(page, decided, 1)
    page.keyboard.press("x")
    until(page, f"{status} === 'Chosen: no label'")
    page.keyboard.press("Enter")
    until(page, decided, 2)
    page.keyboard.press("s")
    until(page, decided, 3)
    page.keyboard.press("u")
    until(page, decided, 2)
    page.context.close()
    first, second, third, fourth = _decisions(tmp_path)
    assert set(first["label"]) ^ set(first["guess"]) == {"heron"}
    assert first["note"] == "not sure"
    assert second["label"] == []
    assert "label" not in third
    assert fourth["undone"] == third["number"]


def test_teaching_by_mouse(looking: Looking, tmp_path: Path) -> None:
    """A button that is pressed keeps the focus; a label that is new is set at once."""
    page = looking.page("teach")
    page.click("button:has-text('None')")
    page.click(".labels button:has-text('owl')")
    until(page, "document.activeElement.dataset.label === 'owl'")
    page.keyboard.press("Space")
    until(page, "document.activeElement.getAttribute('aria-pressed') === 'false'")
    page.keyboard.press("Space")
    page.fill("#fresh", "emu")
    page.click("button:has-text('Add') >> nth=0")
    page.wait_for_selector(".labels button[aria-pressed=true]:has-text('emu')")
    page.click("button:has-text('Save')")
    page.wait_for_selector("text=1 decided")
    page.wait_for_selector(".labels button:has-text('emu')")
    page.context.close()
    (line,) = _decisions(tmp_path)
    assert line["label"] == ["emu", "owl"]


def test_words_that_labels_hang_on(looking: Looking, sets: Path) -> None:
    model = linnet.load(sets)
    text = next(text for text in sightings("test", 1)[0] if len(model.predict([text])[0]) == 2)
    answer = ", ".join(model.predict([text])[0])
    page = looking.page()
    page.fill("#text", text)
    shown = "document.querySelector('main .current strong')?.textContent"
    until(page, f"{shown} === {answer!r}")
    page.click("text=Which words do the labels hang on?")
    page.click("text=Strike them out")
    until(page, f"{shown} !== {answer!r}")
    page.context.close()


def test_more_labels_than_keys(browser: Any, tmp_path: Path) -> None:
    """Any label is typed, on both views, and hostile ones are shown as text."""
    names = [f"{kind} {k}" for kind in ("finch", "tit", "owl") for k in range(10)]
    names.append('<img src=x onerror="window.hacked=1">')
    words = [f"w{k}word" for k in range(len(names))]
    texts = [
        f"{words[i]} {words[(i + k) % len(names)]} {k}" for i in range(len(names)) for k in range(6)
    ]
    labels = [
        tuple(sorted({names[i], names[(i + k) % len(names)]}))
        for i in range(len(names))
        for k in range(6)
    ]
    model, data, pool = (tmp_path / name for name in ("many.linnet", "many.jsonl", "pool.txt"))
    linnet.TextClassifier().fit(texts, labels).save(model)
    _write(data, texts, labels[7:] + labels[:7])
    pool.write_text("".join(f"{text}\n" for text in texts))
    looking = Looking(
        browser, str(model), str(data), "--pool", str(pool), "--decisions", str(tmp_path / "d.jsonl")
    )
    try:
        page = looking.page("teach", viewport={"width": 390, "height": 800})
        page.keyboard.press("x")
        page.keyboard.press("/")
        for name in ("tit 9", "finch 3"):
            page.keyboard.type(name)
            page.keyboard.press("Enter")
            page.wait_for_selector(f".labels button[aria-pressed=true]:has-text('{name}')")
        page.click("button:has-text('Save')")
        page.wait_for_selector("text=1 decided")
        page.goto(f"{looking.address}#labels")
        page.wait_for_selector("button:has-text('Accept')")
        page.keyboard.press("c")
        page.keyboard.type("tit 5")
        page.keyboard.press("Enter")
        page.wait_for_selector(".labels button[data-label='tit 5']")
        page.click("text=Save what is chosen")
        page.wait_for_selector("main [role=status]:has-text('1 decided')")
        page.goto(f"{looking.address}#errors")
        page.wait_for_selector("h2:has-text('Missed, and what was said instead')")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.evaluate("window.hacked") is None
        assert page.evaluate("document.querySelectorAll('main img').length") == 0
        page.context.close()
        assert looking.wrong == []
    finally:
        looking.close()
    first, second = _decisions(tmp_path)
    assert first["label"] == ["finch 3", "tit 9"]
    assert set(second["label"]) ^ set(second["was"]) == {"tit 5"}
