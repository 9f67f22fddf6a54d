"""The reviews of a corpus: `docmt check-catalogue` compares counts, `docmt check-corpus` lists all problems.

`check_corpus` compares a corpus with the counts that its catalogue file and the papers state. `review_files` and
`review_corpus` report all mistakes in a corpus instead of the first mistake only. Files are read where they are, and
nothing is downloaded. Where the files of some splits are missing, the other splits are read.
"""

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from docmt.base.artifacts import as_object, read_object
from docmt.base.errors import UserError
from docmt.base.foreign import reading
from docmt.base.names import SPLITS
from docmt.base.parse import parse
from docmt.base.paths import RESULTS
from docmt.base.recipe import versions
from docmt.catalogue.checksums import wrong_content
from docmt.catalogue.corpus import CorpusConfig, KnownSign, load_corpus
from docmt.catalogue.forms import CONTRASTIVE, Languages, ReaderConfig
from docmt.catalogue.missing import Places, is_source, local_path
from docmt.catalogue.published import COUNTS, PublishedCounts, stated
from docmt.corpus.inputs import CollectedProblems, Problems
from docmt.corpus.leaks import ItemHashes, Shared, SharedItems, check_shared
from docmt.corpus.opening import AvailableFiles, OpenedCorpus, available_files, find_files, open_corpus, stated_splits
from docmt.corpus.read import (
    Statistics,
    check_boundaries,
    check_counts,
    check_splits,
    shared_by,
    shared_items_by,
    signs_of,
)
from docmt.corpus.signs import warn_of_signs

CARD = "card.json"  # The name of the file with the counts of an artifact
CATALOGUE = "catalogue"
"""The value of `paper` in a finding that compares a count with the `expected` counts of the catalogue."""
CountsBySplit = dict[str, dict[str, float]]
"""The counts of a corpus: by split or contrastive set, then by the name of the count."""
Verdict = Literal["equal", "explained", "unexplained", "not counted"]


@dataclass(frozen=True)
class Finding:
    """A count of a corpus, and the same count as the catalogue or a paper states it.

    `measured` is None where the count was not measured. `place` is the place of the number in the paper, such as a
    table. `why` is the reason of an explained difference, or the reason why nothing was measured.
    """

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
    """The counts of a corpus by split and by contrastive set, and of the changes that readers made to the text."""

    splits: defaultdict[str, Statistics] = field(default_factory=lambda: defaultdict(Statistics))
    items: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)
    item_hashes: ItemHashes = field(default_factory=ItemHashes)

    def add(self, corpus: OpenedCorpus) -> None:
        """Count the documents and items of an opened corpus; a document of an unknown split is not counted."""
        for document in corpus.documents:
            if document.split in SPLITS:
                self.splits[document.split].add(document)
        for item in corpus.items:
            self.items[item.set] += 1
            self.item_hashes.add(item)
        self.changed.update(corpus.changed)

    @property
    def counts(self) -> CountsBySplit:
        """The numbers of documents and sentences of each split, and the number of items of each contrastive set."""
        counts = {split: dataclasses.asdict(statistics.counts) for split, statistics in self.splits.items()}
        return counts | {name: {"instances": number} for name, number in self.items.items()}

    @property
    def shared(self) -> list[Shared]:
        """What each split shares with each split before it."""
        return shared_by(self.splits)

    @property
    def shared_items(self) -> list[SharedItems]:
        """What each contrastive set shares with train; nothing where there is no train."""
        return shared_items_by(self.item_hashes, self.splits)


@dataclass
class CorpusCheck:
    """The result of `check_corpus`.

    `absent` has, for each split that could not be read, the names of its missing files. `changed` counts the changes
    that readers made to the text. `shared` has what each split shares with each split before it. `problem` is the first
    reason why stage 1 would refuse the corpus; None where there is none.
    """

    corpus: str
    findings: list[Finding] = field(default_factory=list)
    absent: dict[str, list[str]] = field(default_factory=dict)
    changed: Counter[str] = field(default_factory=Counter)
    shared: list[Shared] = field(default_factory=list)
    problem: str | None = None

    @property
    def is_fine(self) -> bool:
        """True where the corpus has no problem and no unexplained difference."""
        return self.problem is None and all(finding.verdict != "unexplained" for finding in self.findings)


