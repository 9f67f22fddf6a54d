"""Stage 1, which converts downloaded files to documents.parquet, contrastive.parquet and card.json."""

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from docmt.base.artifacts import remove_file, write_json
from docmt.base.columns import CONTRASTIVE, DOCUMENTS
from docmt.base.errors import UserError
from docmt.base.names import SPLITS
from docmt.base.tables import parquet_writer, write_parquet
from docmt.catalogue.checksums import file_digest, wrong_content
from docmt.catalogue.corpus import CorpusSettings, SplitCounts
from docmt.catalogue.files import FileConfig
from docmt.catalogue.forms import Languages
from docmt.catalogue.held_out import TRAIN
from docmt.corpus.folding import fold
from docmt.corpus.inputs import MANY_SENTENCES, ContrastiveItem, Document, Problems
from docmt.corpus.leaks import ItemHashes, Shared, SharedItems, SplitHashes, check_shared, shared_text
from docmt.corpus.opening import open_corpus, stated_splits
from docmt.corpus.signs import SideSigns, warn_of_signs

ROWS_AT_ONCE = 50_000
"""The number of sentence pairs that are collected in memory before they are written as one row group."""
SENTENCES_AT_ONCE = 250
"""The number of sentences whose text is looked at together."""


class Statistics:
    """The counts of a split, to which documents are added one by one."""

    def __init__(self) -> None:
        """Start with no documents."""
        self.lengths: Counter[int] = Counter()  # The number of documents of each length in sentences
        self.references: Counter[int] = Counter()
        """The number of sentences by their number of references, which includes the target."""
        self.characters = {"source": 0, "target": 0}
        self._hashes = SplitHashes()
        self._signs = {"source": SideSigns(), "target": SideSigns()}
        self._waiting: list[Document] = []  # The documents whose text was not looked at yet
        self._sentences = 0  # The number of their sentences

    def add(self, document: Document) -> None:
        """Count a document: its sentences, references and characters."""
        length = len(document.source.sentences)
        self.lengths[length] += 1
        if document.references:
            further = zip(*(side.sentences for side in document.references), strict=True)
            self.references.update(1 + len(texts) - texts.count(None) for texts in further)
        else:
            self.references[1] += len(document.target.sentences)
        # The sides may differ in length where a review collects all problems of a corpus.
        if length == len(document.target.sentences):
            self._waiting.append(document)
            self._sentences += length
        # Few calls of the functions for whole texts, which are fast for many sentences at once.
        if self._sentences >= SENTENCES_AT_ONCE:
            self._look()

    def _look(self) -> None:
        """Add the hashes, the signs and the characters of the waiting documents."""
        waiting, self._waiting, self._sentences = self._waiting, [], 0
        exact, compared = [], []
        for side, signs in self._signs.items():
            texts = [getattr(document, side) for document in waiting]
            lines = [sentence for text in texts for sentence in text.sentences]
            folded = fold(lines)
            self.characters[side] += sum(map(len, lines))
            signs.add(texts, lines, folded)
            exact.append(lines)
            compared.append(folded.keys(lines))
        self._hashes.add(waiting, tuple(exact), tuple(compared))

    @property
    def hashes(self) -> SplitHashes:
        """The hashes of the text."""
        self._look()
        return self._hashes

    def signs(self, languages: Languages) -> dict[str, dict[str, Any]]:
        """Return the signs of the text by side, in the form of card.json."""
        self._look()
        sides = zip(self._signs.items(), languages, strict=True)
        return {side: signs.record(language) for (side, signs), language in sides}

    @property
    def counts(self) -> SplitCounts:
        """The numbers of documents and sentences."""
        return SplitCounts(self.lengths.total(), sum(length * count for length, count in self.lengths.items()))

    def summary(self) -> dict[str, Any]:
        """Return the statistics of the split, in the form of card.json."""
        self._look()
        counts = self.counts
        mean = round(counts.sentences / counts.documents, 2)
        return {
            **dataclasses.asdict(counts),
            "source_characters": self.characters["source"],
            "target_characters": self.characters["target"],
            "sentences_per_document": {"min": min(self.lengths), "mean": mean, "max": max(self.lengths)},
            "references": {"min": min(self.references), "max": max(self.references)},
        }


