"""Pipelines of scikit-learn score the same when they are written in Linnet's form."""

from collections import Counter

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.linear_model import (
    LogisticRegression,
    Perceptron,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import Binarizer, MaxAbsScaler, Normalizer, StandardScaler
from sklearn.svm import SVC, LinearSVC

from linnet.data import samples
from linnet.errors import RefusedError
from linnet.estimators import import_sklearn
from linnet.estimators.text.from_sklearn import ImportedPipeline

TEXTS, BIRDS = samples.load("birds-train")
TEXTS, BIRDS = TEXTS[:240], np.array(BIRDS[:240])
VERSE = np.where(BIRDS < "p", "early", "late")
TEST = samples.load("birds-test")[0][:60]


def scores(found: ImportedPipeline, texts: list[str], analyze: object) -> np.ndarray:
    """By the formula: x_j = v_j · t(count_j) / norm, then the weights."""
    ids = {name.split(":", 1)[-1] if found.features["word"] is None else name: j
           for j, name in enumerate(found.names)}  # fmt: skip
    X = np.zeros((len(texts), len(ids)))
    for i, text in enumerate(texts):
        for name, count in Counter(analyze(text)).items():
            if name in ids:
                t = {"count": count, "binary": 1, "sublinear": 1 + np.log(count)}[found.features["tf"]]
                X[i, ids[name]] = found.values[ids[name]] * t
    norms = {"none": np.ones_like, "l1": lambda x: abs(x).sum(), "l2": np.linalg.norm}
    norm = norms[found.features["norm"]]
    X = np.array([x / np.where(norm(x) > 0, norm(x), 1) for x in X])
    return found.model.scores(X)


def agrees(
    pipeline: Pipeline, y: np.ndarray, tolerance: float = 1e-5, **how: object
) -> ImportedPipeline:
    pipeline.fit(TEXTS, y)
    found = import_sklearn(pipeline, **how)
    ours = scores(found, TEST, pipeline[0].build_analyzer())
    labels = ours.argmax(axis=1) if ours.shape[1] > 1 else (ours[:, 0] > 0).astype(int)
    assert (found.classes[labels] == pipeline.predict(TEST)).mean() > 0.98
    if hasattr(pipeline[-1], "decision_function"):
        expected = pipeline.decision_function(TEST).reshape(len(TEST), -1)
        np.testing.assert_allclose(ours, expected, rtol=tolerance, atol=tolerance * abs(expected).max())
    elif hasattr(pipeline[-1], "predict_joint_log_proba"):
        joint = pipeline[-1].predict_joint_log_proba(pipeline[:-1].transform(TEST))
        expected = joint[:, 1:] - joint[:, :1] if joint.shape[1] == 2 else joint
        np.testing.assert_allclose(ours, expected, rtol=tolerance, atol=tolerance * abs(expected).max())
    return found


VECTORIZERS = [
    CountVectorizer(),
    CountVectorizer(binary=True, ngram_range=(1, 2), stop_words="english"),
    TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, min_df=2),
    TfidfVectorizer(use_idf=False, norm="l1", lowercase=False),
    TfidfVectorizer(norm=None, token_pattern=r"\w+", max_features=50),
    TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), min_df=3),
    TfidfVectorizer(analyzer="char", ngram_range=(1, 3), min_df=3),
    TfidfVectorizer(token_pattern=r"\S+", binary=True),
]


@pytest.mark.parametrize("y", [BIRDS, VERSE], ids=["six labels", "two"])
@pytest.mark.parametrize("vectorizer", VECTORIZERS, ids=str)
def test_vectorizers(vectorizer: CountVectorizer, y: np.ndarray) -> None:
    found = agrees(make_pipeline(vectorizer, LinearSVC()), y)
    assert found.loss == "squared_hinge"
    assert found.notes == []


CLASSIFIERS = {
    "squared_hinge": LinearSVC(),
    "hinge": LinearSVC(loss="hinge", multi_class="crammer_singer"),
    "logistic": LogisticRegression(),
    "squared": RidgeClassifier(fit_intercept=False),
    "perceptron": Perceptron(),
    "joint_likelihood": MultinomialNB(),
}


@pytest.mark.parametrize("y", [BIRDS, VERSE], ids=["six labels", "two"])
@pytest.mark.parametrize(("loss", "classifier"), CLASSIFIERS.items(), ids=str)
def test_classifiers(loss: str, classifier: object, y: np.ndarray) -> None:
    assert agrees(make_pipeline(TfidfVectorizer(), classifier), y).loss == loss