def check_corpus(corpus: CorpusConfig, places: Places) -> CorpusCheck:
    """Compare the splits of a corpus whose files are present with the counts of the catalogue and of the papers."""
    result = CorpusCheck(corpus.corpus)
    try:
        available = available_files(corpus, find_files(corpus, places))
        result.absent = available.absent
        if available.reader is not None:
            contents = _contents(corpus, available, result.changed)
            result.shared = contents.shared
            counts = contents.counts
            result.findings = list(_findings(corpus, counts, places.results, set(result.absent)))
            # So does text that splits share beyond `most_shared`; the counts are compared all the same.
            check_shared(result.shared, corpus.most_shared, corpus.corpus, Problems())
    # A UserError of a reader or of the validation, or a wrong checksum, becomes the `problem` of the result; then
    # nothing is compared.
    except UserError as problem:
        result.problem = str(problem)
    return result


def _contents(corpus: CorpusConfig, available: AvailableFiles, changed: Counter[str]) -> Contents:
    for file in corpus.files:
        path = available.files.get(file.name)
        if path and (wrong := wrong_content(path, file)):
            raise UserError(wrong.what, where=str(path), found=wrong.actual, expected=wrong.expected)
    contents = Contents(changed=changed)
    with open_corpus(available.reader, available.files, corpus.languages, corpus.corpus, Problems()) as opened:
        contents.add(opened)
    return contents


def _findings(corpus: CorpusConfig, corpus_counts: CountsBySplit, results: Path, absent: set[str]) -> Iterator[Finding]:
    for split, counts in corpus.expected.items():
        for count, number in dataclasses.asdict(counts).items():
            # A split that could not be read gives no finding.
            if split not in absent:
                yield _compared(
                    split, count, corpus_counts.get(split, {}).get(count), number, CATALOGUE, "expected", None
                )
    for published in corpus.published:
        readable = [
            (split, count, number)
            for split, counts in published.counts.items()
            if (split if split in SPLITS else CONTRASTIVE) not in absent
            for count, number in counts.items
        ]
        for split, count, number in readable:
            if split in SPLITS and count in COUNTS:
                yield from _later_findings(corpus.corpus, split, count, published, results)
            else:
                # A split without documents, although no file is missing, has the count 0.
                measured, why = corpus_counts.get(split, {}).get(count, 0), published.reason(split, count)
                yield _compared(split, count, measured, number, published.paper, published.place, why)


def _compared(
    split: str, count: str, measured: float | None, printed: int | float | str, paper: str, place: str, why: str | None
) -> Finding:
    stated_count = stated(printed)
    if measured is not None and stated_count.covers(measured):
        return Finding(split, count, measured, stated_count.text, paper, place, "equal")
    return Finding(split, count, measured, stated_count.text, paper, place, "explained" if why else "unexplained", why)


def _later_findings(
    corpus: str, split: str, count: str, published: PublishedCounts, results: Path
) -> Iterator[Finding]:
    """Yield a finding for each text, and reading of the count, for which the stage that measures `count` has run."""
    printed = getattr(published.counts[split], count)
    why = published.reason(split, count) or COUNTS[count].unclear or None
    measurements = list(counts_of_later_stages(results, corpus, split, count))
    for text, number in measurements:
        yield _compared(split, count, number, printed, published.paper, f"{published.place} (text {text})", why)
    if not measurements:
        reason = f"a later stage counts it, in {card_with_count(results, corpus, split, count)}"
        stated_text = stated(printed).text
        yield Finding(split, count, None, stated_text, published.paper, published.place, "not counted", reason)


def counts_of_later_stages(results: Path, corpus: str, split: str, count: str) -> Iterator[tuple[str, float]]:
    """Yield the name of each text of the corpus that a later stage has processed, and the count in this text.

    Where the count has several readings, each is yielded, and follows the name of the text.
    """
    stage_count = COUNTS[count]
    places = sorted(results.glob(stage_count.place(corpus, "*", split)))
    # The newest version of an artifact counts.
    for folder in (folder for place in places for folder in versions(place, CARD)[:1]):
        path = folder / CARD
        card = read_object(path, "splits")
        as_object(card["splits"], f"{path} splits")
        with reading(path, "not a card with this count", f"{count} of each split"):
            values = {name: value(card, split) for name, value in stage_count.values.items()}
        # results/<stage>/<corpus>/<text>/...
        text = path.relative_to(results).parts[2]
        yield from (
            (": ".join(filter(None, (text, name))), number) for name, number in values.items() if number is not None
        )


