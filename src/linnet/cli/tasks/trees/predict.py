"""``linnet predict`` and ``linnet parse`` with a parser of phrases: sentences in, brackets out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from linnet.cli.files import arriving, check_retagging
from linnet.cli.following import following
from linnet.cli.options import spelt
from linnet.cli.output import to_json, written
from linnet.cli.probabilities import need_probabilities
from linnet.cli.tasks.parse.options import set_longest
from linnet.cli.tasks.parse.predict import PAGE, check_decoding
from linnet.cli.tasks.trees.data import batches, noted
from linnet.formats import part_of

LEAST = 0.01  # probability of a bracket that is told of


def run(model: Any, path: str, data: str, given: dict[str, Any]) -> None:  # noqa: ARG001
    """Parse sentences as they come."""
    from linnet.formats import BRACKET_FORMATS

    if given["to_format"] not in (None, *BRACKET_FORMATS):
        known = ", ".join(BRACKET_FORMATS)
        raise click.UsageError(
            f"--output-format {given['to_format']}: a parser of phrases writes {known}"
        )
    if given["proba"]:
        need_probabilities(model, spelt("proba"))
        if given["top"] is not None or given["draw"] or given["svg"] or given["indent"]:
            raise click.UsageError(f"{spelt('proba')} is a form of its own; leave out the others")
    check_decoding(model, given)
    check_retagging(model, given)
    set_longest(model, given)
    source = arriving(data)
    with written(given["output"]) as out, following(source, "sentences") as tell:
        if part_of(data) is None:
            out.write(head(model, data, given))
        for batch in batches(source, given):
            out.writelines(answers(model, batch, given))
            out.flush()
            tell(len(batch))


def ranges(_model: Any, _path: str, _given: dict[str, Any], _size: int) -> list[Any]:
    """A file is answered as one piece."""
    return []


def head(_model: Any, _path: str, given: dict[str, Any]) -> bytes:
    """What stands before all answers: how a page begins."""
    return PAGE.encode() if given["svg"] else b""


def answers(model: Any, batch: Any, given: dict[str, Any]) -> Iterator[bytes]:
    """The sentences of one batch, parsed."""
    from linnet.formats import format_brackets

    if given["top"] is not None:
        yield from _ranked(model, batch, given)
        return
    if given["proba"]:
        yield from _probable(model, batch)
        return
    with noted():
        retag = given["retag"] or (not model.taggers_ and model.tags_words)
        parsed = model.parse_trees(batch, retag=retag, decode=given["decode"] or "auto")
    if given["draw"] or given["svg"]:
        yield from drawings(parsed, given["svg"])
        return
    if (parsed.lengths > 0).all():
        yield format_brackets(parsed, indent=given["indent"])
        return
    for i, length in enumerate(parsed.lengths.tolist()):  # no words, no tree: an empty line
        yield format_brackets(parsed.take([i]), indent=given["indent"]) if length else b"\n"


def drawings(parsed: Any, svg: bool) -> Iterator[bytes]:
    """One after the other, with an empty line between."""
    import shutil

    from linnet.explain import BracketDrawing

    width = shutil.get_terminal_size((100, 24)).columns
    for i in range(len(parsed)):
        drawing = BracketDrawing.of(parsed, i)
        yield (drawing.svg() if svg else drawing.text(width) + "\n").encode(errors="replace") + b"\n"


def _ranked(model: Any, batch: Any, given: dict[str, Any]) -> Iterator[bytes]:
    """Rank, score and tree, divided by tabs; an empty line after each sentence."""
    if given["draw"] or given["svg"] or given["retag"] or given["indent"]:
        raise click.UsageError(
            f"{spelt('top')} writes trees; leave out --draw, --svg, --retag and --indent"
        )
    with noted():
        ranked = model.ranked_trees(batch, given["top"])
    for trees in ranked:
        for rank, (tree, score) in enumerate(trees, 1):
            yield f"{rank}\t{score:.6f}\t{tree.one_line()}\n".encode(errors="replace")
        yield b"\n"


def _probable(model: Any, batch: Any) -> Iterator[bytes]:
    """Words, and brackets as (begin, end, label, probability); ``failed`` where there is no tree."""
    with noted():
        tagged = model.parse_trees(batch, retag=not model.taggers_ and model.tags_words)
    failed = [tree.top == model.failed for tree in tagged]
    parsed = tagged.take([i for i, none in enumerate(failed) if not none])
    every = iter(model.predict_proba(parsed))
    for tree, none in zip(tagged, failed, strict=True):
        if none:
            told = {"words": list(tree.words), "brackets": [], "failed": model.failed}
            yield (to_json(told) + "\n").encode()
            continue
        found = next(every)
        shares = found.items() if isinstance(found, dict) else found
        kept = sorted((share for share in shares if share[1] >= LEAST), key=_opening)
        brackets = [[*bracket, round(share, 6)] for bracket, share in kept]
        yield (to_json({"words": list(tree.words), "brackets": brackets}) + "\n").encode()


def _opening(share: tuple[Any, float]) -> tuple[int, int, str]:
    """Brackets in the order in which they would open."""
    begin, end, label = share[0]
    return begin, -end, label
