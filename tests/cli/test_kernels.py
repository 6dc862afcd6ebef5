"""``linnet train --kernel``, and every command that takes what it writes."""

import json
import re

import pytest

import linnet


@pytest.mark.parametrize("kernel", ["gaussian", "linear", "polynomial degree=2", "spectrum length=3"])
def test_a_machine_from_the_command_line(run, data, tmp_path, kernel: str) -> None:
    model = tmp_path / "m.linnet"
    held_out = data / "verse-test.tsv"
    code, output, said = run(
        "train",
        data / "verse-train.tsv",
        "--kernel",
        kernel,
        "-C",
        "10",
        "-o",
        model,
        "--dev",
        held_out,
    )
    assert (code, output) == (0, ""), said
    assert "support vectors" in said
    assert "accuracy on" in said
    loaded = linnet.load(model)
    assert isinstance(loaded, linnet.KernelSVM)
    code, output, said = run("evaluate", model, held_out, "--json")
    assert code == 0, said
    assert json.loads(output)["metrics"]["accuracy"] > 0.8
    texts = tmp_path / "texts.txt"
    texts.write_text("shall I compare thee\na linnet\n")
    code, output, said = run("predict", model, texts, "--scores")
    assert code == 0, said
    assert len(output.splitlines()) == 2
    code, output, said = run("explain", model, "shall I compare thee", "--json")
    assert code == 0, said
    told = json.loads(output)
    assert len(told["shares"]) == 5
    code, output, said = run("inspect", model)
    assert code == 0, said
    assert "support vectors" in output
    code, _, said = run("quantize", model, "-o", tmp_path / "small.linnet")
    assert (code, said) == (2, f"Error: {model} is a KernelSVM, which has no weights to pack\n")
    code, _, said = run("predict", model, texts, "--proba")
    assert code == 2
    assert "margins, not probabilities; train without --kernel\n" in said


def test_rows_of_numbers(run, tmp_path) -> None:
    rows = tmp_path / "xor.svm"
    rows.write_text("1 1:1 2:1\n0 1:1 2:-1\n0 1:-1 2:1\n1 1:-1 2:-1\n")
    model = tmp_path / "m.linnet"
    code, _, said = run("train", rows, "--kernel", "polynomial degree=2", "-C", "100", "-o", model)
    assert code == 0, said
    code, output, said = run("predict", model, rows)
    assert code == 0, said
    assert output.split() == ["1", "0", "0", "1"]


def test_perceptrons_and_sums(run, data, tmp_path) -> None:
    model = tmp_path / "m.linnet"
    held_out = data / "verse-test.tsv"
    for hypothesis in ("last", "average", "voted", "survivor"):
        said = ("--kernel", "linear + gaussian", "--learner", "perceptron", "--hypothesis", hypothesis)
        code, _, told = run("train", data / "verse-train.tsv", *said, "-o", model)
        assert code == 0, told
        loaded = linnet.load(model)
        assert isinstance(loaded, linnet.KernelPerceptron)
        assert loaded.hypothesis == hypothesis.replace("average", "averaged")
        assert str(loaded.kernel_).startswith("Sum(kernels=[Linear(), Gaussian(")
        code, output, told = run("evaluate", model, held_out, "--json")
        assert json.loads(output)["metrics"]["accuracy"] > (0.5 if hypothesis == "survivor" else 0.75)
    said = ("--kernel", "linear", "--learner", "perceptron", "--hypothesis", "voted")
    assert run("train", data / "verse-train.tsv", *said, "-o", model)[0] == 0
    code, _, told = run("explain", model, "a linnet")
    assert code == 2
    assert "no sum over support vectors" in told


