"""All that is wrong with a corpus, instead of the first thing: `docmt corpus validate`."""

import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from docmt.base.artifacts import sha256_file
from docmt.base.errors import UserError
from docmt.base.names import SPLITS
from docmt.catalogue.corpus import CorpusConfig
from docmt.catalogue.readers import ReaderConfig
from docmt.corpus.card import Statistics
from docmt.corpus.inputs import Inputs
from docmt.corpus.needs import limited, needed_files, stated_splits
from docmt.corpus.problems import CollectedProblems
from docmt.corpus.readers import read
from docmt.corpus.validate import check_counts, check_splits, validated, validated_items


@dataclass
class Review:
    """What was found: problems, and, by split and set, what there is."""

    problems: CollectedProblems
    splits: defaultdict[str, Statistics] = field(default_factory=lambda: defaultdict(Statistics))
    items: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)


def review_files(reader: ReaderConfig, at_most: int, downloads: Path = Path()) -> Review:
    """Read files whose paths in `reader` start from `downloads`. `at_most`: problems of each kind that are shown."""
    found = Review(CollectedProblems(at_most))
    _read(reader, downloads, ("xx", "yy"), "the corpus", found)
    return found


def review_corpus(corpus: CorpusConfig, files: Mapping[str, Path | None], at_most: int) -> Review:
    """Read a corpus of the catalogue. `files`: where each of its files lies; None = nowhere.

    Splits whose files are not all there are not read.
    """
    found = Review(CollectedProblems(at_most))
    for file in corpus.files:
        path = files[file.name]
        if path is None:
            found.problems.report("file not found", where=file.name)
        elif file.sha256 is not None and (sha256 := sha256_file(path)) != file.sha256:
            found.problems.report("wrong checksum", where=file.name, found=sha256, expected=file.sha256)
    there = [s for s, names in needed_files(corpus).items() if all(files[name] is not None for name in names)]
    reader = limited(corpus.reader, there)
    if reader is not None:
        with tempfile.TemporaryDirectory(prefix="docmt.") as folder:
            for name, path in files.items():
                if path is not None:
                    (Path(folder) / name).symlink_to(path.resolve())
            languages = corpus.source_language, corpus.target_language
            _read(reader, Path(folder), languages, corpus.corpus, found)
    if not found.problems.problems:
        counts = {split: statistics.counts for split, statistics in found.splits.items()}
        check_counts(counts, corpus.expected, corpus.corpus, found.problems)
    return found


def _read(reader: ReaderConfig, downloads: Path, languages: tuple[str, str], corpus: str, found: Review) -> None:
    """What ends the reading is a problem like others, and the last one."""
    problems = found.problems
    with tempfile.TemporaryDirectory(prefix="docmt.") as scratch:
        inputs = Inputs(downloads, Path(scratch), *languages, problems)
        try:
            reading = read(reader, inputs)
            for document in validated(reading.documents, problems):
                if document.split in SPLITS:
                    found.splits[document.split].add(document)
            found.items.update(item.set for item in validated_items(reading.contrastive, corpus, problems))
        except UserError as end:
            problems.report(end.what, where=end.where or corpus, found=end.found, expected=end.expected)
        found.changed.update({what: count for what, count in inputs.changed.items() if count})
    if not problems.problems:
        check_splits(found.splits, stated_splits(reader, languages), problems)
    if not (found.splits or found.items or problems.problems):
        problems.report("no documents", where=corpus)
