"""A tagger once it is fitted: tags, probabilities, samples, other forms of it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linnet._params import whole
from linnet.data import CsrRows, LabelColumn, Sequences
from linnet.data.chunks import TextSpan, is_chunked, text_spans
from linnet.data.sequences import MISSING
from linnet.errors import DataError, NoTagsError, RefusedError
from linnet.estimators.available import with_probabilities
from linnet.estimators.base import Estimator, Labels, count_nonzero
from linnet.estimators.linear.input import check_file
from linnet.estimators.running_text import are_texts, by_text, check_single
from linnet.estimators.tagging.choice import TaggingChoice
from linnet.estimators.tagging.first import Taggers, packed_taggers, with_tags
from linnet.estimators.tagging.rules import token_mask
from linnet.features import TokenFeatures
from linnet.features.templates import Known
from linnet.losses import LOSSES
from linnet.model import ChainModel, SegmentModel, TaggerModel, VotedChain
from linnet.structures import ChainRules
from linnet.training import TrainingRecord

Array = NDArray[np.float64]
UNKNOWN = -2  # the code of a tag that the model does not know


class FittedTagger(Estimator):
    """Sentences in, tags and what follows from them out."""

    task = "tag"
    reads_text = True
    in_progress = ("_stream",)

    classes_: Labels
    features_: Any
    pair_features_: Any  # of transitions that see the observation, or None
    model_: TaggerModel
    record_: TrainingRecord
    choice_: TaggingChoice
    loss_: str
    scheme_: str | None  # of spans, that predicted tags obey
    rules_: ChainRules  # of transitions, first and last tags
    taggers_: Taggers  # of columns that words alone lack, by their names

    loss: str
    normalisation: str
    dictionary: Any
    n_jobs: int | None

    # ------------------------------------------------------------------ prediction

    def predict(self, X: Any, k: int | None = None, known: Any = None) -> Any:
        """The tags of each sentence; with ``k`` a list of the k best, (tags, score), best first.

        X is a list of sentences, `Sequences` or the path of a file. ``known`` are tags that are
        certain: lists of tags, None where there is none. A string in place of a list of tokens is
        running text, cut into words by rules; `spans` tells where they stand.
        """
        data = self._read(X)
        if k is not None:
            if are_texts(X):
                check_single(data, "k")
            return self._kbest(data, k, known)
        codes = self._best(data, known)[0]
        return self._cut(X, data, self.classes_[codes].tolist())

    def tag(self, X: Any, known: Any = None, retag: bool = False) -> LabelColumn:
        """The predicted tags of all tokens, one code for each: nothing is made per sentence.

        ``retag``: columns that the tagger predicts first are so even where X has them.
        """
        data = self._read(X, retag=retag)
        return LabelColumn(self.classes_.tolist(), self._best(data, known)[0])

    def spans(self, X: Any) -> Any:
        """The spans that are found in running text, by their characters; a list for each text.

        X is a text, whose list it is then, a list of texts, or `Sequences` that were texts.

        >>> from linnet import Tagger
        >>> tagger = Tagger().fit([["A", "linnet", "sings"]], [["O", "B-BIRD", "O"]])
        >>> tagger.spans("A linnet sings.")
        [TextSpan(start=2, end=8, label='BIRD', text='linnet')]
        """
        self._check_fitted()
        tags = self.classes_.tolist()
        if not is_chunked(tags):
            raise RefusedError(
                f"tags such as {tags[0]} speak of no spans; predict gives one for each word"
            )
        data = self._read([X] if isinstance(X, str) else X)
        if data.texts is None:
            raise DataError(
                "X is to be a text, or a list of texts: the spans of others have no characters"
            )
        found: list[list[TextSpan]] = [[] for _ in range(len(data.texts))]
        for text, _, _, span in text_spans(data, self.tag(data)):
            found[text].append(span)
        return found[0] if isinstance(X, str) else found

    @with_probabilities
    def predict_proba(self, X: Any, known: Any = None) -> list[Array]:
        """P(tag of token | sentence): an array (tokens, ``classes_``) for each sentence."""
        data = self._read(X)
        marginals, _ = self._scored().marginals(*self._rows(data), **self._how(data, known))
        return self._cut(X, data, marginals)

    @with_probabilities
    def predict_marginals(self, X: Any, known: Any = None) -> list[list[dict[str, float]]]:
        """The same as dicts: for each token the probability of each tag."""
        tags = self.classes_.tolist()
        return [
            [dict(zip(tags, row, strict=True)) for row in rows.tolist()]
            for rows in self.predict_proba(X, known)
        ]

    @with_probabilities
    def sequence_log_proba(self, X: Any, y: Any = None) -> Array:
        """Log P(tags of the sentence | sentence), of the tags ``y`` or else of the best ones."""
        data = self._read_single(X, y)
        how = self._how(data, None)
        rows = self._rows(data)
        _, log_z = self._scored().marginals(*rows, **how)
        if data.labels is None:
            return np.asarray(self.model_.best(*rows, **how)[1] - log_z)
        codes = self._codes(data.labels)
        if (codes < 0).any():
            raise DataError("y has tags that are missing, or that the model does not know")
        return np.asarray(self._scored().scores_of(codes, *rows, **how) - log_z)

    @with_probabilities
    def sample(self, X: Any, n: int = 1, random_state: int = 0) -> list[list[list[str]]]:
        """For each sentence ``n`` sequences of tags, drawn by their probability."""
        n, data = whole("n", n), self._read_single(X)
        drawn = self._scored().sample(*self._rows(data), n, random_state, **self._how(data, None))
        return [self.classes_[codes].tolist() for codes in drawn]

    @with_probabilities
    def entropy(self, X: Any) -> Array:
        """How uncertain the tags of each sentence are: the entropy of its sequences, in nats."""
        data = self._read_single(X)
        return self._scored().entropy(*self._rows(data), **self._how(data, None))

    def trials(self, names: frozenset[str], X: Any, y: Any) -> Any:
        """Whole sentences are held out."""
        from linnet.estimators.tagging.trials import tag_trials

        return tag_trials(self, X, y)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Accuracy of tags, over tokens that have one."""
        data = self._read(X, y)
        if data.labels is None:
            raise DataError("y is needed: the sentences have no tags to compare with")
        gold, codes = self._codes(data.labels), self._best(data, None)[0]
        counted = (data.labels.codes != MISSING).astype(np.float64)
        if sample_weight is not None:
            counted *= np.repeat(np.asarray(sample_weight, np.float64), data.lengths)
        if not counted.sum() > 0:
            raise DataError("no token has a tag to compare with")
        return float(np.average(gold == codes, weights=counted))

    def _best(self, data: Sequences, known: Any) -> tuple[NDArray[np.int32], Array]:
        how, model, features = self._how(data, known), self.model_, self.features_
        if isinstance(features, TokenFeatures) and not isinstance(model, VotedChain):
            return model.best_of_tokens(features.compiled, data, features.table, **how)
        return model.best(*self._rows(data), **how)

    def _kbest(self, data: Sequences, k: int, known: Any) -> list[list[tuple[list[str], float]]]:
        rows = self._rows(data)
        found = self.model_.kbest(*rows, whole("k", k), **self._how(data, known))
        return [
            list(zip(self.classes_[codes].tolist(), scores.tolist(), strict=True))
            for scores, codes in found
        ]

    # ------------------------------------------------------------------ input

    def _rows(self, data: Sequences) -> tuple[CsrRows, NDArray[np.int64]]:
        return self.features_.rows(data, self._threads()), data.offsets

    def _how(self, data: Sequences, known: Any) -> dict[str, Any]:
        """What decoding is to keep to, beside the rows."""
        tokens = token_mask(data, self.dictionary, known, self.classes_.tolist(), self._word(data))
        rules = ChainRules(self.rules_.transitions, self.rules_.start, self.rules_.stop, tokens)
        pairs = None
        if self.pair_features_ is not None:
            pairs = self.pair_features_.rows(data, self._threads())
        return {"pairs": pairs, "rules": rules, "threads": self._threads()}

    def _word(self, data: Sequences) -> str | None:
        """The column of words."""
        return Known(list(data.columns)).column("word")

    def _read(self, X: Any, y: Any = None, retag: bool = False) -> Sequences:
        self._check_fitted()
        if not are_texts(X):
            return with_tags(read_sentences(X, y), self._first(), retag)
        if y is not None:
            raise DataError(
                "y has tags of words, which running text has to be cut into; give X as lists"
            )
        missing = self.words_lack()
        if missing:
            raise NoTagsError("X: ", missing, "tagger")
        if not self.features_.columns:
            raise DataError("X holds texts, but the tagger was trained on attributes of tokens")
        return with_tags(Sequences.from_texts(X, word=self._word_name()), self._first(), retag)

    def _read_single(self, X: Any, y: Any = None) -> Sequences:
        """The same for what has an answer for each sentence: a text is to be one."""
        data = self._read(X, y)
        if are_texts(X):
            check_single(data, "X")
        return data

    def _cut(self, X: Any, data: Sequences, values: Any) -> list[Any]:
        """Values of all tokens, those of each item of X by themselves."""
        return by_text(data, values) if are_texts(X) else data.by_sentence(values)

    def _first(self) -> Taggers:
        """Taggers of columns that words alone lack."""
        return getattr(self, "taggers_", {})

    def _word_name(self) -> str:
        """What the column of words was called in training."""
        features = self.features_
        names = (
            features.compiled.all_columns if isinstance(features, TokenFeatures) else features.columns
        )
        return Known(names).column("word") or "word"

    def words_lack(self) -> list[str]:
        """The columns that the tagger looks at, and neither finds in words alone nor predicts."""
        self._check_fitted()
        there = (self._word_name(), *self._first())
        return [name for name in self.features_.columns if name not in there]

    def _codes(self, column: LabelColumn) -> NDArray[np.int32]:
        """Codes of the model for the tags of a column; -1 missing, -2 unknown to the model."""
        return codes_of(column, self.classes_.tolist())

    # ------------------------------------------------------------------ other forms

    def file_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a model file holds."""
        from linnet.estimators.tagging.file import tagger_parts

        return tagger_parts(self)

    def nonzero_weights(self) -> int:
        """How many weights are not zero."""
        return count_nonzero(self.model_.tensors().values())

    def explain(self, X: Any) -> Any:
        """What features and transitions add to the tags of a sentence; see `linnet.explain`.

        X is one sentence, a list of tokens, or many as `predict` takes them, which give a list.
        """
        from linnet.explain import explain_segments, explain_tags

        self._check_fitted()
        single = self._is_sentence(X)
        data = self._read([X] if single else X)
        probabilities = self.no_probabilities() is None
        if isinstance(self.model_, SegmentModel):
            found = explain_segments(self.features_, self.model_, data, probabilities=probabilities)
        else:
            found = explain_tags(
                self.features_,
                self._chain("explain its scores by"),
                self.classes_.tolist(),
                data,
                pair_features=self.pair_features_,
                rules=self._how(data, None)["rules"],
                probabilities=probabilities,
            )
        return found[0] if single else found

    def _is_sentence(self, X: Any) -> bool:
        """Is it a list of tokens, not of sentences? Of attributes, lists are tokens."""
        if isinstance(X, (str, bytes, os.PathLike, Sequences)) or not isinstance(X, Sequence):
            return False
        first = X[0] if len(X) else ""
        if isinstance(first, (str, bytes, tuple, Mapping)):
            return True
        return not self.features_.columns and all(isinstance(item, str) for item in first)

    def inspect(self, top: int = 10) -> Any:
        """The largest and smallest weights by name: of features for each tag, and of transitions."""
        from linnet.explain import segment_weights, tag_weights

        self._check_fitted()
        top = whole("top", top, 0)
        if isinstance(self.model_, SegmentModel):
            return segment_weights(self.features_, self.model_, top)
        model = self._chain("show")
        return tag_weights(self.features_, model, self.classes_.tolist(), top, self.pair_features_)

    @property
    def state_features_(self) -> dict[tuple[str, str], float]:
        """The weights of features that are not zero, {(feature, tag): weight}, as of sklearn-crfsuite.

        A dict of all of them is made each time; `inspect` shows the largest.
        """
        from linnet.explain.tag_weights import state_features

        model = self._chain("show")
        return state_features(self.features_, model, self.classes_.tolist())

    @property
    def transition_features_(self) -> dict[tuple[str, str], float]:
        """The weights of transitions that are not zero, {(tag, tag after it): weight}."""
        from linnet.explain.tag_weights import transition_features

        model = self._chain("show")
        return transition_features(model, self.classes_.tolist())

    def quantize(
        self,
        bits: int = 8,
        keep: int | None = None,
        max_bytes: int | None = None,
        names: bool = False,
    ) -> Self:
        """A smaller tagger: the features that matter most, weights in 8 or 4 bits.

        ``keep`` and ``max_bytes`` bound the features that are kept and the size of the file.
        """
        from linnet.estimators.tagging.file import fixed_bytes
        from linnet.model.small_chain import quantise_chain

        model = self._chain("pack")
        if model.states.scales is not None:
            raise ValueError("this tagger is quantized already; quantize the original")
        room = None
        if max_bytes is not None:
            room = max_bytes - fixed_bytes(self)
            if room < 100:
                raise ValueError(
                    f"max_bytes={max_bytes} leaves no room for features: settings, tags, transitions "
                    f"and record take {fixed_bytes(self)}"
                )
        small = self._with_fitted()
        small.taggers_ = packed_taggers(self._first(), bits)
        small.features_, small.pair_features_, small.model_ = quantise_chain(
            self.features_, self.pair_features_, model, bits, keep, room, names
        )
        return small

    def _scored(self) -> ChainModel | SegmentModel:
        """A model that scores sequences."""
        if isinstance(self.model_, VotedChain):
            raise RefusedError("votes are for one sequence of tags, and say nothing of others")
        return self.model_

    def _chain(self, what_for: str = "go on from") -> ChainModel:
        """The weights of a chain."""
        self._check_fitted()
        if isinstance(self.model_, VotedChain):
            raise ValueError(f"a tagger that votes has no weights to {what_for}")
        if not isinstance(self.model_, ChainModel):
            raise RefusedError(
                f"a tagger by segments has no chain of tags to {what_for}; use segments=False"
            )
        return self.model_

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the features of tokens, in the order of their weights."""
        self._check_fitted()
        return np.asarray(self.features_.names, dtype=object)

    def no_probabilities(self) -> str | None:
        """Margins are none, and votes say nothing of other sequences."""
        loss = getattr(self, "loss_", self.loss)
        if not isinstance(loss, str) or loss not in LOSSES or LOSSES[loss].probability_scale:
            return None
        return (
            f"scores of loss {loss!r} are margins, not probabilities; use loss='logistic' (a CRF) or "
            f"'softmax_margin'"
        )


def read_sentences(X: Any, y: Any = None) -> Sequences:
    """Sentences from lists of tokens, from a file, or as they are."""
    if isinstance(X, Sequences):
        if y is None:
            return X
        raise DataError("X has tags of its own where it is Sequences; leave out y")
    if isinstance(X, (str, os.PathLike)):
        if y is not None:
            raise DataError("the tags are in the file X; leave out y")
        from linnet.formats.sequences import read_sequences

        check_file(X)
        return read_sequences(X)
    return Sequences.from_lists(X, y, allow_empty=True)


def codes_of(column: LabelColumn, tags: Sequence[str]) -> NDArray[np.int32]:
    """Codes in ``tags`` for those of a column."""
    code = {tag: k for k, tag in enumerate(tags)}
    table = np.array([*(code.get(name, UNKNOWN) for name in column.names), MISSING], np.int32)
    return table[column.codes]
