"""Pipelines of scikit-learn over raw text, taken over whole: the same scores from the same strings."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from linnet.data import samples
from linnet.estimators import import_sklearn
from linnet.estimators.text.from_vectorizer import text_features

TEXTS, BIRDS = samples.load("birds-train")
TEXTS, BIRDS = TEXTS[:300], np.array(BIRDS[:300])
TEST = [
    *samples.load("birds-test")[0],
    "",
    "A",
    "I a I",
    "co-ed 3rd_x",
    "Ünïcödé ÉTÉ",
    "ﬁn²",
    "a\n\tb  c",
]
VERSE = np.where(BIRDS < "p", "early", "late")


@pytest.mark.parametrize("y", [BIRDS, VERSE], ids=["six labels", "two"])
@pytest.mark.parametrize(
    "vectorizer",
    [
        TfidfVectorizer(),
        TfidfVectorizer(ngram_range=(1, 3), sublinear_tf=True, min_df=2, stop_words="english"),
        CountVectorizer(ngram_range=(2, 2), lowercase=False, max_features=100),
        CountVectorizer(token_pattern=r"(?u)\b\w{4,}\b"),
        TfidfVectorizer(token_pattern=r"\S+", norm="l1", use_idf=False),
        TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), min_df=2),
        TfidfVectorizer(analyzer="char", ngram_range=(1, 4), min_df=2, binary=True),
    ],
    ids=str,
)
def test_scores_of_raw_texts(vectorizer: CountVectorizer, y: np.ndarray) -> None:
    train = [*TEXTS, *TEST[-7:-1]]
    pipeline = make_pipeline(vectorizer, LinearSVC()).fit(train, np.append(y, y[:6]))
    features, model = text_features(import_sklearn(pipeline))
    assert features.n_features == len(vectorizer.vocabulary_)
    tests = TEST if vectorizer.analyzer != "char" else TEST[:-1]  # single line breaks
    ours = model.scores(features.rows(tests))
    expected = pipeline.decision_function(tests).reshape(len(tests), -1)
    np.testing.assert_allclose(ours, expected, rtol=1e-4, atol=1e-4)


def test_hashed_features_get_their_names_back() -> None:
    pipeline = make_pipeline(HashingVectorizer(), LinearSVC()).fit(TEXTS, BIRDS)
    features, model = text_features(import_sklearn(pipeline, texts=TEXTS + TEST))
    ours = model.scores(features.rows(TEST))
    np.testing.assert_allclose(ours, pipeline.decision_function(TEST), rtol=1e-4, atol=1e-4)


def test_names_that_no_text_has_are_left_out() -> None:
    texts = ["東京 タワー", "京都 tower", "new york", "old town"]
    pipeline = make_pipeline(CountVectorizer(), LinearSVC()).fit(texts, ["a", "a", "b", "b"])
    features, model = text_features(import_sklearn(pipeline))
    assert set(features.names) == {"タワー", "tower", "new", "york", "old", "town"}
    assert model.features == 6


def test_a_stream_goes_on_from_the_frequencies() -> None:
    vectorizer = TfidfVectorizer().fit(TEXTS)
    pipeline = [vectorizer, LinearSVC().fit(vectorizer.transform(TEXTS), BIRDS)]
    features, _ = text_features(import_sklearn(pipeline))
    before, size = features.values.copy(), features.n_features
    np.testing.assert_allclose(before, vectorizer.idf_, rtol=1e-6)
    features.grow_rows(["a brandnewword"])
    assert features.n_features == size + 1
    np.testing.assert_allclose(features.values[:size], before, atol=0.02)
