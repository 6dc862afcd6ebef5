"""What the commands do with taggers: one file per command."""
