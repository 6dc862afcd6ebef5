"""What the commands do with taggers: one file per command, as beside, and what they share."""
