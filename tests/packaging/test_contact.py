"""All contact with Snakemake is in one file of rules, which reads few things and writes nothing into its objects."""

import ast
import re

import pytest
from helpers.support import ROOT

CONTACT = ROOT / "workflow/rules/common.smk"
RULES = sorted({*ROOT.glob("workflow/**/*.smk"), ROOT / "Snakefile", ROOT / "workflow/Snakefile"} - {CONTACT})
OF_WORKFLOW = {"basedir", "current_basedir", "dag_settings", "deployment_settings", "dryrun", "remote_exec"}
OF_SETTINGS = {"forceall", "forcerun", "forcetargets", "rerun_triggers", "targets", "until"}
PLUGIN = 'ExecutorPluginRegistry().plugins["kubernetes"].common_settings.implies_no_shared_fs'


def code_of(path) -> str:
    """The text of a file of rules without comments."""
    return re.sub(r"(^|\s)#.*", "", path.read_text(encoding="utf-8"))


def test_the_file_of_contact_reads_what_the_design_allows_and_is_short():
    code = code_of(CONTACT)
    assert {*re.findall(r"\bworkflow\.(\w+)", code)} == OF_WORKFLOW
    assert {*re.findall(r"\bsettings\.(\w+)", code)} - {"types"} == OF_SETTINGS
    assert len(CONTACT.read_text(encoding="utf-8").splitlines()) < 150


def test_it_writes_one_setting_of_a_plugin_and_reads_nothing_private():
    code = code_of(CONTACT)
    assert re.findall(r"^\s*(\S+\.\S+|\S+\[\S+\]) = ", code, re.M) == [PLUGIN]
    assert not re.search(r"\._\w|setattr|__dict__", code)


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.name)
def test_other_files_of_rules_have_no_contact(path):
    assert not re.search(r"\bworkflow\.|\bsnakemake\b|\bimport\b|_dag\b|\._\w|setattr", code_of(path)), path


def test_the_package_imports_nothing_of_snakemake():
    """Nor does anything at run time name a module of it: `python -m snakemake` is a command."""
    for path in (ROOT / "docmt").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [name for name in names if name.startswith("snakemake")], path
