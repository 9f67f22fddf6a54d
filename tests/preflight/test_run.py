"""The jobs of a run, and what they need of the disk, the environment and the store."""

import os
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers.small_grid import STUDY
from helpers.stored import new_store

from docmt.grid.grid import load_grid
from docmt.preflight import disk, environment, packages, store
from docmt.preflight.disk import check_disk, estimated_room
from docmt.preflight.environment import check_environment
from docmt.preflight.finding import Area, RunFinding, once
from docmt.preflight.planned import PlannedRun, planned_run
from docmt.preflight.store import check_store


@pytest.fixture(autouse=True)
def project(small, monkeypatch):
    monkeypatch.chdir(small.root)
    return small


def run_of(*targets: str, **config) -> PlannedRun:
    return planned_run(load_grid(Path(), config), targets or ["one"])[0]


def told(findings: Iterator[RunFinding]) -> list[tuple[str, str]]:
    return [(finding.level, finding.text) for finding in findings if finding.level != "fact"]


def facts(findings: Iterator[RunFinding]) -> str:
    return "\n".join(finding.text for finding in findings if finding.level == "fact")


def test_a_finding_says_it_as_a_message_does_and_once():
    finding = Area("a").error("wrong", where="here", found="x", expected="y", remedy="mend it")
    assert finding.text == "here: wrong\n  found x; expected y\n  mend it"
    assert once([finding, Area("b").warning("wrong", where="here", found="x")]) == [finding]


def test_an_error_of_the_system_ends_a_check_and_not_the_others():
    def broken() -> Iterator[RunFinding]:
        yield Area("a").fact("first")
        raise PermissionError(13, "Permission denied", "/secret")

    assert [finding.level for finding in Area("a").collected(broken())] == ["fact", "error"]
    with pytest.raises(ZeroDivisionError):
        [*Area("a").collected(1 / 0 for _ in range(1))]


def test_the_jobs_of_targets_are_counted():
    run, findings = planned_run(load_grid(Path()), ["one"])
    trainings = [job for job in run.jobs if job.is_training]
    assert findings[-1].message.what.startswith(f"one: {len(run.jobs)} jobs, {len(trainings)} trainings: ")
    assert len(trainings) == 4
    assert planned_run(load_grid(Path()), [])[0].targets == ("one",), "there is no demo"


def test_targets_that_there_are_not_and_studies_with_mistakes(project):
    grid = load_grid(Path())
    project.write("workflow/studies/wrong.yaml", "study: [\n")
    unknown, wrong = told(planned_run(grid, ["onne", "wrong"])[1])
    assert unknown[0] == "error" and unknown[1].startswith("unknown target\n  found onne")
    assert wrong == (
        "warning",
        "workflow/studies/wrong.yaml: not checked: the jobs of the study, which has mistakes itself\n"
        "  correct the study, and check again",
    )


def room(free: int, inodes: int, monkeypatch) -> None:
    status = SimpleNamespace(f_bavail=free, f_frsize=1, f_files=10**6, f_favail=inodes)
    monkeypatch.setattr(disk.os, "statvfs", lambda path: status)


