"""Links between the words of a sentence pair: their types, their text format, symmetrisation, and alignment quality.

The text format is that of Pharaoh and Moses. A line has the links of a sentence pair: `i-j` links source word i to
target word j; words are counted from 0. Gold alignments have `i-j` for sure links, and `ipj` for links that annotators
called possible.

Papers on symmetrisation, which joins the links of both directions into a single set: Och and Ney (2003), section 4.3
(intersection, union, and growing from the intersection to the union); Koehn, Och, Marcu: Statistical Phrase-Based
Translation, NAACL 2003; Koehn et al.: Edinburgh System Description for the 2005 IWSLT Speech Translation Evaluation
(grow-diag-final-and). We follow the pseudo-code of the 2005 description, which goes from target word to target word and
takes the forward direction first.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from docmt.base.artifacts import read_lines
from docmt.base.errors import UserError

Link = tuple[int, int]  # A link: the place of the source word and the place of the target word, both from 0

Links = frozenset[Link]  # The links of a sentence pair


@dataclass(frozen=True)
class DirectedLinks:
    """The links of a sentence pair in both directions.

    In `forward`, a target word has at most one link; in `backward`, a source word has at most one link. The links of an
    aligner without directions have no such limit and are the same in both fields.
    """

    forward: Links
    backward: Links

    @classmethod
    def symmetric(cls, links: Links) -> "DirectedLinks":
        """Return links that are the same in both directions."""
        return cls(links, links)


@dataclass(frozen=True)
class AlignedLines:
    """The links of each line, and the name of their aligner in the signatures of metrics (`signature`)."""

    lines: list[DirectedLinks]
    signature: str


class Aligner(Protocol):
    """The interface of word aligners, which read lines of words that are separated by white space."""

    def align(self, source: Sequence[str], target: Sequence[str]) -> AlignedLines:
        """Return the links of each line; `source` and `target` have the same number of lines."""
        ...


LINK = re.compile(r"([0-9]+)([-p])([0-9]+)")
"""The pattern of a link in a file: the number of the source word, a mark, the number of the target word."""


@dataclass(frozen=True)
class GoldLinks:
    """The links of a sentence pair that annotators made; the sure links are also among the possible links."""

    sure: Links
    possible: Links


def pharaoh_line(links: Links) -> str:
    """Return the text of the links of a sentence pair, in rising order, such as `0-0 1-2`."""
    return " ".join(f"{source}-{target}" for source, target in sorted(links))


def read_links(path: Path, source: Sequence[str], target: Sequence[str]) -> list[Links]:
    """Read the links of each sentence pair, whose sentences are lines of `source` and `target`.

    Raises UserError where the file does not have exactly one line for each sentence pair, for text that is not a link,
    and for a link to a place where the sentence has no word.
    """
    lines = read_lines(path)
    if len(lines) != len(source):
        raise UserError(
            "the file must have one line for each sentence pair",
            where=str(path),
            found=len(lines),
            expected=len(source),
        )
    links_of_lines = []
    for number, (line, *sides) in enumerate(zip(lines, source, target, strict=True), 1):
        links = frozenset(link for link, _ in _marked(line, f"{path}:{number}", "-"))
        check_places(sorted(links), *sides, f"{path}:{number}")
        links_of_lines.append(links)
    return links_of_lines


def check_places(links: Iterable[Link], source: str, target: str, where: str) -> None:
    """Raise UserError, at `where`, for a link to a place where the sentence pair has no word."""
    words, others = len(source.split()), len(target.split())
    for i, j in links:
        if not (0 <= i < words and 0 <= j < others):
            raise UserError(
                "a link to a word that is not there",
                where=where,
                found=f"{i}-{j}",
                expected=f"places of {words} source and {others} target words, from 0",
            )


def read_unchecked_links(path: Path) -> list[Links]:
    """Read the links of each line of a file, without a check that the sentences have the linked words.

    Raises UserError for text that is not a link.
    """
    return [gold.sure for gold in read_gold(path, marks="-")]


def read_gold(path: Path, counts_from_1: bool = False, marks: str = "-p") -> list[GoldLinks]:
    """Read the links that annotators made, from a file with a line for each sentence pair.

    `counts_from_1` says that the file counts words from 1, not from 0. `marks` has the characters that are allowed
    between the two numbers of a link: `-` for a sure link, and `p` for a possible link. Raises UserError for text that
    is not a link.
    """
    gold_of_lines = []
    for number, line in enumerate(read_lines(path), 1):
        marked = list(_marked(line, f"{path}:{number}", marks, int(counts_from_1)))
        sure = frozenset(link for link, mark in marked if mark == "-")
        gold_of_lines.append(GoldLinks(sure, frozenset(link for link, _ in marked)))
    return gold_of_lines


def _marked(line: str, where: str, marks: str, first: int = 0) -> Iterable[tuple[Link, str]]:
    """Yield the links of a line, with words counted from 0, and the mark of each link.

    `first` is the number of the first word in the file: 0 or 1.
    """
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
    """The quality of the links of an aligner, in percent, and the numbers of links.

    A percentage is None where its divisor is 0.
    """

    precision: float | None  # the share of links of the aligner that are possible gold links
    recall: float | None  # the share of sure gold links that the aligner found
    aer: float | None  # the alignment error rate (`alignment_quality`)
    links: int  # the number of links of the aligner
    sure: int  # the number of sure gold links
    possible: int  # the number of possible gold links
    sentences: int  # the number of sentence pairs


def alignment_quality(links_of_lines: Sequence[Links], gold: Sequence[GoldLinks]) -> Quality:
    """Return the quality of the links of an aligner over all sentence pairs, compared with gold links.

    Paper: Och and Ney: A Systematic Comparison of Various Statistical Alignment Models, CL 29 (2003), section 5.

    >>> gold = GoldLinks(sure=frozenset({(0, 0), (1, 1)}), possible=frozenset({(0, 0), (1, 1), (1, 2)}))
    >>> quality = alignment_quality([frozenset({(0, 0), (1, 2), (2, 2)})], [gold])
    >>> [round(value, 1) for value in (quality.precision, quality.recall, quality.aer)]
    [66.7, 50.0, 40.0]
    """
    pairs = list(zip(links_of_lines, gold, strict=True))
    links, sure = sum(map(len, links_of_lines)), sum(len(gold_links.sure) for gold_links in gold)
    right = sum(len(line_links & gold_links.possible) for line_links, gold_links in pairs)
    right_sure = sum(len(line_links & gold_links.sure) for line_links, gold_links in pairs)
    # AER = 1 - (|A & S| + |A & P|) / (|A| + |S|), here in percent: A are the links, S and P the sure and possible ones.
    error = _percent(right + right_sure, links + sure)
    return Quality(
        precision=_percent(right, links),
        recall=_percent(right_sure, sure),
        aer=None if error is None else 100 - error,
        links=links,
        sure=sure,
        possible=sum(len(gold_links.possible) for gold_links in gold),
        sentences=len(gold),
    )


def _percent(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None


BESIDE = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))
"""The steps (target, source) from a link to its neighbours: first in its row and its column, then on the diagonals."""


def grow_diagonally(aligned: DirectedLinks) -> "_Growing":
    """Return the intersection of both directions, grown by links of their union."""
    growing = _Growing(aligned.forward & aligned.backward)
    either = _in_order(aligned.forward | aligned.backward)
    links = 0
    # This step is repeated until no link can be added.
    while links < len(growing.links):
        links = len(growing.links)
        for i, j in either:
            if (i, j) in growing.links:
                beside = ((i + step, j + target_step) for target_step, step in BESIDE)
                # A link of the union is added where it is a neighbour of a link in the set, and where its source word
                # or its target word has no link yet.
                growing.add_all(link for link in beside if link in either and not all(growing.has(link)))
    return growing


def grow_diag_final(aligned: DirectedLinks, enough: Callable[[tuple[bool, bool]], bool] = all) -> Links:
    """Return the links of `grow_diagonally`, with further links of both directions for words without a link.

    Where `enough` is `all`, a link is added if at least one of its two words has no link. Where `enough` is `any`, a
    link is added only if both of its words have no link.
    """
    growing = grow_diagonally(aligned)
    for direction in (aligned.forward, aligned.backward):
        growing.add_all(link for link in _in_order(direction) if not enough(growing.has(link)))
    return frozenset(growing.links)


def _in_order(links: Links) -> dict[Link, None]:
    return dict.fromkeys(sorted(links, key=lambda link: (link[1], link[0])))


class _Growing:
    """A growing set of links, with the places of the source words and of the target words that have links."""

    def __init__(self, links: Links) -> None:
        self.links, self.sources, self.targets = set(links), {i for i, _ in links}, {j for _, j in links}

    def has(self, link: Link) -> tuple[bool, bool]:
        return link[0] in self.sources, link[1] in self.targets

    def add_all(self, links: Iterable[Link]) -> None:
        # The iterator may choose each link by the links that were added before.
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
"""The functions that symmetrise links: from both directions to a single set, by their names in `docmt align`."""
