"""What all estimators share: the protocol of scikit-learn, threads, copies, files, reasons.

scikit-learn is imported where it is used and not before, and never inherited from: a model must be
able to predict without paying for that import.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from importlib import import_module
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from linnet._params import LARGEST, Params, cores, is_whole
from linnet.errors import DataError, RefusedError
from linnet.estimators.guard import PLACE, guarded
from linnet.training.record import TrainingRecord

GROWING = ("features_", "pair_features_", "vocabulary_")  # with a stream, in place

Labels = NDArray[Any]


class Estimator(Params):
    """Settings, and after ``fit`` a model; what it is made of is said by the families below.

    Whatever is learnt has a name that ends in an underscore. What is being learnt at the moment
    (``in_progress``) lives in the core: copies do without.
    """

    task: ClassVar[str]  # classify, tag or parse: what the command line does with its models
    kind: ClassVar[str | None] = None  # as scikit-learn has it: 'classifier', or None for structures
    reads_text: ClassVar[bool] = False  # X holds strings, not numbers
    takes_several: ClassVar[bool] = False  # y may be a matrix of 0 and 1, a column for each label
    in_progress: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Threads that read and threads that learn do not meet."""
        super().__init_subclass__(**keywords)
        guarded(cls)

    n_jobs: int | None
    record_: TrainingRecord
    choice_: Any  # settings in place of 'auto', with the reasons

    # ------------------------------------------------------------------ what families say

    def no_probabilities(self) -> str | None:
        """Why there is no ``predict_proba``; None if there is, or will be after training."""
        return None

    def nonzero_weights(self) -> int:
        """How many weights are not zero."""
        raise NotImplementedError

    def file_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a model file holds of what is fitted: a description, and tensors."""
        raise RefusedError(
            f"{type(self).__name__} cannot be saved: model files hold classifiers, taggers and "
            f"parsers; pickle it"
        )

    def trials(self, names: frozenset[str], X: Any, y: Any) -> Any:
        """What `linnet.tune` tries it on; ``names`` are the settings that will vary."""
        raise RefusedError(
            f"linnet.tune tries classifiers, taggers and parsers, not {type(self).__name__}; use "
            f"linnet.evaluation.tune, or scikit-learn's GridSearchCV"
        )

    # ------------------------------------------------------------------ what follows

    @property
    def why_(self) -> list[str]:
        """What 'auto' chose, and why: a line each."""
        return list(getattr(getattr(self, "choice_", None), "why", ()))

    def save(self, path: Any) -> None:
        """Write a model file; `linnet.load` reads it."""
        from linnet.persistence import write

        self._check_fitted()
        write(path, *self.file_parts())

    def file_size(self) -> int:
        """The bytes of the model file that `save` would write."""
        from linnet.persistence import size

        self._check_fitted()
        return size(*self.file_parts())

    def opened(self, name: str) -> Any:
        """A learner that was named becomes an object, whose settings can be told."""
        value = getattr(self, name)
        if name == "learner" and isinstance(value, str) and value != "auto":
            from linnet.training import grid

            return grid.resolve(value)
        return super().opened(name)

    def look(self, X: Any = None, y: Any = None, **given: Any) -> Any:
        """Open a page on which to try it, to find its errors, and to teach it; see ``linnet look``.

        X are texts and y their labels, for errors and labels that look wrong; ``pool`` are texts
        without labels, ``train`` is (texts, labels) that it learnt from, ``against`` a second model,
        ``decisions`` the file that decisions are appended to, and with ``browser=False`` only the
        address is told. The page is there until ``close()`` of what is returned.
        """
        self._check_fitted()
        return import_module("linnet.serving.look.opening").opened(self, X, y, **given)

    def _repr_html_(self) -> str:
        """For notebooks: settings, and what was learnt."""
        lines = [f"<pre>{escape(repr(self))}</pre>"]
        if self.__sklearn_is_fitted__():
            labels = len(getattr(self, "classes_", ()))
            lines.append(
                f"<p>{labels:,} labels, {self.nonzero_weights():,} weights that are not zero</p>"
            )
            lines += [f"<ul>{''.join(f'<li>{escape(why)}</li>' for why in self.why_)}</ul>"]
        return f'<div class="linnet-estimator">{"".join(lines)}</div>'

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _check_fitted(self) -> None:
        """Predicting comes after training."""
        if not self.__sklearn_is_fitted__():
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' first."
            )

    def _sound(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores to decide by. Of NaN, or infinities of both signs, the first label would be the best.

        Counts of zero make log-probabilities of minus infinity, which mean what they say.
        """
        with np.errstate(invalid="ignore", over="ignore"):
            if np.isfinite(scores.sum()):
                return scores
        wrong = np.isnan(scores) if self._counted() else ~np.isfinite(scores)
        if wrong.any():
            row = int(np.argwhere(wrong)[0, 0])
            raise DataError(
                f"the scores of example {row + 1} are no finite numbers: it has values too large for "
                f"the weights of this model (scale the features), or the model is damaged"
            )
        return scores

    def _counted(self) -> bool:
        return getattr(self, "loss_", getattr(self, "loss", None)) == "joint_likelihood"

    def _threads(self) -> int:
        return threads_of(self.n_jobs)

    def _with_fitted(self) -> Self:
        """An estimator of the same settings and the same fitted parts, to change some of them."""
        other = self.__sklearn_clone__()
        other.__dict__ |= {k: v for k, v in self.__dict__.items() if k.endswith("_")}
        return other

    def __sklearn_clone__(self) -> Self:
        """A new object with the same settings, settings of settings copied too."""
        return type(self)(**{k: _copied(v) for k, v in self.get_params(deep=False).items()})

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type=self.kind,
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(multi_label=self.takes_several)
            if self.kind == "classifier"
            else None,
            input_tags=InputTags(string=True, two_d_array=False)
            if self.reads_text
            else InputTags(sparse=True),
        )

    def __getstate__(self) -> dict[str, Any]:
        """What is being learnt is not copied; what has been learnt is.

        What grows with a stream is a copy, since nobody holds the stream up until it has been pickled.
        """
        left_out = (*self.in_progress, PLACE)
        state = {name: value for name, value in self.__dict__.items() if name not in left_out}
        streaming = getattr(self, "_stream", None) is not None
        return state | {name: copy.copy(state[name]) for name in GROWING if streaming and name in state}

    def __copy__(self) -> Self:
        """What grows with a stream must not be shared."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__getstate__())
        if self.__sklearn_is_fitted__():
            for name in GROWING:
                if name in other.__dict__ and getattr(other, name) is self.__dict__.get(name):
                    setattr(other, name, copy.copy(getattr(other, name)))
            other.record_ = copy.deepcopy(self.record_)
        return other


guarded(Estimator)


def _copied(value: Any) -> Any:
    """A setting; a fitted estimator that was given stays as it is."""
    if isinstance(value, Estimator) and value.__sklearn_is_fitted__():
        return value
    if isinstance(value, Params):
        return type(value)(**value.get_params(deep=False))
    if callable(value) and not hasattr(value, "get_params"):
        return value
    return copy.deepcopy(value)


@contextmanager
def unchanged_on_failure(estimator: Estimator) -> Iterator[dict[str, Any]]:
    """Data that are refused leave an estimator as it was, ready to predict; yields what that is."""
    before = dict(estimator.__dict__)
    vocabulary = before.get("vocabulary_")
    known = 0 if vocabulary is None else len(vocabulary)
    try:
        yield before
    except BaseException:
        estimator.__dict__.clear()
        estimator.__dict__.update(before)
        if vocabulary is not None:
            vocabulary.forget_after(known)
        raise


def threads_of(n_jobs: Any) -> int:
    """None is all cores that this process may use, as is −1; −2 is one less, as scikit-learn counts."""
    if n_jobs is None:
        return cores()
    if not is_whole(n_jobs, -LARGEST) or not 0 != n_jobs <= LARGEST:
        raise ValueError(
            f"n_jobs must be a whole number, positive, or -1 for all cores, not {n_jobs!r}"
        )
    jobs = int(n_jobs)
    return jobs if jobs > 0 else max(1, cores() + 1 + jobs)


def count_nonzero(arrays: Any) -> int:
    """Over several arrays, those of numbers."""
    return sum(int(np.count_nonzero(a)) for a in arrays if np.asarray(a).dtype.kind == "f")
