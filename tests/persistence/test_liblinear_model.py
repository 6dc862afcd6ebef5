"""Models that LIBLINEAR wrote score here as they do there."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import linnet
from linnet.errors import DataError
from linnet.estimators import from_liblinear
from linnet.formats.liblinear_model import SOLVERS, read_liblinear

liblinear = pytest.importorskip("liblinear.liblinearutil")
predict, save_model, train = liblinear.predict, liblinear.save_model, liblinear.train
RNG = np.random.default_rng(1)
X = sparse.csr_matrix(np.round(RNG.normal(size=(80, 9)) * (RNG.random((80, 9)) < 0.6), 3))
LABELS = {2: np.array([7, -3]), 3: np.array([5, 2, 9])}


@pytest.mark.parametrize(("bias", "first"), [(-1, 0), (0, 1), (1, 1), (2.5, 0)])
@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("solver", range(8))
def test_scores(tmp_path: Path, solver: int, labels: int, bias: float, first: int) -> None:
    y = LABELS[labels][(np.arange(80) + first) % labels]
    there = train(y, X, f"-s {solver} -B {bias} -q")
    save_model(str(tmp_path / "model"), there)
    probabilities = list(SOLVERS)[solver] in ("L2R_LR", "L1R_LR", "L2R_LR_DUAL")
    found, _, values = predict(y, X, there, f"-q -b {int(probabilities)}")
    model = from_liblinear(tmp_path / "model")
    place = [there.get_labels().index(label) for label in model.classes_]
    joint_pair = labels == 2 and list(SOLVERS)[solver] == "MCSVM_CS"  # values holds one column of two
    if probabilities:
        np.testing.assert_allclose(model.predict_proba(X), np.array(values)[:, place], rtol=1e-5)
    elif labels == 2 and not joint_pair:
        expected = np.array(values)[:, 0] * (1 if place[1] == 0 else -1)
        np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-5, atol=1e-6)
    elif not joint_pair:
        expected = np.array(values)[:, place]
        np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-5, atol=1e-6)
    scores = model.decision_function(X)
    ordered = np.sort(scores, axis=1) if labels > 2 else np.stack([-abs(scores), abs(scores)], axis=1)
    clear = ordered[:, -1] - ordered[:, -2] > 1e-5  # ties go to the label that LIBLINEAR names first
    assert clear.sum() > 60
    assert model.predict(X)[clear].tolist() == np.array(found)[clear].tolist()
    model.save(tmp_path / "m.linnet")
    again = linnet.load(tmp_path / "m.linnet")
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


@pytest.fixture
def text(tmp_path: Path) -> bytes:
    there = train([1, 2, 3] * 20, X[:60], "-s 2 -B 1 -q")
    save_model(str(tmp_path / "model"), there)
    return (tmp_path / "model").read_bytes()


def refusal(path: Path, text: bytes) -> str:
    path.write_bytes(text)
    with pytest.raises(DataError) as error:
        read_liblinear(path)
    assert str(path) in str(error.value)
    return str(error.value)


def test_damaged_files(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "damaged"
    assert "no model file of LIBLINEAR" in refusal(path, b"")
    assert "no model file of LIBLINEAR" in refusal(path, b"\x80\x04\x95")
    assert "no solver" in refusal(path, text.replace(b"L2R_L2LOSS_SVC", b"L2R_L2LOSS_SVR"))
    assert "nr_class" in refusal(path, text.replace(b"nr_class 3", b"nr_class x"))
    assert "3 classes need as many labels" in refusal(
        path, text.replace(b"label 1 2 3", b"label 1 2 2")
    )
    assert "not whole numbers" in refusal(path, text.replace(b"label 1 2 3", b"label 1 2 b"))
    assert "features" in refusal(path, text.replace(b"nr_feature 9", b"nr_feature 999999999"))
    assert "nr_feature" in refusal(path, text.replace(b"nr_feature 9", b"nr_feature -1"))
    assert "bias" in refusal(path, text.replace(b"bias 1", b"bias nan"))
    assert "no line 'w'" in refusal(path, text[: text.index(b"\nw\n")])
    lines = text.split(b"\n")
    lines[8] = b"0.5 nan 1"
    assert f"{path}:9:" in refusal(path, b"\n".join(lines))
    lines[8] = b"0.5 1"
    assert f"{path}:9:" in refusal(path, b"\n".join(lines))
    lines[8] = b"0.5 1 zwei"
    assert f"{path}:9:" in refusal(path, b"\n".join(lines))


@settings(max_examples=50, deadline=None)
@given(garbage=st.binary(max_size=60))
def test_garbage(tmp_path_factory: pytest.TempPathFactory, garbage: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "liblinear"
    head = b"solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 1\nbias -1\nw\n"
    for text in (garbage, head + garbage, b"solver_type L2R_LR\n" + garbage, head[:40] + garbage):
        path.write_bytes(text)
        try:
            read_liblinear(path)
        except DataError as e:
            assert str(path) in str(e)  # noqa: PT017
