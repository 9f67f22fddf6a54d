"""The rules of the workflow with the threads and resources that they state, as their files have them.

Only what is written is read: a resource that a function computes has no value here.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from docmt.base.clone import clone_of

FOLDER = Path("workflow/rules")
"""The folder of the rules in the clone."""
RULE = re.compile(r"^ *rule (\w+):(.*?)(?=^ *rule \w+:|\Z)", re.MULTILINE | re.DOTALL)
THREADS = re.compile(r"^ *threads: (\d+)$", re.MULTILINE)
RESOURCES = re.compile(r"^( *)resources:\n(.*?)(?=^\1\S|\Z)", re.MULTILINE | re.DOTALL)
RESOURCE = re.compile(r"^ *(\w+)=(.+?),?$", re.MULTILINE)


@dataclass(frozen=True)
class StatedRule:
    """The statements of a rule. `resources`: the text of each, by its name. `is_local`: whether no job is sent."""

    threads: int
    resources: dict[str, str]
    is_local: bool


def stated_rules() -> dict[str, StatedRule]:
    """Return the rules of the workflow that runs in the present folder, by name."""
    return _rules_in((clone_of(Path()) / FOLDER).absolute())


@cache
def _rules_in(folder: Path) -> dict[str, StatedRule]:
    """Return the rules in the files of a folder."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.smk"))]
    return {name: _stated(body) for text in texts for name, body in RULE.findall(text)}


def rule_names() -> set[str]:
    """Return the names of all rules."""
    return {"all", *stated_rules()}


def _stated(body: str) -> StatedRule:
    """Return what the text of a rule states."""
    threads, resources = THREADS.search(body), RESOURCES.search(body)
    texts = dict(RESOURCE.findall(resources[2])) if resources else {}
    return StatedRule(int(threads[1]) if threads else 1, texts, "localrule: True" in body)
