"""`results/scores.parquet`: one table of every score of every study, with a row for each score of a run.

The table is for notebooks. It has the numbers of the pages, and more: each metric that a run was scored with, at every
scale of which there are scores. A run of several studies has rows in each of them.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from docmt.base.artifacts import as_object, read_object, read_object_if_there
from docmt.base.errors import UserError
from docmt.base.foreign import explained
from docmt.base.manifest import MANIFEST, RECORD
from docmt.base.paths import RESULTS, SCORES
from docmt.base.recipe import JOB, Recipe, read_recipe
from docmt.plan.asked import Places, asked_by_clone
from docmt.plan.plan import Plan
from docmt.settings.scores_of_run import scores_of_run
from docmt.settings.system import Entry

COLLECTED = f"{RESULTS}/scores.parquet"
"""The table of all scores, which no rule declares: it is of all studies, and each run writes it again at its end."""
Row = dict[str, Any]
"""A row of the table."""

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


def collect_after_run(plan: Plan) -> Iterator[str]:
    """Write the table at the end of a run, and yield a line about each problem; nothing where nothing is scored."""
    try:
        rows, left_out = scores_of_project(plan)
        if rows:
            write_scores(rows, Path(COLLECTED))
        yield from (f"not in {COLLECTED}: {line}" for line in left_out)
    except Exception as problem:
        error = explained(problem)
        if error is None:
            raise
        yield f"{COLLECTED} was not written: {error}"


def write_scores(rows: list[Row], output: Path) -> None:
    """Write rows of scores as a table in Parquet; a reader sees the old table or the new."""
    # The imports take a tenth of a second, which jobs that only read the rules need not wait for.
    import pyarrow as pa

    from docmt.base.tables import write_parquet

    schema = pa.schema([(name, pa.type_for_alias(kind)) for name, kind in COLUMNS.items()])
    write_parquet(output, pa.Table.from_pylist(rows, schema))


def scores_of_project(plan: Plan) -> tuple[list[Row], list[str]]:
    """Return a row for each score below the project's folder, scale by scale and study by study.

    Scores that are damaged are left out: the second result has a line about each of them.
    """
    asked, rows, left_out = asked_by_clone(plan.root), list[Row](), list[str]()
    entries = defaultdict[tuple[str, str], list[Entry]](list)
    for entry in plan.grid.entries:
        entries[entry.corpus, entry.scored].append(entry)
    for path in sorted((plan.root / RESULTS / SCORES.stage).glob(f"{'/'.join('*' * SCORES.depth)}/{MANIFEST}")):
        try:
            rows += _rows(plan, path.parent, entries, asked)
        except UserError as problem:
            left_out.append(f"{problem.where}: {problem.what}")
    return sorted(rows, key=lambda row: (row["scale"], row["study"])), left_out


def _rows(
    plan: Plan, folder: Path, entries: Mapping[tuple[str, str], list[Entry]], asked: Mapping[str, Places]
) -> list[Row]:
    """Return the rows of the scores in a folder, for each study of the grid that has the run, or had it.

    Raises UserError for scores that are damaged.
    """
    recipe = read_recipe(folder)
    names = ("study", "scale", "corpus", "system", "seed")
    settings = as_object(recipe.all_settings, str(folder / JOB), names)
    sharing = entries.get((settings["corpus"], folder.parents[1].name), [])
    owners = [(entry.study, entry.system.name) for entry in sharing] or [(settings["study"], settings["system"])]
    run = {name: settings[name] for name in ("scale", "corpus", "seed")}
    run |= {"identity": folder.name, "asked": _is_asked(plan, folder, settings["scale"], asked)}
    scores = read_object(folder / "scores.json", "decoding")
    texts = (
        ("translations", scores, _record_of_model(plan.root, recipe)),
        ("reference", scores.get("reference", {}), None),
    )
    return [
        {**run, "study": study, "system": system, "text": text, **asdict(score)}
        for study, system in owners
        for text, content, record in texts
        for score in scores_of_run(content, record)
    ]


def _is_asked(plan: Plan, folder: Path, scale: str, asked: Mapping[str, Places]) -> bool:
    """Return whether scores are asked for: by the present grid, or at other scales by the last run of this clone."""
    place = folder.parent.relative_to(plan.root).as_posix()
    present = plan.folder("scores", SCORES.names_in(place)) if scale == plan.grid.scale else None
    lately = asked.get(scale, {}).get(place.removeprefix(f"{RESULTS}/"), [""])
    return folder.name == (present.name if present else lately[0])


def _record_of_model(root: Path, recipe: Recipe) -> Row | None:
    """Return the record of the training whose model made the translations of scores; None where there is none."""
    translations = recipe.inputs.get("translations")
    if translations is None or not (root / translations / JOB).is_file():
        return None
    model = read_recipe(root / translations).inputs.get("model")
    return read_object_if_there(root / model / RECORD) if model else None
