"""A profile of Snakemake, with profiles/default laid over it, as a run with `--profile NAME` has them."""

import math
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from docmt.base.errors import UserError
from docmt.base.names import DeviceName
from docmt.base.parse import mapping
from docmt.base.site_resources import replacing
from docmt.base.yaml_files import Lines, load_yaml
from docmt.plan.preflight import refuse_cache
from docmt.preflight.finding import Area, RunFinding
from docmt.preflight.rules import rule_names, stated_rules

AREA = Area("profile")
WORKFLOW_PROFILE = "profiles/default"
"""The profile that every run here has. Where both have a top-level key, it wins."""
FILE = re.compile(r"(?:profile|config)(?:\.v(\d+)\+)?\.yaml")
"""The names of the file of a profile: the one for the latest version of Snakemake is read."""
LOCAL = ("local", "dryrun", "touch")
"""The executors that run jobs on this machine, or none."""
UNITS = {"s": 1 / 60, "m": 1, "min": 1, "h": 60, "d": 1440}
"""The minutes of each unit of a time."""
FUNCTIONS = {"min": min, "max": max, "int": int, "round": round}


@dataclass(frozen=True)
class Profile:
    """What a run has from profiles: the value of each top-level key, and where it is stated.

    `device`: that of config.yaml, which decides whether jobs ask for GPUs by themselves.
    """

    values: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, Lines] = field(default_factory=dict)
    device: DeviceName = "auto"

    @property
    def executor(self) -> str:
        """The name of the executor."""
        return str(self.values.get("executor", "local"))

    @property
    def is_cluster(self) -> bool:
        """Whether jobs run elsewhere."""
        return self.executor not in LOCAL

    @property
    def is_slurm(self) -> bool:
        """Whether jobs are sent to Slurm, by whichever plugin."""
        return "slurm" in self.executor

    @property
    def attempts(self) -> int:
        """The number of attempts of a job."""
        retries = self.values.get("retries", 0)
        return 1 + retries if isinstance(retries, int) else 1

    def flag(self, ending: str) -> Any:
        """Return the value of a flag of the Slurm plugin, such as `status-command`; None where it is not stated."""
        return self.values.get(self.flag_name(ending))

    def flag_name(self, ending: str) -> str:
        """Return the key of a flag of the Slurm plugin: plugins that extend it have another beginning."""
        names = [key for key in self.values if re.fullmatch(rf"(?:.+-)?slurm-{ending}", key)]
        return names[0] if names else f"slurm-{ending}"

    def place(self, *path: str) -> str:
        """Return file, line and key for messages; for an unknown key the key alone."""
        lines = self.lines.get(path[0])
        return lines.place(path) if lines else ".".join(path)

    def resource(self, rule: str, name: str) -> tuple[Any, str]:
        """Return the value of a resource of a rule as it is stated, and the place of the statement.

        The value is None where nobody states one. The place is a key of the profile, or the rule.
        """
        flag = self._flag_of(rule, name)
        if flag is not None:
            return self.flag(flag), self.place(self.flag_name(flag))
        of_rule = self.values.get("set-resources", {}).get(rule, {})
        if name in of_rule:
            return of_rule[name], self.place("set-resources", rule, name)
        stated = stated_rules().get(rule)
        if stated is not None and name in stated.resources:
            return stated.resources[name], f"rule {rule} {name}"
        default = self.values.get("default-resources", {}).get(name)
        return default, self.place("default-resources", name)

    def _flag_of(self, rule: str, name: str) -> str | None:
        """Return the flag of the executor that replaces a resource of a rule; None where none does, or it is off."""
        if self.executor != "docmt-slurm":
            return None
        # Whether a job has GPUs is itself a resource, which no setting replaces.
        has_gpus = name != "gpu" and bool(self.number(rule, "gpu"))
        setting = replacing(has_gpus, rule == "download").get(name)
        flag = setting and setting.replace("_", "-")
        return flag if flag and self.flag(flag) else None

    def number(self, rule: str, name: str, attempt: int = 1) -> float | None:
        """Return a resource of an attempt as a number; None where nobody states it, or a function computes it.

        A resource that follows an estimate is one GPU (none with `device: cpu`), and the longest time of the site.
        """
        if self.follows_estimate(rule, name):
            return float(self.device != "cpu") if name == "gpu" else self.site_limit("max_runtime")
        value = self.resource(rule, name)[0]
        return number_of(value, attempt, self.threads(rule))

    def follows_estimate(self, rule: str, name: str) -> bool:
        """Return whether a resource of a rule follows the estimate of the job (`docmt.plan.job_times`)."""
        return str(self.resource(rule, name)[0]).startswith("estimated(")

    def site_limit(self, name: str) -> float | None:
        """Return a limit among the resources of every job, such as `max_runtime`; None where the site states none."""
        return number_of(self.values.get("default-resources", {}).get(name), 1, 1)

    def name_in(self, rule: str, name: str) -> str | None:
        """Return a resource that is a name, such as a partition; None where nobody states it."""
        value = self.resource(rule, name)[0]
        return None if value is None else str(value).strip("\"'")

    def threads(self, rule: str) -> int:
        """Return the number of threads of a rule."""
        stated = self.values.get("set-threads", {}).get(rule)
        if isinstance(stated, int):
            return stated
        return stated_rules()[rule].threads if rule in stated_rules() else 1


