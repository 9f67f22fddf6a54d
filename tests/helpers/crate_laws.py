"""The requirements of the profile Workflow Run Crate 0.5 and of those that it extends, by a reader of our own.

Source: https://www.researchobject.org/workflow-run-crate/profiles/ and RO-Crate 1.1.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from docmt.base.digests import sha256_file

METADATA = "ro-crate-metadata.json"
ACTIONS = {"CreateAction", "ActivateAction", "UpdateAction"}
TOOLS = {"SoftwareApplication", "SoftwareSourceCode", "ComputationalWorkflow"}
PROFILES = (
    *(f"https://w3id.org/ro/wfrun/{name}/0.5" for name in ("process", "workflow")),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0",
)


def graph_of(folder: Path) -> list[dict[str, Any]]:
    return json.loads((folder / METADATA).read_text(encoding="utf-8"))["@graph"]


def items(entity: dict, name: str) -> list:
    value = entity.get(name, [])
    return value if isinstance(value, list) else [value]


class Laws:
    """What a crate breaks, as sentences."""

    def __init__(self, folder: Path, graph: list[dict] | None = None) -> None:
        self.folder, self.graph = folder, graph or graph_of(folder)
        self.by_id = {entity["@id"]: entity for entity in self.graph}

    def kinds(self, entity: dict) -> set[str]:
        return set(items(entity, "@type"))

    def of_kind(self, *kinds: str) -> list[dict]:
        return [entity for entity in self.graph if self.kinds(entity) & set(kinds)]

    def refer(self, entity: dict, name: str, *kinds: str) -> bool:
        """Whether a property refers to entities, all of some kinds."""
        entities = [self.by_id.get(value["@id"], {"@type": []}) for value in items(entity, name)]
        return bool(entities) and all(not kinds or self.kinds(other) & set(kinds) for other in entities)

    def broken(self) -> list[str]:
        return [*self.of_base(), *self.of_files(), *self.of_workflow(), *self.of_actions()]

    def of_base(self) -> Iterator[str]:
        if len(self.by_id) < len(self.graph):
            yield "an identifier is there twice"
        for entity in self.graph:
            for name in entity:
                for value in items(entity, name):
                    known = not isinstance(value, dict) or value["@id"] in self.by_id or name == "conformsTo"
                    if not known and not value["@id"].startswith("http"):
                        yield f"{entity['@id']} refers to {value['@id']}, which is not there"
        root, head = self.by_id["./"], self.by_id.get(METADATA, {})
        if head.get("about") != {"@id": "./"} or {"@id": "https://w3id.org/ro/crate/1.1"} not in items(
            head, "conformsTo"
        ):
            yield "the metadata file is about nothing"
        yield from (f"the crate has no {name}" for name in ("name", "description", "datePublished") if name not in root)
        if not self.refer(root, "license"):
            yield "the crate has no licence"
        stated = {value["@id"] for value in items(root, "conformsTo")}
        yield from (f"the crate does not conform to {profile}" for profile in PROFILES if profile not in stated)

    def of_files(self) -> Iterator[str]:
        parts = {value["@id"] for value in items(self.by_id["./"], "hasPart")}
        files = {entity["@id"]: entity for entity in self.of_kind("File")}
        there = {path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_file()}
        yield from (f"{path} is described nowhere" for path in there - {METADATA, *map(unquote, files)})
        for name, entity in files.items():
            path = self.folder / unquote(name)
            if name not in parts or not path.is_file():
                yield f"{name} is no part of the crate"
            elif entity["contentSize"] != str(path.stat().st_size) or entity.get("sha256") not in (
                None,
                sha256_file(path),
            ):
                yield f"{name} has another content"

    def of_workflow(self) -> Iterator[str]:
        workflow = self.by_id.get(self.by_id["./"].get("mainEntity", {}).get("@id"), {})
        if not {"File", "SoftwareSourceCode", "ComputationalWorkflow"} <= self.kinds(workflow):
            yield "the crate has no main workflow"
            return
        if not self.refer(workflow, "programmingLanguage", "ComputerLanguage"):
            yield "the workflow has no language"
        runs = [entity for entity in self.of_kind(*ACTIONS) if entity.get("instrument") == {"@id": workflow["@id"]}]
        if not runs:
            yield "no action ran the workflow"

    def of_actions(self) -> Iterator[str]:
        mentioned = {value["@id"] for value in items(self.by_id["./"], "mentions")}
        for action in self.of_kind(*ACTIONS):
            for name, kinds in {"instrument": TOOLS, "object": (), "result": ()}.items():
                if not self.refer(action, name, *kinds):
                    yield f"{action['@id']} has no {name}"
            if action["@id"] not in mentioned:
                yield f"{action['@id']} is not mentioned"
