"""The run as entities of a crate: its artifacts, with those of their files that may be in it, and its actions."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from rocrate.model.entity import Entity
from rocrate.rocrate import ROCrate

from docmt.base.artifacts import write_json
from docmt.base.clone import CONFIG
from docmt.base.errors import UserError
from docmt.base.manifest import MANIFEST, RECORD, check_file
from docmt.base.paths import CHECKPOINT, COMPARISON, CORPUS, FRONT, PAGE, SCORES, SHEET, TRAINING, VECTORS
from docmt.base.recipe import GIVEN, JOB, StatedFile
from docmt.catalogue.missing import is_remote
from docmt.grid.grid import Grid
from docmt.plan.links import LINKS
from docmt.plan.passing import may_pass
from docmt.provenance.artifacts import FinishedRun, RunArtifact
from docmt.provenance.entities import COMPLETED, add, add_file

# What a crate may have beside the results: the models, or the data, which are corpora, tokens and translations.
Part = Literal["data", "models"]
# The file of scores that quotes words of the source and of translations; it may be passed on where the latter may.
OCCURRENCES = "occurrences.arrow"
OF_MODELS = (CHECKPOINT.stage, TRAINING.stage, VECTORS.stage)  # The stages whose outputs are models.
# The endings of the names of the files that are results, by stage; every crate has them.
RESULTS_OF = {
    CORPUS.stage: (".json",),
    SCORES.stage: ("scores.parquet", "scoring.json", "details.arrow"),
    COMPARISON.stage: (".json",),
    **dict.fromkeys((PAGE.stage, FRONT.stage, SHEET.stage), ("",)),
}


@dataclass
class Outputs:
    """The artifacts of a run, in a crate."""

    crate: ROCrate
    run: FinishedRun
    place: Path  # The folder of the crate.
    included: Collection[Part] = ()  # The parts that the crate has beside the results.
    # Why files are not in the crate, by their paths; what was not asked for is not among them.
    withheld: dict[str, str] = field(default_factory=dict)

    def add(self, artifact: RunArtifact) -> Entity:
        """Add an artifact with its files, and return its entity; its manifest and record state all other files.

        Raises UserError where a file that goes into the crate differs from its manifest.
        """
        facts = [self._file(artifact, name) for name in (MANIFEST, RECORD)] + [self._recipe(artifact)]
        files = [self._output(artifact, name) for name in sorted(artifact.files) if self._may_go(artifact, name)]
        return add(
            self.crate,
            f"#artifact/{artifact.name}",
            "Collection",
            name=artifact.name,
            identifier=[f"docmt-identity:{artifact.manifest.identity}", f"docmt-content:{artifact.manifest.content}"],
            hasPart=[*files, *facts],
            mainEntity=(files or facts)[0],
        )

    def _file(self, artifact: RunArtifact, name: str) -> Entity:
        path = f"{artifact.folder}/{name}"
        return add_file(self.crate, artifact.root / path, path)

    def _recipe(self, artifact: RunArtifact) -> Entity:
        """Add a recipe, without what it has of this place: hints of the run, and whole paths of the user's."""
        recipe = self.run.plan.recipe(self.run.job_of[artifact.folder])
        files = {
            role: StatedFile(GIVEN, file.digest) if Path(file.path).is_absolute() else file
            for role, file in recipe.files.items()
        }
        path = f"{artifact.folder}/{JOB}"
        write_json(self.place / path, replace(recipe, files=files, hints={}).to_json())
        return add_file(self.crate, self.place / path, path)

    def _output(self, artifact: RunArtifact, name: str) -> Entity:
        source = artifact.root / artifact.folder / name
        check_output_file(source)
        job = self.run.job_of[artifact.folder]
        if job.step in LINKS:  # once more where people open it, so that the links between pages lead somewhere
            add_file(self.crate, source, f"{Path(LINKS[job.step](**job.names)).parent}/{name}")
        return self._file(artifact, name)

    def _may_go(self, artifact: RunArtifact, name: str) -> bool:
        """Return whether an output goes into the crate: it is wanted, and licences allow to pass it on."""
        if not self._is_wanted(artifact, name):
            return False
        job = self.run.job_of[artifact.folder]
        if name == OCCURRENCES:
            job = self.run.plan.inputs(job).get("translations", job)
        reason = may_pass(self.run.plan, job)
        if reason is not None:
            self.withheld[f"{artifact.folder}/{name}"] = reason
        return reason is None

    def _is_wanted(self, artifact: RunArtifact, name: str) -> bool:
        """Return whether a file is a result, an output of the target itself, or among the parts that were asked for."""
        stage = artifact.name.partition("/")[0]
        part = "models" if stage in OF_MODELS else "data"
        is_result = name.endswith(RESULTS_OF.get(stage, ())) or artifact.folder in self.run.folders
        return is_result or part in self.included


def check_output_file(source: Path) -> None:
    """Raise UserError where a file is missing, or differs from its manifest."""
    if not source.is_file():
        remedy = "delete the manifest.json of its job and run snakemake again, which makes it again"
        raise UserError("the file is missing", where=str(source), remedy=remedy)
    check_file(source)


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
    version, commit = artifact.record.get("versions", {}).get("docmt", "unknown"), artifact.record.get("commit")
    stated = f"{version}, commit {commit}" if commit else version
    return add(crate, f"#docmt/{quote(stated)}", "SoftwareApplication", name="docmt", softwareVersion=stated)


def _corpus(crate: ROCrate, grid: Grid, name: str) -> Entity:
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
