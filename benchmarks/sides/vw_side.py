"""Vowpal Wabbit on its own text format; labels are numbers, one against all."""

import json
import sys
import time

import vowpalwabbit
from peak import peak

span, train, test, model_file = sys.argv[1:5]
options = json.loads(sys.argv[5])
said = {}

if span in ("train", "end-to-end"):
    several = options["labels"] > 2
    kind = f"--oaa {options['labels']}" if several else ""
    passes = f"-b {options['bits']} --passes {options['passes']}"
    settings = f"{kind} --loss_function logistic --ngram 2 {passes} --quiet"
    # With several passes it would hold out every tenth example, and learn from the others alone.
    several_passes = f"-c -k --cache_file {model_file}.cache --holdout_off"
    cache = several_passes if options["passes"] > 1 else ""
    vowpalwabbit.Workspace(f"{settings} {cache} -d {train} -f {model_file}").finish()
if span in ("predict", "end-to-end"):
    started = time.process_time()
    vowpalwabbit.Workspace(f"-t --quiet -i {model_file} -d {test} -p {model_file}.labels").finish()
    said = {"file": time.process_time() - started}
print(json.dumps(said | {"memory": peak()}))
