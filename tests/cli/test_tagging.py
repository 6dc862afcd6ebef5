"""Taggers from the command line: every format in and out, and what goes wrong."""

import json
from pathlib import Path

import pytest

import linnet
from linnet.data import samples
from linnet.evaluation import span_counts

TEXT = "Robin saw a barn owl near Kettle Marsh. Then\nMay Finch left.\n"


def sentences(text: str) -> list[list[list[str]]]:
    blocks = text.strip().split("\n\n")
    return [[line.split() for line in block.splitlines()] for block in blocks]


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def first(path: Path, n: int, folder: Path) -> Path:
    """So many sentences of a file."""
    blocks = path.read_text("utf-8").split("\n\n")[:n]
    return write(folder / "few.conll", "\n\n".join(blocks) + "\n\n")


# Training


def test_training_tells_what_it_chose(run, tagged, tmp_path) -> None:
    model = tmp_path / "m.linnet"
    code, output, said = run(
        "train", tagged / "train.conll", "-o", model, "--dev", tagged / "test.conll"
    )
    assert (code, output) == (0, "")
    lines = said.splitlines()
    assert lines[0].startswith("300 sentences, 3,701 tokens, 7 tags, ")
    assert "  features: the recipe 'ner'" in lines
    assert "  loss: logistic" in lines
    assert "  tags keep to iob2" in lines
    accuracy, f1 = (float(part.split()[-2]) for part in lines[-1].split(","))
    assert 99 < accuracy <= 100
    assert 97 < f1 <= 100
    loaded = linnet.load(model)
    assert loaded.record_.data["layout"] == ["word", "pos", "tag"]
    X, y = samples.load_tagged("sightings-test")
    assert 100 * loaded.score(X, y) == pytest.approx(accuracy, abs=0.01)


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        (("--preset", "hmm"), {"loss": "joint_likelihood"}),
        (("--preset", "memm", "-C", "3"), {"normalisation": "local", "C": 3.0}),
        (("--local",), {"normalisation": "local"}),
        (("--segments", "--longest", "9"), {"segments": True, "longest": 9}),
        (("--preset", "perceptron", "--max-iter", "3"), {"loss": "perceptron", "max_iter": 3}),
        (("--order", "0"), {"order": 0}),
        (("--order", "2", "--max-iter", "5", "--tol", "0.1"), {"order": 2}),
        (("--loss", "logistic", "--penalty", "l1", "--learner", "owlqn"), {"penalty": "l1"}),
        (("--ends", "--legal", "none", "--seed", "4"), {"ends": True, "legal": None}),
        (("--legal", "bilou", "--features", "chunk"), None),
    ],
)
def test_settings_reach_the_tagger(run, tagged, tmp_path, options, settings) -> None:
    few = first(tagged / "train.conll", 60, tmp_path)
    model = tmp_path / "m.linnet"
    code, _, said = run("train", few, "-o", model, *options)
    if settings is None:  # the data are no such spans
        assert (code, model.exists()) == (2, False) or "bilou" in said
        return
    assert code == 0, said
    loaded = linnet.load(model)
    assert {name: getattr(loaded, name) for name in settings} == settings


def test_templates_of_crfpp_are_read_as_they_are(run, tagged, tmp_path) -> None:
    template = write(tmp_path / "template", "U00:%x[0,0]\nU01:%x[-1,1]/%x[0,1]\nB\n")
    model = tmp_path / "m.linnet"
    assert run("train", tagged / "train.conll", "-o", model, "-q", "--features", template)[0] == 0
    assert "U00:Robin" in set(linnet.load(model).get_feature_names_out())


def test_columns_and_the_tag_may_be_named(run, tagged, tmp_path) -> None:
    model = tmp_path / "m.linnet"
    options = ("--columns", "token,pos,name", "--label", "pos", "--features", "pos")
    assert run("train", tagged / "train.conll", "-o", model, "-q", *options)[0] == 0
    assert "NNP" in linnet.load(model).classes_
    code, output, _ = run("tag", model, tagged / "test.conll")
    assert code == 0
    first_one = sentences(output)[0]
    assert [row[1] for row in first_one] == [row[3] for row in first_one]
    text = write(tmp_path / "t.txt", "A wren sang.")
    assert sentences(run("tag", model, text)[1])[0][0] == ["A", "DT"]
    assert run("explain", model, "A wren sang.")[0] == 0


