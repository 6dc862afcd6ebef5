"""``linnet train`` on several files, and on files larger than memory."""

import gzip
import shutil

import pytest

import linnet
from linnet.estimators.linear import ranged

from ..estimators.shards import sample


@pytest.fixture(scope="module")
def parts(data, tmp_path_factory):
    """The birds in one file, and in three."""
    folder = tmp_path_factory.mktemp("parts")
    whole = (data / "birds-train.tsv").read_bytes()
    lines = whole.splitlines(keepends=True)
    (folder / "all.tsv").write_bytes(whole)
    (folder / "a-1.tsv").write_bytes(b"".join(lines[:500]))
    (folder / "a-2.tsv.gz").write_bytes(gzip.compress(b"".join(lines[500:800]), mtime=0))
    (folder / "rest.tsv").write_bytes(b"".join(lines[800:]))
    return folder


@pytest.mark.parametrize("options", [(), ("--memory", "4GB"), ("--threads", "2", "--memory", "4GB")])
def test_several_files_and_patterns(run, parts, tmp_path, options) -> None:
    one, several = tmp_path / "one.linnet", tmp_path / "several.linnet"
    assert run("train", parts / "all.tsv", "-o", one)[0] == 0
    code, _, said = run("train", parts / "a-*", parts / "rest.tsv", "-o", several, *options)
    assert code == 0, said
    assert "1,200 examples, 6 labels" in said
    assert several.read_bytes() == one.read_bytes()


def test_shards_below_a_limit(run, parts, tmp_path) -> None:
    one, other = tmp_path / "one.linnet", tmp_path / "other.linnet"
    train = ("train", parts / "a-*", parts / "rest.tsv", "--shards", "3", "-o")
    assert run(*train, one)[0] == 0
    code, _, said = run(*train, other, "--memory", "4GB")
    assert code == 0, said
    assert other.read_bytes() == one.read_bytes()
    code, _, said = run(*train, other, "--cache", tmp_path / "kept")
    assert code == 2
    assert "--cache does not go with an engine" in said


def test_workers_of_a_cluster_read_the_files(run, parts, tmp_path, monkeypatch) -> None:
    pytest.importorskip("ray")
    one, other = tmp_path / "one.linnet", tmp_path / "other.linnet"
    train = ("train", parts / "a-*", parts / "rest.tsv", "--shards", "2", "-o")
    assert run(*train, one)[0] == 0
    code, _, said = run(*train, other, "--engine", "ray")
    assert code == 0, said
    assert "1,200 examples, 6 labels" in said
    assert "note:" not in said
    assert other.read_bytes() == one.read_bytes()
    code, _, said = run(
        *train, other, "--engine", "ray", "--statistics", "length", "--learner", "mixing"
    )
    assert code == 0, said
    assert "note: files are read here, and rows sent to the workers: what stands beside a text" in said
    rows = tmp_path / "rows.svm"
    rows.write_text("".join(f"{k % 2} {k % 7 + 1}:1 {k % 3 + 9}:0.5\n" for k in range(200)))
    monkeypatch.setattr(ranged, "SMALLEST", 500)
    train = ("train", rows, "--shards", "2", "-o")
    assert run(*train, one)[0] == 0
    monkeypatch.setattr("linnet.cli.tasks.classify.data._read", None)  # nothing is read here
    code, _, said = run(*train, other, "--engine", "ray")
    assert code == 0, said
    assert "200 examples, 2 labels, 11 features" in said
    assert other.read_bytes() == one.read_bytes()


@pytest.mark.filterwarnings("default::linnet.errors.DataWarning")
def test_rows_are_kept(run, parts, tmp_path) -> None:
    kept, models = tmp_path / "kept", [tmp_path / f"{k}.linnet" for k in range(3)]
    train = ("train", parts / "all.tsv", "--cache", kept, "-o")
    assert "rows are those kept" not in run(*train, models[0])[2]
    code, _, said = run(*train, models[1])
    assert code == 0
    assert f"note: rows are those kept in {kept}" in said
    (rows,) = kept.glob("*.rows")
    rows.write_bytes(rows.read_bytes()[:5000])
    code, _, said = run(*train, models[2])
    assert code == 0
    assert "it is cut short" in said
    assert "; it is made anew" in said
    assert len({model.read_bytes() for model in models}) == 1


