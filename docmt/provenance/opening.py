"""A crate of somebody else, checked file by file, and the project in which its target is made again.

The settings of the crate are read: config.yaml, studies, corpora and scales. Its code is not run: the Snakefile, the
rules and the profiles of the project are those of the installed docmt.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import yaml

from docmt.base.artifacts import read_object
from docmt.base.clone import CONFIG, WORKFLOW, clone_of
from docmt.base.digests import sha256_file
from docmt.base.errors import UserError, in_line
from docmt.base.foreign import need_file, reading
from docmt.base.parse import laid_over, mapping
from docmt.base.untrusted import inside, leads_out
from docmt.base.yaml_files import Lines, load_yaml
from docmt.corpus.unpack import unpack
from docmt.provenance.entities import METADATA
from docmt.provenance.workflow import FOLDERS, SNAKEFILE, main_config, workflow_files

# The keys of config.yaml with places of one site; a crate states none of them for another site.
OF_SITE = ("mirror", "local", "hosts", "store", "store_keys")
# The folders of the workflow whose files are settings.
SETTINGS = tuple(f"{WORKFLOW}/{name}/" for name in ("corpora", "scales", "studies"))
# The largest number of bytes of a file that is read as a whole; a description has some 11,000 for each artifact.
MOST_BYTES = 50_000_000
AGAIN = "get the crate again, from a better source"


def open_crate(crate: Path, folder: Path) -> Path:
    """Return the folder of a crate; an archive is unpacked into the new folder `folder`.

    Raises UserError where it is no crate, where a file is missing or has other bytes than its entity states, and for a
    path or a link that leads out of the crate, a pipe or a device.
    """
    if not crate.is_dir():
        unpack(crate, folder)
        crate = folder
    for path in crate.rglob("*"):
        if path.is_symlink():
            inside(crate, path.relative_to(crate).as_posix())
        if not path.is_dir():
            need_file(path)
        if path.suffix in (".json", ".yaml") and path.stat().st_size > MOST_BYTES:
            size, most = f"{path.stat().st_size:,} bytes", f"at most {MOST_BYTES:,}"
            raise UserError("the file is too large", where=str(path), found=size, expected=most, remedy=AGAIN)
    known: set[Path] = set()
    for entity in _entities(crate):
        kinds = entity.get("@type")
        if "File" in (kinds if isinstance(kinds, list) else [kinds]):
            path = inside(crate, unquote(entity["@id"]))
            if path in known:
                raise UserError("a file that the crate states twice", where=str(path), remedy=AGAIN)
            if not _has_stated_bytes(path, entity):
                what = "a file of the crate is missing, or has other bytes"
                raise UserError(what, where=str(path), remedy=AGAIN)
            known.add(path)
    return crate


def _has_stated_bytes(path: Path, entity: Mapping[str, Any]) -> bool:
    is_of_size = path.is_file() and entity.get("contentSize") == str(path.stat().st_size)
    return is_of_size and entity.get("sha256") == sha256_file(path)


def _entities(crate: Path) -> list[dict[str, Any]]:
    path = crate / METADATA
    with reading(path, "not the description of a crate", remedy=AGAIN):
        entities = read_object(path, "@graph")["@graph"]
        if not isinstance(entities, list) or not all(isinstance(entity, dict) for entity in entities):
            raise TypeError("@graph is no list of objects")
        if not all(isinstance(entity.get("@id"), str) for entity in entities):
            raise TypeError("an entity without a text as @id")
        return entities


def write_project(crate: Path, project: Path, stated: Mapping[str, Any]) -> None:
    """Write a project into a new folder: the settings of a crate, and the code of the installed docmt.

    `stated`: the settings of the user's command line. Raises UserError for wrong settings, and for a path of theirs
    that leads out of the project and is not the user's.
    """
    _write_config(crate, project, stated)
    config = main_config(project, stated)
    settings = {name: place for name, place in workflow_files(crate, config) if name != CONFIG and _is_setting(name)}
    for place in settings.values():
        _check_paths(*load_yaml(place), AGAIN)
    ours = {name: place for name, place in workflow_files(clone_of(project), config) if not _is_setting(name)}
    for name, place in {**settings, **ours}.items():
        path = inside(project, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(place, path)


def _write_config(crate: Path, project: Path, stated: Mapping[str, Any]) -> None:
    value, lines = load_yaml(crate / CONFIG)
    places = [mapping(value, lines).pop(key, None) for key in OF_SITE]
    _check_paths(laid_over(value, _hidden(stated)), lines, "state the whole path of yours in its place with --config")
    project.mkdir()
    if any(places):
        (project / CONFIG).write_text(yaml.safe_dump(value, allow_unicode=True), encoding="utf-8")
    else:
        shutil.copyfile(crate / CONFIG, project / CONFIG)


def _hidden(stated: Any) -> Any:
    """Return settings with nothing in the place of each value: paths of the user's may lead anywhere."""
    return {key: _hidden(value) for key, value in stated.items()} if isinstance(stated, Mapping) else None


def _check_paths(value: Any, lines: Lines, remedy: str, path: tuple = ()) -> None:
    """Raise UserError where a text inside of settings is a path that leads out of their folder."""
    if isinstance(value, str) and (leads_out(value) or value.startswith(("file:", "~"))):
        what = "a path that leads out of the crate"
        raise UserError(what, where=lines.place(path), found=in_line(value), remedy=remedy)
    items = value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ())
    for key, item in items:
        _check_paths(item, lines, remedy, (*path, key))


def _is_setting(name: str) -> bool:
    """Return whether a file of a project has settings, and no code."""
    # Some disks do not tell `Profiles` from `profiles`.
    is_of_user = Path(name).parts[0].casefold() not in (SNAKEFILE.casefold(), *FOLDERS)
    return is_of_user or (name.startswith(SETTINGS) and name.endswith(".yaml"))
