"""Every random choice has a seed of its own, so that a resumed run needs no generator's state."""

import hashlib

from docmt.base.artifacts import canonical_json


def derived_seed(seed: int, purpose: str, *numbers: int) -> int:
    """A seed for one purpose at one place of the run, such as ("dropout", update); at least 0, below 2^63."""
    name = canonical_json([seed, purpose, *numbers]).encode()
    return int.from_bytes(hashlib.sha256(name).digest()[:8], "big") >> 1
