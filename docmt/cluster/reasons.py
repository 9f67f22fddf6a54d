"""Reasons for which jobs wait, and their endings, in words for people who do not know Slurm's."""

import re

WAITS = {
    "None": "Slurm has not looked at it yet",
    "Resources": "no nodes are free that have what it asks for",
    "Priority": "jobs of higher priority come first",
    "Dependency": "it starts after another job",
    "BeginTime": "it may not start before its start time; a job that was requeued waits so for some seconds or minutes",
    "JobArrayTaskLimit": "its array runs as many jobs at once as it may",
    "Licenses": "the licences that it asks for are in use",
    "Reservation": "its reservation has not begun",
    "Cleaning": "its last attempt is still being cleaned up",
    "Prolog": "its node is being prepared",
    "PartitionDown": "its partition accepts no jobs now",
    "PartitionInactive": "its partition starts no jobs now",
    "NodeDown": "a node that it needs is down",
    "FrontEndDown": "no front end of the cluster is up",
    "ReqNodeNotAvail": "a node that it needs is down, drained or reserved, for maintenance perhaps",
}
"""Reasons for which a job waits until it starts by itself, in words."""
STUCK = {
    "DependencyNeverSatisfied": "the job that it waits for has failed",
    "JobHeldUser": "it is held; `scontrol release` with its number lets it go",
    "JobHeldAdmin": "an administrator holds it",
    "JobHoldMaxRequeue": "it was requeued too often, and Slurm holds it",
    "PartitionTimeLimit": "it asks for more time than its partition allows (`runtime`)",
    "PartitionNodeLimit": "it asks for more nodes than its partition allows",
    "BadConstraints": "no node has what it asks for",
    "InvalidAccount": "its account is unknown to Slurm",
    "InvalidQOS": "its quality of service (QOS) is unknown to Slurm",
    "AccountNotAllowed": "its account may not use its partition",
    "QOSNotAllowed": "its quality of service (QOS) may not be used in its partition",
    "ReservationDeleted": "its reservation was deleted",
    "NonZeroExitCode": "an attempt has failed",
    "launch failed requeued held": "it could not be started, and Slurm holds it",
    "DeadLine": "it cannot end before its deadline",
}
"""Reasons for which a job waits until a person does something, in words."""
LIMITED = re.compile(r"(?P<of>QOS|Assoc)(?P<scope>Grp|Max)?(?P<what>.*)")
WHOSE = {"QOS": "of its quality of service (QOS)", "Assoc": "of the account"}
THINGS = (
    ("Wall", "time"),
    ("Submit", "waiting jobs"),
    ("Job", "jobs at once"),
    ("GRES", "GPUs"),
    ("Gres", "GPUs"),
    ("Cpu", "CPU cores"),
    ("CPU", "CPU cores"),
    ("Mem", "memory"),
    ("Node", "nodes"),
    ("Billing", "billed resources"),
)
"""Things that limits count, by a part of the name of the reason."""
NEVER = ("PerJob", "MinCpu", "MinGRES", "MinMemory")
"""Parts of the names of limits that a single job exceeds, so that it never starts."""

ENDINGS = {
    "COMPLETED": "it ended",
    "FAILED": "it failed",
    "TIMEOUT": "it reached its time limit",
    "CANCELLED": "it was cancelled",
    "NODE_FAIL": "its node failed",
    "PREEMPTED": "a job of higher priority took its place",
    "OUT_OF_MEMORY": "it used more memory than it had asked for",
    "BOOT_FAIL": "its node did not start",
    "DEADLINE": "it could not end before its deadline",
    "LAUNCH_FAILED": "it could not be started",
    "RECONFIG_FAIL": "its node could not be set up",
    "REVOKED": "another cluster runs it",
}
"""Endings of jobs by their state, in words."""


def waits_because(reason: str) -> str:
    """Return why a job waits, in words with Slurm's own word behind them; an unknown reason stays as it is."""
    word = _word(reason)
    words = STUCK.get(word) or WAITS.get(word) or _limit(word)
    return f"{words} ({reason})" if words else reason


def is_stuck(reason: str) -> bool:
    """Return whether a job with this reason never starts unless a person does something."""
    word = _word(reason)
    is_limit = LIMITED.fullmatch(word) is not None
    return word in STUCK or (is_limit and any(part in word for part in NEVER))


def ended_because(state: str) -> str:
    """Return how a job ended, in words; an unknown state stays as it is."""
    return ENDINGS.get(state, state)


def _word(reason: str) -> str:
    """Return the word of a reason, without the names of nodes that follow it."""
    if reason.startswith("Nodes required for job are"):
        return "ReqNodeNotAvail"
    return reason.split(",")[0].strip()


def _limit(word: str) -> str:
    """Return the words of a limit of a user, an account or a quality of service; empty for another reason."""
    match = LIMITED.fullmatch(word)
    if not match:
        return ""
    things = next((name for part, name in THINGS if part in match["what"]), "resources")
    if is_stuck(word):
        return f"it alone asks for more than the limit {WHOSE[match['of']]} allows: {things}"
    whose = "all users together" if match["scope"] == "Grp" else "your other jobs"
    return f"{whose} use what the limit {WHOSE[match['of']]} allows: {things}"
