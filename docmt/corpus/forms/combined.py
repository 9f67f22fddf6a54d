"""The form `combined`: a list of readers. Each split has the documents of this split of all readers, in their order."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Literal, Self

from docmt.base.checks import needed, some
from docmt.catalogue.fixtures import FixtureConfig
from docmt.catalogue.forms import KIND, FileReaderConfig, ReaderConfig
from docmt.corpus.inputs import ContrastiveItem, Document, ReaderInputs
from docmt.corpus.opening import read


@dataclass(frozen=True)
class CombinedConfig(ReaderConfig):
    """The settings of the form `combined`: the readers in `parts`, in order."""

    kind: Literal["combined"] = needed(KIND)
    parts: tuple[ReaderConfig, ...] = needed(
        "readers whose documents are put together", some("one reader or more", found="nothing")
    )

    def readers_of_files(self, path: tuple = ()) -> Iterator[tuple[tuple, FileReaderConfig]]:
        """Yield the readers of files of each part, with the path of each reader in the settings."""
        for number, part in enumerate(self.parts):
            yield from part.readers_of_files((*path, "parts", number))

    def limited(self, splits: Collection[str]) -> Self | None:
        """Return this reader with each part limited to the given splits; None where no part has such a split."""
        parts = tuple(part for part in (part.limited(splits) for part in self.parts) if part is not None)
        return replace(self, parts=parts) if parts else None

    def small(self, fixture: FixtureConfig) -> Self:
        """Return this reader with the sizes of a fixture (a generated corpus) in all parts."""
        return replace(self, parts=tuple(part.small(fixture) for part in self.parts))


def documents(config: CombinedConfig, inputs: ReaderInputs) -> Iterator[Document]:
    """Yield the documents of all parts, part by part."""
    for part in config.parts:
        yield from read(part, inputs).documents


def items(config: CombinedConfig, inputs: ReaderInputs) -> Iterator[ContrastiveItem]:
    """Yield the contrastive items of all parts, part by part."""
    for part in config.parts:
        yield from read(part, inputs).items
