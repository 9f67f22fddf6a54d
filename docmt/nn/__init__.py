"""Packed streams, segments, the one attention over them, layers and caches (torch only)."""