@pytest.mark.parametrize("form", ["texts", "rows"])
def test_numbers(run, tmp_path, form: str) -> None:
    """A number for each example: how many times a word is in it, or twice what stands there."""
    data = tmp_path / ("numbers.tsv" if form == "texts" else "numbers.svm")
    lines = [
        f"{n + 0.5}\t" + "linnet " * n + f"sings x{n}" if form == "texts" else f"{2 * n + 0.5} 1:{n}"
        for n in range(1, 30)
    ]
    data.write_text("\n".join(lines) + "\n")
    model = tmp_path / "m.linnet"
    said = ("--task", "regress", "--kernel", "gaussian", "-C", "1000")
    code, _, told = run("train", data, *said, "-o", model)
    assert code == 0, told
    assert "support vectors" in told
    assert isinstance(linnet.load(model), linnet.KernelRegressor)
    code, output, told = run("evaluate", model, data, "--json")
    assert code == 0, told
    assert json.loads(output)["metrics"]["r2"]["value"] > 0.9
    code, output, told = run("predict", model, data)
    assert code == 0, told
    assert len(output.split()) == 29
    code, output, told = run("inspect", model, "--json")
    assert code == 0, told
    assert json.loads(output)["kind"] == "kernel machine"
    if form == "texts":
        code, output, told = run("explain", model, "linnet linnet sings")
        assert code == 0, told
        assert "example" in output


BIRDS = ("linnet", "wren", "owl", "finch")
TREES = [
    f"{bird}\t(S (NP (DT {det}) (NN {bird})) (VP (VB {verb})))"
    for bird in BIRDS
    for det in ("a", "the")
    for verb in ("sings", "flies", "sleeps")
]


@pytest.mark.parametrize(
    "learner", [(), ("--learner", "perceptron", "--hypothesis", "last", "--max-iter", "100")]
)
def test_trees_in_brackets(run, tmp_path, learner: tuple[str, ...]) -> None:
    data, model = tmp_path / "trees.tsv", tmp_path / "m.linnet"
    data.write_text("\n".join(TREES) + "\n")
    said = ("--kernel", "normalised subset_tree decay=0.5", *learner)
    code, _, told = run("train", data, *said, "-o", model, "--dev", data)
    assert code == 0, told
    assert "accuracy on" in told
    code, output, told = run("predict", model, data)
    assert code == 0, told
    assert output.split() == [line.split("\t")[0] for line in TREES]
    code, output, told = run("evaluate", model, data, "--json")
    assert json.loads(output)["metrics"]["accuracy"] == 1
    asked = "(S (NP (DT some) (NN wren)) (VP (VB hides)))"
    code, output, told = run("explain", model, asked, "--json")
    assert code == 0, told
    told_ = json.loads(output)
    assert told_["label"] == "wren"
    assert "(NN wren)" in told_["shares"][0]["shown"]
    loaded = linnet.load(model)
    trees = [line.split("\t")[1] for line in TREES]
    assert loaded.predict(trees).tolist() == [line.split("\t")[0] for line in TREES]


def test_numbers_and_settings_of_trees(run, tmp_path) -> None:
    data, model = tmp_path / "trees.tsv", tmp_path / "m.linnet"
    lines = [line.split("\t") for line in TREES]
    data.write_text("\n".join(f"{BIRDS.index(bird)}.0\t{tree}" for bird, tree in lines) + "\n")
    said = ("--task", "regress", "--kernel", "normalised partial_tree", "-C", "100")
    code, _, told = run("train", data, *said, "-o", model)
    assert code == 0, told
    code, output, told = run("evaluate", model, data, "--json")
    assert json.loads(output)["metrics"]["r2"]["value"] > 0.9
    data.write_text("\n".join(TREES) + "\n")
    said = ("--kernel", "subtree,subset_tree", "-C", "0.1,10", "--folds", "2", "--json")
    code, output, told = run("tune", data, *said, "-o", model)
    assert code == 0, told
    assert len(json.loads(output)["rows"]) == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no brackets", "stands outside of brackets"),
        ("(S (N x)", "a bracket is not closed"),
        ("(S (N x)) (S (N y))", "holds several trees"),
    ],
)
def test_what_is_no_tree_is_named(run, tmp_path, text: str, message: str) -> None:
    data, model = tmp_path / "trees.tsv", tmp_path / "m.linnet"
    data.write_text("\n".join([*TREES, f"wren\t{text}"]) + "\n")
    code, _, told = run("train", data, "--kernel", "subset_tree", "-o", model)
    assert code == 1
    assert f"line {len(TREES) + 1}" in told
    assert message in told


