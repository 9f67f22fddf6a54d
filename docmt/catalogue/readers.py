"""How the files of a corpus become documents: the settings of every reader, by `reader.kind`.

`splits` says which files are train, dev and test; paths stand inside `archive`, or, without one, among the downloads.
A path may lead through an archive (`texts/zh-en.tgz/zh-en/a.txt`); a text file may be compressed by gzip (`a.txt.gz`).
What all readers can be told stands in `reader_options.py`, readers of contrastive sets in `contrastive_readers.py`.
"""

import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from docmt.base.checks import MOST_SEED, need, need_between, setting
from docmt.base.names import SPLITS
from docmt.base.parse import KINDS
from docmt.catalogue.contrastive_readers import ContraProConfig, ContrastiveTableConfig, DiscEvalMtConfig, VoitaConfig
from docmt.catalogue.reader_options import FileReaderConfig, ReaderConfig

Files = TypeVar("Files")
"""What says which files a split has."""


@dataclass(frozen=True)
class SidesConfig:
    """Files that are translations of each other; `references`: further translations beside `target`."""

    source: str
    target: str
    references: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        return (self.source, self.target, *self.references)


@dataclass(frozen=True)
class ToyConfig(ReaderConfig):
    """`toy`: no file; documents and contrastive sets from a seeded grammar."""

    kind: Literal["toy"]
    seed: int = setting(1, "another seed is another corpus")
    train_documents: int = setting(3000, "documents for training")
    dev_documents: int = setting(100, "documents for validation")
    test_documents: int = setting(100, "documents for the scores")
    shortest: int = setting(6, "sentences of the shortest document")
    longest: int = setting(20, "sentences of the longest document")
    contrastive_items: int = setting(100, "items of each contrastive set at each distance; even, since they are twins")
    distances: tuple[int, ...] = setting((1, 2, 3, 5), "sentences from the deciding sentence to the judged one")

    def __post_init__(self) -> None:
        for name in ("train_documents", "dev_documents", "test_documents"):
            need_between(1, 100_000_000, name, getattr(self, name))
        need_between(0, MOST_SEED, "seed", self.seed)
        need(self.longest <= 100_000, "longest", self.longest, "at most 100,000")
        need(self.shortest >= 6, "shortest", self.shortest, "6 or more (fewer cannot hold every phenomenon)")
        need(self.longest >= self.shortest, "longest", self.longest, f"shortest ({self.shortest}) or more")
        items = self.contrastive_items
        need(items >= 2 and items % 2 == 0, "contrastive_items", items, "an even number, 2 or more")
        wrong = [distance for distance in self.distances if distance < 1]
        need(self.distances != () and not wrong, "distances", list(self.distances), "one or more, each 1 or more")


@dataclass(frozen=True)
class VersesConfig(FileReaderConfig):
    """`verses`: `Book.Chapter.Verse<TAB>text`, a file a language, joined on the id; a document is a chapter."""

    kind: Literal["verses"]
    source: str
    target: str
    dev: tuple[str, ...]
    test: tuple[str, ...]
    continued: str | None = setting(None, "text of a verse that stands in the verse before: both are joined")
    missing: str | None = setting(None, "text of a verse that a translation lacks: the pair is dropped, and counted")
    remove: tuple[str, ...] = setting((), "markup that is deleted from the text, and counted")

    def __post_init__(self) -> None:
        both = sorted(set(self.dev) & set(self.test))
        need(not both, "test", both, "books that are not in dev")


@dataclass(frozen=True)
class IwsltXmlConfig(FileReaderConfig):
    """`iwslt_xml`: the dev and test sets of IWSLT, an XML file a language and set; a document is a talk.

    `files`: a path with {set} and {language} in it; `splits`: the sets of each split, in order.
    """

    kind: Literal["iwslt_xml"]
    files: str
    splits: dict[str, tuple[str, ...]]

    def __post_init__(self) -> None:
        _need_parts(self.files, "files", "{set}", "{language}")
        _need_splits(self.splits)


