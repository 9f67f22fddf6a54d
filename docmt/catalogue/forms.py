"""The forms that the files of a corpus can have: what their settings share, and where each form is found.

A form is one file of `docmt/corpus/forms`, whose `__init__.py` says what stands in it; `reader.kind` is its name.
Settings are read where no corpus is, so a form's file is found by that name, and imported once a corpus asks for it.
"""

import dataclasses
import importlib
import pkgutil
import string
from collections.abc import Collection, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from types import ModuleType
from typing import Any, ClassVar, Literal, Self

from docmt.base.checks import Checked, need, setting
from docmt.base.names import SPLITS
from docmt.base.parse import KINDS
from docmt.catalogue.fixtures import FixtureConfig

CONTRASTIVE = "contrastive"
"""Stands beside the splits for the contrastive sets."""
Languages = tuple[str, str]
"""Source and target."""


@dataclass(frozen=True)
class ReaderConfig(Checked):
    """How the files of a corpus become documents. `kind` is one of `FORMS`, which say what else can be set."""

    kind: str

    def readers_of_files(self, path: tuple = ()) -> Iterator[tuple[tuple, "FileReaderConfig"]]:
        """The readers that read files, this one or its parts, each with its path in the settings."""
        yield from ()

    def limited(self, splits: Collection[str]) -> Self | None:
        """The same reader for some of its splits; none where that leaves nothing of it."""
        return self if set(SPLITS) <= set(splits) else None

    def small(self, fixture: FixtureConfig) -> Self:
        """As a fixture has it: what generates text gets the fixture's sizes, what reads files is left as it is."""
        return self


@dataclass(frozen=True)
class FileReaderConfig(ReaderConfig):
    """What every reader of files can be told.

    Paths stand inside `archive`, or, without one, among the downloads. One may lead through an archive
    (`texts/zh-en.tgz/zh-en/a.txt`); a text file may be compressed by gzip (`a.txt.gz`).
    """

    PATHS: ClassVar[tuple[str, ...]]
    """The fields that hold paths, or have some within; a dataclass within says the same of its own fields."""

    _: KW_ONLY
    archive: str | None = setting(None, "the archive that holds the files; none = they are downloaded as they are")
    prefix: str = setting("", "stands before the names of documents; parts of `combined` may have the same names")
    drop_empty: bool = setting(False, "drop pairs with an empty side, and count them; else they are refused")
    control: Literal["refuse", "space"] = setting("refuse", "control characters; space = put one instead, and count")

    def readers_of_files(self, path: tuple = ()) -> Iterator[tuple[tuple, "FileReaderConfig"]]:
        yield path, self

    @property
    def paths(self) -> list[tuple[tuple, str]]:
        """Each path that is stated, with its place in the settings."""
        return [found for name in ("archive", *self.PATHS) for found in _paths(getattr(self, name), (name,))]

    def files_of_splits(self, languages: Languages) -> dict[str, list[str]]:
        """The paths that each split, or the contrastive sets, are read from."""
        raise NotImplementedError

    def shares(self) -> dict[str, int]:
        """How many files, sets or books a fixture shares out each split among."""
        return {}


@dataclass(frozen=True)
class SplitsReaderConfig(FileReaderConfig):
    """Of most forms: `splits` says which files, or sets, are train, dev and test."""

    PATHS: ClassVar = ("splits",)
    IN_BRACES: ClassVar[tuple[str, ...]] = ()
    """Places that each path of `splits` has, such as {language}; without any a path may have what it likes."""

    splits: dict[str, Any]

    def __post_init__(self) -> None:
        super().__post_init__()
        wrong = [split for split in self.splits if split not in SPLITS]
        need(bool(self.splits) and not wrong, "splits", wrong or "nothing", f"some of {', '.join(SPLITS)}")
        for split, files in self.splits.items() if self.IN_BRACES else ():
            for _, path in _paths(files, ()):
                need_parts(path, f"splits.{split}", *self.IN_BRACES)

    @property
    def in_order(self) -> list[tuple[str, Any]]:
        """`splits` as train, dev, test, however the settings are sorted."""
        return [(split, self.splits[split]) for split in SPLITS if split in self.splits]

    def files_of_splits(self, languages: Languages) -> dict[str, list[str]]:
        return {split: self.files_of(split, languages) for split in self.splits}

    def files_of(self, split: str, languages: Languages) -> list[str]:
        """The paths that one of `splits` is read from."""
        return [path for _, path in _paths(self.splits[split], ())]

    def limited(self, splits: Collection[str]) -> Self | None:
        if not self.splits:
            return super().limited(splits)
        kept = {split: files for split, files in self.splits.items() if split in splits}
        return self.with_splits(kept) if kept else None

    def with_splits(self, splits: Mapping[str, Any]) -> Self:
        """The same with these of its splits alone."""
        return dataclasses.replace(self, splits=splits)

    def shares(self) -> dict[str, int]:
        return dict.fromkeys(self.splits, 1)


def _paths(value: Any, place: tuple) -> Iterator[tuple[tuple, str]]:
    if isinstance(value, str):
        yield place, value
    elif dataclasses.is_dataclass(value):
        yield from _paths({name: getattr(value, name) for name in value.PATHS}, place)
    elif isinstance(value, Mapping | tuple):
        for key, item in value.items() if isinstance(value, Mapping) else enumerate(value):
            yield from _paths(item, (*place, key))


class Forms(Mapping[str, type[ReaderConfig]]):
    """The settings of each form by its name; asking for names imports no form."""

    PACKAGE = "docmt.corpus.forms"

    @cached_property
    def _names(self) -> list[str]:
        return [one.name for one in pkgutil.iter_modules(importlib.import_module(self.PACKAGE).__path__)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, kind: object) -> bool:
        return kind in self._names

    def __getitem__(self, kind: str) -> type[ReaderConfig]:
        """Raises TypeError for a form's file without settings, which are a mistake of ours."""
        module = self.module(kind)
        own = [one for one in vars(module).values() if isinstance(one, type) and one.__module__ == module.__name__]
        for one in own:
            if issubclass(one, ReaderConfig):
                return one
        raise TypeError(f"{module.__file__} has no dataclass of settings, a ReaderConfig")

    def module(self, kind: str) -> ModuleType:
        """A form's file. Raises KeyError for a name that is none's."""
        if kind not in self:
            raise KeyError(kind)
        return importlib.import_module(f"{self.PACKAGE}.{kind}")


FORMS = Forms()
KINDS[ReaderConfig] = ("reader", FORMS)


def need_parts(path: str, name: str, *parts: str) -> None:
    """A path with these places in braces, and no others."""
    try:
        found = {f"{{{field}}}" for _, field, _, _ in string.Formatter().parse(path) if field is not None}
    except ValueError:
        found = set()
    need(found == set(parts), name, path, f"a path with {' and '.join(parts)} in it, and no other brace")
