"""Explanations as HTML: styles inside, text escaped, no script."""

from __future__ import annotations

from html import escape

from linnet.explain.explanation import Explanation
from linnet.explain.tag_explanation import TagExplanation, TokenExplanation
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

STYLE = """
.linnet-explanation { font: 15px/1.7 system-ui, sans-serif; max-width: 60em; }
.linnet-explanation h3 { margin: 1.5em 0 .2em; font-size: 1.2em; }
.linnet-explanation h4 { margin: 1em 0 .3em; font-size: 1em; }
.linnet-explanation p { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.linnet-explanation table { border-collapse: collapse; margin: .4em 0; }
.linnet-explanation td { padding: 0 .8em 0 0; white-space: pre-wrap; }
.linnet-explanation td.number { text-align: right; font-variant-numeric: tabular-nums; }
.linnet-explanation .for { color: #00803a; }
.linnet-explanation .against { color: #b02020; }
"""


def page(explanation: Explanation) -> str:
    """One element with the text shaded for each of the best labels, and their words or features."""
    parts = [f'<div class="linnet-explanation"><style>{STYLE}</style>']
    parts.append(f"<h3>{escape(heading(explanation))}</h3><p><small>{key(explanation)}</small></p>")
    for y in explanation.best(MOST_LABELS):
        parts.append(f"<h4>{escape(headline(explanation, y))}</h4>")
        parts.append(f"<p>{shaded(explanation, y)}</p>")
        parts.append(f"<details><summary>{explanation.by}s</summary>{table(explanation, y)}</details>")
    if explanation.unknown:
        parts.append(f"<p><small>{escape(unknown(explanation))}</small></p>")
    parts.append("</div>")
    return "".join(parts)


def key(explanation: Explanation) -> str:
    """The legend, in its colours."""
    for_, against, rest = map(escape, legend(explanation))
    return f"{_filled('green', 1.0)} {for_}, {_filled('red', -1.0)} {against}, {rest}"


def _filled(escaped: str, value: float, title: str = "") -> str:
    """Green for what is positive, at most 1, and red for what is negative."""
    colour = "0,150,70" if value > 0 else "200,50,50"
    return f'<span style="background:rgba({colour},{0.75 * abs(value):.2f})"{title}>{escaped}</span>'


def shaded(explanation: Explanation, y: int) -> str:
    """The text, green where it speaks for label y and red where against."""
    runs = explanation.runs(y)
    top = max((abs(value) for _, value in runs), default=0.0)
    parts = []
    for characters, value in runs:
        strength = value / top if top > 0 else 0.0
        if abs(strength) < 0.02:
            parts.append(escape(characters))
        else:
            parts.append(_filled(escape(characters), strength, f' title="{value:+.4g}"'))
    return "".join(parts)


def table(explanation: Explanation, y: int) -> str:
    """The strongest words or features of label y."""
    rows = "".join(
        f'<tr><td class="number {"for" if total > 0 else "against"}">{total:+.4f}</td>'
        f"<td>{escape(label_of_row(name, times))}</td></tr>"
        for name, total, times in explanation.strongest(y)[:MOST_ROWS]
    )
    return f"<table>{rows}</table>"


def tags_page(explanation: TagExplanation) -> str:
    """One element with the tokens above their tags, and the terms of each to unfold."""
    parts = [f'<div class="linnet-explanation"><style>{STYLE}</style>']
    words = "".join(f"<td>{escape(token.token)}</td>" for token in explanation.tokens)
    tags = "".join(f"<td>{escape(token.tag)}</td>" for token in explanation.tokens)
    parts.append(f"<table><tr>{words}</tr><tr>{tags}</tr></table>")
    parts.append(f"<p><small>{escape(score_of(explanation))}</small></p>")
    for token in explanation.tokens:
        title = f"<b>{escape(token.token)}</b> {escape(verdict(token))}"
        parts.append(f"<details><summary>{title}</summary>{terms(token)}</details>")
    parts.append("</div>")
    return "".join(parts)


def terms(token: TokenExplanation) -> str:
    """The strongest terms of a token."""
    rows = []
    for term in token.strongest()[:MOST_TERMS]:
        share, lead = term_numbers(term)
        side = "for" if term.difference > 0 else "against"
        rows.append(
            f'<tr><td class="number">{share}</td><td class="number {side}">{lead}</td>'
            f"<td>{escape(term.name)}</td></tr>"
        )
    return f"<table>{''.join(rows)}</table>"
