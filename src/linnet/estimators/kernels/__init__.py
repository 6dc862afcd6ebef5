"""Estimators with kernels: support vector machines, regression, the perceptron in the dual."""
