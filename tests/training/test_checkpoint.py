"""Checkpoints: killed at any moment, a training goes on to the same file, byte by byte."""

import itertools
import os
import random
import resource
import signal
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from linnet.cli import main
from linnet.data import samples
from linnet.structures import Solver
from linnet.training import Checkpoint
from linnet.training.stages import Stage

from ..fuzz.commands import SAMPLES, Ended, Running

ROWS = (
    "".join(
        f"{'+-'[k % 2]}1 {1 + k % 7}:{1 + k % 3} {8 + k % 5}:1 {13 + k * k % 11}:0.5\n"
        for k in range(120)
    )
    .replace("-1", "0")
    .replace("+1", "1")
)
# Every family of learners, over texts, rows, sentences and trees.
FAMILIES = {
    "online": {
        "sgd": "texts.tsv --learner sgd --loss logistic --average",
        "adagrad": "texts.tsv --learner adagrad --penalty l1 --batch-size 4",
        "watched": "texts.tsv --learner perceptron --dev dev.tsv",
        "reduced": "texts.tsv --learner sgd --step reduce --loss logistic --dev dev.tsv",
        "progressive": "texts.tsv --learner arow --loss hinge --progressive",
        "winnow": "rows.svm --learner winnow --variant balanced",
    },
    "voted": {
        "voted": "texts.tsv --learner voted",
        "voted chains": "tagged.conll --learner voted --loss perceptron",
    },
    "batch": {
        "lbfgs": "texts.tsv --loss logistic --learner lbfgs --max-iter 12",
        "owlqn": "texts.tsv --loss logistic --learner owlqn --penalty l1 --max-iter 12",
        "newton": "texts.tsv --loss logistic --learner newton",
    },
    "dual": {
        "hinge": "texts.tsv",
        "maxent": "texts.tsv --loss logistic --learner dual",
        "rest": "texts.tsv --multiclass rest --loss squared_hinge",
        "rows": "rows.svm --loss hinge",
    },
    "coordinate": {
        "coordinate": "texts.tsv --loss logistic --learner coordinate --penalty elasticnet",
    },
    "counting": {
        "bayes": "texts.tsv --learner counting --loss joint_likelihood",
        "em": "holes.conll --missing _ --features word.txt --learner em --loss joint_likelihood "
        "--penalty none --tol 1e-9 --max-iter 20",
    },
    "frank_wolfe": {"frank_wolfe": "rows.svm --learner frank_wolfe --loss hinge"},
    "chains": {
        "chains": "tagged.conll",
        "chain steps": "tagged.conll --learner perceptron",
        "chain dual": "tagged.conll --learner dual --loss logistic",
    },
    "parsers": {
        "parser": "trees.conllu --task parse --tagger auto",
        "parser by gradients": "trees.conllu --task parse --learner lbfgs --loss logistic --max-iter 6",
    },
    "shards": {
        "mixing": "rows.svm --learner mixing --inner pa --loss hinge --penalty none --shards 3",
        "averaging": "rows.svm --learner averaging --inner sgd --loss hinge --shards 3",
        "summed": "texts.tsv --learner lbfgs --loss logistic --shards 3 --max-iter 12",
        "at once": "texts.tsv --learner dual --loss hinge --shards 3",
    },
}
TRAININGS = {name: words for family in FAMILIES.values() for name, words in family.items()}
KILLS = 30


