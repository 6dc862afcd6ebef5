"""Linear models for language: classifiers, taggers and parsers as one grid."""

__version__ = "0.1.0"
