"""What becomes of a text before it is cut: the user's preprocessor, cleaning, the user's tokenizer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import linnet._core as _core
from linnet._params import flag
from linnet.data.texts import as_texts
from linnet.features.text.aligned import AlignedText, Edit
from linnet.features.text.cleaning import (
    FORMS,
    cluster_edits,
    html_edits,
    normaliser,
    without_accents,
    without_html,
)
from linnet.features.text.hooks import HOOKS, Hook, HookError, resolved

CLEANING = ("strip_html", "normalize", "strip_accents")  # in this order
PREPARING: dict[str, Any] = dict.fromkeys(HOOKS) | {
    "strip_html": False,
    "normalize": None,
    "strip_accents": False,
}  # settings and what they are where nothing is to be done
Step = tuple[Callable[[str], str], Callable[[str], Iterable[Edit]]]


class Preparation:
    """All of it, in its order; false if there is nothing to do."""

    def __init__(self, settings: Any) -> None:
        form = settings.normalize
        if form is not None and form not in FORMS:
            raise ValueError(f"normalize must be 'NFC', 'NFKC' or None, not {form!r}")
        self._steps: list[Step] = []
        if flag("strip_html", settings.strip_html):
            self._steps.append((without_html, html_edits))
        if form is not None:
            change = normaliser(form)
            self._steps.append((change, lambda text: cluster_edits(text, change)))
        if flag("strip_accents", settings.strip_accents):
            self._steps.append((without_accents, lambda text: cluster_edits(text, without_accents)))
        self._preprocessor = resolved("preprocessor", settings.preprocessor)
        self._tokenizer = resolved("tokenizer", settings.tokenizer)

    def __bool__(self) -> bool:
        return bool(self._steps or self._preprocessor or self._tokenizer)

    def texts(self, source: Any) -> _core.Texts:
        """Texts as the analyzer gets them."""
        texts = as_texts(source)
        if not self:
            return texts
        return as_texts([self._text(texts[i], i) for i in range(len(texts))])

    def one(self, text: str) -> AlignedText:
        """A text, and where its characters come from."""
        found = AlignedText.of(as_texts([text])[0])
        if self._preprocessor is not None:
            found = AlignedText.of(self._preprocessed(found.text, 0))
        for change, edits in self._steps:
            edited = found.edited(edits(found.text))
            whole = change(found.text)
            found = edited if edited.text == whole else AlignedText.of(whole)
        if self._tokenizer is not None:
            found = found.tokens(self._tokens(found.text, 0))
        return found

    def _text(self, text: str, number: int) -> str:
        if self._preprocessor is not None:
            text = self._preprocessed(text, number)
        for change, _ in self._steps:
            text = change(text)
        return text if self._tokenizer is None else " ".join(self._tokens(text, number))

    def _preprocessed(self, text: str, number: int) -> str:
        assert self._preprocessor is not None
        found = _called("preprocessor", self._preprocessor, text, number)
        if not isinstance(found, str):
            raise HookError(
                f"the preprocessor gave {found!r:.40} for text {number + 1}; it must give a str"
            )
        return found

    def _tokens(self, text: str, number: int) -> list[str]:
        """Without those that are white space alone."""
        assert self._tokenizer is not None
        found = _called("tokenizer", self._tokenizer, text, number)
        if isinstance(found, (str, bytes)) or not isinstance(found, Iterable):
            raise HookError(
                f"the tokenizer gave {found!r:.40} for text {number + 1}; it must give a list of str"
            )
        tokens = list(found)
        for token in tokens:
            if not isinstance(token, str):
                raise HookError(
                    f"the tokenizer gave the token {token!r:.40} in text {number + 1}, which is no str"
                )
            if len(token.split()) > 1:
                raise HookError(
                    f"the tokenizer gave the token {token!r:.40} in text {number + 1}: a token may "
                    "hold no white space; join its parts by another character, such as _"
                )
        return [token.strip() for token in tokens if token.strip()]


def _called(which: str, hook: Hook, text: str, number: int) -> Any:
    try:
        return hook(text)
    except HookError:
        raise
    except Exception as error:  # whatever the user's code does
        told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise HookError(f"the {which} failed on text {number + 1} ({told})") from error
