"""Remedies of `docmt preflight`, and of missing files, carried out."""

import os
from dataclasses import replace
from pathlib import Path

from helpers.remedies import Action, carried, first_error, pip_installs, refused
from helpers.remedies_of_plans import Room, corpus_without
from helpers.stored import new_store

from docmt.plan.obtain import check_supplies
from docmt.preflight import devices, environment, place, profile, sources, store
from docmt.preflight.profile import Profile

CUDA_DRIVER = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05\n"


class Machine:
    """Cards, a driver and a torch, as `tests/preflight/test_devices.py` has them."""

    def __init__(self, room: Room, cards: int = 1, torch: str = "2.13.0+cu130") -> None:
        self.room, self.dev, self.driver = room, room.folder / "dev", room.folder / "version"
        self.dev.mkdir()
        for number in range(cards):
            (self.dev / f"nvidia{number}").touch()
        self.driver.write_text(CUDA_DRIVER)
        room.monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
        self.torch(torch)

    def torch(self, version: str) -> None:
        self.room.monkeypatch.setattr(devices, "installed_version", lambda name: version)

    def check(self, device: str = "auto", gpu: int = 1, **values) -> Action:
        def look() -> None:
            stated = Profile({"set-resources": {"train": {"gpu": gpu}}, **values})
            first_error(devices.check_devices(replace(self.room.grid(), device=device), stated, self.dev, self.driver))

        return look

    def after(self, action: Action, **state) -> Action:
        def mended() -> None:
            action()
            self.check(**state)()

        return mended


@carried("preflight/devices.py", "set device: auto, or run where there is a GPU (`ls /dev/nvidia*`, `nvidia-smi`)")
def no_card(room: Room):
    machine = Machine(room, cards=0)
    return machine.check("cuda"), machine.check("auto"), machine.after((machine.dev / "nvidia0").touch, device="cuda")


@carried("preflight/devices.py", "load the driver (`nvidia-smi` shows it)")
def no_driver(room: Room):
    machine = Machine(room)
    machine.driver.unlink()
    return machine.check("cuda"), machine.after(lambda: machine.driver.write_text(CUDA_DRIVER), device="cuda")


BUILD = "in docmt's clone: pip install -c pins.txt torch, from an index whose torch is built for CUDA"


@carried("preflight/devices.py", BUILD)
def a_torch_for_processors(room: Room):
    machine = Machine(room, torch="2.13.0+cpu")
    return machine.check("cuda"), machine.after(lambda: machine.torch("2.13.0+cu130"), device="cuda")


@carried("preflight/devices.py", f"{BUILD}, or set gpu: 0 for train")
def a_torch_for_processors_on_a_cluster(room: Room):
    machine, cluster = Machine(room, torch="2.13.0+cpu"), {"executor": "slurm", "jobs": 1}
    installed = machine.after(lambda: machine.torch("2.13.0+cu130"), **cluster)
    return machine.check(**cluster), machine.check(gpu=0, **cluster), installed


@carried("preflight/devices.py", "state gpu: 1 for train")
def no_gpu_asked_for(room: Room):
    machine, cluster = Machine(room), {"executor": "slurm", "jobs": 1}
    return machine.check("cuda", 0, **cluster), machine.check("cuda", 1, **cluster)