@dataclass(frozen=True)
class IwsltTagsConfig(FileReaderConfig):
    """`iwslt_tags`: the training files of IWSLT, `train.tags.zh-en.{language}`; a document is a talk."""

    kind: Literal["iwslt_tags"]
    splits: dict[str, str]

    def __post_init__(self) -> None:
        _need_splits(self.splits)
        for split, path in self.splits.items():
            _need_parts(path, f"splits.{split}", "{language}")


@dataclass(frozen=True)
class BoundariesConfig:
    """Where documents begin and end in aligned lines: one of three ways."""

    blank: bool = setting(False, "an empty line between documents")
    marker: str | None = setting(None, "a line that is this, or begins with it, between documents")
    at: Literal["start", "end"] | None = setting(None, "whether the marker opens a document or closes it")
    offsets: dict[str, str] | None = setting(
        None, "by split, a file with the 0-based number of each document's first line, one a line"
    )

    def __post_init__(self) -> None:
        stated = [name for name in ("blank", "marker", "offsets") if getattr(self, name)]
        need(len(stated) == 1, "blank", stated or "nothing", "one of blank: true, marker and offsets")
        need((self.at is None) == (self.marker is None), "at", self.at, "start or end with a marker, and only with it")


@dataclass(frozen=True)
class LinesConfig(FileReaderConfig):
    """`lines`: aligned plain text, a sentence a line."""

    kind: Literal["lines"]
    splits: dict[str, SidesConfig]
    documents: BoundariesConfig | None = setting(
        BoundariesConfig(blank=True), "how documents are told apart; none = each line is one"
    )

    def __post_init__(self) -> None:
        _need_splits(self.splits)
        boundaries = self.documents
        blank = boundaries is not None and boundaries.blank and self.drop_empty
        need(not blank, "drop_empty", True, "another boundary (a blank line already ends a document)")
        if boundaries is not None and boundaries.offsets is not None:
            same = boundaries.offsets.keys() == self.splits.keys()
            need(same, "documents.offsets", list(boundaries.offsets), f"the splits: {', '.join(self.splits)}")


@dataclass(frozen=True)
class FilesConfig(FileReaderConfig):
    """`files`: a file a document and language, aligned line by line; {document} in a path is the document's name."""

    kind: Literal["files"]
    splits: dict[str, SidesConfig]

    def __post_init__(self) -> None:
        _need_splits(self.splits)
        for split, sides in self.splits.items():
            for path in sides.paths:
                _need_parts(path, f"splits.{split}", "{document}")


@dataclass(frozen=True)
class SgmFilesConfig:
    """The files of one set; of several references the first is the target, in the order of files and `sysid`s."""

    source: str
    references: tuple[str, ...]
    source_form: Literal["sgm", "lines"] = setting("sgm", "lines = plain text, a line for each segment")

    def __post_init__(self) -> None:
        need(bool(self.references), "references", "nothing", "one file or more")


@dataclass(frozen=True)
class NistSgmConfig(FileReaderConfig):
    """`nist_sgm`: a srcset and refsets with one or several references; a document is a `<doc>`."""

    kind: Literal["nist_sgm"]
    splits: dict[str, SgmFilesConfig]

    def __post_init__(self) -> None:
        _need_splits(self.splits)


@dataclass(frozen=True)
class TableConfig(FileReaderConfig):
    """`table`: a row a sentence pair, in order; TSV with a header, Parquet or JSON lines, by the file's ending.

    Either `splits` names a file each, or `file` has all of them and `split` is the column that says which.
    """

    kind: Literal["table"]
    splits: dict[str, str] = field(default_factory=dict)
    file: str | None = setting(None, "one file for all splits")
    split: str | None = setting(None, "the column of the split: train, dev or test")
    source: str = setting("source", "the column of the source sentence")
    target: str = setting("target", "the column of the target sentence")
    document: str = setting("document", "the column of the document's name; its rows follow each other")
    references: tuple[str, ...] = setting((), "columns of further references")

    def __post_init__(self) -> None:
        need(bool(self.splits) != (self.file is not None), "file", self.file, "a file, or splits, and not both")
        need((self.file is None) == (self.split is None), "split", self.split, "a column with file, and only with it")
        for split, path in self.tables:
            need(table_form(path) is not None, "file" if split is None else f"splits.{split}", path, TABLE_ENDINGS)
        if self.splits:
            _need_splits(self.splits)

    @property
    def tables(self) -> list[tuple[str | None, str]]:
        """Split (None = a column says it) and path of each file."""
        return [(None, self.file)] if self.file is not None else in_order(self.splits)


