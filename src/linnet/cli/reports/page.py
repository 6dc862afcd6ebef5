"""A report as one page: tables and figures, styles inside, text escaped, no script, no other file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from linnet._visible import visible
from linnet.cli.reports.figures import figures
from linnet.cli.reports.svg import svg
from linnet.evaluation.metrics import most_confused

STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1c1b1a; --hair: #d9d4ce; --soft: #57534e }
@media (prefers-color-scheme: dark) {
  :root { --paper: #191817; --ink: #f0edea; --hair: #403c38; --soft: #b9b3ac } }
body { font: 16px/1.5 system-ui, sans-serif; background: var(--paper); color: var(--ink);
  max-width: 70rem; margin: 0 auto; padding: 1rem clamp(.8rem, 3vw, 2rem) }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .5rem 0 }
caption { text-align: left; font-weight: 600 } .scroll { overflow-x: auto }
th, td { text-align: left; padding: .15rem .9rem .15rem 0; border-bottom: 1px solid var(--hair);
  vertical-align: top; overflow-wrap: break-word; max-width: 34rem }
td.n, th.n { text-align: right; white-space: nowrap }
h1, h2 { overflow-wrap: anywhere } .key td.n { text-align: left }
.feature { border: 1px solid var(--hair); border-radius: .25rem; padding: 0 .25em;
  white-space: pre-wrap }
svg { width: 100%; min-width: 28rem; max-width: 37rem; height: auto }
svg text { fill: currentColor; font: 12px system-ui, sans-serif }
.text { white-space: pre-wrap; overflow-wrap: anywhere } .soft { color: var(--soft) }
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"  # the page itself forbids all that it has not
DRAWN = (
    "precision_recall",
    "unsure_below",
    "epochs",
    "intervals",
    "confusion",
    "worst_errors",
    "metrics",
    "reliability",
    "largest_weights",
    "labels",
    "instead",
    "one_threshold",
    "thresholds_of_the_other_half",
)
MOST_LABELS, MOST_ROWS = 40, 200


def page(title: str, told: dict[str, Any]) -> str:
    """All of it: what is known is shown as it should be, and the rest as tables."""
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="content-security-policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_shown(title)}</title><style>{STYLE}</style></head><body><main><h1>{_shown(title)}</h1>",
        *_head(told),
    ]
    for figure in figures(told):
        parts.append(f"<h2>{_shown(figure.title)}</h2>{_region(figure.title)}{svg(figure)}</div>")
    parts += _confusion(told.get("confusion"))
    if "instead" in told:
        parts += _of_sets(told)
    parts += _errors(told.get("worst_errors") or [])
    rest = {k: v for k, v in told.items() if k not in DRAWN and isinstance(v, (list, dict)) and v}
    for name, value in rest.items():
        parts += _any(name, value)
    return "".join([*parts, "</main></body></html>\n"])


def _head(told: dict[str, Any]) -> Iterator[str]:
    plain = [(k, v) for k, v in told.items() if isinstance(v, (str, int, float)) and v != ""]
    if plain:
        done = _table("What was done", ("", ""), [(_words(k), v) for k, v in plain])
        yield f'<div class="key">{done}</div>'
    intervals = told.get("intervals") or {}
    values = told.get("metrics") or {}
    rows = []
    for name in dict.fromkeys([*values, *intervals]):
        one = intervals.get(name)
        between = f"{one['low']:.4f} to {one['high']:.4f}" if one else ""
        rows.append((_words(name), values.get(name, one["value"] if one else None), between))
    if rows:
        yield _table("Figures, with intervals", ("figure", "value", "interval"), rows)


def _confusion(told: Any) -> Iterator[str]:
    if (told or {}).get("counts"):
        yield "<h2>Confusions</h2>"
        yield from _matrix(told, "right \\ said", "Texts by right label and answer", "no answer")


def _of_sets(told: dict[str, Any]) -> Iterator[str]:
    """Of several labels: yes and no of each, what was said where one was missed, and thresholds."""
    rows = [
        [row["label"], *(row[name] for name in ("right", "missed", "too_many", "neither"))]
        for row in told["per_label"][:MOST_ROWS]
    ]
    most = [max((row[k] for row in rows), default=0) for k in (2, 3)]
    shades = [
        ["", "", *(_shade(n, top) for n, top in zip(row[2:4], most, strict=True)), ""] for row in rows
    ]
    header = ("label", "right", "missed", "too many", "neither")
    yield f"<h2>Labels, yes or no</h2>{_table('Texts by what became of a label', header, rows, shades)}"
    if told["instead"]["cells"] and told["instead"].get("counts"):
        yield "<h2>Missed, and what was said instead</h2>"
        caption = "Texts by the label that was missed and the one that was too many"
        found = most_confused(told["instead"], MOST_LABELS)
        if found["elsewhere"]:
            yield f'<p class="soft">The {MOST_LABELS} labels of which that is most often so.</p>'
        labels = {"gold": found["labels"], "guessed": found["labels"], "counts": found["counts"]}
        yield from _matrix(labels, "missed \\ instead", caption, "nothing")
    if told.get("one_threshold"):
        best = told["thresholds_of_the_other_half"]
        rows = [[f"{row['threshold']:g}", *(row[k] for k in best)] for row in told["one_threshold"]]
        rows.append(["the best of each label, by the other half of the texts", *best.values()])
        caption = "What would be right if labels were said from a probability on"
        yield f"<h2>Thresholds</h2>{_table(caption, ['from', *map(_words, best)], rows)}"


def _matrix(told: Any, corner: str, caption: str, none: str) -> Iterator[str]:
    gold, guessed = told["gold"][:MOST_LABELS], told["guessed"][:MOST_LABELS]
    if len(told["gold"]) > MOST_LABELS:
        yield f'<p class="soft">The first {MOST_LABELS} of {len(told["gold"])} labels.</p>'
    header = [corner, *(none if name is None else name for name in guessed)]
    rows = [
        [none if name is None else name, *row[: len(guessed)]]
        for name, row in zip(gold, told["counts"], strict=False)
    ]
    top = max(
        (n for i, row in enumerate(told["counts"]) for j, n in enumerate(row) if i != j), default=0
    )
    shades = [["", *_shades(i, row[1:], top)] for i, row in enumerate(rows)]
    yield _table(caption, header, rows, shades)


def _shades(i: int, row: Sequence[int], top: int) -> list[str]:
    """Of a row of the matrix: green where it is right, and the redder the more are wrong."""
    green, red = 0.3 / max(1, *row), 0.5 / max(1, top)
    colours = [
        f"0,140,70,{green * times:.2f}" if i == j else f"205,50,45,{0.1 + red * times:.2f}"
        for j, times in enumerate(row)
    ]
    return [
        f' style="background:rgba({colour})"' if times else ""
        for colour, times in zip(colours, row, strict=True)
    ]


def _shade(times: int, most: int) -> str:
    return f' style="background:rgba(205,50,45,{0.1 + 0.5 * times / most:.2f})"' if times else ""


def _errors(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    if not rows:
        return
    yield "<h2>Worst errors</h2>"
    for row in rows:
        why = ", ".join(
            f'<span class="feature">{_shown(one["feature"])}</span> {one["share"]:+.4f}'
            for one in row.get("because", ())
        )
        yield (
            f'<p class="text">{_shown(row.get("text", ""))}</p>'
            f"<p>right: <b>{_labels(row['gold'])}</b>, said: <b>{_labels(row['guess'])}</b>"
            f"{_reasons(row, why)}</p><hr>"
        )


def _labels(value: Any) -> str:
    """One, or several."""
    return _shown((", ".join(value) or "no label") if isinstance(value, list) else value)


def _reasons(row: dict[str, Any], why: str) -> str:
    """Of several labels they are about the one that is wrong by most."""
    if "label" not in row:
        return f" because of {why}" if why else ""
    wrong = f"; <b>{_shown(row['label'])}</b> is {'missed' if row['missed'] else 'too many'}"
    return f"{wrong} because of {why}" if why else wrong


def _any(name: str, value: Any) -> Iterator[str]:
    """Whatever it is, as a table."""
    title = _words(name).capitalize()
    if isinstance(value, dict):
        flat = {k: v for k, v in value.items() if not isinstance(v, (dict, list))}
        if flat:
            yield f"<h2>{_shown(title)}</h2>" + _table(title, ("", ""), list(flat.items())[:MOST_ROWS])
        for inner, part in value.items():
            if isinstance(part, (dict, list)) and part:
                yield from _any(f"{name}, {inner}", part)
        return
    if all(isinstance(row, dict) for row in value):
        names = list(
            dict.fromkeys(k for row in value for k, v in row.items() if not isinstance(v, list))
        )
        rows = [[_said(row.get(k)) for k in names] for row in value[:MOST_ROWS]]
        yield f"<h2>{_shown(title)}</h2>" + _table(title, [_words(k) for k in names], rows)
    elif all(not isinstance(row, (dict, list)) for row in value):
        items = "".join(f"<li>{_shown(_said(item))}</li>" for item in value[:MOST_ROWS])
        yield f"<h2>{_shown(title)}</h2><ul>{items}</ul>"


def _said(value: Any) -> Any:
    if isinstance(value, dict):
        return ", ".join(f"{k} {_said(v)}" for k, v in value.items())
    return value


def _table(
    caption: str,
    header: Sequence[Any],
    rows: Sequence[Sequence[Any]],
    styles: Sequence[Sequence[str]] | None = None,
) -> str:
    """``styles``: of each cell, if cells have some of their own."""
    head = "".join(f'<th scope="col">{_shown(name)}</th>' for name in header)
    own = styles or [[""] * len(row) for row in rows]
    body = "".join(
        "<tr>" + "".join(map(_cell, row, style)) + "</tr>" for row, style in zip(rows, own, strict=True)
    )
    return (
        f"{_region(caption)}<table>"
        f"<caption>{_shown(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )


def _region(name: str) -> str:
    """What may be broader than the page."""
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{_shown(name)}">'


def _cell(value: Any, style: str = "") -> str:
    if isinstance(value, bool) or value is None:
        return f"<td{style}>{'' if value is None else 'yes' if value else 'no'}</td>"
    if isinstance(value, (int, float)):
        form = ",d" if isinstance(value, int) else ".4g" if abs(value) >= 1e4 else ".4f"
        return f'<td class="n"{style}>{value:{form}}</td>'
    return f"<td{style}>{_shown(value)}</td>"


def _words(name: Any) -> str:
    return str(name).replace("_", " ")


def _shown(text: Any) -> str:
    """Escaped, and nothing invisible."""
    return escape(visible(str(text)))
