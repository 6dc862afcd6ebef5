"""Texts larger than memory: the same model from rows in a file, with no more memory than was given."""

import gzip
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linnet import TextClassifier
from linnet._memory import limited
from linnet.data import CsrRows, MappedRows, as_rows, samples
from linnet.data.sections import Sections, Stored
from linnet.errors import DataError, DataWarning, RefusedError
from linnet.estimators.text import outofcore
from linnet.features import TextFeatures
from linnet.training import Checkpoint
from linnet.training.stages import Stage

from ... import processes
from ...shell import SOURCE

ROOM = 10**10
pytestmark = pytest.mark.filterwarnings("ignore::linnet.errors.TrainingWarning")  # few passes will do


def birds(path: Path, copies: int = 1) -> Path:
    texts, labels = samples.load("birds-train")
    lines = [f"{label}\t{text}\n" for text, label in zip(texts, labels, strict=True)]
    path.write_text("".join(lines * copies), encoding="utf-8")
    return path


def bytes_of(model: TextClassifier, folder: Path) -> bytes:
    model.save(folder / "model.linnet")
    return (folder / "model.linnet").read_bytes()


def two_labels(path: Path) -> Path:
    """Long enough for several parts."""
    texts, labels = samples.load("birds-train")
    lines = [
        f"{'wren' if label == 'wren' else 'other'}\t{text} {k % 7}\n"
        for k, (text, label) in enumerate(zip(texts * 12, labels * 12, strict=True))
    ]
    path.write_text("".join(lines), encoding="utf-8")
    assert path.stat().st_size > 1 << 20
    return path


MODELS: dict[str, dict[str, Any]] = {
    "auto": {},
    "two labels": {},
    "lbfgs": {"learner": "lbfgs", "loss": "logistic", "max_iter": 5},
    "sgd": {"learner": "sgd", "max_iter": 5},
    "hashed": {"features": TextFeatures(word=(1, 2), hash_bits=12, scale="idf")},
    "hashed blocks": {"features": TextFeatures(word=(1, 1), chars=(3, 3), mix={}, hash_bits=9)},
    "pruned": {
        "features": TextFeatures(word=(1, 2), min_df=3, max_df=0.5, max_features=500, tf="sublinear")
    },
    "naive Bayes": {"loss": "joint_likelihood", "penalty": "none"},
    "ratios for each label": {"features": TextFeatures(word=(1, 1), scale="nb")},
}


@pytest.mark.parametrize("name", MODELS)
def test_the_model_is_the_same(name: str, tmp_path: Path) -> None:
    data = (two_labels if name == "two labels" else birds)(tmp_path / "data.tsv")
    model = TextClassifier(**MODELS[name])
    whole = bytes_of(model.fit(data), tmp_path)
    assert bytes_of(model.fit(data, memory=ROOM), tmp_path) == whole
    kept = tmp_path / "kept"
    assert bytes_of(model.fit(data, cache=kept), tmp_path) == whole
    made = {path: path.stat().st_ino for path in kept.iterdir()}
    assert bytes_of(model.fit(data, memory=ROOM, cache=kept), tmp_path) == whole
    assert {path: path.stat().st_ino for path in kept.iterdir()} == made  # nothing is made anew


