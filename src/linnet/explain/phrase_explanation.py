"""Why a sentence has its phrases: every summand of the scores of its brackets, as data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from linnet.data.bracket_tree import BracketTree, Constituent
from linnet.explain.tree_explanation import ArcTerm

if TYPE_CHECKING:
    from rich.console import RenderableType

SHOWN = 5  # terms of a bracket, where it is printed


@dataclass(frozen=True)
class BracketExplanation:
    """Why some words are a phrase.

    ``label`` joins the labels over these words ("S+VP"). The runner-up is the best tree without this
    bracket: it scores ``margin`` less, has ``instead`` in place of the brackets ``lost``, and over the
    same words it has the label ``other`` (None: they are no phrase). ``terms`` sum to the scores of the
    two labels, exactly but for rounding; no bracket scores 0.
    """

    begin: int
    end: int
    label: str
    other: str | None
    terms: list[ArcTerm]
    margin: float | None  # None: every tree has this bracket
    instead: list[Constituent]
    lost: list[Constituent]
    probability: float | None  # where the loss has one

    @property
    def score(self) -> float:
        """Of the bracket."""
        return sum(term.contribution for term in self.terms)

    def strongest(self) -> list[ArcTerm]:
        """The terms that separate the two best come first."""
        return sorted(self.terms, key=lambda term: -abs(term.difference))


@dataclass(frozen=True)
class PhraseExplanation:
    """The tree of a sentence with the best score, and why it has its brackets."""

    tree: BracketTree
    score: float
    explained: list[BracketExplanation]  # all brackets, or those that were asked for

    def words_of(self, span: tuple[int, int]) -> str:
        """The words of a span."""
        return " ".join(self.tree.words[span[0] : span[1]])

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, ready for JSON."""
        tree = {
            "words": list(self.tree.words),
            "tags": list(self.tree.tags),
            "constituents": [list(each) for each in self.tree.constituents],
        }
        return {
            "tree": tree,
            "score": self.score,
            "explained": [asdict(each) for each in self.explained],
        }

    def lines(self) -> list[str]:
        """As it is printed."""
        found = [str(self.tree), f"score {self.score:.2f}"]
        for each in self.explained:
            sure = "" if each.probability is None else f", P {each.probability:.3f}"
            found += ["", f"{each.label}: {self.words_of((each.begin, each.end))}"]
            found.append(f"  score {each.score:+.2f}{sure}{self._second(each)}")
            for term in each.strongest()[:SHOWN]:
                against = f"  (runner-up {term.other:+.3f})" if term.other else ""
                found.append(f"  {term.contribution:+.3f}  {term.name}{against}")
        return found

    def _second(self, each: BracketExplanation) -> str:
        if each.margin is None:
            return "; every tree has it"
        named = ", ".join(
            f"{one.label} [{self.words_of((one.begin, one.end))}]" for one in each.instead
        )
        return (
            f"; the best tree without it scores {each.margin:.2f} less: {named or 'no phrase instead'}"
        )

    def to_html(self) -> str:
        """A piece of HTML that needs nothing else: no script, no file, no network."""
        return f"<pre>{escape(str(self))}</pre>"

    def _repr_html_(self) -> str:
        return self.to_html()

    def __rich__(self) -> RenderableType:
        from rich.text import Text

        return Text(str(self))

    def __str__(self) -> str:
        return "\n".join(self.lines())
