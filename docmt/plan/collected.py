"""`results/scores.parquet`: one table of every score of every study, with a row for each score of a run.

The table is for notebooks. It has the numbers of the pages, and more: each metric that a run was scored with, at every
scale of which there are scores. A run of several studies has rows in each of them.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from docmt.base.artifacts import read_object, read_object_if_there, recorded, write_json
from docmt.base.errors import UserError
from docmt.base.foreign import explained
from docmt.base.manifest import MANIFEST, Manifest, normal_path, read_manifest
from docmt.base.paths import RESULTS, SCORES, TRAINING
from docmt.plan.plan import Job
from docmt.plan.planning import Planner
from docmt.plan.run import SCALES, grid_of_run
from docmt.settings.scores_of_run import scores_of_run
from docmt.settings.system import Entry

COLLECTED = f"{RESULTS}/scores.parquet"
"""The table of all scores, which no rule declares: it is of all studies, and each run writes it again at its end."""
OF_TABLE = f"{RESULTS}/scores.{MANIFEST}"
"""The manifest of this table, which is the output of no job."""
Skip = Callable[[UserError], object]
"""A function that gets the reason why the scores of a run are left out."""

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
    """Write rows of scores as a table in Parquet, and return their number; a reader sees the old table or the new.

    The table `results/scores.parquet` gets a manifest, by which readers check its bytes.
    """
    # The imports take a tenth of a second, which jobs that only read the rules need not wait for.
    import pyarrow as pa

    from docmt.base.tables import write_parquet

    schema = pa.schema([(name, pa.type_for_alias(kind)) for name, kind in COLUMNS.items()])
    table = pa.Table.from_pylist(list(rows), schema)
    output = normal_path(output)
    is_of_results = output.name == Path(COLLECTED).name and output.parent.name == RESULTS
    manifest = output.parent / Path(OF_TABLE).name
    with recorded(output.parent) as recorder:
        recorder.before_writing = (manifest,) if is_of_results else ()
        write_parquet(output, table)
    if is_of_results:
        files = {output.name: recorder.files[output]}
        write_json(manifest, Manifest(None, "collect-scores", files=files).to_json())
    return table.num_rows


def collect_after_run(planner: Planner, root: Path, config: dict[str, Any]) -> Iterator[str]:
    """Write the table at the end of a run, and yield a line about each problem.

    `planner`: that of the run. `root`: the folder of config.yaml, of which `config` overrides keys. No table is
    written where nothing is scored.
    """
    skipped: list[UserError] = []
    try:
        rows = list(scores_of_project(planner, root, config, skipped.append))
        if rows:
            write_scores(rows, Path(COLLECTED))
    except Exception as problem:
        error = explained(problem)
        if error is None:
            raise
        yield f"{COLLECTED} was not written: {error}"
    yield from (f"not in {COLLECTED}: {line}" for line in lines_about(skipped))


def lines_about(skipped: Iterable[UserError]) -> list[str]:
    """Return a line about each run whose scores are left out; several studies may have the run."""
    return list(dict.fromkeys(f"{problem.where}: {problem.what}" for problem in skipped))


def scores_of_project(planner: Planner, root: Path, config: dict[str, Any], skip: Skip) -> Iterator[dict[str, Any]]:
    """Yield a row for each score below the present folder, scale by scale, study by study.

    `planner`: that of a scale. `root`: the folder of config.yaml, for the other scales; `config` overrides its keys.
    `skip` gets the reason where the scores of a run are incomplete or damaged.
    Scores of a scale without a file in `workflow/scales` are left out, as are those of systems that no study has.
    Raises UserError for wrong settings.
    """
    clone = Path(planner.jobs.grid.clone)
    for folder in sorted(Path(RESULTS, SCORES.stage).glob("*")):
        if folder.name == planner.jobs.grid.scale:
            yield from _of_scale(planner, skip)
        elif (clone / SCALES / f"{folder.name}.yaml").exists():
            yield from _of_scale(Planner(grid_of_run(root, {**config, "scale": folder.name}, clone)), skip)


def _of_scale(planner: Planner, skip: Skip) -> Iterator[dict[str, Any]]:
    """Yield a row for each score of the systems of a planner's grid, below the present folder."""
    grid = planner.jobs.grid
    for study in sorted(grid.studies):
        for entry in grid.of_study(study):
            for seed in entry.seeds:
                try:
                    yield from _rows(planner, entry, seed)
                except UserError as problem:
                    skip(problem)


def _rows(planner: Planner, entry: Entry, seed: int) -> list[dict[str, Any]]:
    """Return the rows of a run; none without scores. Raises UserError for scores that are incomplete or damaged."""
    scale = planner.jobs.grid.scale
    names = {"scale": scale, "corpus": entry.corpus, "seed": seed}
    job = Job.of("scores", **names, system=entry.scored)
    path = Path(job.folder, "scores.json")
    if not path.exists() and not Path(job.manifest).exists():
        return []
    manifest, scores, state = read_manifest(Path(job.manifest)), read_object(path, "decoding"), _state(planner, job)
    trained = TRAINING.at(**names, system=entry.trained) if entry.trained else None
    record = read_object_if_there(Path(trained, "record.json")) if trained else None
    run = {"study": entry.study, "scale": scale, "corpus": entry.corpus, "system": entry.system.name, "seed": seed}
    # Scores of a command outside the workflow have no identity.
    facts = {"identity": manifest.identity or "", "state": state}
    contents = (("translations", scores, record), ("reference", scores.get("reference", {}), None))
    return [
        {**run, "text": text, **asdict(score), **facts}
        for text, content, logged in contents
        for score in scores_of_run(content, logged)
    ]


def _state(planner: Planner, job: Job) -> str:
    """Return the state of scores as the table has it. Raises UserError for scores that are incomplete or damaged."""
    try:
        state = planner.states.of(job)
    except UserError:
        return "unknown"
    if state.name in ("incomplete", "damaged"):
        raise UserError(f"{state.name}, {state.why}", where=job.folder)
    return state.name if state.name == "right" else "other"
