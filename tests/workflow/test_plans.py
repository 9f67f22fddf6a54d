"""What a change of the settings makes the workflow do again, and what it leaves alone."""

import re

import pytest
import yaml
from helpers.plans import to_make
from helpers.support import placeholder_mirror, planned

REPORT = ("compare", "item", "report", "demo_report")
"""Rules that make pages, and what they show of the significance of differences."""
DEMO = "workflow/studies/demo.yaml"
WINDOWS = ("concat_3", "long_short")
"""Extend the sentence model; the second extends the first."""
STARTED = ("g_transformer", "lexical_chain", "w_link", "han")
"""Start from the sentence model; the last two extend the second."""
TRAINED = "results/5_training/paper/toy_zh-en/long_short/seed1/record.json"
INSPECTED = ("lexical_chain",)
"""Shown in a figure of what they do inside."""


def work(jobs: set[str]) -> set[str]:
    """Without what only makes pages."""
    return {job for job in jobs if job.split()[0] not in REPORT}


def pages(jobs: set[str]) -> set[str]:
    return jobs - work(jobs)


TABLES = ("quality", "what_context_decides")
ALL_ITEMS = {f"item {name}" for name in (*TABLES, "learning", "positions", "attention", "latent")}
ALL_PAGES = ALL_ITEMS | {f"compare {name}" for name in TABLES} | {"report", "demo_report"}


def again(*systems: str, trained: bool) -> set[str]:
    """The jobs of a system from its training, or from its decoding, on."""
    rules = ["translate", "scores"] + (["train", "contrastive"] if trained else [])
    inspected = {f"inspect {system}" for system in systems if system in INSPECTED}
    return {f"{rule} {system}" for rule in rules for system in systems} | inspected


def test_after_a_finished_demo_there_is_nothing_to_do(demo):
    assert to_make(demo.root) == set()


def test_another_study_of_the_same_system_scores_it_in_its_own_way_and_trains_nothing(demo):
    study = demo.read(DEMO) | {
        "study": "other",
        "figures": {},
        "findings": [],
        "scoring": {"consistency": {"match": "subset"}},
    }
    table = {"title": "T", "metrics": ["LTCR"], "rows": [{"system": "sentence"}]}
    demo.write("workflow/studies/other.yaml", {**study, "tables": {"t": table}})
    assert to_make(demo.root, "results/8_report/smoke/other/t.html") == {"scores sentence@other", "item t"}
    assert to_make(demo.root) == set(), "the scores of the demo stay"


def test_a_changed_length_penalty_decodes_that_system_again_and_trains_nothing(demo):
    demo.edit(DEMO, "systems/g_transformer/decode", {"length_alpha": 0.7})
    jobs = to_make(demo.root)
    assert {job for job in jobs if job.startswith(("train", "tokens", "views", "corpus"))} == set()
    assert work(jobs) == again("g_transformer", trained=False) | {"contrastive g_transformer"}


def test_a_changed_beam_decodes_all_again_and_trains_nothing(demo):
    demo.edit("workflow/scales/smoke.yaml", "decode/beam", 3)
    jobs = to_make(demo.root)
    assert {job.split()[0] for job in work(jobs)} == {"translate", "contrastive", "inspect", "scores"}
    assert pages(jobs) == ALL_PAGES


def test_a_changed_override_retrains_that_system_only(demo):
    demo.edit(DEMO, "systems/g_transformer/train/label_smoothing", 0.2)
    assert work(to_make(demo.root)) == again("g_transformer", trained=True)


def test_a_changed_parent_retrains_what_extends_it_or_starts_from_it(demo):
    demo.edit(DEMO, "systems/sentence/train/label_smoothing", 0.2)
    assert work(to_make(demo.root)) == again(*WINDOWS, *STARTED, "sentence", trained=True)


