"""The forms that the files of a corpus can have: the settings that all forms share, and the lookup of a form.

A form is a module of `docmt/corpus/forms`; the `__init__.py` of this folder describes the contents of such a module.
The setting `reader.kind` is the name of the module. Most commands read settings but no corpus, so a module is imported
only when a corpus uses the form.
"""

import dataclasses
import importlib
import pkgutil
import re
import string
from collections.abc import Collection, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from types import ModuleType
from typing import Any, ClassVar, Literal, Self

from docmt.base.checks import Checked, all_of, keys_of, need, needed, section, setting, some
from docmt.base.names import SPLITS
from docmt.base.parse import KINDS
from docmt.catalogue.fixtures import FixtureConfig
from docmt.catalogue.held_out import HELD_OUT, TRAIN, HeldOutConfig

CONTRASTIVE = "contrastive"  # The key of the contrastive sets, in mappings whose other keys are names of splits.
Languages = tuple[str, str]  # The codes of the source and the target language.


PACKAGE = "docmt.corpus.forms"
KIND = "form of the files: a module of docmt/corpus/forms"  # The description of the field `kind` of each reader.
OF_SPLITS = "by split, the paths of its files"  # The description of the field `splits` of most readers.
# The check of a mapping from splits to their files.
some_splits = all_of(some(f"some of {', '.join(SPLITS)}", found="nothing"), keys_of(SPLITS))


@dataclass(frozen=True)
class ReaderConfig(Checked):
    """The settings of a reader, which converts the files of a corpus to documents.

    `kind` is a name of `FORMS`; each form adds its own fields.
    """

    kind: str = needed(KIND)

    def readers_of_files(self, path: tuple = ()) -> Iterator[tuple[tuple, "FileReaderConfig"]]:
        """Yield the readers that read files, this reader or its parts, each with its path in the settings."""
        yield from ()

    def limited(self, splits: Collection[str]) -> Self | None:
        """Return the reader of these splits; this base returns itself for all splits, and none for fewer splits."""
        return self if set(SPLITS) <= set(splits) else None

    def small(self, fixture: FixtureConfig) -> Self:
        """Return the reader of a fixture: one that generates text gets its sizes, one of files is unchanged."""
        return self


@dataclass(frozen=True)
class FileReaderConfig(ReaderConfig):
    """The settings that all readers of files share.

    Paths are inside `archive` or, without an archive, among the downloads. A path may lead into an archive
    (`texts/zh-en.tgz/zh-en/a.txt`); a text file may be compressed (`a.txt.xz`).
    """

    PATHS: ClassVar[tuple[str, ...]]
    """The names of the fields with paths, as texts or inside collections; a dataclass inside has its own `PATHS`."""

    _: KW_ONLY
    archive: str | None = setting(None, "archive that holds the files; none = they are downloaded as they are")
    prefix: str = setting("", "put before the names of documents; parts of `combined` may have the same names")
    drop_empty: bool = setting(False, "drop pairs with an empty side, and count them; otherwise they are refused")
    control: Literal["refuse", "space"] = setting(
        "refuse", "control characters. refuse: they are refused; space: each is replaced by a space, and counted"
    )

    def readers_of_files(self, path: tuple = ()) -> Iterator[tuple[tuple, "FileReaderConfig"]]:
        """Yield this reader with its path in the settings."""
        yield path, self

    @property
    def paths(self) -> list[tuple[tuple, str]]:
        """The paths that the settings state, each with its place in the settings."""
        return [path for name in ("archive", *self.PATHS) for path in _paths(getattr(self, name), (name,))]

    def files_of_splits(self, languages: Languages) -> dict[str, list[str]]:
        """Return the paths of the files of each split, and of the contrastive sets."""
        raise NotImplementedError

    def downloads_of(self, path: str, downloads: Collection[str]) -> list[str]:
        """Return the names of the `downloads` that hold a path of `files_of_splits`."""
        # This is the archive, or the first part of the path; a part in braces stands for any text.
        first = self.archive or path.split("/")[0]
        if "{" not in first:
            return [first] if first in downloads else []
        pattern = re.compile(".+".join(re.escape(text) for text in re.split(r"{\w+}", first)))
        return [name for name in downloads if pattern.fullmatch(name)]

    def shares(self) -> dict[str, int]:
        """Return the number of files, sets or books over which a fixture distributes the documents of each split."""
        return {}


