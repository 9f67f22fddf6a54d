"""The schema of `workflow/corpora/<corpus>.yaml`, and the part of such a file on which stage 1 depends."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from docmt.base.checks import (
    Checked,
    count_or_none,
    keys_of,
    need,
    need_language,
    need_name,
    needed,
    section,
    setting,
    up_to,
    whole,
)
from docmt.base.errors import UserError, quoted
from docmt.base.names import INSIDE, SPLITS, stays_inside
from docmt.base.parse import parse
from docmt.base.yaml_files import Lines, load_yaml
from docmt.catalogue.files import GIT_OBJECTS, FileConfig, need_each_once
from docmt.catalogue.fixtures import FixtureConfig
from docmt.catalogue.forms import FileReaderConfig, Languages, ReaderConfig
from docmt.catalogue.licences import PassingOn
from docmt.catalogue.published import PublishedCounts, StatedPart

KnownSign = Literal[
    "moses_escaped",
    "tokenised",
    "mojibake",
    "only_a_tag",
    "replacement_character",
    "invisible_characters",
    "bidi_controls",
    "private_use",
    "soft_hyphens",
    "not_nfc",
    "nothing_visible",
    "other_script",
]
"""The signs of text of which a corpus says that they are known and meant (`docmt.corpus.signs`)."""


@dataclass(frozen=True)
class SplitCounts:
    """The number of documents and of sentence pairs of a split."""

    documents: int = needed("number of documents")
    sentences: int = needed("number of sentence pairs")


# The largest vocabulary of text that docmt generates; the embedded corpora have 245 and 255 pieces.
GENERATED_PIECES = 260
STOP_WORDS = ("stop_words", "target_stop_words")  # The fields of a corpus that only the stages after stage 1 need.
# The description of the field `expected`.
EXPECTED = "by split, the number of documents and sentence pairs that the reader has to find"
stop_list = whole(0, 1_000_000)  # The check of a number of stop words.


@dataclass(frozen=True)
class MostShared(Checked):
    """The largest shares of dev and test that may also be in an earlier split; a corpus that has more is refused.

    The published corpora that were measured share no document of several sentences but for 0.4 % of a dev split, and
    at most 22 % of their sentence pairs; of generated text, up to 53 % of the pairs.
    """

    documents: float = setting(
        0.0, "largest share of the documents of several sentences; 1 = all may be shared", up_to(1)
    )
    pairs: float = setting(0.75, "largest share of the sentence pairs; 1 = all may be shared", up_to(1))


@dataclass(frozen=True, kw_only=True)
class CorpusFacts(Checked):
    """The fields of a corpus that are both in its file and in the settings of stage 1."""

    corpus: str = needed("name of the corpus, which is that of its file", need_name)
    source_language: str = needed("code of the language that is translated, such as zh", need_language)
    target_language: str = needed("code of the language of the translations, such as en", need_language)
    licence: str = needed("licence of the text")
    citation: str = needed("what a paper that uses the corpus cites")
    reader: ReaderConfig = needed("form of the corpus' files, and which of them each split has")
    expected: dict[str, SplitCounts] = needed(EXPECTED, keys_of(SPLITS))
    files: tuple[FileConfig, ...] = needed("files to download")
    contrastive: bool = setting(False, "whether the reader also returns contrastive sets")
    most_shared: MostShared = section(
        MostShared, "the largest shares of dev and test that may also be in an earlier split"
    )
    known: tuple[KnownSign, ...] = setting(
        (),
        "signs of the text that are known and meant, of which `docmt check-corpus` and stage 1 do not warn (mojibake: "
        "UTF-8 that was read as another character set; not_nfc: not in Unicode's form NFC)",
    )

    @property
    def languages(self) -> Languages:
        """The codes of the source and the target language."""
        return self.source_language, self.target_language

    @property
    def splits(self) -> list[str]:
        """The splits for which the reader has files; all splits where it generates the text."""
        readers = [reader for _, reader in self.reader.readers_of_files()]
        stated = {split for reader in readers for split in reader.files_of_splits(self.languages)}
        return [split for split in SPLITS if split in stated or not readers]


@dataclass(frozen=True, kw_only=True)
class CorpusConfig(CorpusFacts):
    """The schema of `workflow/corpora/<corpus>.yaml`."""

    about: str = needed("what the corpus is, in a few sentences")
    expected: dict[str, SplitCounts] = section(dict, EXPECTED, keys_of(SPLITS))
    files: tuple[FileConfig, ...] = setting((), "files to download; none for a generated corpus", need_each_once)
    published: tuple[PublishedCounts, ...] = setting((), "counts of the corpus that papers state, and why ours differ")
    train_parts: tuple[StatedPart, ...] = setting(
        (),
        "parts of the training split, of different kinds of documents; none = one part, of the counts that are stated",
    )
    passing_on: PassingOn | None = setting(
        None,
        "what the licence allows to pass on: everything; models and scores without text; or nothing."
        " none = everything of generated text, and models of any other",
    )
    most_pieces: int | None = setting(
        None,
        "largest vocabulary of a side, where generated text has few words; none = as many pieces as a text has merges",
        count_or_none,
    )
    stop_words: int = setting(
        1000, "number of the most frequent source words of training that are in no lexical chain", stop_list
    )
    target_stop_words: int = setting(
        150,
        "number of the most frequent target words of training that are no part of a chain's translations (LTCR, HHI)",
        stop_list,
    )

    def __post_init__(self) -> None:
        """Check the splits of published counts."""
        super().__post_init__()
        stated = {name for published in self.published for name in published.counts if name not in SPLITS}
        need(self.contrastive or not stated, "published", sorted(stated), f"some of {', '.join(SPLITS)}")

    @property
    def may_pass_on(self) -> PassingOn:
        """What may be passed on. Without a statement it is no text of files, since nobody can take text back."""
        return self.passing_on or ("models" if self.files else "everything")


@dataclass(frozen=True, kw_only=True)
class CorpusSettings(CorpusFacts):
    """The schema of job.json of stage 1: the fields of a corpus on which the content of stage 1 depends.

    The sources of files are not among these fields. `fixture` has the sizes of the files that are generated in the
    place of downloads; none = the corpus' own files are read.
    """

    version: int
    fixture: FixtureConfig | None = None


def load_corpus(path: Path | str) -> CorpusConfig:
    """Read a corpus file. Raises UserError, with file and line, for any mistake, and another name than its file's."""
    value, lines = load_yaml(path)
    config = parse(CorpusConfig, value, lines)
    if config.corpus != (stem := Path(path).stem):
        raise UserError(
            "the corpus is not named as its file",
            where=lines.place(("corpus",)),
            found=config.corpus,
            expected=stem,
            remedy=f"rename the file to {config.corpus}.yaml, or write `corpus: {stem}`",
        )
    for path, reader in config.reader.readers_of_files(("reader",)):
        _check_paths(reader, path, config, lines)
    return config


