"""Remedies of settings, plans and checks before a run, carried out."""

import json
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from helpers.command_line import succeed
from helpers.finished import finish
from helpers.remedies import Action, carried, first_error, pip_installs, refused
from helpers.small_grid import CORPUS, STUDY, small_project
from helpers.support import ROOT, Project

from docmt.base.paths import page_link
from docmt.catalogue.corpus import load_corpus
from docmt.cli.init import make_study_folder
from docmt.grid.grid import Grid, load_grid
from docmt.plan.driver import TRIGGERS, Driver, RunSettings
from docmt.plan.inventory import inventory
from docmt.plan.plan import Job, Plan
from docmt.plan.removal import chosen
from docmt.plan.stored import named_store
from docmt.preflight import environment
from docmt.preflight.planned import planned_run

TRAINING = Job.of("train", corpus="toy", system="sentence", seed=1)
IN_FP32 = "set `precision: fp32` in config.yaml, for every study that does not compare precisions"


@dataclass
class Room:
    """What a situation may use: a folder of its own, a small project, and what is changed until the test ends."""

    folder: Path
    monkeypatch: pytest.MonkeyPatch

    @cached_property
    def project(self) -> Project:
        return small_project(self.folder / "project")

    def grid(self, **overrides) -> Grid:
        return load_grid(self.project.root, overrides)

    def edited(self, path: str, value: object, file: str = STUDY) -> None:
        self.project.edit(file, path, value)

    def after_edit(self, path: str, value: object, file: str = STUDY) -> Action:
        """The grid, after one change of a file; the file is then as before."""

        def load() -> Grid:
            before = (self.project.root / file).read_text()
            self.edited(path, value, file)
            try:
                return self.grid()
            finally:
                (self.project.root / file).write_text(before)

        return load


def config_of(printed: str) -> dict:
    """The overrides of a command line in a remedy: `--config KEY=VALUE`."""
    words = printed.split("--config ")[1].split(";")[0].split()
    pairs = [word.partition("=") for word in words if "=" in word]
    return {key: yaml.safe_load(value) for key, _, value in pairs}


def prompted(room: Room, action: Action) -> dict:
    return config_of(str(refused(action).remedy))


@carried("grid/grid.py", "snakemake --config scale={}")
def another_scale(room: Room):
    def target(**overrides):
        room.grid(**overrides).check_scale("smoke", "results/8_report/smoke/one/index.html")

    return target, lambda: target(**prompted(room, target))


def a_run(room: Room, *targets: str, triggers=TRIGGERS, until=(), is_dry: bool = True) -> Driver:
    """What the rules ask in a run of the small project."""
    room.monkeypatch.chdir(room.project.root)
    named, ending = frozenset(targets), frozenset(until)
    settings = RunSettings(named, frozenset(), False, False, ending, frozenset(triggers), is_dry)
    return Driver(room.grid(), lambda: settings, print)


@carried("plan/driver.py", "add --rerun-triggers mtime params")
def other_triggers(room: Room):
    def run(*triggers: str):
        return a_run(room, triggers=triggers).settings

    def with_the_flag():
        words = str(refused(lambda: run("mtime", "input")).remedy).removeprefix("add --rerun-triggers ").split()
        run(*words)

    return lambda: run("mtime", "input", "code"), with_the_flag


@carried("plan/driver.py", "the trainings of a study are a target: snakemake STUDY.trainings")
def until_the_trainings(room: Room):
    until = lambda: a_run(room, "one", until=["train"]).prepare()  # noqa: E731

    def trainings():
        target = str(refused(until).remedy).rpartition(" ")[2].replace("STUDY", "one")
        assert {job.step for job in a_run(room, target).target_jobs} == {"train"}

    return until, trainings


@carried("plan/driver.py", "remove `prefix:`; docmt writes into the folder of the run")
def a_module_with_a_prefix(room: Room):
    link = page_link("paper", "one", "index")
    return (
        lambda: a_run(room, "one").place_of_page(link, f"sub/{link}"),
        lambda: a_run(room, "one").place_of_page(link, link),
    )


@carried("plan/removal.py", "docmt list-results --all names what is there")
def a_folder_without_results(room: Room):
    plan = Plan(room.grid(), room.project.root)
    finish(plan, [Job.of("corpus", corpus="toy")])

    def remove(place: str) -> None:
        assert chosen(inventory(plan), [Path(place)], False)

    def named():
        listed = succeed("list-results", "--all", "--json", "--root", room.project.root).stdout
        remove(json.loads(listed)[0]["path"])

    return lambda: remove("results/2_tokens"), named


@carried("plan/stored.py", "name it in config.yaml, or with --config store=FOLDER")
def no_store(room: Room):
    folder = str(room.folder / "store")
    named = lambda: named_store(room.grid(store=folder))  # noqa: E731

    def in_the_file():
        room.edited("store", folder, "config.yaml")
        named_store(room.grid())

    return lambda: named_store(room.grid()), named, in_the_file


@carried("grid/entries.py", "`decode: {engine: docmt}` in this system")
def engine_of_other_models(room: Room):
    room.edited("systems/document/decode", {"engine": "ctranslate2"})
    return room.grid, room.after_edit("systems/document/decode", {"engine": "docmt"})


