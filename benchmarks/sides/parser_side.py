"""Linnet's parser: CoNLL-U file → model on disk → trees of the test file."""

import json
import sys
import time

from peak import peak

from linnet import DependencyParser, load
from linnet.evaluation import tree_scores
from linnet.formats import read_trees, write_trees

span, train, test, model_file = sys.argv[1:5]
options = json.loads(sys.argv[5])
said = {}

if span == "train":
    parser = DependencyParser(**options).fit(read_trees(train))
    parser.save(model_file)
if span == "parse":
    parser = load(model_file)
    gold = read_trees(test)
    retag = "tagger" in options
    parser.parse_trees(gold.take([0]), retag=retag)  # imports
    started = time.process_time()
    trees = read_trees(test, labelled=False)
    found = parser.parse_trees(trees, retag=retag)
    said["trees"] = time.process_time() - started
    write_trees(trees, model_file + ".conllu", heads=found.heads, relations=found.relations)
    said["file"] = time.process_time() - started
    scores = tree_scores(gold, found.heads, found.relations)
    words = tree_scores(gold, found.heads, found.relations, punctuation=False)
    said |= {"uas": 100 * scores.uas, "las": 100 * scores.las, "uas_words": 100 * words.uas}
    said["words"] = gold.tokens
print(json.dumps(said | {"memory": peak()}))
