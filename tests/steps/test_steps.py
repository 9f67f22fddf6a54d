"""The steps: a file, a rule and a command of each, the files that they write, and the recipes of their jobs."""

import json
import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from helpers.plans import closure, plan_of, plant_files
from helpers.small_grid import STUDY
from helpers.support import ROOT, Project

from docmt import steps
from docmt.base import paths
from docmt.base.paths import ID_DIGITS
from docmt.base.recipe import JOB
from docmt.plan.plan import Job, Plan, job_of_place
from docmt.steps import HELPERS, NAMES, all_steps, get_step, read_job

RULES: dict[str, str] = {}
"""The text of each rule of the workflow."""
for path in sorted((ROOT / "workflow/rules").glob("[0-9]*.smk")):
    text = path.read_text(encoding="utf-8")
    RULES |= {
        name: f"{as_it}{body}"
        for as_it, name, body in re.findall(
            r"^((?:use rule \w+ as )?|rule )(\w+)(?: with)?:\n((?:(?!^rule |^use |^#).*\n)*)", text, re.MULTILINE
        )
    }
OTHERS = {"download", "show", "tokens_tokenised", "tokens_learnt", "tokens_encoded"}
"""The rules of downloads, of links to pages, and of the parts of a divided job."""
RUN = {"corpus": "toy", "seed": 1}
DATA = {"corpus": "toy", "text": "joint"}


def test_each_file_is_a_step_of_its_name_or_a_helper():
    files = {path.stem for path in Path(steps.__file__).parent.glob("*.py")} - {"__init__"}
    assert files == {*NAMES, *HELPERS} and not {*NAMES} & {*HELPERS}
    assert {name: step.name for name, step in all_steps().items()} == {name: name for name in NAMES}


def test_each_step_is_a_rule_and_each_rule_a_step_or_a_known_other():
    assert RULES.keys() == {*NAMES, *OTHERS}


@pytest.mark.parametrize("name", NAMES)
def test_the_rule_of_a_step_makes_its_manifest_with_its_command_from_what_the_step_reads(name):
    (kind,) = re.findall(r"update\(paths\.(\w+) / \"manifest\.json\"\)", RULES[name])
    assert getattr(paths, kind) == get_step(name).folder
    assert f'needs("{name}")' in RULES[name]
    like = re.match(r"use rule (\w+) as ", RULES[name])
    assert 'exec docmt job "$(dirname {output:q})"' in RULES[like[1] if like else name]


def test_each_step_has_a_sentence_about_it():
    assert [step.name for step in all_steps().values() if not re.fullmatch(r"[A-Z].*\.", step.about)] == []


@pytest.mark.parametrize("name", NAMES)
def test_no_step_writes_a_recipe_or_a_lease(name):
    """A store, which brings outputs, brings no recipe, since its hints name programs."""
    step = get_step(name)
    assert step.writes and not any(map(step.can_write, (JOB, "process.json", "refused.json")))


@pytest.mark.parametrize("name", NAMES)
def test_the_place_of_a_job_says_its_step_and_names(name):
    """So each step has a stage of its own."""
    names = dict.fromkeys(re.findall(r"{(\w+)}", get_step(name).folder.places), "7")
    job = Job.of(name, **names)
    assert job_of_place(job.place) == job


@pytest.fixture
def external(small, monkeypatch) -> Project:
    """The small study with translations from a file, and by a program."""
    for name in ("theirs.txt", "program.py"):
        (small.root / name).write_text("a\n", encoding="utf-8")
    small.edit(STUDY, "systems/theirs", {"translations": {"path": "theirs.txt"}})
    small.edit(STUDY, "systems/service", {"command": {"run": "true", "version": "1", "depends_on": ["program.py"]}})
    monkeypatch.chdir(small.root)
    return small


def check_recipe(plan: Plan, job: Job, root: Path) -> set[str]:
    """Write the recipe of a job and read it; return the roles of its files."""
    recipe = plan.recipe(job)
    assert recipe.folder.name == recipe.identity[:ID_DIGITS]
    assert recipe.inputs == {role: plan.recipe(read).folder for role, read in plan.inputs(job).items()}
    stated = json.loads(json.dumps(get_step(job.step).settings(plan.grid, job.names)))
    assert recipe.all_settings == {**stated, "version": recipe.version}
    recipe.write(root)
    again = read_job(root / recipe.folder)[0]
    assert again.to_json() == json.loads(json.dumps(recipe.to_json()))
    return {role.partition("/")[0] for role in recipe.files}


def some(jobs: Iterable[Job]) -> list[Job]:
    """Every twelfth job of each step: those of all papers alone are hundreds, which differ little."""
    by_step: dict[str, list[Job]] = {}
    for job in jobs:
        by_step.setdefault(job.step, []).append(job)
    return [job for listed in by_step.values() for job in listed[::12]]


