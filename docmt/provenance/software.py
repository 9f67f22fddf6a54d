"""The software of a run as entities of a crate: the workflow's engine, the commands of docmt, and their libraries."""

from collections.abc import Mapping
from typing import Any

from docmt.base.digests import digest
from docmt.base.machine import installed_version
from docmt.provenance.artifacts import RunArtifact
from docmt.provenance.entities import Graph, Reference

ADDRESSES = {
    "python": "https://docs.python.org/release/{version}/",
    "cuda": "https://developer.nvidia.com/cuda-toolkit#{version}",
    "cudnn": "https://developer.nvidia.com/cudnn#{version}",
}
"""The addresses of software that is not on PyPI."""
PYPI = "https://pypi.org/project/{name}/{version}/"


def address_of(name: str, version: str) -> str:
    """Return the address of a version of a library. A local version, such as `+cpu`, is the fragment.

    >>> address_of("torch", "2.1.0+cpu")
    'https://pypi.org/project/torch/2.1.0/#cpu'
    """
    public, plus, local = version.partition("+")
    return ADDRESSES.get(name, PYPI).format(name=name, version=public) + (f"#{local}" if plus else "")


def library(graph: Graph, name: str, version: str) -> Reference:
    """Add a library, and return a reference to it."""
    address = address_of(name, version)
    return graph.add(address, "SoftwareApplication", name=name, softwareVersion=version, url=address)


def engine(graph: Graph) -> Reference:
    """Add the installed Snakemake, and return a reference to it."""
    return library(graph, "snakemake", installed_version("snakemake"))


def tool(graph: Graph, artifact: RunArtifact, address: str | None) -> Reference:
    """Add the command that wrote an artifact with the versions that its record states, and return a reference.

    `address`: where others get the code of docmt.
    """
    command, facts = artifact.recipe.step, _software(artifact.record)
    version = facts["versions"].get("docmt", "unknown")
    commit = facts["commit"]
    libraries = {name: value for name, value in facts["versions"].items() if name != "docmt" and value is not None}
    return graph.add(
        f"{address or ''}#command/{command}/{digest(facts)}",
        "SoftwareSourceCode",
        name=f"docmt, step {command}",
        version=f"{version}, commit {commit}" if commit else version,
        url=address,
        programmingLanguage=graph.add("https://www.python.org/", "ComputerLanguage", name="Python"),
        softwareRequirements=[library(graph, name, value) for name, value in sorted(libraries.items())],
    )


def _software(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the versions and the commit of a record."""
    return {"versions": dict(record.get("versions", {})), "commit": record.get("commit")}
