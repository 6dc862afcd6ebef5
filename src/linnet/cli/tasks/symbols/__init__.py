"""``--task symbols``: a label for each row of symbols."""
