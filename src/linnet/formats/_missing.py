"""Texts and labels that are missing in a file: what a reader was told to do about them, and did."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from linnet.data.missing import Lack, Policy, tell
from linnet.errors import DataError
from linnet.formats._lines import Lines
from linnet.formats._options import Options

Error = Callable[[int, str], DataError]


def kept(
    policy: Policy,
    error: Error,
    lines: Sequence[int],
    file: str,
    texts: Sequence[bool] = (),
    labels: Sequence[bool] = (),
) -> list[int] | None:
    """Places of the examples that stay; None: all. ``texts`` and ``labels`` say which are missing.

    Without labels the file is for prediction, where each text is answered.
    """
    left_out: set[int] = set()
    lacks = []
    for kind, missing in (("text", texts), ("label", labels)):
        places = [i for i, gone in enumerate(missing) if gone]
        done = getattr(policy, kind)
        if not places:
            continue
        if done == "error":
            raise error(places[0], f"the {kind} is missing")
        if done == "skip" and not labels:
            done = getattr(Policy(), kind)
        if done == "skip":
            left_out.update(places)
        first = f"{file}, line {int(lines[places[0]])}"
        lacks.append(Lack(kind, done, len(places), len(missing), first))
    tell(lacks)
    return [i for i in range(len(lines)) if i not in left_out] if left_out else None


def keep_labelled(lines: Lines, options: Options, unlabelled: list[bool]) -> None:
    """Leave out lines without a label among others that have one.

    If none has one, the file is not labelled; but later lines of a labelled file may all lack theirs.
    """
    later = bool(options.labelled) and lines.source.first_line > 1
    if options.missing is None or options.multilabel or (all(unlabelled) and not later):
        return
    left = kept(
        options.missing, lines.error, lines.numbers.tolist(), lines.source.name, labels=unlabelled
    )
    if left is not None:
        lines.keep(left)
