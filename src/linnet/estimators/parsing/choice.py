"""What a parser does where its settings say 'auto': fixed rules, told in ``why_``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import linnet._core as _core
from linnet._params import is_whole, number, strings, whole
from linnet.data import Sequences
from linnet.data.sequences import is_blank
from linnet.data.trees import Trees
from linnet.errors import DataError, RefusedError, setting
from linnet.estimators.parsing.input import TAGS
from linnet.estimators.tagging.first import check_folds
from linnet.features.arc_recipes import ARC_RECIPES
from linnet.features.arc_templates import parse_arcs
from linnet.features.arcs import ArcFeatures
from linnet.features.templates import Known, applicable
from linnet.training.diagnostics import check_wanted

# Kinds of tags of a column, beside upos, that 'auto' has a tagger for; more are found together with
# features. docs/defaults.md tells why.
MOST_TAGS = 100
# Of sentences: with more of them non-projective, trees may be so, too; docs/defaults.md tells why.
CROSSING = 0.2
CROSSING_ALONE = 0.15  # where there are no siblings to give up
LEARNT_BESIDE = ("feats", "lemma", "tokens")  # by 'auto' taggers, unless it is left out
FEWEST_BITS = 14
MOST_BITS = {"arcs": 22, "relations": 16, "joint": 16}  # 18 for relations are no better, measured
PER_TOKEN = {"arcs": 20, "relations": 4, "joint": 4}  # numbers of features there are, for each token


@dataclass
class ParsingChoice:
    """The settings in use."""

    arcs: ArcFeatures
    relations: ArcFeatures
    projective: bool
    order: int
    columns: Sequence[str]
    why: list[str] = field(default_factory=list)
    most_bits: Mapping[str, int] = field(default_factory=lambda: MOST_BITS)

    def __str__(self) -> str:
        return "\n".join(self.why)


class ManyTrees(Protocol):
    """What is asked of trees that may not all be here."""

    def __len__(self) -> int: ...
    @property
    def tokens(self) -> int: ...
    def statistics(self) -> dict[str, Any]: ...


def choose_parsing(
    parser: Any, trees: ManyTrees, columns: Sequence[str], most_bits: Mapping[str, int] = MOST_BITS
) -> ParsingChoice:
    """Settings for these trees, whose columns are to be looked at."""
    why: list[str] = []
    arcs = features_of(parser.features, "arcs", trees.tokens, columns, why, most_bits)
    relations = features_of(parser.relations, "relations", trees.tokens, columns, why, most_bits)
    projective = _projective(parser, trees, why)
    order = parser.order
    if order == "auto":
        counted = parser.loss == "joint_likelihood" or parser.learner == "counting"
        order = 2 if projective and not counted else 1
        why.append(f"order: {order}")
    elif not projective and order == 2:
        raise RefusedError(
            "order=2: no exact algorithm is known for non-projective trees of second order; use "
            "order=1 or projective=True"
        )
    return ParsingChoice(arcs, relations, projective, order, columns, why, most_bits)


def check_settings(parser: Any) -> None:
    """Those that are not looked at elsewhere."""
    whole("max_words", parser.max_words)
    if parser.order != "auto" and not (is_whole(parser.order, 1) and parser.order <= 2):
        raise ValueError(f"order must be 'auto', 1 or 2, not {parser.order!r}")
    if parser.projective not in ("auto", True, False):
        raise ValueError(f"projective must be 'auto', True or False, not {parser.projective!r}")
    if parser.roots not in ("one", "many"):
        raise ValueError(f"roots must be 'one' or 'many', not {parser.roots!r}")
    check_wanted(parser.diagnostics)
    if parser.max_iter is not None:
        whole("max_iter", parser.max_iter)
    for name, also in (("candidates", (None, "auto")), ("tol", ("auto",))):
        value: Any = getattr(parser, name)
        if not 0 <= number(value) < math.inf and value not in also:
            raise ValueError(f"{name} must be a number of 0 or more, or 'auto', not {value!r}")
    if not is_whole(parser.random_state, 0) or parser.random_state >= 2**63:
        raise ValueError(f"random_state must be a whole number, not {parser.random_state!r}")
    check_folds(parser.jackknife)
    if parser.dictionary is not None and parser.tagger != "auto":
        raise RefusedError("dictionary: only taggers of tagger='auto' keep to it; a Tagger has its own")
    if left_out(parser.without) and parser.tagger != "auto":
        raise RefusedError("without: only tagger='auto' learns features, lemmas and tokens by itself")


def tag_columns(trees: Trees, asked: Any, tagger: Any) -> tuple[list[str], list[str]]:
    """The columns of tags that are to be predicted, and what there is to tell of that."""
    there = [name for name in TAGS if name in trees.columns and not is_blank(trees.columns[name])]
    if asked != "auto":
        names = strings("tags", [asked] if isinstance(asked, str) else asked)
        for name in names:
            if name not in there:
                raise DataError(
                    f"tags: the trees have no {name!r} to learn from; they have {', '.join(there)}"
                )
        return names, []
    if tagger != "auto" or there[1:] != ["xpos"]:
        return there, []
    kinds = len(trees.columns["xpos"].codes()[1])
    if kinds <= MOST_TAGS:
        return there, []
    told = f"xpos: {kinds} kinds, which are found with features and not looked at by the parser"
    return there[:1], [f"{told}; {setting('tags')} has a tagger for them"]


def left_out(without: Any) -> list[str]:
    """What is not to be learnt beside tags."""
    names = strings("without", [without] if isinstance(without, str) else list(without))
    for name in names:
        if name not in LEARNT_BESIDE:
            raise ValueError(f"without: {name!r} is none of {', '.join(LEARNT_BESIDE)}")
    return names


def analysable(data: Sequences, name: str) -> bool:
    """Does this column say something of some words?"""
    return name in data.columns and not is_blank(data.columns[name])


def _projective(parser: Any, trees: ManyTrees, why: list[str]) -> bool:
    if parser.projective != "auto":
        return bool(parser.projective)
    if parser.order == 2:
        return True
    share = trees.statistics()["nonprojective_sentences"] / max(1, len(trees))
    limit = CROSSING_ALONE if parser.order == 1 else CROSSING
    projective: bool = share <= limit
    crossing = f"arcs cross in {100 * share:.1f} % of the sentences"
    if not projective:
        why.append(f"trees: non-projective, since {crossing}, more than {100 * limit:.0f} %")
    elif share:
        why.append(f"trees: projective: {crossing}, and up to {100 * limit:.0f} % that does better")
    else:
        why.append("trees: projective, since no arcs cross")
    return projective


def features_of(
    asked: Any,
    recipe: str,
    tokens: int,
    columns: Sequence[str],
    why: list[str],
    most_bits: Mapping[str, int] = MOST_BITS,
) -> ArcFeatures:
    """Features as asked for, made ready; 'auto' is the recipe."""
    if isinstance(asked, ArcFeatures):
        return type(asked)(**asked.get_params(deep=False)).compile(columns)
    bits = bits_of(recipe, tokens, most_bits)
    templates = _of_recipe(recipe, columns) if asked == "auto" else asked
    why.append(f"features of {recipe}: 2^{bits} weights, of {', '.join(columns)}")
    return ArcFeatures(templates=templates, hash_bits=bits).compile(columns)


def bits_of(recipe: str, tokens: int, most_bits: Mapping[str, int]) -> int:
    """So many numbers as there are features of so many tokens, within bounds."""
    wanted = max(1, tokens) * PER_TOKEN[recipe]
    return min(max(math.ceil(math.log2(wanted)), FEWEST_BITS), most_bits[recipe])


def weights_of(tokens: int, relations: int, most_bits: Mapping[str, int]) -> dict[str, int]:
    """How many weights there are of arcs, and of relations, while heads are learnt."""
    of_relations = 2 ** bits_of("joint", tokens, most_bits) * _core.padded(relations)
    return {"arcs": 2 ** bits_of("arcs", tokens, most_bits), "joint": of_relations}


def bits_within(tokens: int, relations: int, room: float) -> dict[str, int]:
    """At most so many bits that there are no more than ``room`` weights, if that can be."""
    most_bits = dict(MOST_BITS)
    while True:
        weights = weights_of(tokens, relations, most_bits)
        fewer = [name for name in weights if bits_of(name, tokens, most_bits) > FEWEST_BITS]
        if sum(weights.values()) <= room or not fewer:
            return most_bits | {"relations": most_bits["joint"]}
        largest = max(fewer, key=lambda name: weights[name])
        most_bits[largest] = bits_of(largest, tokens, most_bits) - 1


def _of_recipe(recipe: str, columns: Sequence[str]) -> str | list[str]:
    """Without lemmas, words in lower case take their place."""
    if "lemma" in columns:
        return recipe
    known = Known(columns)
    return applicable(list(map(_lower, ARC_RECIPES[recipe])), known, parse_arcs)


def _lower(line: str) -> str:
    return line.replace(".lemma", ".lower")
