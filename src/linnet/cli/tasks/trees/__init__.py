"""Trees of phrases: what commands do with them."""
