"""What the commands do with classifiers, of texts and of rows: one file per command."""
