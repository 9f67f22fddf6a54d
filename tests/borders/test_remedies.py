"""What a message tells a person to do is there, and the words of its commands mend what it is about.

The commands, options and settings of all remedies are looked up. Some remedies are obeyed to the letter: what they
print is read out of them, and done.
"""

import re
import shutil
import subprocess
from contextlib import chdir
from dataclasses import fields
from pathlib import Path

import pytest
import yaml
from helpers.command_line import succeed
from helpers.finished import finish_targets
from helpers.remedies import Module, config_of, options_of_docmt, pip_installs, refused, remedies, texts_of
from helpers.small_grid import CORPUS, STUDY
from helpers.support import Project

from docmt.base.artifacts import atomic_file
from docmt.base.errors import install
from docmt.base.manifest import MANIFEST, check_file, read_manifest
from docmt.base.recipe import JOB, Recipe, read_recipe
from docmt.base.sealing import sealing
from docmt.cli.commands import FOR_YOU
from docmt.cli.commands import STORE as OF_STORE
from docmt.grid.grid import Grid, load_grid
from docmt.plan.driver import TRIGGERS, Driver, RunSettings
from docmt.plan.plan import Job, Plan
from docmt.provenance.artifacts import finished_run
from docmt.settings.models import MODEL_CONFIGS
from docmt.settings.train import TrainConfig
from docmt.store.signatures import signature_of
from docmt.store.store import open_store

COMMANDS = {name for section in FOR_YOU.values() for name in section}
COMMANDS |= {f"store {name}" for section in OF_STORE.values() for name in section}
OF_OTHERS = {"--profile", "--rerun-triggers", "--set-resources", "--unlock", "--until", "--nproc-per-node"}
"""Options of snakemake and torchrun."""
MADE = Job.of("corpus", corpus="toy")


def test_commands_and_options_that_remedies_name_are_there():
    texts = [remedy.text for remedy in remedies()]
    named = [name for text in texts for name in re.findall(r"docmt ((?:store |job )[a-z_-]+|[a-z]+-[a-z-]+)", text)]
    assert len(texts) > 150 and named and {*named} <= COMMANDS
    options = {option for text in texts for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)}
    assert options <= options_of_docmt() | OF_OTHERS


def test_settings_that_remedies_name_are_there_and_take_the_values_that_they_name(small):
    texts = [remedy.text for remedy in remedies()]
    stated = r"\b(device|engine|fetch_checkpoints|missing|precision|store_mode): (\w+)"
    values = {pair for text in texts for pair in re.findall(stated, text)}
    assert len(values) > 6
    for key, value in values:
        load_grid(small.root, {key: yaml.safe_load(value)})
    names = {name for text in texts for name in re.findall(r"\b(?:train|model)\.[a-z_]+\b(?!\.)", text)}
    known = {f"train.{field.name}" for field in fields(TrainConfig)}
    known |= {f"model.{field.name}" for config in MODEL_CONFIGS.values() for field in fields(config)}
    assert names - {"model.safetensors"} and names <= known | {"model.safetensors"}


@pytest.mark.parametrize(
    ("code", "texts"),
    [
        ("'set train.lr'", {"set train.lr"}),
        ("f'run docmt {command}'", {"run docmt {}"}),
        ("'one' if given else f'{other}, two'", {"one", "{}, two"}),
        ("FIRST + '; then ' + second()", {"run snakemake; then {}"}),
        ("install('eflomal')", {"in docmt's clone: pip install -c pins.txt -e {}"}),
    ],
)
def test_the_collector_reads_every_form_of_a_text(code, texts, tmp_path, monkeypatch):
    monkeypatch.setattr("helpers.remedies.PACKAGE", tmp_path)
    (tmp_path / "module.py").write_text(f"FIRST = 'run snakemake'\nremedy = {code}\n")
    module = Module(tmp_path / "module.py")
    (value,) = module.values["remedy"]
    assert texts_of(value, module) == texts


OF_EXTRAS = {
    (): {"gensim"},
    ("ctranslate2",): {"ctranslate2"},
    ("eflomal",): {"eflomal"},
    ("gs",): {"gcsfs"},
    ("ja",): {"mecab-python3"},
    ("s3",): {"s3fs"},
}


@pytest.mark.parametrize("extras", OF_EXTRAS)
def test_the_command_that_installs_a_library_installs_it(extras):
    assert OF_EXTRAS[extras] <= pip_installs(install(*extras))


# Obeyed to the letter.


def snakemake(project: Project, target: str) -> set[Job]:
    """Do what a run does for a target: plan it, write its recipes, make its outputs; the jobs that it runs."""
    settings = RunSettings(frozenset([target]), frozenset(), False, False, frozenset(), frozenset(TRIGGERS), False)
    with chdir(project.root):
        run = Driver(load_grid(project.root, {}), lambda: settings, print)
        run.write_recipes()
        for job in run.to_run:
            recipe = run.plan.recipe(job)
            with sealing(recipe), atomic_file(recipe.folder / "card.json") as stream:
                stream.write("{}")
    return {*run.to_run}


def folder_of_corpus(project: Project) -> Path:
    """The folder of the corpus, relative to the project, in which the caller is."""
    return Plan(load_grid(project.root, {})).recipe(MADE).folder


