"""Trees of phrases: what commands do with them. There is no parser that learns from them yet."""
