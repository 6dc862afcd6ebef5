"""Linnet's parser of phrases: file of brackets → model on disk → brackets of the test file."""

import json
import sys
import time

from peak import peak

from linnet import ConstituencyParser, load
from linnet.evaluation import bracket_scores
from linnet.formats import read_brackets, write_brackets

span, train, test, model_file = sys.argv[1:5]
options = json.loads(sys.argv[5])
said = {}

if span == "train":
    parser = ConstituencyParser(n_jobs=1, verbose=False, **options).fit(read_brackets(train))
    parser.save(model_file)
if span in ("best", "risk"):
    parser = load(model_file)
    gold = read_brackets(test).cleaned()
    parser.parse_trees(gold.take([0]), retag=True, decode=span)  # imports
    started = time.process_time()
    found = parser.parse_trees(read_brackets(test), retag=True, decode=span)
    write_brackets(found, model_file + ".mrg")
    said["file"] = time.process_time() - started
    scores = bracket_scores(gold, found)
    said |= {"f1": 100 * scores.f1, "tags": 100 * scores.tagging_accuracy, "words": gold.tokens}
print(json.dumps(said | {"memory": peak()}))
