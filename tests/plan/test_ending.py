"""The last lines of a run name the page to open of each study; `tests/workflow/test_screen.py` holds the demo's."""

import json

from helpers.finished import finish
from helpers.plans import closure, plan_of
from helpers.small_grid import STUDY

from docmt.plan.ending import ending
from docmt.plan.links import jobs_of_target


def test_each_study_of_all_has_a_page_to_open(small):
    study = small.read(STUDY)
    small.write("workflow/studies/two.yaml", {**study, "study": "two"})
    small.edit("config.yaml", "studies", ["one", "two"])
    plan = plan_of(small.root)
    finish(plan, closure(plan, "all"))
    lines = [line for line in ending(plan, [], jobs_of_target(plan, "all"), [], 0.0) if "open" in line]
    assert lines == [f"open results/8_report/paper/{name}/index.html" for name in ("one", "two")]


def test_the_best_system_of_a_table_is_named_by_its_first_metric(small):
    plan = plan_of(small.root)
    finish(plan, closure(plan, "one"))
    pages = jobs_of_target(plan, "one")
    (page,) = pages
    numbers = (("A", "s-BLEU", 20.0), ("B", "s-BLEU", 21.5), ("A", "d-BLEU", 30.0))
    records = [
        {"status": "measured", "column": "toy", "row": row, "metric": metric, "measured": value}
        for row, metric, value in numbers
    ]
    path = plan.root / plan.recipe(page).folder / "index.json"
    path.write_text(json.dumps({"kind": "systems", "records": records}))
    assert "index, toy: best is B (s-BLEU 21.50)" in [*ending(plan, [], pages, [], 0.0)]
