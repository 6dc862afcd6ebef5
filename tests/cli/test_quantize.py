"""``linnet quantize``: smaller files that say nearly the same."""

import numpy as np
import pytest

import linnet
from linnet.data import samples


@pytest.mark.parametrize("bits", [8, 4])
def test_a_smaller_model_says_nearly_the_same(run, models, tmp_path, bits) -> None:
    small = tmp_path / "small.linnet"
    code, output, said = run("quantize", models / "birds.linnet", "-o", small, "--bits", bits)
    assert (code, output) == (0, "")
    assert "MB → " in said
    assert small.stat().st_size < (models / "birds.linnet").stat().st_size / 3
    texts, _ = samples.load("birds-test")
    before, after = (linnet.load(m).predict(texts) for m in (models / "birds.linnet", small))
    assert np.mean(before == after) > 0.98
    predict = ("predict", small, models / "birds-test.tsv")
    assert run(*predict, "--threads", 3) == run(*predict)


@pytest.mark.parametrize(("size", "most"), [("100kB", 100_000), ("0.03MB", 30_000), ("12000", 12_000)])
@pytest.mark.parametrize("names", [(), ("--names",)])
def test_the_file_is_of_the_size_that_was_asked_for(run, models, tmp_path, size, most, names) -> None:
    small = tmp_path / "small.linnet"
    assert run("quantize", models / "birds.linnet", "-o", small, "--size", size, *names)[0] == 0
    assert 0.7 * most < small.stat().st_size <= most
    assert linnet.load(small).score(*samples.load("birds-test")) > 0.4


def test_so_many_features(run, models, tmp_path) -> None:
    small = tmp_path / "small.linnet"
    assert run("quantize", models / "birds.linnet", "-o", small, "--keep", 300, "--names")[0] == 0
    assert 250 <= len([name for name in linnet.load(small).features_.names if name]) <= 300


def test_mistakes_of_the_user(run, models, tmp_path) -> None:
    small = tmp_path / "small.linnet"
    (tmp_path / "d.svm").write_text("a 1:1\nb 2:1\n" * 9, encoding="utf-8")
    assert run("train", tmp_path / "d.svm", "-o", tmp_path / "numbers.linnet")[0] == 0
    assert run("quantize", models / "birds.linnet", "-o", tmp_path / "done.linnet")[0] == 0
    for arguments, code, words in (
        ((models / "nowhere.linnet", "-o", small), 1, "nowhere.linnet: No such file"),
        ((models / "birds-test.tsv", "-o", small), 1, "no model file"),
        ((tmp_path / "numbers.linnet", "-o", small), 2, "of numbered features"),
        ((tmp_path / "done.linnet", "-o", small), 2, "quantized already"),
        ((models / "birds.linnet",), 2, "--output"),
        ((models / "birds.linnet", "-o", tmp_path / "no" / "where"), 2, "no file can be written"),
        ((models / "birds.linnet", "-o", small, "--size", "small"), 2, "--size"),
        ((models / "birds.linnet", "-o", small, "--size", "1kB"), 2, "--size"),
        ((models / "birds.linnet", "-o", small, "--size", "1"), 2, "--size"),
        ((models / "birds.linnet", "-o", small, "--bits", "3"), 2, "--bits"),
        ((models / "birds.linnet", "-o", small, "--keep", "0"), 2, "--keep"),
    ):
        got, output, said = run("quantize", *arguments)
        assert (got, output, words in said, said.count("\n")) == (code, "", True, 1), said
        assert not small.exists()
    train = ("train", models / "birds-test.tsv", "-o", small, "--from", tmp_path / "done.linnet")
    assert "learns no more" in run(*train)[2]
