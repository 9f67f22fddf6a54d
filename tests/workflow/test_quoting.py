"""Whatever meets a shell is quoted: read in the rules themselves, since one that is bare works for most names."""

import re
import subprocess

import pytest
from helpers.support import ROOT

RULES = sorted((ROOT / "workflow" / "rules").glob("[0-9]*.smk"))
PLACE = re.compile(r"(?<!\{)\{([^{}]+)\}(?!\})")
NUMBERS = re.compile(r"threads|resources\.\w+")
JOB = re.compile(r'exec docmt job "\$\(dirname (?:\{output:q\}|"\$\(dirname \{output:q\}\)")\)"')
"""The beginning of the command of a job: `exec`, so that it is the process that its workflow starts and ends."""


def commands(text: str) -> list[str]:
    """The texts after each `shell:`, put together as Python does."""
    blocks = re.findall(r"^( *)shell:\n((?:\1    ['\"].*\n)+)", text, re.MULTILINE)
    return [eval(f"({block.strip()})") for _, block in blocks]


def bare(command: str) -> list[str]:
    """Places of a command that are filled in without quotes; what a substitution gives counts, too."""
    places = [place for place in PLACE.findall(command) if not (place.endswith(":q") or NUMBERS.fullmatch(place))]
    without_sums = re.sub(r"\$\(\(.*?\)\)", "", command)
    while (inside := re.sub(r'"\$\([^()]*\)"', "", without_sums)) != without_sums:
        without_sums = inside
    return places + re.findall(r"\$\([^()]*\)|`", without_sums)


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.name)
def test_every_place_in_a_command_is_quoted(path):
    shell_commands = commands(path.read_text(encoding="utf-8"))
    assert {command: bare(command) for command in shell_commands if bare(command)} == {}


@pytest.mark.parametrize(
    "command",
    ["x > {output}", "x {wildcards.corpus}/a", "x $(dirname {input.a:q})", "x `dirname {input.a:q}`", "x {params.new}"],
)
def test_a_bare_place_is_noticed(command):
    assert bare(command)


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.name)
def test_a_job_is_the_process_that_its_workflow_starts(path):
    """A signal to the workflow reaches it; no pipe stands between, whose other side would end first."""
    jobs = [command for command in commands(path.read_text(encoding="utf-8")) if "docmt" in command]
    assert not [command for command in jobs if not JOB.match(command) or "|" in command]


@pytest.mark.parametrize(("runtime", "deadline"), [(1, 0), (2, 0), (3, 1), (60, 58)])
def test_a_training_ends_itself_two_minutes_before_its_time_limit_which_is_never_negative(runtime, deadline):
    (train,) = commands((ROOT / "workflow/rules/5_training.smk").read_text(encoding="utf-8"))
    option = re.search(r"\$\{\{(DOCMT_ON_CLUSTER:\+.*?)\}\}", train)[1].replace("{resources.runtime}", str(runtime))
    said = subprocess.run(["bash", "-c", f"DOCMT_ON_CLUSTER=1; echo ${{{option}}}"], capture_output=True, text=True)
    assert said.stdout.split() == ["--deadline-minutes", str(deadline)]
