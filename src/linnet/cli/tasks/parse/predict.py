"""``linnet predict`` and ``linnet parse`` with a parser: what came in comes back with trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from linnet.cli.files import arriving, check_retagging
from linnet.cli.following import following
from linnet.cli.options import spelt
from linnet.cli.output import written
from linnet.cli.probabilities import need_probabilities
from linnet.cli.tasks.parse.data import LINES, TEXT, VERTICAL, batches, tree_form, usual_form
from linnet.cli.tasks.parse.options import set_longest
from linnet.formats import part_of

PAGE = '<!doctype html><meta charset="utf-8"><title>linnet parse</title>\n'


def run(model: Any, path: str, data: str, given: dict[str, Any]) -> None:  # noqa: ARG001
    """Parse sentences as they come."""
    from linnet.formats import TREE_FORMATS

    if given["to_format"] is not None and given["to_format"] not in TREE_FORMATS:
        known = ", ".join(TREE_FORMATS)
        raise click.UsageError(f"--output-format {given['to_format']}: a parser writes {known}")
    if given["proba"]:
        need_probabilities(model, spelt("proba"))
    check_decoding(model, given)
    check_retagging(model, given)
    set_longest(model, given)
    if given["proba"] and given["top"] is not None:
        raise click.UsageError(
            f"{spelt('top')} gives scores of whole trees; leave out {spelt('proba')}"
        )
    source = arriving(data)
    with written(given["output"]) as out, following(source, "sentences") as tell:
        if part_of(data) is None:
            out.write(head(model, data, given))
        for form, batch in batches(model, source, given):
            out.writelines(answers(model, given["to_format"] or form, batch, given))
            out.flush()
            tell(len(batch))


def ranges(model: Any, path: str, given: dict[str, Any], size: int) -> list[Any]:
    """A file cut into pieces that can be answered apart; running text cannot."""
    from linnet import formats

    form = tree_form(path, given, usual_form(model))
    return (
        []
        if form in (TEXT, LINES, VERTICAL)
        else formats.ranges(path, formats.TREE_FORMATS[form], size)
    )


def head(_model: Any, _path: str, given: dict[str, Any]) -> bytes:
    """What stands before all answers: how a page begins."""
    return PAGE.encode() if given["svg"] else b""


def check_decoding(model: Any, given: dict[str, Any]) -> None:
    """Risk is expected by probabilities, and the K best trees go by scores."""
    if given["decode"] == "risk":
        need_probabilities(model, "--decode risk")
        if given.get("top") is not None:
            raise click.UsageError(
                f"{spelt('top')} gives the trees that score best; leave out --decode risk"
            )


def answers(model: Any, form: str, batch: Any, given: dict[str, Any]) -> Iterator[bytes]:
    """The sentences of one batch, parsed."""
    from linnet.formats.trees import format_trees

    if given["top"] is not None:
        yield from _ranked(model, form, batch, given)
        return
    parsed = model.parse_trees(batch, retag=given["retag"], decode=given["decode"] or "best")
    if given["draw"] or given["svg"]:
        yield from drawings(parsed, given["svg"])
        return
    if given["proba"]:
        parsed = with_certainties(model, parsed)
    yield format_trees(parsed, form, parsed.heads, parsed.relations)


def drawings(parsed: Any, svg: bool) -> Iterator[bytes]:
    """One after the other, with an empty line between."""
    import shutil

    from linnet.explain import TreeDrawing

    width = shutil.get_terminal_size((100, 24)).columns
    for i in range(len(parsed)):
        drawing = TreeDrawing.of(parsed, i)
        yield (drawing.svg() if svg else drawing.text(width) + "\n").encode(errors="replace") + b"\n"


def with_certainties(model: Any, parsed: Any) -> Any:
    """The probability of each arc in the last column, which holds what is nobody else's."""
    from linnet.data.sequences import token_strings

    marginals = model.predict_proba(parsed)
    sure = [
        float(table[m, head])
        for table, heads in zip(marginals, parsed.head_lists(), strict=True)
        for m, head in enumerate(heads)
    ]
    there = parsed.columns.get("misc")
    before = ["_"] * parsed.tokens if there is None else token_strings(there)
    said = [
        f"P={p:.4f}" if misc == "_" else f"{misc}|P={p:.4f}"
        for misc, p in zip(before, sure, strict=True)
    ]
    return parsed.with_columns(misc=parsed.sequences.by_sentence(said))


def _ranked(model: Any, form: str, batch: Any, given: dict[str, Any]) -> Iterator[bytes]:
    """A sentence comes back once for each of its best trees, after a line of rank and score."""
    from dataclasses import replace

    from linnet.formats.trees import format_trees

    if given["draw"] or given["svg"] or given["retag"]:
        raise click.UsageError("-k writes trees; leave out --draw, --svg and --retag")
    tagged = model.parse_trees(batch)
    for i, trees in enumerate(model.predict(batch, k=given["top"])):
        one = tagged.take([i])
        for rank, (heads, relations, score) in enumerate(trees, 1):
            yield f"# rank = {rank}\n# score = {score:.6f}\n".encode()
            yield format_trees(replace(one, roots="many"), form, [heads], [relations])