def read_corpus(settings: CorpusSettings, downloads: Path, output: Path) -> None:
    """Read and validate a corpus, and write its files into `output`; no file appears there before all are valid.

    Raises UserError for a missing or changed download, for the first problem that a reader or the validation reports,
    and where splits share more text than the corpus allows.
    """
    digests = {file.name: _digest(file, downloads) for file in settings.files}
    problems = Problems()
    output.mkdir(parents=True, exist_ok=True)
    with (
        open_corpus(settings.reader, downloads, settings.languages, settings.corpus, problems, output) as corpus,
        parquet_writer(output / "documents.parquet", DOCUMENTS) as writer,
    ):
        # One group of rows is in memory at a time; only hashes of the documents' names and text, and the contrastive
        # items, grow with the corpus.
        splits = _write_documents(corpus.documents, writer)
        items = list(corpus.items)
        # These checks are inside the block, so that documents.parquet does not appear where a check fails.
        counts = {split: statistics.counts for split, statistics in splits.items()}
        check_splits(counts, stated_splits(settings.reader, settings.languages), problems)
        check_boundaries(counts, settings.corpus, problems)
        if not (counts or items):
            raise UserError("no documents", where=settings.corpus, expected="one or more, or contrastive items")
        check_counts(counts, settings.expected, settings.corpus, problems)
        _check_contrastive(items, settings)
        shared = shared_by(splits)
        check_shared(shared, settings.most_shared, settings.corpus, problems)
        signs = signs_of(splits, settings.languages)
        warn_of_signs(signs, settings.known, settings.corpus, problems)
    if items:
        write_parquet(output / "contrastive.parquet", contrastive_table(items))
    else:  # the file of an earlier run would be read as a part of this corpus
        remove_file(output / "contrastive.parquet")
    shared_items = shared_items_by(ItemHashes(items), splits)
    card = _card(settings, digests, splits, shared, shared_items, corpus.changed, items)
    write_json(output / "card.json", card | {"signs": signs, "warnings": warnings_of(problems)})


def _digest(file: FileConfig, downloads: Path) -> str:
    path = downloads / file.name
    if not path.exists():
        raise UserError("file not found", where=str(path), remedy="`snakemake` downloads it")
    wrong = wrong_content(path, file)
    if wrong:
        remedy = f"remove {path} and download it again"
        raise UserError(wrong.what, where=str(path), found=wrong.actual, expected=wrong.expected, remedy=remedy)
    # The ids of an archive's content were just compared: its digest is the stated one.
    return file.digest if file.git_objects else file_digest(path, file, "sha256")


def _check_contrastive(items: list[ContrastiveItem], settings: CorpusSettings) -> None:
    if bool(items) != settings.contrastive:
        count, expected = f"{len(items)} contrastive items", f"contrastive: {str(bool(items)).lower()}"
        raise UserError(
            "contrastive sets differ from the catalogue", where=settings.corpus, found=count, expected=expected
        )


def _write_documents(documents: Iterable[Document], writer: pq.ParquetWriter) -> dict[str, Statistics]:
    splits: defaultdict[str, Statistics] = defaultdict(Statistics)
    columns = Columns()
    for document in documents:
        splits[document.split].add(document)
        columns.add(document)
        if len(columns.sentence) >= ROWS_AT_ONCE:
            writer.write_table(columns.table())
            columns = Columns()
    if columns.sentence:
        writer.write_table(columns.table())
    return splits


class Columns:
    """The columns of DOCUMENTS, to which the sentence pairs of documents are added."""

    def __init__(self) -> None:
        """Start without pairs."""
        self.documents: list[tuple[str, str, int]] = []  # The split, the name and the number of pairs of each
        self.sentence: list[int] = []
        self.source: list[str] = []
        self.target: list[str] = []
        self.references: list[list[str]] = []

    def add(self, document: Document) -> None:
        """Add a document."""
        count = len(document.source.sentences)
        self.documents.append((document.split, document.name, count))
        self.sentence += range(count)
        self.source += document.source.sentences
        self.target += document.target.sentences
        if document.references:
            further = zip(*(side.sentences for side in document.references), strict=True)
            self.references += [[text for text in texts if text is not None] for texts in further]
        else:
            self.references += [[]] * count

    def table(self) -> pa.Table:
        """Return the rows as a table."""
        splits, names, counts = zip(*self.documents, strict=True)
        of_rows = np.repeat(np.arange(len(counts)), counts)
        columns = (pa.array(splits).take(of_rows), pa.array(names).take(of_rows))
        lists = (self.sentence, self.source, self.target, self.references)
        typed = [pa.array(values, field.type) for values, field in zip(lists, list(DOCUMENTS)[2:], strict=True)]
        return pa.table([*columns, *typed], schema=DOCUMENTS)


