"""What a corpus holds beside what its files and the papers are said to hold: `docmt corpus check`; and all that is
wrong with one, instead of the first thing: `docmt corpus validate`.

Files are read where they lie; of a corpus whose training files are not there, dev and test are read all the same.
"""

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from docmt.base.artifacts import as_object, read_object, sha256_file
from docmt.base.errors import UserError
from docmt.base.foreign import reading
from docmt.base.names import SPLITS
from docmt.base.parse import parse
from docmt.base.paths import RESULTS
from docmt.catalogue.corpus import CorpusConfig, load_corpus
from docmt.catalogue.forms import CONTRASTIVE, Languages, ReaderConfig
from docmt.catalogue.missing import Places, local_path
from docmt.catalogue.published import COUNTS, LATER, UNCLEAR, PublishedCounts, stated
from docmt.corpus.inputs import CollectedProblems, Problems
from docmt.corpus.opening import AvailableFiles, OpenedCorpus, available_files, find_files, open_corpus, stated_splits
from docmt.corpus.read import Statistics, check_counts, check_splits

CATALOGUE = "catalogue"
"""Stands for a paper where a count is that of the files, as the catalogue expects it."""
Verdict = Literal["equal", "explained", "unexplained", "not counted"]


@dataclass(frozen=True)
class Finding:
    """One count beside what is stated of it. `why`: of a difference that is explained, or of what was not counted."""

    split: str
    count: str
    measured: float | None
    stated: str
    paper: str
    place: str
    verdict: Verdict
    why: str | None = None


@dataclass
class Contents:
    """What there is of a corpus, by split and set, and what readers dropped or mended."""

    splits: defaultdict[str, Statistics] = field(default_factory=lambda: defaultdict(Statistics))
    items: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)

    def add(self, one: OpenedCorpus) -> None:
        for document in one.documents:
            if document.split in SPLITS:
                self.splits[document.split].add(document)
        self.items.update(item.set for item in one.items)
        self.changed.update(one.changed)


@dataclass
class CorpusCheck:
    """A corpus: what was found, what could not be read (files by split), and what is wrong with the files, if any."""

    corpus: str
    findings: list[Finding] = field(default_factory=list)
    absent: dict[str, list[str]] = field(default_factory=dict)
    changed: Counter[str] = field(default_factory=Counter)
    problem: str | None = None

    @property
    def is_fine(self) -> bool:
        return self.problem is None and all(finding.verdict != "unexplained" for finding in self.findings)


CountsBySplit = dict[str, dict[str, float]]
"""By split or contrastive set, then by the name of the count."""


def check_corpus(corpus: CorpusConfig, places: Places) -> CorpusCheck:
    """Read what is there of a corpus and compare it with the catalogue's counts and the papers'.

    What readers and validation refuse, and a wrong checksum, is the corpus' `problem`: nothing of it is compared.
    """
    checked = CorpusCheck(corpus.corpus)
    try:
        here = available_files(corpus, find_files(corpus, places))
        checked.absent = here.absent
        if here.reader is not None:
            found = _counts(corpus, here, checked.changed)
            checked.findings = list(_findings(corpus, found, places.results, set(checked.absent)))
    except UserError as problem:
        checked.problem = str(problem)
    return checked


def _counts(corpus: CorpusConfig, here: AvailableFiles, changed: Counter[str]) -> CountsBySplit:
    """Documents and sentences of each split, items of each contrastive set."""
    for file in corpus.files:
        path = here.files.get(file.name)
        if path and file.sha256 is not None and (found := sha256_file(path)) != file.sha256:
            raise UserError("wrong checksum", where=str(path), found=found, expected=file.sha256)
    contents = Contents(changed=changed)
    with open_corpus(here.reader, here.files, corpus.languages, corpus.corpus, Problems()) as one:
        contents.add(one)
    counts = {split: dataclasses.asdict(found.counts) for split, found in contents.splits.items()}
    return counts | {name: {"instances": number} for name, number in contents.items.items()}


