"""Runs at two scales share no page, no training and no data of generated corpora."""

from helpers.plans import closure, plan_of
from helpers.support import Project, keep_studies


def folders(project: Project, scale: str) -> set[str]:
    plan = plan_of(project.root, scale=scale)
    return {str(plan.recipe(job).folder) for job in closure(plan)}


def test_a_smoke_run_beside_a_paper_run_shares_no_folder_with_it(project):
    keep_studies(project, "demo")
    paper, smoke = folders(project, "paper"), folders(project, "smoke")
    assert min(len(paper), len(smoke)) > 40 and not paper & smoke
