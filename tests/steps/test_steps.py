"""The steps: a file, a rule and a command of each, the files that they write, and the recipes of their jobs."""

import json
import re
from pathlib import Path

import pytest
from helpers.command_line import output
from helpers.plans import closure, planner_of, plant_files
from helpers.small_grid import STUDY
from helpers.support import ROOT, Project

from docmt import steps
from docmt.base.artifacts import write_json
from docmt.base.manifest import RECORD
from docmt.base.recipe import read_recipe
from docmt.plan.driver import write_settings
from docmt.plan.host import PARTS
from docmt.plan.jobs import Job, check_outputs
from docmt.plan.planning import Planner
from docmt.steps import HELPERS, NAMES, all_steps, get_step

RULES: dict[str, str] = {}
"""The text of each rule of the workflow; of the rule `tokens`, which also joins the parts, both texts."""
for path in sorted((ROOT / "workflow/rules").glob("[0-9]*.smk")):
    text = path.read_text(encoding="utf-8")
    for rule, body in re.findall(r"^ *rule (\w+):\n((?:(?!^ *rule ).*\n)*)", text, re.MULTILINE):
        RULES[rule] = RULES.get(rule, "") + body
RUN = {"scale": "paper", "corpus": "toy", "seed": 1}
DATA = {"corpus": "toy", "text": "joint"}
ANY = dict.fromkeys(("scale", "corpus", "text", "view", "system", "seed", "study", "table", "item", "passage"), "x")
ANY |= {"checkpoint": "x", "whole": "", "at_scale": ""}
"""Values of all wildcards."""


def test_each_file_is_a_step_of_its_name_or_a_helper():
    files = {path.stem for path in Path(steps.__file__).parent.glob("*.py")} - {"__init__"}
    assert files == {*NAMES, *HELPERS} and not {*NAMES} & {*HELPERS}
    assert {name: step.name for name, step in all_steps().items()} == {name: name for name in NAMES}


def test_each_step_is_a_rule_and_each_rule_a_step_or_a_part_of_one():
    assert RULES.keys() == {*NAMES, *PARTS}


@pytest.mark.parametrize("name", NAMES)
def test_the_rule_of_a_step_calls_its_command_with_the_recipe_of_its_job(name):
    assert f'job=recipe_of("{name}")' in RULES[name]
    assert re.search(rf"docmt job {name} \{{params\.job:q\}} ", RULES[name])


@pytest.mark.parametrize("name", NAMES)
def test_the_rule_of_a_step_reads_what_the_step_says(name):
    """But for the corpus, whose downloads are made by a rule without a manifest."""
    readers = set(re.findall(r'\b(?:inputs|manifests)_of\("(\w+)"\)', RULES[name]))
    no_inputs = get_step(name).inputs is steps.step.no_inputs
    assert readers == (set() if no_inputs or name == "corpus" else {name})


def test_each_step_has_a_command_with_a_sentence_about_it():
    listed = " ".join(output("job", "--help").split())
    for step in all_steps().values():
        assert re.fullmatch(r"[A-Z].*\.", step.about) and f" {step.name} " in listed, step.name


@pytest.mark.parametrize("name", NAMES)
def test_a_step_can_write_the_outputs_by_which_unfinished_work_is_recognised(name):
    step = get_step(name)
    for output_name in (pattern.format(**ANY) for pattern in step.outputs):
        of_folder = step.can_write(f"{output_name}/a", ANY)
        assert output_name == RECORD or step.can_write(output_name, ANY) or of_folder, output_name


@pytest.mark.parametrize("name", NAMES)
def test_a_recipe_is_no_output_of_any_step(name):
    """A store, which brings outputs, brings no recipe: its hints name programs."""
    job = Job.of(name, **ANY)
    with pytest.raises(Exception, match=r"^[^\n]+: a file that its job does not write\n  found \S*job\.json"):
        check_outputs(job, [Path(job.recipe_path).name])
    check_outputs(job, [Path(path).name for path in (job.manifest, job.settings_path)])


@pytest.fixture
def external(small, monkeypatch) -> Project:
    """The small study with translations from a file, and by a program."""
    for name in ("theirs.txt", "program.py"):
        (small.root / name).write_text("a\n", encoding="utf-8")
    small.edit(STUDY, "systems/theirs", {"translations": {"path": "theirs.txt"}})
    small.edit(STUDY, "systems/service", {"command": {"run": "true", "version": "1", "depends_on": ["program.py"]}})
    monkeypatch.chdir(small.root)
    return small


def check_recipe(planner: Planner, job: Job, root: Path) -> None:
    """Write the recipe of a job, and read it: it has places for all that is asked of the job, and for nothing else."""
    recipe, asked = planner.jobs.recipe(job), planner.identities.asked(job)
    path = root / job.recipe_path
    write_json(path, recipe.to_json())
    again = read_recipe(path, job.rule)
    assert again.to_json() == json.loads(json.dumps(recipe.to_json()))
    assert (again.folder, again.prefix) == (root / job.folder, get_step(job.rule).prefix.format(**job.names))
    assert (again.inputs.keys(), again.files.keys()) == (asked.inputs.keys(), asked.files.keys()), job
    assert {str(place) for place in again.inputs.values()} == {
        read.manifest for read in planner.jobs.inputs(job).values()
    }
    assert not {*asked.settings} & {*again.hints}, "what decides an output is a setting"


