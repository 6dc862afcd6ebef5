"""Texts seen in training."""

from linnet.evaluation import leaks, repeats


def test_case_and_spacing_do_not_hide_a_leak() -> None:
    train = ["A linnet sang", "a wren", "A LINNET  sang"]
    test = ["robin", " a linnet sang\n", "A wren", "\ud800 broken"]
    found = leaks(train, test, ["l", "w", "l"], ["r", "l", "x", "?"])
    assert [(leak.test, leak.train, leak.same_label) for leak in found] == [(1, 0, True), (2, 1, False)]
    assert leaks(train, test)[0].same_label is None
    assert leaks(train, []) == []
    assert repeats(train) == 1
