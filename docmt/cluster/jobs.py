"""A job of a cluster, as its scheduler tells it."""

from dataclasses import dataclass
from typing import Literal

from docmt.cluster.comments import Purpose
from docmt.cluster.reasons import ENDINGS, ended_because, is_stuck, waits_because

Phase = Literal["queued", "running", "done", "failed"]
"""The phase of a job: it waits, it has its nodes, it ended well, or it ended otherwise."""

QUEUED = ("PENDING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD")
"""States of jobs that wait. A state that is neither here nor in `ENDINGS` is one of a job that has its nodes."""


@dataclass(frozen=True)
class ClusterJob:
    """A job of a cluster; times are local, as `2026-11-25T19:29:12`, and empty where they are not known.

    `number`: its number, which `scancel` takes. `state`, `reason`: Slurm's words. `folder`: its working directory.
    `started`: of a job that waits, when Slurm expects to start it. `limit_s`, `left_s`: seconds of its time limit, and
    what is left of them; None without a limit. `restarts`: how often it was requeued.
    """

    number: str
    state: str
    reason: str
    folder: str
    purpose: Purpose
    name: str = ""
    partition: str = ""
    nodes: str = ""
    submitted: str = ""
    started: str = ""
    limit_s: int | None = None
    left_s: int | None = None
    used_s: int = 0
    restarts: int = 0

    @property
    def phase(self) -> Phase:
        """The phase of the job."""
        if self.state in QUEUED:
            return "queued"
        if self.state not in ENDINGS:
            return "running"
        return "done" if self.state == "COMPLETED" else "failed"

    @property
    def is_stuck(self) -> bool:
        """Whether the job waits for something that a person has to do."""
        return self.phase == "queued" and (self.state in ("REQUEUE_HOLD", "SPECIAL_EXIT") or is_stuck(self.reason))

    @property
    def about(self) -> str:
        """The reason for which the job waits, the nodes on which it runs, or its ending, in words."""
        if self.phase == "queued":
            return waits_because(self.reason)
        if self.phase == "running":
            on = f"on {self.nodes}" if self.nodes else "on a node"
            return on if self.state == "RUNNING" else f"{on} ({self.state.lower().replace('_', ' ')})"
        return ended_because(self.state)