def test_a_budget_and_progressive_validation(run, data, tmp_path) -> None:
    model, train = tmp_path / "m.linnet", data / "verse-train.tsv"
    said = ("--kernel", "gaussian", "--learner", "perceptron", "--hypothesis", "last")
    code, _, told = run("train", train, *said, "--budget", "20", "--progressive", "-o", model)
    assert code == 0, told
    assert "since last" in told
    assert len(linnet.load(model).support_) <= 20
    for wrong in (("--kernel", "gaussian"), ("--learner", "perceptron"), ()):
        code, _, told = run("train", train, *wrong, "--budget", "20", "-o", model)
        assert code == 2
        assert "--budget" in told


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("quantize", "MODEL", "-o", "small.linnet"), "has no weights to pack"),
        (("look", "MODEL"), "no weights of words to look at"),
        (("train", "DATA", "--from", "MODEL", "-o", "new.linnet"), "made as a whole"),
        (("predict", "MODEL", "DATA", "--threshold", "0.5"), "margins, not probabilities"),
        (
            ("explain", "MODEL", "a linnet", "--by", "feature"),
            "support vectors are explained as wholes",
        ),
    ],
)
def test_what_a_machine_cannot_do_is_told(run, data, tmp_path, command, message: str) -> None:
    model, train = tmp_path / "m.linnet", data / "verse-train.tsv"
    assert run("train", train, "--kernel", "gaussian", "-q", "-o", model)[0] == 0
    places = {"MODEL": model, "DATA": train}
    code, _, said = run(*(places.get(word, word) for word in command))
    assert code in (1, 2)
    assert message in said


def test_a_machine_over_a_matrix_says_so(run, data, tmp_path) -> None:
    K = [[1.0, 0.0], [0.0, 1.0]]
    linnet.KernelSVM("precomputed").fit(K, ["a", "b"]).save(tmp_path / "m.linnet")
    for command in ("predict", "evaluate"):
        code, _, told = run(command, tmp_path / "m.linnet", data / "verse-test.tsv")
        assert code == 1
        assert "linnet.load reads it in Python" in told
    assert run("inspect", tmp_path / "m.linnet")[0] == 0


def test_kernels_are_tuned(run, data, tmp_path) -> None:
    model = tmp_path / "m.linnet"
    said = ("--kernel", "linear,gaussian sigma=0.7", "-C", "0.1,10", "--folds", "2")
    code, output, told = run("tune", data / "verse-train.tsv", *said, "--json", "-o", model)
    assert code == 0, told
    found = json.loads(output)
    assert len(found["rows"]) == 4
    best = found["best"]["settings"]
    loaded = linnet.load(model)
    assert (loaded.C, loaded.kernel_.reads) == (best["C"], "rows")
    for wrong, message in (
        (("--kernel", "cubic"), "kernel must be one of"),
        (("--kernel", "linear", "--loss", "hinge"), "knows? no such thing|know no such thing"),
        (("--kernel", "linear", "--word", "1,1-2"), "one value"),
    ):
        code, _, told = run("tune", data / "verse-train.tsv", *wrong)
        assert code == 2
        assert re.search(message, told)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--kernel", "cubic"), "kernel must be one of"),
        (("--kernel", "gaussian width=2"), "has no setting"),
        (("--kernel", "precomputed"), "use KernelSVM from Python"),
        (("--kernel", "linear", "--loss", "hinge"), "knows no such thing"),
        (("--kernel", "linear +"), "lacks one beside"),
        (("--kernel", "linear + spectrum"), "no examples in common"),
        (("--kernel", "linear", "--learner", "winnow"), "there is perceptron"),
        (("--kernel", "linear", "--learner", "perceptron", "-C", "2"), "knows no such thing"),
        (("--kernel", "linear", "--lexicon", "words.tsv"), "knows no such thing"),
        (("--kernel", "linear", "--neighbors", "3"), "knows no such thing"),
        (("--kernel", ""), "--kernel: nothing is said"),
    ],
)
def test_what_makes_no_sense_is_refused(run, data, tmp_path, options, message: str) -> None:
    code, _, said = run("train", data / "verse-train.tsv", "-o", tmp_path / "m.linnet", *options)
    assert code == 2
    assert message in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    "said",
    [
        ("--map", "conjunctions degree=2 bits=16", "--word", "1"),
        ("--map", "string_fragments of gappy length=3", "--loss", "hinge"),
        ("--map", "nystroem components=50 of gaussian", "-C", "10"),
        ("--map", "random_fourier components=400", "--learner", "perceptron", "--loss", "perceptron",
         "--penalty", "none", "--average", "--progressive"),
    ],
)  # fmt: skip
def test_a_map_from_the_command_line(run, data, tmp_path, said: tuple[str, ...]) -> None:
    model, held_out = tmp_path / "m.linnet", data / "verse-test.tsv"
    code, output, told = run("train", data / "verse-train.tsv", *said, "-o", model, "--dev", held_out)
    assert (code, output) == (0, ""), told
    assert "accuracy on" in told
    assert ("since last" in told) == ("--progressive" in said)
    code, output, told = run("evaluate", model, held_out, "--json")
    assert code == 0, told
    assert json.loads(output)["metrics"]["accuracy"] > 0.75
    code, output, told = run("predict", model, held_out)
    assert len(output.split()) == len(held_out.read_text().splitlines())
    code, output, told = run("inspect", model, "--json")
    assert code == 0, told
    assert json.loads(output)["kind"] == "text classifier"
    text = held_out.read_text().splitlines()[0].split("\t")[1]
    code, output, told = run("explain", model, text, "--json")
    if said[1].split()[0] in ("conjunctions", "string_fragments"):
        assert code == 0, told
        pieces = [piece["name"] for piece in json.loads(output)["pieces"]]
        assert any(" & " in piece or "·" in piece for piece in pieces)
    else:
        assert code in (1, 2)
        assert "features without names" in told


