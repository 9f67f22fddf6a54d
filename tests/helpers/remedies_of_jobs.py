"""Remedies of files, jobs, models, trainings and stores, carried out."""

import os
import socket
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import numpy as np
import pyarrow as pa
import torch
from helpers.command_line import succeed
from helpers.planted_gpus import new_machine, plant_gpus
from helpers.remedies import Action, carried, pip_installs, refused
from helpers.remedies_of_plans import IN_FP32, Room

from docmt.api.alignment import check_together
from docmt.api.trainings import list_trainings
from docmt.base import clone, recipe
from docmt.base.foreign import explained, library
from docmt.exporting.ct2_model import ctranslate2
from docmt.nn.device import choose_device
from docmt.nn.layers import LearnedPositions
from docmt.scoring.alignment.programs import Eflomal
from docmt.scoring.bleu import FAMILIES
from docmt.scoring.plain_files import read_plain_files
from docmt.settings.models import TransformerConfig
from docmt.steps.gpus import take_gpus
from docmt.training import computing
from docmt.training.meeting import Meeting
from docmt.training.node import TrainingNode, check_job_of_slurm, this_node
from docmt.training.update import check_lengths

INSTALL = "in docmt's clone: pip install -c pins.txt -e {}"


@carried("api/alignment.py", "leave out --model, or the training text")
def a_model_and_training_text(room: Room):
    check = lambda model, text: check_together("awesome-align" if model else "default", model, text, None)  # noqa: E731
    model = Path("bert")
    return lambda: check(model, True), lambda: check(model, False), lambda: check(None, True)


@carried("api/trainings.py", "name the folder of the results: --results FOLDER")
def no_results(room: Room):
    (room.folder / "mine").mkdir()
    missing = lambda: list_trainings(room.folder / "results")  # noqa: E731
    return missing, lambda: succeed("list-trainings", "--results", room.folder / "mine")


@carried("base/clone.py", "git clone docmt, and in the clone: pip install -c pins.txt -e .")
def a_copy_of_the_package(room: Room):
    here = clone.PACKAGE_PARENT
    room.monkeypatch.setattr(clone, "PACKAGE_PARENT", room.folder)

    def cloned():
        room.monkeypatch.setattr(clone, "PACKAGE_PARENT", here)
        assert (clone.clone_of(room.folder) / "pins.txt").is_file()

    return lambda: clone.clone_of(room.folder), cloned


@carried(
    "base/recipe.py",
    "install the same versions for snakemake and for its jobs; in docmt's clone: pip install -c pins.txt -e {}",
)
def a_library_of_another_version(room: Room):
    versions = {"numpy": "1.0"}
    room.monkeypatch.setattr(recipe, "installed_version", versions.__getitem__)
    job = recipe.Recipe("train", 1, {}, room.folder, libraries={"numpy": "2.0"})

    def installed():
        assert "numpy" in pip_installs(refused(job.check_libraries).remedy)
        versions["numpy"] = "2.0"
        job.check_libraries()

    return job.check_libraries, installed


@carried("base/foreign.py", "make or download the file again; DOCMT_DEBUG=1 shows where it was read")
def a_damaged_file(room: Room):
    path = room.folder / "x.zip"
    program = (
        "import sys, zipfile; from docmt.cli import main; main.run = lambda: zipfile.ZipFile(sys.argv[1]); main.main()"
    )

    def run(**environment) -> str:
        command = [sys.executable, "-c", program, str(path)]
        done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True)
        return done.stderr

    def broken():
        path.write_text("no zip")
        with zipfile.ZipFile(path):
            pass

    def as_docmt():
        try:
            broken()
        except Exception as problem:
            raise explained(problem) from None

    def again():
        with zipfile.ZipFile(path, "w"):
            pass
        assert run() == ""

    def traced():
        path.write_text("no zip")
        assert "Traceback" not in run() and "Traceback" in run(DOCMT_DEBUG="1")

    return as_docmt, traced, again


def installed_by(room: Room, name: str, package: str, call: Action) -> tuple[Action, Action]:
    """A library that is missing, and the same call after the command of pip."""
    room.monkeypatch.setitem(sys.modules, name, None)

    def installed():
        assert package in pip_installs(refused(call).remedy)
        room.monkeypatch.setitem(sys.modules, name, ModuleType(name))
        call()

    return call, installed


@carried("base/foreign.py", INSTALL)
def a_library_of_docmt(room: Room):
    return installed_by(room, "gensim", "gensim", lambda: library("gensim", "training word vectors needs gensim"))


@carried("exporting/ct2_model.py", INSTALL)
def no_ctranslate2(room: Room):
    return installed_by(room, "ctranslate2", "ctranslate2", ctranslate2)


@carried("scoring/alignment/programs.py", f"{INSTALL} (which needs a C compiler), or take another aligner")
def no_eflomal(room: Room):
    align = lambda: Eflomal().align([], [])  # noqa: E731
    room.monkeypatch.setattr(Eflomal, "_signature", lambda self, too_long: "")
    return installed_by(room, "eflomal", "eflomal", align)


