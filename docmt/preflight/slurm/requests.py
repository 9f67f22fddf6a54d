"""Requests of the rules to Slurm (time, memory, processors, GPUs, features), against its partitions and nodes."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from docmt.preflight.finding import Area, RunFinding
from docmt.preflight.profile import Profile
from docmt.preflight.slurm.cluster import Cluster, Node
from docmt.preflight.slurm.partitions import partitions_of, sent_rules

AREA = Area("Slurm")


@dataclass(frozen=True)
class NodeRequest:
    """The resources of a node that jobs of a rule ask for. None = nobody states it, or a function computes it."""

    rule: str
    attempt: int
    memory: float | None
    cpus: float
    gpus: float
    model: str | None
    features: frozenset[str]


def check_requests(profile: Profile, cluster: Cluster) -> Iterator[RunFinding]:
    """Yield the rules that ask for more than any node, or than the partition, has."""
    for rule in sent_rules():
        names = [name for name in partitions_of(rule, profile, cluster)[0] if name in cluster.partitions]
        if not names:
            continue  # `check_partitions` says so
        yield from _time(rule, names, profile, cluster)
        nodes = cluster.nodes_in(names)
        if not nodes:
            remedy = "use another partition, or wait until its nodes are back (`sinfo -R` says why)"
            yield AREA.error("no node of the partition starts jobs now", where=", ".join(names), remedy=remedy)
            continue
        yield from _node(rule, nodes, names, profile)


def asked_of_node(rule: str, attempt: int, profile: Profile) -> NodeRequest:
    """Return what the jobs of a rule ask of one node."""
    nodes = max(profile.number(rule, "nodes", attempt) or 1, 1)
    constraint = profile.name_in(rule, "constraint") or ""
    plain = "" if set(constraint) & set("|[]()*!") else constraint
    return NodeRequest(
        rule=rule,
        attempt=attempt,
        memory=profile.number(rule, "mem_mb", attempt),
        cpus=profile.number(rule, "cpus_per_task", attempt) or profile.threads(rule),
        gpus=math.ceil((profile.number(rule, "gpu", attempt) or 0) / nodes),
        model=profile.name_in(rule, "gpu_model"),
        features=frozenset(filter(None, plain.split("&"))),
    )


def _time(rule: str, names: list[str], profile: Profile, cluster: Cluster) -> Iterator[RunFinding]:
    """Yield a finding where a rule asks for more time than its partitions allow, in the first or a later attempt."""
    longest = max(cluster.partitions[name].minutes for name in names)
    for attempt in range(1, profile.attempts + 1):
        minutes = profile.number(rule, "runtime", attempt)
        if minutes is not None and minutes > longest:
            make = AREA.error if attempt == 1 else AREA.warning
            yield make(
                f"{_jobs(rule, attempt)} ask for more time than the partition allows",
                where=profile.resource(rule, "runtime")[1],
                found=f"runtime {minutes:g} minutes",
                expected=f"at most {longest:g} minutes in {', '.join(names)}",
                remedy="lower the runtime (a training goes on in its next attempt), or use another partition",
            )
            return


def _node(rule: str, nodes: list[Node], names: list[str], profile: Profile) -> Iterator[RunFinding]:
    """Yield a finding for each thing of which a rule asks for more than any node has."""
    seen: set[str] = set()
    for attempt in range(1, profile.attempts + 1):
        asked = asked_of_node(rule, attempt, profile)
        make = AREA.error if attempt == 1 else AREA.warning
        for name, amount, best, unit in _amounts(asked, nodes):
            if amount > best and name not in seen:
                seen.add(name)
                yield make(
                    f"{_jobs(rule, attempt)} ask for more than any node of the partition has",
                    where=profile.resource(rule, name)[1] if name != "threads" else f"rule {rule} threads",
                    found=f"{name} {amount:g}{unit}",
                    expected=f"at most {best:g}{unit} in {', '.join(names)}",
                    remedy="ask for less (profiles/default/profile.yaml), or use another partition",
                )
    yield from _kinds(asked_of_node(rule, 1, profile), nodes, names, profile) if not seen else ()


def _amounts(asked: NodeRequest, nodes: list[Node]) -> Iterator[tuple[str, float, float, str]]:
    """Yield each amount that is asked for: its name, the amount, the most that a node has, and the unit."""

    def most(value: Callable[[Node], float]) -> float:
        return max(map(value, nodes))

    if asked.memory is not None:
        yield "mem_mb", asked.memory, most(lambda node: node.memory), " MB"
    yield "threads", asked.cpus, most(lambda node: node.cpus), " processors"
    yield "gpu", asked.gpus, most(lambda node: node.gpus_of(None)), " GPUs"


def _kinds(asked: NodeRequest, nodes: list[Node], names: list[str], profile: Profile) -> Iterator[RunFinding]:
    """Yield a finding where no node has the type of GPU or the features, or where no node has all of it together."""
    jobs, partitions = _jobs(asked.rule, 1), ", ".join(names)
    models = sorted({model for node in nodes for model in node.gpus if model})
    if asked.model and asked.gpus and asked.model not in models:
        where, expected = profile.resource(asked.rule, "gpu_model")[1], ", ".join(models) or "no type"
        what, remedy = "no node of the partition has this type of GPU", "correct the type, or remove the line"
        yield AREA.error(what, where=where, found=asked.model, expected=expected, remedy=remedy)
        return
    features = sorted({feature for node in nodes for feature in node.features})
    if not asked.features <= {*features}:
        where, expected = profile.resource(asked.rule, "constraint")[1], ", ".join(features) or "no feature"
        amounts, remedy = "&".join(sorted(asked.features)), "correct the constraint, or remove the line"
        what = "no node of the partition has this feature"
        yield AREA.error(what, where=where, found=amounts, expected=expected, remedy=remedy)
        return
    if not any(_fits(asked, node) for node in nodes):
        amounts = f"{asked.memory or 0:g} MB, {asked.cpus:g} processors, {asked.gpus:g} {asked.model or ''} GPUs"
        what, remedy = f"no node of the partition has all that {jobs} ask for", "ask for less, or use another partition"
        yield AREA.error(what, where=partitions, found=amounts, remedy=remedy)


def _fits(asked: NodeRequest, node: Node) -> bool:
    """Return whether a node has all that is asked for."""
    enough = (asked.memory or 0) <= node.memory and asked.cpus <= node.cpus
    return enough and asked.gpus <= node.gpus_of(asked.model) and asked.features <= node.features


def _jobs(rule: str, attempt: int) -> str:
    """Return the name of the jobs of a rule in an attempt."""
    return f"jobs of {rule}" if attempt == 1 else f"jobs of {rule}, in attempt {attempt},"
