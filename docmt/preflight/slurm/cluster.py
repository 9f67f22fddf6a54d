"""The cluster as Slurm describes it: its configuration, its partitions and its nodes."""

import math
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field

from docmt.base.errors import UserError

TIMEOUT_S = 20
"""Seconds that a command of Slurm may take: without its controller some commands try for a minute."""
DOWN = ("DOWN", "DRAIN", "FAIL", "MAINT", "NOT_RESPONDING", "POWERED_DOWN", "UNKNOWN", "INVAL")
"""The beginnings of states in which a node starts no job."""


@dataclass(frozen=True)
class Partition:
    """A partition. `minutes`: the longest time of a job. `accounts`: those that may use it; None = all."""

    name: str
    is_up: bool
    is_default: bool
    minutes: float
    accounts: frozenset[str] | None
    preempt_mode: str


@dataclass(frozen=True)
class Node:
    """A node. `memory`: MB. `gpus`: the number of GPUs by type; the type is empty where Slurm knows none."""

    name: str
    cpus: int
    memory: float
    gpus: dict[str, int]
    features: frozenset[str]
    partitions: frozenset[str]
    is_usable: bool

    def gpus_of(self, model: str | None) -> int:
        """Return the number of GPUs of a type; of any type for None."""
        return sum(self.gpus.values()) if model is None else self.gpus.get(model, 0)


@dataclass(frozen=True)
class Cluster:
    """A cluster: the values of its configuration by name, its partitions by name, and its nodes."""

    config: dict[str, str] = field(default_factory=dict)
    partitions: dict[str, Partition] = field(default_factory=dict)
    nodes: tuple[Node, ...] = ()

    def nodes_in(self, partitions: Sequence[str]) -> list[Node]:
        """Return the nodes of partitions that start jobs."""
        return [node for node in self.nodes if node.is_usable and node.partitions & {*partitions}]


def read_cluster() -> Cluster:
    """Ask Slurm. Raises UserError where it does not answer."""
    config = dict(re.findall(r"^(\w+) += (.*)$", ask("scontrol", "show", "config"), re.MULTILINE))
    partitions = [_partition(record) for record in _records(ask("scontrol", "-o", "show", "partition"))]
    nodes = [_node(record) for record in _records(ask("scontrol", "-o", "show", "node"))]
    return Cluster(config, {partition.name: partition for partition in partitions}, tuple(nodes))


def ask(*words: str) -> str:
    """Return what a command of Slurm prints. Raises UserError where it fails, or does not answer in time."""
    what, where = "Slurm does not answer", " ".join(words)
    remedy = "ask the administrators whether its controller runs (`scontrol ping`)"
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT_S)
    except FileNotFoundError:
        remedy = "run on a login node, or load the module of Slurm"
        raise UserError("no program of Slurm", where=where, found=f"no {words[0]} in PATH", remedy=remedy) from None
    except subprocess.TimeoutExpired:
        raise UserError(what, where=where, found=f"nothing in {TIMEOUT_S} s", remedy=remedy) from None
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        reason = lines[-1] if lines else f"status {done.returncode}"
        raise UserError(what, where=where, found=reason, remedy=remedy)
    return done.stdout


def _records(text: str) -> list[dict[str, str]]:
    """Return the values of each line by name; values with blanks, which no check reads, are cut."""
    return [dict(re.findall(r"(\w+)=(\S*)", line)) for line in text.splitlines() if "=" in line]


def _partition(record: dict[str, str]) -> Partition:
    """Return the partition of a record."""
    accounts = record.get("AllowAccounts", "ALL")
    return Partition(
        name=record["PartitionName"],
        is_up=record.get("State", "UP") == "UP",
        is_default=record.get("Default") == "YES",
        minutes=minutes_of(record.get("MaxTime", "UNLIMITED")),
        accounts=None if accounts == "ALL" else frozenset(accounts.split(",")),
        preempt_mode=record.get("PreemptMode", "OFF"),
    )


def _node(record: dict[str, str]) -> Node:
    """Return the node of a record."""
    features = record.get("AvailableFeatures", "(null)")
    return Node(
        name=record["NodeName"],
        cpus=int(record.get("CPUTot", 0)),
        memory=float(record.get("RealMemory", 0)),
        gpus=gpus_of(record.get("Gres", "(null)")),
        features=frozenset() if features == "(null)" else frozenset(features.split(",")),
        partitions=frozenset(record.get("Partitions", "").split(",")),
        is_usable=not any(state.startswith(DOWN) for state in record.get("State", "").split("+")),
    )


def minutes_of(text: str) -> float:
    """Return a time of Slurm in minutes: `UNLIMITED`, `2-12:00:00`, `04:00:00`, `30:00` or `30`.

    >>> minutes_of("1-00:30:00")
    1470.0
    """
    if text in ("UNLIMITED", "INFINITE", "infinite"):
        return math.inf
    days, has_days, rest = text.rpartition("-")
    parts = [float(part) for part in rest.split(":")]
    if has_days:  # hours come first
        hours, minutes, seconds = (*parts, 0, 0)[:3]
    elif len(parts) == 3:
        hours, minutes, seconds = parts
    else:
        hours, minutes, seconds = (0, *parts, 0)[:3]
    return (float(days or 0) * 24 + hours) * 60 + minutes + seconds / 60


def gpus_of(gres: str) -> dict[str, int]:
    """Return the number of GPUs by type, from what Slurm says of the generic resources of a node.

    >>> gpus_of("gpu:h100:2(S:0-1),gpu:a100:4,nvme:1")
    {'h100': 2, 'a100': 4}
    """
    counts: dict[str, int] = {}
    for model, count in re.findall(r"(?:^|,)gpu(?::([A-Za-z][\w.-]*))?:(\d+)", gres):
        counts[model] = counts.get(model, 0) + int(count)
    return counts
