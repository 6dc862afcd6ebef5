"""Why the words of a sentence got their heads: every summand of the scores of their arcs, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from linnet.explain.trees import TreeDrawing

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True)
class ArcTerm:
    """A feature, and what it adds to the score of the choice and to that of the runner-up."""

    name: str
    contribution: float
    other: float

    @property
    def difference(self) -> float:
        """How much more it gives the choice than the runner-up."""
        return self.contribution - self.other


@dataclass(frozen=True)
class Choice:
    """One of several heads, or relations: what was chosen, what came second, and why.

    ``terms`` sum to the two scores, exactly but for rounding. Without a runner-up (there is no other
    candidate) ``other`` of all terms is 0.
    """

    chosen: Any
    runner_up: Any
    terms: list[ArcTerm]

    @property
    def score(self) -> float:
        """Of what was chosen."""
        return sum(term.contribution for term in self.terms)

    @property
    def other_score(self) -> float:
        """Of the runner-up."""
        return sum(term.other for term in self.terms)

    def strongest(self) -> list[ArcTerm]:
        """The terms that separate the two best come first."""
        return sorted(self.terms, key=lambda term: -abs(term.difference))


@dataclass(frozen=True)
class WordExplanation:
    """Why a word has its head, and that its relation.

    Heads are numbers of words, from 1, and 0 is the root. The runner-up is the head that the word has
    in the best tree in which it has another one. ``margin`` is what that tree scores less. Its other
    words may have other heads, too: the difference of the scores of the two arcs need not be as large.
    """

    number: int
    word: str
    head: Choice
    relation: Choice | None
    margin: float | None
    probability: float | None  # of the arc, where the loss has one


@dataclass(frozen=True)
class TreeExplanation:
    """The tree of a sentence, and why its words have their heads."""

    words: list[str]
    heads: list[int]
    relations: list[str | None]
    score: float  # of the tree
    explained: list[WordExplanation]  # all words, or those that were asked for
    tags: list[str] | None = None

    def word_at(self, number: int) -> str:
        """The word of a head."""
        return "the root" if number == 0 else self.words[number - 1]

    def drawing(self) -> TreeDrawing:
        """The tree, as text or SVG."""
        return TreeDrawing(self.words, self.heads, self.relations, self.tags)

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, ready for JSON."""
        return asdict(self)

    def to_html(self) -> str:
        """A piece of HTML that needs nothing else: no script, no file, no network."""
        from linnet.explain.tree_pages import tree_page

        return tree_page(self)

    def _repr_html_(self) -> str:
        return self.to_html()

    def __rich__(self) -> RenderableType:
        from linnet.explain.tree_pages import rendered_tree

        return rendered_tree(self)

    def __str__(self) -> str:
        from linnet.explain.tree_pages import plain_tree

        return plain_tree(self)


def merged(chosen: Sequence[tuple[str, float]], other: Sequence[tuple[str, float]]) -> list[ArcTerm]:
    """Terms by name, in the order in which they are met; what adds nothing to either is left out."""
    first: dict[str, float] = {}
    second: dict[str, float] = {}
    for sums, pairs in ((first, chosen), (second, other)):
        for name, share in pairs:
            sums[name] = sums.get(name, 0.0) + share
    terms = [ArcTerm(n, first.get(n, 0.0), second.get(n, 0.0)) for n in first | second]
    return [term for term in terms if term.contribution != 0 or term.other != 0]
