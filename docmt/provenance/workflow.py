"""The workflow as entities of a crate: the Snakefile with its steps, the settings of the run, and their files."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from docmt.base.clone import CONFIG, WORKFLOW, clone_of, settings_folder
from docmt.base.credentials import refuse_credentials
from docmt.base.untrusted import is_inside
from docmt.base.version import VERSION
from docmt.grid.main_config import MainConfig, load_main_config
from docmt.provenance.entities import Graph, Reference

SNAKEFILE = "Snakefile"
FOLDERS = (WORKFLOW, "profiles", "envs", "slurm")
"""The folders of a project whose files are the workflow and its settings."""
BIOSCHEMAS = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"
LANGUAGE = "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"


def workflow_files(root: Path, config: MainConfig) -> Iterator[tuple[str, Path]]:
    """Yield the files of a project that a run needs, always in one order: their paths in a project, and their places.

    What the folder `root` lacks is in its clone. The user's studies and corpora are among the files, where they are
    inside the project.
    """
    settings, clone = settings_folder(root), clone_of(root)
    yield from ((SNAKEFILE, _in(root, clone, SNAKEFILE)), (CONFIG, settings / CONFIG))
    for folder in FOLDERS:
        place = _in(root, clone, folder)
        files = sorted(path.relative_to(place) for path in place.rglob("*") if path.is_file())
        yield from ((f"{folder}/{path.as_posix()}", place / path) for path in files if "__pycache__" not in path.parts)
    stated = [Path(path) for path in (*config.corpora, *config.studies) if path.endswith(".yaml")]
    yield from ((path, settings / path) for path in sorted(map(str, stated)) if is_inside(path))


def _in(root: Path, clone: Path, name: str) -> Path:
    """Return the place of a file or folder: in the folder `root`, or else in the clone."""
    return root / name if (root / name).exists() else clone / name


def main_config(root: Path, overrides: Mapping[str, Any]) -> MainConfig:
    """Return config.yaml of a project with the overrides of the command line."""
    return load_main_config(settings_folder(root), dict(overrides))[0]


def add_workflow(graph: Graph, root: Path, config: MainConfig, address: str | None, version: str) -> Reference:
    """Add the Snakefile as the main workflow, and the files that it needs; return a reference to it.

    `config`: the settings of the run. `address`: where others get the code. `version`: the version of Snakemake. Raises
    UserError for a file with an address that has credentials, such as a script of the user's.
    """
    snakemake = "https://snakemake.readthedocs.io"
    language = graph.add(LANGUAGE, "ComputerLanguage", name="Snakemake", version=version, url=snakemake)
    files = dict(workflow_files(root, config))
    workflow = graph.add_file(files[SNAKEFILE], SNAKEFILE)
    graph.crate.get(SNAKEFILE)._jsonld["@type"] = ["File", "SoftwareSourceCode", "ComputationalWorkflow", "HowTo"]
    about = {"@id": graph.add(BIOSCHEMAS, "CreativeWork", name="ComputationalWorkflow", version="1.0-RELEASE")["@id"]}
    graph.extend(
        workflow, name="docmt", version=VERSION, programmingLanguage=language, conformsTo=about, license=LICENCE_OF_CODE
    )
    if address:
        graph.extend(workflow, url=address)
    for path, place in files.items():
        refuse_credentials(place.read_text(encoding="utf-8", errors="replace"), path)
        graph.add_file(place, path)
    graph.root["mainEntity"] = workflow
    return workflow


LICENCE_OF_CODE = "https://www.apache.org/licenses/LICENSE-2.0"


def add_steps(graph: Graph, workflow: Reference, tools: Mapping[str, Sequence[Reference]]) -> dict[str, Reference]:
    """Add the steps in the order of the work; return a reference to each by its name. `tools`: the commands of each."""
    steps = {
        step: graph.add(f"#step/{step}", "HowToStep", name=step, position=str(number), workExample=list(commands))
        for number, (step, commands) in enumerate(tools.items(), 1)
    }
    parts = [*{tool["@id"]: tool for commands in tools.values() for tool in commands}.values()]
    graph.extend(workflow, step=[*steps.values()], hasPart=parts)
    return steps


def add_inputs(graph: Graph, workflow: Reference, overrides: Mapping[str, Any]) -> list[Reference]:
    """Add the settings of the run as parameters of the workflow, with their values; return references to the values.

    `overrides`: the values of keys of config.yaml that the command line gave.
    """
    config = {"@id": CONFIG}
    values = [graph.value(key, value, identifier=f"#config/{key}") for key, value in sorted(overrides.items())]
    names = ["config.yaml", *sorted(overrides)]
    kinds = ["File", *("PropertyValue" for _ in overrides)]
    parameters = [
        _parameter(graph, f"#input/{name}", name, kind, value)
        for name, kind, value in zip(names, kinds, [config, *values], strict=True)
    ]
    graph.extend(workflow, input=parameters)
    return [config, *values]


def add_outputs(graph: Graph, workflow: Reference, results: Mapping[str, Reference]) -> None:
    """Add the artifacts of the target as outputs of the workflow; `results`: a reference to each, by its name."""
    outputs = [
        _parameter(graph, f"#output/{name}", name, "Collection", result) for name, result in sorted(results.items())
    ]
    graph.extend(workflow, output=outputs)


def _parameter(graph: Graph, identifier: str, name: str, kind: str, value: Reference) -> Reference:
    """Add a parameter of the workflow, which refers to its value, and the reference back."""
    parameter = graph.add(identifier, "FormalParameter", name=name, additionalType=kind, workExample=value)
    graph.extend(value, exampleOfWork=parameter)
    return parameter
