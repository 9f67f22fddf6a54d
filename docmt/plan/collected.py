"""`results/scores.parquet`: the scores of all runs in one table, with the study, the scale and the identity of each.

The table is for notebooks. It has the numbers of the pages, and more: each metric that a run was scored with, at every
scale of which there are scores. A run of several studies has rows in each of them.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docmt.base.artifacts import as_object, read_object_if_there
from docmt.base.errors import UserError
from docmt.base.foreign import explained
from docmt.base.manifest import MANIFEST, RECORD
from docmt.base.paths import RESULTS, SCORES
from docmt.base.recipe import JOB, Recipe, read_recipe
from docmt.base.scores import table_of
from docmt.plan.asked import Places, asked_by_clone
from docmt.plan.plan import Plan
from docmt.settings.metrics import METRICS, scores_of_record
from docmt.settings.system import Entry

if TYPE_CHECKING:
    import pyarrow as pa

# The table of all scores, which no rule declares: it is of all studies, and each run writes it again at its end.
COLLECTED = f"{RESULTS}/scores.parquet"
OF_PROJECT = {"study": "string", "scale": "string", "identity": "string", "lower_is_better": "bool", "asked": "bool"}
"""The columns of the table beside those of a run's scores (`docmt.base.columns.SCORES`), with their types.

`identity` is the id of the scores. `asked` is true for scores that are what is asked for now, and false for other
versions, and for scores of systems that no study has any more.
"""


def collect_after_run(plan: Plan) -> Iterator[str]:
    """Write the table at the end of a run, and yield a line about each problem; nothing where nothing is scored."""
    from docmt.base.tables import write_parquet

    try:
        table, left_out = scores_of_project(plan)
        if len(table):
            write_parquet(COLLECTED, table)
        yield from (f"not in {COLLECTED}: {line}" for line in left_out)
    except Exception as problem:
        error = explained(problem)
        if error is None:
            raise
        yield f"{COLLECTED} was not written: {error}"


def scores_of_project(plan: Plan) -> "tuple[pa.Table, list[str]]":
    """Return the scores of the project as a table, by scale and study, and a line about each damaged file."""
    # The import takes a tenth of a second, which jobs that only read the rules need not wait for.
    import pyarrow as pa

    from docmt.base.columns import SCORES as COLUMNS

    asked, left_out = asked_by_clone(plan.root), list[str]()
    schema = pa.schema([*((name, pa.type_for_alias(kind)) for name, kind in OF_PROJECT.items()), *COLUMNS])
    tables = [schema.empty_table()]
    entries = defaultdict[tuple[str, str], list[Entry]](list)
    for entry in plan.grid.entries:
        entries[entry.corpus, entry.scored].append(entry)
    for path in sorted((plan.root / RESULTS / SCORES.stage).glob(f"{'/'.join('*' * SCORES.depth)}/{MANIFEST}")):
        try:
            tables += _tables(plan, path.parent, entries, asked)
        except UserError as problem:
            left_out.append(f"{problem.where}: {problem.what}")
    order = [("scale", "ascending"), ("study", "ascending")]
    return pa.concat_tables(table.select(schema.names) for table in tables).sort_by(order), left_out


def _tables(
    plan: Plan, folder: Path, entries: Mapping[tuple[str, str], list[Entry]], asked: Mapping[str, Places]
) -> "Iterator[pa.Table]":
    """Yield the scores in a folder, and those of the training, for each study that has the run, or had it."""
    import pyarrow as pa

    from docmt.base.columns import SCORES as COLUMNS
    from docmt.base.tables import read_parquet

    recipe = read_recipe(folder)
    settings = as_object(recipe.all_settings, str(folder / JOB), ("study", "scale", "corpus", "system", "seed"))
    sharing = entries.get((settings["corpus"], folder.parents[1].name), [])
    owners = [(entry.study, entry.system.name) for entry in sharing] or [(settings["study"], settings["system"])]
    of_record = scores_of_record(_record_of_model(plan.root, recipe))
    scores = pa.concat_tables([read_parquet(folder / "scores.parquet", COLUMNS), table_of(of_record)])
    better = [METRICS[metric].lower_is_better for metric in scores["metric"].to_pylist()]
    run = {name: settings[name] for name in ("scale", "corpus", "seed")}
    run |= {"identity": folder.name, "asked": _is_asked(plan, folder, settings["scale"], asked)}
    for study, system in owners:
        columns = {name: scores[name] for name in scores.schema.names} | {
            "lower_is_better": pa.array(better, pa.bool_())
        }
        for name, value in {**run, "study": study, "system": system}.items():
            columns[name] = pa.array([value] * len(scores))
        yield pa.table(columns)


def _is_asked(plan: Plan, folder: Path, scale: str, asked: Mapping[str, Places]) -> bool:
    """Return whether scores are asked for: by the present grid, or at other scales by the last run of this clone."""
    place = folder.parent.relative_to(plan.root).as_posix()
    present = plan.folder("scores", SCORES.names_in(place)) if scale == plan.grid.scale else None
    lately = asked.get(scale, {}).get(place.removeprefix(f"{RESULTS}/"), [""])
    return folder.name == (present.name if present else lately[0])


def _record_of_model(root: Path, recipe: Recipe) -> dict[str, Any]:
    """Return the record of the training whose model made the translations of scores; empty where there is none."""
    translations = recipe.inputs.get("translations")
    if translations is None or not (root / translations / JOB).is_file():
        return {}
    model = read_recipe(root / translations).inputs.get("model")
    return read_object_if_there(root / model / RECORD) or {} if model else {}