@carried("grid/entries.py", "`init_from: {system: ..., corpus: ...}` starts from a model on another corpus")
def start_on_another_corpus(room: Room):
    study = room.project.read(STUDY)
    study["corpora"] = ["toy", "other"]
    study["systems"] = {
        "sentence": {"corpora": ["toy"], "text": "shared"},
        "fine": {"init_from": "sentence", "corpora": ["other"], "text": "shared", "extends": "sentence"},
    }
    room.project.write(STUDY, study)
    room.project.write("workflow/corpora/other.yaml", {"corpus": "other", **CORPUS})
    room.edited("texts/shared", {"bpe": "joint", "merges": 10, "learnt_on": "toy"}, "config.yaml")
    return room.grid, room.after_edit("systems/fine/init_from", {"system": "sentence", "corpus": "toy"})


@carried("grid/entries.py", "set model.embeddings to target or separate, or take a text with vocabulary: shared")
def shared_embeddings(room: Room):
    room.edited("systems", {"sentence": {"text": "separate", "model": {"embeddings": "shared"}}})
    embeddings = [room.after_edit("systems/sentence/model/embeddings", value) for value in ("target", "separate")]
    return room.grid, *embeddings, room.after_edit("systems/sentence/text", "joint")


@carried("grid/resolve.py", "state the settings that all share in the first of them, or in config.yaml's defaults")
def a_long_chain(room: Room):
    def systems(chained: bool, **first) -> dict:
        names = [f"s{number}" for number in range(60)]
        stated = {name: {"extends": before if chained else "s0"} for before, name in pairwise(names)}
        return {"s0": first, **stated}

    room.edited("systems", systems(chained=True))

    def in_defaults():
        room.edited("defaults/train/lr", 0.25, "config.yaml")
        room.edited("systems", {name: {} for name in systems(chained=False)})
        room.grid()

    return room.grid, room.after_edit("systems", systems(chained=False, train={"lr": 0.25})), in_defaults


def corpus_without(*splits: str, **reader) -> dict:
    files = {split: {"source": f"{split}.zh", "target": f"{split}.en"} for split in ("train", "dev", "test")}
    others = {split: paths for split, paths in files.items() if split not in splits}
    names = [path for paths in files.values() for path in paths.values()]
    stated = [{"name": name, "sources": [{"url": f"https://example.org/{name}"}]} for name in names]
    return {**CORPUS, "corpus": "toy", "files": stated, "reader": {"kind": "lines", "splits": others, **reader}}


@carried(
    "grid/corpus_checks.py",
    "add files for it to {}, or hold documents of train out: `held_out: {{}}` in its reader",
)
def a_corpus_without_splits(room: Room):
    file = "workflow/corpora/toy.yaml"

    def load(corpus: dict) -> Grid:
        room.project.write(file, corpus)
        return room.grid()

    broken = lambda: load(corpus_without("dev", "test"))  # noqa: E731
    stated = yaml.safe_load(str(refused(broken).remedy).split("`")[1])
    return broken, lambda: load(corpus_without()), lambda: load(corpus_without("dev", "test", **stated))


@carried("cli/init.py", "name another folder; in the clone itself, snakemake and docmt work without it")
def a_study_folder_in_the_clone(room: Room):
    inside, outside = ROOT / "my-study", room.folder / "new"
    return (
        lambda: make_study_folder(inside, ROOT),
        lambda: make_study_folder(outside, ROOT),
        lambda: load_grid(ROOT),
    )


@carried("preflight/environment.py", "in docmt's clone: pip install -c pins.txt -e {}")
def packages_of_jobs(room: Room):
    missing = {"gensim", "eflomal"}
    room.monkeypatch.chdir(room.project.root)
    room.monkeypatch.setattr(environment, "installed_version", lambda name: "missing" if name in missing else "1")
    run = planned_run(room.grid(scoring={"aligner": {"kind": "eflomal"}}), ["one"])[0]
    check = lambda: first_error(environment.check_environment(run))  # noqa: E731

    def mended():
        missing.difference_update(pip_installs(refused(check).remedy))
        check()

    return check, mended


@carried("catalogue/corpus.py", "list it under `files`")
def a_file_that_is_not_listed(room: Room):
    corpus = corpus_without()
    *fewer, last = corpus["files"]
    room.project.write("toy.yaml", {**corpus, "files": fewer})

    def mended():
        room.project.write("toy.yaml", {**corpus, "files": [*fewer, last]})
        load_corpus(room.project.root / "toy.yaml")

    return lambda: load_corpus(room.project.root / "toy.yaml"), mended


@carried("catalogue/corpus.py", "rename the file to {}.yaml, or write `corpus: {}`")
def a_corpus_of_another_name(room: Room):
    room.project.write("other.yaml", {"corpus": "toy", **CORPUS})

    def renamed():
        (room.project.root / "other.yaml").rename(room.folder / "toy.yaml")
        load_corpus(room.folder / "toy.yaml")

    def written():
        room.project.write("other.yaml", {"corpus": "other", **CORPUS})
        load_corpus(room.project.root / "other.yaml")

    return lambda: load_corpus(room.project.root / "other.yaml"), renamed, written
