"""Write the bundled sample data from the grammars beside: `python tools/make_samples.py`.

A grammar maps a symbol to its phrasings; a phrasing may name further symbols in braces, and a
capitalised symbol starts a sentence. In tagged sentences each word is written with its tags, in trees
with its relation to the head of its phrase. The same
seed writes the same bytes on every machine: only `Random.random()` is drawn from, the one method
whose sequence Python promises to keep.

Every label has phrases of its own, phrases it shares with all, and now and then a phrase of
another label, so that the texts can be told apart, but not perfectly.
"""

import random
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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


def columns(text: str) -> str:
    """Lines of word, part of speech and tag, from words written word/POS and names as [TYPE words]."""
    rows = []
    prefix = "O"
    for piece in re.sub(r"\]", " ]", text).split():
        if piece.startswith("[") and "/" not in piece:
            prefix = f"B-{piece[1:]}"
        elif piece == "]":
            prefix = "O"
        else:
            word, pos = piece.rsplit("/", 1)
            rows.append([word, pos, prefix])
            prefix = prefix.replace("B-", "I-")
    at = 1 if rows[0][0] == "``" else 0
    rows[at][0] = rows[at][0][0].upper() + rows[at][0][1:]
    return "".join(f"{' '.join(row)}\n" for row in rows)


def sentences(name: str, size: int, seed: int) -> list[str]:
    """Draw sentences in columns from a grammar until `size` different ones are there."""
    grammar = tomllib.loads((GRAMMARS / f"{name}.toml").read_text(encoding="utf-8"))["frame"]
    rng = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < size:
        found[columns(expand(grammar, "note", rng))] = None
    return [f"{sentence}\n" for sentence in found]


@dataclass
class Word:
    """A word of a tree; its head is counted from 1."""

    form: str
    lemma: str
    tag: str
    joined: bool  # written together with the next word
    relation: str = "root"
    head: int = 0


WORD = re.compile(
    r"(?P<form>[^=/]+?)(?P<joined>\+?)(=(?P<lemma>[^/]+))?/(?P<tag>[A-Z]+)(\*|:(?P<to>\S+))"
)


def tree(text: str) -> list[Word]:
    """The words of one sentence in the notation of `grammars/rambles.toml`."""
    words: list[Word] = []
    pieces = re.sub(r"\)", " )", text).split()

    def phrase(relation: str) -> int:
        """Read up to the closing bracket; the number of the phrase's head."""
        head, parts = 0, []  # numbers of words that depend on the head, and how
        while pieces and (piece := pieces.pop(0)) != ")":
            if piece.startswith("("):
                parts.append((phrase(piece[1:]), piece[1:]))
                continue
            match = WORD.fullmatch(piece)
            assert match, piece
            form, tag = match["form"], match["tag"]
            lemma = match["lemma"] or (form if tag == "PROPN" else form.lower())
            words.append(Word(form, lemma, tag, bool(match["joined"])))
            if match["to"]:
                parts.append((len(words), match["to"]))
            else:
                assert head == 0, f"two heads in {text}"
                head = len(words)
        assert head, f"no head in ({relation} of {text}"
        siblings = {name: number for number, name in parts}
        for number, name in parts:
            own, _, other = name.partition("^")
            words[number - 1].relation = own
            words[number - 1].head = siblings[other] if other else head
        return head

    phrase("root")
    return words


def conllu(name: str, number: int, words: list[Word]) -> str:
    """A sentence of CoNLL-U; no blank before punctuation and clitics."""
    first = words[0]
    first.form = first.form[0].upper() + first.form[1:]
    tight = [after.tag == "PUNCT" or after.form == "'s" for after in words[1:]] + [False]
    rows, text = [], ""
    for i, (word, is_tight) in enumerate(zip(words, tight, strict=True), 1):
        note = "SpaceAfter=No" if is_tight else "_"
        if word.joined:
            both = word.form + words[i].form
            rows.append("\t".join([f"{i}-{i + 1}", both, *"________"]))
        rows.append(
            f"{i}\t{word.form}\t{word.lemma}\t{word.tag}\t_\t_\t{word.head}\t{word.relation}\t_\t{note}"
        )
        text += word.form + ("" if is_tight or word.joined else " ")
    head = [f"# sent_id = {name}-{number}", f"# text = {text.rstrip()}"]
    return "".join(f"{line}\n" for line in [*head, *rows, ""])


def trees(name: str, size: int, seed: int) -> list[list[Word]]:
    """Draw trees from a grammar until `size` different sentences are there."""
    grammar = tomllib.loads((GRAMMARS / f"{name}.toml").read_text(encoding="utf-8"))["frame"]
    rng = random.Random(seed)
    found: dict[str, list[Word]] = {}
    while len(found) < size:
        words = tree(expand(grammar, "note", rng))
        found.setdefault(" ".join(word.form for word in words), words)
    return list(found.values())


def render() -> dict[str, str]:
    """Return the contents of every sample file by its name."""
    birds = lines("birds", 1600, shared=0.25, astray=0.08, seed=SEED)
    verse = lines("verse", 800, shared=0.2, astray=0.06, seed=SEED + 1)
    sightings = sentences("sightings", 400, seed=SEED + 2)
    rambles = trees("rambles", 400, seed=SEED + 3)
    kinds = {"train": rambles[:300], "test": rambles[300:]}
    treebank = {
        f"rambles-{kind}.conllu": "".join(
            conllu(f"rambles-{kind}", i, words) for i, words in enumerate(part, 1)
        )
        for kind, part in kinds.items()
    }
    return treebank | {
        "birds-train.tsv": "".join(birds[:1200]),
        "birds-test.tsv": "".join(birds[1200:]),
        "verse-train.tsv": "".join(verse[:600]),
        "verse-test.tsv": "".join(verse[600:]),
        "sightings-train.conll": "".join(sightings[:300]),
        "sightings-test.conll": "".join(sightings[300:]),
    }


if __name__ == "__main__":
    for file, content in render().items():
        (FOLDER / file).write_text(content, encoding="utf-8", newline="\n")
