"""Views of texts for co-training, each of which says the same in its way (Blum and Mitchell 1998)."""

from __future__ import annotations

from typing import Any

from linnet._params import settings_in
from linnet.errors import RefusedError, setting
from linnet.features import TextFeatures
from linnet.features.text.hooks import HOOKS, to_file

KINDS: dict[str, Any] = {  # of n-grams, and what each is where there are none
    "word": None,
    "chars": None,
    "chars_wb": None,
    "skip": 0,
    "shape": False,
    "lead": 0,
}
LENGTHS = ("word", "chars", "chars_wb")
VALUED = (
    *("chars_first", "lowercase", "punctuation", "tokens", "min_length", "min_df", "max_df"),
    *("max_features", "tf", "scale", "norm", "elementwise", "hash_bits"),
)
BESIDE = ("numeric", "categorical", "statistics")
COLUMNS = "are of texts alone: leave out numeric, categorical and statistics"


def check_views(settings: Any) -> None:
    """There are two, both can be made, and somebody looks at them."""
    views = settings.unlabeled_views
    if views is None:
        return
    if settings.unlabeled_method != "co":
        raise ValueError(
            f"{setting('unlabeled_views')} has no effect: only co-training has two views; use "
            f"{setting('unlabeled_method', 'co')}"
        )
    if not isinstance(views, (list, tuple)) or len(views) != 2:
        given = f"{len(views)}" if isinstance(views, (list, tuple)) else f"{views!r:.60}"
        raise ValueError(f"{setting('unlabeled_views')} must be two views, not {given}")
    usual = TextFeatures()
    made = [features_of(view, usual) for view in views]
    for features in made:
        if any(len(getattr(features, name)) for name in BESIDE):
            raise RefusedError(f"{setting('unlabeled_views')} {COLUMNS}")
        if features.scale == "nb":
            raise RefusedError(
                f"{setting('unlabeled_views')}: texts without labels have none to weigh features by; "
                f"use scale='idf' or 'none'"
            )
    if made[0].get_params(deep=False) == made[1].get_params(deep=False):
        raise ValueError(
            f"{setting('unlabeled_views')} are the same twice ({name_of(views[0])}): two models that "
            f"see the same have nothing to teach each other"
        )


def features_of(view: Any, usual: TextFeatures) -> TextFeatures:
    """A view as features that have learnt nothing.

    `TextFeatures` are as they stand. ``"word=1-2 lead=5"`` has the n-grams that it names and no
    others; what it does not say of them, such as how they are weighed, is as in ``usual``.

    >>> features_of("chars=2-4 lowercase=false", TextFeatures(tf="count"))
    TextFeatures(chars=(2, 4), lowercase=False, tf='count', word=None)
    """
    if isinstance(view, TextFeatures):
        return TextFeatures(**view.get_params(deep=False))
    words = view.split() if isinstance(view, str) else []
    if not words:
        raise ValueError(
            f"a view must be TextFeatures, or n-grams as in 'word=1-2 lead=5', not {view!r:.60}"
        )
    divided = [word.partition("=") for word in words]
    names = [name.replace("-", "_") for name, _, _ in divided]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"the view {view!r:.60} says {twice} twice: which one is meant?")
    spelt = [name + sign + value for name, (_, sign, value) in zip(names, divided, strict=True)]
    said = settings_in(f"the view {view!r:.60}", spelt, [*KINDS, *VALUED])
    for name in LENGTHS:
        if name in said:
            said[name] = _lengths(view, name, said[name])
    seen = {name: said.get(name, none) for name, none in KINDS.items()}
    if not any(seen.values()):
        raise ValueError(f"the view {view!r:.60} names no n-grams; it may have {', '.join(KINDS)}")
    if said.get("chars_first") and not (seen["chars"] or seen["chars_wb"]):
        raise ValueError(f"the view {view!r:.60}: chars_first has no effect without chars or chars_wb")
    left = {"mix": None, "chars_first": 0}
    return TextFeatures(**usual.get_params(deep=False) | left | said | seen)


def name_of(view: Any) -> str:
    """As it was given; code has its own name."""
    if isinstance(view, str):
        return " ".join(view.split())
    given = view.get_params(deep=False)
    return repr(TextFeatures(**given | {hook: to_file(given[hook]) for hook in HOOKS}))


def _lengths(view: str, name: str, value: Any) -> tuple[int, int]:
    """``1-2`` or ``3``."""
    first, _, last = str(value).partition("-")
    if (
        not first.isdecimal()
        or not (last or first).isdecimal()
        or not 1 <= int(first) <= int(last or first)
    ):
        raise ValueError(
            f"the view {view!r:.60}: {name}={value} is no range of lengths; write 1 or 1-2"
        )
    return int(first), int(last or first)