def test_a_tagger_goes_on(run, tagged, tmp_path) -> None:
    few = first(tagged / "train.conll", 40, tmp_path)
    some, more = tmp_path / "some.linnet", tmp_path / "more.linnet"
    assert run("train", few, "-o", some, "-q", "--preset", "perceptron")[0] == 0
    test = tagged / "test.conll"
    code, _, said = run("train", tagged / "train.conll", "-o", more, "--from", some, "--dev", test)
    assert code == 0, said
    assert f"went on from {some}" in said
    X, y = samples.load_tagged("sightings-test")
    assert linnet.load(more).score(X, y) > linnet.load(some).score(X, y)
    code, _, said = run("train", few, "-o", more, "--from", some, "-C", "2")
    assert (code, "keeps what it was made with" in said) == (2, True)
    code, _, said = run("train", few, "-o", more, "--from", tagged / "train.conll")
    assert (code, "no model file" in said) == (1, True)


# Tagging


def test_columns_come_back_with_the_tag_as_the_last_one(run, tagged, tmp_path) -> None:
    X, gold = samples.load_tagged("sightings-test")
    expected = linnet.load(tagged / "names.linnet").predict(X)
    for command in ("predict", "tag"):
        code, output, said = run(command, tagged / "names.linnet", tagged / "test.conll")
        assert (code, said) == (0, "")
        rows = sentences(output)
        assert [[tuple(row[:2]) for row in one] for one in rows] == X
        assert [[row[2] for row in one] for one in rows] == gold
        assert [[row[3] for row in one] for one in rows] == expected
    bare = write(
        tmp_path / "bare.conll",
        "".join("".join(f"{w} {p}\n" for w, p in one) + "\n" for one in X),
    )
    code, output, _ = run("tag", tagged / "names.linnet", bare, "--threads", 2)
    assert code == 0
    assert [[row[2] for row in one] for one in sentences(output)] == expected
    code, output, _ = run("tag", tagged / "names.linnet", bare, "--output-format", "tags")
    assert [[row[0] for row in one] for one in sentences(output)] == expected
    words = write(
        tmp_path / "words.conll", "".join("".join(f"{w}\n" for w, _ in one) + "\n" for one in X)
    )
    code, output, _ = run("tag", tagged / "words.linnet", words, "--format", "conll")
    assert [len(one) for one in sentences(output)] == [len(one) for one in X]


def test_probabilities_and_several_sequences(run, tagged) -> None:
    model = linnet.load(tagged / "names.linnet")
    X, _ = samples.load_tagged("sightings-test")
    code, output, _ = run("tag", tagged / "names.linnet", tagged / "test.conll", "--probabilities")
    assert code == 0
    shown = [float(row[4]) for one in sentences(output) for row in one]
    highest = [float(p) for rows in model.predict_proba(X) for p in rows.max(axis=1)]
    assert len(shown) == len(highest)
    assert shown == pytest.approx(highest, abs=2e-2)
    code, output, _ = run("tag", tagged / "names.linnet", tagged / "test.conll", "-k", 2)
    blocks = output.strip().split("\n\n")
    assert len(blocks) == 2 * len(X)
    (best, score), (second, less) = model.predict(X[:1], k=2)[0]
    assert blocks[0].splitlines()[0] == f"# 1 {score:.6f}"
    assert blocks[1].splitlines()[0] == f"# 2 {less:.6f}"
    assert [line.split()[-1] for line in blocks[0].splitlines()[1:]] == best
    assert [line.split()[-1] for line in blocks[1].splitlines()[1:]] == second