@pytest.mark.parametrize("y", [BIRDS, VERSE], ids=["six labels", "two"])
@pytest.mark.parametrize(
    "classifier",
    [
        ComplementNB(),
        ComplementNB(norm=True),
        BernoulliNB(),
        BernoulliNB(binarize=None),
        SGDClassifier(loss="log_loss", random_state=0),
        SGDClassifier(loss="hinge", random_state=0).set_params(penalty="l1"),
        OneVsRestClassifier(LogisticRegression()),
    ],
    ids=str,
)
def test_more_classifiers(classifier: object, y: np.ndarray) -> None:
    vectorizer = (
        CountVectorizer(binary=True) if isinstance(classifier, BernoulliNB) else TfidfVectorizer()
    )
    found = agrees(make_pipeline(vectorizer, classifier), y)
    assert found.joint == (len(found.classes) == 2 or "NB" in type(classifier).__name__)


def test_sparse_weights() -> None:
    pipeline = make_pipeline(TfidfVectorizer(), SGDClassifier(penalty="l1", random_state=0))
    pipeline.fit(TEXTS, BIRDS)
    dense = import_sklearn(pipeline).model.weights
    pipeline[-1].sparsify()
    np.testing.assert_array_equal(import_sklearn(pipeline).model.weights, dense)


@pytest.mark.parametrize(
    "between",
    [
        [TfidfTransformer()],
        [TfidfTransformer(sublinear_tf=True, norm="l1")],
        [TfidfTransformer(use_idf=False, norm=None), Normalizer()],
        [TfidfTransformer(norm=None), SelectKBest(chi2, k=40)],
        [TfidfTransformer(), MaxAbsScaler(), SelectKBest(chi2, k=40)],
        [TfidfTransformer(), StandardScaler(with_mean=False), "passthrough", None],
        [Normalizer("l1"), Normalizer("l2")],
        [TfidfTransformer(), Binarizer()],
    ],
    ids=lambda steps: "+".join(type(step).__name__ for step in steps),
)
def test_steps_between(between: list) -> None:
    steps = [CountVectorizer(), *between, LinearSVC()]
    agrees(Pipeline([(str(i), step) for i, step in enumerate(steps)]), BIRDS)


def test_bernoulli_sees_presence_alone() -> None:
    found = agrees(make_pipeline(TfidfVectorizer(), MaxAbsScaler(), BernoulliNB()), BIRDS)
    assert found.features["tf"] == "binary"
    assert found.features["norm"] == "none"
    assert (found.values == 1).all()


@pytest.mark.parametrize("signs", [True, False])
@pytest.mark.parametrize("weighting", [[], [TfidfTransformer()]], ids=["counts", "tfidf"])
def test_hashing(signs: bool, weighting: list) -> None:
    vectorizer = HashingVectorizer(n_features=2**20, alternate_sign=signs, ngram_range=(1, 2))
    found = agrees(make_pipeline(vectorizer, *weighting, LinearSVC()), BIRDS, texts=TEXTS + TEST)
    assert any("names of features are known" in note for note in found.notes)
    small = HashingVectorizer(n_features=64, alternate_sign=signs, norm=None)  # collisions add up
    agrees(make_pipeline(small, LinearSVC()), BIRDS, texts=TEXTS + TEST)
    with pytest.raises(RefusedError, match="keeps no words"):
        import_sklearn(make_pipeline(vectorizer, LinearSVC()).fit(TEXTS, BIRDS))


def test_a_search_and_a_list_of_steps() -> None:
    search = GridSearchCV(make_pipeline(CountVectorizer(), LinearSVC()), {"linearsvc__C": [0.1]}, cv=2)
    search.fit(TEXTS, BIRDS)
    a, b = import_sklearn(search), import_sklearn([step for _, step in search.best_estimator_.steps])
    np.testing.assert_array_equal(a.model.weights, b.model.weights)


@pytest.mark.parametrize(
    ("pattern", "tokens", "shortest"),
    [
        (r"(?u)\b\w\w+\b", "unicode", 2),
        (r"(?u)\b\w+\b", "unicode", 1),
        (r"\w+", "unicode", 1),
        (r"\b\w\w\w+\b", "unicode", 3),
        (r"\b\w{4,}\b", "unicode", 4),
        (r"\S+", "whitespace", 1),
        (r"[^\s]+", "whitespace", 1),
    ],
)
def test_token_patterns(pattern: str, tokens: str, shortest: int) -> None:
    pipeline = make_pipeline(CountVectorizer(token_pattern=pattern), LinearSVC()).fit(TEXTS, BIRDS)
    features = import_sklearn(pipeline).features
    assert (features["tokens"], features["min_length"]) == (tokens, shortest)


