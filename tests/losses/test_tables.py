"""The table of losses exists in Python and in C++: they hold the same rows."""

from linnet import _core
from linnet.losses import LOSSES

LINKS = {
    "l": "identity",
    "l²": "square",
    "1 − e^−l": "complement",
    "e^l − 1": "exponential",
    "½(s − y)²": "quadratic",
}


def test_both_tables_hold_the_same_rows() -> None:
    ours = {
        name: (row.ring, float(row.cost), LINKS[row.link])
        for name, row in LOSSES.items()
        if name != "joint_likelihood"  # counting minimises it in closed form
    }
    theirs = {name: (ring, cost, link) for name, ring, cost, link in _core.loss_table()}
    assert set(ours) == set(theirs)
    for name, (ring, cost, link) in ours.items():
        expected = "max" if ring == "none" else ring  # the quadratic link asks no ring
        assert theirs[name] == (expected, cost, link)