def test_spans_of_the_original_text(run, tagged, tmp_path) -> None:
    article = write(tmp_path / "article.txt", TEXT)
    code, output, _ = run("predict", tagged / "words.linnet", article)
    assert code == 0
    found = [json.loads(line) for line in output.splitlines()]
    assert [(span["text"], span["label"]) for span in found] == [
        ("Robin", "PERSON"),
        ("barn owl", "BIRD"),
        ("Kettle Marsh", "PLACE"),
        ("May Finch", "PERSON"),
    ]
    assert all(TEXT[span["start"] : span["end"]] == span["text"] for span in found)
    options = ("--output-format", "spans", "--proba")
    code, output, _ = run("tag", tagged / "words.linnet", article, *options)
    (record,) = (json.loads(line) for line in output.splitlines())
    assert record["text"] == TEXT
    assert [span["start"] for span in record["spans"]] == [span["start"] for span in found]
    assert all(0 < span["probability"] <= 1 for span in record["spans"])
    code, output, _ = run("tag", tagged / "words.linnet", article, "--output-format", "conll")
    assert sentences(output)[0][3:5] == [["barn", "B-BIRD"], ["owl", "I-BIRD"]]
    code, output, _ = run("tag", tagged / "words.linnet", article, "-k", 2)
    assert [len(json.loads(line)["best"]) for line in output.splitlines()] == [2, 2]


def test_spans_can_be_learnt_from_again(run, tagged, tmp_path) -> None:
    article = write(tmp_path / "a.txt", TEXT)
    output = run("tag", tagged / "words.linnet", article, "--output-format", "spans")[1]
    file = write(tmp_path / "spans.jsonl", output * 4)
    model = tmp_path / "m.linnet"
    assert run("train", file, "-o", model, "-q")[0] == 0
    assert run("tag", model, file)[1] == output * 4
    found = run("tag", model, file, "--output-format", "entities")[1]
    lines = [json.loads(line)["line"] for line in found.splitlines()]
    assert lines == [line for line in (1, 2, 3, 4) for _ in range(4)]
    assert json.loads(run("evaluate", model, file, "--json")[1])["spans"]["f1"] == 1


def test_lists_of_tokens(run, tagged, tmp_path) -> None:
    options = ("--output-format", "tokens")
    code, output, _ = run("tag", tagged / "names.linnet", tagged / "test.conll", *options)
    records = [json.loads(line) for line in output.splitlines()]
    assert list(records[0]) == ["tokens", "pos", "tags", "predicted"]
    for record in records:
        del record["predicted"]
        record["names"] = record.pop("tags")
    file = write(tmp_path / "t.jsonl", "".join(json.dumps(r) + "\n" for r in records))
    model = tmp_path / "m.linnet"
    assert run("train", file, "-o", model, "-q", "--label", "names")[0] == 0
    for record in records:
        del record["names"]
    bare = write(tmp_path / "b.jsonl", "".join(json.dumps(r) + "\n" for r in records))
    code, output, said = run("tag", model, bare, "--proba")
    assert code == 0, said
    first = json.loads(output.splitlines()[0])
    assert list(first) == ["tokens", "pos", "tags", "probabilities"]
    assert len(first["tags"]) == len(first["probabilities"]) == len(first["tokens"])
    assert run("tag", model, file)[0] == run("evaluate", model, file)[0] == 0


UD = """# text = A linnet sings.
1\tA\ta\tDET\tDT\t_\t2\tdet\t_\t_
2\tlinnet\tlinnet\tNOUN\tNN\t_\t3\tnsubj\t_\t_
3-4\tsings.\t_\t_\t_\t_\t_\t_\t_\t_
3\tsings\tsing\tVERB\tVBZ\t_\t0\troot\t_\tSpaceAfter=No
4\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\t_

"""


