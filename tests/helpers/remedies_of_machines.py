"""Remedies of disks, cards, networks and clusters, carried out on pretended ones."""

import http.server
import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import torch
from helpers.command_line import succeed
from helpers.exported import DOCUMENTS, TEXT, write_model
from helpers.model_cases import CASES
from helpers.remedies import Action, carried, first_error
from helpers.remedies_of_plans import CORPUS, TRAINING, Room
from helpers.servers import serving

import docmt
from docmt.exporting import ct2_engine
from docmt.exporting.ct2_search import CTranslate2Search
from docmt.preflight import place
from docmt.preflight.network import check_network
from docmt.preflight.planned import planned_run
from docmt.preflight.slurm import Requests, check_slurm
from docmt.settings.data import CutConfig
from docmt.settings.decode import DecodeConfig
from docmt.trained.engine import exported_model
from docmt.trained.model import TrainedModel
from docmt.training.ranks import joined


@carried(
    "preflight/place.py",
    "make room (`docmt remove-results` lists what is old), link results/ to a larger disk, or ask for less",
)
def a_small_disk(room: Room):
    room.monkeypatch.chdir(room.project.root)
    large, results = room.folder / "large", Path("results").absolute()
    large.mkdir()
    need = int(sum(place.estimated_room(planned_run(room.grid(), ["one"])[0]).values()))
    free = {results.parent: need // 2, large: 2 * need}

    usage = lambda path: SimpleNamespace(free=free[path.resolve()])  # noqa: E731
    room.monkeypatch.setattr(place.shutil, "disk_usage", usage)
    check = lambda target="one": first_error(place.check_disk(planned_run(room.grid(), [target])[0]))  # noqa: E731

    def linked():
        results.symlink_to(large)
        check()
        results.unlink()

    def cleared():
        succeed("remove-results", "--unused", "--root", room.project.root)
        free[results.parent] = 2 * need
        check()

    return check, linked, lambda: check(TRAINING.place), cleared


@carried("training/ranks.py", "torchrun --nproc-per-node <GPUs>")
def more_ranks_than_cards(room: Room):
    room.monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)

    def train(ranks: int) -> None:
        for name in ("WORLD_SIZE", "LOCAL_WORLD_SIZE"):  # as torchrun does
            room.monkeypatch.setenv(name, str(ranks))
        with joined(torch.device("cuda")):
            pass

    return lambda: train(2), lambda: train(1)


CUT = CutConfig(window=1)


def trained(room: Room) -> TrainedModel:
    config = replace(CASES["transformer pre-norm"], frame="summarised")
    return TrainedModel.open(write_model(room.folder / "model", config, CUT, is_sure=True, end=5), "cpu", 1)


@carried(
    "exporting/ct2_search.py", "`engine: docmt` or `device: cpu` in config.yaml, or --engine docmt or --device cpu"
)
def a_gpu_that_ctranslate2_does_not_see(room: Room):
    room.monkeypatch.setattr("ctranslate2.get_cuda_device_count", lambda: 0)
    model = trained(room)
    source = exported_model(model, CUT, DecodeConfig())
    card = SimpleNamespace(device=torch.device("cuda", 0))
    on_gpu = SimpleNamespace(config=source.network.config, parameters=lambda: iter([card]))
    return (
        lambda: CTranslate2Search(replace(source, network=on_gpu)),
        lambda: CTranslate2Search(source),
        lambda: docmt.open_model(model.folder, device="cpu", threads=1).translate(DOCUMENTS, engine="docmt"),
    )


@carried("exporting/ct2_engine.py", ct2_engine.REMEDY)
def a_wrong_conversion(room: Room):
    room.monkeypatch.setattr(ct2_engine, "_largest_difference", lambda *_: 1.0)
    model = trained(room).folder

    def translate(engine: str) -> None:
        succeed("translate", "--model", model, "--device", "cpu", "--threads", 1, "--engine", engine, text=TEXT)

    def in_the_file():
        room.edited("engine", "docmt", "config.yaml")
        (engine,) = {entry.system.decode.engine for entry in room.grid().entries}
        translate(engine)

    return lambda: translate("ctranslate2"), lambda: translate("docmt"), in_the_file


class Site(http.server.BaseHTTPRequestHandler):
    """A server that has b.zh alone."""

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.send_response(200 if self.path == "/b.zh" else 404)
        self.send_header("Content-Length", "9")
        self.end_headers()


HERE, GONE = "http://one.example/b.zh", "http://one.example/c.zh"


def asked(room: Room, level: str, *urls: str, then: Action = lambda: None, **config) -> Action:
    """Ask the sources of the only file of the corpus, and do another thing while their server runs."""

    def look() -> None:
        files = [{"name": "b.zh", "sources": [*urls]}]
        room.project.write("workflow/corpora/toy.yaml", {"corpus": "toy", **CORPUS, "files": files})
        room.monkeypatch.chdir(room.project.root)
        with serving(Site) as url:
            room.edited("hosts", {"one.example": url}, "config.yaml")
            run = planned_run(room.grid(**config), ["one"])[0]
            first_error(finding for finding in check_network(run) if finding.level == level)
            then()

    return look


@carried("preflight/network.py", "add a source to the catalogue, or put the file into a folder of `local`")
def a_file_without_a_source(room: Room):
    (room.folder / "mine").mkdir()
    (room.folder / "mine/b.zh").write_text("text\n")
    here = asked(room, "error", GONE, local={"toy": str(room.folder / "mine")})
    return asked(room, "error", GONE), asked(room, "error", GONE, HERE), here


@carried(
    "preflight/slurm.py",
    "run on a login node, and ask the administrators whether Slurm's controller runs (`scontrol ping`)",
)
def a_controller_that_is_away(room: Room):
    programs = Programs(room)
    programs.write("scontrol", "exit 1")

    def started():
        programs.write("scontrol", "echo 'SLURM_VERSION = 23'")
        programs.check()

    return programs.check, started


class Programs:
    """Programs in the place of Slurm's, as `tests/preflight/test_slurm.py` has them."""

    def __init__(self, room: Room) -> None:
        self.folder = room.folder / "slurm"
        self.folder.mkdir()
        room.monkeypatch.setenv("PATH", str(self.folder), prepend=os.pathsep)
        self.write("sbatch", "exit 0")

    def write(self, name: str, lines: str) -> None:
        (self.folder / name).write_text(f"#!/bin/sh\n{lines}\n")
        (self.folder / name).chmod(0o755)

    def check(self) -> None:
        first_error(check_slurm(Requests("docmt-slurm", (), {"docmt-slurm-status-command": "squeue"})))
