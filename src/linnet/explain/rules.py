"""Which rules changed the tags of a sentence, as data, for terminals and for pages."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True)
class FiredRule:
    """A rule that changed a token; ``number`` counts from 1, and ``weight`` is 2^number."""

    number: int
    text: str
    weight: int


@dataclass(frozen=True)
class RuleToken:
    """A token: the tag it began with and by what, the rules that changed it, the tag it got."""

    token: str
    initial: str
    tag: str
    rules: list[FiredRule]
    begun: str  # by what: 'its word', 'the ending -ish', 'the most frequent tag', 'the first tagger, …'


@dataclass(frozen=True)
class RuleExplanation:
    """The tokens of a sentence; the last rule that fired on a token has the last word."""

    tokens: list[RuleToken]

    @property
    def tags(self) -> list[str]:
        """The predicted tags."""
        return [token.tag for token in self.tokens]

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, ready for JSON."""
        return asdict(self)

    def rows(self) -> list[tuple[str, str, str]]:
        """Token, tag, and how it came about."""
        return [(token.token, token.tag, _story(token)) for token in self.tokens]

    def to_html(self) -> str:
        """A piece of HTML that needs nothing else."""
        rows = (
            f"<tr><td>{escape(word)}</td><td><b>{escape(tag)}</b></td><td>{escape(story)}</td></tr>"
            for word, tag, story in self.rows()
        )
        return f'<div class="linnet-explanation"><table>{"".join(rows)}</table></div>'

    def _repr_html_(self) -> str:
        return self.to_html()

    def __rich__(self) -> RenderableType:
        from rich.table import Table

        from linnet.explain.shown import Text

        made = Table(box=None, pad_edge=False, show_header=False)
        made.add_column(no_wrap=True)
        made.add_column(style="bold", no_wrap=True)
        made.add_column(overflow="fold")
        for word, tag, story in self.rows():
            made.add_row(Text(word), Text(tag), Text(story))
        return made

    def __str__(self) -> str:
        return "\n".join(f"{word}  {tag}  {story}".rstrip() for word, tag, story in self.rows())


def _story(token: RuleToken) -> str:
    if not token.rules:
        return f"by {token.begun}"
    told = (f"rule {r.number}: {r.text}" for r in token.rules)
    return "; ".join([f"began as {token.initial} by {token.begun}", *told])
