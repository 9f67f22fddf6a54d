"""`results/scores.parquet`: one table of every score of every study, with a row for each score of a run.

The table is for notebooks. It has the numbers of the pages, and more: each metric that a run was scored with, at every
scale of which there are scores. A run of several studies has rows in each of them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from docmt.base.artifacts import read_object_if_there
from docmt.base.errors import UserError
from docmt.base.foreign import explained
from docmt.base.manifest import Manifest, manifest_or_none
from docmt.base.paths import RESULTS, SCORES, TRAINING
from docmt.plan.jobs import Job
from docmt.plan.planning import Planner
from docmt.plan.run import SCALES, grid_of_run
from docmt.settings.scores_of_run import scores_of_run
from docmt.settings.system import Entry

COLLECTED = f"{RESULTS}/scores.parquet"
"""The table of all scores, which no rule declares: it is of all studies, and each run writes it again at its end."""

COLUMNS = {
    **dict.fromkeys(("study", "scale", "corpus", "system"), "string"),
    "seed": "int64",
    **dict.fromkeys(("text", "metric"), "string"),
    **dict.fromkeys(("value", "low", "high"), "double"),
    "signature": "string",
    "n": "int64",
    "lower_is_better": "bool",
    **dict.fromkeys(("identity", "state"), "string"),
}
"""The columns of the table with their types.

`text` is "translations", or "reference" for the scores of the reference, which a run computes beside those of its
translations by metrics that need no other text. `identity` is that of the scores, which their manifest states. `state`
is `right` for scores that are what is asked for now, `other` for those that the next run would make again, and
`unknown` where a file that decides it is missing.
"""


def write_scores(rows: Iterable[dict[str, Any]], output: Path) -> int:
    """Write rows of scores as a table in Parquet, and return their number; a reader sees the old table or the new."""
    # The imports take a tenth of a second, which jobs that only read the rules need not wait for.
    import pyarrow as pa

    from docmt.base.tables import write_parquet

    schema = pa.schema([(name, pa.type_for_alias(kind)) for name, kind in COLUMNS.items()])
    table = pa.Table.from_pylist(list(rows), schema)
    write_parquet(output, table)
    return table.num_rows


def collect_after_run(planner: Planner, root: Path, config: dict[str, Any]) -> Iterator[str]:
    """Write the table at the end of a run, and yield a line about a problem.

    `planner`: that of the run. `root`: the folder of config.yaml, of which `config` overrides keys. No table is
    written where nothing is scored.
    """
    try:
        rows = list(scores_of_project(planner, root, config))
        if rows:
            write_scores(rows, Path(COLLECTED))
    except Exception as problem:
        error = explained(problem)
        if error is None:
            raise
        yield f"{COLLECTED} was not written: {error}"


def scores_of_project(planner: Planner, root: Path, config: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a row for each score below the present folder, scale by scale, study by study.

    `planner`: that of a scale. `root`: the folder of config.yaml, for the other scales; `config` overrides its keys.
    Scores of a scale without a file in `workflow/scales` are left out, as are those of systems that no study has.
    Raises UserError for wrong settings.
    """
    clone = Path(planner.jobs.grid.clone)
    for folder in sorted(Path(RESULTS, SCORES.stage).glob("*")):
        if folder.name == planner.jobs.grid.scale:
            yield from _of_scale(planner)
        elif (clone / SCALES / f"{folder.name}.yaml").exists():
            yield from _of_scale(Planner(grid_of_run(root, {**config, "scale": folder.name}, clone)))


def _of_scale(planner: Planner) -> Iterator[dict[str, Any]]:
    """Yield a row for each score of the systems of a planner's grid, below the present folder."""
    grid = planner.jobs.grid
    for study in sorted(grid.studies):
        for entry in grid.of_study(study):
            for seed in entry.seeds:
                yield from _rows(planner, entry, seed)


def _rows(planner: Planner, entry: Entry, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of a run; none without scores, and none for scores that are incomplete or damaged."""
    scale = planner.jobs.grid.scale
    names = {"scale": scale, "corpus": entry.corpus, "seed": seed}
    job = Job.of("scores", **names, system=entry.scored)
    manifest = manifest_or_none(Path(job.manifest))
    scores = read_object_if_there(Path(job.folder, "scores.json"), "decoding") if manifest else None
    state = _state(planner, job) if scores else None
    if manifest is None or scores is None or state is None:
        return
    trained = TRAINING.at(**names, system=entry.trained) if entry.trained else None
    record = read_object_if_there(Path(trained, "record.json")) if trained else None
    run = {"study": entry.study, "scale": scale, "corpus": entry.corpus, "system": entry.system.name, "seed": seed}
    for text, content, logged in (("translations", scores, record), ("reference", scores.get("reference", {}), None)):
        for score in scores_of_run(content, logged):
            yield {**run, "text": text, **asdict(score), "identity": _identity(manifest), "state": state}


def _identity(manifest: Manifest) -> str:
    """Return the identity of scores; empty for scores of a command outside the workflow, which has none."""
    return manifest.identity or ""


def _state(planner: Planner, job: Job) -> str | None:
    """Return the state of scores as the table has it; None for scores that are incomplete or damaged."""
    try:
        name = planner.states.of(job).name
    except UserError:
        return "unknown"
    if name in ("incomplete", "damaged"):
        return None
    return name if name == "right" else "other"
