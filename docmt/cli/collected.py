"""`docmt collect-scores`: one table of every score of every study."""

from contextlib import chdir
from pathlib import Path
from typing import Annotated

import typer

from docmt.cli.options import AsJson, Config, Root, output_file, overrides
from docmt.cli.screen import print_json


def collect_scores(
    root: Root = Path(),
    output: Annotated[
        Path | None, output_file("the table, in Parquet [default: results/scores.parquet below --root]")
    ] = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Write one table of every score of every study below results/, in Parquet; a row is a score of a run.

    A run of snakemake writes results/scores.parquet at its end. Call this after you pulled or copied results, or
    changed settings: the column state says which scores are what is asked for now (right), and which the next run would
    make again (other). Systems that no study has are left out.
    """
    from docmt.plan.collected import COLLECTED, scores_of_project, write_scores
    from docmt.plan.planning import Planner
    from docmt.plan.run import grid_of_run

    path = (output or root / COLLECTED).absolute()
    with chdir(root):
        planner = Planner(grid_of_run(Path(), overrides(config)))
        rows = list(scores_of_project(planner, Path(), overrides(config)))
    count = write_scores(rows, path)
    if as_json:
        print_json({"output": str(output or root / COLLECTED), "scores": count})
    else:
        typer.echo(f"{output or root / COLLECTED}: {count:,} scores")
