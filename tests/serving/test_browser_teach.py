"""Labels in a real browser: doubted and taught, by keys, by typing, by rules."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import linnet

from .browsing import Looking, faults, until


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
