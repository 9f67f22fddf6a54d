"""Remedies of `docmt preflight`, and of missing files, carried out."""

import os
import subprocess
from pathlib import Path

from helpers.preflights import run_of
from helpers.remedies import Action, carried, first_error, refused
from helpers.remedies_of_plans import Room, corpus_without
from helpers.stored import new_store

from docmt.plan.links import jobs_of_target
from docmt.plan.obtain import check_supplies
from docmt.plan.plan import Plan
from docmt.preflight import devices, files, place, slurm, store
from docmt.preflight.devices import check_devices
from docmt.preflight.slurm import Requests


@carried("preflight/devices.py", "{}, or set device: cpu")
def a_torch_that_can_use_no_card(room: Room):
    room.monkeypatch.chdir(room.project.root)
    reasons = ["an old driver"]
    room.monkeypatch.setattr(devices, "count_device_files", lambda: 1)
    room.monkeypatch.setattr("torch.cuda.is_available", lambda: not reasons)
    room.monkeypatch.setattr("docmt.nn.device.reason_without_cuda", lambda: (reasons[0], "install a newer driver"))
    check = lambda **config: first_error(check_devices(run_of(**config), Requests()))  # noqa: E731

    def installed():
        reasons.clear()
        check()

    return check, lambda: check(device="cpu"), installed


@carried(
    "preflight/devices.py",
    "in docmt's clone: pip install -c pins.txt torch, from an index for CUDA, or set device: cpu",
)
def a_torch_for_processors_on_a_cluster(room: Room):
    room.monkeypatch.chdir(room.project.root)
    version = ["2.13.0+cpu"]
    room.monkeypatch.setattr("docmt.base.gpus.installed_version", lambda name: version[-1])
    asked = Requests("slurm", ({"rule": "train", "threads": 1, "gpu": 1},))
    check = lambda **config: first_error(check_devices(run_of(**config), asked))  # noqa: E731

    def installed():
        version.append("2.13.0+cu130")
        check()

    return check, lambda: first_error(check_devices(run_of(device="cpu"), Requests("slurm"))), installed


@carried("preflight/place.py", "make the folder that it names (mkdir -p), or mount its disk")
def a_link_to_nowhere(room: Room):
    results, there = room.folder / "results", room.folder / "disk/results"
    results.symlink_to(there)
    check = lambda: first_error(place.check_place(results))  # noqa: E731

    def mended():
        there.mkdir(parents=True)
        check()

    return check, mended


@carried("preflight/slurm.py", "see it whole: snakemake -n {} --profile {}")
def a_run_that_snakemake_does_not_plan(room: Room):
    """What its command prints has the whole message."""
    ended = subprocess.CompletedProcess([], 1, "", "docmt: toy: no such corpus\n  found tyo\n")
    room.monkeypatch.chdir(room.folder)
    room.monkeypatch.setattr(slurm.subprocess, "run", lambda command, **_: ended)
    Path("mine").mkdir()
    Path("mine/config.yaml").write_text("executor: docmt-slurm\n")
    read = lambda: slurm.read_requests("mine", ["one"], {})  # noqa: E731

    def whole():
        words = str(refused(read).remedy).removeprefix("see it whole: ").split()
        assert words == ["snakemake", "-n", "one", "--profile", "mine"]

    return read, whole


@carried("preflight/files.py", "write it (`docmt read-sheets --json`), or remove the line")
def preferences_that_are_not_there(room: Room):
    path = room.folder / "judged.json"
    check = lambda **human: first_error(files.check_places(room.grid(human=human)))  # noqa: E731

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


@carried("preflight/store.py", "ask its owner, or store_mode: pull")
def a_store_that_cannot_be_written(room: Room):
    return rights(room, os.W_OK), lambda: rights(room, os.W_OK)(store_mode="pull"), rights(room, 0)


@carried("preflight/store.py", "ask its owner, or store_mode: off")
def a_store_that_cannot_be_read(room: Room):
    return rights(room, os.R_OK), lambda: rights(room, os.R_OK)(store_mode="off"), rights(room, 0)


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
