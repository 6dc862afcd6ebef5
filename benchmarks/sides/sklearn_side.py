"""scikit-learn: TfidfVectorizer(1, 2) and a linear classifier."""

import json
import pickle
import sys
import time

import one_thread  # noqa: F401
from peak import peak
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

span, train, test, model_file = sys.argv[1:5]
options = json.loads(sys.argv[5])
said = {}


def read(path):
    with open(path, encoding="utf-8") as lines:
        pairs = [line.rstrip("\n").split("\t", 1) for line in lines]
    return [text for _, text in pairs], [label for label, _ in pairs]


if span in ("train", "end-to-end"):
    sgd = SGDClassifier(alpha=options["alpha"], random_state=0)
    classifier = LinearSVC() if options["learner"] == "LinearSVC" else sgd
    vectoriser = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, min_df=options["min_df"])
    model = make_pipeline(vectoriser, classifier).fit(*read(train))
    with open(model_file, "wb") as out:
        pickle.dump(model, out)
if span in ("predict", "end-to-end"):
    if span == "predict":
        with open(model_file, "rb") as file:
            model = pickle.load(file)
    texts, _ = read(test)
    started = time.process_time()
    predicted = model.predict(texts)
    seconds = time.process_time() - started
    with open(model_file + ".labels", "w", encoding="utf-8") as out:
        out.writelines(f"{label}\n" for label in predicted)
    said = {"strings": seconds}
print(json.dumps(said | {"memory": peak()}))
