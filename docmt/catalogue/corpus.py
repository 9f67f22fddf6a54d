"""The catalogue of corpora: what `workflow/corpora/<corpus>.yaml` can say, and what of it stage 1 depends on."""

import dataclasses
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docmt.base.checks import Checked, need, need_path, setting, whole
from docmt.base.errors import UserError, quoted
from docmt.base.names import (
    FILE_NAMES_HAVE,
    INSIDE,
    LANGUAGES_ARE,
    NAMES_HAVE,
    SPLITS,
    is_file_name,
    is_language,
    is_name,
    stays_inside,
)
from docmt.base.parse import parse
from docmt.base.yaml_files import Lines, load_yaml
from docmt.catalogue.fixtures import FixtureConfig
from docmt.catalogue.forms import FileReaderConfig, Languages, ReaderConfig
from docmt.catalogue.published import PublishedCounts

SHA256 = re.compile(r"[0-9a-f]{64}")
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def _need_sha256(name: str, found: str | None) -> None:
    need(found is None or SHA256.fullmatch(found) is not None, name, found, "64 hexadecimal digits, or none")


@dataclass(frozen=True)
class FileConfig(Checked):
    """One file to be downloaded."""

    name: str
    sources: tuple[str, ...] = setting((), "http(s) or file URLs, or paths, in the order in which they are tried")
    sha256: str | None = setting(None, "none = that of the first download, which the lock file keeps", _need_sha256)
    size: int | None = setting(None, "bytes; none = not checked")
    obtain: str | None = setting(None, "how a person gets the file, where no source can be fetched")
    checked: Any = setting(False, "day on which this code last fetched the sources, '2026-01-31'; false = never")

    def __post_init__(self) -> None:
        super().__post_init__()
        need(is_file_name(self.name), "name", self.name, FILE_NAMES_HAVE)
        for source in self.sources:
            need_path("sources", source)
        need(self.size is None or self.size > 0, "size", self.size, "above 0, or none")
        day = isinstance(self.checked, str) and DAY.fullmatch(self.checked) is not None
        need(self.checked is False or day, "checked", self.checked, "false, or a day in quotes, such as '2026-01-31'")


@dataclass(frozen=True)
class SplitCounts:
    """What a split holds."""

    documents: int
    sentences: int


STOP_WORDS = ("stop_words", "target_stop_words")
"""Fields of a corpus that later stages go by."""
stop_list = whole(0, 1_000_000)


@dataclass(frozen=True, kw_only=True)
class CorpusFacts(Checked):
    """What is said of a corpus in its file and in the settings of stage 1."""

    corpus: str
    source_language: str
    target_language: str
    licence: str
    citation: str
    reader: ReaderConfig
    expected: dict[str, SplitCounts]
    files: tuple[FileConfig, ...]
    contrastive: bool = setting(False, "whether the reader makes contrastive sets too")

    @property
    def languages(self) -> Languages:
        return self.source_language, self.target_language


@dataclass(frozen=True, kw_only=True)
class CorpusConfig(CorpusFacts):
    """`workflow/corpora/<corpus>.yaml`."""

    about: str
    expected: dict[str, SplitCounts] = field(default_factory=dict)
    files: tuple[FileConfig, ...] = setting((), "what is downloaded; none for a generated corpus")
    published: tuple[PublishedCounts, ...] = setting((), "what papers state of the corpus, and why it differs")
    stop_words: int = setting(
        1000, "so many of the most frequent source words of training are in no lexical chain", stop_list
    )
    target_stop_words: int = setting(
        150, "so many of the target's are no part of a chain's translations (LTCR, HHI)", stop_list
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        need(is_name(self.corpus), "corpus", self.corpus, NAMES_HAVE)
        for name in ("source_language", "target_language"):
            language = getattr(self, name)
            need(is_language(language), name, language, LANGUAGES_ARE)
        wrong = [split for split in self.expected if split not in SPLITS]
        need(not wrong, "expected", wrong, f"some of {', '.join(SPLITS)}")
        stated = {name for published in self.published for name in published.counts if name not in SPLITS}
        need(self.contrastive or not stated, "published", sorted(stated), f"some of {', '.join(SPLITS)}")
        names = [file.name for file in self.files]
        twice = sorted({name for name in names if names.count(name) > 1})
        need(not twice, "files", twice, "each file once")


@dataclass(frozen=True, kw_only=True)
class CorpusSettings(CorpusFacts):
    """Stage 1's settings.json: the catalogue's entry without where its files come from.

    `fixture`: how large the files are that are made up instead; none = they are the corpus' own.
    """

    version: int
    fixture: FixtureConfig | None = None


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
    for path, reader in config.reader.readers_of_files(("reader",)):
        _check_paths(reader, path, lines)
        if reader.archive is not None and reader.archive not in archives:
            raise UserError(
                "not among the corpus' files",
                where=lines.place((*path, "archive")),
                found=reader.archive,
                expected=", ".join(archives) or "none",
            )
    return config


def _check_paths(reader: FileReaderConfig, place: tuple, lines: Lines) -> None:
    """Raises UserError for a path that is absolute or leads up, out of the folder of the corpus' files."""
    for name, path in reader.paths:
        if not stays_inside(path):
            where = lines.place((*place, *name))
            raise UserError("a path that leads elsewhere", where=where, found=quoted(path), expected=INSIDE)


def as_fixture(config: CorpusConfig, fixture: FixtureConfig) -> CorpusConfig:
    """The corpus as a fixture has it: its files, readers and languages, and nothing that is true of its text alone."""
    return dataclasses.replace(
        config,
        about=f"Generated text in the form of the files of {config.corpus}: it shows that everything works.",
        licence="Apache-2.0 (generated by docmt)",
        citation="Generated by the grammar in docmt/corpus/toy.",
        reader=config.reader.small(fixture),
        expected={},
        published=(),
        files=tuple(FileConfig(file.name) for file in config.files),
        stop_words=fixture.stop_words,
        target_stop_words=fixture.stop_words,
    )


def corpus_settings(config: CorpusConfig) -> dict[str, Any]:
    """Stage 1's slice. Sources and sizes are left out: another mirror makes the same corpus."""
    slice_ = dataclasses.asdict(config)
    for name in ("about", "published", *STOP_WORDS):
        del slice_[name]
    slice_["files"] = [{"name": file.name, "sha256": file.sha256} for file in config.files]
    return slice_
