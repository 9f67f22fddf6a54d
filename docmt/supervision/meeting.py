"""The meeting of the launchers of a training on several nodes: one launcher for each node.

The launcher of the first node listens at the rendezvous, and the others connect to it. They agree on the numbers of the
ranks, and then give each other signs of life, until all have told how their ranks ended. So each node learns that
another one failed or is gone, and all launchers end with the same status.

They exchange short texts by name, in a store of torch (`TCPStore`), as the launchers of torchrun do.
"""

import json
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from torch.distributed import TCPStore

from docmt.base.errors import TRY_AGAIN, UserError
from docmt.supervision.exit import CLAIM, Exit, Reason, blamed_status, read_exit, write_exit
from docmt.supervision.node import Share, TrainingNode

JOIN_S = 600.0
"""Seconds that the nodes wait for each other at the start."""
LOOK_S = 0.1
"""Seconds between two looks at the store while the nodes wait for each other."""
BEAT_S = 1.0
"""Seconds between two signs of life."""
LOST_S = 60.0
"""Seconds without a sign of life after which a node counts as gone."""
EXIT_FIELDS = ("update", "message", "status")
"""Fields of a record of an end, beside its reason, in the order in which `write_exit` takes them."""
LOST = 137
"""The status of a node that is gone: that of a process that was killed, as shells report it."""


