"""Changes of the bytes of a file, as disks, networks and interrupted copies make them."""

import random
from dataclasses import dataclass

CHANGES = ("flip", "cut", "swap", "lengthen")
LONGEST_SWAPPED = 64
"""Bytes of each of two neighbouring ranges that change places, at most."""


@dataclass(frozen=True)
class Change:
    """A change of a file's bytes; `numbers` are its place and lengths."""

    name: str
    numbers: tuple[int, ...]

    @classmethod
    def draw(cls, size: int, rng: random.Random) -> "Change":
        """Draw a change of a file of `size` bytes."""
        name = rng.choices(CHANGES, (5, 2, 2, 1))[0]
        if name == "flip":
            return cls(name, (rng.randrange(size), rng.randrange(8)))
        if name == "cut":
            return cls(name, (rng.randrange(size),))
        if name == "lengthen" or size < 2:
            return cls("lengthen", (rng.randrange(1, LONGEST_SWAPPED), rng.randrange(1 << 30)))
        start = rng.randrange(size - 1)
        first = rng.randint(1, min(LONGEST_SWAPPED, size - 1 - start))
        return cls(name, (start, first, rng.randint(1, min(LONGEST_SWAPPED, size - start - first))))

    def of(self, data: bytes) -> bytes:
        """Return changed bytes."""
        if self.name == "flip":
            place, bit = self.numbers
            return data[:place] + bytes([data[place] ^ (1 << bit)]) + data[place + 1 :]
        if self.name == "cut":
            return data[: self.numbers[0]]
        if self.name == "lengthen":
            length, seed = self.numbers
            return data + random.Random(seed).randbytes(length)
        start, first, second = self.numbers
        middle = start + first
        return data[:start] + data[middle : middle + second] + data[start:middle] + data[middle + second :]

    def __str__(self) -> str:
        return f"{self.name} {' '.join(map(str, self.numbers))}"
