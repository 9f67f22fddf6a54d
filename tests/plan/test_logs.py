"""The logs of jobs are those that the rules state."""

import re

from helpers.support import ROOT

from docmt.base import paths
from docmt.plan.jobs import Job
from docmt.plan.logs import log_of
from docmt.steps import NAMES

STATED = re.compile(r"^ *rule (\w+):\n(?:(?!^ *rule ).*\n)*?^ *log:\n *(.+),$", re.MULTILINE)


def test_the_log_of_each_rule_is_that_of_the_workflow():
    stated = {}
    for file in sorted((ROOT / "workflow/rules").glob("[0-9]*.smk")):
        stated |= dict(STATED.findall(file.read_text(encoding="utf-8")))
    assert {*NAMES} <= {*stated}
    for rule in NAMES:
        expected = eval(stated[rule], vars(paths).copy())
        names = dict.fromkeys(re.findall(r"\{(\w+)\}", expected), "x")
        assert log_of(Job.of(rule, **names)) == expected.format(**names), rule