def test_conllu_has_the_tag_in_its_place(run, tmp_path) -> None:
    file = write(tmp_path / "d.conllu", UD * 3)
    for label, column in ((None, 3), ("xpos", 4)):
        model = tmp_path / "m.linnet"
        named = () if label is None else ("--label", label)
        assert run("train", file, "-o", model, "-q", *named)[0] == 0
        assert run("tag", model, file)[:2] == (0, UD * 3)
        rows = [line.split("\t") for line in UD.splitlines() if "\t" in line]
        hidden = ["\t".join("_" if k == column else c for k, c in enumerate(row)) for row in rows]
        empty = write(tmp_path / "e.conllu", f"{UD.splitlines()[0]}\n" + "\n".join(hidden) + "\n\n")
        assert run("tag", model, empty)[:2] == (0, UD)
        sure = run("tag", model, file, "--proba")[1].splitlines()
        assert sure[4].split("\t")[9].startswith("SpaceAfter=No|P=0.")
        assert "token accuracy         1.0000" in run("evaluate", model, file)[1]
    words = write(tmp_path / "w.conll", "A\nlinnet\n\n")
    assert run("tag", model, words)[1] == "A DT\nlinnet NN\n\n"
    sure = run("tag", model, words, "--output-format", "conllu", "--proba")[1].splitlines()
    assert sure[0].startswith("1\tA\t_\t")
    assert "\tDT\t" in sure[0]
    assert "\tP=" in sure[0]
    words = write(tmp_path / "w.conll", "A DT\nlinnet NN\n\n")
    assert "token accuracy         1.0000" in run("evaluate", model, words)[1]


def test_attributes_of_crfsuite(run, tmp_path) -> None:
    text = "N\tw=linnet\tsmall:0.5\nV\tw=sings\n\nN\tw=wren\nV\tw=hides\n\n"
    file = write(tmp_path / "a.crfsuite", text)
    model = tmp_path / "m.linnet"
    assert run("train", file, "-o", model, "-q")[0] == 0
    assert run("tag", model, file)[1].count("N\t") == 2
    probabilities = run("tag", model, file, "--proba")[1].splitlines()
    assert [line.split("\t")[0] for line in probabilities] == ["N", "V", "", "N", "V", ""]
    bare = write(tmp_path / "b.crfsuite", "w=linnet\nw=sings\n")
    assert run("tag", model, bare, "--unlabelled")[1] == "N\tw=linnet\nV\tw=sings\n\n"
    assert "token accuracy         1.0000" in run("evaluate", model, file)[1]
    assert run("tag", model, file, "-k", 3)[1].startswith("# 1 ")


def test_nothing_in_nothing_out(run, tagged, tmp_path) -> None:
    for model in ("names", "words"):
        for name in ("e.conll", "e.txt", "e"):
            for text in ("", "\n\n", "  \n"):
                file = write(tmp_path / name, text)
                assert run("tag", tagged / f"{model}.linnet", file) == (0, "", ""), (model, name)


# Scoring


def test_the_report_says_what_the_functions_say(run, tagged) -> None:
    code, output, _ = run("evaluate", tagged / "names.linnet", tagged / "test.conll", "--json")
    assert code == 0
    told = json.loads(output)
    X, gold = samples.load_tagged("sightings-test")
    guess = linnet.load(tagged / "names.linnet").predict(X)
    found = span_counts(gold, guess)
    for name, value in found.report().items():
        assert told["spans"][name] == value, name
    assert told["token_accuracy"]["value"] == pytest.approx(found.token_accuracy)
    assert told["errors"] == sum(
        a != b for one, other in zip(gold, guess, strict=True) for a, b in zip(one, other, strict=True)
    )
    counts = told["confusion"]["counts"]
    assert sum(map(sum, counts)) == told["tokens"]
    assert told["sentence_accuracy"]["value"] == pytest.approx(
        sum(a == b for a, b in zip(gold, guess, strict=True)) / len(gold)
    )
    for scores in (told["token_accuracy"], told["spans"]["f1_interval"]):
        assert scores["low"] <= scores["value"] <= scores["high"]
    weak = tagged / "weak.linnet"
    run("train", tagged / "train.conll", "-o", weak, "-C", "0.001", "--features", "pos")
    code, output, _ = run("evaluate", weak, tagged / "test.conll")
    for words in ("F1 of spans", "PERSON", "Confusions: gold tag by guess", "taken for"):
        assert words in output


