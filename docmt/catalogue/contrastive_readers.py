"""Settings of the readers of contrastive sets, by `reader.kind`; they give no documents."""

from dataclasses import dataclass
from typing import Literal

from docmt.base.checks import need, setting
from docmt.catalogue.reader_options import FileReaderConfig


@dataclass(frozen=True)
class ContrastiveReaderConfig(FileReaderConfig):
    """What all of them are told. `sets`: a file by the name that its set has here.

    Readers name parts of a set after a slash: `anaphora/f.sg`.
    """

    sets: dict[str, str]

    def __post_init__(self) -> None:
        need(bool(self.sets), "sets", "nothing", "one set or more")


@dataclass(frozen=True)
class VoitaConfig(ContrastiveReaderConfig):
    """`voita`: deixis, lexical cohesion and ellipsis, Voita et al. (2019); JSON."""

    kind: Literal["voita"]


@dataclass(frozen=True)
class DiscEvalMtConfig(ContrastiveReaderConfig):
    """`discevalmt`: anaphora and lexical choice, Bawden et al. (2018); JSON."""

    kind: Literal["discevalmt"]


@dataclass(frozen=True)
class ContraProConfig(ContrastiveReaderConfig):
    """`contrapro`: pronouns, Müller et al. (2018); JSON, and the documents that it points into.

    {document} is the item's `document id` without a language at its end, {year} what stands before its first `_`.
    """

    kind: Literal["contrapro"]
    documents: str = setting("documents/{year}/{document}.{language}", "a document's file, a sentence a line")
    context_sentences: int = setting(3, "sentences before the judged one, where its document has so many")
    first_segment: int = setting(1, "the `segment id` of a document's first line; 0 in the French sets")

    def __post_init__(self) -> None:
        super().__post_init__()
        need(self.context_sentences >= 0, "context_sentences", self.context_sentences, "0 or more")
        need(self.first_segment in (0, 1), "first_segment", self.first_segment, "0 or 1")
        for part in ("{document}", "{language}"):
            need(part in self.documents, "documents", self.documents, f"a path with {part} in it")


@dataclass(frozen=True)
class ContrastiveTableConfig(ContrastiveReaderConfig):
    """`contrastive_table`: sets of one's own; TSV, a row a variant (`docmt.corpus.readers.contrastive_table`)."""

    kind: Literal["contrastive_table"]
