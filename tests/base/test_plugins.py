"""Metrics and models of other packages."""

import sys

import pytest
from helpers.plans import closure, plan_of
from helpers.support import keep_studies, small_demo

from docmt.base.errors import UserError
from docmt.base.plugins import plugin_file, plugins
from docmt.settings.metric import Metric
from docmt.settings.metrics import METRICS
from docmt.settings.models import MODELS, Architecture

ROWS = "from docmt.settings.metric import Metric\nLENGTH = Metric('words', '%', module='lengths')\nNUMBER = 1\n"


@pytest.fixture
def announce(tmp_path, monkeypatch):
    """Install a package whose entry points are these lines."""

    def write(*lines: str) -> None:
        facts = tmp_path / "plugged-1.0.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged\nVersion: 1.0\n")
        (facts / "entry_points.txt").write_text("[docmt.metrics]\n" + "\n".join(lines))
        (tmp_path / "plugged_rows.py").write_text(ROWS)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, "plugged_rows", raising=False)

    return write


def test_an_installed_package_gives_its_rows(announce):
    announce("length = plugged_rows:LENGTH")
    assert plugins("docmt.metrics", Metric, METRICS)["length"].module == "lengths"
    assert "length" not in plugins("docmt.models", Architecture, MODELS)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("LTCR = plugged_rows:LENGTH", "the name of a plugin is taken"),
        ("length = plugged_rows:NOTHING", "a plugin cannot be loaded"),
        ("length = nowhere:LENGTH", "a plugin cannot be loaded"),
        ("length = plugged_rows:NUMBER", "not a plugin of this kind"),
    ],
)
def test_what_is_no_plugin_is_refused(announce, line, message):
    announce(line)
    with pytest.raises(UserError, match=message) as refused:
        plugins("docmt.metrics", Metric, METRICS)
    assert line.partition(" = ")[0] in refused.value.where


def test_a_module_that_is_not_there_is_named():
    with pytest.raises(UserError, match="the module of a plugin is not there"):
        plugin_file("nowhere_at_all")
    assert plugin_file("docmt.scoring.ltcr") is None and plugin_file("") is None


def identities(project, step: str) -> dict[str, str]:
    plan = plan_of(project.root, scale="smoke")
    return {job.place: plan.recipe(job).identity for job in closure(plan, "demo") if job.step == step}


def test_the_file_of_a_plugin_decides_what_it_computes_and_nothing_else(tmp_path, monkeypatch):
    """A metric that one table shows of two systems; then a model that one system has."""
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("lengths", "scaled"):
        (tmp_path / f"{name}.py").write_text("first = 1\n")
    monkeypatch.setitem(METRICS, "length", Metric("words", "%", module="lengths", on_request=True))
    project = keep_studies(small_demo(tmp_path / "project"), "demo")
    before = {step: identities(project, step) for step in ("train", "scores")}
    study = project.read("workflow/studies/demo.yaml")
    rows = [{"system": "sentence"}, {"system": "han"}]
    study["tables"]["lengths"] = {"title": "Lengths", "metrics": ["length"], "rows": rows}
    project.write("workflow/studies/demo.yaml", study)
    named = {step: identities(project, step) for step in ("train", "scores")}
    assert named["train"] == before["train"]
    of_two = {job for job in named["scores"] if "/sentence/" in job or "/han/" in job}
    assert {job for job in named["scores"] if named["scores"][job] != before["scores"][job]} == of_two and of_two
    (tmp_path / "lengths.py").write_text("second = 2\n")
    changed = identities(project, "scores")
    assert {job for job in changed if changed[job] != named["scores"][job]} == of_two
    monkeypatch.setitem(MODELS, "transformer", MODELS["transformer"]._replace(model="scaled:Scaled"))
    of_model = identities(project, "train")
    (tmp_path / "scaled.py").write_text("second = 2\n")
    again = identities(project, "train")
    for job in again:
        # Long-short masking is another model, and starts from nothing.
        assert (again[job] == of_model[job] == named["train"][job]) == ("/long_short/" in job)
