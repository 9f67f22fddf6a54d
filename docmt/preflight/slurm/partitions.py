"""The partitions, the account and the quality of service that a profile names: whether they exist and may be used."""

import getpass
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from docmt.base.errors import UserError, nearest
from docmt.base.yaml_files import load_yaml
from docmt.preflight.finding import Area, RunFinding
from docmt.preflight.profile import Profile
from docmt.preflight.rules import stated_rules
from docmt.preflight.slurm.cluster import Cluster, ask

AREA = Area("Slurm")
FILE = "partition-config"


def partitions_of(rule: str, profile: Profile, cluster: Cluster) -> tuple[list[str], str]:
    """Return the names of the partitions to which the jobs of a rule may go, and where they are stated.

    There are none for a file that cannot be read, which `check_partitions` says.
    """
    stated = profile.name_in(rule, "slurm_partition")
    if stated:
        return stated.split(","), profile.resource(rule, "slurm_partition")[1]
    path = partition_file(profile)
    if path is not None:
        with suppress(UserError):
            return _in_file(path), str(path)
        return [], str(path)
    chosen = os.environ.get("SBATCH_PARTITION")
    if chosen:
        return chosen.split(","), "SBATCH_PARTITION"
    return [item.name for item in cluster.partitions.values() if item.is_default], "the default partition"


def partition_file(profile: Profile) -> Path | None:
    """Return the file of partitions that the profile, or the environment of the plugin, names."""
    stated = profile.flag(FILE) or os.environ.get("SNAKEMAKE_SLURM_PARTITIONS")
    return Path(str(stated)) if stated else None


def check_partitions(profile: Profile, cluster: Cluster) -> Iterator[RunFinding]:
    """Yield the partitions that there are not, that are down, and that the account may not use."""
    path = partition_file(profile)
    if path is not None:
        try:
            _in_file(path)
        except UserError as problem:
            where = f"{profile.place(profile.flag_name(FILE))}: {problem.where}"
            remedy = f"run `generate-slurm-partition-config -o {path}`, or correct the file"
            yield AREA.error(problem.what, where=where, found=problem.found, remedy=remedy)
            return
    places = dict(_stated(profile, cluster))
    for (where, name), charged in places.items():
        partition = cluster.partitions.get(name)
        if partition is None:
            yield AREA.error(
                "no partition has this name", where=where, found=name, remedy=nearest(name, cluster.partitions)
            )
        elif not partition.is_up:
            remedy = "use another partition, or wait until the administrators open it"
            yield AREA.error("the partition starts no job now", where=where, found=f"{name} is down", remedy=remedy)
        elif charged and partition.accounts is not None and charged not in partition.accounts:
            expected = ", ".join(sorted(partition.accounts))
            value, remedy = f"{name} with account {charged}", "use another partition or account"
            what = "the account may not use the partition"
            yield AREA.error(what, where=where, found=value, expected=expected, remedy=remedy)
    if not places:
        remedy = "state slurm_partition under default-resources, or export SBATCH_PARTITION"
        yield AREA.error("the cluster has no default partition, and none is named", found="none", remedy=remedy)


def check_associations(profile: Profile, cluster: Cluster) -> Iterator[RunFinding]:
    """Yield the accounts and the quality of service that this user has not."""
    accounts, asked = _accounts(profile), _qualities(profile)
    if not accounts and not asked:
        return
    if not cluster.config.get("AccountingStorageType", "").endswith("slurmdbd"):
        yield AREA.fact("this cluster keeps no accounts: an account or a quality of service is not checked")
        return
    user = getpass.getuser()
    text = ask("sacctmgr", "-n", "-P", "show", "assoc", "where", f"user={user}", "format=Account,QOS")
    rows = [line.split("|") for line in text.splitlines() if "|" in line]
    known, qualities = {row[0] for row in rows}, {name for row in rows for name in row[1].split(",")}
    for charged, where in accounts.items():
        if charged not in known:
            what = f"user {user} has no such account"
            yield AREA.error(what, where=where, found=charged, remedy=nearest(charged, known))
    for quality, where in asked.items():
        if quality not in qualities:
            what = f"user {user} has no such quality of service"
            yield AREA.error(what, where=where, found=quality, remedy=nearest(quality, qualities))


def sent_rules() -> list[str]:
    """Return the names of the rules whose jobs are sent to the cluster."""
    return [name for name, rule in stated_rules().items() if not rule.is_local]


def _in_file(path: Path) -> list[str]:
    """Return the names of the partitions in a file. Raises UserError for a file of another form."""
    value, _ = load_yaml(path)
    partitions = value.get("partitions") if isinstance(value, dict) else None
    if not isinstance(partitions, dict) or not partitions:
        raise UserError("not a file of partitions", where=str(path), expected="partitions: a mapping by their names")
    return [str(name) for name in partitions]


def _stated(profile: Profile, cluster: Cluster) -> Iterator[tuple[tuple[str, str], str | None]]:
    """Yield each place that names a partition, with the name, and the account of the jobs that go there."""
    for rule in sent_rules():
        names, where = partitions_of(rule, profile, cluster)
        for name in names:
            yield (where, name), profile.name_in(rule, "slurm_account") or os.environ.get("SBATCH_ACCOUNT")


def _names_asked(resource: str, profile: Profile) -> dict[str, str]:
    """Return the names that rules state in a resource, such as accounts, with a place that states each."""
    asked = {}
    for rule in sent_rules():
        name = profile.name_in(rule, resource)
        if name:
            asked[name] = profile.resource(rule, resource)[1]
    return asked


def _accounts(profile: Profile) -> dict[str, str]:
    """Return the accounts of the jobs, with a place that states each."""
    chosen = os.environ.get("SBATCH_ACCOUNT")
    return _names_asked("slurm_account", profile) | ({chosen: "SBATCH_ACCOUNT"} if chosen else {})


def _qualities(profile: Profile) -> dict[str, str]:
    """Return the qualities of service of the jobs, with a place that states each."""
    of_all = profile.flag("qos")
    return _names_asked("qos", profile) | ({str(of_all): profile.place(profile.flag_name("qos"))} if of_all else {})
