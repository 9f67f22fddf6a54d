"""The artifacts of a run as entities of a crate, with those of their files that may be in it."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from rocrate.model.entity import Entity
from rocrate.rocrate import ROCrate

from docmt.base.artifacts import write_json
from docmt.base.errors import UserError
from docmt.base.manifest import MANIFEST, RECORD, check_file
from docmt.base.paths import CHECKPOINT, COMPARISON, CORPUS, FRONT, PAGE, SCORES, SHEET, TRAINING, VECTORS
from docmt.base.recipe import GIVEN, JOB, StatedFile
from docmt.plan.links import LINKS
from docmt.plan.passing import may_pass
from docmt.provenance.artifacts import FinishedRun, RunArtifact
from docmt.provenance.entities import add, add_file

Part = Literal["data", "models"]
"""What a crate may have beside the results: the models, or the data, which are corpora, tokens and translations."""
OCCURRENCES = "occurrences.arrow"
"""The file of scores that quotes words of the source and of translations; it may be passed on where the latter may."""
OF_MODELS = (CHECKPOINT.stage, TRAINING.stage, VECTORS.stage)
"""The stages whose outputs are models."""
RESULTS_OF = {
    CORPUS.stage: (".json",),
    SCORES.stage: ("scores.json", "details.arrow"),
    COMPARISON.stage: (".json",),
    **dict.fromkeys((PAGE.stage, FRONT.stage, SHEET.stage), ("",)),
}
"""The endings of the names of the files that are results, by stage; every crate has them."""


@dataclass
class Outputs:
    """The artifacts of a run, in a crate.

    `place`: the folder of the crate. `included`: the parts that the crate has beside the results. `withheld`: why files
    are not in the crate, by their paths; what was not asked for is not among them.
    """

    crate: ROCrate
    run: FinishedRun
    place: Path
    included: Collection[Part] = ()
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
        """Add an output, after a check of its bytes."""
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
