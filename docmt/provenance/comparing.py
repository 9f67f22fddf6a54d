"""The comparison of artifacts that were made again with those of a first run: the first that differs, and the scores.

Two runs of one identity may have another content: on another processor, with another number of threads, or with other
versions of libraries. Then scores are compared: a score that was made again is to be within the spread of seeds, or
within the interval of the first score.

Two runs never agree on files whose content has facts of the run, such as times and speeds.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean, stdev
from typing import Any, Literal

from docmt.base.artifacts import read_object
from docmt.base.errors import UserError, in_line
from docmt.base.foreign import reading
from docmt.base.manifest import MANIFEST
from docmt.base.recipe import Recipe, read_recipe
from docmt.plan.changes import Difference, changes, differences
from docmt.provenance.artifacts import RunArtifact
from docmt.scoring.intervals import LEVEL, score_of
from docmt.scoring.tallies import Tally, read_tallies
from docmt.settings.metric import ROUNDING
from docmt.settings.metrics import base_of

DETAILS = "details.arrow"  # The file with the summands of scores, beside scores.parquet.
FEWEST_SEEDS = 2  # The smallest number of seeds that have a spread.


@dataclass(frozen=True)
class ScoreCheck:
    """A score that was made again."""

    name: str
    before: float
    now: float
    # `low`, `high`: the range in which the new score is expected; None where no range is known.
    low: float | None
    high: float | None
    basis: str  # Where the range comes from.

    @property
    def is_within(self) -> bool:
        """Whether the score is in its range; a score without a range must be equal."""
        if self.low is None or self.high is None:
            return self.before == self.now or (math.isnan(self.before) and math.isnan(self.now))
        return self.low - ROUNDING <= self.now <= self.high + ROUNDING

    def __str__(self) -> str:
        """Return the line of the command."""
        places = f"{self.low:.2f} to {self.high:.2f}" if self.low is not None else "equal"
        verdict = "within" if self.is_within else "outside"
        return f"{self.name}: {self.before:.2f}, now {self.now:.2f}, {verdict} {places} ({self.basis})"


def check_scores(before: Path, now: Path, of_seeds: Sequence[Path]) -> Iterator[ScoreCheck]:
    """Yield a check of each score of a run.

    `before`, `now`: the files with the summands of the scores, of the first run and of the run that was made again.
    `of_seeds`: the files of the first runs of all seeds of the same system, `before` among them. Raises UserError where
    a file is missing or damaged.
    """
    again = {tally.name: tally for tally in read_tallies(now)}
    seeds = [{tally.name: tally.score for tally in read_tallies(path)} for path in of_seeds]
    for tally in read_tallies(before):
        name = tally.name
        if name in again:
            values = [scores[name] for scores in seeds if name in scores]
            low, high, basis = expected_range(tally, values)
            yield ScoreCheck(name, tally.score, again[name].score, low, high, basis)


def expected_range(tally: Tally, values: Sequence[float]) -> tuple[float | None, float | None, str]:
    """Return the range in which the score of a further run is expected, and where the range comes from.

    `values`: the scores of the first runs of all seeds.
    """
    if len(values) >= FEWEST_SEEDS:
        from scipy.stats import t

        # The interval of prediction of Student's t for one more run: mean ± t s √(1 + 1/n), for the standard deviation
        # s of n seeds.
        width = t.ppf(0.5 + LEVEL / 200, len(values) - 1) * stdev(values) * math.sqrt(1 + 1 / len(values))
        return mean(values) - width, mean(values) + width, f"the spread of {len(values)} seeds"
    score = score_of(tally)
    if score.interval is None:
        return None, None, "one seed, and one unit of the test set: no range is known"
    # The bootstrap interval of the score over the units of the test set.
    return score.low, score.high, f"one seed: the {LEVEL} % interval over {tally.unit}"


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
    """Return the artifact of a first run; one of another identity where its place has no other."""
    artifact = RunArtifact.read(first_run, folder)
    others = [*(first_run / folder).parent.glob(f"*/{MANIFEST}")] if artifact is None else []
    # Other libraries, or another version of docmt, give other identities.
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


MOST_VALUES = 3  # The largest number of values that a sentence names.
# The devices of records on which equal libraries give equal bits; jobs without a device compute on the processor.
CPU = (None, "cpu")


def questions(before: Recipe, now: Recipe) -> list[str]:
    """Return what differs between what was asked of two jobs, but for their inputs and the versions of libraries."""
    return _first(each for each in changes(before, now) if each.kind not in ("library", "input"))


def reasons_for_other_bits(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return why two runs of a job may give other bytes: the device, the processor, its threads, the libraries."""
    on_cpu = all(record.get("device") in CPU for record in (before, now))
    devices = [] if on_cpu else [f"the device was {before.get('device')}, is {now.get('device')}"]
    return devices + _phrases(_facts(before), _facts(now))


def first_file(before: RunArtifact, now: RunArtifact) -> str | None:
    """Return a sentence about the first file that differs between two artifacts; None where no file does."""
    # Files with facts of the run are left out.
    files, others = (
        {name: file for name, file in artifact.manifest.files.items() if not is_of_run(now.recipe, name)}
        for artifact in (before, now)
    )
    for name, file in sorted(files.items()):
        if name not in others:
            return f"{name} is missing"
        if others[name].sha256 != file.sha256:
            return "; ".join([f"{name} differs", *_values(before, now, name)])
    more = sorted(others.keys() - files.keys())
    return f"{more[0]} was not there before" if more else None


def _facts(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts of a record on which the bytes of a result on a processor depend."""
    versions = {f"the version of {name}": value for name, value in record.get("versions", {}).items()}
    stated = {f"the number of {name}": record[name] for name in ("threads", "ranks") if name in record}
    return {"the processor": record.get("hardware", {}).get("processor"), **stated, **versions}


def _values(before: RunArtifact, now: RunArtifact, name: str) -> Iterator[str]:
    if name.endswith(".json"):
        paths = [artifact.root / artifact.folder / name for artifact in (before, now)]
        with suppress(UserError), reading(paths[0], "not values that can be compared"):
            yield from _first(_phrases(*map(read_object, paths)))


def _phrases(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    pairs = differences(before, now).items()
    return [f"{in_line(name)} was {in_line(str(then))}, is {in_line(str(other))}" for name, (then, other) in pairs]


def _first(phrases: Iterable[str | Difference]) -> list[str]:
    texts = [str(phrase) for phrase in phrases]
    more = len(texts) - MOST_VALUES
    return texts[:MOST_VALUES] + ([f"... and {more} more values"] if more > 0 else [])


PAGES = ("page", "front")  # The steps whose HTML states the times and speeds of trainings.
HTML = ".html"
OF_RUN = {"speed", "hours"}  # A metric and a horizontal axis that are facts of the run.


def is_of_run(recipe: Recipe, name: str) -> bool:
    """Return whether an output of a job has facts of the run. The numbers of a page are in its JSON and CSV."""
    if recipe.step not in PAGES:
        return False
    return name.endswith(HTML) or bool(
        recipe.settings["item"] and OF_RUN.intersection(_words(recipe.settings["study"]))
    )


def _words(value: Any) -> Iterator[str]:
    """Yield the texts of settings, metrics without their variants."""
    if isinstance(value, str):
        yield base_of(value)
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _words(part)
