"""Transformation-based learning: a tag for each word, and a list of rules that mend it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from linnet._params import whole
from linnet.data import Sequences
from linnet.data.sequences import MISSING, token_strings
from linnet.errors import DataError, RefusedError, setting, warn_of_training
from linnet.estimators.tagging.choice import TaggingChoice
from linnet.estimators.tagging.fitted import FittedTagger, codes_of, read_sentences
from linnet.explain.rules import FiredRule, RuleExplanation, RuleToken
from linnet.features.rule_templates import SETS, parse_rules
from linnet.features.templates import Known
from linnet.model.rule_list import Coded, RuleList, WordTags, columns_of, learn_rules
from linnet.structures import ANYTHING
from linnet.training import TrainingRecord

Array = NDArray[np.float64]


@dataclass(frozen=True)
class RuleFeatures:
    """What rules look at."""

    columns: list[str]
    n_features: int


class BrillTagger(FittedTagger):
    """A tagger by rules: each word begins with its most frequent tag, and rules mend it in order.

    A rule changes one tag into another where its conditions hold, everywhere at once. Training takes
    again and again the rule with the highest score, fixed − broken tags of the training data; of equals
    the first by template, tag, new tag and values, in the order of their ``repr``, as NLTK's trainer
    with ``deterministic=True`` does. [Brill 1995; Ngai and Florian 2001]

    Parameters
    ----------
    templates : 'fntbl37', 'brill24', a list of templates, or the path of a file of them
        such as ``"tag[-1] word[0]"``, or ``"word[1..3]"``: at one of these places; see docs/rules.md
    initial : 'words', or a fitted `Tagger` whose tags are mended
    suffix : the longest ending that tells the tag of an unknown word; 0: it has the most frequent tag
    max_rules, min_score, min_accuracy : when to stop; at least so many fixed − broken, and that share
        fixed of the tags that a rule fixes or breaks

    Attributes
    ----------
    classes_, model_ (a `RuleList`), rules_text_ (as they are read), record_

    Examples
    --------
    >>> from linnet import BrillTagger
    >>> X = [["the", "can"], ["birds", "can", "sing"], ["they", "can", "sing"]]
    >>> y = [["D", "N"], ["N", "V", "V"], ["P", "V", "V"]]
    >>> tagger = BrillTagger(min_score=1).fit(X, y)
    >>> tagger.rules_text_
    ['V -> N if word[0]=can & word[-1]=the']
    """

    def __init__(
        self,
        templates: Any = "fntbl37",
        initial: Any = "words",
        *,
        suffix: int = 3,
        max_rules: int = 200,
        min_score: int = 2,
        min_accuracy: float = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self.templates = templates
        self.initial = initial
        self.suffix = suffix
        self.max_rules = max_rules
        self.min_score = min_score
        self.min_accuracy = min_accuracy
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from sentences X and their tags, as `Tagger` reads them; a tag of None is no error."""
        self._check_settings()
        data = read_sentences(X, y)
        word = Known(list(data.columns)).column("word")
        if word is None:
            raise DataError("rules look at words, and the tokens have attributes only; use Tagger")
        if data.labels is None or not (data.labels.codes != MISSING).any():
            raise DataError("y is needed: no token has a tag")
        given = data.labels.names
        names = {given[code] for code in np.unique(data.labels.codes).tolist() if code != MISSING}
        if self._mends():
            names |= set(self.initial.classes_.tolist())
        tags = sorted(names, key=repr)
        templates = parse_rules(self._lines(), Known(list(data.columns)))
        gold = codes_of(data.labels, tags)
        words = None
        if not self._mends():
            words = WordTags.learn(data.columns[word], gold, len(tags), self.suffix)
        initial = self._initial(data, tags, words, word, Coded(data))
        model, interrupted = learn_rules(
            data,
            templates,
            tags,
            initial,
            gold,
            most=self.max_rules,
            least_score=self.min_score,
            least_accuracy=float(self.min_accuracy),
        )
        if interrupted:
            warn_of_training(
                f"training was interrupted after {len(model)} rules; they are kept, and are the first "
                f"ones of the list"
            )
        record = TrainingRecord("errors", "brill", "none", "rules", 0.0, 0.0)
        record.stopped = (
            "interrupted" if interrupted else "limit" if len(model) == self.max_rules else "converged"
        )
        errors = int(((initial != gold) & (gold >= 0)).sum())
        fixed, broken = model.counts.sum(axis=0).tolist()
        after = errors - fixed + broken
        record.facts = {"rules": len(model), "errors before": errors, "errors after": after}
        record.data = {"sentences": len(data), "tokens": data.tokens, "tags": len(tags)}
        self._set(tags, model, words, word, record)
        return self

    def _set(
        self,
        tags: list[str],
        model: RuleList,
        words: WordTags | None,
        word: str,
        record: TrainingRecord,
    ) -> None:
        """What was learnt."""
        looked = [word, *(column.name for column in columns_of(model.templates))]
        self.classes_ = np.array(tags, dtype=np.str_)
        self.model_: Any = model
        self.words_, self.record_, self.taggers_ = words, record, {}
        self.features_ = RuleFeatures(list(dict.fromkeys(looked)), len(model))
        self.pair_features_, self.scheme_, self.rules_, self.loss_ = None, None, ANYTHING, "errors"
        self.choice_ = TaggingChoice(None, "errors", "brill", "none", False, 0.0, 0.0, None, [])

    def _check_settings(self) -> None:
        whole("suffix", self.suffix, 0)
        whole("max_rules", self.max_rules, 0)
        whole("min_score", self.min_score, 1)
        if not isinstance(self.min_accuracy, (int, float)) or not 0 <= self.min_accuracy <= 1:
            raise ValueError(f"min_accuracy must be a number from 0 to 1, not {self.min_accuracy!r}")
        if isinstance(self.templates, str) and self.templates not in SETS:
            raise ValueError(
                f"templates must be one of {', '.join(SETS)}, a list of them, or the Path of a file, "
                f"not {self.templates!r:.60}"
            )
        self._threads()
        if self._mends():
            if not isinstance(self.initial, FittedTagger) or not self.initial.__sklearn_is_fitted__():
                raise ValueError(
                    "initial must be 'words' or a fitted tagger, best of other sentences than those to "
                    "learn from, on which it errs too rarely"
                )
            if self.initial.words_lack():
                raise RefusedError(
                    f"{setting('initial')}: the tagger looks at more than words; give it a tagger"
                )

    def _mends(self) -> bool:
        """Are the tags those of another tagger?"""
        return not (isinstance(self.initial, str) and self.initial == "words")

    def _lines(self) -> list[str]:
        if isinstance(self.templates, str):
            return SETS[self.templates]
        if isinstance(self.templates, os.PathLike):
            return Path(self.templates).read_text(encoding="utf-8").splitlines()
        if not all(isinstance(line, str) for line in self.templates):
            raise ValueError("templates are strings such as 'tag[-1] word[0]'")
        return list(self.templates)

    # ------------------------------------------------------------------ prediction

    def _initial(
        self, data: Sequences, tags: list[str], words: WordTags | None, word: str, coded: Coded
    ) -> NDArray[np.int32]:
        """The tags to begin with."""
        if words is not None:
            return words.tag(*coded[word])
        plain = Sequences({"word": data.columns[word]}, data.offsets, layout=("word",))
        return codes_of(self.initial.tag(plain), tags)

    def _begun(self, data: Sequences, coded: Coded) -> NDArray[np.int32]:
        word = self._word(data)
        missing = [name for name in self.features_.columns if name not in data.columns]
        if word is None or (missing and missing != [self._word_name()]):
            raise DataError(f"X has no column {', '.join(missing)}, which the rules look at")
        return self._initial(data, self.classes_.tolist(), self.words_, word, coded)

    def _best(self, data: Sequences, known: Any) -> tuple[NDArray[np.int32], Array]:
        if known is not None:
            raise RefusedError("known: rules mend tags one by one, and cannot keep to some; use Tagger")
        data = self._renamed(data)
        coded = Coded(data)
        codes = self.model_.tag(data, self._begun(data, coded), self._threads(), coded)
        return codes, np.zeros(len(data))

    def _renamed(self, data: Sequences) -> Sequences:
        """The column of words is called as in training."""
        word, name = self._word(data), self._word_name()
        if word is None or name in data.columns:
            return data
        return Sequences({**data.columns, name: data.columns[word]}, data.offsets)

    def _kbest(self, data: Sequences, k: int, known: Any) -> NoReturn:
        raise RefusedError("k: rules give one tag to each token, and have no second best; use Tagger")

    def _chain(self, what_for: str = "go on from") -> NoReturn:
        raise RefusedError(f"a tagger by rules has no chain of weights to {what_for}; use Tagger")

    def no_probabilities(self) -> str | None:
        """Rules say nothing of how sure they are."""
        return "rules give tags without probabilities; use CRF"

    # ------------------------------------------------------------------ other forms

    @property
    def rules_text_(self) -> list[str]:
        """The rules in their order, to be read."""
        self._check_fitted()
        return list(self.model_.texts)

    def nonzero_weights(self) -> int:
        """How many rules there are."""
        return len(self.model_)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The rules, as features of the linear function that the list is; see `RuleList.weights`."""
        return np.asarray(self.rules_text_, dtype=object)

    def begins_with(self) -> str:
        """The tags that rules mend, in words."""
        if self.words_ is None:
            return f"the tags of {self._mended()}"
        if self.words_.longest == 0:
            return "the most frequent tag of each word, of unknown ones that of all"
        return f"the most frequent tag of each word, of unknown ones by endings (up to {self.suffix})"

    def _mended(self) -> str:
        return f"the first tagger, {type(self.initial).__name__}"

    def explain(self, X: Any) -> Any:
        """Which rules changed the tags of a sentence; X as `predict` takes it, or one sentence."""
        self._check_fitted()
        single = self._is_sentence(X)
        data = self._renamed(self._read([X] if single else X))
        tags, initial = self.classes_.tolist(), self._begun(data, Coded(data))
        fired: list[list[int]] = [[] for _ in range(data.tokens)]
        for token, rule in self.model_.fired(data, initial).tolist():
            fired[token].append(rule)
        final = self.model_.tag(data, initial)
        words = token_strings(data.columns[self._word_name()])
        told = [
            RuleToken(
                words[i],
                tags[initial[i]],
                tags[final[i]],
                [FiredRule(k + 1, self.model_.texts[k], 2 ** (k + 1)) for k in fired[i]],
                self._mended() if self.words_ is None else self.words_.reason(words[i]),
            )
            for i in range(data.tokens)
        ]
        found = [RuleExplanation(tokens) for tokens in data.by_sentence(told)]
        return found[0] if single else found

    def inspect(self, top: int = 10) -> list[tuple[str, int, int]]:
        """The first rules, with what each fixed and broke in training."""
        self._check_fitted()
        top = whole("top", top, 0)
        counts = self.model_.counts[:top].tolist()
        return [(self.model_.text(k), fixed, broken) for k, (fixed, broken) in enumerate(counts)]

    def file_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a model file holds."""
        from linnet.estimators.tagging.brill_file import brill_parts

        return brill_parts(self)
