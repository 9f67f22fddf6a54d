"""The run as entities of a crate: an action for each artifact, and one for the whole run."""

from collections.abc import Mapping
from urllib.parse import quote

from rocrate.model.entity import Entity
from rocrate.rocrate import ROCrate

from docmt.base.clone import CONFIG
from docmt.base.recipe import JOB
from docmt.catalogue.missing import is_remote
from docmt.grid.grid import Grid
from docmt.provenance.artifacts import FinishedRun, RunArtifact
from docmt.provenance.entities import COMPLETED, add
from docmt.provenance.outputs import Outputs

ABOUT_LICENCE = "The licence as the catalogue of docmt states it."
CLOSED = "the text may not be passed on; the licence says how it can be had"


def add_jobs(outputs: Outputs, agent: Entity | None) -> dict[str, Entity]:
    """Add all artifacts with the actions that wrote them, inputs first; return the artifacts by their folders.

    `agent`: who ran the workflow. The recipe, the manifest and the record in the folder of an artifact state the
    settings, the digests, the machine and the versions of libraries.
    """
    crate, run, artifacts = outputs.crate, outputs.run, dict[str, Entity]()
    for folder, artifact in run.artifacts.items():
        artifacts[folder] = outputs.add(artifact)
        step, record = artifact.recipe.step, artifact.record
        inputs = [artifacts[path] for path in map(str, artifact.recipe.inputs.values()) if path in artifacts]
        if step == "corpus":
            name = run.plan.grid.corpus_in(run.job_of[folder].names["corpus"], artifact.name)
            inputs.append(_corpus(crate, run.plan.grid, name))
        action = add(
            crate,
            f"#action/{artifact.name}",
            "CreateAction",
            name=f"{step}: {artifact.name}",
            description=f"The step {step} of the workflow, with the parameters that {JOB} has.",
            instrument=_program(crate, artifact),
            agent=agent,
            startTime=record["began"],
            endTime=record["finished"],
            object=[*inputs, crate.get(quote(f"{folder}/{JOB}"))],
            result=artifacts[folder],
            actionStatus=COMPLETED,
        )
        crate.root_dataset.append_to("mentions", [artifacts[folder], action])
    return artifacts


def add_run(crate: ROCrate, run: FinishedRun, artifacts: Mapping[str, Entity], agent: Entity | None) -> None:
    """Add the action of the workflow, from its settings to the artifacts of the target."""
    records = [artifact.record for artifact in run.artifacts.values()]
    action = add(
        crate,
        "#run",
        "CreateAction",
        name=f"snakemake {run.target}",
        description="The run of the workflow that made the target.",
        instrument=crate.mainEntity,
        object=crate.get(CONFIG),
        result=[artifacts[folder] for folder in run.folders],
        agent=agent,
        startTime=min(str(record["began"]) for record in records),
        endTime=max(str(record["finished"]) for record in records),
        actionStatus=COMPLETED,
    )
    crate.root_dataset.append_to("mentions", action)


def add_licence(crate: ROCrate, name: str, about: str) -> Entity:
    """Add a licence by its name or address."""
    address = name if is_remote(name) else None
    identifier = address or f"#licence/{quote(name, safe='')}"
    return add(crate, identifier, "CreativeWork", name=name, description=about, url=address)


def _program(crate: ROCrate, artifact: RunArtifact) -> Entity:
    """Add the docmt that wrote an artifact, by the version and the commit that its record states."""
    version, commit = artifact.record.get("versions", {}).get("docmt", "unknown"), artifact.record.get("commit")
    stated = f"{version}, commit {commit}" if commit else version
    return add(crate, f"#docmt/{quote(stated)}", "SoftwareApplication", name="docmt", softwareVersion=stated)


def _corpus(crate: ROCrate, grid: Grid, name: str) -> Entity:
    """Add a corpus of the catalogue: what it is, and under which licence."""
    corpus = grid.corpus_at_scale(name)
    return add(
        crate,
        f"#corpus/{name}",
        "CreativeWork",
        name=name,
        description=corpus.about,
        citation=corpus.citation,
        license=add_licence(crate, corpus.licence, ABOUT_LICENCE),
        inLanguage=[*corpus.languages],
        conditionsOfAccess=None if corpus.may_pass_on == "everything" else CLOSED,
    )
