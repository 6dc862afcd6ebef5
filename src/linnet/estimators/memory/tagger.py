"""A tagger that asks the nearest windows of tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from linnet._params import whole
from linnet.data import Sequences
from linnet.data.sequences import MISSING, token_strings
from linnet.errors import DataError, RefusedError
from linnet.estimators.memory.settings import MemorySettings
from linnet.estimators.tagging.choice import TaggingChoice
from linnet.estimators.tagging.fitted import FittedTagger, codes_of, read_sentences
from linnet.explain.neighbours import SentenceNeighbours, explain_instances
from linnet.features.templates import Known
from linnet.model.instances import Column, InstanceModel
from linnet.structures import ANYTHING

Array = NDArray[np.float64]
MOST_AWAY = 20  # tokens


@dataclass(frozen=True)
class Windows:
    """The columns of a token and of those around it."""

    columns: list[str]
    window: int

    @property
    def n_features(self) -> int:
        """One for each column and place."""
        return len(self.columns) * (2 * self.window + 1)

    @property
    def names(self) -> list[str]:
        """As templates write them."""
        places = range(-self.window, self.window + 1)
        return [f"{column}[{place}]" for column in self.columns for place in places]

    def of(self, data: Sequences) -> list[Column]:
        """A column for each feature; beyond a sentence is the empty string."""
        tokens, lengths = data.tokens, np.diff(data.offsets)
        begin, end = np.repeat(data.offsets[:-1], lengths), np.repeat(data.offsets[1:], lengths)
        made = []
        for name in self.columns:
            codes, names = data.columns[name].codes()
            for place in range(-self.window, self.window + 1):
                at = np.arange(tokens) + place
                inside = (at >= begin) & (at < end)
                seen = np.full(tokens, len(names), np.int32)
                seen[inside] = codes[at[inside]]
                made.append(Column(seen, [*names, ""]))
        return made


class MemoryTagger(MemorySettings, FittedTagger):
    """A tagger that keeps all tokens with those around them, and asks the nearest ones.

    Each token is an instance of `MemoryClassifier`: the values of all columns at its place and at
    ``window`` places before and after. Tags are chosen one by one.

    Parameters
    ----------
    window : how many tokens are seen on each side
    columns : the columns that are looked at; None: all
    k, metric, weights, decay, decay_a, decay_b, rare, algorithm : as of `MemoryClassifier`

    Attributes
    ----------
    classes_, model_ (an `InstanceModel`), features_, record_

    Examples
    --------
    >>> from linnet import MemoryTagger
    >>> X = [["the", "can"], ["birds", "can", "sing"]]
    >>> tagger = MemoryTagger(window=1, k=1).fit(X, [["D", "N"], ["N", "V", "V"]])
    >>> tagger.predict([["the", "can", "can"]])
    [['D', 'N', 'V']]
    """

    def __init__(
        self,
        window: int = 2,
        columns: list[str] | None = None,
        k: int = 5,
        metric: str = "mvdm",
        weights: Any = "gain ratio",
        decay: str = "equal",
        *,
        decay_a: float = 1.0,
        decay_b: float = 1.0,
        rare: int = 1,
        algorithm: str = "ib1",
        n_jobs: int | None = None,
    ) -> None:
        self.window = window
        self.columns = columns
        self.k = k
        self.metric = metric
        self.weights = weights
        self.decay = decay
        self.decay_a = decay_a
        self.decay_b = decay_b
        self.rare = rare
        self.algorithm = algorithm
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Keep the tokens of sentences X that have tags; both are as `Tagger` reads them."""
        self._check_settings()
        data = read_sentences(X, y)
        if data.labels is None or not (data.labels.codes != MISSING).any():
            raise DataError("y is needed: no token has a tag")
        word = Known(list(data.columns)).column("word")
        if word is None:
            raise DataError("windows are of words, and the tokens have attributes only; use Tagger")
        missing = [name for name in self.columns or () if name not in data.columns]
        if missing:
            raise DataError(f"columns: X has no {', '.join(missing)}; it has {', '.join(data.columns)}")
        features = Windows(list(self.columns or data.columns), int(self.window))
        given = data.labels.names
        used = np.unique(data.labels.codes)
        tags = sorted(given[code] for code in used.tolist() if code != MISSING)
        gold = codes_of(data.labels, tags)
        kept = gold >= 0
        columns = [Column(c.codes[kept], c.names) for c in features.of(data)]
        model = self.remember(features.names, columns, gold[kept], len(tags))
        record = self.record(model)
        record.data = {"sentences": len(data), "tokens": data.tokens, "tags": len(tags)}
        self._set(tags, model, features, word, record)
        return self

    def _set(
        self, tags: list[str], model: InstanceModel, features: Windows, word: str, record: Any
    ) -> None:
        """What was learnt."""
        self.classes_ = np.array(tags, dtype=np.str_)
        self.model_: Any = model
        self.features_, self.word_, self.record_, self.taggers_ = features, word, record, {}
        self.pair_features_, self.scheme_, self.rules_, self.loss_ = None, None, ANYTHING, "none"
        self.choice_ = TaggingChoice(None, "none", self.algorithm, "none", False, 0.0, 0.0, None, [])

    def _check_settings(self) -> None:
        self.how_near()
        if whole("window", self.window, 0) > MOST_AWAY:
            raise ValueError(f"window must be at most {MOST_AWAY}, not {self.window}")
        columns = self.columns
        if columns is not None and (
            isinstance(columns, str) or not all(isinstance(c, str) for c in columns) or not columns
        ):
            raise ValueError("columns must be a list of names, or None for all")
        self._threads()

    # ------------------------------------------------------------------ prediction

    def _word_name(self) -> str:
        return self.word_

    def _queries(self, data: Sequences) -> tuple[NDArray[np.int32], list[Column]]:
        word = self._word(data)
        if word is not None and self.word_ not in data.columns:
            data = Sequences({**data.columns, self.word_: data.columns[word]}, data.offsets)
        missing = [name for name in self.features_.columns if name not in data.columns]
        if missing:
            raise DataError(f"X has no column {', '.join(missing)}, which the windows look at")
        columns = self.features_.of(data)
        return self.model_.queries(columns), columns

    def _best(self, data: Sequences, known: Any) -> tuple[NDArray[np.int32], Array]:
        if known is not None:
            raise RefusedError("known: tags are chosen one by one, and none sees another; use Tagger")
        return self.model_.best(self._queries(data)[0], self._threads()), np.zeros(len(data))

    def _kbest(self, data: Sequences, k: int, known: Any) -> NoReturn:
        raise RefusedError("k: neighbours give one tag to each token, no second best; use Tagger")

    def _chain(self, what_for: str = "go on from") -> NoReturn:
        raise RefusedError(f"a tagger by memory has no chain of weights to {what_for}; use Tagger")

    def no_probabilities(self) -> str | None:
        """Votes are of tokens, and not of sequences."""
        return "neighbours vote for tags, and give no probabilities of sequences; use CRF"

    # ------------------------------------------------------------------ other forms

    def nonzero_weights(self) -> int:
        """How many instances are kept."""
        return len(self.model_)

    def explain(self, X: Any) -> Any:
        """The nearest windows of each token, with distances and what agrees."""
        self._check_fitted()
        single = self._is_sentence(X)
        data = self._read([X] if single else X)
        queries, columns = self._queries(data)
        asked = [[c.names[c.codes[i]] for c in columns] for i in range(data.tokens)]
        word = self._word(data) or self.word_
        words = token_strings(data.columns[word])
        tags = self.classes_.tolist()
        told = list(explain_instances(self.model_, tags, queries, asked, words, most=5))
        found = [SentenceNeighbours(tokens) for tokens in data.by_sentence(told)]
        return found[0] if single else found

    def inspect(self, top: int = 10) -> list[tuple[str, float, int]]:
        """The features of largest weight: name, weight, number of values."""
        self._check_fitted()
        model, top = self.model_, whole("top", top, 0)
        best = np.argsort(-model.weights, kind="stable")[:top].tolist()
        return [(model.names[f], float(model.weights[f]), len(model.values[f])) for f in best]

    def file_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a model file holds."""
        from linnet.estimators.memory.file import memory_parts

        return memory_parts(self)