def test_settings_of_the_features() -> None:
    pipeline = make_pipeline(
        TfidfVectorizer(stop_words=["the", "The"], ngram_range=(1, 3)), LinearSVC()
    )
    assert import_sklearn(pipeline.fit(TEXTS, BIRDS)).features == {
        "word": (1, 3),
        "chars": None,
        "chars_wb": None,
        "punctuation": False,
        "tokens": "unicode",
        "lowercase": True,
        "stop_words": ["the"],
        "min_length": 2,
        "tf": "count",
        "scale": "idf",
        "norm": "l2",
    }
    pipeline = make_pipeline(CountVectorizer(analyzer="char_wb", ngram_range=(2, 3)), LinearSVC())
    found = import_sklearn(pipeline.fit(TEXTS, BIRDS))
    assert found.features["chars_wb"] == (2, 3)
    assert found.features["word"] is None
    assert all(name.startswith("chars_wb:") for name in found.names)


class Mine(CountVectorizer):
    """A vectoriser with code of its own."""


@pytest.mark.filterwarnings(
    "ignore:The parameter 'token_pattern'", "ignore::sklearn.exceptions.ConvergenceWarning"
)
@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ([CountVectorizer(tokenizer=str.split), LinearSVC()], "tokenizer="),
        ([CountVectorizer(preprocessor=str.upper), LinearSVC()], "preprocessor="),
        ([CountVectorizer(strip_accents="unicode"), LinearSVC()], "strip_accents='unicode'"),
        ([CountVectorizer(analyzer=str.split), LinearSVC()], "analyzer="),
        ([CountVectorizer(token_pattern=r"[a-z]+"), LinearSVC()], "token_pattern="),
        ([CountVectorizer(token_pattern=r"(\w)\w+"), LinearSVC()], "token_pattern="),
        ([CountVectorizer(encoding="latin-1"), LinearSVC()], "encoding='latin-1'"),
        ([CountVectorizer(analyzer="char_wb", ngram_range=(1, 2)), LinearSVC()], "begin with 2"),
        ([Mine(), LinearSVC()], "Mine"),
        ([FeatureUnion([("a", CountVectorizer())]), LinearSVC()], "FeatureUnion"),
        ([CountVectorizer(), TruncatedSVD(5), LinearSVC()], "TruncatedSVD"),
        ([CountVectorizer(), MaxAbsScaler(), Normalizer(), LinearSVC()], "normalise before"),
        ([CountVectorizer(), MaxAbsScaler(), TfidfTransformer(), LinearSVC()], "weight before"),
        ([TfidfVectorizer(), TfidfTransformer(sublinear_tf=True), LinearSVC()], "weighted already"),
        ([TfidfVectorizer(), TfidfTransformer(norm=None), LinearSVC()], "normalised already"),
        ([CountVectorizer(), Binarizer(threshold=1), LinearSVC()], "Binarizer"),
        ([CountVectorizer(), RandomForestClassifier(2)], "RandomForestClassifier"),
        ([CountVectorizer(), SVC(kernel="linear")], "SVC"),
        ([CountVectorizer(), BernoulliNB(binarize=1.0)], "binarize=1.0"),
        ([CountVectorizer(), CalibratedClassifierCV(LinearSVC(), cv=2)], "CalibratedClassifierCV"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_refused(steps: list, why: str) -> None:
    pipeline = make_pipeline(*steps).fit(TEXTS, BIRDS)
    with pytest.raises(RefusedError, match="cannot become a model") as refusal:
        import_sklearn(pipeline)
    assert why in str(refusal.value)


def test_what_is_not_fitted_or_no_classifier() -> None:
    for steps in ([CountVectorizer(), LinearSVC()], [LinearSVC()], [CountVectorizer(), GaussianNB()]):
        with pytest.raises(RefusedError, match=r"fitted|needs a vectoriser|no coef_"):
            import_sklearn(make_pipeline(*steps))
    dense = [CountVectorizer().fit(TEXTS), GaussianNB().fit(np.eye(2), [0, 1])]
    with pytest.raises(RefusedError, match="GaussianNB has no coef_"):
        import_sklearn(dense)


def test_notes_say_where_texts_may_differ() -> None:
    texts, labels = ["東京 タワー", "京都 tower", "new york", "old\ttown"], ["a", "a", "b", "b"]
    words = make_pipeline(CountVectorizer(), LinearSVC()).fit(texts, labels)
    assert import_sklearn(words).notes == [
        "2 names have Han characters, each of which is a word in Linnet"
    ]
    chars = make_pipeline(CountVectorizer(analyzer="char"), LinearSVC()).fit(texts, labels)
    assert "a line break or a tab" in import_sklearn(chars).notes[0]
