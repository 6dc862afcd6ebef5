"""scikit-learn's own checks."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import linnet

pytestmark = pytest.mark.filterwarnings("ignore::linnet.errors.TrainingWarning")

# Solutions agree to a tolerance, and kernel values are floats; a width is that of the rows given.
WEIGHTS = "weights and repetitions agree to the tolerance alone"
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": WEIGHTS,
    "check_sample_weight_equivalence_on_sparse_data": WEIGHTS,
}


@parametrize_with_checks(
    [linnet.KernelSVM(), linnet.KernelPerceptron(), linnet.KernelRegressor()],
    expected_failed_checks=lambda model: {} if hasattr(model, "hypothesis") else EXPECTED,
)
def test_sklearn_checks(estimator: object, check: object) -> None:
    check(estimator)