def test_a_system_that_starts_from_a_retrained_one_is_retrained(demo):
    for system in ("concat_3", "g_transformer", "lexical_chain"):
        demo.edit(DEMO, f"systems/{system}/train/label_smoothing", 0.1)
    demo.edit(DEMO, "systems/sentence/train/label_smoothing", 0.3)
    assert work(to_make(demo.root)) == again(*STARTED, "sentence", trained=True)


def test_another_rule_of_agreement_scores_all_again_and_decodes_nothing(demo):
    demo.edit("config.yaml", "scoring/consistency/match", "overlap")
    jobs = to_make(demo.root)
    assert {job.split()[0] for job in work(jobs)} == {"scores"}
    # No score is part of the curves of trainings, or of what models do inside.
    assert ALL_PAGES - pages(jobs) == {"item learning", "item attention", "item latent"}


def test_judging_whole_targets_asks_for_their_scores_and_decodes_nothing(demo):
    demo.edit("config.yaml", "scoring/contrastive/unit", "target")
    assert {job.split()[0] for job in to_make(demo.root)} == {"contrastive", "scores", *REPORT}


def test_coherence_trains_word_vectors_and_scores_all_again(demo):
    demo.edit("config.yaml", "scoring/coherence/vectors", {"en": "trained"})
    assert {job.split()[0] for job in work(to_make(demo.root))} == {"word_vectors", "scores"}


def test_what_concerns_another_language_scores_nothing(demo):
    demo.edit("config.yaml", "scoring/coherence/vectors", {"de": "trained"})
    demo.edit("config.yaml", "scoring/consistency/target_stop_lists", {"de": "german.txt"})
    assert to_make(demo.root) == set()


def test_another_baseline_compares_again_and_scores_nothing(demo):
    """The findings go with the baseline, since their p is that of its comparisons; both tables show some of them."""
    study = demo.read(DEMO) | {"findings": []}
    study["tables"]["quality"]["baseline"] = "concat_3"
    demo.write(DEMO, study)
    tables = {"item quality", "item what_context_decides"}
    assert to_make(demo.root) == {"compare quality", *tables, "report", "demo_report"}


def test_another_caption_is_a_matter_of_the_page_alone(demo):
    demo.edit(DEMO, "tables/quality/caption", "other words")
    assert to_make(demo.root) == {"item quality", "report", "demo_report"}


def test_another_title_is_a_matter_of_all_pages_that_lead_to_it(demo):
    demo.edit(DEMO, "tables/quality/title", "Another title")
    assert to_make(demo.root) == ALL_ITEMS | {"report", "demo_report"}


def test_a_new_figure_of_what_was_run_makes_pages_alone(demo):
    figure = {**demo.read(DEMO)["figures"]["learning"], "values": ["dev_perplexity"]}
    demo.edit(DEMO, "figures/perplexity", figure)
    assert to_make(demo.root) == ALL_ITEMS | {"item perplexity", "report", "demo_report"}


def test_reordering_keys_does_nothing(demo):
    def backwards(value):
        return {key: backwards(value[key]) for key in reversed(value)} if isinstance(value, dict) else value

    for name in (DEMO, "config.yaml", "workflow/corpora/toy_zh-en.yaml", "workflow/scales/smoke.yaml"):
        demo.write(name, yaml.safe_dump(backwards(demo.read(name)), sort_keys=False, allow_unicode=True))
    assert to_make(demo.root) == set()


def test_a_mirror_downloads_nothing_again(demo):
    assert to_make(demo.root, mirror="/some/where") == set()


def test_a_system_that_differs_only_in_decoding_trains_nothing(demo):
    demo.edit(DEMO, "systems/g_transformer.longer", {"extends": "g_transformer", "decode": {"length_penalty": "none"}})
    expected = {"translate g_transformer.longer", "contrastive g_transformer.longer", "scores g_transformer.longer"}
    assert work(to_make(demo.root)) == expected


