"""Parsers over a grammar: read off trees, or given."""