def test_tags_never_seen_are_told_and_count_as_errors(run, tagged, tmp_path) -> None:
    changed = (tagged / "test.conll").read_text("utf-8").replace("-PLACE", "-LAKE")
    file = write(tmp_path / "lake.conll", changed)
    code, output, _ = run("evaluate", tagged / "names.linnet", file)
    assert code == 0
    assert "never seen in training: B-LAKE (64 tokens, all errors)" in output
    told = json.loads(run("evaluate", tagged / "names.linnet", file, "--json")[1])
    by_type = {row["type"]: row["f1"] for row in told["spans"]["per_type"]}
    assert by_type["LAKE"] == by_type["PLACE"] == 0 < by_type["BIRD"]
    said = run("train", tagged / "train.conll", "-o", tmp_path / "m.linnet", "--dev", file)[2]
    assert "has tags never seen in training: B-LAKE, I-LAKE" in said


def test_plain_tags_have_no_spans(run, tmp_path) -> None:
    file = write(tmp_path / "d.conllu", UD * 3)
    model = tmp_path / "m.linnet"
    assert run("train", file, "-o", model, "-q")[0] == 0
    told = json.loads(run("evaluate", model, file, "--json")[1])
    assert "spans" not in told
    text = write(tmp_path / "t.txt", "A linnet sings.")
    assert sentences(run("tag", model, text)[1]) == [
        [["A", "DET"], ["linnet", "NOUN"], ["sings", "VERB"], [".", "PUNCT"]]
    ]
    assert run("tag", model, text, "--output-format", "spans")[0] == 2


def test_two_taggers_against_each_other(run, tagged) -> None:
    told = json.loads(
        run(
            "evaluate",
            tagged / "names.linnet",
            tagged / "test.conll",
            "--against",
            tagged / "names.linnet",
            "--json",
        )[1]
    )
    rows = {row["metric"]: row for row in told["against"]["differences"]}
    assert {*rows} == {"token_accuracy", "f1"}
    assert all(row["difference"]["value"] == 0 and row["p"] == 1 for row in rows.values())
    args = ("evaluate", tagged / "names.linnet", tagged / "test.conll")
    code, output, _ = run(*args, "--against", tagged / "words.linnet")
    assert code == 0
    assert "p (bootstrap)" in output


# Choosing


def test_tune(run, tagged, tmp_path) -> None:
    few = first(tagged / "train.conll", 90, tmp_path)
    best = tmp_path / "best.linnet"
    options = ("-C", "0.01,1", "--features", "pos,ner", "--folds", 2, "-o", best)
    code, output, said = run("tune", few, *options, "--json")
    assert code == 0, said
    told = json.loads(output)
    assert told["metric"] == "f1"
    assert [row["settings"] for row in told["rows"]] == [
        {"features": f, "C": c} for f in ("pos", "ner") for c in (0.01, 1.0)
    ]
    assert told["best"]["dev"] == max(row["dev"] for row in told["rows"])
    assert told["best"]["settings"]["C"] == 1
    assert run("evaluate", best, tagged / "test.conll")[0] == 0
    options = ("--dev", tagged / "test.conll", "--learner", "dual,lbfgs", "-C", "1")
    code, output, _ = run("tune", few, *options, "--metric", "accuracy")
    assert code == 0
    assert "← best" in output
    assert "lbfgs" in output
    assert run("tune", few, "--metric", "brier")[0] == 2


def test_compare(run, tagged) -> None:
    chosen = [part for name in ("HMM", "CRF", "perceptron") for part in ("--model", name)]
    options = ("--test", tagged / "test.conll", *chosen)
    code, output, said = run("compare", tagged / "train.conll", *options, "--json")
    assert code == 0, said
    rows = {row["name"]: row for row in json.loads(output)["models"]}
    assert {*rows} == {"HMM", "CRF", "perceptron"}
    assert all(row["f1"] > 0.9 for row in rows.values())
    assert rows["CRF"]["probabilities"]
    assert not rows["perceptron"]["probabilities"]
    code, output, _ = run("compare", tagged / "train.conll", "--model", "perceptron")
    assert code == 0
    assert "240 sentences to learn from, 60 to score on" in output
    assert run("compare", tagged / "train.conll", "--model", "oracle")[0] == 2


# Looking inside


