"""`docmt collect-scores`: one table of every score of every study."""

from contextlib import chdir
from pathlib import Path
from typing import Annotated

import typer

from docmt.base.errors import UserError
from docmt.base.screen import print_json, say
from docmt.cli.options import AsJson, Config, Root, output_file, overrides


def collect_scores(
    root: Root = Path(),
    output: Annotated[
        Path | None, output_file("the table, in Parquet [default: results/scores.parquet below --root]")
    ] = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Write one table of every score of every study below results/, in Parquet; a row is a score of a run.

    A run of snakemake writes results/scores.parquet at its end. Call this after you copied results, or changed
    settings: the column asked says which scores are what is asked for now; the others are of other versions, and of
    systems that no study has any more. Scores that are damaged are left out; a line on standard error names each of
    them, and --json lists them.
    """
    from docmt.plan.collected import COLLECTED, lines_about, scores_of_project, write_scores
    from docmt.plan.run import plan_of_run

    path = (output or root / COLLECTED).absolute()
    skipped: list[UserError] = []
    with chdir(root):
        rows = list(scores_of_project(plan_of_run(overrides(config)), skipped.append))
    left_out = lines_about(skipped)
    for line in left_out:
        say(f"docmt: left out: {line}")
    count = write_scores(rows, path)
    if as_json:
        print_json({"output": str(output or root / COLLECTED), "scores": count, "left_out": left_out})
    else:
        typer.echo(f"{output or root / COLLECTED}: {count:,} scores")
