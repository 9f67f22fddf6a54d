"""A search for the missing files of corpora, which reads folders, but not the network, before any job runs.

A file is not missing where stage 1 has downloaded or read it, where a folder of the user's or the mirror holds it, or
where the catalogue names a source of the file.
"""

import os
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from docmt.base.errors import UserError
from docmt.base.paths import DOWNLOADS
from docmt.catalogue.corpus import CorpusConfig
from docmt.catalogue.files import FileConfig
from docmt.catalogue.folders import ENDING as FOLDER_ENDING

WIDTH = 108  # The largest number of characters of a line in the instructions for obtaining a file.


@dataclass(frozen=True)
class Places:
    """The folders that may hold a corpus' files.

    `results` is the results folder. `mirror` is a folder or a URL that holds files by their names. `local` has a folder
    of the user's for a corpus, by the name of the corpus; files may be anywhere below it and are recognised by their
    names.
    """

    results: Path
    mirror: str | None = None
    local: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_remote_mirror(self) -> bool:
        """Whether the mirror is an address, of which only a download shows which files it holds."""
        return bool(self.mirror) and mirror_folder(self.mirror) is None

    def downloads(self, corpus: str) -> Path:
        """Return the folder of a corpus' downloads."""
        return self.results.parent / DOWNLOADS.format(corpus=corpus)

    def find(self, corpus: str, file: FileConfig) -> Path | None:
        """Return the path of a corpus' file, or none where no folder holds it.

        Raises UserError where the user's folder does not exist, or holds several files of this name.
        """
        # The user's own file comes first, since the user may have changed it after it was copied.
        path = file_of_user(file, self.local.get(corpus), corpus)
        if path is not None:
            return path
        path, mirror = self.downloads(corpus) / file.name, mirror_folder(self.mirror)
        if path.is_file():
            return path
        return mirror / file.name if mirror is not None and (mirror / file.name).is_file() else None


def is_remote(source: str) -> bool:
    """Return whether a source is an http or https URL."""
    return urlsplit(source).scheme in ("http", "https")


def local_path(source: str) -> Path:
    """Return the path of a source or mirror, which is stated as a path or as a file URL; `~/` is the user's folder."""
    path = Path(unquote(urlsplit(source).path)) if source.startswith("file:") else Path(source)
    return path.expanduser() if source.startswith("~/") else path


def is_source(path: Path) -> bool:
    """Return whether a path can give a file: it is a file, or a folder, which stands for a tar of its files."""
    return path.is_file() or path.is_dir()


def mirror_folder(mirror: str | None) -> Path | None:
    """Return the mirror's folder; return none where there is no mirror or it is an http(s) URL."""
    return local_path(mirror) if mirror and not is_remote(mirror) else None


def find_below(folder: Path, name: str, corpus: str) -> Path | None:
    """Return the path of the file `name` anywhere in `folder`, or none; a file directly in the folder comes first.

    Raises UserError where the folder does not exist, and where its subfolders hold several files of this name.
    """
    where = f"config.yaml local.{corpus}"
    if not folder.is_dir():
        raise UserError("no such folder", where=where, found=str(folder))
    if (folder / name).is_file():
        return folder / name
    paths = sorted(Path(parent) / name for parent, _, files in os.walk(folder, followlinks=True) if name in files)
    if len(paths) > 1:
        rows = "".join(f"\n    {path}" for path in paths)
        remedy = f"put the right one at {folder / name}"
        raise UserError(f"several files are named {name}", where=where, found=rows, remedy=remedy)
    return paths[0] if paths else None


def file_of_user(file: FileConfig, folder: Path | str | None, corpus: str, root: Path = Path()) -> Path | None:
    """Return the path of a file of the user's; None where the user has none.

    It is in the folder that `local` of config.yaml names for the corpus, or a source of the file is a path. A source
    may be a folder, which then stands for a tar of its files. Paths are relative to `root`. Raises UserError where
    `folder` does not exist, or holds several files of this name, and where a folder is the source of a file of another
    name than `*.tar`.
    """
    path = find_below(root / folder, file.name, corpus) if folder else None
    paths = (root / local_path(source.url) for source in file.sources if not is_remote(source.url))
    path = path or next(filter(is_source, paths), None)
    if path is not None and path.is_dir() and not file.name.endswith(FOLDER_ENDING):
        what, expected = "a folder is stored as an archive of its files", f"a name that ends in {FOLDER_ENDING}"
        raise UserError(what, where=f"{corpus} files", found=f"{file.name}, from {path}", expected=expected)
    return path


def files_to_lock(corpus: CorpusConfig, places: Places, root: Path = Path()) -> list[str]:
    """Return the names of the files whose digest the lock file keeps: neither the catalogue nor the user states it.

    Paths of the user's are relative to `root`.
    """
    folder = places.local.get(corpus.corpus)
    unknown = (file for file in corpus.files if file.digest is None)
    return [file.name for file in unknown if file_of_user(file, folder, corpus.corpus, root) is None]


def wanted_files(corpus: CorpusConfig, places: Places) -> list[FileConfig]:
    """Return the files of a corpus that are in no folder."""
    return [file for file in corpus.files if places.find(corpus.corpus, file) is None]


def missing_files(corpus: CorpusConfig, places: Places) -> list[FileConfig]:
    """Return the files of a corpus that only a person can bring: files without any source that are in no folder."""
    if places.has_remote_mirror:
        # Only a download shows which files a mirror at a URL holds.
        return []
    return [file for file in wanted_files(corpus, places) if not file.sources]


def missing_error(
    missing: Mapping[str, list[FileConfig]], places: Places, others: Mapping[str, str] | None = None
) -> UserError:
    """Return the error that lists all missing files by corpus: their names, how to obtain them, where to put them.

    `others`: how other missing files and folders can be had, by a description of each.
    """
    missing = {corpus: files for corpus, files in missing.items() if files}
    instructions = "".join(_instructions(corpus, files, places) for corpus, files in missing.items())
    for what, way in (others or {}).items():
        instructions += f"\n    {what}{_lines(way)}"
    local = f"`local: {{{next(iter(missing), 'corpus')}: FOLDER}}`"
    files_remedy = (
        "put each file into its folder above, or name folders that hold them by these names: "
        f"`mirror: FOLDER`, or {local} (any layout). "
    )
    return UserError(
        "files are missing that docmt cannot download",
        found=instructions,
        remedy=f"{files_remedy if missing else ''}With `missing: skip`, `all` and studies go on without them.",
    )


def _instructions(corpus: str, files: list[FileConfig], places: Places) -> str:
    """Return the lines about the files of a corpus; files that are obtained in the same way share a paragraph."""
    lines = [f"\n    {corpus}, to be put into {places.downloads(corpus)}/"]
    ways: dict[str, list[str]] = {}
    for file in files:
        ways.setdefault(" ".join((file.obtain or "no public source is known.").split()), []).append(file.name)
    for way, names in ways.items():
        lines += [f"\n      {', '.join(names)}", _lines(way)]
    return "".join(lines)


def _lines(way: str) -> str:
    wrapped = textwrap.wrap(way, WIDTH, break_long_words=False, break_on_hyphens=False)
    return "".join(f"\n        {line}" for line in wrapped)