def test_a_model_goes_on_with_a_stream(run, parts, tmp_path) -> None:
    first, second = tmp_path / "a.linnet", tmp_path / "b.linnet"
    assert run("train", parts / "rest.tsv", "-o", first)[0] == 0
    going_on = ("train", parts / "a-1.tsv", "--from", first, "-o", second)
    assert run(*going_on, "--memory", "4GB")[0] == 0
    assert linnet.load(second).features_.n_features > linnet.load(first).features_.n_features
    code, _, said = run(*going_on, "--cache", tmp_path / "kept")
    assert (code, "--cache: a model that goes on" in said) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("x*.tsv",), 1, "x*.tsv: no file has such a name"),
        (("all.tsv", "nowhere.tsv"), 1, "nowhere.tsv does not exist"),
        (("all.tsv", "all.tsv"), 1, "all.tsv is named twice"),
        (("all.tsv", "--memory", "10MB"), 1, "--memory is 10 MB, and Python with Linnet has"),
        (("all.tsv", "--memory", "much"), 2, "memory must be a size such as '500MB'"),
        (("all.tsv", "--cache", "all.tsv"), 2, "is a file"),
        (("rows.svm", "--memory", "4GB"), 1, "rows.svm has numbered features, no texts"),
        (("tagged.conll", "--memory", "10MB"), 1, "--memory is 10 MB, and Python with Linnet has"),
        (
            ("tagged.conll", "wide.conll"),
            1,
            "wide.conll has the columns word, pos, and tagged.conll word",
        ),
        (("tagged.conll", "wide.conll", "--memory", "4GB"), 1, "wide.conll has the columns word, pos"),
    ],
)
def test_mistakes(run, parts, tmp_path, monkeypatch, arguments, code, told) -> None:
    shutil.copytree(parts, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    (tmp_path / "here/rows.svm").write_text("1 3:1\n0 4:1\n", encoding="utf-8")
    (tmp_path / "here/tagged.conll").write_text("a DT\ndog NN\n\nit PRP\n", encoding="utf-8")
    (tmp_path / "here/wide.conll").write_text("a x DT\ndog y NN\n\nit z PRP\n", encoding="utf-8")
    found = run("train", *arguments, "-o", "m.linnet")
    assert found[0] == code
    assert told in found[2]
    assert not (tmp_path / "here/m.linnet").exists()


def test_what_a_pattern_stands_for_is_not_written_over(run, parts) -> None:
    before = (parts / "a-1.tsv").read_bytes()
    code, _, said = run("train", parts / "a-*", "-o", parts / "a-1.tsv")
    assert (code, "the same file is read" in said) == (2, True)
    assert (parts / "a-1.tsv").read_bytes() == before


SENTENCES = {
    "tagger": ("sightings-train.conll", "conll", ("--learner", "perceptron"), "300 sentences"),
    "parser": ("rambles-train.conllu", "conllu", ("--task", "parse", "--max-iter", "1"), "sentences"),
}


@pytest.mark.parametrize("kind", SENTENCES)
def test_sentences_and_trees(run, tmp_path, kind) -> None:
    """One file and several, whole and in parts: the same model, which may be kept for the next."""
    name, ending, options, said = SENTENCES[kind]
    sentences = sample(name).read_text(encoding="utf-8").split("\n\n")
    cut = len(sentences) // 2
    (tmp_path / f"a-1.{ending}").write_text("\n\n".join(sentences[:cut]) + "\n\n", encoding="utf-8")
    rest = "\n\n".join(sentences[cut:]).encode()
    (tmp_path / f"a-2.{ending}.gz").write_bytes(gzip.compress(rest, mtime=0))
    kept, models = tmp_path / "kept", [tmp_path / f"{k}.linnet" for k in range(4)]
    assert run("train", sample(name), *options, "-o", models[0])[0] == 0
    files = ("train", tmp_path / "a-*", *options, "-o")
    for model, more in zip(models[1:], ((), ("--memory", "4GB"), ("--cache", kept)), strict=True):
        code, _, told = run(*files, model, *more)
        assert code == 0, told
        assert said in told
    assert len({model.read_bytes() for model in models}) == 1
    code, _, told = run(*files, models[1], "--cache", kept, "--memory", "4GB")
    assert (code, f"note: sentences are those kept in {kept}" in told) == (0, True)
    assert models[1].read_bytes() == models[0].read_bytes()


def test_a_tagger_goes_on_with_a_stream(run, tmp_path) -> None:
    first, second = tmp_path / "a.linnet", tmp_path / "b.linnet"
    train = sample("sightings-train.conll")
    assert run("train", train, "--learner", "perceptron", "--max-iter", "1", "-o", first)[0] == 0
    going_on = ("train", sample("sightings-test.conll"), "--from", first, "-o", second)
    assert run(*going_on, "--memory", "4GB")[0] == 0
    assert linnet.load(second).features_.n_features > linnet.load(first).features_.n_features
    code, _, said = run(*going_on, "--cache", tmp_path / "kept")
    assert (code, "--cache: a model that goes on" in said) == (2, True)


def test_a_tagger_is_saved_on_its_way(run, tmp_path) -> None:
    """--checkpoint goes with --memory."""
    plain, saved = tmp_path / "plain.linnet", tmp_path / "saved.linnet"
    train = (
        "train",
        sample("sightings-train.conll"),
        "--learner",
        "perceptron",
        "--memory",
        "4GB",
        "-o",
    )
    assert run(*train, plain)[0] == 0
    state = tmp_path / "state"
    assert run(*train, saved, "--checkpoint", state, "--every", "0s")[0] == 0
    assert saved.read_bytes() == plain.read_bytes()
    assert not state.exists()
