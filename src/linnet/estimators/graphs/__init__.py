"""Models over factor graphs with tied weights."""