def paged(model: TextClassifier, data: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Fit with rows that are said not to fit; the rows that learners saw."""
    seen: list[Any] = []
    fitted = TextClassifier._fit_made

    def watched(self: Any, made: Any, *rest: Any) -> Any:
        seen.append(made.rows)
        return fitted(self, made, *rest)

    monkeypatch.setattr(TextClassifier, "_fit_made", watched)
    monkeypatch.setattr(outofcore, "window_of", lambda _: 1 << 20)
    monkeypatch.setattr(outofcore, "ENTRY", 10**6)  # bytes of an entry
    model.fit(data, memory=ROOM)
    return seen


@pytest.mark.parametrize("name", ["lbfgs", "naive Bayes", "owlqn", "newton", "several labels"])
def test_rows_that_are_read_in_order_need_not_be_in_memory(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = birds(tmp_path / "data.tsv", 3)
    settings: dict[str, Any] = {
        "lbfgs": {"learner": "lbfgs", "loss": "logistic", "max_iter": 5},
        "naive Bayes": {"loss": "joint_likelihood", "penalty": "none"},
        "owlqn": {"learner": "owlqn", "loss": "logistic", "penalty": "l1", "max_iter": 5},
        "newton": {"learner": "newton", "loss": "logistic", "max_iter": 2},
        "several labels": {"learner": "lbfgs", "max_iter": 3},
    }[name]
    if name == "several labels":
        text = data.read_text(encoding="utf-8")
        lines = [line.partition("\t") for line in text.splitlines()]
        rows = [
            f"__label__{label} {'__label__new ' * (k % 2)}{t}" for k, (label, _, t) in enumerate(lines)
        ]
        data = tmp_path / "data.ft"
        data.write_text("\n".join(rows) + "\n", encoding="utf-8")
    model = TextClassifier(**settings)
    whole = bytes_of(model.fit(data), tmp_path)
    (rows,) = paged(model, data, monkeypatch)
    assert isinstance(rows, MappedRows)
    assert bytes_of(model, tmp_path) == whole


def test_online_learners_go_through_blocks_in_the_same_order_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = birds(tmp_path / "data.tsv", 8)
    model = TextClassifier(learner="sgd", max_iter=3)
    whole = model.fit(data).coef_.copy()
    (rows,) = paged(model, data, monkeypatch)
    assert 0 < rows.core(0.0).together < len(rows)
    first = model.coef_.copy()
    assert not np.array_equal(first, whole)
    paged(model, data, monkeypatch)
    np.testing.assert_array_equal(model.coef_, first)


def test_a_pass_over_blocks_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Paused within the second pass, and gone on with in rows that are mapped anew."""
    data, writes = birds(tmp_path / "data.tsv", 8), 0
    model = TextClassifier(learner="sgd", max_iter=3)
    paged(model, data, monkeypatch)
    expected, really = model.coef_.copy(), Checkpoint.write

    def failing(self: Checkpoint) -> None:
        nonlocal writes
        really(self)
        writes += 1
        if writes == 5:
            raise OSError("the machine is taken away")

    monkeypatch.setattr(Stage, "watch", lambda _, solver: solver.pause_after(instances=3000))
    monkeypatch.setattr(Checkpoint, "write", failing)
    with pytest.raises(OSError, match="taken away"), Checkpoint(tmp_path / "state"):
        paged(model, data, monkeypatch)
    with Checkpoint(tmp_path / "state", resume=True) as checkpoint:
        paged(model, data, monkeypatch)
    assert checkpoint.resumed
    assert [stage["number"] for stage in checkpoint._found] == [1]  # passes, and a part of another
    np.testing.assert_array_equal(model.coef_, expected)


def test_who_wants_all_rows_is_told_of_another_learner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = two_labels(tmp_path / "data.tsv")
    with pytest.raises(RefusedError, match="dual goes back and forth in them; use the learner 'lbfgs'"):
        paged(TextClassifier(learner="dual"), data, monkeypatch)
    auto = TextClassifier()
    paged(auto, data, monkeypatch)
    assert auto.record_.learner == "lbfgs"
    assert "learner: lbfgs, which reads rows in order: rows take" in auto.why_[-1]
    assert auto.predict_proba(["a tiny one"]).shape == (1, 2)
    several = TextClassifier(max_iter=2)
    paged(several, birds(tmp_path / "several.tsv"), monkeypatch)
    assert several.record_.learner == "sgd"


def test_a_vocabulary_that_outgrows_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = two_labels(tmp_path / "data.tsv")
    monkeypatch.setattr(outofcore.CountedTexts, "vocabulary_bytes", property(_of_strings))
    with pytest.raises(DataError, match=r"texts the vocabulary has [\d,]+ features.*hash_bits=20"):
        TextClassifier(features=TextFeatures()).fit(data, memory=ROOM)
    auto = TextClassifier().fit(data, memory=ROOM)
    assert auto.features_.hash_bits is not None
    assert "hash_bits: " in auto.why_[-1]
    assert "the vocabulary has" in auto.why_[-1]


def _of_strings(counted: Any) -> int:
    return ROOM if counted.features.hash_bits is None else 0


BELOW_A_LIMIT = """
import sys
from linnet import TextClassifier, engine
from linnet._memory import resident
from linnet.features import TextFeatures
import sklearn.utils.validation, scipy.sparse

def most():
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))

with open("data.tsv", encoding="utf-8") as file:
    some = [next(file) for _ in range(200)]
TextClassifier(learner="lbfgs").fit([line[2:] for line in some], [line[0] for line in some])
limit = int(resident()) + 30_000_000
features = TextFeatures(word=(1, 1), tf="count")
model = TextClassifier(features, "logistic", sys.argv[1], max_iter=2, calibration=None)
if sys.argv[2:]:
    with engine("local", shards=int(sys.argv[2])):
        model.fit("data.tsv", memory=limit)
else:
    model.fit("data.tsv", memory=limit)
print(most(), limit, len(model.features_.names), model.record_.data["bytes"])
"""


@pytest.fixture(scope="module")
def much(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten times what may be added to what a process has."""
    folder = tmp_path_factory.mktemp("much")
    random = np.random.default_rng(0)
    words = [f"w{k}" for k in range(3000)]
    lines = [
        f"{k % 2}\t{' '.join(words[j] for j in random.integers(0, 3000, 600))}\n" for k in range(500)
    ]
    with open(folder / "data.tsv", "w", encoding="utf-8") as file:
        for _ in range(-(-300_000_000 // sum(map(len, lines)))):
            file.writelines(lines)
    return folder


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="nobody says what is used")
@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="not under the sanitizers")
@pytest.mark.parametrize("given", [("lbfgs",), ("sgd",), ("lbfgs", "3")], ids=" on shards: ".join)
def test_the_limit_is_kept(given: tuple[str, ...], much: Path) -> None:
    """The peak of resident memory (VmHWM), mapped pages included, stays below the limit."""
    made = processes.run(
        [sys.executable, "-c", BELOW_A_LIMIT, *given],
        cwd=much,
        env=os.environ | {"PYTHONPATH": str(SOURCE), "TMPDIR": str(much)},
        check=True,
        capture_output=True,
        text=True,
    )
    most, limit, features, size = map(int, made.stdout.split())
    assert features == 3000
    assert size > 290_000_000
    assert most <= limit
    assert os.listdir(much) == ["data.tsv"]


# ---------------------------------------------------------------------- what is kept


def fitted(data: Any, kept: Path, **settings: Any) -> TextClassifier:
    return TextClassifier(TextFeatures(word=(1, 1)), **settings).fit(data, cache=kept)


def rows_in(kept: Path) -> Path:
    (path,) = kept.glob("*.rows")
    return path


DAMAGES = {
    "cut short": lambda data: data[: len(data) // 2],
    "only a beginning": lambda data: data[:100],
    "no cache": lambda data: bytes(len(data)),
    "its head is damaged": lambda data: data[:20] + bytes([data[20] ^ 1]) + data[21:],
    "its table is damaged": lambda data: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_made_anew(damage: str, tmp_path: Path) -> None:
    data = birds(tmp_path / "data.tsv")
    model = bytes_of(fitted(data, tmp_path / "kept"), tmp_path)
    path = rows_in(tmp_path / "kept")
    whole = path.read_bytes()
    path.write_bytes(DAMAGES[damage](whole))
    with pytest.warns(DataWarning, match=f"{path.name}: .*; it is made anew"):
        again = fitted(data, tmp_path / "kept")
    assert bytes_of(again, tmp_path) == model
    assert path.read_bytes() == whole


SECTIONS = ("indptr", "indices", "values", "part_starts", "codes", "feature hashes")


@pytest.mark.parametrize("section", SECTIONS)
def test_a_bit_that_flipped_is_noticed(section: str, tmp_path: Path) -> None:
    data = birds(tmp_path / "data.tsv")

    def made() -> bytes:
        features = TextFeatures(word=(1, 1), chars_wb=(3, 3), mix={"word": 2.0})
        return bytes_of(TextClassifier(features).fit(data, cache=tmp_path / "kept"), tmp_path)

    model = made()
    path = rows_in(tmp_path / "kept")
    whole = path.read_bytes()
    stored = Stored.at(str(path))
    assert stored is not None
    row = stored.table[section]
    size = row["size"] * np.dtype(row["dtype"]).itemsize
    for place in (0, size // 2, size - 1):
        damaged = bytearray(whole)
        damaged[row["at"] + place] ^= 4
        path.write_bytes(damaged)
        with pytest.warns(DataWarning, match=f"its section {section} is damaged; it is made anew"):
            assert made() == model
        assert path.read_bytes() == whole
    assert made() == model  # without a warning


def test_sections_are_filled_in_their_order(tmp_path: Path) -> None:
    with (tmp_path / "sections").open("w+b") as file:
        sections = Sections(file)
        sections.reserve("one", np.int64, 3)
        sections.reserve("other", np.float32, 2)
        sections.put("one", np.arange(2))
        sections.put("other", np.ones(2))
        with pytest.raises(ValueError, match="one has 2 of 3 values"):
            sections.finish({})
        with pytest.raises(ValueError, match="one has room for 3 values"):
            sections.put("one", np.arange(2))
        sections.put("one", np.arange(2, 3))
        sections.finish({})
        stored = Stored(file.fileno(), "sections")
        stored.check()
        assert [stored.array(name).tolist() for name in ("one", "other")] == [[0, 1, 2], [1.0, 1.0]]


def test_an_input_that_has_changed_is_read_again(tmp_path: Path) -> None:
    data = birds(tmp_path / "data.tsv")
    fitted(data, tmp_path / "kept")
    with data.open("a", encoding="utf-8") as file:
        file.write("wren\tone more\n")
    with pytest.warns(DataWarning, match=r"data\.tsv has changed since its rows were kept"):
        again = fitted(data, tmp_path / "kept")
    assert again.record_.data["texts"] == 1201
    assert len([*(tmp_path / "kept").glob("*.rows")]) == 1


def test_only_the_time_is_another(tmp_path: Path) -> None:
    data = birds(tmp_path / "data.tsv")
    fitted(data, tmp_path / "kept")
    before = rows_in(tmp_path / "kept").stat().st_ino
    os.utime(data, (1, 1))
    fitted(data, tmp_path / "kept")
    assert rows_in(tmp_path / "kept").stat().st_ino == before
    text = data.read_text(encoding="utf-8")
    data.write_text(text.replace("a", "e", 1), encoding="utf-8")  # of the same length
    os.utime(data, (2, 2))
    with pytest.warns(DataWarning, match="has changed"):
        fitted(data, tmp_path / "kept")


def test_other_settings_have_other_rows(tmp_path: Path) -> None:
    data, kept = birds(tmp_path / "data.tsv"), tmp_path / "kept"
    fitted(data, kept)
    fitted(data, kept, C=3.0)  # rows are the same
    assert len([*kept.glob("*.rows")]) == 1
    TextClassifier(TextFeatures(word=(1, 2))).fit(data, cache=kept)
    assert len([*kept.glob("*.rows")]) == 2


def test_two_at_a_time_do_not_disturb_each_other(tmp_path: Path) -> None:
    data, kept = birds(tmp_path / "data.tsv"), tmp_path / "kept"
    whole = bytes_of(TextClassifier(TextFeatures(word=(1, 1))).fit(data), tmp_path)
    command = (
        "from linnet import TextClassifier; from linnet.features import TextFeatures; import sys;"
        "TextClassifier(TextFeatures(word=(1, 1))).fit('data.tsv', cache='kept').save(sys.argv[1])"
    )
    running = [
        processes.Process(
            [sys.executable, "-c", command, f"{k}.linnet"],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(SOURCE)},
        )
        for k in range(3)
    ]
    assert [process.wait() for process in running] == [0, 0, 0]
    assert {(tmp_path / f"{k}.linnet").read_bytes() for k in range(3)} == {whole}
    assert [path.suffix for path in kept.iterdir()] == [".rows"]


def test_an_input_that_changes_between_passes_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = birds(tmp_path / "data.tsv")
    looked = outofcore.OutOfCore._looked

    def changed(self: Any) -> Any:
        found = looked(self)
        text = data.read_text(encoding="utf-8")
        data.write_text(text.replace("a", "e"), encoding="utf-8")
        os.utime(data, ns=(0, self.files.watched[0].stamp.mtime))  # as if nothing had been
        return found

    monkeypatch.setattr(outofcore.OutOfCore, "_looked", changed)
    with pytest.raises(DataError, match=r"data\.tsv has changed since it was read for the first time"):
        TextClassifier().fit(data, memory=ROOM)


def test_an_input_that_changes_while_it_is_read_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = two_labels(tmp_path / "data.tsv")
    add = outofcore.CountedTexts.add

    def grown(self: Any, texts: Any) -> None:
        add(self, texts)
        with data.open("a", encoding="utf-8") as file:
            file.write("wren\tone more\n")

    monkeypatch.setattr(outofcore.CountedTexts, "add", grown)
    with pytest.raises(DataError, match=r"data\.tsv has changed while it was read"):
        TextClassifier(TextFeatures()).fit(data, cache=tmp_path / "kept")
    assert not [*(tmp_path / "kept").iterdir()]


FULL = """
import resource, signal, sys
from linnet import TextClassifier
from linnet.errors import DataError
from linnet.features import TextFeatures
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
try:
    TextClassifier(TextFeatures(word=(1, 2))).fit("data.tsv", cache="kept")
except DataError as error:
    print(error)
"""


@pytest.mark.parametrize("room", [20_000, 600_000])
def test_a_full_disk_is_told_and_nothing_is_left(room: int, tmp_path: Path) -> None:
    """The counts do not fit, or the rows that are made of them."""
    birds(tmp_path / "data.tsv", 4)
    (tmp_path / "kept").mkdir()
    made = processes.run(
        [sys.executable, "-c", FULL, str(room)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(SOURCE)},
        check=True,
        capture_output=True,
        text=True,
    )
    assert "kept" in made.stdout
    assert "rows cannot be written or read there: File too large; cache=… names" in made.stdout
    assert not os.listdir(tmp_path / "kept")


# ---------------------------------------------------------------------- files


def test_several_files_are_one(tmp_path: Path) -> None:
    data = birds(tmp_path / "data.tsv")
    lines = data.read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "b-1.tsv").write_text("".join(lines[:400]), encoding="utf-8")
    packed = gzip.compress("".join(lines[400:900]).encode(), mtime=0)
    (tmp_path / "b-2.tsv.gz").write_bytes(packed)
    rows = [line.rstrip("\n").partition("\t") for line in lines[900:]]
    objects = [json.dumps({"label": label, "text": text}) + "\n" for label, _, text in rows]
    assert not any(
        "\\" in line or '"' in text for line, (_, _, text) in zip(objects, rows, strict=True)
    )
    (tmp_path / "more.jsonl").write_text("".join(objects), encoding="utf-8")
    model = TextClassifier()
    whole = bytes_of(model.fit(data), tmp_path)
    files = [tmp_path / "b-*.tsv*", tmp_path / "more.jsonl"]
    assert bytes_of(model.fit(files), tmp_path) == whole
    assert bytes_of(model.fit([str(path) for path in files], memory=ROOM), tmp_path) == whole


def test_mistakes_name_the_file_and_the_line(tmp_path: Path) -> None:
    birds(tmp_path / "a.tsv")
    (tmp_path / "b.tsv").write_text("wren\tone\nno tab\n", encoding="utf-8")
    for given in ({}, {"memory": ROOM}):
        with pytest.raises(DataError, match=r"b\.tsv, line 2: no tab"):
            TextClassifier().fit([tmp_path / "a.tsv", tmp_path / "b.tsv"], **given)
        with pytest.raises(DataError, match=r"nowhere\.tsv does not exist"):
            TextClassifier().fit([tmp_path / "a.tsv", tmp_path / "nowhere.tsv"], **given)
        with pytest.raises(DataError, match=r"a\.tsv is named twice"):
            TextClassifier().fit([tmp_path / "a.tsv", tmp_path / "a.tsv"], **given)
        with pytest.raises(DataError, match=r"x\*\.tsv: no file has such a name"):
            TextClassifier().fit([tmp_path / "x*.tsv"], **given)
    (tmp_path / "c.svm").write_text("1 3:1\n0 4:1\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"c\.svm"):
        TextClassifier().fit([tmp_path / "a.tsv", tmp_path / "c.svm"])


def test_what_is_read_whole_is_refused(tmp_path: Path) -> None:
    listed = tmp_path / "data.json"
    listed.write_text('[{"label": "a", "text": "x"}, {"label": "b", "text": "y"}]', encoding="utf-8")
    with pytest.raises(DataError, match="cannot be read in parts: it is one list of JSON"):
        TextClassifier().fit(listed, memory=ROOM)
    table = tmp_path / "data.tsv"
    table.write_text("id\ttext\tlabel\n1\tx\ta\n2\ty\tb\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"TSV with a header is read whole.*format='csv'"):
        TextClassifier().fit(table, memory=ROOM)


def test_parquet_is_read_by_groups_of_rows(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    texts, labels = samples.load("birds-train")
    table = pyarrow.table({"text": [*texts], "label": [*labels]})
    path = tmp_path / "data.parquet"
    parquet.write_table(table, path, row_group_size=100)
    model = TextClassifier()
    whole = bytes_of(model.fit(path), tmp_path)
    assert bytes_of(model.fit(path, memory=ROOM), tmp_path) == whole


def test_what_weighs_nothing_is_not_seen(tmp_path: Path) -> None:
    data = birds(tmp_path / "data.tsv")
    labels = {line.partition("\t")[0] for line in data.read_text(encoding="utf-8").splitlines()}
    model = TextClassifier(class_weight={min(labels): 0.0, max(labels): 2.0})
    whole = bytes_of(model.fit(data), tmp_path)
    assert bytes_of(model.fit(data, memory=ROOM), tmp_path) == whole


def test_settings_that_make_no_sense(tmp_path: Path) -> None:
    data = birds(tmp_path / "data.tsv")
    with pytest.raises(ValueError, match="memory and cache are for files"):
        TextClassifier().fit(["one", "two"], ["a", "b"], memory=ROOM)
    with pytest.raises(ValueError, match="memory must be a size such as '500MB'"):
        TextClassifier().fit(data, memory="much")
    with pytest.raises(DataError, match=r"Python with Linnet has [\d.]+ [MG]B already"):
        TextClassifier().fit(data, memory="10MB")
    with pytest.raises(DataError, match="rows cannot be written or read there"):
        TextClassifier().fit(data, cache=data)


# ---------------------------------------------------------------------- rows in a file


def mapped(rows: CsrRows, path: Path, window: int = 1 << 19) -> MappedRows:
    with path.open("w+b") as file:
        sections = Sections(file)
        for name, values in (("a", rows.indptr), ("b", rows.indices), ("c", rows.values)):
            sections.add(name, values)
        sections.finish({})
        stored = Stored(file.fileno(), str(path))
    arrays = [stored.array(name) for name in "abc"]
    return MappedRows(*arrays, rows.features, rows.distinct, window=window, give_back=stored.give_back)


def test_rows_in_a_file_are_those_in_memory(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    lengths = random.integers(0, 300, 3000)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    indices = np.concatenate([np.sort(random.permutation(5000)[:k]) for k in lengths]).astype(np.int32)
    values = random.normal(size=len(indices)).astype(np.float32)
    rows = CsrRows(starts, indices, values, 5000, distinct=True)
    file = mapped(rows, tmp_path / "rows")
    places = random.permutation(3000)[:500]
    found, wanted = file[places], rows[places]
    for name in ("indptr", "indices", "values"):
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name))
    core = as_rows(file, 1.0)
    assert (core.size, core.features) == (3000, 5000)
    with pytest.raises(ValueError, match="larger than memory"):
        assert core.nonzeros
    with limited(1), pytest.raises(DataError, match="a matrix of all rows would take"):
        file.scipy()


def test_what_is_kept_in_memory_is_never_given_back(tmp_path: Path) -> None:
    """Pages of a file come back, those of memory would be lost."""
    rows = CsrRows(np.arange(3), np.array([0, 1], np.int32), np.ones(2, np.float32), 2, distinct=True)
    with pytest.raises(ValueError, match="must begin at"):
        as_rows(MappedRows(rows.indptr, rows.indices, rows.values, 2, True), 0.0)
    del tmp_path


def test_indices_of_a_file_are_checked(tmp_path: Path) -> None:
    rows = CsrRows(
        np.arange(4), np.array([0, 1, 7], np.int32), np.ones(3, np.float32), 2, distinct=True
    )
    with pytest.raises(ValueError, match=r"outside \[0, 2\)"):
        as_rows(mapped(rows, tmp_path / "rows"), 0.0)


def test_signals_leave_nothing(tmp_path: Path) -> None:
    """SIGTERM while texts are counted; rows have no name until they are whole."""
    two_labels(tmp_path / "data.tsv")
    (tmp_path / "kept").mkdir()
    command = (
        "from linnet import TextClassifier; from linnet.estimators.text import outofcore as o;"
        "from linnet.features import TextFeatures; import os, signal;"
        "add = o.CountedTexts.add;"
        "o.CountedTexts.add = lambda *a: (add(*a), os.kill(os.getpid(), signal.SIGTERM));"
        "TextClassifier(TextFeatures()).fit('data.tsv', cache='kept')"
    )
    ended = processes.run(
        [sys.executable, "-c", command],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(SOURCE), "TMPDIR": str(tmp_path)},
        capture_output=True,
    )
    assert ended.returncode == -signal.SIGTERM
    assert sorted(os.listdir(tmp_path)) == ["data.tsv", "kept"]
    assert not os.listdir(tmp_path / "kept")
