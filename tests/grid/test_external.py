"""External systems in the grid and in plans: what a study may state, their jobs, and what changes make again."""

import pytest
from helpers.plans import closure, plan_of, to_make
from helpers.recipes import settings
from helpers.small_grid import STUDY, entry
from helpers.support import Project

from docmt.api.studies import list_systems, list_targets
from docmt.base.errors import UserError
from docmt.cli.studies import system_row
from docmt.grid.grid import load_grid
from docmt.plan.estimates import Estimates
from docmt.plan.obtain import check_supplies
from docmt.plan.plan import Job, Plan
from docmt.plan.run import grid_of_run
from docmt.plan.supplies import left_out_lines
from docmt.settings.external import FileTranslations
from docmt.steps.views import position_tables

PATH = "theirs.txt"
RUN = {"corpus": "toy", "system": "theirs", "seed": 1}
TABLE = {"title": "T", "metrics": ["s-BLEU"], "baseline": "sentence"}
TABLE |= {"rows": [{"system": "sentence"}, {"system": "theirs", "published": {"toy": {"s-BLEU": 1.5}}}]}
PAGE = "results/8_report/paper/one/quality.html"


@pytest.fixture
def beside(small, monkeypatch) -> Project:
    """The small study with a system whose translations are in a file, and a table of it."""
    small.edit(STUDY, "systems/theirs", {"translations": {"path": PATH}})
    small.edit(STUDY, "tables", {"quality": TABLE})
    (small.root / PATH).write_text("a\n", encoding="utf-8")
    monkeypatch.chdir(small.root)
    return small


def test_it_has_the_default_text_a_single_run_and_no_model(beside):
    theirs = entry(beside, "theirs", seeds=[4, 5])
    assert theirs.system.text == "joint" and theirs.system.source == FileTranslations(PATH)
    assert (theirs.seeds, theirs.trained, theirs.has_model) == ((4,), None, False)
    assert entry(beside, "sentence", seeds=[4, 5]).seeds == (4, 5)


def test_a_path_with_the_seed_has_a_run_for_each(beside):
    beside.edit(STUDY, "systems/theirs/translations", {"path": "theirs.{seed}.txt"})
    assert entry(beside, "theirs", seeds=[4, 5]).seeds == (4, 5)
    grid = load_grid(beside.root, {"seeds": [4, 5]})
    assert grid.translations_for(grid.find("toy", "theirs")) == ["theirs.4.txt", "theirs.5.txt"]


def test_its_only_run_is_compared_with_every_run_of_the_other_system(beside):
    """Its difference is from the mean over the runs of the baseline, so the test has to be of the same difference."""

    def compared() -> tuple[dict, set[str]]:
        plan = plan_of(beside.root, seeds=[1, 2, 3])
        job = Job.of("compare", study="one", table="quality")
        (pair,) = plan.recipe(job).settings["pairs"]
        return pair["seeds"], set(plan.inputs(job))

    read = {"7_scores/toy/theirs/seed1", *(f"7_scores/toy/sentence/seed{seed}" for seed in (1, 2, 3))}
    assert compared() == ({"system": [1, 1, 1], "baseline": [1, 2, 3]}, read)
    beside.edit(STUDY, "tables", {"quality": TABLE | {"baseline": "theirs", "rows": [{"system": "sentence"}]}})
    assert compared() == ({"system": [1, 2, 3], "baseline": [1, 1, 1]}, read)