class Meeting(AbstractContextManager):
    """The meeting of all launchers, as the launcher of `node` takes part in it."""

    def __init__(self, node: TrainingNode) -> None:
        """Prepare a meeting that has not begun."""
        self._node, self._looked = node, time.monotonic()
        self._store: TCPStore | None = None
        self._beats: dict[int, tuple[bytes, float]] = {}
        """For each other node its last sign of life, and the time when this node first saw this sign."""
        self._ends: dict[int, dict[str, Any]] = {}
        """How nodes ended: `status`, and `exit`, the fields of their record."""

    def __exit__(self, *problem: object) -> None:
        """Leave the meeting; the first node, which holds the store, waits until the others have left."""
        if self._store is None:
            return
        # The store may be gone, and then nobody is left to wait for.
        with suppress(RuntimeError):
            self._store.add("here", -1)
            until, lost = time.monotonic() + LOST_S, sum(end["status"] == LOST for end in self._ends.values())
            while self._node.is_first and time.monotonic() < until and self._store.add("here", 0) > lost:
                time.sleep(LOOK_S)

    def join(self, ranks: int, port: Callable[[], int], asked_to_stop: Callable[[], object]) -> Share:
        """Wait until all nodes are here, and return the share of this node.

        `ranks` is the number of ranks of the training. `port` returns a free port; the first node calls it.

        Raises UserError on all nodes where their launchers do not agree; where a node does not come; and where this
        launcher is asked to stop meanwhile.
        """
        until = time.monotonic() + JOIN_S
        while True:
            try:
                if self._store is None and (store := self._connected()):
                    self._store = store
                    self._introduce(ranks, port)
                if self._store and (share := self._share(ranks)):
                    return share
            except RuntimeError:
                raise self._alone("the first node went before training began") from None
            if asked_to_stop():
                raise self._alone("asked to stop before all nodes came")
            if time.monotonic() > until:
                raise self._alone(f"not all of {self._node.count} nodes came within {JOIN_S:g} seconds")
            time.sleep(LOOK_S)

    def has_failed(self) -> bool:
        """Give a sign of life, look at the other nodes, and return whether one of them failed or is gone."""
        if time.monotonic() - self._looked >= BEAT_S:
            self._looked = time.monotonic()
            self._look()
        return any(end["status"] for end in self._ends.values())

    def end(self, status: int, state: Path, exit_before: Exit | None) -> int:
        """Tell the others how the ranks of this node ended, wait for the ends of all nodes, and return the status.

        The ranks of several nodes may have written the record of the end into `state` at once, and none may have seen
        that of another node. So each node tells what it has read, unless this is `exit_before`, the record of an
        earlier job, and the first node writes the record of a failure that has a name.
        """
        record = read_exit(state)
        told = None if record is None or record == exit_before else vars(record)
        self._ends[self._node.number] = {"status": status, "exit": told}
        try:
            self._store.set(f"end/{self._node.number}", json.dumps(self._ends[self._node.number]))
        except RuntimeError:
            self._lose(0)
        while len(self._ends) < self._node.count:
            self._look()
            time.sleep(LOOK_S)
        if self._node.is_first and (state / CLAIM).exists():
            for end in self._ends.values():
                if end["exit"] and end["exit"]["reason"] != Reason.ERROR:
                    write_exit(state, Reason(end["exit"]["reason"]), *(end["exit"][n] for n in EXIT_FIELDS))
        return blamed_status([self._ends[number]["status"] for number in range(self._node.count)])

    def _connected(self) -> TCPStore | None:
        """Open the store at the first node, or connect to it; None where the first node is not there yet."""
        host, port, wait = self._node.host, self._node.port, timedelta(seconds=LOST_S)
        if self._node.is_first:
            try:
                return TCPStore(host, port, is_master=True, timeout=wait, wait_for_workers=False)
            except RuntimeError as problem:
                remedy = "another program has this address: state another one with --rendezvous"
                what, cause = "the first node cannot wait for the others", str(problem).splitlines()[0]
                raise UserError(what, where=f"{host}:{port}", found=cause, remedy=remedy) from None
        # The store writes warnings for each attempt, so it is not asked before somebody listens.
        try:
            socket.create_connection((host, port), timeout=BEAT_S).close()
        except OSError:
            return None
        return TCPStore(host, port, is_master=False, timeout=wait)

    def _introduce(self, ranks: int, port: Callable[[], int]) -> None:
        """Tell the others that this node is here, and how its launcher was started."""
        node = self._node
        if node.is_first:
            self._store.set("port", str(port()))
        self._store.add("here", 1)
        self._store.add(f"came/{node.number}", 1)
        started = {"as": self._started_as(ranks), "most": ranks if node.gpus is None else node.gpus}
        self._store.set(f"node/{node.number}", json.dumps(started))

    def _share(self, ranks: int) -> Share | None:
        """Return the share of this node, or None while nodes are missing.

        Raises UserError where launchers have not been started alike, or two of them as the same node.
        """
        number, numbers = self._node.number, range(self._node.count)
        here = {n: json.loads(self._store.get(f"node/{n}")) for n in numbers if self._store.check([f"node/{n}"])}
        ours, where = self._started_as(ranks), f"node {number}"
        for n, other in here.items():
            if other["as"] != ours:
                expected = f"{other['as']}, as on node {n}"
                raise UserError(
                    "the nodes of a training were started with different options",
                    where=where,
                    found=ours,
                    expected=expected,
                )
            if self._store.add(f"came/{n}", 0) > 1:
                raise UserError("two nodes have the same number", where=where, found=f"--node-rank {n} twice")
        if len(here) < len(numbers):
            return None
        shares = shares_of(ranks, [here[n]["most"] for n in numbers])
        self._beats = {n: (b"", time.monotonic()) for n in numbers if n != number}
        return Share(sum(shares[:number]), shares[number], self._node.host, int(self._store.get("port")))

    def _started_as(self, ranks: int) -> str:
        return f"--nodes {self._node.count} --ranks {ranks}"

    def _alone(self, what: str) -> UserError:
        """Return the UserError of a node that cannot meet the others, for now."""
        where = f"node {self._node.number} at {self._node.host}:{self._node.port}"
        remedy = "run again; each node must reach the first node by this name or address"
        return UserError(what, where=where, remedy=remedy, status=TRY_AGAIN)

    def _look(self) -> None:
        """Give a sign of life, and read the ends and the signs of life of the others."""
        now = time.monotonic()
        try:
            self._store.set(f"beat/{self._node.number}", str(now))
            for number, (beat, since) in self._beats.items():
                if number in self._ends:
                    continue
                if self._store.check([f"end/{number}"]):
                    self._ends[number] = json.loads(self._store.get(f"end/{number}"))
                    continue
                seen = self._store.get(f"beat/{number}") if self._store.check([f"beat/{number}"]) else b""
                if seen != beat:
                    self._beats[number] = (seen, now)
                elif now - since > LOST_S:
                    self._lose(number)
        except RuntimeError:
            self._lose(0)

    def _lose(self, number: int) -> None:
        """Count a node as gone; with the first node, which holds the store, nothing is heard of any other."""
        for gone in range(self._node.count) if number == 0 else (number,):
            if gone != self._node.number:
                self._ends.setdefault(gone, {"status": LOST, "exit": None})


def shares_of(ranks: int, most: Sequence[int]) -> list[int]:
    """Return the number of ranks of each node: as equal as possible, at most as `most` says.

    `most` has for each node the number of its GPUs, which Slurm may have given to the job unevenly, or a large number.

    Raises UserError where a node gets no rank, and where there are too few GPUs.
    """
    shares = [0] * len(most)
    for _ in range(ranks):
        free = [node for node, share in enumerate(shares) if share < most[node]]
        if not free:
            gpus = f"{' + '.join(map(str, most))} GPUs"
            raise UserError(
                "each process of a training needs a GPU of its own",
                where="the nodes of the job",
                found=gpus,
                expected=ranks,
            )
        shares[min(free, key=lambda node: shares[node])] += 1
    if 0 in shares:
        counts = f"{ranks} processes (--ranks) on {len(most)} nodes"
        raise UserError(
            "a node would have no process", found=counts, expected="--ranks of all nodes together, as many or more"
        )
    return shares
