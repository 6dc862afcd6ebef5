"""One event per token, and what unknown words are taken for."""

import pickle

import numpy as np
import pytest

from linnet.data import Sequences
from linnet.errors import DataError
from linnet.features import WordEvents

SENTENCES = [
    ["the", "linnet", "sings", "and", "the", "wren", "sings"],
    ["the", "Wren", "hopping", "past", "the", "Linnet"],
    ["a", "robin", "singing", ",", "a", "wren", "calling"],
]


def sentences(*given: list[str]) -> Sequences:
    return Sequences.from_lists(list(given))


def events_of(features: WordEvents, *given: list[str]) -> list[str]:
    rows, names = features.rows(sentences(*given)), features.names
    assert (np.diff(rows.indptr) == 1).all()
    assert (rows.values == 1).all()
    return [names[k] for k in rows.indices]


def fitted(**settings) -> WordEvents:
    features = WordEvents(**({"classes": ["suffix3 shape", "shape"], "support": 2} | settings))
    features.fit_rows(sentences(*SENTENCES))
    return features


def test_frequent_words_are_events_and_others_have_the_finest_class_with_support() -> None:
    features = fitted(rare=1)
    assert events_of(features, ["the", "wren", "singing", "Finch", "finch", "wing", ",", "R2D2"]) == [
        "word[0]=the",
        "word[0]=wren",
        "suffix3[0]=ing shape[0]=x",
        "shape[0]=Xx",
        "shape[0]=x",
        "suffix3[0]=ing shape[0]=x",
        "other",
        "other",
    ]
    assert features.n_features == len(features.names)
    assert features.columns == ["word"]


def test_rows_of_the_training_data_are_those_it_was_fitted_with() -> None:
    features = WordEvents(rare=1, support=2)
    given = sentences(*SENTENCES)
    first, again = features.fit_rows(given), features.rows(given)
    np.testing.assert_array_equal(first.indices, again.indices)
    assert first.features == again.features == features.n_features
    threaded = WordEvents(rare=1, support=2).fit_rows(given, threads=3)
    np.testing.assert_array_equal(first.indices, threaded.indices)


def test_rare_words_alone_make_classes() -> None:
    # "sings" occurs twice: with rare=1 its suffix has no support among the rare ones.
    assert not any(name.startswith("suffix3[0]=ngs") for name in fitted(rare=1).names)
    assert any(name.startswith("suffix3[0]=ngs") for name in fitted(rare=2).names)


@pytest.mark.parametrize("rare", [0, 1, 100])
def test_extremes(rare) -> None:
    features = fitted(rare=rare)
    words = [name for name in features.names if name.startswith("word")]
    distinct = {word for sentence in SENTENCES for word in sentence}
    assert len(words) == {0: len(distinct), 1: 4, 100: 0}[rare]
    assert events_of(features, ["the"]) == [
        "suffix3[0]=the shape[0]=x" if rare == 100 else "word[0]=the"
    ]


def test_no_classes_leave_one_event_for_the_unknown() -> None:
    features = fitted(rare=1, classes=[])
    assert features.names[-1] == "other"
    assert events_of(features, ["the", "finch"]) == ["word[0]=the", "other"]


def test_parts_of_a_model_file_and_pickles() -> None:
    features = fitted(rare=1)
    restored = [
        WordEvents.from_parts(features.spec(), features.tensors()),
        pickle.loads(pickle.dumps(features)),
    ]
    unknown = ["the", "finch", "Hopping", "a"]
    for copy in restored:
        assert copy.get_params() == features.get_params()
        assert copy.names == features.names
        assert events_of(copy, unknown) == events_of(features, unknown)


def test_damaged_parts_are_told() -> None:
    features = fitted(rare=1)
    spec, tensors = features.spec(), features.tensors()
    for change in (
        {"numbers0": tensors["numbers0"][1:]},
        {"numbers0": tensors["numbers0"] + 1},
        {"numbers0": tensors["numbers0"].astype(np.int64)},
    ):
        with pytest.raises(DataError, match="damaged"):
            WordEvents.from_parts(spec, tensors | change)
    with pytest.raises(DataError, match="damaged"):
        WordEvents.from_parts(spec, {k: v for k, v in tensors.items() if k != "numbers1"})
    with pytest.raises(DataError, match="damaged"):
        WordEvents.from_parts({"settings": {}}, tensors)


def test_templates_that_give_several_features_are_refused() -> None:
    with pytest.raises(ValueError, match="several features; an event needs one"):
        fitted(rare=1, classes=["suffix1..2"])
    with pytest.raises(ValueError, match="rare=-1"):
        fitted(rare=-1)
    with pytest.raises(ValueError, match="call fit_rows first"):
        WordEvents().rows(sentences(["a"]))