def test_the_recipe_of_each_job_is_read_as_it_was_written(external, tmp_path, monkeypatch):
    """Of all studies, with the files of the papers and with generated ones; and of external systems."""
    plant_files(monkeypatch)
    monkeypatch.setattr("docmt.steps.of_grid.has_weights", lambda folder: True)
    seen, roles = set(), set()
    for number, plan in enumerate(
        (plan_of(ROOT, missing="stop"), plan_of(ROOT, scale="smoke"), plan_of(external.root))
    ):
        for job in some(closure(plan, *plan.grid.studies)):
            roles |= check_recipe(plan, job, tmp_path / str(number))
            seen.add(job.step)
    assert seen == {*NAMES} - {"contrastive_whole"}, "no study here scores whole targets"
    assert {"downloads", "pretrained", "tokenizer", "translations"} <= roles


def places_read(plan: Plan, step: str, **names: object) -> dict[str, str]:
    """The places below `results/` of what a job reads, by role."""
    return {role: str(read).removeprefix("results/") for role, read in plan.inputs(Job.of(step, **names)).items()}


def test_inputs_have_their_roles(external):
    plan = plan_of(external.root)
    tokens, view = "2_tokens/toy/joint", "3_views/toy/joint/tokens64"
    training, translations = "5_training/toy/fine/seed1", "6_translations/toy/fine/seed1"
    scored = {"corpus": "1_corpus/toy", "tokens": tokens, "view": view, "aligner": "7_aligners/toy/joint"}
    for step, names, expected in (
        ("tokens", DATA, {"corpus": "1_corpus/toy"}),
        ("views", {**DATA, "view": "tokens64"}, {"tokens": tokens}),
        ("chain_words", DATA, {"tokens": tokens}),
        (
            "chain_segments",
            {**DATA, "view": "tokens64"},
            {"tokens": tokens, "view": view, "words": "4_chain_words/toy/joint"},
        ),
        (
            "train",
            {**RUN, "system": "fine"},
            {"tokens": tokens, "view": view, "init": training.replace("fine", "sentence")},
        ),
        ("translate", {**RUN, "system": "fine"}, {"view": view, "model": training}),
        ("scores", {**RUN, "system": "fine"}, {**scored, "translations": translations}),
    ):
        assert places_read(plan, step, **names) == expected, step


def test_hints_and_libraries(external):
    """Hints decide no output; libraries do by their versions."""
    external.edit("config.yaml", "engine", "ctranslate2")
    plan = plan_of(external.root)
    text = ["sacremoses", "subword-nmt"]
    for step, names, hints, libraries in (
        ("adopt", {**RUN, "system": "theirs"}, {"translations"}, text),
        ("ask", {**RUN, "system": "service"}, {"timeout_seconds", "retries", "at_once"}, text),
        ("train", {**RUN, "system": "fine"}, set(), []),
        ("views", {**DATA, "view": "window1"}, {"positions"}, []),
        ("corpus", {"corpus": "toy"}, {"first"}, []),
        ("tokens", DATA, {"shards"}, ["jieba", *text]),
        ("translate", {**RUN, "system": "sentence"}, set(), ["ctranslate2", "sacremoses"]),
        ("scores", {**RUN, "system": "fine"}, set(), ["sacrebleu"]),
        ("page", {"scale": "paper", "study": "one", "item": "index"}, {"item", "opened"}, ["matplotlib", "scipy"]),
    ):
        recipe = plan.recipe(Job.of(step, **names))
        assert {*recipe.hints} - {"knobs"} == hints, step
        assert sorted(recipe.libraries) == libraries, step
    assert [*get_step("word_vectors").libraries(plan.grid, DATA)] == ["gensim"]


def test_knobs_are_settings_that_no_identity_has(external):
    plan, run = plan_of(external.root), {**RUN, "system": "fine"}
    of_training, of_search = {"train.batch_tokens", "train.save_every_updates"}, {"decode.batch_tokens"}
    for step, expected in (
        ("train", of_training),
        ("translate", of_search),
        ("scores", {f"resolved.{name}" for name in of_training | of_search}),
    ):
        recipe = plan.recipe(Job.of(step, **run))
        assert {*recipe.hints["knobs"]} - {"study"} == expected, step
        for name in expected:
            section = recipe.settings
            for part in name.split(".")[:-1]:
                section = section[part]
            assert name.rpartition(".")[2] not in section


def test_other_settings_of_text_and_search_need_other_libraries(external):
    external.edit("config.yaml", "texts/joint/chinese", "characters")
    plan = plan_of(external.root)
    assert sorted(plan.recipe(Job.of("tokens", **DATA)).libraries) == ["sacremoses", "subword-nmt"]
    assert sorted(plan.recipe(Job.of("translate", **RUN, system="sentence")).libraries) == ["sacremoses"]
