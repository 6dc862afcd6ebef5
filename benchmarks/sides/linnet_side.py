"""Linnet: raw file → model on disk → labels of the test file."""

import json
import sys
import time

from peak import peak

from linnet import TextClassifier, TextFeatures, formats, load

span, train, test, model_file = sys.argv[1:5]
options = json.loads(sys.argv[5])
said = {}


def write_labels(labels):
    with open(model_file + ".labels", "w", encoding="utf-8") as out:
        out.write("\n".join(labels.tolist()) + "\n")


if span in ("train", "end-to-end"):
    if "features" in options:
        options["features"] = TextFeatures(**options["features"])
    model = TextClassifier(**options).fit(formats.read(train))
    model.save(model_file)
if span == "end-to-end":
    write_labels(model.predict(formats.read(test)))
if span == "predict":
    TextClassifier  # noqa: B018  # imported before the clock starts
    started = time.process_time()
    model = load(model_file)
    write_labels(model.predict(formats.read(test)))
    from_file = time.process_time() - started
    texts = [*formats.read(test).texts]  # Python strings, as scikit-learn gets them
    started = time.process_time()
    model.predict(texts)
    said = {"file": from_file, "strings": time.process_time() - started}
print(json.dumps(said | {"memory": peak()}))
