"""Taggers of sentences."""
