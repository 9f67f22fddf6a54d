"""The node on which a launcher runs, among the nodes of a training: from options, or from Slurm."""

import os
import re
import subprocess
from dataclasses import dataclass

from docmt.base.errors import UserError

FIRST_PORT, PORTS = 10_000, 20_000
"""The smallest port that a job of Slurm takes for its rendezvous, and the number of ports to take from. Systems give
higher ports to connections, so that they are in use at random."""
ON_EACH_NODE = "DOCMT_ON_EACH_NODE"
"""The variable of the environment of a command that Slurm has started on each node for another one that waits."""


@dataclass(frozen=True)
class TrainingNode:
    """A node of a training, and the rendezvous: the address at which the launcher of the first node listens."""

    number: int
    """The number of the node, from 0."""
    count: int
    """The number of nodes of the training."""
    host: str
    port: int
    gpus: int | None = None
    """The number of GPUs that Slurm has given to the job on this node; None where it is not known."""

    @property
    def is_first(self) -> bool:
        """True for the node of the first rank."""
        return self.number == 0


@dataclass(frozen=True)
class Share:
    """The share of a node in the ranks of a training, and the address at which the first rank of all listens."""

    first: int
    """The number of the node's first rank."""
    count: int
    host: str
    port: int


def this_node(count: int, number: int | None, rendezvous: str | None) -> TrainingNode:
    """Return this node; `number` and `rendezvous`, `HOST:PORT`, are None where Slurm is to say them.

    Raises UserError where the number or the address is wrong, or where only one of them is given.
    """
    if number is None and rendezvous is None:
        return _node_of_slurm(count)
    if number is None or rendezvous is None:
        raise UserError(
            "a training on several nodes",
            found=f"--node-rank {number}, --rendezvous {rendezvous}",
            expected="both, or neither in a job of Slurm",
        )
    if number >= count:
        raise UserError("--node-rank counts from 0", found=number, expected=f"at most {count - 1} for --nodes {count}")
    host, _, port = rendezvous.rpartition(":")
    if not (host and port.isdecimal() and 0 < int(port) < 2**16):
        raise UserError("--rendezvous is no address", found=rendezvous, expected="HOST:PORT of the first node")
    return TrainingNode(number, count, host.strip("[]"), int(port))


def check_job_of_slurm(count: int) -> None:
    """Raise UserError where this process cannot start a command on each of `count` nodes of a job of Slurm."""
    if "SLURM_JOB_ID" not in os.environ:
        remedy = f"call it in a job of Slurm with {count} nodes, or state --node-rank and --rendezvous HOST:PORT"
        raise UserError("which of the nodes is this?", found="no job of Slurm", remedy=remedy)
    if "SLURM_STEP_ID" in os.environ:
        raise UserError(
            "a training on several nodes starts itself on each of them",
            found="a step of Slurm",
            expected="the job of Slurm itself",
            remedy=f"no srun; in a profile `nodes` needs also mpi: srun, tasks: {count}, tasks_per_gpu: 0",
        )


def _node_of_slurm(count: int) -> TrainingNode:
    """Return the node of a step of Slurm, whose rendezvous is its first node, at a port that the job determines."""
    port = FIRST_PORT + int(os.environ.get("SLURM_JOB_ID", "0")) % PORTS
    gpus, host = os.environ.get("SLURM_GPUS_ON_NODE"), _address_of_first(os.environ["SLURM_STEP_NODELIST"])
    return TrainingNode(int(os.environ["SLURM_NODEID"]), count, host, port, int(gpus) if gpus else None)


def _address_of_first(nodes: str) -> str:
    """Return the network address of the first of a list of nodes such as `n[1-2]`.

    The name of a node need not be a name of the network, so Slurm is asked for the address by which it finds the node.
    """
    first = _ask("show", "hostnames", nodes).split()[0]
    address = re.search(r"\bNodeAddr=(\S+)", _ask("show", "--oneliner", "node", first))
    return address[1] if address else first


def _ask(*words: str) -> str:
    """Return what `scontrol` prints; raises UserError where it fails."""
    command = ("scontrol", *words)
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as problem:
        said = (getattr(problem, "stderr", None) or str(problem)).strip()
        remedy = "state --node-rank and --rendezvous HOST:PORT"
        raise UserError(
            "Slurm does not name the first node", where=" ".join(command), found=said, remedy=remedy
        ) from None
