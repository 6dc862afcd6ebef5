"""Text classifiers that learn from texts without labels, too."""
