"""One process and several ranks make the same training: the command, on the CPU.

Its ranks are forks (`helpers/forks.py`), with the variables that torchrun gives them; torchrun itself is in
test_several_nodes.py. `docmt.supervision.launch` is in test_stops.py, and in tests/workflow/test_signals.py.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import torch
from helpers.gated_jobs import holder
from helpers.sizes import TRAINED as SIZES
from helpers.support import ROOT, environment
from helpers.toy_task import Folder, Notes, make_document, make_folder, write_view
from safetensors.torch import load_file

from docmt.base.columns import SEGMENT_CHAINS, STOP_WORDS
from docmt.base.errors import TRY_AGAIN, UserError
from docmt.base.tables import write_arrow
from docmt.supervision import ranks
from docmt.supervision.exit import HANGING, Reason, read_exit
from docmt.supervision.launch import free_port
from docmt.supervision.ranks import joined

NOISE = {"dropout": 0.2, "attention_dropout": 0.1, "activation_dropout": 0.1}
SENTENCE = {"kind": "transformer"}
DOCUMENT = {"kind": "g_transformer", "combined_layers": 1}
CHAINS = {"kind": "lexical_chain", "latent_width": 6, "latent_inner": 10, "kl_warmup_updates": 20}
TRAINING = {
    "tokens_per_update": 90,
    "batch_tokens": 100,
    "lr": 3e-3,
    "warmup_updates": 10,
    "clip_norm": 1.0,
    "word_dropout": 0.1,
    "max_updates": 27,
    "patience": None,
    "validate_every_updates": 1,
    "checkpoint": "last",
}
"""A validation an update, so that metrics.jsonl has a line for each."""
LONGEST = 24
"""Sentences of a document that is longer than an update, so that the second rank gets nothing of that."""


def documents(count: int, seed: int) -> list:
    """Of one to six sentences, and a long one."""
    draw = np.random.default_rng(seed)
    return [make_document(draw, LONGEST if n == 5 else int(draw.integers(1, 7))) for n in range(count)]


def chains_of(document: list) -> list[list[int]]:
    """The places of each word that stands there more than once."""
    words = np.array([word for sentence in document for word in sentence])
    return [np.flatnonzero(words == word).tolist() for word in np.unique(words) if (words == word).sum() > 1]


def write_chains(path: Path, pairs: list) -> None:
    chains = [chains_of(source) for source, _ in pairs]
    rows = [
        {"members": [place for chain in some for place in chain], "lengths": [len(chain) for chain in some]}
        for some in chains
    ]
    write_arrow(path, pa.Table.from_pylist(rows, schema=SEGMENT_CHAINS))


def folder_of(root: Path, model: dict, **training: object) -> Folder:
    folder = make_folder(root)
    for split, count, seed in (("train", 40, 1), ("dev", 4, 2)):
        pairs = documents(count, seed)
        write_view(root / "view" / f"{split}.arrow", pairs, by_sentence=model["kind"] == "transformer")
        if model["kind"] == "lexical_chain":
            write_chains(root / "chains" / f"{split}.arrow", pairs)
            (root / "chains" / STOP_WORDS).touch()
    folder.model.clear()
    return folder.changed({**SIZES, **NOISE, **model}, **{**TRAINING, **training})


def variables_of(rank: int) -> dict[str, str]:
    """Of one of two ranks, without the address of the first of them."""
    return {**environment(), "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2"}


def start_two_ranks(folder: Folder, programs: Path) -> list[subprocess.Popen]:
    address = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    command = [programs / "docmt", *folder.command()]
    return [
        subprocess.Popen(command, env=variables_of(rank) | address, stderr=subprocess.PIPE, text=True)
        for rank in range(2)
    ]


def ended(processes: list[subprocess.Popen]) -> tuple[list[int], str]:
    """The status of each, and what all of them said."""
    said = "".join(process.communicate(timeout=300)[1] for process in processes)
    return [process.returncode for process in processes], said


def curve(folder: Folder, kind: str) -> np.ndarray:
    return np.array([line["loss"] for line in folder.metrics() if line["kind"] == kind])


def assert_same_training(single: Folder, several: Folder) -> None:
    for kind in ("train", "dev"):
        curves = curve(single, kind), curve(several, kind)
        assert len(curves[0]) == len(curves[1]) >= 25
        np.testing.assert_allclose(*curves, rtol=0, atol=1e-6)
    weights = [load_file(folder.paths.output / "model" / "model.safetensors") for folder in (single, several)]
    assert weights[0].keys() == weights[1].keys()
    for name, tensor in weights[0].items():
        torch.testing.assert_close(tensor, weights[1][name], rtol=0, atol=1e-5, msg=lambda text, n=name: f"{n}: {text}")


@pytest.mark.parametrize(
    "model",
    [*(pytest.param(model, marks=pytest.mark.slow) for model in (SENTENCE, DOCUMENT)), CHAINS],
    ids=lambda model: model["kind"],
)
def test_two_ranks_train_as_one_process(tmp_path, programs, model):
    """Dropout of all kinds, word dropout and samples of z are on; the first rank alone writes and speaks.

    One process computes each update at once.
    """
    alone, shared = (folder_of(tmp_path / name, model) for name in ("alone", "shared"))
    assert alone.train()
    statuses, said = ended(start_two_ranks(shared, programs))
    assert statuses == [0, 0] and said.count("training ends after update 27") == 1, said
    assert_same_training(alone, shared)


@pytest.mark.nightly
def test_ranks_stop_at_one_update_and_one_process_goes_on(tmp_path, programs):
    """One rank alone gets the signal; with two micro-batches an update, two ranks sum up as one does, to the bit."""
    alone, shared = (
        folder_of(
            tmp_path / name,
            DOCUMENT,
            tokens_per_update=180,
            max_updates=50,
            save_every_updates=5,
            validate_every_updates=25,
        )
        for name in ("alone", "shared")
    )
    assert alone.train()
    processes = start_two_ranks(shared, programs)
    while processes[0].poll() is None and not any(shared.paths.state.glob("checkpoint-*.pt")):
        time.sleep(0.01)
    os.kill(holder(shared), signal.SIGTERM)
    statuses, said = ended(processes)
    assert statuses == [TRY_AGAIN] * 2 and "asked to stop: checkpoint of update " in said
    assert json.loads((shared.paths.state / "exit.json").read_text())["reason"] == "stopped"
    notes = Notes()
    assert shared.train(notes)
    assert 5 < notes.steps[0].update <= 50
    assert shared.weights() == alone.weights()


def test_what_stops_the_first_rank_stops_all_with_its_message(tmp_path, programs):
    folder = folder_of(tmp_path / "run", SENTENCE)
    folder.paths.state.mkdir()
    (folder.paths.state / "thesis.tex").touch()
    statuses, said = ended(start_two_ranks(folder, programs))
    assert 0 not in statuses, said
    assert "docmt: " in said and "the folder for checkpoints has other files" in said
    # Rank 1 hears of it from the first rank, or sees that its lease is gone, whichever comes first.
    assert "rank 1: the first process of the training cannot go on" in said or "found no process works on it" in said


def wait_for_the_first(folder: Path, how: str) -> list[tuple[int, str, str]]:
    """Two ranks; of each its status, what it wrote, and what it said."""
    script, port = ROOT / "tests" / "helpers" / "waiting_ranks.py", str(free_port())
    address = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    command = [sys.executable, str(script), str(folder), how]
    processes = [subprocess.Popen(command, env=variables_of(rank) | address, **pipes) for rank in range(2)]
    said = [process.communicate(timeout=120) for process in processes]
    return [(process.returncode, *both) for process, both in zip(processes, said, strict=True)]


@pytest.mark.nightly
def test_ranks_wait_for_the_first_for_as_long_as_it_makes_progress(tmp_path):
    """Past what a watchdog allows a silence, and past what torch gives an exchange."""
    assert [(status, wrote) for status, wrote, _ in wait_for_the_first(tmp_path, "progress")] == [(0, "done\n")] * 2


@pytest.mark.slow
def test_where_the_first_hangs_its_own_watchdog_ends_it_and_so_the_others(tmp_path):
    (first, _, said), (second, _, other) = wait_for_the_first(tmp_path, "hang")
    assert first == HANGING and "no progress" in said
    assert second not in (0, HANGING) and "no progress" not in other
    assert read_exit(tmp_path).reason is Reason.HUNG
    assert [file.name for file in tmp_path.glob("hang.*")] == ["hang.rank0.txt"]


@pytest.mark.parametrize("local_rank", [0, 2])
def test_a_rank_computes_on_the_visible_card_with_its_number(local_rank, monkeypatch):
    chosen, groups = [], []
    variables = {"WORLD_SIZE": 3, "LOCAL_WORLD_SIZE": 3, "RANK": local_rank, "LOCAL_RANK": local_rank}
    for name, value in variables.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 3)
    monkeypatch.setattr(torch.cuda, "set_device", chosen.append)
    monkeypatch.setattr(ranks.distributed, "init_process_group", groups.append)
    monkeypatch.setattr(ranks.distributed, "destroy_process_group", lambda: None)
    monkeypatch.setattr(ranks, "SeveralRanks", lambda waiting: "several")
    with joined(torch.device("cuda")) as joined_ranks:
        assert joined_ranks == "several"
    assert chosen == [local_rank] and groups == ["cpu:gloo,cuda:nccl"]


def test_too_few_visible_cards_are_said_with_what_hides_the_others(monkeypatch):
    for name, value in {"WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "CUDA_VISIBLE_DEVICES": "3"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    with (
        pytest.raises(
            UserError,
            match=r"needs a GPU of its own\n.*found 2 ranks, 1 GPUs \(CUDA_VISIBLE_DEVICES=3\)",
        ),
        joined(torch.device("cuda")),
    ):
        pass


def test_a_process_by_itself_does_all_of_the_work():
    with joined(torch.device("cpu")) as ranks:
        assert ranks.is_first
        assert ranks.share([1, 2, 3]) == [1, 2, 3]
        assert ranks.summed([1.5, 2]) == [1.5, 2]
        assert ranks.any_of(None) is None and ranks.any_of("stop") == "stop"
        assert ranks.from_first(lambda: 5) == 5