def test_the_disk(monkeypatch):
    run = run_of()
    total = int(estimated_room(run).total)
    assert total > 0
    for free, inodes, expected in (
        (10 * total, 10**6, []),
        (int(1.1 * total), 10**6, [("warning", "the room on the disk may not be enough")]),
        (total // 2, 10**6, [("error", "the disk has not enough room")]),
        (10 * total, 3, [("error", "the file system has not enough inodes")]),
    ):
        room(free, inodes, monkeypatch)
        findings = [*check_disk(run)]
        assert [(finding.level, finding.message.what) for finding in findings if finding.level != "fact"] == expected
        assert "an estimate of " in facts(iter(findings)) and "quotas are not seen" in facts(iter(findings))


def test_a_larger_model_needs_more_room(project):
    before = estimated_room(run_of())
    project.edit(STUDY, "systems/sentence/model", {"width": 256})
    assert estimated_room(run_of()).trainings > 2 * before.trainings


def test_hours_of_trainings_on_corpora_of_unknown_size(project):
    project.edit("config.yaml", "defaults/train", {"max_epochs": 5})
    findings = planned_run(load_grid(Path()), ["one"])[1]
    assert "4 trainings: 0 device-hours; of unknown size: 4" in facts(iter(findings))


def test_versions_that_differ_from_the_pins(project):
    assert told(check_environment(run_of())) == []
    names = sorted(packages.required_packages())
    project.write("pins.txt", "".join(f"{name}==0.0.1\n" for name in names) + f"torch=={metadata.version('torch')}\n")
    ((level, text),) = told(check_environment(run_of()))
    assert (
        level == "warning" and "other versions than pins.txt" in text and "(pinned: 0.0.1)" in text and " more" in text
    )


def test_packages_and_programs_that_are_missing(project, monkeypatch):
    system = {"text": "joint", "command": {"run": "no-such-program {corpus}", "depends_on": ["no-such-file"]}}
    project.edit(STUDY, "systems/service", system)
    monkeypatch.setattr(packages, "is_installed", lambda name: name != "gensim")
    monkeypatch.setenv("PATH", "/nowhere")
    texts = [text for _, text in told(check_environment(run_of()))]
    for part in (
        "packages are missing that jobs need\n  found no gensim",
        "git is not there",
        "service: command.run: no program that can be run\n  found 'no-such-program'",
        "service: command.depends_on: file not found\n  found 'no-such-file'",
    ):
        assert any(part in text for text in texts), texts


def test_the_program_of_comet(project):
    comet = {"command": "no-such-python", "model": "comet"}
    for name in ("hparams.yaml", "checkpoints/model.ckpt"):
        project.write(f"comet/{name}", "x")
    ((level, text),) = told(check_environment(run_of(scoring={"comet": comet})))
    assert level == "error" and text.startswith(
        "scoring.comet.command: no program that can be run\n  found 'no-such-py"
    )


def test_extras_of_aligners_languages_and_stores(project, monkeypatch):
    asked: list[str] = []
    monkeypatch.setattr(environment, "check_packages", asked.extend)
    [*check_environment(run_of(store="s3://bucket", store_mode="off"))]
    assert asked == ["default", "en", "s3"]


def test_the_extra_of_an_engine(project, monkeypatch):
    project.edit("workflow/studies/one.yaml", "systems/sentence/decode", {"engine": "ctranslate2"})
    project.edit("workflow/studies/one.yaml", "systems/document/decode", {"engine": "docmt"})
    asked: list[str] = []
    monkeypatch.setattr(environment, "check_packages", asked.extend)
    [*check_environment(run_of())]
    assert set(asked) == {"default", "en", "ctranslate2"}


def config(**values):
    return load_grid(Path(), values)


def test_no_store_an_empty_one_and_one_of_this_version(tmp_path):
    assert facts(check_store(config())) == facts(check_store(config(store="s", store_mode="off"))) == "no store is used"
    (tmp_path / "store").mkdir()
    assert "store (store_mode: both): an empty place" in facts(check_store(config(store="store")))
    new_store(tmp_path / "begun")
    assert "a store of this version" in facts(check_store(config(store=str(tmp_path / "begun"))))


def test_stores_that_cannot_be_used(tmp_path):
    new_store(tmp_path / "begun")
    address = str(tmp_path / "begun")
    (tmp_path / "begun/docmt-store.json").chmod(0o644)
    (tmp_path / "begun/docmt-store.json").write_text("[", encoding="utf-8")
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").touch()
    for place, part in (
        (address, "docmt-store.json: not the head of a store, or damaged"),
        ("missing", "missing: the folder of the store is not there"),
        (str(tmp_path / "full"), "there are files, but they are no store of docmt"),
        ("ftp://host", "not an address of a store"),
    ):
        ((level, text),) = told(check_store(config(store=place)))
        assert level == "error" and part in text


def test_a_missing_library_of_a_bucket(monkeypatch):
    def missing(name: str):
        raise ImportError(name)

    monkeypatch.setattr("docmt.base.foreign.import_module", missing)
    ((_, text),) = told(check_store(config(store="s3://bucket/path")))
    assert "a store at s3:// needs a library that is not installed" in text and "'.[s3]'" in text


def test_rights_on_a_store_and_its_keys(tmp_path, monkeypatch):
    new_store(tmp_path / "begun")
    monkeypatch.setattr(store.os, "access", lambda path, mode: not mode & os.W_OK)
    ((level, text),) = told(check_store(config(store=str(tmp_path / "begun"))))
    assert level == "warning" and "no right to write to the store" in text and "set store_mode: pull" in text
    assert told(check_store(config(store=str(tmp_path / "begun"), store_mode="pull"))) == []
    monkeypatch.setattr(store.os, "access", lambda path, mode: False)
    ((level, text),) = told(check_store(config(store=str(tmp_path / "begun"), store_mode="pull")))
    assert level == "error" and "no right to read the store" in text
    (tmp_path / "keys").write_text("\n", encoding="utf-8")
    ((_, text),) = told(check_store(config(store_keys="keys")))
    assert "keys: no key is allowed to sign" in text
