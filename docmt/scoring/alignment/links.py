"""The links of a sentence pair, and those that an aligner finds in each direction."""

from dataclasses import dataclass

Link = tuple[int, int]
"""(place of the source word, place of the target word), from 0."""

Links = frozenset[Link]


@dataclass(frozen=True)
class Aligned:
    """Of a sentence pair. `forward`: each target word has one link or none; `backward`: each source word has.

    An aligner that knows one set of links only has it twice.
    """

    forward: Links
    backward: Links

    @classmethod
    def symmetric(cls, links: Links) -> "Aligned":
        return cls(links, links)
