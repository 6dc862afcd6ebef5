"""An explanation in the terminal: the text shaded by what speaks for and against, and a table."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from linnet.explain.explanation import Explanation
from linnet.explain.wording import MOST_LABELS, MOST_ROWS, headline, label_of_row, unknown

FOR, AGAINST = (0, 150, 70), (200, 50, 50)


def rendered(explanation: Explanation) -> RenderableType:
    """For rich: the text once for each of the best labels, and their strongest features."""
    parts: list[RenderableType] = []
    for y in explanation.best(MOST_LABELS):
        parts += [Text(headline(explanation, y), style="bold"), shaded(explanation, y), Text("")]
    parts.append(table(explanation))
    if explanation.unknown:
        parts.append(Text(unknown(explanation), style="dim"))
    return Group(*parts)


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
        colour = FOR if value > 0 else AGAINST
        r, g, b = (int(255 - strength * (255 - c)) for c in colour)
        text.append(characters, style=f"black on #{r:02x}{g:02x}{b:02x}")
    return text


def table(explanation: Explanation) -> Table:
    """The strongest features of the best labels side by side."""
    best = explanation.best(MOST_LABELS)
    columns = [explanation.by_feature(y)[:MOST_ROWS] for y in best]
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
