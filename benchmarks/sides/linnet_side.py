"""Linnet: raw file → model on disk → labels of the test file."""

import json
import sys
import time

span, train, test, model_file = sys.argv[1:5]
options = json.loads(sys.argv[5])

from linnet import TextClassifier, TextFeatures, formats, load  # noqa: E402

if span in ("train", "end-to-end"):
    if "features" in options:
        options["features"] = TextFeatures(**options["features"])
    model = TextClassifier(**options).fit(formats.read(train))
    model.save(model_file)
if span in ("predict", "end-to-end"):
    if span == "predict":
        model = load(model_file)
        texts = [*formats.read(test).texts]  # Python strings, as the peers get them
    else:
        texts = formats.read(test).texts
    started = time.process_time()
    predicted = model.predict(texts)
    seconds = time.process_time() - started
    with open(model_file + ".labels", "w", encoding="utf-8") as out:
        out.writelines(f"{label}\n" for label in predicted)
    print(json.dumps({"predict": seconds}))