def test_another_seed_trains_every_system_once_more(demo):
    jobs = to_make(demo.root, seeds=[1, 2])
    systems = {"sentence", *WINDOWS, *STARTED}
    assert {job for job in jobs if job.startswith("train")} == {f"train {system}" for system in systems}


def test_another_study_beside_it_moves_nothing(demo):
    study = demo.read(DEMO)
    study.update(study="mine", tables={}, findings=[])
    study["systems"]["sentence"]["train"]["label_smoothing"] = 0.2
    demo.write("mine.yaml", study)
    assert to_make(demo.root, studies=["demo", "mine.yaml"]) == set()
    jobs = to_make(demo.root, "mine", studies=["demo", "mine.yaml"])
    assert {"train sentence@mine", "train g_transformer@mine", "train concat_3@mine"} <= jobs


PAGE = "results/8_report/smoke/demo/quality.html"
TRANSLATION = "results/6_translations/smoke/toy_zh-en/han/seed1/test.txt"
RUN = again(*WINDOWS, *STARTED, "sentence", trained=True)
DATA = {"corpus", "tokens", "aligner", "views", "chain_words", "chain_segments"}
TRANSLATED = {job for job in RUN if job.startswith("translate")}


def test_snakemake_runs_what_the_planner_plans_and_says_why(demo):
    """Of a study, of a page of it, and up to a rule."""
    demo.edit(DEMO, "systems/sentence/train/label_smoothing", 0.2)
    assert planned(demo) == to_make(demo.root) | {"demo"}
    assert planned(demo, PAGE) == to_make(demo.root, PAGE)
    said = demo.snakemake("-n", PAGE, check=True).stderr
    sentence = "results/5_training/smoke/toy_zh-en/sentence/seed1"
    assert f"docmt: {sentence}: the setting train.label_smoothing was 0.1, is 0.2; made again\n" in said
    assert re.search(r"docmt: 7 finished trainings would be trained again, 0\.0\d device-hours", said)
    assert planned(demo, "--until", "translate") == TRANSLATED | {job for job in RUN if job.startswith("train ")}


@pytest.mark.parametrize(
    ("options", "jobs"),
    [
        pytest.param(("-R", "translate"), TRANSLATED, id="a rule"),
        pytest.param(("-R", TRANSLATION), {"translate han"}, id="a file"),
        pytest.param(("-f", TRANSLATION), {"translate han"}, id="a target"),
        pytest.param(
            ("-F", PAGE), RUN - {"inspect lexical_chain"} | DATA | {"compare quality", "item quality"}, id="everything"
        ),
    ],
)
def test_a_forced_job_runs_and_what_reads_it_stays(demo, options, jobs):
    """Its outputs have the same identity; where they get another content, the next run makes what reads them again."""
    assert planned(demo, *options) == jobs


@pytest.mark.parametrize("target", ["all", "demo", "bible"])
def test_every_study_plans_on_the_cluster(project, target):
    """But for what starts from pretrained models, which are not there."""
    mirror = placeholder_mirror(project)
    done = project.snakemake("--profile", "slurm", "-n", target, "--config", f"mirror={mirror}", "missing=skip")
    assert done.returncode == 0, done.stderr
    assert "train" in done.stdout + done.stderr
    assert "estimated to take longer" not in done.stderr or target == "all"


def test_trainings_that_take_longer_than_their_jobs_may_run_are_said_on_a_cluster_alone(project):
    """The first attempt has `runtime` of the profile or the command line, and each of the `retries` twice as much."""
    options = ("-n", TRAINED, "--config", "device=cpu")
    told = project.snakemake(
        "--profile", "slurm", *options, "--set-resources", "train:runtime=1", "--retries", "1", check=True
    )
    assert "longer than their jobs may run: 1. Raise `max_runtime`" in told.stderr
    assert "may run 0.1 h (1 + 2 minutes)" in told.stderr
    here = project.snakemake("--cores", "1", *options, "--set-resources", "train:runtime=1", check=True)
    assert "estimated to take longer" not in here.stderr
