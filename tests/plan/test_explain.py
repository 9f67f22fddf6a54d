"""`docmt why` and `docmt path`: the causes of a plan, and where results are."""

import json

import pytest
from helpers.command_line import output
from helpers.finished import finish, finish_targets, plan_of
from helpers.small_grid import STUDY
from helpers.support import Project

from docmt.base.errors import UserError
from docmt.base.manifest import MANIFEST
from docmt.plan.links import jobs_of_target
from docmt.plan.plan import Job

TRAINING = "results/5_training/toy/sentence/seed1"


@pytest.fixture
def done(small: Project) -> Project:
    """A project whose study looks finished."""
    finish_targets(small.root, "one")
    return small


def explained(project: Project, target: str = "one") -> dict:
    return json.loads(output("why", target, "--root", project.root, "--json"))


def path(project: Project, target: str, *arguments: str) -> str:
    return output("path", target, "--root", project.root, *arguments).strip()


def test_what_is_finished_is_one_line_and_nothing_is_written(done):
    before = sorted(done.root.rglob("*"))
    assert output("why", "one", "--root", done.root) == "one: everything is there; no job would run.\n"
    assert sorted(done.root.rglob("*")) == before


def test_jobs_with_one_cause_are_one_paragraph_with_what_follows(done):
    done.edit("config.yaml", "defaults/train/max_updates", 7)
    (cause,) = explained(done)["causes"]
    assert cause["changes"] == ["the setting train.max_updates was 5, is 7"]
    assert TRAINING in cause["jobs"] and "train" not in cause["following"]
    assert {"translate", "scores", "page"} <= {*cause["following"]}
    assert len(explained(done)["jobs"]) == len(cause["jobs"]) + sum(cause["following"].values())
    printed = output("why", "one", "--root", done.root)
    assert f"The setting train.max_updates was 5, is 7: {len(cause['jobs'])} jobs (train " in printed


def test_a_change_of_a_finished_input_is_the_cause(done):
    done.edit("config.yaml", "defaults/train/max_updates", 7)
    plan = plan_of(done.root)
    finish(plan, [job for job in plan.closure(jobs_of_target(plan, "one")) if job.is_training])
    printed = output("why", "results/7_scores/toy/sentence/seed1", "--root", done.root)
    assert f"The setting train.max_updates was 5, is 7: finished already\n  {TRAINING}\n" in printed
    assert "and what is made from these: 2 jobs (translate 1, scores 1)" in printed


def test_scores_that_repeat_a_setting_belong_to_the_cause_of_their_translations(done):
    done.edit(STUDY, "systems/sentence/decode/beam", 6)
    (cause,) = explained(done, "results/7_scores/toy/document/seed1")["causes"]
    assert (cause["changes"], cause["following"]) == (["the setting decode.beam was 5, is 6"], {"scores": 1})


def test_a_change_back_needs_nothing(done):
    done.edit("config.yaml", "defaults/train/max_updates", 7)
    assert explained(done)["jobs"]
    done.edit("config.yaml", "defaults/train/max_updates", 5)
    assert not explained(done)["jobs"]


def test_results_of_another_scale_are_no_earlier_version(done):
    (cause,) = json.loads(output("why", TRAINING, "--root", done.root, "--config", "scale=smoke", "--json"))["causes"]
    assert cause["changes"] == ["its outputs are not there"]


def test_a_removed_input_leaves_the_words_of_the_input(done):
    done.edit("config.yaml", "texts/joint/merges", 11)
    for recipe in (done.root / "results/2_tokens").rglob("job.json"):
        recipe.unlink()
    finish(plan_of(done.root), [Job.of("tokens", corpus="toy", text="joint")])
    causes = explained(done, TRAINING)["causes"]
    assert ["the input tokens is another one"] in [cause["changes"] for cause in causes]


def test_paths_need_no_ids(done):
    plan = plan_of(done.root)
    training = plan.recipe(Job.of("train", corpus="toy", system="sentence", seed=1)).folder
    for target in (TRAINING, TRAINING.removeprefix("results/"), str(done.root / TRAINING), str(training)):
        assert path(done, target) == str(training)
    assert path(done, f"{TRAINING}/{MANIFEST}") == path(done, f"{training}/{MANIFEST}") == f"{training}/{MANIFEST}"
    page = plan.recipe(Job.of("page", scale="paper", study="one", item="index")).folder
    assert path(done, "one") == path(done, "all") == str(page)
    assert path(done, "results/8_report/paper/one/index.html") == f"{page}/index.html"


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("oen", "did you mean 'one'?"),
        ("results/5_training/toy", "expected all, a study, a page, or a folder below results/"),
        ("results/5_training/toy/nobody/seed1", "unknown system"),
        (f"{TRAINING}/0123456789/{MANIFEST}", "the present settings ask for another version"),
        ("results/8_report/smoke/one/index.html", "a target of another scale"),
    ],
)
@pytest.mark.parametrize("command", ["why", "path"])
def test_what_is_no_target_is_refused(small, command, target, message):
    with pytest.raises(UserError, match=message.replace("?", r"\?")):
        output(command, target, "--root", small.root)
