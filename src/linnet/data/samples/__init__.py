"""Small labelled texts, tagged sentences and trees that come with the library, to try things on.

`birds-train` and `birds-test` are notes of bird-watchers, labelled with the bird that was seen;
`verse-train` and `verse-test` are lines about the sky, labelled `poem` or `weather`. The tagged
sentences `sightings-train` and `sightings-test` are a bird club's log: words, their parts of speech,
and the names of birds, people and places as BIO tags. The dependency trees `rambles-train` and
`rambles-test` are a walking club's notebook, with relations as in Universal Dependencies; in one of
twelve sentences arcs cross. All were written for Linnet by the seeded
grammars in `tools/make_samples.py`.
"""

from importlib.resources import files

from linnet.data.trees import Trees

__all__ = ["NAMES", "TAGGED", "TREES", "load", "load_tagged", "load_trees"]

NAMES = ("birds-test", "birds-train", "verse-test", "verse-train")
TAGGED = ("sightings-test", "sightings-train")
TREES = ("rambles-test", "rambles-train")


def load(name: str) -> tuple[list[str], list[str]]:
    """Return the texts and the labels of a sample, in the order of its file.

    >>> texts, labels = load("birds-train")
    >>> len(texts) == len(labels)
    True
    """
    lines = _read(name, NAMES, ".tsv").splitlines()
    labels, texts = zip(*(line.split("\t") for line in lines), strict=True)
    return list(texts), list(labels)


def load_tagged(name: str) -> tuple[list[list[tuple[str, str]]], list[list[str]]]:
    """Return sentences, whose tokens are (word, part of speech), and their tags.

    >>> sentences, tags = load_tagged("sightings-train")
    >>> sentences[0][:2], tags[0][:2]
    ([('Martin', 'NNP'), ('Okoye', 'NNP')], ['B-PERSON', 'I-PERSON'])
    """
    blocks = _read(name, TAGGED, ".conll").removesuffix("\n\n").split("\n\n")
    rows = [[line.split(" ") for line in block.splitlines()] for block in blocks]
    sentences = [[(word, pos) for word, pos, _ in sentence] for sentence in rows]
    return sentences, [[tag for *_, tag in sentence] for sentence in rows]


def load_trees(name: str) -> Trees:
    """Return the trees of a sample: the columns form, lemma, upos and misc, heads and relations.

    >>> trees = load_trees("rambles-train")
    >>> trees.column("form")[0][:3], trees.head_lists()[0][:3]
    (['The', 'young', 'farmer'], [3, 3, 4])
    """
    blocks = _read(name, TREES, ".conllu").removesuffix("\n\n").split("\n\n")
    sentences = [
        [cells for line in block.splitlines() if (cells := line.split("\t"))[0].isdigit()]
        for block in blocks
    ]
    return Trees.from_lists(
        [
            [(form, lemma, upos, misc) for _, form, lemma, upos, *_, misc in sentence]
            for sentence in sentences
        ],
        [[int(head) for *_, head, _, _, _ in sentence] for sentence in sentences],
        [[relation for *_, relation, _, _ in sentence] for sentence in sentences],
        names=("form", "lemma", "upos", "misc"),
    )


def _read(name: str, known: tuple[str, ...], ending: str) -> str:
    if name not in known:
        raise ValueError(f"no sample is called {name!r}; there are {', '.join(known)}")
    return files(__name__).joinpath(f"{name}{ending}").read_text(encoding="utf-8")