def _findings(corpus: CorpusConfig, found: CountsBySplit, results: Path, absent: set[str]) -> Iterator[Finding]:
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
    numbers = [] if count in UNCLEAR else list(counts_of_later_stages(results, corpus, split, count))
    for text, number in numbers:
        yield _compared(split, count, number, printed, published.paper, f"{published.place} (text {text})", why)
    if not numbers:
        reason = UNCLEAR.get(count) or f"a later stage counts it, in {card_with_count(results, corpus, split, count)}"
        shown = stated(printed).text
        yield Finding(split, count, None, shown, published.paper, published.place, "not counted", reason)


def counts_of_later_stages(results: Path, corpus: str, split: str, count: str) -> Iterator[tuple[str, float]]:
    """The count in every text that has been made of the corpus: the text's name and the number."""
    made = COUNTS[count]
    for path in sorted(results.glob(made.card(corpus, "*", made.view_of(split)))):
        card = as_object(read_object(path, "splits")["splits"], f"{path} splits").get(split)
        if card:
            with reading(path, "not a card with this count", f"{count} of each split"):
                value = made.value(card)
            yield path.parent.parent.name, value


def card_with_count(results: Path, corpus: str, split: str, count: str) -> str:
    """Where the count would stand, for a person who wants it."""
    made = COUNTS[count]
    return str(results / made.card(corpus, "<text>", made.view_of(split).replace("*", "")))


@dataclass
class Review(Contents):
    """What was found: what there is, and problems."""

    problems: CollectedProblems = field(kw_only=True)


def review_files(settings: Mapping[str, Any], where: str, at_most: int) -> Review:
    """Read files that are no corpus of the catalogue. `settings`: of their reader; paths start from where we are.

    `where` stands for the settings in messages; `at_most`: problems of each kind that are shown.
    """
    found = Review(problems=CollectedProblems(at_most))
    _read(parse(ReaderConfig, settings, where), Path(), ("xx", "yy"), "the corpus", found)
    return found


def review_corpus(path: Path, folder: Path | None, mirror: str | None, at_most: int) -> Review:
    """Read a corpus of the catalogue, or one of the same form, by its file.

    Its files are looked for in `folder`, among downloads and in the mirror, beside `path` and at their sources. Splits
    whose files are not all there are not read.
    """
    corpus, found = load_corpus(path), Review(problems=CollectedProblems(at_most))
    files = _files(corpus, path, folder, mirror)
    for file in corpus.files:
        place = files[file.name]
        if place is None:
            found.problems.report("file not found", where=file.name)
        elif file.sha256 is not None and (sha256 := sha256_file(place)) != file.sha256:
            found.problems.report("wrong checksum", where=file.name, found=sha256, expected=file.sha256)
    here = available_files(corpus, files)
    if here.reader is not None:
        _read(here.reader, here.files, corpus.languages, corpus.corpus, found)
    if not found.problems.problems:
        counts = {split: statistics.counts for split, statistics in found.splits.items()}
        check_counts(counts, corpus.expected, corpus.corpus, found.problems)
    return found


def _files(corpus: CorpusConfig, path: Path, folder: Path | None, mirror: str | None) -> dict[str, Path | None]:
    found = find_files(corpus, Places(Path(RESULTS), mirror, {corpus.corpus: str(folder)} if folder else {}))
    for file in corpus.files:
        beside = [path.parent / file.name, *(local_path(source) for source in file.sources)]
        found[file.name] = found[file.name] or next((place for place in beside if place.is_file()), None)
    return found


def _read(
    reader: ReaderConfig, files: Path | Mapping[str, Path], languages: Languages, corpus: str, found: Review
) -> None:
    """What ends the reading is a problem like others, and the last one."""
    problems = found.problems
    try:
        with open_corpus(reader, files, languages, corpus, problems) as one:
            found.add(one)
    except UserError as end:
        problems.report(end.what, where=end.where or corpus, found=end.found, expected=end.expected)
    if not problems.problems:
        check_splits(found.splits, stated_splits(reader, languages), problems)
    if not (found.splits or found.items or problems.problems):
        problems.report("no documents", where=corpus)
