"""The catalogue of corpora: what `workflow/corpora/<corpus>.yaml` can say, and what of it stage 1 depends on."""

import dataclasses
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from docmt.core.checks import need, setting
from docmt.core.config import SPLITS
from docmt.core.errors import UserError
from docmt.core.parse import KINDS, load_yaml, parse

LANGUAGE = re.compile(r"[a-z]{2,3}")
SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class ReaderConfig:
    """How files become documents; `kind` chooses one of READER_CONFIGS, which say what else can be set."""

    kind: str


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
            need(getattr(self, name) >= 1, name, getattr(self, name), "1 or more")
        need(self.shortest >= 6, "shortest", self.shortest, "6 or more (fewer cannot hold every phenomenon)")
        need(self.longest >= self.shortest, "longest", self.longest, f"shortest ({self.shortest}) or more")
        items = self.contrastive_items
        need(items >= 2 and items % 2 == 0, "contrastive_items", items, "an even number, 2 or more")
        wrong = [distance for distance in self.distances if distance < 1]
        need(self.distances != () and not wrong, "distances", list(self.distances), "one or more, each 1 or more")


@dataclass(frozen=True)
class VersesConfig(ReaderConfig):
    """`verses`: `Book.Chapter.Verse<TAB>text`, a file a language, joined on the id; a document is a chapter."""

    kind: Literal["verses"]
    archive: str
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
class IwsltXmlConfig(ReaderConfig):
    """`iwslt_xml`: the dev and test sets of IWSLT, an XML file a language and set; a document is a talk."""

    kind: Literal["iwslt_xml"]
    archive: str
    files: str
    dev: tuple[str, ...]
    test: tuple[str, ...]

    def __post_init__(self) -> None:
        for part in ("{set}", "{language}"):
            need(part in self.files, "files", self.files, f"a path with {part} in it")


@dataclass(frozen=True)
class SidesConfig:
    """The two files of a split, line by line translations of each other."""

    source: str
    target: str


@dataclass(frozen=True)
class LinesConfig(ReaderConfig):
    """`lines`: aligned plain text, a sentence a line, with a line between documents."""

    kind: Literal["lines"]
    splits: dict[str, SidesConfig]
    archive: str | None = setting(None, "the archive that holds the files; none = they are downloaded as they are")
    between: Literal["blank", "<d>"] = setting("blank", "the line between documents: an empty one, or <d>")
    drop_empty: bool = setting(False, "drop pairs with an empty side, and count them; else they are refused")

    def __post_init__(self) -> None:
        wrong = [split for split in self.splits if split not in SPLITS]
        need(self.splits != {} and not wrong, "splits", wrong or "nothing", f"some of {', '.join(SPLITS)}")
        blank = self.between == "blank" and self.drop_empty
        need(not blank, "drop_empty", True, "between: <d> (a blank line already ends a document)")


READER_CONFIGS: dict[str, type[ReaderConfig]] = {
    "toy": ToyConfig,
    "verses": VersesConfig,
    "iwslt_xml": IwsltXmlConfig,
    "lines": LinesConfig,
}
"""Settings by `reader.kind`; a new reader adds a line here and one in `docmt.corpus.readers.READERS`."""
KINDS[ReaderConfig] = ("reader", READER_CONFIGS)


def _need_sha256(value: str | None) -> None:
    need(value is None or SHA256.fullmatch(value) is not None, "sha256", value, "64 hexadecimal digits, or none")


@dataclass(frozen=True)
class FileConfig:
    """One file to be downloaded."""

    name: str
    sources: tuple[str, ...] = setting((), "http(s) or file URLs, or paths, in the order in which they are tried")
    sha256: str | None = setting(None, "none = that of the first download, which the lock file keeps")
    size: int | None = setting(None, "bytes; none = not checked")
    obtain: str | None = setting(None, "how a person gets the file, where no source can be fetched")

    def __post_init__(self) -> None:
        need(bool(self.name) and Path(self.name).name == self.name, "name", self.name, "a file name without a folder")
        _need_sha256(self.sha256)
        need(self.size is None or self.size > 0, "size", self.size, "above 0, or none")


@dataclass(frozen=True)
class Counts:
    """What a split holds."""

    documents: int
    sentences: int


@dataclass(frozen=True)
class CorpusConfig:
    """`workflow/corpora/<corpus>.yaml`."""

    corpus: str
    about: str
    source_language: str
    target_language: str
    licence: str
    citation: str
    reader: ReaderConfig
    expected: dict[str, Counts] = field(default_factory=dict)
    files: tuple[FileConfig, ...] = setting((), "what is downloaded; none for a generated corpus")
    contrastive: bool = setting(False, "whether the reader makes contrastive sets too")
    stop_words: int = setting(1000, "so many of the most frequent source words of training are in no lexical chain")
    target_stop_words: int = setting(150, "so many of the target's are no part of a chain's translations (LTCR, HHI)")

    def __post_init__(self) -> None:
        for name in ("source_language", "target_language"):
            language = getattr(self, name)
            need(LANGUAGE.fullmatch(language) is not None, name, language, "a code such as zh or en")
        wrong = [split for split in self.expected if split not in SPLITS]
        need(not wrong, "expected", wrong, f"some of {', '.join(SPLITS)}")
        names = [file.name for file in self.files]
        twice = sorted({name for name in names if names.count(name) > 1})
        need(not twice, "files", twice, "each file once")
        for name in ("stop_words", "target_stop_words"):
            need(getattr(self, name) >= 0, name, getattr(self, name), "0 or more")


STOP_WORDS = ("stop_words", "target_stop_words")
"""Fields of a corpus that later stages go by."""


@dataclass(frozen=True)
class FileSettings:
    """A file as the job knows it: wherever it was downloaded from."""

    name: str
    sha256: str | None = None


@dataclass(frozen=True)
class CorpusSettings:
    """Stage 1's settings.json: the catalogue's entry without where its files come from."""

    version: int
    corpus: str
    source_language: str
    target_language: str
    licence: str
    citation: str
    files: tuple[FileSettings, ...]
    reader: ReaderConfig
    expected: dict[str, Counts]
    contrastive: bool = field(default=False)


def load_corpus(path: Path | str) -> CorpusConfig:
    """Read a corpus file of the catalogue.

    Raises UserError, with file and line, for whatever is wrong in it, and where its name is not its file's name.
    """
    value, lines = load_yaml(path)
    config = parse(CorpusConfig, value, lines)
    if config.corpus != Path(path).stem:
        where = lines.place(("corpus",))
        raise UserError("a corpus is named as its file", where=where, found=config.corpus, expected=Path(path).stem)
    archives = [file.name for file in config.files]
    archive = getattr(config.reader, "archive", None)
    if archive is not None and archive not in archives:
        where = lines.place(("reader", "archive"))
        raise UserError(
            "not among the corpus' files", where=where, found=archive, expected=", ".join(archives) or "none"
        )
    return config


def corpus_settings(config: CorpusConfig) -> dict[str, Any]:
    """Stage 1's slice. Sources and sizes are left out: another mirror makes the same corpus."""
    slice_ = dataclasses.asdict(config)
    for name in ("about", *STOP_WORDS):
        del slice_[name]
    slice_["files"] = [{"name": file.name, "sha256": file.sha256} for file in config.files]
    return slice_
