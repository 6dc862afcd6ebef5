"""Linnet's tagger: column file → model on disk → tags of the test file."""

import json
import sys
import time

from peak import peak

from linnet import Tagger, TokenFeatures, load
from linnet.formats.sequences import read_sequences, write_sequences
from linnet.learners import PassiveAggressive

span, train, test, model_file = sys.argv[1:5]
options = json.loads(sys.argv[5])
read, wide = options.pop("read"), options.pop("wide")
said = {}

if span == "train":
    templates, learner = options.pop("templates", None), options.get("learner")
    if templates is not None:
        options["features"] = TokenFeatures(templates=templates)
    if learner == "pa":
        options["learner"] = PassiveAggressive()
    tagger = Tagger(**options).fit(read_sequences(train, **read))
    tagger.save(model_file)
    record = tagger.record_
    said = {
        "epochs": record.n_iter,
        "solver": sum(epoch.seconds for epoch in record.epochs),
        "objective": record.objective or 0.0,
    }
if span == "tag":
    tagger = load(model_file)
    tagger.predict([[("warm", "NN")]] if wide else [["warm"]])  # imports
    started = time.process_time()
    sentences = read_sequences(test, **read)
    tags = tagger.tag(sentences)
    said["tags"] = time.process_time() - started
    write_sequences(sentences, model_file + ".tagged", read.get("format", "conll"), predicted=tags)
    said["file"] = time.process_time() - started
    said["tokens"] = sentences.tokens
print(json.dumps(said | {"memory": peak()}))
