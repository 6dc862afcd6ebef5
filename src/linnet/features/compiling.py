"""From what a user calls templates to templates that are ready for the core."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

from linnet.data.text_file import is_file_name, text_lines
from linnet.features.compiled import CompiledTemplates
from linnet.features.crfpp import is_crfpp, parse_crfpp
from linnet.features.lexicons import Lexicon
from linnet.features.recipes import RECIPES
from linnet.features.templates import Known, applicable, parse


def is_template_file(given: Any) -> bool:
    """A path, or a string that names a file; a bare word is a recipe or a column all the same."""
    if not isinstance(given, str):
        return isinstance(given, os.PathLike)
    return bool(os.path.dirname(given) or os.path.splitext(given)[1]) and is_file_name(given)


def template_lines(given: Any) -> list[str]:
    """The lines of a recipe, of a text, of a file, or of a list of them."""
    if is_template_file(given):
        return text_lines(given)
    if isinstance(given, str):
        return RECIPES[given] if given in RECIPES else given.splitlines()
    if isinstance(given, Iterable) and all(isinstance(line, str) for line in given):
        return list(given)
    raise ValueError(
        f"templates must be {', '.join(map(repr, RECIPES))}, templates as lines or a list of str, "
        f"or the path of a file, not {given!r}"
    )


def compile_templates(
    lines: list[str],
    columns: list[str],
    pair: bool,
    classes: Mapping[str, re.Pattern[str]],
    lexicons: Mapping[str, Lexicon],
) -> CompiledTemplates:
    """The templates of tokens, or of ``pair``s of neighbours; of a recipe, those that apply."""
    phrases = [name for name, lexicon in lexicons.items() if lexicon.phrases]
    known = Known(columns, tuple(classes), tuple(lexicons), phrases)
    if any(lines is recipe for recipe in RECIPES.values()):
        lines = applicable(lines, known)
    found = (parse_crfpp if is_crfpp(lines) else parse)(lines if columns else [], known)
    found = [template for template in found if template.pair == pair]
    return CompiledTemplates(lines, columns, found, classes, lexicons)


def compiled_class(name: str, pattern: str) -> re.Pattern[str]:
    """A class of tokens, by a regular expression."""
    try:
        return re.compile(pattern)
    except (re.error, TypeError) as error:
        raise ValueError(f"the class {name!r} is no regular expression: {error}") from None
