"""What a run has from profiles, and what Snakemake would refuse or ignore in them."""

from pathlib import Path

import pytest

from docmt.base.errors import UserError
from docmt.preflight.profile import check_profile, find_profile, number_of, read_profile

RULES = """
rule train:
    threads: 2
    resources:
        gpu=1,
        runtime=lambda wildcards: 5,
    params:
        runtime=7,

    rule tokens:
        localrule: True
"""


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A folder with rules, and no profile of the user's."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    write("workflow/rules/one.smk", RULES)


def write(name: str, text: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")


def told(name: str) -> list[tuple[str, str]]:
    return [(finding.level, finding.text) for finding in check_profile(name, read_profile(name))]


def test_profiles_default_wins_key_by_key_and_rules_come_before_defaults():
    write(
        "mine/profile.yaml", "executor: lsf\njobs: 2\nretries: 2\ndefault-resources: {mem_mb: 500 * attempt, gpu: 7}\n"
    )
    write("profiles/default/profile.yaml", "jobs: 4\nset-resources: {train: {mem_mb: 9}}\nset-threads: {train: 3}\n")
    profile = read_profile("mine")
    assert (profile.executor, profile.values["jobs"], profile.attempts) == ("lsf", 4, 3)
    assert profile.is_cluster and not profile.is_slurm
    assert profile.resource("train", "mem_mb") == (9, "profiles/default/profile.yaml:2 set-resources.train.mem_mb")
    assert profile.resource("train", "gpu") == ("1", "rule train gpu") and profile.number("train", "gpu") == 1
    assert profile.number("train", "runtime") is None, "a function computes it"
    assert profile.number("views", "mem_mb", 3) == 1500 and profile.number("views", "nodes") is None
    assert (profile.threads("train"), profile.threads("tokens"), profile.threads("other")) == (3, 1, 1)
    assert not read_profile(None).is_cluster


@pytest.mark.parametrize("executor", ["slurm", "docmt-slurm"])
def test_flags_of_any_plugin_for_slurm_are_found(executor):
    write("mine/config.yaml", f"executor: {executor}\n{executor}-status-command: squeue\n")
    profile = read_profile("mine")
    assert profile.is_slurm and profile.flag("status-command") == "squeue" and profile.flag("requeue") is None
    assert profile.flag_name("status-command") == f"{executor}-status-command"


@pytest.mark.parametrize(
    ("value", "number"),
    [
        *((60, 60), ("2000 * attempt", 4000), ("min(8000 * attempt, 9000)", 9000)),
        *(("24h", 1440), ("90s", 1.5), ("1d", 1440), (True, None), (None, None), ("1e999", None)),
        *(("lambda wildcards: 3", None), ("input.size_mb", None), ("x", None)),
    ],
)
def test_resources_are_numbers_times_and_expressions(value, number):
    assert number_of(value, attempt=2, threads=1) == number


def test_the_file_for_the_latest_version_is_read():
    for name in ("config.yaml", "config.v8+.yaml", "profile.v9+.yaml", "other.yaml"):
        write(f"mine/{name}", "jobs: 1\n")
    assert find_profile("mine") == Path("mine/profile.v9+.yaml")
    assert find_profile("mine/config.yaml") == Path("mine/config.yaml")
    write("home/snakemake/mine2/config.yaml", "jobs: 1\n")
    assert find_profile("mine2").is_relative_to(Path("home").absolute())


def test_a_profile_that_there_is_not_and_one_of_another_form():
    with pytest.raises(UserError, match=r"--profile none: no such profile\n  expected a folder with profile.yaml"):
        read_profile("none")
    write("mine/config.yaml", "set-resources: {train: 7}\n")
    with pytest.raises(UserError, match=r"mine/config.yaml:1 set-resources.train: wrong type"):
        read_profile("mine")


def test_what_a_cluster_needs():
    write("mine/config.yaml", "executor: no-such\n")
    (_, plugin), (_, jobs) = told("mine")
    assert plugin.startswith(
        "mine/config.yaml:1 executor: the plugin of the executor is not installed\n  found no-such"
    )
    assert "pip install snakemake-executor-plugin-no-such" in plugin and "needs the number of jobs" in jobs


def test_the_cache_unknown_rules_and_replaced_sections():
    write("mine/config.yaml", "cache: true\nset-threads: {trian: 2}\ndefault-resources: {mem_mb: 1}\n")
    write("profiles/default/profile.yaml", "default-resources: {mem_mb: 2}\n")
    (cache, unknown, replaced) = told("mine")
    assert cache[0] == "error" and "found all rules" in cache[1]
    assert unknown[0] == "warning" and "set-threads.trian: no rule has this name" in unknown[1]
    assert replaced == (
        "warning",
        "mine/config.yaml:3 default-resources: profiles/default has this key too, and replaces it as a whole\n"
        "  found default-resources in both\n  state it in one of the two files",
    )
