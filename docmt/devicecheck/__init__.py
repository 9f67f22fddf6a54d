"""Checks of a device: whether it computes what it should, how fast it is, and which settings suit it."""
