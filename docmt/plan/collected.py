"""`results/scores.parquet`: one table of every score of every study, with a row for each score of a run.

The table is for notebooks. It has the numbers of the pages, and more: each metric that a run was scored with, at every
scale of which there are scores. A run of several studies has rows in each of them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from docmt.base.artifacts import as_object, read_object, read_object_if_there
from docmt.base.errors import UserError
from docmt.base.foreign import explained
from docmt.base.manifest import MANIFEST, RECORD
from docmt.base.paths import RESULTS, SCORES
from docmt.base.recipe import JOB, read_recipe
from docmt.plan.asked import asked_by_clone
from docmt.plan.plan import Plan
from docmt.settings.scores_of_run import scores_of_run
from docmt.settings.system import Entry

COLLECTED = f"{RESULTS}/scores.parquet"
"""The table of all scores, which no rule declares: it is of all studies, and each run writes it again at its end."""
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
    "identity": "string",
    "asked": "bool",
}
"""The columns of the table with their types.

`text` is "translations", or "reference" for the scores of the reference, which a run computes beside those of its
translations by metrics that need no other text. `identity` is the id of the scores. `asked` is true for scores that are
what is asked for now, and false for other versions, and for scores of systems that no study has any more.
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


def collect_after_run(plan: Plan) -> Iterator[str]:
    """Write the table at the end of a run, and yield a line about each problem; nothing where nothing is scored."""
    skipped: list[UserError] = []
    try:
        rows = list(scores_of_project(plan, skipped.append))
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


def scores_of_project(plan: Plan, skip: Skip) -> Iterator[dict[str, Any]]:
    """Yield a row for each score of the finished scores below the project's folder, scale by scale, study by study.

    `skip` gets the reason where the scores of a run are damaged.
    """
    asked, runs = _Asked(plan), list[tuple[dict[str, Any], Path]]()
    entries: dict[tuple[str, str], list[Entry]] = {}
    for entry in plan.grid.entries:
        entries.setdefault((entry.corpus, entry.scored), []).append(entry)
    for path in sorted((plan.root / RESULTS / SCORES.stage).glob(f"{'/'.join('*' * SCORES.depth)}/{MANIFEST}")):
        try:
            runs += [(run, path.parent) for run in _runs(path.parent, entries, asked)]
        except UserError as problem:
            skip(problem)
    for run, folder in sorted(runs, key=lambda pair: (pair[0]["scale"], pair[0]["study"])):
        try:
            yield from _rows(plan.root, folder, run)
        except UserError as problem:
            skip(problem)


class _Asked:
    """The scores that are asked for: by the present grid, or at other scales by the last run of this clone."""

    def __init__(self, plan: Plan) -> None:
        """Read what runs of this clone have asked for."""
        self.plan, self.by_scale = plan, asked_by_clone(plan.root)

    def __call__(self, folder: Path, scale: str) -> bool:
        """Return whether the scores in a folder are asked for."""
        place = folder.parent.relative_to(self.plan.root).as_posix()
        present = self.plan.folder("scores", SCORES.names_in(place)) if scale == self.plan.grid.scale else None
        lately = self.by_scale.get(scale, {}).get(place.removeprefix(f"{RESULTS}/"), [""])
        return folder.name == (present.name if present else lately[0])


def _runs(folder: Path, entries: Mapping[tuple[str, str], list[Entry]], asked: _Asked) -> Iterator[dict[str, Any]]:
    """Yield what identifies scores: a run of each study of the grid that has it, or the run that was scored."""
    settings = as_object(
        read_recipe(folder).all_settings, str(folder / JOB), ("study", "scale", "corpus", "system", "seed")
    )
    system = folder.parents[1].name
    sharing = entries.get((settings["corpus"], system), [])
    owners = [(entry.study, entry.system.name) for entry in sharing] or [(settings["study"], settings["system"])]
    run = {name: settings[name] for name in ("scale", "corpus", "seed")} | {"identity": folder.name}
    run["asked"] = asked(folder, settings["scale"])
    yield from (run | {"study": study, "system": system} for study, system in owners)


def _rows(root: Path, folder: Path, run: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a run. Raises UserError for scores that are damaged."""
    scores, record = read_object(folder / "scores.json", "decoding"), None
    translations = read_recipe(folder).inputs.get("translations")
    if translations is not None and (root / translations / JOB).is_file():
        model = read_recipe(root / translations).inputs.get("model")
        record = model and read_object_if_there(root / model / RECORD)
    contents = (("translations", scores, record), ("reference", scores.get("reference", {}), None))
    return [
        {**run, "text": text, **asdict(score)}
        for text, content, logged in contents
        for score in scores_of_run(content, logged)
    ]