def test_the_recipe_of_each_job_has_what_is_asked_of_it(external, tmp_path, monkeypatch):
    """Of all studies, with the files of the papers and with generated ones; and of external systems."""
    plant_files(monkeypatch)
    seen, roles = set(), set()
    planners = (planner_of(ROOT), planner_of(ROOT, scale="smoke"), planner_of(external.root))
    for number, planner in enumerate(planners):
        for job in closure(planner, *planner.jobs.grid.studies):
            check_recipe(planner, job, tmp_path / str(number))
            seen.add(job.rule)
            roles |= {role.partition("/")[0] for role in planner.jobs.files(job)}
    assert seen == {*NAMES}
    assert {"downloads", "pretrained", "tokenizer", "translations"} <= roles


def test_a_job_finds_its_recipe_beside_its_settings(external):
    planner = planner_of(external.root)
    for job in closure(planner, "one"):
        write_settings(planner, job)
        write_json(external.root / job.recipe_path, planner.jobs.recipe(job).to_json())
        recipe = read_recipe(external.root / job.recipe_path, job.rule)
        recipe.check_roles()
        assert recipe.read_settings()["version"] == get_step(job.rule).version
        assert (recipe.root, recipe.results) == (external.root, external.root / "results")


@pytest.mark.parametrize(
    ("job", "expected"),
    [
        (Job.of("adopt", **RUN, system="theirs"), {"translations": "theirs.txt"}),
        (
            Job.of("ask", **RUN, system="service"),
            {"timeout_seconds", "retries", "at_once", "state"},
        ),
        (Job.of("train", **RUN, system="fine"), {"state": "results/state/5_training/paper/toy/fine/seed1"}),
        (Job.of("views", **DATA, view="window1"), {"positions": []}),
        (Job.of("corpus", corpus="toy"), {"first": []}),
        (Job.of("scores", **RUN, system="fine"), {}),
        (Job.of("translate", **RUN, system="fine"), {}),
    ],
)
def test_hints_are_what_decides_no_output(external, job, expected):
    hints = planner_of(external.root).jobs.recipe(job).hints
    assert (hints.keys() if isinstance(expected, set) else hints) == expected


def test_inputs_have_their_roles(external):
    planner = planner_of(external.root)

    def read(job: Job) -> dict[str, str]:
        return {role: str(other).removeprefix("results/") for role, other in planner.jobs.inputs(job).items()}

    tokens, view = "2_tokens/toy/joint", "3_views/toy/joint/tokens64"
    assert read(Job.of("tokens", **DATA)) == {"corpus": "1_corpus/toy"}
    assert read(Job.of("views", **DATA, view="tokens64")) == {"tokens": tokens}
    assert read(Job.of("chain_words", **DATA)) == {"tokens": tokens}
    assert read(Job.of("chain_segments", **DATA, view="tokens64")) == {
        "tokens": tokens,
        "view": view,
        "words": "4_chains/toy/joint/words",
    }
    training, translations = "5_training/paper/toy/fine/seed1", "6_translations/paper/toy/fine/seed1"
    start = training.replace("fine", "sentence")
    assert read(Job.of("train", **RUN, system="fine")) == {"tokens": tokens, "view": view, "init": start}
    assert read(Job.of("translate", **RUN, system="fine")) == {"view": view, "model": training}
    scored = {"corpus": "1_corpus/toy", "tokens": tokens, "view": view, "translations": translations}
    assert read(Job.of("scores", **RUN, system="fine")) == {**scored, "aligner": "7_aligners/toy/joint"}


@pytest.mark.parametrize(
    ("config", "job", "expected"),
    [
        ({}, Job.of("tokens", **DATA), ["jieba", "sacremoses", "subword-nmt", "subword-nmt"]),
        ({"texts/joint/chinese": "characters"}, Job.of("tokens", **DATA), ["sacremoses", "subword-nmt", "subword-nmt"]),
        ({}, Job.of("translate", **RUN, system="sentence"), ["sacremoses"]),
        ({"engine": "ctranslate2"}, Job.of("translate", **RUN, system="sentence"), ["ctranslate2", "sacremoses"]),
        ({}, Job.of("adopt", **RUN, system="theirs"), ["sacremoses", "subword-nmt"]),
        ({}, Job.of("scores", **RUN, system="sentence"), ["sacrebleu"]),
        ({}, Job.of("word_vectors", **DATA), ["gensim"]),
        ({}, Job.of("report", scale="paper", study="one"), ["matplotlib", "scipy"]),
        ({}, Job.of("train", **RUN, system="sentence"), []),
    ],
)
def test_libraries_that_decide_an_output(external, config, job, expected):
    for key, value in config.items():
        external.edit("config.yaml", key, value)
    assert planner_of(external.root).jobs.libraries(job) == expected
