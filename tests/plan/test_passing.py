"""What may leave this place: each rule under each licence, and models that start from those of another corpus."""

import pytest
from helpers.small_grid import CORPUS, STUDY, small_project
from helpers.support import Project

from docmt.grid.grid import load_grid
from docmt.plan.jobs import GridJobs, Job
from docmt.plan.passing import may_pass, shows_text
from docmt.plan.run import grid_of_run
from docmt.steps import NAMES

RUN = {"scale": "paper", "corpus": "toy", "system": "sentence", "seed": 1}
DATA = {"corpus": "toy", "text": "joint"}
PAGE = {"scale": "paper", "study": "one"}
TABLE = {
    "title": "T",
    "metrics": ["s-BLEU"],
    "rows": [{"system": "sentence"}, {"system": "document", "baseline": "sentence"}],
}
PASSAGE = {
    "title": "P",
    "corpus": "toy",
    "systems": [{"system": "sentence"}],
    "documents": [{"source": ["他来了。"], "reference": ["He came ."]}],
}
NUMBERS = [
    Job.of("train", **RUN),
    Job.of("scores", **RUN),
    Job.of("compare", **PAGE, table="t"),
    Job.of("item", **PAGE, item="t"),
]
TEXT = [
    Job.of("corpus", corpus="toy"),
    Job.of("tokens", **DATA),
    Job.of("views", **DATA, view="window1"),
    Job.of("chain_words", **DATA),
    Job.of("chain_segments", **DATA, view="window1"),
    Job.of("translate", **RUN),
    Job.of("inspect", **RUN),
    Job.of("passage", **RUN, study="one", passage="p"),
    Job.of("aligner", **DATA),
    Job.of("word_vectors", **DATA),
    Job.of("item", **PAGE, item="p"),
    Job.of("report", **PAGE),
]


@pytest.fixture
def project(tmp_path) -> Project:
    project = small_project(tmp_path / "project")
    project.edit(STUDY, "tables", {"t": TABLE})
    project.edit(STUDY, "passages", {"p": PASSAGE})
    return project


def jobs_of(project: Project, passing_on: str, corpus: str = "toy", **more) -> GridJobs:
    project.write(f"workflow/corpora/{corpus}.yaml", {"corpus": corpus, **CORPUS, "passing_on": passing_on})
    return GridJobs(load_grid(project.root, more))


def test_each_rule_under_each_licence(project):
    everything = jobs_of(project, "everything")
    assert {str(job): may_pass(everything, job) for job in NUMBERS + TEXT if may_pass(everything, job)} == {}
    models = jobs_of(project, "models")
    assert [job for job in NUMBERS + TEXT if may_pass(models, job) is None] == NUMBERS
    nothing = jobs_of(project, "nothing")
    assert [job for job in NUMBERS + TEXT if may_pass(nothing, job) is None] == []


def test_the_reason_names_the_job_the_corpus_and_the_licence(project):
    why = may_pass(jobs_of(project, "models"), Job.of("corpus", corpus="toy"))
    assert why == (
        "results/1_corpus/toy stays here, since of toy only models and scores may be passed on"
        " (passing_on: models; licence: Apache-2.0)"
    )
    why = may_pass(jobs_of(project, "nothing"), Job.of("train", **RUN))
    assert why.startswith("results/5_training/paper/toy/sentence/seed1 stays here, since nothing made from toy may be")


def test_every_rule_is_text_unless_it_is_known_to_be_none(project):
    """A new rule stays here until somebody says that it holds no text."""
    jobs = jobs_of(project, "models")
    others = {rule for rule in NAMES if rule != "item" and not shows_text(jobs, Job(rule, ()))}
    assert others == {"checkpoint", "aligner_checkpoint", "train", "scores", "compare"}


def test_a_model_that_starts_from_another_corpus_inherits_the_stricter(project):
    project.edit("config.yaml", "texts/shared", {"bpe": "joint", "merges": 10, "learnt_on": "toy"})
    project.edit(STUDY, "systems/sentence/text", "shared")
    start = {"extends": "sentence", "corpora": ["toy"], "init_from": {"system": "sentence", "corpus": "strict"}}
    project.edit(STUDY, "systems/later", start)
    project.edit(STUDY, "corpora", ["toy", "strict"])
    project.write("workflow/corpora/strict.yaml", {"corpus": "strict", **CORPUS, "passing_on": "nothing"})
    jobs = jobs_of(project, "everything")
    assert may_pass(jobs, Job.of("train", **RUN)) is None
    for rule in ("train", "scores"):
        assert "nothing made from strict may be" in may_pass(jobs, Job.of(rule, **{**RUN, "system": "later"}))


def test_a_text_that_was_learnt_on_another_corpus_inherits_the_stricter(project):
    project.edit("config.yaml", "texts/shared", {"bpe": "joint", "merges": 10, "learnt_on": "strict"})
    project.edit(STUDY, "systems/sentence/text", "shared")
    project.write("workflow/corpora/strict.yaml", {"corpus": "strict", **CORPUS, "passing_on": "models"})
    jobs = jobs_of(project, "everything")
    assert may_pass(jobs, Job.of("train", **RUN)) is None
    assert "of strict only models" in may_pass(jobs, Job.of("tokens", corpus="toy", text="shared"))


def test_generated_text_passes_whatever_the_corpus_says(finished_demo):
    grid = grid_of_run(finished_demo.root, {})
    strict = {
        name: config.__class__(**{**vars(config), "passing_on": "nothing"}) for name, config in grid.corpora.items()
    }
    grid.corpora.update(strict)
    jobs = GridJobs(grid)
    corpus = jobs.inputs(Job.of("tokens", corpus=grid.data_folder("toy_zh-en"), text="truecase_separate4k"))["corpus"]
    assert may_pass(jobs, corpus) is None


def test_what_may_pass_is_in_no_settings_of_a_job(project):
    settings = [
        [jobs.settings(job) for job in NUMBERS + TEXT if job.rule not in ("inspect", "word_vectors")]
        for jobs in (jobs_of(project, "everything"), jobs_of(project, "nothing"))
    ]
    assert settings[0] == settings[1]
