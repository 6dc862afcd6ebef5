"""Running text into sentences, tokens and words, learnt from a treebank."""