REFUSED = {
    "a model beside it": (
        {"systems/theirs/model": {"kind": "han"}, "systems/theirs/view": {"window": 1}},
        r"systems\.theirs\.model: a system of translations has no model.*\n  found model, view; expected trans",
    ),
    "what it extends": ({"systems/theirs/extends": "sentence"}, "a system of translations has no model of docmt"),
    "a system that extends it": (
        {"systems/more": {"extends": "theirs"}},
        r"systems\.more\.extends: theirs has no model: its translations are made elsewhere \(translations\)\n",
    ),
    "a system that starts from it": ({"systems/fine/init_from": "theirs"}, r"systems\.fine\.init_from: theirs has no"),
    "a start on another corpus": (
        {"systems/fine/init_from": {"system": "theirs", "corpus": "toy"}},
        r"init_from\.system: theirs has no model",
    ),
    "no path": ({"systems/theirs/translations": {}}, r"theirs\.translations\.path: value not allowed\n  found nothing"),
    "another key": ({"systems/theirs/translations": {"paht": "x"}}, r"unknown key\n  found paht\n  .*'path'"),
    "another unit": ({"systems/theirs/translations": {"path": "x", "lines": "words"}}, r"lines: unknown name"),
    "an unknown text": ({"systems/theirs/text": "jiont"}, r"systems\.theirs\.text: unknown text\n  found jiont"),
    "several seeds": (
        {"systems/theirs/seeds": [1, 2]},
        r"systems\.theirs\.seeds: the same translations for several seeds\n  found 1, 2; .* or \{seed\}",
    ),
    "a figure of its model": (
        {"figures": {"f": {"kind": "curves", "title": "F", "corpus": "toy", "systems": [{"system": "theirs"}],
                           "values": ["dev_nll"]}}},
        r"figures\.f\.systems\.0\.system: no model of theirs to look into: translations from a file",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_needs_a_model_is_refused(beside, what):
    edits, message = REFUSED[what]
    for path, value in edits.items():
        beside.edit(STUDY, path, value)
    with pytest.raises(UserError, match=message):
        load_grid(beside.root)


def test_one_file_for_several_corpora_is_refused(beside):
    corpus = beside.read("workflow/corpora/toy.yaml")
    beside.write("workflow/corpora/toy2.yaml", {**corpus, "corpus": "toy2"})
    beside.edit(STUDY, "corpora", ["toy", "toy2"])
    with pytest.raises(UserError, match=r"the same translations for several corpora\n  found toy, toy2; .*\{corpus\}"):
        load_grid(beside.root)
    beside.edit(STUDY, "systems/theirs/translations", {"path": "{corpus}.txt"})
    grid = load_grid(beside.root)
    assert [grid.translations_for(e) for e in grid.entries if not e.has_model] == [["toy.txt"], ["toy2.txt"]]


def test_a_trained_system_of_the_same_name_has_another_folder_on_every_corpus(beside):
    corpus = beside.read("workflow/corpora/toy.yaml")
    beside.write("workflow/corpora/toy2.yaml", {**corpus, "corpus": "toy2"})
    beside.write(
        "workflow/studies/two.yaml",
        {"study": "two", "title": "Two", "corpora": ["toy2"], "systems": {"theirs": {}}},
    )
    assert entry(beside, "theirs", "two").folder == "theirs@two"


def test_its_recipes_have_no_path_and_no_model(beside):
    grid = load_grid(beside.root)
    adopted = settings(grid, "6_adopted/toy/theirs/seed1")
    assert adopted["source"]["path"] == "given" and adopted["stand_in"] is False
    scored = settings(grid, "7_scores/toy/theirs/seed1")
    assert scored["resolved"]["source"]["path"] == "given" and scored["contrastive"] is None
    (on_page,) = [e for e in settings(grid, "8_report/paper/one/quality")["entries"] if e["trained"] is None]
    assert on_page["system"]["source"]["path"] == PATH


@pytest.mark.parametrize("path", ["5_training/toy/theirs/seed1", "6_passages/toy/theirs/seed1/one/p"])
def test_no_job_trains_it(beside, path):
    beside.edit(STUDY, "passages", {"p": {"title": "P", "corpus": "toy", "systems": [{"system": "sentence"}],
                                          "documents": [{"source": ["a"]}]}})  # fmt: skip
    with pytest.raises(
        UserError, match=r"toy/theirs: this system has no model of docmt\n  found translations from a file"
    ):
        settings(load_grid(beside.root), path)


def test_its_jobs_adopt_score_and_compare(beside):
    plan = plan_of(beside.root)
    job, scores = Job.of("adopt", **RUN), plan.inputs(Job.of("scores", **RUN))
    assert {role: read.step for role, read in plan.inputs(job).items()} == {"corpus": "corpus", "tokens": "tokens"}
    assert scores["translations"] == job and not {"view", "contrastive"} & set(scores)
    planned = to_make(beside.root, PAGE)
    assert {"adopt theirs", "scores theirs", "compare quality", "train sentence"} <= planned
    assert not {"train theirs", "translate theirs", "contrastive theirs"} & planned


def test_views_are_those_of_trained_systems_alone(beside):
    grid = load_grid(beside.root)
    assert settings(grid, "3_views/toy/joint/window1")["view"]["train"]["window"] == 1
    assert position_tables(grid, "toy", "joint", "window1") == []


def test_a_changed_file_is_another_identity_and_a_moved_one_is_not(beside):
    job, training = Job.of("adopt", **RUN), Job.of("train", **{**RUN, "system": "sentence"})

    def identities() -> tuple[str, str]:
        plan = plan_of(beside.root)
        return plan.recipe(job).identity, plan.recipe(training).identity

    before = identities()
    beside.edit(STUDY, "systems/theirs/translations/path", "moved.txt")
    (beside.root / PATH).rename(beside.root / "moved.txt")
    assert identities() == before
    (beside.root / "moved.txt").write_text("another\n", encoding="utf-8")
    assert identities()[0] != before[0] and identities()[1] == before[1]


def test_a_missing_file_leaves_its_system_out_and_a_target_of_it_is_refused(beside):
    (beside.root / PATH).unlink()
    grid = grid_of_run(beside.root, {})
    reason = "theirs.txt is missing: translations of another system"
    assert grid.not_run == {PATH: reason}
    (line,) = left_out_lines(grid, ["one"])
    assert line.startswith(f"left out: 1 run: {reason}. Put the translations at theirs.txt, or state their path")
    assert settings(grid, "8_report/paper/one/quality")["not_run"] == {"toy/theirs": reason}
    with pytest.raises(UserError, match=r"theirs\.txt, translations of another system\n +Put the"):
        check_supplies(Plan(grid), {"results/7_scores/toy/theirs/seed1": [Job.of("scores", **RUN)]})


def test_a_scale_with_fixtures_needs_no_file(beside):
    (beside.root / PATH).unlink()
    fixtures = {"documents": {"train": 8, "dev": 2, "test": 2}, "shortest": 6, "longest": 8, "long_sentences": 9}
    beside.edit("workflow/scales/smoke.yaml", "fixtures", {**fixtures, "contrastive_items": 2, "stop_words": 1})
    grid = grid_of_run(beside.root, {"scale": "smoke"})
    assert grid.not_run == {}
    assert settings(grid, "6_adopted/toy/theirs/seed1")["stand_in"] is True


def test_it_is_listed_with_the_origin_of_its_translations(beside):
    (theirs,) = [system for system in list_systems(beside.root) if system.system == "theirs"]
    assert system_row(theirs) == ("one", "theirs", "translations from a file", "-", "joint", "-", "-", "-", "toy")
    (beside.root / PATH).unlink()
    (target,) = list_targets(beside.root, kind="item")
    assert target.state == "by-hand" and "theirs.txt is missing: translations of another system" in target.reasons


def test_it_costs_no_training(beside):
    plan = plan_of(beside.root)
    needed = Estimates(plan).plan([plan.grid.find("toy", "theirs")])
    assert (needed.trainings, needed.device_hours, needed.disk_bytes) == (0, 0, 0)


def test_its_lines_are_on_the_sheet_of_annotators(beside):
    pair = {"corpus": "toy", "system": "theirs", "baseline": "sentence"}
    beside.edit(STUDY, "tables/judged", {"title": "J", "kind": "human", **pair, "rows": [{"label": "Mean"}]})
    plan = plan_of(beside.root)
    (sheet,) = [job for job in closure(plan, "one") if job.step == "sheet"]
    assert Job.of("adopt", **RUN) in plan.inputs(sheet).values()
