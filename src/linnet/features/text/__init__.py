"""Features of texts: from bytes to numbers, how a file keeps them, and the scorer that reads them."""