@pytest.mark.parametrize(
    ("damaged", "read"),
    [
        (MANIFEST, read_manifest),
        ("card.json", check_file),
        (JOB, lambda path: read_recipe(path.parent)),
    ],
)
def test_what_a_message_says_to_delete_is_made_again(small, monkeypatch, damaged, read):
    """Of finished outputs the recipe is written again, and nothing is made."""
    monkeypatch.chdir(small.root)
    target = f"{folder_of_corpus(small)}/{MANIFEST}"
    assert snakemake(small, target) == {MADE} and snakemake(small, target) == set()
    path = small.root / folder_of_corpus(small) / damaged
    path.write_text("{")
    remedy = str(refused(lambda: read(path)).remedy)
    (deleted,) = re.findall(r"delete (\S+) and run snakemake", remedy) or [path]
    Path(deleted).unlink()
    assert snakemake(small, target) == ({MADE} if damaged != JOB else set())
    read(path)


def test_the_folder_that_a_message_says_to_remove_is_made_again(small, monkeypatch):
    """As after a folder was renamed by hand."""
    monkeypatch.chdir(small.root)
    old = folder_of_corpus(small)
    snakemake(small, f"{old}/{MANIFEST}")
    small.edit("workflow/corpora/toy.yaml", "most_shared", {"pairs": 0.5})
    wanted = folder_of_corpus(small)
    old.rename(wanted)
    tokens = Recipe("tokens", 1, {}, small.root / "tokens", {"corpus": wanted})

    def read() -> None:
        with sealing(tokens, closes=False):
            pass

    shutil.rmtree(re.search(r"remove the folder (\S+), and run snakemake again", str(refused(read).remedy))[1])
    assert snakemake(small, f"{wanted}/{MANIFEST}") == {MADE}
    read()


def test_the_command_for_a_target_that_is_not_finished_makes_it(small, monkeypatch):
    monkeypatch.chdir(small.root)
    place = folder_of_corpus(small).parent
    missing = refused(lambda: succeed("export-corpus", "toy", "--output", "out", "--root", small.root))

    def finished() -> None:
        finished_run(Plan(load_grid(small.root, {})), str(place), "")

    command = str(refused(finished).remedy).split("`")[1]
    assert snakemake(small, command.removeprefix("snakemake --cores all ")) == {MADE}
    finished()
    path = re.search(r"`snakemake (\S+)/manifest.json`", str(missing.remedy))[1]
    assert Path(path) == folder_of_corpus(small)


def test_the_target_of_a_page_that_is_not_finished_makes_it(small):
    def check() -> None:
        succeed("check-findings", "one", "--root", small.root)

    finish_targets(small.root, str(refused(check).remedy).removeprefix("snakemake "))
    check()


def test_the_config_that_a_message_prints_mends(small, tmp_path):
    def of_scale(**config: object) -> None:
        load_grid(small.root, config).check_scale("smoke", "results/8_report/smoke/one/index.html")

    def of_store(**config: object) -> None:
        if load_grid(small.root, {"store": str(tmp_path / "no store"), **config}).pulls:
            open_store(str(tmp_path / "no store")).check()

    for call in (of_scale, of_store):
        call(**config_of(refused(call).remedy))


def test_the_triggers_that_a_message_prints_mend(small, monkeypatch):
    monkeypatch.chdir(small.root)

    def run(*triggers: str) -> None:
        settings = RunSettings(frozenset(), frozenset(), False, False, frozenset(), frozenset(triggers), True)
        assert Driver(load_grid(small.root, {}), lambda: settings, print).settings

    run(*str(refused(lambda: run("mtime", "input", "code")).remedy).removeprefix("add --rerun-triggers ").split())


def test_the_lines_for_a_corpus_without_splits_can_be_pasted(small):
    names = ("train.zh", "train.en")
    files = [{"name": name, "sources": [{"url": f"https://example.org/{name}"}]} for name in names]
    reader = {"kind": "lines", "splits": {"train": dict(zip(("source", "target"), names, strict=True))}}

    def load(**more: object) -> Grid:
        corpus = {"corpus": "toy", **CORPUS, "files": files, "reader": {**reader, **more}}
        small.write("workflow/corpora/toy.yaml", corpus)
        return load_grid(small.root, {})

    load(**yaml.safe_load(str(refused(load).remedy).split("`")[1]))


def test_the_engine_of_other_models_can_be_pasted(small):
    small.edit(STUDY, "systems/document/decode", {"engine": "ctranslate2"})
    remedy = str(refused(lambda: load_grid(small.root, {})).remedy)
    small.edit(STUDY, "systems/document/decode", yaml.safe_load(remedy.split("`")[1])["decode"])
    load_grid(small.root, {})


def test_the_commands_for_a_store_and_for_a_key_make_them(tmp_path):
    check = open_store(str(tmp_path / "store")).check
    subprocess.run(str(refused(check).remedy).split("to begin a store: ")[1].split(), check=True)
    check()
    key = tmp_path / "id"
    key.write_text("no key\n")
    command = str(refused(lambda: signature_of("text", key)).remedy).removeprefix("to make a key: ").split()
    key.unlink()
    subprocess.run([*command, "-q", "-N", "", "-f", str(key)], check=True)
    assert signature_of("text", key)


def test_a_word_that_is_almost_a_target_is_told_of(small):
    """Snakemake tells the plan no target before it has planned, so that any word of the command line may be one."""
    driver = Driver(load_grid(small.root, {}), dict, print)
    study = driver.default
    words = ["-n", f"{study}x", study.upper(), study, f"{study}.training", "--cores", "2", "scale=smoke", "config.yaml"]
    said = [line.rpartition(" ")[2] for line in driver.hints(words)]
    assert said == [f"'{study}'?", f"'{study}'?", f"'{study}.trainings'?"]
