"""Explanations of trees in the terminal, as text and as HTML."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table

from linnet.explain.html import STYLE
from linnet.explain.shown import Text
from linnet.explain.tree_explanation import ArcTerm, Choice, TreeExplanation, WordExplanation
from linnet.explain.trees import TreeDrawing
from linnet.explain.wording import MOST_TERMS

NUMBERS = "of each feature: its share of the score, and its lead over the runner-up"


def head_verdict(told: TreeExplanation, word: WordExplanation) -> str:
    """The head, how sure it is, and the one that came second."""
    choice = word.head
    sure = "" if word.probability is None else f" ({word.probability:.3f})"
    said = f"{told.word_at(choice.chosen)}{sure}"
    if choice.runner_up is None:
        return said
    return f"{said}, {word.margin:.4f} ahead of {told.word_at(choice.runner_up)}"


def relation_verdict(choice: Choice) -> str:
    """The relation, and the one that came second."""
    if choice.runner_up is None:
        return str(choice.chosen)
    return f"{choice.chosen}, {choice.score - choice.other_score:.4f} ahead of {choice.runner_up}"


def _choices(told: TreeExplanation) -> Iterator[tuple[WordExplanation, str, Choice]]:
    """What was decided, word by word."""
    for word in told.explained:
        yield word, f"head: {head_verdict(told, word)}", word.head
        if word.relation is not None:
            yield word, f"relation: {relation_verdict(word.relation)}", word.relation


def _numbers(term: ArcTerm) -> tuple[str, str]:
    return f"{term.contribution:+.4f}", f"{term.difference:+.4f}"


def plain_tree(told: TreeExplanation) -> str:
    """Without colour: the tree, then a line for each choice and for each of its strongest features."""
    lines = [told.drawing().text(), "", f"score {told.score:+.4f}; {NUMBERS}"]
    for word, verdict, choice in _choices(told):
        lines.append(f"{word.number} {word.word}, {verdict}")
        lines += [
            "  {:>9} {:>9}  {}".format(*_numbers(term), term.name)
            for term in choice.strongest()[:MOST_TERMS]
        ]
    return "\n".join(lines)


class Drawn:
    """A tree in the terminal, as wide as there is room."""

    def __init__(self, drawing: TreeDrawing) -> None:
        self.drawing = drawing

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(self.drawing.text(options.max_width), no_wrap=True, overflow="ignore")


def rendered_tree(told: TreeExplanation) -> RenderableType:
    """For rich."""
    shown = Table(show_edge=False, pad_edge=False)
    shown.add_column("word", style="bold")
    shown.add_column("choice")
    shown.add_column("share", justify="right")
    shown.add_column("lead", justify="right")
    shown.add_column("feature")
    for word, verdict, choice in _choices(told):
        rows = choice.strongest()[:MOST_TERMS]
        first = (f"{word.number} {word.word}", verdict)
        if not rows:
            shown.add_row(*map(Text, first))
        for k, term in enumerate(rows):
            share, lead = _numbers(term)
            colour = "green" if term.difference > 0 else "red"
            cells = first if k == 0 else ("", "")
            shown.add_row(*map(Text, cells), Text(share), Text(lead, style=colour), Text(term.name))
        shown.add_section()
    return Group(
        Drawn(told.drawing()), Text(""), shown, Text(f"score {told.score:+.4f}; {NUMBERS}", style="dim")
    )


def tree_page(told: TreeExplanation) -> str:
    """One element with the drawn tree, and what decided on each word to unfold."""
    parts = [f'<div class="linnet-explanation"><style>{STYLE}</style>', told.drawing().svg()]
    parts.append(f"<p><small>{escape(f'score {told.score:+.4f}; {NUMBERS}')}</small></p>")
    for word, verdict, choice in _choices(told):
        title = f"<b>{word.number} {escape(word.word)}</b> {escape(verdict)}"
        parts.append(f"<details><summary>{title}</summary><table>")
        for term in choice.strongest()[:MOST_TERMS]:
            share, lead = _numbers(term)
            side = "for" if term.difference > 0 else "against"
            parts.append(
                f'<tr><td class="number">{share}</td><td class="number {side}">{lead}</td>'
                f"<td>{escape(term.name)}</td></tr>"
            )
        parts.append("</table></details>")
    return "".join([*parts, "</div>"])
