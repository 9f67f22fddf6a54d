"""`docmt store pull` and `docmt store push`: what others have made for a target, and what is here for others."""

from contextlib import chdir
from pathlib import Path
from typing import Annotated, Any

import typer

from docmt.base.screen import print_json, say
from docmt.cli.options import AsJson, Config, Root, overrides

Target = Annotated[str, typer.Argument(help="all, a study, or a file below results/, as snakemake has it")]


def pull(
    target: Target,
    root: Root = Path(),
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what would be pulled, and pull nothing")] = False,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Pull all that anyone has made for a target: models, translations, scores, comparisons and pages.

    Corpora, tokens, views, chains, aligners and word vectors are pulled only where a job that is left to run reads
    them: models spare what they were trained on, scores what they were computed with. A run of snakemake pulls less:
    what it needs. What arrives is compared with its digests first. Pass the --config of your run.
    """
    from docmt.plan.exchange import pull_target
    from docmt.plan.run import grid_for_targets, grid_of_run

    with chdir(root):
        lines: list[str] = []
        grid = grid_for_targets(grid_of_run(Path(), overrides(config)), [target])
        saved = pull_target(grid, target, dry_run, say if as_json else lines.append)
    if as_json:
        print_json({"target": target, "pulled": not dry_run, **saved})
    else:
        typer.echo("\n".join(lines) or f"the store has nothing for {target} that is not here")


def push(target: Target, root: Root = Path(), config: Config = None, as_json: AsJson = False) -> None:
    """Push to the store what is here for a target, and not there yet.

    Outputs that a licence or a missing digest keeps here are named. Pass the --config of your run.
    """
    from docmt.plan.exchange import push_target
    from docmt.plan.run import grid_for_targets, grid_of_run

    with chdir(root):
        grid = grid_for_targets(grid_of_run(Path(), overrides(config)), [target])
        done: dict[str, Any] = push_target(grid, target, say)
    if as_json:
        print_json({"target": target, **done})
    else:
        artifacts = f"{done['artifacts']} artifacts pushed, {done['bytes']:,} bytes"
        typer.echo(f"{target}: {artifacts}; {done['there']} were there")