@cache
def inputs() -> dict[str, str]:
    texts, labels = samples.load("birds-train")
    lines = [f"{label}\t{text}\n" for text, label in zip(texts, labels, strict=True)]
    rows = zip(*samples.load_tagged("sightings-train"), strict=True)
    blocks = [
        "".join(f"{word} {tag}\n" for (word, _), tag in zip(words, tags, strict=True))
        for words, tags in list(rows)[:30]
    ]
    holes = [b.replace(" O\n", " _\n") if k % 2 else b for k, b in enumerate(blocks)]
    trees = (SAMPLES / "rambles-test.conllu").read_text(encoding="utf-8").split("\n\n")
    return {
        "texts.tsv": "".join(lines[:120]),
        "dev.tsv": "".join(lines[120:180]),
        "rows.svm": ROWS,
        "tagged.conll": "\n".join(blocks),
        "holes.conll": "\n".join(holes),
        "word.txt": "word\n",
        "trees.conllu": "\n\n".join(trees[:20]) + "\n\n",
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inner = tmp_path / "files"
    inner.mkdir()
    for name, data in inputs().items():
        (inner / name).write_text(data, encoding="utf-8")
    return inner


def command(name: str, *more: str) -> list[str]:
    every = () if "--every" in more else ("--every", "0s")
    return ["train", *TRAININGS[name].split(), *more, *every, "-o", "new", "--checkpoint", "state"]


def run(words: list[str], folder: Path, prepare: Callable[[], None] = lambda: None) -> Ended:
    return begin(words, folder, prepare).wait()


def begin(words: list[str], folder: Path, prepare: Callable[[], None] = lambda: None) -> Running:
    def calm() -> None:
        warnings.resetwarnings()  # here they are errors
        prepare()

    return Running(words, folder, calm)


@cache
def undisturbed(name: str) -> bytes:
    """The file of a training that nobody has heard of checkpoints."""
    with tempfile.TemporaryDirectory() as place:
        for file, data in inputs().items():
            Path(place, file).write_text(data, encoding="utf-8")
        words = ["train", *TRAININGS[name].split(), "-q", "-o", "new"]
        files = {*inputs(), "new"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = CliRunner().invoke(main, [str(Path(place, w)) if w in files else w for w in words])
        assert result.exit_code == 0, result.stderr
        return Path(place, "new").read_bytes()


def die_at(write: int) -> Callable[[], None]:
    """The process is killed when it has written so many checkpoints."""

    def prepare() -> None:
        count, really = 0, Checkpoint.write

        def dying(self: Checkpoint) -> None:
            nonlocal count
            really(self)
            count += 1
            if count == write:
                os.kill(os.getpid(), signal.SIGKILL)

        Checkpoint.write = dying  # type: ignore[method-assign]

    return prepare


@pytest.mark.parametrize("name", TRAININGS)
def test_killed_after_a_pass_it_goes_on_with_the_same_bits(name: str, folder: Path) -> None:
    expected, deaths = undisturbed(name), 0
    for write in (1, 2, 5):  # of what was left the time before
        ended = run(command(name, "--resume", "-q"), folder, die_at(write))
        if ended.code == 0:
            break
        assert ended.code == -signal.SIGKILL, ended.said
        assert (folder / "state").exists()
        deaths += 1
    else:
        ended = run(command(name, "--resume", "-q"), folder)
    assert ended.code == 0, ended.said
    assert deaths >= 1
    assert (folder / "new").read_bytes() == expected
    assert {*os.listdir(folder)} == {*inputs(), "new"}, "the checkpoint is gone, and nothing is left"


def pausing_often() -> None:
    """Passes are short here; so they are paused by instances, and not by time."""
    chance = random.Random(os.getpid())

    def watch(_: Stage, solver: Solver) -> None:
        solver.pause_after(instances=chance.choice((3, 10, 30, 100)))

    Stage.watch = watch  # type: ignore[method-assign]


@pytest.mark.parametrize("family", FAMILIES)
def test_killed_at_thirty_moments(family: str, folder: Path) -> None:
    """Killed, resumed, killed, …, and then to the end; or to the end before, and once more."""
    chance, kills = random.Random(family), 0
    trainings, seconds = itertools.cycle(FAMILIES[family]), dict[str, float]()
    while kills < KILLS:
        name = next(trainings)
        expected, old = undisturbed(name), b"the model before"
        (folder / "new").write_bytes(old)
        while True:
            running = begin(command(name, "--resume", "-q"), folder, pausing_often)
            if name in seconds and kills < KILLS:
                time.sleep(chance.uniform(0, min(0.8 * seconds[name], 0.3)))
                running.send(signal.SIGKILL)
            ended = running.wait()
            if ended.code == 0:
                seconds.setdefault(name, ended.seconds)
                break
            assert ended.code == -signal.SIGKILL, ended.said
            kills += 1
            assert (folder / "new").read_bytes() in (old, expected)
        assert (folder / "new").read_bytes() == expected
        assert {*os.listdir(folder)} == {*inputs(), "new"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda n: n.name)
@pytest.mark.parametrize("name", ["sgd", "parser"])
def test_interrupted_it_writes_a_checkpoint(name: str, number: int, folder: Path) -> None:
    """A pass was made, and none was written: it is when the signal comes."""

    def prepare() -> None:
        count, really = 0, Stage.passed

        def interrupted(self: Stage, *rest: object) -> None:
            nonlocal count
            really(self, *rest)  # type: ignore[arg-type]
            count += 1
            if count == 3:
                os.kill(os.getpid(), number)

        Stage.passed = interrupted  # type: ignore[method-assign,assignment]

    ended = run(command(name, "--every", "1h"), folder, prepare)
    if name == "parser":  # taggers of its folds are no parser yet
        assert ended.code == 128 + number, ended.said
        assert not (folder / "new").exists()
    else:
        assert ended.code == 0, ended.said
        assert (folder / "new").read_bytes() != undisturbed(name)
    assert "state is kept; the same command with --resume goes on from it" in ended.said
    ended = run(command(name, "--resume"), folder)
    assert ended.code == 0, ended.said
    assert "going on from state" in ended.said
    assert (folder / "new").read_bytes() == undisturbed(name)
    assert not (folder / "state").exists()


@pytest.fixture
def left(folder: Path) -> Path:
    """A folder with a checkpoint of a training that was killed."""
    undisturbed("sgd")
    assert run(command("sgd"), folder, die_at(3)).code == -signal.SIGKILL
    return folder


def test_a_checkpoint_is_not_written_over(left: Path) -> None:
    before = (left / "state").read_bytes()
    ended = run(command("sgd"), left)
    assert ended.code == 1
    assert "state is there already, of a training that has not ended" in ended.said
    assert "--resume" in ended.said
    assert (left / "state").read_bytes() == before
    assert not (left / "new").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-C", "2"], "-C was not given, is 2;"),
        (["--eta0", "0.25"], "--eta0 was not given, is 0.25;"),
        (["--seed", "1"], "--seed was 0, is 1"),
        (["--word", "1"], "--word was not given, is (1, 1);"),
        (["--max-iter", "3"], "--max-iter was not given, is 3;"),
    ],
    ids=lambda value: "".join(value) if isinstance(value, list) else "",
)
def test_other_settings_are_refused_by_name(options: list[str], said: str, left: Path) -> None:
    ended = run(command("sgd", "--resume", *options), left)
    assert ended.code == 1
    assert f"state is the checkpoint of another training: {said}" in ended.said


