"""What the commands do with parsers: one file per command."""