def _check_paths(reader: FileReaderConfig, place: tuple, config: CorpusConfig, lines: Lines) -> None:
    """Raise UserError for a path that leads out of the corpus' files, and for a file that is not among them."""
    for name, path in reader.paths:
        if not stays_inside(path):
            where = lines.place((*place, *name))
            raise UserError("the path leads out of the corpus' files", where=where, found=quoted(path), expected=INSIDE)
    downloads = [file.name for file in config.files]
    listed = ", ".join(downloads) or "none"
    if reader.archive is not None and reader.archive not in downloads:
        where = lines.place((*place, "archive"))
        raise UserError(
            "the archive is not among the corpus' files", where=where, found=reader.archive, expected=listed
        )
    for paths in reader.files_of_splits(config.languages).values():
        for path in paths:
            if not reader.downloads_of(path, downloads):
                what, remedy = "the reader reads a file that is not among the corpus' files", "list it under `files`"
                raise UserError(what, where=lines.place(place), found=path, expected=listed, remedy=remedy)


def as_fixture(config: CorpusConfig, fixture: FixtureConfig) -> CorpusConfig:
    """Return the fixture of a corpus: the same files, reader and languages, with generated text."""
    # Fields that describe only the corpus' own text are replaced or left out.
    return dataclasses.replace(
        config,
        about=f"Generated text in the form of the files of {config.corpus}: it shows that everything works.",
        licence="Apache-2.0 (generated by docmt)",
        passing_on="everything",
        citation="Generated by the grammar in docmt/corpus/toy.",
        reader=config.reader.small(fixture),
        expected={},
        published=(),
        train_parts=(),
        most_pieces=GENERATED_PIECES,
        files=tuple(FileConfig(name=file.name) for file in config.files),
        # The grammar of generated text has few sentences, which all splits share.
        most_shared=MostShared(documents=1, pairs=1),
        stop_words=fixture.stop_words,
        target_stop_words=fixture.stop_words,
    )


def corpus_settings(config: CorpusConfig) -> dict[str, Any]:
    """Return the part of a corpus file on which stage 1 depends."""
    slice_ = dataclasses.asdict(config)
    for name in ("about", "published", "train_parts", "passing_on", "most_pieces", *STOP_WORDS):
        del slice_[name]
    # The digests of files are in the recipe (`files`), whoever states them.
    slice_["files"] = [
        {"name": file.name} | ({GIT_OBJECTS: file.git_objects} if file.git_objects else {}) for file in config.files
    ]
    return slice_
