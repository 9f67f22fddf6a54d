"""Ranks on two nodes and on one make the same training; the launchers of two nodes end alike, whatever happens to one.

Both nodes are this machine. The launchers are those of the command, and their ranks forks (`helpers/node_launcher.py`).
`tests/workflow/test_several_nodes.py` has nodes of a real cluster.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers.support import environment
from helpers.toy_task import Folder, Notes, make_folder

from docmt.base.errors import TRY_AGAIN
from docmt.supervision.exit import Reason, read_exit
from docmt.supervision.launch import free_port

RULES = {
    "tokens_per_update": 180,
    "batch_tokens": 100,
    "max_updates": 60,
    "save_every_updates": 5,
    "validate_every_updates": 20,
    "checkpoint": "average",
    "average": 2,
}
"""Two parts an update, so that two ranks and one process sum up alike, to the bit."""


@pytest.fixture(scope="module")
def expected(tmp_path_factory) -> bytes:
    """The weights of one process that nobody stops."""
    folder = make_folder(tmp_path_factory.mktemp("alone") / "run").changed(**RULES)
    assert folder.train()
    return folder.weights()


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return make_folder(tmp_path / "run").changed(**RULES)


class Launcher:
    """The launcher of a node with one of two ranks."""

    def __init__(self, programs: Path, folder: Folder, number: int, port: int, nodes: int = 2) -> None:
        place = ("--node-rank", str(number), "--rendezvous", f"127.0.0.1:{port}")
        command = [programs / "launcher", *folder.command(), "--ranks", "2", "--nodes", str(nodes), *place]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        self._process = subprocess.Popen(command, env=environment(), **pipes)
        self._number = int(self._process.stdout.readline())
        # The first node has the log of the job.
        self._log = (folder, folder.attempts() + 1) if number == 0 else None

    def send(self, number: signal.Signals) -> None:
        os.kill(self._number, number)

    def ended(self) -> tuple[int, str]:
        """Its exit status, and what it and its rank said."""
        said = self._process.communicate(timeout=120)[1]
        if self._log:
            folder, attempt = self._log
            said += folder.log(attempt)
        return self._process.returncode, said


def two_nodes(programs: Path, folder: Folder) -> list[Launcher]:
    port = free_port()
    # The second node comes first, and waits.
    return [Launcher(programs, folder, number, port) for number in (1, 0)][::-1]


def wait_for_checkpoint(folder: Folder) -> None:
    deadline = time.monotonic() + 120
    while not any(folder.paths.state.glob("checkpoint-*.pt")):
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.slow
def test_a_training_moves_from_two_nodes_to_one_and_back(programs, folder, expected):
    """The second node alone gets a signal: all stop, and the first rank writes the checkpoint."""
    nodes = two_nodes(programs, folder)
    wait_for_checkpoint(folder)
    nodes[1].send(signal.SIGTERM)
    (first, said), (second, other) = (node.ended() for node in nodes)
    assert (first, second) == (TRY_AGAIN, TRY_AGAIN), said + other
    assert said.count("asked to stop: checkpoint of update ") == 1 and other == ""
    assert read_exit(folder.paths.state).reason is Reason.STOPPED
    notes = Notes(each=lambda step: os.kill(os.getpid(), signal.SIGTERM))
    assert not folder.train(notes) and len(notes.steps) == 1
    assert [node.ended()[0] for node in two_nodes(programs, folder)] == [0, 0]
    assert folder.weights() == expected


@pytest.mark.slow
@pytest.mark.parametrize("killed", [pytest.param(0, marks=pytest.mark.slow), 1])
def test_a_killed_node_ends_the_other_and_a_retry_goes_on(programs, folder, expected, killed):
    nodes = two_nodes(programs, folder)
    wait_for_checkpoint(folder)
    nodes[killed].send(signal.SIGKILL)
    status, said = nodes[1 - killed].ended()
    assert status == 128 + signal.SIGKILL, said
    assert read_exit(folder.paths.state).reason is Reason.ERROR
    notes = Notes()
    assert folder.train(notes) and notes.steps[0].update > 5
    assert folder.weights() == expected


def test_a_wrong_number_of_nodes_is_refused_on_all_of_them(programs, folder):
    port = free_port()
    nodes = [Launcher(programs, folder, 0, port), Launcher(programs, folder, 1, port, nodes=3)]
    (first, said), (second, other) = (node.ended() for node in nodes)
    assert (first, second) == (2, 2)
    assert "node 1: the nodes of a training were started with different options" in other
    assert "found --nodes 3 --ranks 2; expected --nodes 2 --ranks 2, as on node 0" in other
    assert "node 0: the nodes of a training were started with different options" in said
    assert not folder.paths.state.exists()


@pytest.mark.slow
def test_torchrun_on_two_nodes_trains_as_one(folder, expected):
    rendezvous = ("--rdzv-backend", "c10d", "--rdzv-endpoint", f"127.0.0.1:{free_port()}", "--rdzv-id", "1")
    torchrun = ("-m", "torch.distributed.run", "--nnodes", "2", "--nproc-per-node", "1", *rendezvous)
    command = [sys.executable, *torchrun, "-m", "docmt.cli.main", *folder.command()]
    processes = [subprocess.Popen(command, env=environment()) for _ in range(2)]
    assert [process.wait(timeout=300) for process in processes] == [0, 0]
    assert folder.weights() == expected
    assert json.loads((folder.paths.output / "exit.json").read_text())["reason"] == "finished"
