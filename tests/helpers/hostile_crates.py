"""Crates that somebody wrote to harm the reader: each attack changes a crate that `docmt write-crate` wrote."""

import json
import os
import socket
import stat
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from contextlib import chdir
from pathlib import Path
from typing import Any
from urllib.parse import quote

from helpers.sealed import rewrite
from helpers.support import Project, small_demo

from docmt.base.artifacts import write_json
from docmt.base.digests import FileDigest
from docmt.base.manifest import DIGEST, sealed
from docmt.base.recipe import JOB
from docmt.grid.grid import load_grid
from docmt.plan.plan import Job, Plan

METADATA = "ro-crate-metadata.json"


def folder_of_corpus() -> str:
    """The folder of the corpus of the small demo."""
    with tempfile.TemporaryDirectory() as folder, chdir(small_demo(Path(folder) / "demo").root):
        plan = Plan(load_grid(Path()))
        return plan.recipe(Job.of("corpus", corpus="toy_zh-en@smoke")).folder.as_posix()


CORPUS = folder_of_corpus()
CARD = f"{CORPUS}/card.json"


class Crate(Project):
    """The folder of a crate."""

    @property
    def graph(self) -> list[Any]:
        return json.loads((self.root / METADATA).read_bytes())["@graph"]

    def write_graph(self, graph: object) -> None:
        rewrite(self.root / METADATA, json.dumps({"@graph": graph}).encode())

    def state(self, name: str, **values: Any) -> None:
        """Change the entity of a file; a value of None is taken away."""
        graph = self.graph
        entity = next(entity for entity in graph if entity["@id"] == name)
        entity |= values
        for key in [key for key, value in values.items() if value is None]:
            del entity[key]
        self.write_graph(graph)

    def describe(self, *names: str) -> None:
        """State the present bytes of files, as the author of the crate can."""
        files = {quote(name): FileDigest.of(self.root / name) for name in names}
        graph = [entity for entity in self.graph if entity["@id"] not in files]
        graph += [
            {"@id": name, "@type": "File", "sha256": file.sha256, "contentSize": str(file.bytes)}
            for name, file in files.items()
        ]
        self.write_graph(graph)

    def plant(self, name: str, value: dict | str) -> None:
        """Write a file, and describe it."""
        self.write(name, value)
        self.describe(name)

    def edit_stated(self, name: str, place: str, value: object) -> None:
        """Set a key of a file of settings, and describe the file."""
        self.edit(name, place, value)
        self.describe(name)

    def seal(self, name: str, value: Mapping[str, Any]) -> None:
        """Write a manifest or a record with the digest that it has to have, and describe the file."""
        write_json(self.root / CORPUS / name, sealed({key: item for key, item in value.items() if key != DIGEST}))
        self.describe(f"{CORPUS}/{name}")

    def sealed(self, name: str) -> dict[str, Any]:
        return json.loads((self.root / CORPUS / name).read_bytes())


Attack = Callable[[Crate], Path | None]
"""A change of a crate; it returns the path that the reader names, where this is not the folder of the crate."""


def graph(value: object) -> Attack:
    return lambda crate: crate.write_graph(value)


def entity(value: object) -> Attack:
    return lambda crate: crate.write_graph([*crate.graph, value])


def stated(**values: Any) -> Attack:
    return lambda crate: crate.state(quote(CARD), **values)


def setting(file: str, place: str, value: object) -> Attack:
    return lambda crate: crate.edit_stated(file, place, value)


def metadata(change: Callable[[Path], object]) -> Attack:
    def attack(crate: Crate) -> None:
        change(crate.root / METADATA)

    return attack


def replaced(name: str, make: Callable[[Path], object]) -> Attack:
    """A file of the crate is something else."""

    def attack(crate: Crate) -> None:
        (crate.root / name).unlink()
        make(crate.root / name)

    return attack


def link_to(target: str) -> Attack:
    return lambda crate: (crate.root / "link").symlink_to(target)


def listening(path: Path) -> None:
    """A socket, by a name that is short enough for the system."""
    with chdir(path.parent), socket.socket(socket.AF_UNIX) as server:
        server.bind(path.name)


def zipped(*members: tuple[zipfile.ZipInfo | str, bytes]) -> Attack:
    """A zip of the crate with further members."""

    def attack(crate: Crate) -> Path:
        path = crate.root.with_suffix(".zip")
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(file for file in crate.root.rglob("*") if file.is_file()):
                archive.writestr(str(file.relative_to(crate.root)), file.read_bytes())
            for name, data in members:
                archive.writestr(name, data, zipfile.ZIP_DEFLATED)
        return path

    return attack


def zipped_link() -> zipfile.ZipInfo:
    member = zipfile.ZipInfo("link")
    member.external_attr = (stat.S_IFLNK | 0o777) << 16
    return member


def changed_zip(crate: Crate, mark: bytes, place: int, data: bytes) -> Path:
    """A zip whose last header that begins with `mark` has other bytes at a place."""
    path = zipped(("last", b"x" * 1000))(crate)
    content = bytearray(path.read_bytes())
    start = content.rindex(mark) + place
    content[start : start + len(data)] = data
    path.write_bytes(content)
    return path


def cut_zip(crate: Crate) -> Path:
    path = zipped()(crate)
    os.truncate(path, path.stat().st_size // 2)
    return path


def tarred(name: str, kind: bytes, target: str = "") -> Attack:
    def attack(crate: Crate) -> Path:
        path = crate.root.with_suffix(".tar")
        with tarfile.open(path, "w") as archive:
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, target
            archive.addfile(member)
        return path

    return attack


def pipe(crate: Crate) -> Path:
    path = crate.root.with_suffix(".zip")
    os.mkfifo(path)
    return path


def of_manifest(**values: object) -> Attack:
    """The manifest of the first run has other values, and the digest of these."""
    return lambda crate: crate.seal("manifest.json", {**crate.sealed("manifest.json"), **values})


def of_record(**values: object) -> Attack:
    return lambda crate: crate.seal("record.json", {**crate.sealed("record.json"), **values})


def of_recipe(**values: object) -> Attack:
    """What was asked of the first run is something else."""

    def attack(crate: Crate) -> None:
        write_json(crate.root / CORPUS / JOB, {**crate.sealed(JOB), **values})
        crate.describe(f"{CORPUS}/{JOB}")

    return attack


def study(name: str, **values: object) -> Attack:
    """A study of the workflow's folder with a system of its own."""
    content = {"study": name, "title": "A", "corpora": ["toy_zh-en"], **values}
    return lambda crate: crate.plant(f"workflow/studies/{name}.yaml", content)


def archived(attack: Callable[[Crate], object], pack: Attack) -> Attack:
    """An attack on the folder, which is then an archive."""

    def both(crate: Crate) -> Path | None:
        attack(crate)
        return pack(crate)

    return both
