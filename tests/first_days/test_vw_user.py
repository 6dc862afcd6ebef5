"""The first day of somebody who comes from Vowpal Wabbit: the same files, the same pipes."""

from pathlib import Path

from .typed import typed


def lines_of(count: int) -> str:
    """Two classes, 1 and -1, with words in one namespace and numbers in another."""
    made = []
    for k in range(count):
        good = k % 2 == 0
        words = "fine song loud" if good else "dull noise loud"
        numbers = f"length:{3 + k % 5} wings:{2 if good else 0}"
        made.append(f"{1 if good else -1} |words {words} w{k} |numbers {numbers}")
    return "\n".join(made) + "\n"


def test_namespaces_and_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "train.vw").write_text(lines_of(80), encoding="utf-8")
    (tmp_path / "test.vw").write_text(lines_of(6), encoding="utf-8")
    out, said = typed(
        tmp_path,
        "linnet train train.vw -o birds.linnet",
        "linnet predict birds.linnet test.vw",
        "cut -d' ' -f2- test.vw | linnet predict birds.linnet --format vw | paste -s -d' ' -",
        "linnet evaluate birds.linnet test.vw | head -1",
    )
    assert out.splitlines() == ["1", "-1"] * 3 + ["1 -1 1 -1 1 -1", "6 examples, 2 labels, 0 errors"]
    assert said.startswith("80 examples, 2 labels, ")


def test_one_namespace_is_a_text(tmp_path: Path) -> None:
    train = "".join(
        f"{1 if k % 2 else -1} | {'fine song' if k % 2 else 'dull noise'} w{k}\n" for k in range(60)
    )
    (tmp_path / "train.vw").write_text(train, encoding="utf-8")
    out, said = typed(
        tmp_path,
        "linnet train train.vw -o text.linnet",
        'echo "a fine song" | linnet predict text.linnet',
        'echo "| dull noise" | linnet predict text.linnet --format vw',
    )
    assert out.splitlines() == ["1", "-1"]
    assert "  features: 60 texts" in said


def test_real_numbers_are_no_classes(tmp_path: Path) -> None:
    """What VW would regress upon is refused; where labels are not looked at, it is no matter."""
    (tmp_path / "ratings.vw").write_text("1 |a p\n0.5 |a q\n0.25 |a p q\n", encoding="utf-8")
    (tmp_path / "classes.vw").write_text("1 |a p\n-1 |a q\n2.0 |a r\n1 |a p p\n", encoding="utf-8")
    refused = (
        "Error: ratings.vw, line 2: the label 0.5 is a real number, as for regression: learn "
        "numbers by --task regress, or write a whole number (1 and -1, or 1, 2, 3) or a "
        "name in its place"
    )
    out, said = typed(
        tmp_path,
        "linnet train ratings.vw -o m.linnet 2>&1 || echo code $?",
        "test ! -e m.linnet",
        "cat ratings.vw | linnet train - --format vw -o m.linnet 2>&1 || echo code $?",
        "linnet convert ratings.vw ratings.jsonl 2>&1 || echo code $?",
        "linnet train classes.vw -o m.linnet",
        "linnet predict m.linnet ratings.vw | wc -l",
        """awk '{ $1 = ($1 > 0.4) ? "high" : "low"; print }' ratings.vw > high.vw""",
        "linnet convert high.vw - --to tsv",
    )
    piped = refused.replace("ratings.vw", "standard input")
    assert out.splitlines()[:6] == [refused, "code 1", piped, "code 1", refused, "code 1"]
    assert [line.strip() for line in out.splitlines()[6:]] == ["3", "high\tp", "high\tq", "low\tp q"]
    assert "4 examples, 3 labels" in said
