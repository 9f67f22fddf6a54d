"""The comparison of artifacts that were made again with those of a first run: the first that differs, and the scores.

Two runs of one identity may have another content: on another processor, with another number of threads, or with other
versions of libraries. Then scores are compared.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from docmt.base.errors import UserError
from docmt.base.manifest import MANIFEST
from docmt.base.recipe import read_recipe
from docmt.provenance.artifacts import RunArtifact
from docmt.provenance.expectations import first_file, questions, reasons_for_other_bits
from docmt.provenance.spread import DETAILS, ScoreCheck, check_scores

State = Literal["equal", "another content", "follows", "other question", "not compared"]
"""The state of an artifact that was made again.

`equal`: equal bytes, but for times and speeds in pages. `another content`: other bytes. `follows`: made from another
content of an input. `other question`: made from other settings or files, or by another version of the step. `not
compared`: one of the runs does not have it.
"""


@dataclass(frozen=True)
class ComparedArtifact:
    """An artifact that was made again. `why` says what differs; `reasons`: what was other when it was made."""

    artifact: str
    state: State
    why: str = ""
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reproduction:
    """The comparison of a target.

    `artifacts` are in the order of the work. `scores`: the checks of scores, where bytes differ, by the artifact.
    """

    artifacts: tuple[ComparedArtifact, ...]
    scores: Mapping[str, tuple[ScoreCheck, ...]]

    @property
    def first(self) -> ComparedArtifact | None:
        """The first artifact of another question or, where there is none, the first with another content."""
        states = (("other question",), ("another content", "follows"))
        return next((item for wanted in states for item in self.artifacts if item.state in wanted), None)

    @property
    def counts(self) -> dict[str, int]:
        """The number of artifacts by state."""
        return dict(Counter(artifact.state for artifact in self.artifacts))

    @property
    def checks(self) -> list[ScoreCheck]:
        """All checks of scores."""
        return [check for checks in self.scores.values() for check in checks]

    @property
    def is_reproduced(self) -> bool:
        """Whether all contents are equal, or all scores are within their ranges."""
        if self.first is None or self.first.state == "other question":
            return self.first is None
        return bool(self.checks) and all(check.is_within for check in self.checks)

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as a JSON object."""
        checks = {name: [{**vars(c), "is_within": c.is_within} for c in of] for name, of in self.scores.items()}
        return {
            "reproduced": self.is_reproduced,
            "counts": self.counts,
            "first": self.first and asdict(self.first),
            "artifacts": [*map(asdict, self.artifacts)],
            "scores": checks,
        }


def compare(folders: Iterable[str], first_run: Path, present: Path) -> Reproduction:
    """Compare artifacts below the folder `present` with those of a first run, or of an unpacked crate.

    `folders`: those of the artifacts, in the order of the work. Raises UserError where a file of docmt is damaged.
    """
    pairs = {folder: (first_artifact(first_run, folder), RunArtifact.read(present, folder)) for folder in folders}
    compared = tuple(_compared(folder, before, now) for folder, (before, now) in pairs.items())
    scores = {}
    for artifact in compared:
        before, now = pairs[artifact.artifact]
        if artifact.state in ("another content", "follows") and before and now and now.recipe.step == "scores":
            scores[artifact.artifact] = tuple(_scores(before, now))
    return Reproduction(compared, scores)


def first_artifact(first_run: Path, folder: str) -> RunArtifact | None:
    """Return the artifact of a first run; one of another identity where its place has no other.

    Other libraries, or another version of docmt, give other identities.
    """
    artifact = RunArtifact.read(first_run, folder)
    others = [*(first_run / folder).parent.glob(f"*/{MANIFEST}")] if artifact is None else []
    if len(others) == 1:
        return RunArtifact.read(first_run, others[0].parent.relative_to(first_run).as_posix())
    return artifact


def check_first_run(folders: Iterable[str], first_run: Path) -> None:
    """Raise UserError where a first run does not have the artifacts of a target."""
    for folder in folders:
        if first_artifact(first_run, folder) is None:
            raise UserError(
                "the first run does not have this target",
                where=str(first_run),
                expected=folder,
                remedy="make the target with snakemake first, or name a crate of it with --crate",
            )


def _compared(folder: str, before: RunArtifact | None, now: RunArtifact | None) -> ComparedArtifact:
    """Compare an artifact of the first run with that of this run, but for files with facts of the run."""
    if before is None or now is None:
        where = "the first run" if before is None else "this run"
        return ComparedArtifact(folder, "not compared", f"{where} does not have it")
    asked = questions(before.recipe, now.recipe)
    if asked:
        return ComparedArtifact(folder, "other question", "; ".join(asked))
    reasons = tuple(reasons_for_other_bits(before.record, now.record))
    why = first_file(before, now)
    if why is None:
        return ComparedArtifact(folder, "equal", reasons=reasons)
    read = [{role: content.content for role, content in item.manifest.inputs.items()} for item in (before, now)]
    return ComparedArtifact(folder, "another content" if read[0] == read[1] else "follows", why, reasons)


def _scores(before: RunArtifact, now: RunArtifact) -> Iterable[ScoreCheck]:
    """Return the checks of the scores of a run, with those of the first runs of all of its seeds."""
    seeds = [before.root / before.folder / DETAILS]
    for path in sorted((before.root / before.folder).parents[1].glob(f"*/*/{DETAILS}")):
        other = read_recipe(path.parent)
        if path not in seeds and _without_seed(other.settings) == _without_seed(before.recipe.settings):
            seeds.append(path)
    return check_scores(seeds[0], now.root / now.folder / DETAILS, seeds)


def _without_seed(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name != "seed"}
