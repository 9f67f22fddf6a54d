"""Settings of the readers of contrastive sets, by `reader.kind`.

`sets`: a file by the name that its set has here; parts of a set stand after a slash (`anaphora/f.sg`).
"""

from dataclasses import dataclass
from typing import Literal

from docmt.core.catalogue import ReaderConfig
from docmt.core.checks import need, setting


@dataclass(frozen=True)
class DiscEvalMtConfig(ReaderConfig):
    """`discevalmt`: the sets of Bawden et al. (2018), no documents; JSON, of anaphora or of lexical choice."""

    kind: Literal["discevalmt"]
    sets: dict[str, str]
    archive: str | None = setting(None, "the archive that holds the files; none = they are downloaded as they are")

    def __post_init__(self) -> None:
        need(bool(self.sets), "sets", "nothing", "one set or more")


@dataclass(frozen=True)
class ContraProConfig(ReaderConfig):
    """`contrapro`: pronouns, as Müller et al. (2018) have them; JSON, and the documents that it points into.

    {document} is the item's `document id` without a language at its end, {year} what stands before its first `_`.
    """

    kind: Literal["contrapro"]
    sets: dict[str, str]
    archive: str | None = setting(None, "the archive that holds the files; none = they are downloaded as they are")
    documents: str = setting("documents/{year}/{document}.{language}", "a document's file, a sentence a line")
    context_sentences: int = setting(3, "sentences before the judged one, where its document has so many")
    first_segment: int = setting(1, "the `segment id` of a document's first line; 0 in the French sets")

    def __post_init__(self) -> None:
        need(bool(self.sets), "sets", "nothing", "one set or more")
        need(self.context_sentences >= 0, "context_sentences", self.context_sentences, "0 or more")
        need(self.first_segment in (0, 1), "first_segment", self.first_segment, "0 or 1")
        for part in ("{document}", "{language}"):
            need(part in self.documents, "documents", self.documents, f"a path with {part} in it")


@dataclass(frozen=True)
class ContrastiveTableConfig(ReaderConfig):
    """`contrastive_table`: a row a variant; TSV with a header (`docmt.corpus.readers.contrastive_table`)."""

    kind: Literal["contrastive_table"]
    sets: dict[str, str]
    archive: str | None = setting(None, "the archive that holds the files; none = they are downloaded as they are")

    def __post_init__(self) -> None:
        need(bool(self.sets), "sets", "nothing", "one set or more")
