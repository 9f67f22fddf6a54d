"""What a corpus holds beside what its files and the papers are said to hold: `docmt corpus check`.

Files are read where they lie; of a corpus whose training files are not there, dev and test are read all the same.
"""

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from docmt.base.artifacts import as_object, read_object, sha256_file
from docmt.base.errors import UserError
from docmt.base.foreign import reading
from docmt.base.names import SPLITS
from docmt.catalogue.corpus import CorpusConfig
from docmt.catalogue.forms import CONTRASTIVE
from docmt.catalogue.missing import Places
from docmt.catalogue.published import COUNTS, LATER, UNCLEAR, PublishedCounts, stated
from docmt.corpus.inputs import Problems
from docmt.corpus.opening import AtHand, at_hand, find_files, opened
from docmt.corpus.read import Statistics

CATALOGUE = "catalogue"
"""Stands for a paper where a count is that of the files, as the catalogue expects it."""
Verdict = Literal["equal", "explained", "unexplained", "not counted"]


@dataclass(frozen=True)
class Finding:
    """One count beside what is stated of it. `why`: of a difference that is explained, or of what was not counted."""

    split: str
    count: str
    found: float | None
    stated: str
    paper: str
    place: str
    verdict: Verdict
    why: str | None = None


@dataclass
class Checked:
    """A corpus: what was found, what could not be read (files by split), and what is wrong with the files, if any."""

    corpus: str
    findings: list[Finding] = field(default_factory=list)
    absent: dict[str, list[str]] = field(default_factory=dict)
    changed: Counter[str] = field(default_factory=Counter)
    problem: str | None = None

    @property
    def is_fine(self) -> bool:
        return self.problem is None and all(finding.verdict != "unexplained" for finding in self.findings)


Found = dict[str, dict[str, float]]
"""By split or contrastive set, then by the name of the count."""


def check_corpus(corpus: CorpusConfig, places: Places) -> Checked:
    """Read what is there of a corpus and compare it with the catalogue's counts and the papers'.

    What readers and validation refuse, and a wrong checksum, is the corpus' `problem`: nothing of it is compared.
    """
    checked = Checked(corpus.corpus)
    try:
        here = at_hand(corpus, find_files(corpus, places))
        checked.absent = here.absent
        if here.reader is not None:
            found = _counts(corpus, here, checked.changed)
            checked.findings = list(_findings(corpus, found, places.results, set(checked.absent)))
    except UserError as problem:
        checked.problem = str(problem)
    return checked


def _counts(corpus: CorpusConfig, here: AtHand, changed: Counter[str]) -> Found:
    """Documents and sentences of each split, items of each contrastive set."""
    for file in corpus.files:
        if file.name in here.files:
            _check_sha256(here.files[file.name], file.sha256)
    splits: defaultdict[str, Statistics] = defaultdict(Statistics)
    with opened(here.reader, here.files, corpus.languages, corpus.corpus, Problems()) as one:
        for document in one.documents:
            splits[document.split].add(document)
        sets = Counter(item.set for item in one.items)
    changed.update(one.changed)
    counts = {split: dataclasses.asdict(found.counts) for split, found in splits.items()}
    return counts | {name: {"instances": number} for name, number in sets.items()}


def _check_sha256(path: Path, expected: str | None) -> None:
    if expected is not None and (found := sha256_file(path)) != expected:
        raise UserError("wrong checksum", where=str(path), found=found, expected=expected)


def _findings(corpus: CorpusConfig, found: Found, results: Path, absent: set[str]) -> Iterator[Finding]:
    """The files' own counts first, then paper by paper. What could not be read is no finding."""
    for split, counts in corpus.expected.items():
        for count, number in dataclasses.asdict(counts).items():
            if split not in absent:
                yield _compared(split, count, found.get(split, {}).get(count), number, CATALOGUE, "expected", None)
    for published in corpus.published:
        stated_here = [
            (split, count, number)
            for split, counts in published.counts.items()
            if (split if split in SPLITS else CONTRASTIVE) not in absent
            for count, number in counts.items
        ]
        for split, count, number in stated_here:
            if split in SPLITS and count in LATER:
                yield from _made(corpus.corpus, split, count, published, results)
            else:
                own, why = found.get(split, {}).get(count, 0), published.reason(split, count)
                yield _compared(split, count, own, number, published.paper, published.place, why)


def _compared(
    split: str, count: str, found: float | None, printed: int | float | str, paper: str, place: str, why: str | None
) -> Finding:
    number = stated(printed)
    if found is not None and number.covers(found):
        return Finding(split, count, found, number.text, paper, place, "equal")
    return Finding(split, count, found, number.text, paper, place, "explained" if why else "unexplained", why)


def _made(corpus: str, split: str, count: str, published: PublishedCounts, results: Path) -> Iterator[Finding]:
    """A count that a later stage gives: once for each text in which it was made."""
    printed = getattr(published.counts[split], count)
    why = published.reason(split, count)
    numbers = [] if count in UNCLEAR else list(made_counts(results, corpus, split, count))
    for text, number in numbers:
        yield _compared(split, count, number, printed, published.paper, f"{published.place} (text {text})", why)
    if not numbers:
        reason = UNCLEAR.get(count) or f"a later stage counts it, in {where_made(results, corpus, split, count)}"
        shown = stated(printed).text
        yield Finding(split, count, None, shown, published.paper, published.place, "not counted", reason)


def made_counts(results: Path, corpus: str, split: str, count: str) -> Iterator[tuple[str, float]]:
    """The count in every text that has been made of the corpus: the text's name and the number."""
    made = COUNTS[count]
    for path in sorted(results.glob(made.card(corpus, "*", made.view_of(split)))):
        card = as_object(read_object(path, "splits")["splits"], f"{path} splits").get(split)
        if card:
            with reading(path, "not a card with this count", f"{count} of each split"):
                value = made.value(card)
            yield path.parent.parent.name, value


def where_made(results: Path, corpus: str, split: str, count: str) -> str:
    """Where the count would stand, for a person who wants it."""
    made = COUNTS[count]
    return str(results / made.card(corpus, "<text>", made.view_of(split).replace("*", "")))