@carried("preflight/devices.py", "unset CUDA_VISIBLE_DEVICES, or name cards in it")
def hidden_cards(room: Room):
    machine = Machine(room)
    room.monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    named = machine.after(lambda: room.monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0"))
    return machine.check(), named, machine.after(lambda: room.monkeypatch.delenv("CUDA_VISIBLE_DEVICES"))


@carried("preflight/place.py", "make the folder that it names (mkdir -p), or mount its disk")
def a_link_to_nowhere(room: Room):
    results, there = room.folder / "results", room.folder / "disk/results"
    results.symlink_to(there)
    check = lambda: first_error(place.check_place(results))  # noqa: E731

    def mended():
        there.mkdir(parents=True)
        check()

    return check, mended


def of_profile(room: Room, text: str) -> Action:
    def look() -> None:
        room.monkeypatch.chdir(room.project.root)
        Path("mine").mkdir(exist_ok=True)
        Path("mine/profile.yaml").write_text(text)
        first_error(profile.check_profile("mine", profile.read_profile("mine")))

    return look


@carried("preflight/profile.py", "add `jobs: 40`: the largest number of jobs that are sent at the same time")
def a_cluster_without_jobs(room: Room):
    return of_profile(room, "executor: slurm\n"), of_profile(room, "executor: slurm\njobs: 40\n")


@carried("preflight/profile.py", "pip install snakemake-executor-plugin-{}, or correct the name")
def an_executor_without_a_plugin(room: Room):
    def installed() -> None:
        command = str(refused(of_profile(room, "executor: lsf2\njobs: 1\n")).remedy).split(",")[0]
        module = command.removeprefix("pip install ").replace("-", "_")
        (room.folder / module).mkdir()
        (room.folder / module / "__init__.py").touch()
        room.monkeypatch.syspath_prepend(str(room.folder))
        of_profile(room, "executor: lsf2\njobs: 1\n")()

    return of_profile(room, "executor: lsf2\njobs: 1\n"), of_profile(room, "executor: slurm\njobs: 1\n"), installed


@carried("preflight/sources.py", "write it (`docmt read-sheets --json`), or remove the line")
def preferences_that_are_not_there(room: Room):
    path = room.folder / "judged.json"
    check = lambda **human: first_error(sources.check_places(room.grid(human=human)))  # noqa: E731

    def written():
        path.write_text("{}")
        check(one=str(path))

    return lambda: check(one=str(path)), check, written


def rights(room: Room, denied: int) -> Action:
    if not (room.folder / "store").exists():
        new_store(room.folder / "store")

    def look(**mode) -> None:
        room.monkeypatch.setattr(store.os, "access", lambda path, mode: not mode & denied)
        first_error(store.check_store(room.grid(store=str(room.folder / "store"), **mode)))

    return look


@carried("preflight/store.py", "ask the owner of the folder, or set store_mode: pull")
def a_store_that_cannot_be_written(room: Room):
    return rights(room, os.W_OK), lambda: rights(room, os.W_OK)(store_mode="pull"), rights(room, 0)


@carried("preflight/store.py", "ask its owner, or store_mode: off")
def a_store_that_cannot_be_read(room: Room):
    return rights(room, os.R_OK), lambda: rights(room, os.R_OK)(store_mode="off"), rights(room, 0)


@carried("preflight/environment.py", "in docmt's clone: pip install -c pins.txt -e {}")
def other_versions(room: Room):
    room.monkeypatch.chdir(room.folder)
    Path("pins.txt").write_text("numpy==1.0\n")
    versions = {"numpy": "2.0"}
    room.monkeypatch.setattr(environment, "installed_version", lambda name: versions.get(name, "missing"))
    check = lambda: first_error(environment._other_versions([]))  # noqa: E731

    def installed():
        assert "numpy" in pip_installs(refused(check).remedy)
        versions["numpy"] = "1.0"
        check()

    return check, installed


def by_hand(room: Room) -> dict:
    """A corpus with a file that only a person can bring."""
    corpus = corpus_without()
    corpus["files"][0] |= {"sources": [], "obtain": "Ask the LDC."}
    room.project.write("workflow/corpora/toy.yaml", corpus)
    return corpus


PUT = "put each file into its folder above, or name folders that hold them by these names: `mirror: FOLDER`, or "
SKIP = "(any layout). With `missing: skip`, `all` and studies go on without them."


@carried("catalogue/missing.py", f"{PUT}`local: {{{{}}: FOLDER}}` {SKIP}")
def files_that_only_a_person_can_bring(room: Room):
    corpus, folder = by_hand(room), room.folder / "mine/deep"
    folder.mkdir(parents=True)
    (folder / corpus["files"][0]["name"]).write_text("text\n")
    room.monkeypatch.chdir(room.project.root)

    def check(*targets: str, **config) -> None:
        check_supplies(room.grid(missing="stop", **config), targets or ("one",))

    def put():
        path = Path("results/1_corpus/toy/downloads")
        path.mkdir(parents=True)
        (path / corpus["files"][0]["name"]).write_text("text\n")
        check()

    return (
        check,
        lambda: check(mirror=str(folder)),
        lambda: check(local={"toy": str(room.folder / "mine")}),
        lambda: check_supplies(room.grid(missing="skip"), ["one", "all"]),
        put,
    )


for text in (f"{PUT}{{}} {SKIP}", SKIP.removeprefix("(any layout). ")):
    carried("catalogue/missing.py", text)(files_that_only_a_person_can_bring)
