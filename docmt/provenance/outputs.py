"""The artifacts of a run as entities of a crate: their files, which are in the crate or are references."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from docmt.base.artifacts import write_json
from docmt.base.digests import FileDigest
from docmt.base.errors import UserError
from docmt.base.manifest import MANIFEST, RECORD, check_file
from docmt.base.paths import CHECKPOINT, COMPARISON, CORPUS, FRONT, PAGE, SCORES, SHEET, TRAINING, VECTORS
from docmt.base.recipe import GIVEN, JOB, StatedFile
from docmt.plan.links import LINKS
from docmt.plan.passing import may_pass
from docmt.provenance.artifacts import FinishedRun, RunArtifact
from docmt.provenance.entities import Graph, Reference, media_type

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

    graph: Graph
    run: FinishedRun
    place: Path
    included: Collection[Part] = ()
    withheld: dict[str, str] = field(default_factory=dict)

    def add(self, artifact: RunArtifact) -> Reference:
        """Add an artifact with its files, and return a reference to it.

        Raises UserError where a file that goes into the crate differs from its manifest.
        """
        files = [self._file(artifact, name, file) for name, file in sorted(artifact.files.items())]
        facts = [self._fact(artifact, name) for name in (MANIFEST, RECORD)] + [self._recipe(artifact)]
        reference = self.graph.add(
            f"#artifact/{artifact.name}",
            "Collection",
            name=artifact.name,
            identifier=[f"docmt-identity:{artifact.manifest.identity}", f"docmt-content:{artifact.manifest.content}"],
            hasPart=[*files, *facts],
            mainEntity=(files or facts)[0],
        )
        self.graph.mention(reference)
        return reference

    def _fact(self, artifact: RunArtifact, name: str) -> Reference:
        """Add a manifest or a record."""
        path = f"{artifact.folder}/{name}"
        return self.graph.add_file(artifact.root / path, path)

    def _recipe(self, artifact: RunArtifact) -> Reference:
        """Add a recipe, without what it has of this place: hints of the run, and whole paths of the user's."""
        recipe = self.run.plan.recipe(self.run.job_of[artifact.folder])
        files = {
            role: StatedFile(GIVEN, file.digest) if Path(file.path).is_absolute() else file
            for role, file in recipe.files.items()
        }
        path = f"{artifact.folder}/{JOB}"
        write_json(self.place / path, replace(recipe, files=files, hints={}).to_json())
        return self.graph.add_file(self.place / path, path)

    def _file(self, artifact: RunArtifact, name: str, file: FileDigest) -> Reference:
        """Add an output, as a file of the crate or as a reference with its digest."""
        path = f"{artifact.folder}/{name}"
        source = artifact.root / path
        reason = self._reason(artifact, name)
        if self._is_wanted(artifact, name) and reason is None:
            self._check(source)
            job = self.run.job_of[artifact.folder]
            if job.step in LINKS:  # once more where people open it, so that the links between pages lead somewhere
                opened = Path(LINKS[job.step](**job.names)).parent
                self.graph.add_file(source, f"{opened}/{name}", sha256=file.sha256)
            return self.graph.add_file(source, path, sha256=file.sha256)
        if self._is_wanted(artifact, name):
            self.withheld[path] = str(reason)
        return self.graph.add(
            f"#file/{path}",
            "CreativeWork",
            name=path,
            sha256=file.sha256,
            contentSize=str(file.bytes),
            encodingFormat=media_type(name),
            conditionsOfAccess=reason,
        )

    def _reason(self, artifact: RunArtifact, name: str) -> str | None:
        """Return why licences forbid to pass a file on; None where they allow it."""
        job = self.run.job_of[artifact.folder]
        if name == OCCURRENCES:
            job = self.run.plan.inputs(job).get("translations", job)
        return may_pass(self.run.plan, job)

    def _is_wanted(self, artifact: RunArtifact, name: str) -> bool:
        """Return whether a file is a result, an output of the target itself, or among the parts that were asked for."""
        stage = artifact.name.partition("/")[0]
        part = "models" if stage in OF_MODELS else "data"
        is_result = name.endswith(RESULTS_OF.get(stage, ())) or artifact.folder in self.run.folders
        return is_result or part in self.included

    @staticmethod
    def _check(source: Path) -> None:
        """Raise UserError where a file is missing, or differs from its manifest."""
        if not source.is_file():
            remedy = "delete the manifest.json of its job and run snakemake again, which makes it again"
            raise UserError("the file is missing", where=str(source), remedy=remedy)
        check_file(source)
