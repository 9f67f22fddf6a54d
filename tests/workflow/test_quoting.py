"""Whatever meets a shell is quoted: read in the rules themselves, since one that is bare works for most names."""

import ast
import re
import subprocess

import pytest
from helpers.support import ROOT

from docmt.base import paths

RULES = sorted((ROOT / "workflow" / "rules").glob("[0-9]*.smk"))
PLACE = re.compile(r"(?<!\{)\{([^{}]+)\}(?!\})")
NUMBERS = re.compile(r"threads|resources\.\w+")
WORDS = "params.on_each_node"
"""The part of commands that a function of common.smk puts together."""


def commands(text: str) -> list[str]:
    """The texts after each `shell:`, put together as Python does."""
    blocks = re.findall(r"^( *)shell:\n((?:\1    .*\n)+)", text, re.MULTILINE)
    return [eval(f"({block.strip()})", vars(paths)) for _, block in blocks]


def bare(command: str) -> list[str]:
    """Places of a command that are filled in without quotes; what a substitution gives counts, too."""
    places = [
        place
        for place in PLACE.findall(command)
        if not (place.endswith(":q") or NUMBERS.fullmatch(place) or place == WORDS)
    ]
    without_sums = re.sub(r"\$\(\(.*?\)\)", "", command)
    outside = re.sub(r'"\$\([^()]*\)[/\w]*"', "", without_sums)
    return places + re.findall(r"\$\([^()]*\)|`", outside)


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.name)
def test_every_place_in_a_command_is_quoted(path):
    shell_commands = commands(path.read_text(encoding="utf-8"))
    assert shell_commands, "a file of rules without a command"
    assert {command: bare(command) for command in shell_commands if bare(command)} == {}


@pytest.mark.parametrize(
    "command",
    ["x > {output}", "x {wildcards.corpus}/a", "x $(dirname {input.a:q})", "x `dirname {input.a:q}`", "x {params.new}"],
)
def test_a_bare_place_is_found(command):
    assert bare(command)


def test_a_quoted_place_is_none():
    sums = "--n $(({resources.gpu} ? {resources.gpu} : 1)) ${{A:+b}}"
    command = 'x "$(dirname {input.a:q})" {params.on_each_node} {output:q} ' + sums
    assert bare(command) == []


def test_values_are_quoted_where_words_are_put_together():
    """The values of variables are any text; the words before `docmt` have numbers, and the launcher of a profile."""
    tree = ast.parse(
        re.sub(r"^(onstart|onsuccess|onerror|wildcard_constraints):\n(?:    .*\n|\n)+", "", common(), flags=re.M)
    )
    texts = {
        node.name: {ast.unparse(value.value) for value in ast.walk(node) if isinstance(value, ast.FormattedValue)}
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    }
    assert texts["on_each_node"] == {"resources.mpi", "nodes"}
    values = texts["environment"] - {"name", "exports"}
    assert values and all(value.startswith("shlex.quote(") for value in values)


def common() -> str:
    return (ROOT / "workflow" / "rules" / "common.smk").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.name)
def test_no_log_goes_through_a_pipe(path):
    """A signal to a job's group would end the other side of the pipe first, and the job of that."""
    docmt = [command for command in commands(path.read_text(encoding="utf-8")) if "docmt" in command]
    starts = ("exec docmt ", "exec {params.on_each_node} docmt ")
    assert all(command.startswith(starts) and command.endswith(" > {log:q} 2>&1") for command in docmt)
    assert not [command for command in docmt if "|" in command]


@pytest.mark.parametrize(("runtime", "deadline"), [(1, 0), (2, 0), (3, 1), (60, 58)])
def test_a_training_ends_itself_two_minutes_before_its_time_limit_which_is_never_negative(runtime, deadline):
    (train,) = commands((ROOT / "workflow/rules/5_training.smk").read_text(encoding="utf-8"))
    option = re.search(r"\$\{\{(DOCMT_ON_CLUSTER:\+.*?)\}\} >", train)[1].replace("{resources.runtime}", str(runtime))
    said = subprocess.run(["bash", "-c", f"DOCMT_ON_CLUSTER=1; echo ${{{option}}}"], capture_output=True, text=True)
    assert said.stdout.split() == ["--deadline-minutes", str(deadline)]
