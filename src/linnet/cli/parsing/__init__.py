"""Commands with parsers: trees in, trees out."""
