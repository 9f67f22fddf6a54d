"""The artifacts of a run as entities of a crate: their files, which are in the crate or are references."""

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from docmt.base.digests import FileDigest, known_sha256
from docmt.base.errors import UserError
from docmt.base.manifest import check_file
from docmt.base.paths import CHECKPOINT, COMPARISON, CORPUS, REPORT, SCORES, TRAINING, VECTORS
from docmt.plan.inventory import stage_folder
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
    REPORT.stage: ("",),
}
"""The endings of the names of the files that are results, by stage; every crate has them."""


@dataclass
class Outputs:
    """The artifacts of a run, in a crate.

    `included`: the parts that the crate has beside the results. `withheld`: why files are not in the crate, by their
    paths; what was not asked for is not among them.
    """

    graph: Graph
    run: FinishedRun
    included: Collection[Part] = ()
    withheld: dict[str, str] = field(default_factory=dict)

    def add(self, artifact: RunArtifact) -> Reference:
        """Add an artifact with its files, and return a reference to it.

        Raises UserError where a file that goes into the crate differs from its manifest.
        """
        outputs = {name: file for name, file in artifact.files.items() if artifact.path(name) not in artifact.facts}
        files = [self._file(artifact, name, file) for name, file in sorted(outputs.items())]
        facts = [self._fact(artifact, path) for path in artifact.facts]
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

    def _fact(self, artifact: RunArtifact, path: str) -> Reference:
        """Add a manifest, a record or settings."""
        source = artifact.root / path
        return self.graph.add_file(source, path, sha256=known_sha256(source))

    def _file(self, artifact: RunArtifact, name: str, file: FileDigest) -> Reference:
        """Add an output, as a file of the crate or as a reference with its digest."""
        path, source = artifact.path(name), artifact.root / artifact.path(name)
        reason = self._reason(artifact, name)
        if self._is_wanted(artifact, name) and reason is None:
            self._check(source)
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
        translations = artifact.reads.get("translations")
        job = translations if translations and name == OCCURRENCES else artifact.job
        return may_pass(self.run.planner.jobs, job)

    def _is_wanted(self, artifact: RunArtifact, name: str) -> bool:
        """Return whether a file is a result, an output of the target itself, or among the parts that were asked for."""
        stage = stage_folder(artifact.job)
        part = "models" if stage in OF_MODELS else "data"
        is_result = name.endswith(RESULTS_OF.get(stage, ())) or artifact.job in self.run.jobs
        return is_result or part in self.included

    @staticmethod
    def _check(source: Path) -> None:
        """Raise UserError where a file is missing, or differs from its manifest."""
        if not source.is_file():
            raise UserError(
                "the file is missing", where=str(source), remedy="run snakemake again, which makes it again"
            )
        check_file(source)
