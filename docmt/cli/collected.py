"""`docmt collect-scores`: one table of every score of every study."""

from contextlib import chdir
from pathlib import Path

from docmt.base.screen import answer, say
from docmt.cli.options import AsJson, Config, Root, overrides
from docmt.plan.collected import COLLECTED, scores_of_project, write_scores
from docmt.plan.run import plan_of_run


def collect_scores(root: Root = Path(), config: Config = None, as_json: AsJson = False) -> None:
    """Write results/scores.parquet: one table of every score of every study; a row is a score of a run.

    A run of snakemake writes it at its end. Call this after you copied results, or changed
    settings: the column asked says which scores are what is asked for now; the others are of other versions, and of
    systems that no study has any more. Scores that are damaged are left out; a line on standard error names each of
    them, and --json lists them.
    """
    path = root / COLLECTED
    with chdir(root):
        rows, left_out = scores_of_project(plan_of_run(overrides(config)))
    for line in left_out:
        say(f"docmt: left out: {line}")
    write_scores(rows, path)
    record = {"output": str(path), "scores": len(rows), "left_out": left_out}
    answer(as_json, record, f"{path}: {len(rows):,} scores")
