"""Parsers of sentences into dependency trees."""
