"""The toy corpus: a small world in simple Chinese and English, in which earlier sentences decide some words."""
