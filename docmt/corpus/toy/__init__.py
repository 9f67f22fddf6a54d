"""The toy corpus: a small world in simple Chinese and English, in which some words are decided by earlier sentences."""
