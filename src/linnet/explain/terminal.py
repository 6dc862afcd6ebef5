"""Explanations in the terminal: texts shaded by what speaks for and against, and tables."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table

from linnet.explain.explanation import Explanation
from linnet.explain.shown import Text
from linnet.explain.tag_explanation import TagExplanation
from linnet.explain.wording import (
    MOST_LABELS,
    MOST_ROWS,
    MOST_TERMS,
    heading,
    headline,
    label_of_row,
    legend,
    score_of,
    term_numbers,
    unknown,
    verdict,
)

FOR, AGAINST = (0, 150, 70), (200, 50, 50)


def rendered(explanation: Explanation) -> RenderableType:
    """For rich: the text once for each of the best labels, and their strongest words or features."""
    parts: list[RenderableType] = [Text(heading(explanation), style="bold underline")]
    for y in explanation.best(MOST_LABELS):
        parts += [Text(headline(explanation, y), style="bold"), shaded(explanation, y), Text("")]
    parts += [table(explanation), key(explanation)]
    if explanation.unknown:
        parts.append(Text(unknown(explanation), style="dim"))
    return Group(*parts)


def key(explanation: Explanation) -> Text:
    """The legend, in its colours."""
    for_, against, rest = legend(explanation)
    text = Text()
    for colour, meaning in ((FOR, for_), (AGAINST, against)):
        name = "green" if colour is FOR else "red"
        text.append(f" {name} ", style=_filled(colour, 1.0))
        text.append(f" {meaning}, ", style="dim")
    text.append(rest, style="dim")
    return text


def _filled(colour: tuple[int, int, int], strength: float) -> str:
    r, g, b = (int(255 - strength * (255 - c)) for c in colour)
    return f"black on #{r:02x}{g:02x}{b:02x}"


def shaded(explanation: Explanation, y: int) -> Text:
    """The text, green where it speaks for label y and red where against, the stronger the fuller."""
    runs = explanation.runs(y)
    top = max((abs(value) for _, value in runs), default=0.0)
    text = Text()
    for characters, value in runs:
        strength = abs(value) / top if top > 0 else 0.0
        if strength < 0.05:
            text.append(characters)
            continue
        text.append(characters, style=_filled(FOR if value > 0 else AGAINST, strength))
    return text


def table(explanation: Explanation) -> Table:
    """What is strongest for the best labels, side by side."""
    best = explanation.best(MOST_LABELS)
    columns = [explanation.strongest(y)[:MOST_ROWS] for y in best]
    shown = Table(show_edge=False, pad_edge=False)
    for y in best:
        shown.add_column(Text(explanation.labels[y]), justify="right")
        shown.add_column("")
    for k in range(max((len(rows) for rows in columns), default=0)):
        cells: list[Text] = []
        for rows in columns:
            if k < len(rows):
                name, total, times = rows[k]
                cells += [
                    Text(f"{total:+.4f}", style="green" if total > 0 else "red"),
                    Text(label_of_row(name, times)),
                ]
            else:
                cells += [Text(""), Text("")]
        shown.add_row(*cells)
    return shown


def rendered_tags(explanation: TagExplanation) -> RenderableType:
    """For rich: the tokens one below the other, each with its strongest terms."""
    shown = Table(show_edge=False, pad_edge=False)
    shown.add_column("token", style="bold")
    shown.add_column("tag")
    shown.add_column("share", justify="right")
    shown.add_column("lead", justify="right")
    shown.add_column("term")
    for token in explanation.tokens:
        if not token.strongest():
            shown.add_row(Text(token.token), Text(verdict(token)))
        for k, term in enumerate(token.strongest()[:MOST_TERMS]):
            share, lead = term_numbers(term)
            first = (token.token, verdict(token)) if k == 0 else ("", "")
            colour = "green" if term.difference > 0 else "red"
            shown.add_row(*map(Text, first), Text(share), Text(lead, style=colour), Text(term.name))
        shown.add_section()
    return Group(shown, Text(score_of(explanation), style="dim"))
