"""Memory and time of a job's next attempt: each grows after the failure that it cures, and after no other."""

from collections.abc import Callable, Iterable
from typing import Any

from docmt.base.failures import Counts, counts_at_submission, counts_of, job_text

MOST_DOUBLINGS = 3
"""The largest number of doublings; after as many failures of a kind, more of the same is no cure."""
LIMITS = {"mem_mb": "max_mem_mb", "runtime": "max_runtime"}
"""The resources that grow, and the resource with the largest value that a job of this site may ask for."""


def grown(base: int, failures: int, limit: int | None = None) -> int:
    """Return the value of a resource after some failures for want of it: doubled after each, at most 8 times `base`.

    The value is at most `limit`, unless `base` is larger already.
    """
    value = base * 2 ** min(failures, MOST_DOUBLINGS)
    return value if limit is None else max(base, min(value, limit))


def counts_for(rule: str, wildcards: Any) -> Counts:
    """Return the counts of a job's failed attempts: in a job on a cluster those of its submission, else those on disk.

    The driver and the job so see the same, though a file system may show a new file late on another computer.
    """
    job = job_text(rule, dict(wildcards.items()))
    sent = counts_at_submission(job)
    return counts_of(job) if sent is None else sent


def growing(name: str, rule: str, base: Any, limit: Any = None) -> Callable[..., Any]:
    """Return the function of Snakemake for a resource of a rule that grows; `name` is one of `LIMITS`.

    `base` and `limit`: the resources of Snakemake, with `evaluate`, which the profiles and the rule state together. A
    value that is no number, since it depends on a file that is not there yet, stays as it is.
    """

    def resource(wildcards: Any, **facts: Any) -> Any:
        value = base.evaluate(wildcards, **facts).value
        most = limit.evaluate(wildcards, **facts).value if limit is not None else None
        if not isinstance(value, int):
            return value
        counts = counts_for(rule, wildcards)
        return grown(value, counts.memory if name == "mem_mb" else counts.time, most)

    return resource


def let_resources_grow(rules: Iterable[Any]) -> None:
    """Make memory and time of Snakemake's rules grow; profiles and command line have set them before."""
    for rule in rules:
        for name, most in LIMITS.items():
            if name in rule.resources:
                base, limit = rule.resources[name], rule.resources.get(most)
                rule.resources[name] = growing(name, rule.name, base, limit)
