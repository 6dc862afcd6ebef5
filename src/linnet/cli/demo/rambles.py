"""The demonstration of parsers: trees of a walking club's notes."""

from __future__ import annotations

import time

from rich.console import Console
from rich.text import Text

import linnet
from linnet.data import samples
from linnet.evaluation import tree_scores
from linnet.explain import TreeDrawing

SENTENCE = "The young farmer saw a heron near the mill ."
COMMANDS = """\
linnet train rambles.conllu -o trees.linnet --task parse --tagger auto
echo 'The young farmer saw a heron near the mill.' | linnet parse trees.linnet --draw
linnet evaluate trees.linnet test.conllu --retag"""


def run(console: Console) -> None:
    """Train a parser with its tagger, and draw the tree of a sentence that it has not seen."""
    train, test = (samples.load_trees(f"rambles-{part}") for part in ("train", "test"))
    started = time.perf_counter()
    parser = linnet.DependencyParser(tagger="auto").fit(train)
    seconds = time.perf_counter() - started
    parsed = parser.parse_trees(test, retag=True)
    found = tree_scores(test, parsed.heads, parsed.relations)
    console.print(
        f"\n[bold]A parser[/] and its tagger, from {len(train)} sentences of a walking club, in "
        f"{seconds:.2f} s: {100 * found.uas:.1f}% of held-out words get the right head, "
        f"{100 * found.las:.1f}% the right relation, too"
    )
    drawing = TreeDrawing.of(parser.parse_trees([SENTENCE.split()]))
    console.print(Text(drawing.text(console.width)), no_wrap=True)
    console.print(f"\n[bold]The same from the command line[/]\n{COMMANDS}")
