"""Classifiers of rows of numbers or named features, and of candidates."""