def card_with_count(results: Path, corpus: str, split: str, count: str) -> str:
    """Return the path of the card that a later stage will write with the count; `<text>` stands for a text."""
    return str(results / COUNTS[count].place(corpus, "<text>", split).replace("*", "") / "<id>" / CARD)


@dataclass
class Review(Contents):
    """The counts of a corpus and all problems of its files; `signs` has the form of card.json."""

    problems: CollectedProblems = field(kw_only=True)
    signs: dict[str, dict[str, Any]] = field(default_factory=dict)


def review_files(settings: Mapping[str, Any], where: str, at_most: int) -> Review:
    """Read files that are no corpus of the catalogue, and return their counts and problems.

    `settings` are those of a reader; paths are relative to the current folder. `where` is the name of the settings in
    messages. `at_most` is the number of problems of each kind whose text is kept.
    """
    review = Review(problems=CollectedProblems(at_most))
    # The languages are not known; callers use only the forms `lines` and `table`, which need no languages.
    _read(parse(ReaderConfig, settings, where), Path(), ("xx", "yy"), "the corpus", review)
    return review


def review_corpus(path: Path, folder: Path | None, mirror: str | None, at_most: int) -> Review:
    """Read the corpus that the YAML file `path` describes, and return its counts and problems.

    The YAML file is a file of the catalogue, or a user's file of the same form. Each file of the corpus is searched
    among the downloads, in `folder`, in the mirror, beside `path`, and at its sources, where these are paths. A split
    is read only where all of its files are present. `at_most` is the number of problems of each kind whose text is
    kept.
    """
    corpus, review = load_corpus(path), Review(problems=CollectedProblems(at_most))
    files = _files(corpus, path, folder, mirror)
    for file in corpus.files:
        file_path = files[file.name]
        if file_path is None:
            review.problems.report("file not found", where=file.name)
        elif wrong := wrong_content(file_path, file):
            review.problems.report(wrong.what, where=file.name, found=wrong.actual, expected=wrong.expected)
    available = available_files(corpus, files)
    if available.reader is not None:
        _read(available.reader, available.files, corpus.languages, corpus.corpus, review, corpus.known)
    if not review.problems.problems:
        counts = {split: statistics.counts for split, statistics in review.splits.items()}
        check_counts(counts, corpus.expected, corpus.corpus, review.problems)
        check_shared(review.shared, corpus.most_shared, corpus.corpus, review.problems)
    if not review.problems.problems:
        _check_missing(review, corpus.corpus)
    return review


def _check_missing(review: Review, corpus: str) -> None:
    missing = [split for split in SPLITS if split not in review.splits]
    if missing:
        what = "splits are missing, without which no system is trained and scored (`held_out` takes them from train)"
        review.problems.warn(what, where=corpus, found=f"no {', no '.join(missing)}")


def _files(corpus: CorpusConfig, path: Path, folder: Path | None, mirror: str | None) -> dict[str, Path | None]:
    paths = find_files(corpus, Places(Path(RESULTS), mirror, {corpus.corpus: str(folder)} if folder else {}))
    for file in corpus.files:
        candidates = [path.parent / file.name, *(local_path(source.url) for source in file.sources)]
        # The path of a missing file is None.
        paths[file.name] = paths[file.name] or next(filter(is_source, candidates), None)
    return paths


def _read(
    reader: ReaderConfig,
    files: Path | Mapping[str, Path],
    languages: Languages,
    corpus: str,
    review: Review,
    known: Collection[KnownSign] = (),
) -> None:
    problems = review.problems
    try:
        with open_corpus(reader, files, languages, corpus, problems) as opened:
            review.add(opened)
    # A UserError that ends the reading becomes the last problem.
    except UserError as problem:
        problems.report(problem.what, where=problem.where or corpus, found=problem.found, expected=problem.expected)
    # Other problems may be the cause of a split without documents, which is therefore not reported then.
    if not problems.problems:
        check_splits(review.splits, stated_splits(reader, languages), problems)
    check_boundaries({split: statistics.counts for split, statistics in review.splits.items()}, corpus, problems)
    review.signs = signs_of(review.splits, languages)
    warn_of_signs(review.signs, known, corpus, problems)
    if not (review.splits or review.items or problems.problems):
        problems.report("no documents", where=corpus)
