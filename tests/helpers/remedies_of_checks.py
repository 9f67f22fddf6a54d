"""Remedies of `docmt preflight`, and of missing files, carried out."""

import os
import subprocess
from dataclasses import replace
from pathlib import Path

from helpers.remedies import Action, carried, first_error, pip_installs, refused
from helpers.remedies_of_plans import Room, corpus_without
from helpers.stored import new_store

from docmt.plan.links import jobs_of_target
from docmt.plan.obtain import check_supplies
from docmt.plan.plan import Plan
from docmt.preflight import devices, environment, place, requests, sources, store
from docmt.preflight.requests import Requests

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

    def check(self, device: str = "auto", executor: str | None = None) -> Action:
        def look() -> None:
            asked = Requests(executor, (("train", {"gpu": "0" if device == "cpu" else "1"}),))
            first_error(devices.check_devices(replace(self.room.grid(), device=device), asked, self.dev, self.driver))

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


@carried("preflight/devices.py", f"{BUILD}, or set device: cpu")
def a_torch_for_processors_on_a_cluster(room: Room):
    machine, cluster = Machine(room, torch="2.13.0+cpu"), {"executor": "slurm"}
    installed = machine.after(lambda: machine.torch("2.13.0+cu130"), **cluster)
    return machine.check(**cluster), machine.check("cpu", **cluster), installed


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


@carried("preflight/requests.py", "see it whole: snakemake -n {} --profile {}")
def a_run_that_snakemake_does_not_plan(room: Room):
    """What its command prints has the whole message."""
    ended = subprocess.CompletedProcess([], 1, "", "docmt: toy: no such corpus\n  found tyo\n")
    room.monkeypatch.chdir(room.folder)
    room.monkeypatch.setattr(requests.subprocess, "run", lambda command, **_: ended)
    Path("mine").mkdir()
    Path("mine/config.yaml").write_text("executor: slurm\n")
    read = lambda: requests.read_requests("mine", ["one"], {})  # noqa: E731

    def whole():
        words = str(refused(read).remedy).removeprefix("see it whole: ").split()
        assert words == ["snakemake", "-n", "one", "--profile", "mine"]

    return read, whole


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

    def check(*targets: str, missing: str = "stop", **config) -> None:
        plan = Plan(room.grid(missing=missing, **config))
        check_supplies(plan, {target: jobs_of_target(plan, target) for target in targets or ("one",)})

    def put():
        path = Path("results/1_corpus/toy/downloads")
        path.mkdir(parents=True)
        (path / corpus["files"][0]["name"]).write_text("text\n")
        check()

    return (
        check,
        lambda: check(mirror=str(folder)),
        lambda: check(local={"toy": str(room.folder / "mine")}),
        lambda: check("one", "all", missing="skip"),
        put,
    )


for text in (f"{PUT}{{}} {SKIP}", SKIP.removeprefix("(any layout). ")):
    carried("catalogue/missing.py", text)(files_that_only_a_person_can_bring)
