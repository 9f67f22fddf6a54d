"""The workflow that runs the rules: names and paths of its own, and of docmt's."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers.awaiting import result_of

from docmt.plan.host import Host


def modifier(prefix: str, name: str, is_main: bool) -> SimpleNamespace:
    """How Snakemake changes paths and names of a module."""
    return SimpleNamespace(
        path_modifier=SimpleNamespace(replace_prefix=lambda path: prefix + path),
        modify_rulename=lambda rule: name + rule,
        is_main_snakefile=lambda: is_main,
    )


@pytest.fixture
def inside(tmp_path, monkeypatch) -> Host:
    monkeypatch.chdir(tmp_path)
    return Host.of(modifier("a/docmt/", "docmt_", is_main=False))


def job(rule: str) -> SimpleNamespace:
    return SimpleNamespace(rule=SimpleNamespace(name=rule))


def test_in_its_own_workflow_nothing_has_another_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    host = Host.of(modifier("", "", is_main=True))
    assert (host.root, host.is_module, host.environment) == (Path(), False, {})
    assert host.rule("train") == host.original_rule("train") == "train"
    assert host.path("results/x") == host.inner_path("results/x") == "results/x"
    with host.inside():
        assert Path.cwd() == tmp_path


def test_a_prefix_leads_there_and_back(inside, tmp_path):
    assert inside.path("results/x") == "a/docmt/results/x" and inside.path("/data/x") == "/data/x"
    assert inside.inner_path("a/docmt/results/x") == "results/x"
    assert inside.inner_path("results/x") == "../../results/x", "a file of the other workflow"
    assert (inside.rule("download"), inside.original_rule("docmt_download")) == ("docmt_download", "download")
    assert inside.original_rule("train") is None
    assert inside.environment == {"DOCMT_TOP": str(tmp_path), "DOCMT_FOLDER": "a/docmt"}
    with inside.inside():
        assert Path.cwd() == tmp_path / "a/docmt"
        assert inside.inner_path("a/docmt/results/x") == "results/x"
    assert Path.cwd() == tmp_path


def test_hooks_of_both_are_called_and_ours_first(inside):
    called = []
    workflow = SimpleNamespace(
        **{name: lambda log: called.append(log) for name in ("_onstart", "_onsuccess", "_onerror")}
    )
    inside.add_hooks(workflow, *(lambda name=name: called.append(name) for name in ("start", "success", "failure")))
    for hook in (workflow._onstart, workflow._onsuccess, workflow._onerror):
        hook("log")
    assert called == ["start", "log", "success", "log", "failure", "log"]


def test_records_of_snakemake_stay_in_force_for_the_other_rules_alone(inside):
    async def incomplete(job):
        return ["file"]

    persistence = SimpleNamespace(has_metadata=lambda job: True, incomplete=incomplete)
    inside.forget_records(persistence)
    assert persistence.has_metadata(job("train")) and not persistence.has_metadata(job("docmt_train"))
    assert result_of(persistence.incomplete(job("train"))) == ["file"]
    assert result_of(persistence.incomplete(job("docmt_train"))) == []
