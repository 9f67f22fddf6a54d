"""What the settings of all readers have in common."""

from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class ReaderConfig:
    """`kind` chooses one of `docmt.catalogue.readers.READER_CONFIGS`, which say what else can be set."""

    kind: str


def _option(default: Any, about: str) -> Any:
    """A setting that all readers of files have, after their own."""
    return field(default=default, metadata={"about": about}, kw_only=True)


@dataclass(frozen=True)
class FileReaderConfig(ReaderConfig):
    """What every reader of files can be told."""

    archive: str | None = _option(None, "the archive that holds the files; none = they are downloaded as they are")
    prefix: str = _option("", "stands before the names of documents; parts of `combined` may have the same names")
    drop_empty: bool = _option(False, "drop pairs with an empty side, and count them; else they are refused")
    control: Literal["refuse", "space"] = _option("refuse", "control characters; space = put one instead, and count")