def test_other_threads_are_the_same(left: Path) -> None:
    assert run(command("sgd", "--resume", "--threads", "2"), left).code == 0
    assert (left / "new").read_bytes() == undisturbed("sgd")


def test_other_data_are_refused(left: Path) -> None:
    (left / "texts.tsv").write_text(inputs()["texts.tsv"].replace("the", "these", 1), "utf-8")
    ended = run(command("sgd", "--resume"), left)
    assert ended.code == 1
    assert "state is the checkpoint of another training: the data were others" in ended.said


def test_other_held_out_data_are_refused(folder: Path) -> None:
    undisturbed("watched")
    assert run(command("watched"), folder, die_at(2)).code == -signal.SIGKILL
    (folder / "dev.tsv").write_text("".join(inputs()["dev.tsv"].splitlines(keepends=True)[:7]), "utf-8")
    ended = run(command("watched", "--resume"), folder)
    assert ended.code == 1
    assert "the held-out data were others" in ended.said


DAMAGED: dict[str, Callable[[bytes], bytes]] = {
    "nothing": lambda _: b"",
    "cut": lambda raw: raw[: len(raw) // 2],
    "a bit": lambda raw: raw[:-5000] + bytes([raw[-5000] ^ 1]) + raw[-4999:],
    "text": lambda _: b"a line\n" * 1000,
    "a model": lambda _: undisturbed("sgd"),
    "another version": lambda raw: raw.replace(b'\\"library\\":\\"', b'\\"library\\":\\"9', 1)[:],
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_damage_is_told(kind: str, left: Path) -> None:
    damaged = DAMAGED[kind]((left / "state").read_bytes())
    (left / "state").write_bytes(damaged)
    ended = run(command("sgd", "--resume"), left)
    assert ended.code == 1, ended.said
    assert "state" in ended.said
    assert "remove it to begin anew" in ended.said
    assert "Traceback" not in ended.said
    assert (left / "state").read_bytes() == damaged
    assert not (left / "new").exists()


def test_a_full_disk_leaves_the_last_checkpoint(folder: Path) -> None:
    """The history of L-BFGS grows pass by pass, until there is no room for it."""
    expected = undisturbed("lbfgs")
    assert run(command("lbfgs"), folder, die_at(2)).code == -signal.SIGKILL
    room = (folder / "state").stat().st_size
    (folder / "state").unlink()

    def limited(write: int) -> Callable[[], None]:
        def prepare() -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
            die_at(write)()

        return prepare

    ended = run(command("lbfgs"), folder, limited(6))
    assert ended.code == -signal.SIGKILL
    assert ended.said.count("state: no checkpoint could be written (File too large)") == 1
    assert {*os.listdir(folder)} == {*inputs(), "state"}
    assert (folder / "state").stat().st_size <= room
    ended = run(command("lbfgs", "--resume"), folder)
    assert ended.code == 0, ended.said
    assert (folder / "new").read_bytes() == expected


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-o", "new", "--resume"], "--resume: of which file? Give --checkpoint FILE, too"),
        (["-o", "new", "--every", "5s"], "--every: of which file? Give --checkpoint FILE, too"),
        (["-o", "new", "--checkpoint", "state", "--every", "soon"], "'soon' is no span of time"),
        (["-o", "new", "--checkpoint", "new"], "--checkpoint new: the model is written there"),
        (["-o", "new", "--checkpoint", "texts.tsv"], "--checkpoint texts.tsv: the same file is read"),
        (["-o", "new", "--checkpoint", "-"], "--checkpoint -: a model is a file"),
        (["-o", "new", "--checkpoint", "no/where"], "--checkpoint no/where: no file can be written"),
        (["-o", "new", "--checkpoint", "state", "--from", "dev.tsv"], "made in one pass"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_mistakes_are_told_before_anything_is_begun(words: list[str], said: str, folder: Path) -> None:
    result = run(["train", "texts.tsv", *words], folder)
    assert result.code == 2, result.said
    assert said in result.said
    assert not (folder / "new").exists()


def test_resuming_what_is_not_there_begins_anew(folder: Path) -> None:
    ended = run(command("sgd", "--resume"), folder)
    assert ended.code == 0
    assert "training begins anew: there is no state" in ended.said


def test_an_error_after_the_training_leaves_the_checkpoint(folder: Path) -> None:
    """The model cannot be saved: the training is not lost."""
    expected = undisturbed("sgd")

    def prepare() -> None:
        def full(*_: object) -> None:
            raise OSError(28, "No space left on device", "new")

        from linnet.estimators import TextClassifier

        TextClassifier.save = full  # type: ignore[method-assign]

    ended = run(command("sgd", "--every", "1h"), folder, prepare)
    assert ended.code == 1
    assert "No space left" in ended.said
    assert (folder / "state").exists()
    assert run(command("sgd", "--resume", "--every", "1h"), folder).code == 0
    assert (folder / "new").read_bytes() == expected
