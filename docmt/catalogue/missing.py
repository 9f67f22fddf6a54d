"""Which files of a corpus are there, and which nobody has: asked before any job, from folders alone, no network.

A file is to be had where stage 1 has downloaded or read it, where a folder of the user's or the mirror holds it, or
where the catalogue names a source.
"""

import os
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from docmt.base.errors import UserError
from docmt.base.paths import CORPUS
from docmt.catalogue.corpus import CorpusConfig, FileConfig

WIDTH = 108
"""Characters of a line that says how a file is obtained."""


@dataclass(frozen=True)
class Places:
    """Where files may stand. `local`: folders of the user's by corpus, in any layout; a file counts by its name."""

    results: Path
    mirror: str | None = None
    local: Mapping[str, str] = field(default_factory=dict)

    def downloads(self, corpus: str) -> Path:
        return CORPUS.under(self.results, corpus=corpus) / "downloads"

    def find(self, corpus: str, name: str) -> Path | None:
        """The file of that name: downloaded, in the user's folder or in a mirror that is a folder; none = nowhere.

        Raises UserError where the user's folder is not there, or holds several of that name.
        """
        folder, mirror = self.local.get(corpus), mirror_folder(self.mirror)
        found = self.downloads(corpus) / name
        if found.is_file():
            return found
        if folder is not None and (found := find_below(Path(folder), name, corpus)) is not None:
            return found
        return mirror / name if mirror is not None and (mirror / name).is_file() else None


def is_remote(source: str) -> bool:
    return urlsplit(source).scheme in ("http", "https")


def local_path(source: str) -> Path:
    """What a source, or a mirror, means that is a path, or a URL of a file."""
    return Path(unquote(urlsplit(source).path)) if source.startswith("file:") else Path(source)


def mirror_folder(mirror: str | None) -> Path | None:
    """The folder that a mirror is; none where there is no mirror, or it is a URL."""
    return local_path(mirror) if mirror and not is_remote(mirror) else None


def find_below(folder: Path, name: str, corpus: str) -> Path | None:
    """The file of that name anywhere in `folder`; directly in it comes first.

    Raises UserError where there is no such folder, and where deeper folders hold several files of that name.
    """
    where = f"config.yaml local.{corpus}"
    if not folder.is_dir():
        raise UserError("no such folder", where=where, found=str(folder))
    if (folder / name).is_file():
        return folder / name
    found = sorted(Path(parent) / name for parent, _, files in os.walk(folder, followlinks=True) if name in files)
    if len(found) > 1:
        shown = "".join(f"\n    {path}" for path in found)
        remedy = f"put the right one at {folder / name}"
        raise UserError(f"several files are named {name}", where=where, found=shown, remedy=remedy)
    return found[0] if found else None


def missing_files(corpus: CorpusConfig, places: Places) -> list[FileConfig]:
    """The files of a corpus that only a person can bring: they are nowhere and have no source.

    None of a corpus that stage 1 has read. A mirror that is a URL may hold any file: only the download finds out.
    """
    if (CORPUS.under(places.results, corpus=corpus.corpus) / "documents.parquet").is_file():
        return []
    if places.mirror and mirror_folder(places.mirror) is None:
        return []
    without = [file for file in corpus.files if not file.sources]
    return [file for file in without if places.find(corpus.corpus, file.name) is None]


def left_out(corpora: Iterable[CorpusConfig], places: Places) -> dict[str, str]:
    """The corpora that cannot be made, and why, as a report says it (`missing: skip`)."""
    missing = {corpus.corpus: missing_files(corpus, places) for corpus in corpora}
    return {corpus: f"{corpus} is missing: {_names(files)}" for corpus, files in missing.items() if files}


def _names(files: list[FileConfig]) -> str:
    names = [file.name for file in files]
    return ", ".join(names) if len(names) <= 3 else f"{names[0]} and {len(names) - 1} more files"


def missing_error(missing: Mapping[str, list[FileConfig]], places: Places) -> UserError:
    """Everything that is missing, by corpus, in one message: what, how it is obtained, where it is put."""
    missing = {corpus: files for corpus, files in missing.items() if files}
    shown = "".join(_shown(corpus, files, places) for corpus, files in missing.items())
    return UserError(
        "files are missing that have no public source",
        found=shown,
        remedy="put each where it says, or name folders that hold them by these names: `mirror: FOLDER`, or "
        f"`local: {{{next(iter(missing), 'corpus')}: FOLDER}}` (any layout). `missing: skip` goes on without these "
        "corpora.",
    )


def _shown(corpus: str, files: list[FileConfig], places: Places) -> str:
    """The files of a corpus, those that are obtained in the same way together."""
    lines = [f"\n    {corpus}, to be put into {places.downloads(corpus)}/"]
    ways: dict[str, list[str]] = {}
    for file in files:
        ways.setdefault(" ".join((file.obtain or "no public source is known.").split()), []).append(file.name)
    for way, names in ways.items():
        wrapped = textwrap.wrap(way, WIDTH, break_long_words=False, break_on_hyphens=False)
        lines += [f"\n      {', '.join(names)}", *(f"\n        {line}" for line in wrapped)]
    return "".join(lines)