def test_fragments_of_trees_and_conjunctions_of_rows(run, tmp_path) -> None:
    data, model = tmp_path / "trees.tsv", tmp_path / "m.linnet"
    data.write_text("\n".join(TREES) + "\n")
    code, _, told = run("train", data, "--map", "tree_fragments of subset_tree", "-o", model)
    assert code == 0, told
    code, output, told = run("evaluate", model, data, "--json")
    assert json.loads(output)["metrics"]["accuracy"] == 1
    for name, lines in {
        "xor.svm": "1 1:1 2:1\n0 1:1 2:-1\n0 1:-1 2:1\n1 1:-1 2:-1\n",
        "xor.vw": "1 | a:1 b:1\n-1 | a:1 b:-1\n-1 | a:-1 b:1\n1 | a:-1 b:-1\n",
    }.items():
        rows = tmp_path / name
        rows.write_text(lines)
        said = ("--map", "conjunctions degree=2", "--loss", "hinge", "-C", "100")
        code, _, told = run("train", rows, *said, "-o", model)
        assert code == 0, told
        code, output, told = run("predict", model, rows)
        assert output.split() == [line.split()[0] for line in lines.splitlines()]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--map", "fragments"), "map must be one of"),
        (("--map", "conjunctions", "--kernel", "linear"), "knows no such thing"),
        (("--map", "conjunctions", "--lexicon", "words.tsv"), "knows no such thing"),
        (("--map", "conjunctions", "--calibration", "softmax"), "knows no such thing"),
        (("--map", "conjunctions", "--budget", "3"), "of --kernel"),
        (("--map", "string_fragments", "--word", "1"), "no effect"),
    ],
)
def test_what_makes_no_sense_of_maps_is_refused(run, data, tmp_path, options, message: str) -> None:
    (tmp_path / "words.tsv").write_text("a\tb\n")
    code, _, said = run("train", data / "verse-train.tsv", "-o", tmp_path / "m.linnet", *options)
    assert code in (1, 2)
    assert message in said
    assert "Traceback" not in said


@pytest.mark.parametrize("way", ["rest", "pairs", "ecoc_votes", "kesler"])
@pytest.mark.parametrize("learner", [(), ("--learner", "perceptron")])
def test_reductions_of_machines(run, data, tmp_path, way: str, learner: tuple[str, ...]) -> None:
    model = tmp_path / "m.linnet"
    said = ("--kernel", "linear", *learner, "--multiclass", way, "-o", model)
    code, _, told = run("train", data / "birds-train.tsv", *said)
    assert code == 0, told
    assert linnet.load(model).way_ == way
    code, output, told = run("evaluate", model, data / "birds-test.tsv", "--json")
    assert json.loads(output)["metrics"]["accuracy"] > 0.9, told