def contrastive_table(items: list[ContrastiveItem]) -> pa.Table:
    """Return a table of the schema CONTRASTIVE; the number of an item is its index."""
    columns = {name: [getattr(item, name) for item in items] for name in CONTRASTIVE.names if name != "item"}
    return pa.table({**columns, "item": range(len(items))}, CONTRASTIVE)


def _card(
    settings: CorpusSettings,
    digests: dict[str, str],
    splits: dict[str, Statistics],
    shared: list[Shared],
    shared_items: list[SharedItems],
    changed: Counter[str],
    items: Iterable[ContrastiveItem],
) -> dict[str, Any]:
    """Return the content of card.json; `digests` has the digest of each file that was read, by its name."""
    sets: dict[str, Counter[str]] = {}
    for item in items:
        sets.setdefault(item.set, Counter())[str(item.distance)] += 1
    return {
        "corpus": settings.corpus,
        "source_language": settings.source_language,
        "target_language": settings.target_language,
        "licence": settings.licence,
        "citation": settings.citation,
        "files": [{"name": name, "digest": digest} for name, digest in digests.items()],
        "reader": dataclasses.asdict(settings.reader),
        "splits": {split: splits[split].summary() for split in SPLITS if split in splits},
        "shared": [dataclasses.asdict(comparison) for comparison in shared],
        "shared_items": [dataclasses.asdict(each) for each in shared_items],
        "changed": {what: count for what, count in sorted(changed.items()) if count},
        "contrastive": {name: dict(counts) for name, counts in sets.items()},
    }


def shared_by(splits: Mapping[str, Statistics]) -> list[Shared]:
    """Return what each split shares with each split before it."""
    return shared_text({split: statistics.hashes for split, statistics in splits.items()})


def shared_items_by(items: ItemHashes, splits: Mapping[str, Statistics]) -> list[SharedItems]:
    """Return what each contrastive set shares with train; nothing where there is no train."""
    return items.shared(splits[TRAIN].hashes) if TRAIN in splits else []


def signs_of(splits: Mapping[str, Statistics], languages: Languages) -> dict[str, dict[str, Any]]:
    """Return the signs of text by split and side, in the form of card.json."""
    return {split: splits[split].signs(languages) for split in SPLITS if split in splits}


def check_splits(splits: Collection[str], stated: Mapping[str, Sequence[str]], problems: Problems) -> None:
    """Report each split that has files but no document, for instance because its files are empty."""
    for split in SPLITS:
        if split in stated and split not in splits:
            files = ", ".join(dict.fromkeys(stated[split]))
            remedy = "make or download them again, or take the split out of the corpus' file"
            problems.report(f"no documents in split {split}", where=files, expected="one or more", remedy=remedy)


def check_boundaries(counts: Mapping[str, SplitCounts], corpus: str, problems: Problems) -> None:
    """Warn of each split whose text is a single document, and so long that boundaries are probably missing."""
    for split, count in counts.items():
        if count.documents == 1 and count.sentences > MANY_SENTENCES:
            what, where = "all of a split is one document: does the text lack boundaries?", f"{corpus} {split}"
            problems.warn(what, where=where, found=f"{count.sentences:,} sentences")


def warnings_of(problems: Problems) -> list[str]:
    """Return each kind of warning as a line of text, with its number and its first places."""
    return [
        f"{what} ({kind.count:,}): {'; '.join(kind.examples)}{' ...' if kind.count > len(kind.examples) else ''}"
        for what, kind in problems.warnings.items()
    ]


def check_counts(
    counts: Mapping[str, SplitCounts], expected: Mapping[str, SplitCounts], corpus: str, problems: Problems
) -> None:
    """Report each split that is missing, or whose counts differ from the counts that the catalogue expects."""
    for split in SPLITS:
        # Nothing is compared where the catalogue states no counts: for a user's corpus, or for files that nobody has
        # read yet.
        if split in expected and counts.get(split) != expected[split]:
            problems.report(
                "counts differ from the catalogue's",
                where=f"{corpus} {split}",
                found=_counted(counts.get(split)),
                expected=_counted(expected[split]),
            )


def _counted(counts: SplitCounts | None) -> str:
    return f"{counts.documents} documents, {counts.sentences} sentences" if counts else "no such split"
