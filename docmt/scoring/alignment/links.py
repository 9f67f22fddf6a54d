"""What all aligners have in common; the links of a sentence pair, as they find them, as one set and as text; and how
well these agree with those of people.

As text, the format of Pharaoh and Moses, a sentence pair is a line: `i-j` links source word i to target word j, both
from 0. Gold alignments mark links that annotators found possible, and not sure, by `ipj`.

Papers, for one set of links from those of both directions: Och and Ney (2003), section 4.3 (intersection, union, and
the growing between them); Koehn, Och, Marcu: Statistical Phrase-Based Translation, NAACL 2003, and Koehn et al.:
Edinburgh System Description for the 2005 IWSLT Speech Translation Evaluation (grow-diag-final-and), whose pseudo-code
is followed: target word by target word, and the forward direction first.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from docmt.base.artifacts import read_lines
from docmt.base.errors import UserError

Link = tuple[int, int]
"""(place of the source word, place of the target word), from 0."""

Links = frozenset[Link]


@dataclass(frozen=True)
class DirectedLinks:
    """Of a sentence pair. `forward`: each target word has one link or none; `backward`: each source word has.

    An aligner that knows one set of links only has it twice.
    """

    forward: Links
    backward: Links

    @classmethod
    def symmetric(cls, links: Links) -> "DirectedLinks":
        return cls(links, links)


@dataclass(frozen=True)
class AlignedLines:
    """`signature`: how the links were found, for the signatures of what is measured on them."""

    lines: list[DirectedLinks]
    signature: str


class Aligner(Protocol):
    """White space parts words."""

    def align(self, source: Sequence[str], target: Sequence[str]) -> AlignedLines:
        """The links of each line, where both sides have as many lines."""
        ...


LINK = re.compile(r"([0-9]+)([-p])([0-9]+)")


@dataclass(frozen=True)
class GoldLinks:
    """Of a sentence pair; every sure link is a possible one too."""

    sure: Links
    possible: Links


def pharaoh_line(links: Links) -> str:
    return " ".join(f"{source}-{target}" for source, target in sorted(links))


def read_links(path: Path, source: Sequence[str], target: Sequence[str]) -> list[Links]:
    """Raises UserError where the file has not one line for each sentence pair, or a link is none of its words."""
    lines = read_lines(path)
    if len(lines) != len(source):
        raise UserError("not one line for each sentence pair", where=str(path), found=len(lines), expected=len(source))
    found = []
    for number, (line, *sides) in enumerate(zip(lines, source, target, strict=True), 1):
        links = frozenset(link for link, _ in _marked(line, f"{path}:{number}", "-"))
        words, others = (len(side.split()) for side in sides)
        for i, j in sorted(links):
            if i >= words or j >= others:
                raise UserError(
                    "a link to a word that is not there",
                    where=f"{path}:{number}",
                    found=f"{i}-{j}",
                    expected=f"places of {words} source and {others} target words, from 0",
                )
        found.append(links)
    return found


def read_unchecked_links(path: Path) -> list[Links]:
    """Where the sentences are not at hand. Raises UserError for what is no link."""
    return [one.sure for one in read_gold(path, marks="-")]


def read_gold(path: Path, counts_from_1: bool = False, marks: str = "-p") -> list[GoldLinks]:
    """Read the links that people made: one line for each sentence pair.

    `counts_from_1`: the file counts words from 1, else from 0. `marks`: the characters that are allowed between the
    numbers of a link: `-` for a sure link, `p` for a possible one. Raises UserError for text that is not a link.
    """
    found = []
    for number, line in enumerate(read_lines(path), 1):
        marked = list(_marked(line, f"{path}:{number}", marks, int(counts_from_1)))
        sure = frozenset(link for link, mark in marked if mark == "-")
        found.append(GoldLinks(sure, frozenset(link for link, _ in marked)))
    return found


def _marked(line: str, where: str, marks: str, first: int = 0) -> Iterable[tuple[Link, str]]:
    """Links with words counted from 0, and the mark between them. `first`: how the line counts the first word."""
    for text in line.split():
        match = LINK.fullmatch(text)
        if not match or match[2] not in marks:
            expected = " or ".join(f"i{mark}j" for mark in marks)
            raise UserError("not a link", where=where, found=repr(text), expected=expected)
        link = int(match[1]) - first, int(match[3]) - first
        if min(link) < 0:
            raise UserError("a word that is counted from 0", where=where, found=text, expected="words counted from 1")
        yield link, match[2]


@dataclass(frozen=True)
class Quality:
    """In percent. `precision`: of the links, those that are possible; `recall`: of the sure links, those found; `aer`:
    1 - (found sure + found possible) / (found + sure). None where there is nothing to divide by."""

    precision: float | None
    recall: float | None
    aer: float | None
    links: int
    sure: int
    possible: int
    sentences: int


def alignment_quality(found: Sequence[Links], gold: Sequence[GoldLinks]) -> Quality:
    """Over all sentence pairs.

    Paper: Och and Ney: A Systematic Comparison of Various Statistical Alignment Models, CL 29 (2003), section 5.

    >>> one = GoldLinks(sure=frozenset({(0, 0), (1, 1)}), possible=frozenset({(0, 0), (1, 1), (1, 2)}))
    >>> quality = alignment_quality([frozenset({(0, 0), (1, 2), (2, 2)})], [one])
    >>> [round(value, 1) for value in (quality.precision, quality.recall, quality.aer)]
    [66.7, 50.0, 40.0]
    """
    pairs = list(zip(found, gold, strict=True))
    links, sure = sum(map(len, found)), sum(len(one.sure) for one in gold)
    right = sum(len(own & one.possible) for own, one in pairs)
    right_sure = sum(len(own & one.sure) for own, one in pairs)
    error = _percent(right + right_sure, links + sure)
    return Quality(
        precision=_percent(right, links),
        recall=_percent(right_sure, sure),
        aer=None if error is None else 100 - error,
        links=links,
        sure=sure,
        possible=sum(len(one.possible) for one in gold),
        sentences=len(gold),
    )


def _percent(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None


BESIDE = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))
"""(target, source) steps to the neighbours of a link: those in its row and column, then those on its diagonals."""


def grow_diagonally(aligned: DirectedLinks) -> "_Growing":
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
                growing.add_all(link for link in beside if link in either and not all(growing.has(link)))
    return growing


def grow_diag_final(aligned: DirectedLinks, enough: Callable[[tuple[bool, bool]], bool] = all) -> Links:
    """And at last those of either direction that link words without a link: one such word at least, where `enough` is
    all; two, where it is any."""
    growing = grow_diagonally(aligned)
    for direction in (aligned.forward, aligned.backward):
        growing.add_all(link for link in _in_order(direction) if not enough(growing.has(link)))
    return frozenset(growing.links)


def _in_order(links: Links) -> dict[Link, None]:
    """Target word by target word, source words rising."""
    return dict.fromkeys(sorted(links, key=lambda link: (link[1], link[0])))


class _Growing:
    """Links, and the words that they link."""

    def __init__(self, links: Links) -> None:
        self.links, self.sources, self.targets = set(links), {i for i, _ in links}, {j for _, j in links}

    def has(self, link: Link) -> tuple[bool, bool]:
        """Whether its source word, and its target word, are linked."""
        return link[0] in self.sources, link[1] in self.targets

    def add_all(self, links: Iterable[Link]) -> None:
        """One after another: whether a link comes in question may depend on the one before."""
        for link in links:
            self.links.add(link)
            self.sources.add(link[0])
            self.targets.add(link[1])


HEURISTICS: dict[str, Callable[[DirectedLinks], Links]] = {
    "grow-diag-final-and": lambda aligned: grow_diag_final(aligned, enough=any),
    "grow-diag-final": grow_diag_final,
    "grow-diag": lambda aligned: frozenset(grow_diagonally(aligned).links),
    "intersection": lambda aligned: aligned.forward & aligned.backward,
    "union": lambda aligned: aligned.forward | aligned.backward,
    "forward": lambda aligned: aligned.forward,
    "backward": lambda aligned: aligned.backward,
}
