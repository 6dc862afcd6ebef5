"""Parsers of sentences into trees of phrases."""