def number_of(value: Any, attempt: int, threads: int) -> float | None:
    """Return the number that a resource states: a number, a time such as `24h`, or an expression in `attempt`."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, str):
        return None
    time = re.fullmatch(r"\"?(\d+(?:\.\d+)?)\s*(s|m|min|h|d)\"?", value)
    if time:
        return float(time[1]) * UNITS[time[2]]
    try:  # Snakemake evaluates the text in the same way; here it knows no function but these
        result = eval(value, {"__builtins__": FUNCTIONS}, {"attempt": attempt, "threads": threads})
    except Exception:
        return None
    return float(result) if isinstance(result, int | float) and math.isfinite(result) else None


def read_profile(name: str | None) -> Profile:
    """Return what a run has with `--profile NAME`, in the present folder; without a name, that of profiles/default.

    Raises UserError where there is no such profile, and where its file is no mapping.
    """
    files = [*([] if name is None else [find_profile(name)]), *_files_in(Path(WORKFLOW_PROFILE))[:1]]
    profile = Profile()
    for file in files:
        value, lines = load_yaml(file)
        stated = mapping({} if value is None else value, lines)
        profile = Profile({**profile.values, **stated}, {**profile.lines, **dict.fromkeys(stated, lines)})
    for key in ("default-resources", "set-resources", "set-threads"):
        mapping(profile.values.get(key, {}), profile.lines.get(key, Lines(key)), (key,))
    for rule, stated in profile.values.get("set-resources", {}).items():
        mapping(stated, profile.lines["set-resources"], ("set-resources", rule))
    return profile


def find_profile(name: str) -> Path:
    """Return the file of a profile, where Snakemake looks for it. Raises UserError where there is none."""
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    places = [Path(name), home / "snakemake" / name, Path("/etc/xdg/snakemake") / name]
    for place in places:
        if place.is_file():
            return place
        if files := _files_in(place):
            return files[0]
    raise UserError(
        "no such profile",
        where=f"--profile {name}",
        expected=f"a folder with profile.yaml or config.yaml: {', '.join(map(str, places))}",
        remedy="name the folder of a profile, such as slurm",
    )


def _files_in(folder: Path) -> list[Path]:
    """Return the files of a profile in a folder, the one for the latest version first."""
    matches = [(FILE.fullmatch(path.name), path) for path in sorted(folder.glob("*.yaml"))]
    files = [(int(match[1] or 0), path) for match, path in matches if match]
    return [path for _, path in sorted(files, key=lambda pair: -pair[0])]


def check_profile(name: str | None, profile: Profile) -> Iterator[RunFinding]:
    """Yield what Snakemake would refuse, ignore or misread in a profile."""
    if profile.is_cluster:
        yield from _of_cluster(profile)
    if "cache" in profile.values:
        try:
            cache = profile.values["cache"]
            refuse_cache(cache if isinstance(cache, list) else [])
        except UserError as problem:
            where, remedy = profile.place("cache"), problem.remedy
            yield AREA.error(problem.what, where=where, found=problem.found, expected=problem.expected, remedy=remedy)
    for key in ("set-resources", "set-threads"):
        for rule in profile.values.get(key, {}):
            if rule not in rule_names():
                remedy = f"correct the name; the rules are: {', '.join(sorted(rule_names()))}"
                what = "no rule has this name: the line changes nothing"
                yield AREA.warning(what, where=profile.place(key, rule), found=rule, remedy=remedy)
    yield from _replaced(name)


def _of_cluster(profile: Profile) -> Iterator[RunFinding]:
    """Yield what a profile of a cluster lacks: the plugin of its executor, and the number of jobs."""
    if find_spec(f"snakemake_executor_plugin_{profile.executor.replace('-', '_')}") is None:
        yield AREA.error(
            "the plugin of the executor is not installed",
            where=profile.place("executor"),
            found=profile.executor,
            remedy=f"pip install snakemake-executor-plugin-{profile.executor}, or correct the name",
        )
    if "jobs" not in profile.values:
        remedy = "add `jobs: 40`: the largest number of jobs that are sent at the same time"
        yield AREA.error("Snakemake needs the number of jobs", where=profile.place("executor"), remedy=remedy)


def _replaced(name: str | None) -> Iterator[RunFinding]:
    """Yield the sections of a profile that profiles/default replaces as a whole."""
    if name is None:
        return
    stated, lines = load_yaml(find_profile(name))
    default = (load_yaml(_files_in(Path(WORKFLOW_PROFILE))[0])[0] or {}) if _files_in(Path(WORKFLOW_PROFILE)) else {}
    for key in ("default-resources", "set-resources", "set-threads"):
        if key in (stated or {}) and key in default:
            yield AREA.warning(
                f"{WORKFLOW_PROFILE} has this key too, and replaces it as a whole",
                where=lines.place((key,)),
                found=f"{key} in both",
                remedy="state it in one of the two files",
            )
