"""One set of links from those of both directions.

Papers: Och and Ney (2003), section 4.3 (intersection, union, and the growing between them); Koehn, Och, Marcu:
Statistical Phrase-Based Translation, NAACL 2003, and Koehn et al.: Edinburgh System Description for the 2005 IWSLT
Speech Translation Evaluation (grow-diag-final-and), whose pseudo-code is followed: target word by target word, and the
forward direction first.
"""

from collections.abc import Callable, Iterable

from docmt.scoring.alignment.links import Aligned, Link, Links

BESIDE = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))
"""(target, source) steps to the neighbours of a link: those in its row and column, then those on its diagonals."""


def grown(aligned: Aligned) -> "_Growing":
    """The links of both directions, and then all of either that are beside one of them and link a word without a
    link, as long as there are any."""
    growing = _Growing(aligned.forward & aligned.backward)
    either = _in_order(aligned.forward | aligned.backward)
    links = 0
    while links < len(growing.links):
        links = len(growing.links)
        for i, j in either:
            if (i, j) in growing.links:
                beside = ((i + step, j + target_step) for target_step, step in BESIDE)
                growing.add_all(link for link in beside if link in either and not growing.has_both(link))
    return growing


def grow_diag_final(aligned: Aligned, both: bool = False) -> Links:
    """And at last those of either direction that link a word without a link; `both`: two words without one."""
    growing = grown(aligned)
    has = growing.has_one if both else growing.has_both
    for direction in (aligned.forward, aligned.backward):
        growing.add_all(link for link in _in_order(direction) if not has(link))
    return frozenset(growing.links)


def _in_order(links: Links) -> dict[Link, None]:
    """Target word by target word, source words rising."""
    return dict.fromkeys(sorted(links, key=lambda link: (link[1], link[0])))


class _Growing:
    """Links, and the words that they link."""

    def __init__(self, links: Links) -> None:
        self.links: set[Link] = set()
        self.sources: set[int] = set()
        self.targets: set[int] = set()
        self.add_all(links)

    def has_both(self, link: Link) -> bool:
        return link[0] in self.sources and link[1] in self.targets

    def has_one(self, link: Link) -> bool:
        return link[0] in self.sources or link[1] in self.targets

    def add_all(self, links: Iterable[Link]) -> None:
        """One after another: whether a link comes in question may depend on the one before."""
        for link in links:
            self.links.add(link)
            self.sources.add(link[0])
            self.targets.add(link[1])


HEURISTICS: dict[str, Callable[[Aligned], Links]] = {
    "grow-diag-final-and": lambda aligned: grow_diag_final(aligned, both=True),
    "grow-diag-final": grow_diag_final,
    "grow-diag": lambda aligned: frozenset(grown(aligned).links),
    "intersection": lambda aligned: aligned.forward & aligned.backward,
    "union": lambda aligned: aligned.forward | aligned.backward,
    "forward": lambda aligned: aligned.forward,
    "backward": lambda aligned: aligned.backward,
}
