"""`docmt why`: the causes of a plan, the jobs of each, and the price."""

import dataclasses
import json
import re
import shutil

import pytest
from helpers.command_line import invoke, output
from helpers.support import SMOKE, Project

from docmt.base.digests import FileDigest
from docmt.base.manifest import read_manifest
from docmt.plan import identities
from docmt.steps import get_step

TRAININGS = "results/5_training/smoke/toy_zh-en"


def explained(project: Project, target: str = "demo", *arguments: str) -> dict:
    return json.loads(output("why", target, "--root", project.root, *arguments, "--json"))


def text(project: Project, target: str = "demo", *arguments: str) -> str:
    return output("why", target, "--root", project.root, *arguments)


def test_what_is_right_is_one_line_and_nothing_is_written(demo):
    before = sorted(demo.root.rglob("*"))
    checked = "sizes and times fit, bytes are read by `docmt list-results --verify`"
    assert text(demo) == f"demo: everything is there ({checked}); no job would run.\n"
    assert explained(demo)["up_to_date"] and sorted(demo.root.rglob("*")) == before


def test_trainings_with_one_cause_are_one_paragraph_with_what_follows_and_the_price(demo):
    demo.edit(SMOKE, "train.lr", 0.004)
    (cause,) = explained(demo)["causes"]
    assert cause["changes"] == ["the setting train.lr was 0.005, is 0.004"]
    assert len(cause["jobs"]) == 7 and all(job.startswith(TRAININGS) for job in cause["jobs"])
    assert cause["following"]["scores"] == 7 and "train" not in cause["following"]
    printed = text(demo)
    assert "The setting train.lr was 0.005, is 0.004: 7 jobs (train 7)\n" in printed
    assert "... and 1 more\n  and what is made from these: 32 jobs (translate 7, contrastive 7, scores 7" in printed
    assert re.search(r"7 together: 0.\d\d device-hours, at most retrain_hours \(1\), so that a run goes on.", printed)
    assert explained(demo)["jobs"] == len(cause["jobs"]) + sum(cause["following"].values())


def test_the_price_above_the_limit_says_how_to_go_on(demo):
    demo.edit(SMOKE, "train.lr", 0.004)
    printed = text(demo, f"{TRAININGS}/sentence/seed1", "--config", "retrain_hours=0")
    assert "above retrain_hours (0), so that a run stops before its first job; to go on: --config" in printed
    (stale,) = explained(demo, f"{TRAININGS}/sentence/seed1")["stale_trainings"]
    assert stale["training"] == f"{TRAININGS}/sentence/seed1" and 0 < stale["device_hours"] < 0.1


def test_scores_and_pages_belong_to_the_cause_of_their_translations(demo):
    demo.edit("workflow/scales/smoke.yaml", "decode.beam", 3)
    (cause,) = explained(demo)["causes"]
    assert cause["changes"] == ["the setting decode.beam was 2, is 3"]
    assert {"scores", "item", "demo_report"} <= set(cause["following"])
    assert explained(demo)["stale_trainings"] == []


def test_versions_and_libraries_are_causes(demo, monkeypatch):
    monkeypatch.setitem(vars(get_step("views")), "version", 99)
    installed = identities.installed_version
    versions = {"sacrebleu": "9.9"}
    monkeypatch.setattr(identities, "installed_version", lambda name: versions.get(name) or installed(name))
    version, library = explained(demo)["causes"]
    assert version["changes"][0].startswith("the version of the step views was ") and len(version["jobs"]) == 4
    assert version["following"]["train"] == 7 and "scores" not in version["following"]
    assert library["changes"] == [f"the library sacrebleu was {installed('sacrebleu')}, is 9.9"]
    assert len(library["jobs"]) == 7 and all("7_scores" in job for job in library["jobs"])


def test_files_that_are_missing_or_damaged_are_named(demo):
    for system in ("sentence", "han"):
        (demo.root / TRAININGS / system / "seed1/model/model.safetensors").unlink()
    page = demo.root / "results/8_report/smoke/demo/quality.csv"
    page.write_text("other", encoding="utf-8")
    printed = text(demo)
    assert "A file is missing: 2 jobs (train 2)\n" in printed
    assert f"  {TRAININGS}/han/seed1/model/model.safetensors is missing\n" in printed
    assert "A file is damaged: 1 job (item 1)\n  results/8_report/smoke/demo/quality.csv has 5 bytes, not " in printed
    assert "Finished trainings that would be trained again:" in printed


def test_outputs_that_are_not_there_are_a_cause(demo):
    shutil.rmtree(demo.root / "results/7_scores")
    (cause,) = explained(demo, "results/7_scores/smoke/toy_zh-en/han/seed1/scores.json")["causes"]
    assert cause["changes"] == ["its outputs are not there"] and cause["following"] == {}


def test_another_content_of_an_input_is_a_cause(demo):
    (path,) = (demo.root / "results/7_aligners").glob("*/*/manifest.json")
    manifest, table = read_manifest(path), path.with_name("jumps.json")
    table.write_text(table.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    changed = dataclasses.replace(manifest, files={**manifest.files, "jumps.json": FileDigest.of(table)})
    path.write_text(json.dumps(changed.to_json()), encoding="utf-8")
    (cause,) = explained(demo)["causes"]
    assert cause["changes"][0].startswith("made from another content of results/7_aligners/toy_zh-en@smoke/")
    assert len(cause["jobs"]) == 7


NO_JOB = "expected all, a study, or a file or folder of a job below results/"


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("dmeo", "did you mean 'demo'?"),
        ("results/5_training/smoke", NO_JOB),
        ("results/5_training/smoke/toy_zh-en", NO_JOB),
        ("results/8_report/smoke", NO_JOB),
        ("results/9_nothing/x", NO_JOB),
        ("results/5_training/smoke/toy_zh-en/nobody/seed1", "unknown system"),
        ("results/1_corpus/toy_zh-en@smoke/downloads/a.zip", "no job with a manifest makes this file"),
    ],
)
def test_what_is_no_target_is_refused(demo, target, message):
    demo.edit("config.yaml", "scale", "paper" if target.endswith(".zip") else "smoke")
    with pytest.raises(Exception, match=message.replace("?", r"\?")):
        invoke("why", target, "--root", demo.root)


def test_a_file_is_named_from_the_root_or_in_full(demo):
    path = f"{TRAININGS}/han/seed1/model"
    assert explained(demo, path)["jobs"] == explained(demo, str(demo.root / path))["jobs"] == 0