def test_inspect_and_explain(run, tagged, tmp_path) -> None:
    code, output, _ = run("inspect", tagged / "names.linnet", "--top", 2, "--label", "B-BIRD")
    assert code == 0
    for words in ("tagger", "iob2", "B-BIRD ", "transitions", " → "):
        assert words in output
    told = json.loads(run("inspect", tagged / "names.linnet", "--json")[1])
    assert told["columns"] == ["word", "pos", "tag"]
    assert len(told["weights"]["tags"]) == 7
    code, output, _ = run("explain", tagged / "words.linnet", "Robin saw a barn owl.", "--json")
    assert code == 0
    (record,) = (json.loads(line) for line in output.splitlines())
    assert [token["tag"] for token in record["tokens"]][3:5] == ["B-BIRD", "I-BIRD"]
    contributions = [t["value"] * t["weight"] for token in record["tokens"] for t in token["terms"]]
    assert sum(contributions) == pytest.approx(record["score"], rel=1e-5)
    few = first(tagged / "test.conll", 2, tmp_path)
    code, output, _ = run("explain", tagged / "names.linnet", "--data", few, "--json")
    assert (code, output.count("\n")) == (0, 2)
    assert run("explain", tagged / "names.linnet", "A wren.")[0] == 2
    page = tmp_path / "page.html"
    assert run("explain", tagged / "words.linnet", "A wren.", "--html", page)[0] == 0
    assert "wren" in page.read_text("utf-8")


def test_quantize(run, tagged, tmp_path) -> None:
    small = tmp_path / "small.linnet"
    assert run("quantize", tagged / "names.linnet", "-o", small)[0] == 0
    assert small.stat().st_size < (tagged / "names.linnet").stat().st_size
    told = json.loads(run("evaluate", small, tagged / "test.conll", "--json")[1])
    assert told["spans"]["f1"] > 0.97


def test_the_grid_knows_chains(run) -> None:
    cell = ("--structure", "chain", "--loss", "logistic", "--learner", "lbfgs", "--penalty", "l2")
    assert run("grid", *cell) == (0, "yes\n", "")


# What goes wrong


