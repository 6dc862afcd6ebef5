"""``--task regress``: a number for each text."""
