"""`docmt check-findings`: the findings of a finished study, and whether its numbers support them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.base.errors import UserError
from docmt.base.paths import INDEX
from docmt.base.recipe import JOB, read_recipe
from docmt.base.screen import answer
from docmt.cli.options import AsJson, Config, Root, overrides
from docmt.grid.items import study_of
from docmt.plan.plan import Job
from docmt.plan.run import planned

if TYPE_CHECKING:
    from docmt.reporting.findings import JudgedFinding

NOT_SUPPORTED = 1
"""The exit status of `docmt check-findings` where the numbers do not support a finding on record."""


def check_findings(
    study: Annotated[str, typer.Argument(help="name of a study whose page is finished")],
    root: Root = Path(),
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Compare the findings of a study's page with its numbers.

    The status is 1 where the numbers do not support a finding that the study has on record. Numbers of generated text,
    and findings whose systems were not run, are no failure.
    """
    from docmt.reporting.findings import judged_findings
    from docmt.reporting.results import ReportSettings, Results
    from docmt.steps.step import results_of

    with planned(root, overrides(config), study) as plan:
        study_of(plan.grid, study)
        job = Job.of("page", scale=plan.grid.scale, study=study, item=INDEX)
        folder = plan.recipe(job).folder
        if not plan.is_finished(job):
            raise UserError("the page of this study is not finished", where=str(folder), remedy=f"snakemake {study}")
        recipe = read_recipe(folder)
        settings = ReportSettings.load(folder / JOB, recipe.file("human"))
        findings = judged_findings(Results.load(settings, results_of(recipe)))
    answer(as_json, findings, "\n".join(map(finding_line, findings)) or f"{study} states no findings")
    if any(finding.is_failed for finding in findings):
        raise typer.Exit(NOT_SUPPORTED)


def finding_line(finding: "JudgedFinding") -> str:
    """Return the line about a finding: its state, its sentence, and why it is not supported."""
    on_record = " (on record)" if finding.on_record else ""
    reasons = f" [{'; '.join(finding.reasons)}]" if finding.reasons else ""
    return f"{finding.state}{on_record}: {finding.sentence}{reasons}"
