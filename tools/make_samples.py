"""Write the bundled sample data from the grammars beside: `python tools/make_samples.py`.

A grammar maps a symbol to its phrasings; a phrasing may name further symbols in braces, and a
capitalised symbol starts a sentence. The same seed writes the same bytes on every machine: only
`Random.random()` is drawn from, the one method whose sequence Python promises to keep.

Every label has phrases of its own, phrases it shares with all, and now and then a phrase of
another label, so that the texts can be told apart, but not perfectly.
"""

import random
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

Grammar = Mapping[str, Sequence[str]]

FOLDER = Path(__file__).parents[1] / "src" / "linnet" / "data" / "samples"
GRAMMARS = Path(__file__).parent / "grammars"
SYMBOL = re.compile(r"\{(\w+)\}")
SHARED = "any"  # among a grammar's labels, the phrases common to all
SEED = 1758  # the year in which the linnet got its Latin name


def pick(rng: random.Random, items: Sequence[str]) -> str:
    """Draw one of the items, each with the same probability."""
    return items[int(rng.random() * len(items))]


def expand(grammar: Grammar, symbol: str, rng: random.Random) -> str:
    """Rewrite the symbol until no symbol is left."""

    def rewrite(match: re.Match[str]) -> str:
        name = match[1]
        text = expand(grammar, name.lower(), rng)
        return text[0].upper() + text[1:] if name[0].isupper() else text

    return SYMBOL.sub(rewrite, pick(rng, grammar[symbol]))


def draw(
    frame: Grammar, labels: Mapping[str, Grammar], shared: float, astray: float, seed: int
) -> Iterator[tuple[str, str]]:
    """Draw (label, text) for ever.

    Each kind of phrase comes from the common ones with probability `shared`, from a label drawn
    blindly with probability `astray`, and else from the text's own label.
    """
    rng = random.Random(seed)
    names = [name for name in labels if name != SHARED]
    symbols: dict[str, Sequence[str]] = dict(frame)
    for name in names:
        symbols.update(labels[name])
    while True:
        label = pick(rng, names)
        grammar = dict(symbols)
        for kind in labels[SHARED]:
            chance = rng.random()
            source = SHARED if chance < shared else label
            if shared <= chance < shared + astray:
                source = pick(rng, names)
            grammar[kind] = labels[source][kind]
        yield label, expand(grammar, "note", rng)


def lines(name: str, size: int, shared: float, astray: float, seed: int) -> list[str]:
    """Draw lines `label<TAB>text` from a grammar until `size` different texts are there."""
    grammar = tomllib.loads((GRAMMARS / f"{name}.toml").read_text(encoding="utf-8"))
    labels: dict[str, str] = {}  # of each text
    for label, text in draw(grammar["frame"], grammar["labels"], shared, astray, seed):
        labels.setdefault(text, label)
        if len(labels) == size:
            break
    return [f"{label}\t{text}\n" for text, label in labels.items()]


def render() -> dict[str, str]:
    """Return the contents of every sample file by its name."""
    birds = lines("birds", 1600, shared=0.25, astray=0.08, seed=SEED)
    verse = lines("verse", 800, shared=0.2, astray=0.06, seed=SEED + 1)
    return {
        "birds-train.tsv": "".join(birds[:1200]),
        "birds-test.tsv": "".join(birds[1200:]),
        "verse-train.tsv": "".join(verse[:600]),
        "verse-test.tsv": "".join(verse[600:]),
    }


if __name__ == "__main__":
    for file, content in render().items():
        (FOLDER / file).write_text(content, encoding="utf-8", newline="\n")
