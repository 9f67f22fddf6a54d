"""Packed streams, segments, attention over them, layers and caches; needs torch alone."""
