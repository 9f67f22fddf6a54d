"""The graph of an RO-Crate: the versions of its profiles, its own terms, and entities by their identifiers.

Profile: Provenance Run Crate 0.5, an extension of Workflow Run Crate 0.5, Process Run Crate 0.5 and Workflow RO-Crate
1.0 (https://www.researchobject.org/workflow-run-crate/), over RO-Crate 1.1.
"""

from pathlib import Path
from typing import Any
from urllib.parse import quote

from rocrate.model.contextentity import ContextEntity
from rocrate.rocrate import ROCrate

from docmt.base.digests import known_sha256

METADATA = "ro-crate-metadata.json"
"""The name of the file with the graph; a folder with it is a crate."""
BASE = "1.1"
"""The version of RO-Crate on which the profiles rest."""
RUN_PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    "https://w3id.org/ro/wfrun/provenance/0.5": "Provenance Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
}
"""The profiles that the crate conforms to, with their names."""
WORKFLOW_RUN = "https://w3id.org/ro/terms/workflow-run#"
TERMS = {name: f"{WORKFLOW_RUN}{name}" for name in ("resourceUsage", "sha256")}
"""The terms that the context of RO-Crate lacks; they stand in the crate itself, so that no second context is needed."""
COMPLETED = "http://schema.org/CompletedActionStatus"
FORMATS = {
    ".arrow": "application/vnd.apache.arrow.file",
    ".bin": "application/octet-stream",
    ".csv": "text/csv",
    ".gz": "application/gzip",
    ".html": "text/html",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
    ".pdf": "application/pdf",
    ".safetensors": "application/octet-stream",
    ".svg": "image/svg+xml",
    ".tar": "application/x-tar",
    ".tex": "application/x-tex",
    ".tsv": "text/tab-separated-values",
    ".yaml": "application/yaml",
    ".zip": "application/zip",
}
"""The media types of files by the endings of their names; all others are plain text."""

Reference = dict[str, str]
"""A reference to an entity: its identifier."""


class Graph:
    """The entities of a crate. Each identifier has one entity: the first that is added."""

    def __init__(self) -> None:
        """Begin a crate without files."""
        self.crate = ROCrate(version=BASE)
        self.crate.metadata.extra_terms.update(TERMS)

    @property
    def root(self) -> Any:
        """The entity of the crate itself."""
        return self.crate.root_dataset

    def add(self, identifier: str, kind: str | list[str], /, **properties: Any) -> Reference:
        """Add an entity that is no file of the crate, and return a reference to it; None values are left out."""
        if identifier not in self.crate:
            values = {name: compact(value) for name, value in properties.items() if value not in (None, [], "")}
            self.crate.add(ContextEntity(self.crate, identifier, {"@type": kind, **values}))
        return {"@id": identifier}

    def add_file(self, source: Path, place: str, /, **properties: Any) -> Reference:
        """Add a file of the crate at the path `place`, and return a reference to it."""
        identifier = quote(place)
        if identifier not in self.crate:
            values = {name: compact(value) for name, value in properties.items() if value not in (None, [], "")}
            facts = {"name": place, "encodingFormat": media_type(place), "contentSize": str(source.stat().st_size)}
            facts["sha256"] = known_sha256(source)
            self.crate.add_file(source, place, properties={**facts, **values})
        return {"@id": identifier}

    def value(self, name: str, value: object, unit: str | None = None, identifier: str | None = None) -> Reference:
        """Add a named value, and return a reference to it; equal values are one entity."""
        place = identifier or f"#value/{quote(name, safe='')}/{quote(str(value), safe='')}"
        return self.add(place, "PropertyValue", name=name, value=str(value), propertyID=name, unitCode=unit)

    def mention(self, *references: Reference) -> None:
        """Mention entities in the crate itself."""
        for reference in references:
            self.root.append_to("mentions", reference)

    def extend(self, reference: Reference, **properties: Any) -> None:
        """Add properties to an entity that is there."""
        entity = self.crate.get(reference["@id"])
        for name, value in properties.items():
            entity[name] = compact(value)


def compact(value: Any) -> Any:
    """Return the only item of a list of one, as the compact form of RO-Crate has it; any other value as it is."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def media_type(name: str) -> str:
    """Return the media type of a file by its name.

    >>> media_type("table.csv"), media_type("tokens.arrow"), media_type("Snakefile")
    ('text/csv', 'application/vnd.apache.arrow.file', 'text/plain')
    """
    return FORMATS.get(Path(name).suffix, "text/plain")