@pytest.mark.parametrize(
    ("name", "content", "code", "words"),
    [
        ("d.conll", "a X\nb\n\n", 1, "d.conll, line 2: 1 columns where the lines before have 2"),
        ("d.conll", "", 1, "d.conll is empty"),
        ("d.conll", "\n\n", 1, "d.conll holds no tokens"),
        ("d.conll", "a\nb\n\nc\n", 1, "d.conll has no tags; the last column is the tag"),
        ("d.conllu", UD.replace("\tNOUN", ""), 1, "d.conllu, line 3: "),
        ("d.jsonl", '{"tokens": ["a", "b"], "tags": ["X"]}\n', 1, "d.jsonl, line 1: 2 tokens, but"),
        ("d.jsonl", '{"tokens": ["a"]}\n', 1, "d.jsonl has no tags"),
        ("d.jsonl", '{"text": "a b", "spans": [[0, 9, "X"]]}\n', 1, "d.jsonl, line 1: the span"),
        ("d.crfsuite", "X\ta:b\n", 1, "d.crfsuite, line 1: 'a:b' has no finite number"),
    ],
)
def test_data_that_cannot_be_used(run, tmp_path, name, content, code, words) -> None:
    file = write(tmp_path / name, content)
    got, output, said = run("train", file, "-o", tmp_path / "m.linnet", "--task", "tag")
    assert (got, output) == (code, "")
    assert said.startswith("Error: ")
    assert said.count("\n") == 1
    assert words in said
    assert not (tmp_path / "m.linnet").exists()


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--features", "nose"), 2, "--features nose: neither a recipe (pos, chunk, ner) nor a file"),
        (("--preset", "oracle"), 2, "--preset oracle: there are hmm, memm"),
        (("--order", "3"), 2, "--order"),
        (("--legal", "biology"), 2, "there is no scheme 'biology'"),
        (("--word", "1"), 2, "--word: for texts"),
        (("--calibration", "none"), 2, "--calibration: for texts"),
        (("--label", "nose"), 1, "train.conll has no column 'nose'"),
        (("--columns", "a,b"), 1, "tag"),
        (("--columns", "a,b,c,d"), 1, "train.conll has 3 columns, but their names are a, b, c, d"),
        (("--loss", "hinge", "--learner", "lbfgs"), 2, "lbfgs does not train with loss 'hinge'"),
        (("--local", "--order", "2"), 2, "order=1"),
        (("--dev", "nowhere.conll"), 1, "nowhere.conll"),
        (("--task", "classify"), 1, "train.conll"),
    ],
)
def test_mistakes_of_the_user(run, tagged, tmp_path, monkeypatch, options, code, words) -> None:
    monkeypatch.chdir(tagged)
    got, _, said = run("train", "train.conll", "-o", tmp_path / "m.linnet", "-q", *options)
    if options == ("--columns", "a,b"):  # names without the tag's are names
        assert got == 0, said
        return
    assert got == code, said
    assert said.startswith("Error: ")
    assert said.count("\n") == 1
    assert words in said


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("tag", "names.linnet", "wide.conll"), 1, "wide.conll, line 1: 4 columns, where the model"),
        (("tag", "names.linnet", "one.conll"), 1, "one.conll has no column 'pos', which the model"),
        (("tag", "names.linnet", "ragged.conll"), 1, "ragged.conll, line 2: 2 columns where"),
        (("tag", "names.linnet", "text.txt"), 1, "text.txt has no column 'pos'"),
        (("tag", "names.linnet", "a.crfsuite"), 1, "a.crfsuite has no column 'word'"),
        (("tag", "names.linnet", "nowhere.conll"), 1, "nowhere.conll"),
        (("tag", "names.linnet", "test.conll", "--format", "pdf"), 2, "--format pdf: formats of"),
        (("tag", "names.linnet", "test.conll", "--output-format", "pdf"), 2, "there are conll"),
        (("predict", "names.linnet", "test.conll", "--threshold", "0.5"), 2, "--threshold: for"),
        (("predict", "names.linnet", "test.conll", "-k", "2", "--proba"), 2, "leave out"),
        (("evaluate", "names.linnet", "two.conll"), 1, "two.conll has 2 columns, but"),
        (("evaluate", "names.linnet", "text.txt"), 1, "text.txt has no tags to compare with"),
        (("evaluate", "names.linnet", "test.conll", "--curve", "O"), 2, "--curve: for classifiers"),
        (("explain", "names.linnet", "--data", "two.conll", "A wren."), 2, "give one"),
    ],
)
def test_files_that_do_not_go_with_the_model(run, tagged, monkeypatch, arguments, code, words) -> None:
    monkeypatch.chdir(tagged)
    for name, text in {
        "wide.conll": "a NN O x\nb NN O x\n\n",
        "two.conll": "a NN\nb NN\n\n",
        "one.conll": "a\nb\n\n",
        "ragged.conll": "a NN O\nb NN\n\n",
        "text.txt": "A wren.",
        "a.crfsuite": "O\tw=a\n\n",
    }.items():
        write(tagged / name, text)
    got, output, said = run(*arguments)
    assert (got, output) == (code, ""), said
    assert said.startswith("Error: ")
    assert said.count("\n") == 1
    assert words in said


def test_a_classifier_is_no_tagger(run, data, models) -> None:
    code, _, said = run("tag", models / "birds.linnet", data / "birds-test.tsv")
    assert (code, "use linnet predict" in said) == (2, True)
    code, _, said = run("predict", models / "birds.linnet", data / "birds-test.tsv", "--unlabelled")
    assert (code, "--unlabelled: for taggers" in said) == (2, True)


def test_margins_are_no_probabilities(run, tagged, tmp_path) -> None:
    model = tmp_path / "m.linnet"
    options = ("--preset", "perceptron", "--max-iter", 2)
    assert run("train", tagged / "train.conll", "-o", model, "-q", *options)[0] == 0
    code, _, said = run("tag", model, tagged / "test.conll", "--proba")
    assert (code, "margins, not probabilities" in said) == (2, True)