@dataclass(frozen=True)
class SplitsReaderConfig(FileReaderConfig):
    """The settings of most readers: `splits` has the files, or sets, of train, dev and test."""

    PATHS: ClassVar = ("splits",)
    IN_BRACES: ClassVar[tuple[str, ...]] = ()
    """The placeholders that each path of `splits` has to contain, such as {language}; none = paths are not checked for
    braces."""

    splits: dict[str, Any] = needed(OF_SPLITS, some_splits)
    _: KW_ONLY
    held_out: dict[str, HeldOutConfig] = section(
        dict,
        "documents of train that become dev or test, where the corpus has no such split",
        keys_of(HELD_OUT, "splits without files,"),
    )

    def __post_init__(self) -> None:
        """Check the placeholders of paths, and that held-out splits have no files."""
        super().__post_init__()
        for split, files in self.splits.items() if self.IN_BRACES else ():
            for _, path in _paths(files, ()):
                need_parts(path, f"splits.{split}", *self.IN_BRACES)
        self._check_held_out()

    def _check_held_out(self) -> None:
        wrong = [split for split in self.held_out if split in self.splits]
        need(not wrong, "held_out", wrong, f"splits without files, of {', '.join(HELD_OUT)}")
        need(not self.held_out or TRAIN in self.splits, "held_out", list(self.held_out), f"files of {TRAIN} in splits")

    @property
    def in_order(self) -> list[tuple[str, Any]]:
        """The items of `splits` in the order train, dev, test, whatever the order of the settings."""
        return [(split, self.splits[split]) for split in SPLITS if split in self.splits]

    def files_of_splits(self, languages: Languages) -> dict[str, list[str]]:
        """Return the paths of the files of each split; the files of a held-out split are those of training."""
        origins = {split: split for split in self.splits} | dict.fromkeys(self.held_out, TRAIN)
        return {split: self.files_of(origin, languages) for split, origin in origins.items()}

    def files_of(self, split: str, languages: Languages) -> list[str]:
        """Return the paths of the files of one split."""
        return [path for _, path in _paths(self.splits[split], ())]

    def limited(self, splits: Collection[str]) -> Self | None:
        """Return this reader for some of its splits; return none where no split remains."""
        # A reader whose splits come from the same files is returned for all of them or not at all.
        if not self.splits or (self.held_out and not {TRAIN, *self.held_out} <= set(splits)):
            return super().limited(splits)
        remaining = {split: files for split, files in self.splits.items() if split in splits}
        return self.with_splits(remaining) if remaining else None

    def with_splits(self, splits: Mapping[str, Any]) -> Self:
        """Return this reader with other `splits`."""
        return dataclasses.replace(self, splits=splits)

    def small(self, fixture: FixtureConfig) -> Self:
        """Return this reader, whose held-out splits have the sizes of the fixture."""
        sizes = {split: HeldOutConfig(first=fixture.documents[split]) for split in self.held_out}
        return dataclasses.replace(self, held_out=sizes)

    def shares(self) -> dict[str, int]:
        """Return 1 for each split, which is one file."""
        return dict.fromkeys(self.splits, 1)


def _paths(value: Any, place: tuple) -> Iterator[tuple[tuple, str]]:
    """Yield the texts inside a value, each with its place; only the fields in `PATHS` of a dataclass are searched."""
    if isinstance(value, str):
        yield place, value
    elif dataclasses.is_dataclass(value):
        yield from _paths({name: getattr(value, name) for name in value.PATHS}, place)
    elif isinstance(value, Mapping | tuple):
        for key, item in value.items() if isinstance(value, Mapping) else enumerate(value):
            yield from _paths(item, (*place, key))


class Forms(Mapping[str, type[ReaderConfig]]):
    """A mapping from the name of each form to its class of settings; to list the names imports no form."""

    @cached_property
    def _names(self) -> list[str]:
        return [module.name for module in pkgutil.iter_modules(importlib.import_module(PACKAGE).__path__)]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of forms; no form is imported."""
        return iter(self._names)

    def __len__(self) -> int:
        """Return the number of forms."""
        return len(self._names)

    def __getitem__(self, kind: str) -> type[ReaderConfig]:
        """Import a form and return its settings class, the first in its module that is a ReaderConfig."""
        module = self.module(kind)
        classes = [value for value in vars(module).values() if isinstance(value, type)]
        return next(
            value for value in classes if value.__module__ == module.__name__ and issubclass(value, ReaderConfig)
        )

    def module(self, kind: str) -> ModuleType:
        """Import the module of a form. Raises KeyError for a name that no form has."""
        if kind not in self._names:
            raise KeyError(kind)
        return importlib.import_module(f"{PACKAGE}.{kind}")


FORMS = Forms()
KINDS[ReaderConfig] = ("reader", FORMS)


def need_parts(path: str, name: str, *parts: str) -> None:
    """Raise BadValue unless a path has the placeholders `parts` and no other braces."""
    try:
        placeholders = {f"{{{field}}}" for _, field, _, _ in string.Formatter().parse(path) if field is not None}
    except ValueError:
        placeholders = set()
    need(placeholders == set(parts), name, path, f"a path with {' and '.join(parts)} in it, and no other brace")
