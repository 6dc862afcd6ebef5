"""Small labelled texts that come with the library, to try things on.

`birds-train` and `birds-test` are notes of bird-watchers, labelled with the bird that was seen;
`verse-train` and `verse-test` are lines about the sky, labelled `poem` or `weather`. All were
written for Linnet by the seeded grammar in `tools/make_samples.py`.
"""

from importlib.resources import files

__all__ = ["NAMES", "load"]

NAMES = ("birds-test", "birds-train", "verse-test", "verse-train")


def load(name: str) -> tuple[list[str], list[str]]:
    """Return the texts and the labels of a sample, in the order of its file.

    >>> texts, labels = load("birds-train")
    >>> len(texts) == len(labels)
    True
    """
    if name not in NAMES:
        raise ValueError(f"no sample is called {name!r}; there are {', '.join(NAMES)}")
    lines = files(__name__).joinpath(f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    labels, texts = zip(*(line.split("\t") for line in lines), strict=True)
    return list(texts), list(labels)
