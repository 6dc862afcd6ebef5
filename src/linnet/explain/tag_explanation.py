"""Why the tokens of a sentence got their tags: every summand of its score, as data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True)
class Term:
    """One summand of the score of a sentence, value · weight."""

    kind: str  # feature, transition, triple, window, pair, start, stop, normaliser or length
    name: str
    value: float  # of the feature; 1 for what is there or not
    weight: float  # for the predicted tag
    other: float  # for the runner-up in its place, all other tags as they are

    @property
    def contribution(self) -> float:
        """What it adds to the score of the sentence."""
        return self.value * self.weight

    @property
    def difference(self) -> float:
        """How much more it gives the predicted tag than the runner-up."""
        return self.value * (self.weight - self.other)


@dataclass(frozen=True)
class TokenExplanation:
    """One token: its tag, the tag that came second, and what speaks for the one or the other.

    ``terms`` are its features, the transition from the tag before, and with local normalisation
    minus the logarithm that the probabilities of its tags are normalised by. ``onward`` are the
    terms of tokens after it that see its tag, too; they count there. Without a runner-up (there is
    no other tag, or none is allowed) differences are to nothing: ``other`` is 0.
    """

    token: str
    tag: str
    probability: float | None  # where the loss has one
    runner_up: str | None
    margin: float | None  # the sentence's score less that of the best one with the runner-up here
    terms: list[Term]
    onward: list[Term]

    @property
    def score(self) -> float:
        """The share of this token in the score of the sentence."""
        return sum(term.contribution for term in self.terms)

    def strongest(self) -> list[Term]:
        """Of all terms that decide on this tag the ones that separate it best come first."""
        return sorted([*self.terms, *self.onward], key=lambda term: -abs(term.difference))


@dataclass(frozen=True)
class TagExplanation:
    """score = Σ contributions over the terms of all tokens, exactly but for rounding."""

    tokens: list[TokenExplanation]
    score: float

    @property
    def tags(self) -> list[str]:
        """The predicted tags."""
        return [token.tag for token in self.tokens]

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, ready for JSON."""
        return asdict(self)

    def to_html(self) -> str:
        """A piece of HTML that needs nothing else: no script, no file, no network."""
        from linnet.explain.html import tags_page

        return tags_page(self)

    def _repr_html_(self) -> str:
        return self.to_html()

    def __rich__(self) -> RenderableType:
        from linnet.explain.terminal import rendered_tags

        return rendered_tags(self)

    def __str__(self) -> str:
        from linnet.explain.wording import plain_tags

        return plain_tags(self)