def test_what_several_perceptrons_do_not_have(run, data, tmp_path) -> None:
    said = ("--kernel", "linear", "--learner", "perceptron", "--multiclass", "pairs")
    for more, why in (
        (("--hypothesis", "voted"), "trains several perceptrons"),
        (("--progressive",), "--progressive is of examples as they come"),
    ):
        code, _, told = run(
            "train", data / "birds-train.tsv", *said, *more, "-o", tmp_path / "m.linnet"
        )
        assert code == 2
        assert why in told


def test_a_perceptron_is_tuned(run, data, tmp_path) -> None:
    model = tmp_path / "m.linnet"
    said = ("--kernel", "linear", "--learner", "perceptron", "--multiclass", "pairs", "--folds", "2")
    code, output, told = run("tune", data / "birds-test.tsv", *said, "-o", model, "--json")
    assert code == 0, told
    rows = json.loads(output)["rows"]
    assert [row["settings"]["max_iter"] for row in rows] == [5, 10, 20]
    loaded = linnet.load(model)
    assert isinstance(loaded, linnet.KernelPerceptron)
    assert loaded.way_ == "pairs"
    for wrong, why in (
        (("--learner", "perceptron", "-C", "1"), "-C: a perceptron with a kernel knows no such thing"),
        (("--learner", "sgd,perceptron"), "--learner sgd,perceptron: with --kernel there is"),
    ):
        code, _, told = run("tune", data / "birds-test.tsv", "--kernel", "linear", *wrong)
        assert code == 2
        assert why in told


def test_groups_stay_together(run, tmp_path) -> None:
    """With a text in one fold only, what it says of itself is of no use."""
    table = tmp_path / "texts.csv"
    rows = [f"{'yes' if g % 2 else 'no'},word{g},{g}" for g in range(8) for _ in range(4)]
    table.write_text("\n".join(["label,text,group", *rows]) + "\n")
    for way in (("--map", "conjunctions bits=12"), ("--kernel", "linear")):
        scores = []
        for more in ((), ("--group", "group")):
            code, output, told = run("tune", table, *way, "-C", "1", *more, "--folds", "4", "--json")
            assert code == 0, told
            scores.append(json.loads(output)["best"]["dev"])
        assert scores[0] == 1.0
        assert scores[1] < 0.8


def test_maps_are_tuned(run, data, tmp_path) -> None:
    model = tmp_path / "m.linnet"
    maps = "conjunctions degree=1,conjunctions degree=2"
    said = ("--map", maps, "--word", "1", "-C", "0.1,10", "--folds", "2", "-o", model)
    code, output, told = run("tune", data / "birds-train.tsv", *said, "--json")
    assert code == 0, told
    rows = json.loads(output)["rows"]
    assert [(row["settings"]["map"], row["settings"]["C"]) for row in rows] == [
        (name, C) for name in maps.split(",") for C in (0.1, 10.0)
    ]
    best = json.loads(output)["best"]["settings"]
    loaded = linnet.load(model)
    assert isinstance(loaded, linnet.MappedClassifier)
    assert best["C"] == loaded.classifier_.C
    assert f"degree={loaded.map_.degree}" in best["map"]
    rows_file = tmp_path / "xor.svm"
    rows_file.write_text("1 1:1 2:1\n0 1:1 2:-1\n0 1:-1 2:1\n1 1:-1 2:-1\n" * 4)
    code, _, told = run("tune", rows_file, "--map", "conjunctions", "--folds", "2", "-o", model)
    assert code == 0, told
    code, output, _ = run("predict", model, rows_file)
    assert output.split()[:4] == ["1", "0", "0", "1"]
    for wrong, why in (
        (("--map", "conjunction"), "--map: map must be one of"),
        (("--map", "conjunctions", "--kernel", "linear"), "two ways to more features"),
        (("--map", "conjunctions", "--word", "1,1-2"), "features have one value"),
        (("--map", "conjunctions", "--strip-html"), "knows no such thing"),
    ):
        code, _, told = run("tune", data / "birds-train.tsv", *wrong)
        assert code == 2
        assert why in told
