"""What may leave this place: each step under each licence, and models that start from those of another corpus."""

import pytest
from helpers.small_grid import CORPUS, STUDY, small_project
from helpers.support import ROOT, SMOKE, Project

from docmt.grid.grid import load_grid
from docmt.plan.passing import may_pass, shows_text
from docmt.plan.plan import Job, Plan
from docmt.steps import all_steps

RUN = {"corpus": "toy", "system": "sentence", "seed": 1}
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
    Job.of("compare", study="one", table="t"),
    Job.of("page", **PAGE, item="t"),
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
    Job.of("page", **PAGE, item="p"),
    Job.of("page", **PAGE, item="index"),
]


@pytest.fixture
def project(tmp_path) -> Project:
    project = small_project(tmp_path / "project")
    project.edit(STUDY, "tables", {"t": TABLE})
    project.edit(STUDY, "passages", {"p": PASSAGE})
    return project


def jobs_of(project: Project, passing_on: str, corpus: str = "toy") -> Plan:
    project.write(f"workflow/corpora/{corpus}.yaml", {"corpus": corpus, **CORPUS, "passing_on": passing_on})
    return Plan(load_grid(project.root), project.root)


def test_each_step_under_each_licence(project):
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
    assert why.startswith("results/5_training/toy/sentence/seed1 stays here, since nothing made from toy may be")


def test_every_step_is_text_unless_it_is_known_to_be_none(project):
    """A new step stays here until somebody says that it holds no text."""
    jobs = jobs_of(project, "models")
    others = {step for step in all_steps() if step != "page" and not shows_text(jobs, Job(step, ()))}
    assert others == {"checkpoint", "train", "scores", "compare"}


def test_a_model_that_starts_from_another_corpus_inherits_the_stricter(project):
    project.edit("config.yaml", "texts/shared", {"bpe": "joint", "merges": 10, "learnt_on": "toy"})
    project.edit(STUDY, "systems/sentence/text", "shared")
    start = {"extends": "sentence", "corpora": ["toy"], "init_from": {"system": "sentence", "corpus": "strict"}}
    project.edit(STUDY, "systems/later", start)
    project.edit(STUDY, "corpora", ["toy", "strict"])
    project.write("workflow/corpora/strict.yaml", {"corpus": "strict", **CORPUS, "passing_on": "nothing"})
    jobs = jobs_of(project, "everything")
    assert may_pass(jobs, Job.of("train", **RUN)) is None
    for step in ("train", "scores"):
        assert "nothing made from strict may be" in may_pass(jobs, Job.of(step, **{**RUN, "system": "later"}))


def test_a_text_that_was_learnt_on_another_corpus_inherits_the_stricter(project):
    project.edit("config.yaml", "texts/shared", {"bpe": "joint", "merges": 10, "learnt_on": "strict"})
    project.edit(STUDY, "systems/sentence/text", "shared")
    project.write("workflow/corpora/strict.yaml", {"corpus": "strict", **CORPUS, "passing_on": "models"})
    jobs = jobs_of(project, "everything")
    assert may_pass(jobs, Job.of("train", **RUN)) is None
    assert "of strict only models" in may_pass(jobs, Job.of("tokens", corpus="toy", text="shared"))


def test_generated_text_passes_whatever_the_corpus_says(project):
    """At a scale with fixtures."""
    fixtures = Project(ROOT).read(SMOKE)["fixtures"]
    project.write(SMOKE, {"about": "tiny", "fixtures": fixtures})
    project.write("workflow/corpora/toy.yaml", {"corpus": "toy", **CORPUS, "passing_on": "nothing"})
    plan = Plan(load_grid(project.root, {"scale": "smoke"}), project.root)
    corpus = plan.inputs(Job.of("tokens", **{**DATA, "corpus": plan.grid.data_folder("toy")}))["corpus"]
    assert may_pass(plan, corpus) is None


def test_what_may_pass_is_in_no_identity(project):
    settings = [
        [jobs.recipe(job).asked for job in NUMBERS + TEXT if job.step not in ("inspect", "word_vectors")]
        for jobs in (jobs_of(project, "everything"), jobs_of(project, "nothing"))
    ]
    assert settings[0] == settings[1]