TABLE_FORMS = {".tsv": "tsv", ".tsv.gz": "tsv", ".jsonl": "jsonl", ".jsonl.gz": "jsonl", ".parquet": "parquet"}
TABLE_ENDINGS = f"a file that ends in {', '.join(TABLE_FORMS)}"


def table_form(path: str) -> str | None:
    """What kind of table a file is, by its name."""
    return next((form for ending, form in TABLE_FORMS.items() if path.endswith(ending)), None)


@dataclass(frozen=True)
class EosConfig(FileReaderConfig):
    """`eos`: a document a line, its sentences joined by a separator between spaces."""

    kind: Literal["eos"]
    splits: dict[str, SidesConfig]
    separator: str = setting("_eos", "the word between sentences")

    def __post_init__(self) -> None:
        _need_splits(self.splits)
        word = self.separator.split() == [self.separator]
        need(word, "separator", self.separator, "a word without spaces")


@dataclass(frozen=True)
class CombinedConfig(ReaderConfig):
    """`combined`: several readers; a split is the concatenation of theirs, in order."""

    kind: Literal["combined"]
    parts: tuple[ReaderConfig, ...]

    def __post_init__(self) -> None:
        need(bool(self.parts), "parts", "nothing", "one reader or more")


READER_CONFIGS: dict[str, type[ReaderConfig]] = {
    "combined": CombinedConfig,
    "contrapro": ContraProConfig,
    "contrastive_table": ContrastiveTableConfig,
    "discevalmt": DiscEvalMtConfig,
    "eos": EosConfig,
    "files": FilesConfig,
    "iwslt_tags": IwsltTagsConfig,
    "iwslt_xml": IwsltXmlConfig,
    "lines": LinesConfig,
    "nist_sgm": NistSgmConfig,
    "table": TableConfig,
    "toy": ToyConfig,
    "verses": VersesConfig,
    "voita": VoitaConfig,
}
"""Settings by `reader.kind`; a new reader adds a line here and one in `docmt.corpus.readers.READERS`."""
KINDS[ReaderConfig] = ("reader", READER_CONFIGS)


def readers_of_files(reader: ReaderConfig, path: tuple = ()) -> Iterator[tuple[tuple, FileReaderConfig]]:
    """The readers that read files, parts of `combined` among them, each with its path in the settings."""
    if isinstance(reader, FileReaderConfig):
        yield path, reader
    elif isinstance(reader, CombinedConfig):
        for number, part in enumerate(reader.parts):
            yield from readers_of_files(part, (*path, "parts", number))


def in_order(splits: Mapping[str, Files]) -> list[tuple[str, Files]]:
    """The splits as train, dev, test, however the settings are sorted."""
    return [(split, splits[split]) for split in SPLITS if split in splits]


def _need_splits(splits: Mapping[str, object]) -> None:
    wrong = [split for split in splits if split not in SPLITS]
    need(bool(splits) and not wrong, "splits", wrong or "nothing", f"some of {', '.join(SPLITS)}")


def _need_parts(path: str, name: str, *parts: str) -> None:
    """A path with these places in braces, and no others."""
    try:
        found = {f"{{{field}}}" for _, field, _, _ in string.Formatter().parse(path) if field is not None}
    except ValueError:
        found = set()
    need(found == set(parts), name, path, f"a path with {' and '.join(parts)} in it, and no other brace")
