"""FastText, word bigrams, ten dimensions, one thread."""

import json
import sys

import fasttext
from peak import peak

span, train, test, model_file = sys.argv[1:5]
options = json.loads(sys.argv[5])

if span in ("train", "end-to-end"):
    model = fasttext.train_supervised(train, wordNgrams=2, dim=10, thread=1, verbose=0, **options)
    model.save_model(model_file)
if span in ("predict", "end-to-end"):
    model = fasttext.load_model(model_file) if span == "predict" else model
    with open(test, encoding="utf-8") as lines, open(model_file + ".labels", "w") as out:
        for line in lines:
            ((_, label),) = model.f.predict(line.split(" ", 1)[1], 1, 0.0, "strict") or [(0, "")]
            out.write(label.removeprefix("__label__") + "\n")
print(json.dumps({"memory": peak()}))
