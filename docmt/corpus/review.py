"""All that is wrong with a corpus, instead of the first thing: `docmt corpus validate`."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docmt.base.artifacts import sha256_file
from docmt.base.errors import UserError
from docmt.base.names import SPLITS
from docmt.base.parse import parse
from docmt.catalogue.corpus import CorpusConfig, load_corpus
from docmt.catalogue.forms import Languages, ReaderConfig
from docmt.catalogue.missing import Places
from docmt.corpus.inputs import CollectedProblems
from docmt.corpus.opening import at_hand, find_files, opened, stated_splits
from docmt.corpus.read import Statistics
from docmt.corpus.validate import check_counts, check_splits


@dataclass
class Review:
    """What was found: problems, and, by split and set, what there is."""

    problems: CollectedProblems
    splits: defaultdict[str, Statistics] = field(default_factory=lambda: defaultdict(Statistics))
    items: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)


def review_files(settings: Mapping[str, Any], where: str, at_most: int) -> Review:
    """Read files that are no corpus of the catalogue. `settings`: of their reader; paths start from where we are.

    `where` stands for the settings in messages; `at_most`: problems of each kind that are shown.
    """
    found = Review(CollectedProblems(at_most))
    _read(parse(ReaderConfig, settings, where), Path(), ("xx", "yy"), "the corpus", found)
    return found


def review_corpus(path: Path, folder: Path | None, mirror: str | None, at_most: int) -> Review:
    """Read a corpus of the catalogue, or one of the same form, by its file.

    Its files are looked for in `folder`, among downloads and in the mirror, beside `path` and at their sources. Splits
    whose files are not all there are not read.
    """
    corpus, found = load_corpus(path), Review(CollectedProblems(at_most))
    files = _files(corpus, path, folder, mirror)
    for file in corpus.files:
        place = files[file.name]
        if place is None:
            found.problems.report("file not found", where=file.name)
        elif file.sha256 is not None and (sha256 := sha256_file(place)) != file.sha256:
            found.problems.report("wrong checksum", where=file.name, found=sha256, expected=file.sha256)
    here = at_hand(corpus, files)
    if here.reader is not None:
        _read(here.reader, here.files, corpus.languages, corpus.corpus, found)
    if not found.problems.problems:
        counts = {split: statistics.counts for split, statistics in found.splits.items()}
        check_counts(counts, corpus.expected, corpus.corpus, found.problems)
    return found


def _files(corpus: CorpusConfig, path: Path, folder: Path | None, mirror: str | None) -> dict[str, Path | None]:
    found = find_files(corpus, Places(Path("results"), mirror, {corpus.corpus: str(folder)} if folder else {}))
    for file in corpus.files:
        beside = [path.parent / file.name, *(Path(source.removeprefix("file://")) for source in file.sources)]
        found[file.name] = found[file.name] or next((place for place in beside if place.is_file()), None)
    return found


def _read(
    reader: ReaderConfig, files: Path | Mapping[str, Path], languages: Languages, corpus: str, found: Review
) -> None:
    """What ends the reading is a problem like others, and the last one."""
    problems = found.problems
    try:
        with opened(reader, files, languages, corpus, problems) as one:
            for document in one.documents:
                if document.split in SPLITS:
                    found.splits[document.split].add(document)
            found.items.update(item.set for item in one.items)
        found.changed.update({what: count for what, count in one.changed.items() if count})
    except UserError as end:
        problems.report(end.what, where=end.where or corpus, found=end.found, expected=end.expected)
    if not problems.problems:
        check_splits(found.splits, stated_splits(reader, languages), problems)
    if not (found.splits or found.items or problems.problems):
        problems.report("no documents", where=corpus)
