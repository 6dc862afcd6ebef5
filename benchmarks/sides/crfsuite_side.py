"""CRFsuite: column file → features in Python → model on disk → tags of the test file."""

import json
import sys
import time

import pycrfsuite
from peak import peak

span, train, test, model_file = sys.argv[1:5]
options = json.loads(sys.argv[5])
MACROS = [
    [tuple(place) for place in line] for line in options["macros"]
]  # ((offset, column), …) for each feature
said = {}


def sentences(path):
    """Lists of columns, a sentence at a time, so that nothing is kept that need not be."""
    columns = options["columns"]
    rows = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if options["numbered"] and line.startswith("#"):
                continue  # a comment
            cells = line.split(options["delimiter"]) if line.strip() else None
            if cells is None:
                if rows:
                    yield rows
                rows = []
            elif cells[0].isdigit() or not options["numbered"]:
                rows.append([cells[k] for k in columns])
    if rows:
        yield rows


def attributes(rows):
    """As its users write them: one f-string for each feature."""
    size = len(rows)
    found = []
    for i in range(size):
        items = []
        for number, macro in enumerate(MACROS):
            values = []
            for offset, column in macro:
                j = i + offset
                if 0 <= j < size:
                    values.append(rows[j][column])
                else:
                    values.append(f"_B{j}" if j < 0 else f"_B+{j - size + 1}")
            items.append(f"U{number:02}:{'/'.join(values)}")
        if options.get("shapes"):
            word = rows[i][0]
            items += [f"p{k}={word[:k]}" for k in range(1, 5)]
            items += [f"s{k}={word[-k:]}" for k in range(1, 5)]
            items.append(f"lower={word.lower()}")
            items.append(f"title={word.istitle()} upper={word.isupper()} digit={word.isdigit()}")
        found.append(items)
    return found


if span == "train":
    started = time.process_time()
    trainer = pycrfsuite.Trainer(algorithm=options["algorithm"], verbose=False)
    data = ((attributes(rows), [row[-1] for row in rows]) for rows in sentences(train))
    for items, tags in [*data] if options["kept"] else data:
        trainer.append(items, tags)
    said["features"] = time.process_time() - started
    trainer.set_params(options["params"])
    trainer.train(model_file)
    steps = trainer.logparser.iterations
    said["epochs"] = len(steps)
    said["solver"] = sum(float(step["time"]) for step in steps)
    if steps and "loss" in steps[-1]:
        losses = [float(step["loss"]) for step in steps]
        said["objective"] = losses[-1]
        near = next(k for k, loss in enumerate(losses) if loss <= losses[-1] * 1.0001)
        said["near epochs"] = near + 1
        said["near solver"] = sum(float(step["time"]) for step in steps[: near + 1])
if span == "tag":
    tagger = pycrfsuite.Tagger()
    tagger.open(model_file)
    started = time.process_time()
    count = 0
    with open(model_file + ".tagged", "w", encoding="utf-8") as out:
        for rows in sentences(test):
            tags = tagger.tag(attributes(rows))
            count += len(tags)
            for row, tag in zip(rows, tags, strict=True):
                out.write(" ".join([*row, tag]) + "\n")
            out.write("\n")
    said = {"file": time.process_time() - started, "tokens": count}
print(json.dumps(said | {"memory": peak()}))