@carried("scoring/bleu.py", f"{INSTALL}, or take the families tokenized_lower and tokenized, which need no tokeniser")
def no_tokeniser(room: Room):
    from docmt.scoring import bleu

    real = bleu.BLEU

    def without(lowercase, **settings):
        if settings.get("trg_lang") == "ja":
            raise RuntimeError("MeCab is not installed")
        return real(lowercase, **settings)

    room.monkeypatch.setattr(bleu, "BLEU", without)
    plain = next(family for family in FAMILIES.values() if not family.is_tokenized)
    others = [lambda name=name: FAMILIES[name].metric("ja") for name in ("tokenized_lower", "tokenized")]

    def installed():
        assert "mecab-python3" in pip_installs(refused(lambda: plain.metric("ja")).remedy)
        room.monkeypatch.setattr(bleu, "BLEU", lambda lowercase, **settings: settings)
        plain.metric("ja")

    return lambda: plain.metric("ja"), *others, installed


@carried("steps/gpus.py", "take fewer ranks (`gpu` of the workflow), or --device cpu")
def more_ranks_than_gpus(room: Room):
    plant_gpus(room.folder, 1, room.monkeypatch, new_machine())
    return lambda: take_gpus("auto", 2), lambda: take_gpus("cpu", 2), lambda: take_gpus("auto", 1)


@carried("nn/device.py", "{}; or --device cpu, or auto")
def no_cuda(room: Room):
    return lambda: choose_device("cuda"), lambda: choose_device("cpu"), lambda: choose_device("auto")


@carried("training/computing.py", IN_FP32)
def a_gpu_without_bf16(room: Room):
    room.monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda **_: False)
    room.monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: "Tesla P100")
    room.edited("systems", {"sentence": {"train": {"precision": "bf16"}}})

    def train():
        (entry,) = room.grid().entries
        computing.forward_context(torch.device("cuda"), entry.system.train.precision)

    return train, lambda: room.edited("precision", "fp32", "config.yaml"), train


@carried("training/update.py", "raise train.batch_tokens, or cut documents smaller (view: max_tokens)")
def a_segment_longer_than_a_batch(room: Room):
    def check(batch_tokens: int = 100, max_tokens: int = 120):
        check_lengths(np.array([7, max_tokens]), pa.chunked_array([["a", "b"]]), batch_tokens, "train.arrow")

    return check, lambda: check(batch_tokens=120), lambda: check(max_tokens=100)


@carried("nn/layers.py", "cut documents smaller (view: max_tokens)")
def a_segment_longer_than_the_table(room: Room):
    table = LearnedPositions(TransformerConfig(max_positions=8, width=64))
    return lambda: table(torch.arange(9), 9), lambda: table(torch.arange(8), 8)


@carried("training/node.py", "call it in a job of Slurm with {} nodes, or state --node-rank and --rendezvous HOST:PORT")
def nodes_without_slurm(room: Room):
    for name in ("SLURM_JOB_ID", "SLURM_STEP_ID"):
        room.monkeypatch.delenv(name, raising=False)

    def in_a_job():
        room.monkeypatch.setenv("SLURM_JOB_ID", "7")
        check_job_of_slurm(2)

    return lambda: check_job_of_slurm(2), lambda: this_node(2, 0, "n1:29500"), in_a_job


@carried("training/node.py", "no srun; in a profile `nodes` needs also mpi: srun, tasks: {}, tasks_per_gpu: 0")
def a_step_of_slurm(room: Room):
    room.monkeypatch.setenv("SLURM_JOB_ID", "7")
    room.monkeypatch.setenv("SLURM_STEP_ID", "0")

    def without_srun():
        room.monkeypatch.delenv("SLURM_STEP_ID")
        check_job_of_slurm(2)

    return lambda: check_job_of_slurm(2), without_srun


@carried("training/node.py", "state --node-rank and --rendezvous HOST:PORT")
def a_slurm_that_names_no_node(room: Room):
    for name, value in {"NODEID": "0", "STEP_NUM_NODES": "2", "STEP_NUM_TASKS": "2", "STEP_NODELIST": "n"}.items():
        room.monkeypatch.setenv(f"SLURM_{name}", value)
    room.monkeypatch.setenv("PATH", str(room.folder))
    return lambda: this_node(2, None, None), lambda: this_node(2, 0, "n1:29500")


@carried("training/meeting.py", "another program has this address: state another one with --rendezvous")
def an_address_in_use(room: Room):
    def first_node(port: int) -> None:
        with Meeting(TrainingNode(0, 1, "127.0.0.1", port), lambda folder: 0) as here:
            here.join(1, lambda: 1234, lambda: False)

    busy = socket.create_server(("127.0.0.1", 0))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    return lambda: first_node(busy.getsockname()[1]), lambda: first_node(port)


@carried(
    "scoring/plain_files.py",
    "name each line's document in a file of its own (--documents), or put a blank line between documents",
)
def lines_without_documents(room: Room):
    plain, blank, names = (room.folder / name for name in ("plain", "blank", "names"))
    plain.write_text("one\ntwo\n")
    blank.write_text("one\n\ntwo\n")
    names.write_text("a\nb\n")
    documents = lambda path, names=None: read_plain_files([path], names).documents  # noqa: E731
    return lambda: documents(plain), lambda: documents(plain, names), lambda: documents(blank)
