"""Files with holes: what is done about them is said on standard error, in one line for each kind."""

import json

import pytest

from linnet.data import samples

TEXTS, BIRDS = samples.load("birds-train")
COLUMNS = ("--numeric", "size", "--categorical", "month")


def rows() -> list[dict[str, object]]:
    made = [
        {"id": i, "text": TEXTS[i], "label": BIRDS[i], "size": i / 2, "month": str(i % 12)}
        for i in range(200)
    ]
    made[3]["text"] = made[4]["label"] = made[9]["label"] = made[5]["size"] = made[8]["month"] = None
    return made


def written(path, form: str):
    if form == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows()), encoding="utf-8")
        return path
    if form == "parquet":
        import pyarrow as pa
        import pyarrow.parquet

        pa.parquet.write_table(pa.Table.from_pylist(rows()), path)
        return path
    lines = [",".join(rows()[0])]
    lines += [",".join("" if v is None else f'"{v}"' for v in row.values()) for row in rows()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_training_scoring_and_predicting(run, tmp_path, form) -> None:
    data = written(tmp_path / f"d.{form}", form)
    line = {"csv": 1, "jsonl": 0, "parquet": 0}[form]  # of a header
    text = f"1 of 200 texts is missing (the first: {data}, line {4 + line}): read as empty texts"
    number = "column 'size': 1 of {} numbers is missing (the first: {}): {}"
    category = "column 'month': 1 of {} values is missing (the first: {}): {}"

    def at(number: int) -> str:
        return f"{data}, line {number + line}"

    mean, own = "the mean of training is taken", "(missing) is a value of its own"
    label = f"2 of 200 examples have no label (the first: {data}, line {5 + line}): left out"

    code, _, said = run("train", data, "-o", tmp_path / "m.linnet", *COLUMNS)
    assert code == 0
    assert [line for line in said.splitlines() if line.startswith("note")] == [
        f"note: {text}",
        f"note: {label}",
        f"note: {number.format(198, at(6), mean)}",
        f"note: {category.format(198, at(9), own)}",
    ]
    assert "198 examples" in said
    code, output, said = run("predict", tmp_path / "m.linnet", data)
    assert (code, output.count("\n")) == (0, 200)
    assert said.splitlines() == [
        f"note: {text}",
        f"note: {number.format(200, at(6), mean)}",
        f"note: {category.format(200, at(9), own)}",
    ]
    code, output, said = run("evaluate", tmp_path / "m.linnet", data, "--json", "--worst", 0)
    assert (code, json.loads(output)["examples"]) == (0, 198)
    assert said.splitlines()[:2] == [f"note: {text}", f"note: {label}"]
    assert run("train", data, "-o", tmp_path / "m.linnet", "-q", *COLUMNS) == (0, "", "")


def test_policies_on_the_command_line(run, tmp_path) -> None:
    data = written(tmp_path / "d.csv", "csv")
    code, _, said = run("train", data, "-o", tmp_path / "m.linnet", "--missing", "error")
    assert (code, said) == (1, f"Error: {data}, line 5: the text is missing\n")
    code, _, said = run("train", data, "-o", tmp_path / "m.linnet", "--missing", "text=skip")
    assert code == 0
    assert "197 examples" in said
    assert "1 of 200 texts is missing" in said
    code, _, said = run(
        "train", data, "-o", tmp_path / "m.linnet", *COLUMNS, "--missing", "number=error"
    )
    assert code == 1
    assert said.endswith(f"Error: {data}, line 7: column 'size' is empty where a number is wanted\n")
    code, _, said = run("train", data, "-o", tmp_path / "m.linnet", "--missing", "text=mean")
    assert code == 2
    assert "missing must be 'auto'" in said
    assert run("train", data, "-o", tmp_path / "m.linnet", *COLUMNS, "-q")[0] == 0
    code, output, said = run("predict", tmp_path / "m.linnet", data, "--missing", "error")
    assert (code, output) == (1, "")
    assert said == f"Error: {data}, line 5: the text is missing\n"


def test_many_batches_are_told_of_once(run, tmp_path, models) -> None:
    data = tmp_path / "d.jsonl"
    lines = ['{"text": "gorse"}\n', '{"text": null}\n'] * 5000
    data.write_text("".join(lines), encoding="utf-8")
    code, output, said = run("predict", models / "birds.linnet", data)
    assert (code, output.count("\n")) == (0, 10_000)
    assert said == (
        f"note: 5,000 of 10,000 texts are missing (the first: {data}, line 2): read as empty texts\n"
    )


@pytest.mark.parametrize(
    ("name", "line", "other"),
    [
        ("d.tsv", "\tgorse\n", "{}\t{}\n"),
        ("d.vw", "| gorse\n", "{} | {}\n"),
        ("d.svm", "1:1\n", "{} 2:1\n"),
    ],
)
def test_lines_without_a_label(run, tmp_path, name, line, other) -> None:
    pairs = zip(BIRDS[:60], TEXTS[:60], strict=True)
    clean = [other.format(bird, text.replace("|", " ").replace(":", " ")) for bird, text in pairs]
    (tmp_path / name).write_text("".join([clean[0], line, *clean[1:]]), encoding="utf-8")
    code, _, said = run("train", tmp_path / name, "-o", tmp_path / "m.linnet")
    assert code == 0, said
    assert "60 examples" in said
    assert (
        f"note: 1 of 61 examples has no label (the first: {tmp_path / name}, line 2): left out\n"
        in said
    )
    code, _, said = run("train", tmp_path / name, "-o", tmp_path / "m.linnet", "--missing", "error")
    assert (code, said) == (1, f"Error: {tmp_path / name}, line 2: the label is missing\n")


@pytest.mark.parametrize("command", ["tune", "compare"])
def test_trials_fill_as_training_does(run, tmp_path, command) -> None:
    data = written(tmp_path / "d.csv", "csv")
    few = ("-C", "1", "--folds", 2) if command == "tune" else ("--model", "SVM")
    code, output, said = run(command, data, *few, "--word", "1", *COLUMNS)
    assert (code, "accuracy" in output) == (0, True)
    assert said.count("note: ") == 4
