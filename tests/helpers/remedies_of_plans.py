"""Remedies of settings, plans and checks before a run, carried out."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from helpers.planted_gpus import plant_gpus, uuid_of, write_program
from helpers.remedies import Action, carried, pip_installs, refused
from helpers.small_grid import CORPUS, STUDY, small_project
from helpers.support import ROOT, Project

from docmt.catalogue.corpus import load_corpus
from docmt.grid.grid import Grid, load_grid
from docmt.plan import preflight
from docmt.plan.budget import Used, check_budget
from docmt.plan.driver import check_price
from docmt.plan.exchange import store_of
from docmt.plan.jobs import Job
from docmt.plan.nodes import check_nodes
from docmt.plan.planning import Plan, StaleTraining
from docmt.plan.removal import check_lock
from docmt.cli.init import make_study_folder

TRAINING = Job.of("train", scale="paper", corpus="toy", system="sentence", seed=1)
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


@carried("plan/driver.py", "to train them again: --config retrain_hours={}{}; the present ones are set aside")
def stale_trainings(room: Room):
    plan = Plan(stale=[StaleTraining(TRAINING, "changed", 12.3)])

    def run(retrain_hours: float = 1):
        check_price(plan, retrain_hours)

    return run, lambda: run(**prompted(room, run))


@carried(
    "plan/budget.py",
    "ask for targets with fewer trainings (docmt list-targets), or raise the budget: --config device_hours={}{}{}",
)
def too_few_hours(room: Room):
    def run(device_hours: float = 0.001, jobs=(TRAINING,)):
        check_budget(room.grid(device_hours=device_hours), jobs, Used(0.7, {}), room.project.root)

    return lambda: run(0.5), lambda: run(0.5, ()), lambda: run(**prompted(room, lambda: run(0.5)))


@carried("plan/exchange.py", "name it in config.yaml, or with --config store=FOLDER")
def no_store(room: Room):
    folder = str(room.folder / "store")
    named = lambda: store_of(room.grid(store=folder))  # noqa: E731

    def in_the_file():
        room.edited("store", folder, "config.yaml")
        store_of(room.grid())

    return lambda: store_of(room.grid()), named, in_the_file


@carried("plan/nodes.py", "add --profile slurm, or --set-resources train:nodes=1")
def several_nodes(room: Room):
    return lambda: check_nodes(2, False), lambda: check_nodes(2, True), lambda: check_nodes(1, False)


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


@carried("plan/study_folder.py", "name another folder; in the clone itself, snakemake and docmt work without it")
def a_study_folder_in_the_clone(room: Room):
    inside, outside = ROOT / "my-study", room.folder / "new"
    return (
        lambda: make_study_folder(inside, ROOT),
        lambda: make_study_folder(outside, ROOT),
        lambda: load_grid(ROOT),
    )


@carried("plan/removal.py", "remove results when it has ended; after a run that was killed: snakemake --unlock")
def a_lock_of_snakemake(room: Room):
    lock = room.folder / ".snakemake/locks/0.input.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()

    def unlocked():
        lock.unlink()  # what `snakemake --unlock` does, which takes seconds to start: tests/workflow/test_slurm.py
        check_lock(room.folder)

    return lambda: check_lock(room.folder), unlocked


def in_bf16(room: Room) -> None:
    room.edited("systems", {"sentence": {"train": {"precision": "bf16"}}})


@carried("plan/preflight.py", IN_FP32)
def an_old_gpu(room: Room):
    plant_gpus(room.folder, 1, room.monkeypatch)
    listing = (room.folder / "bin/nvidia-smi").read_text().removeprefix("#!/bin/sh\n")
    row = f"echo '{uuid_of(0)}, Tesla P100, 6.0'"
    write_program(room.folder / "bin/nvidia-smi", f'case "$1" in --query*) {row}; exit;; esac\n{listing}')
    in_bf16(room)
    check = lambda: preflight.check_precision(room.grid(), [TRAINING])  # noqa: E731
    return check, lambda: room.edited("precision", "fp32", "config.yaml"), check


@carried("plan/preflight.py", "in docmt's clone: pip install -c pins.txt -e {}")
def packages_of_jobs(room: Room):
    missing = {"gensim", "eflomal"}
    room.monkeypatch.setattr(preflight, "is_installed", lambda name: name not in missing)
    check = lambda: preflight.check_packages(["default", "eflomal"])  # noqa: E731

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
