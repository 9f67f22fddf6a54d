"""Checks of a device: whether it computes what it should."""
