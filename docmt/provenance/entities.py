"""The entities of an RO-Crate: its profiles, its own terms, and how things and files are added.

Profile: Workflow Run Crate 0.5, an extension of Process Run Crate 0.5 and of Workflow RO-Crate 1.0
(https://www.researchobject.org/workflow-run-crate/), over RO-Crate 1.1.
"""

from mimetypes import MimeTypes
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rocrate.model.contextentity import ContextEntity
from rocrate.model.entity import Entity
from rocrate.rocrate import ROCrate

from docmt.base.digests import known_sha256

METADATA = "ro-crate-metadata.json"  # The name of the file with the entities; a folder with it is a crate.
BASE = "1.1"  # The version of RO-Crate on which the profiles rest.
# The profiles that the crate conforms to, with their names.
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
}
# The term that the context of RO-Crate lacks; it stands in the crate itself, so that no second context is needed.
TERMS = {"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"}
COMPLETED = "http://schema.org/CompletedActionStatus"
# The media types of endings that the standard library does not know.
FORMATS = {
    ".arrow": "application/vnd.apache.arrow.file",
    ".gz": "application/gzip",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
    ".safetensors": "application/octet-stream",
    ".yaml": "application/yaml",
}


def new_crate() -> ROCrate:
    """Return a crate without files."""
    crate = ROCrate(version=BASE)
    crate.metadata.extra_terms.update(TERMS)
    return crate


def add(crate: ROCrate, identifier: str, kind: str, /, **properties: Any) -> Entity:
    """Add an entity that is no file of the crate, and return it; None values are left out."""
    values = {name: value for name, value in properties.items() if value not in (None, [], "")}
    # Each identifier has one entity: the first that is added.
    return crate.get(identifier) or crate.add(ContextEntity(crate, identifier, {"@type": kind, **values}))


def add_file(crate: ROCrate, source: Path, place: str) -> Entity:
    """Add a file of the crate at the path `place`, and return its entity."""
    return crate.get(quote(place)) or crate.add_file(source, place, properties=file_facts(source, place))


def file_facts(source: Path, place: str) -> dict[str, str]:
    """Return what a crate states of each of its files."""
    return {
        "name": place,
        "encodingFormat": media_type(place),
        "contentSize": str(source.stat().st_size),
        "sha256": known_sha256(source),
    }


def media_type(name: str) -> str:
    """Return the media type of a file by its name; that of a plain text where it is not known.

    >>> media_type("table.csv"), media_type("tokens.arrow"), media_type("Snakefile")
    ('text/csv', 'application/vnd.apache.arrow.file', 'text/plain')
    """
    # Types that this machine has in files of its own would give other crates of the same results.
    known, _ = MimeTypes().guess_type(name)
    return FORMATS.get(Path(name).suffix) or known or "text/plain"
