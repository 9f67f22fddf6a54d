"""`docmt list-results` and `docmt remove-results`: what is there, who asks for it, and what is removed."""

import json
import os
import socket
from contextlib import chdir
from pathlib import Path

import pytest
from helpers.command_line import invoke, output
from helpers.finished import finish_targets, plan_of
from helpers.support import Project

from docmt.base.artifacts import write_json
from docmt.base.errors import UserError
from docmt.base.result_folders import OLD
from docmt.plan.asked import asked_lately, file_of_clone, write_asked
from docmt.plan.links import jobs_of_target, set_link
from docmt.plan.plan import Job
from docmt.supervision.lease import Lease

TRAINING, UPDATES = "results/5_training/toy/sentence/seed1", "defaults/train/max_updates"


@pytest.fixture
def changed(small: Project) -> Project:
    """A project with two versions of all trainings, of which the second is asked for."""
    finish_targets(small.root, "one")
    small.edit("config.yaml", UPDATES, 7)
    finish_targets(small.root, "one")
    return small


def states(project: Project, *arguments: str) -> dict[str, str]:
    rows = json.loads(output("list-results", "--root", project.root, *arguments, "--json"))
    return {row["path"]: row["state"] for row in rows}


def removed(project: Project, *arguments: str) -> list[str]:
    printed = json.loads(output("remove-results", *arguments, "--root", project.root, "--json"))
    return [row["path"] for row in printed["artifacts"]]


def versions(project: Project) -> dict[str, str]:
    return {path: state for path, state in states(project).items() if path.startswith(TRAINING)}


def ask(project: Project, day: str = "", **config: object) -> None:
    """Write what a run asks for, perhaps on another day, and perhaps in another clone."""
    with chdir(project.root):
        plan = plan_of(project.root, **config)
        write_asked(plan, plan.closure(jobs_of_target(plan, "one")))
    if day:
        path = file_of_clone(project.root)
        value = json.loads(path.read_text())
        for places in value["asked"].values():
            places.update({place: [id, day] for place, (id, _) in places.items()})
        write_json(path.with_name("0123456789ab.json"), value)
        path.unlink()


def test_versions_are_asked_for_or_unused(changed):
    assert sorted(versions(changed).values()) == ["asked", "unused"]
    assert {path for path, state in states(changed).items() if "2_tokens" in path and state == "asked"}
    assert "docmt remove-results --unused would remove" in output("list-results", "--root", changed.root)


def test_a_run_of_any_clone_spares_a_version_for_some_time(changed):
    ask(changed, day="2999-01-01", defaults={"train": {"max_updates": 5}})
    assert sorted(versions(changed).values()) == ["asked", "asked lately"]
    assert removed(changed, "--unused") == []
    ask(changed, day="2000-01-01")
    changed.edit("config.yaml", UPDATES, 9)
    assert asked_lately(changed.root) == set()
    assert {*versions(changed).values()} == {"unused"}


def test_a_later_run_of_a_clone_asks_for_one_version_of_a_place_at_each_scale(changed):
    ask(changed)
    first = asked_lately(changed.root)
    ask(changed, scale="smoke")
    both = asked_lately(changed.root)
    changed.edit("config.yaml", UPDATES, 5)
    ask(changed)
    assert first < both and not first <= asked_lately(changed.root)


def test_a_damaged_note_stops_a_removal(changed):
    ask(changed)
    file_of_clone(changed.root).write_text('{"asked": {"paper": {"a": 1}}}', encoding="utf-8")
    with pytest.raises(UserError, match="not what runs have asked for"):
        invoke("remove-results", "--unused", "--root", changed.root, "--yes")


def test_only_unused_versions_are_removed_and_only_with_yes(changed):
    unused = [path for path, state in states(changed).items() if state == "unused"]
    assert removed(changed, "--unused") == unused and (changed.root / unused[0]).is_dir()
    downloads = changed.root / "results/1_corpus/toy/downloads/a.zip"
    downloads.parent.mkdir(parents=True)
    downloads.touch()
    assert removed(changed, "--unused", "--yes") == unused
    assert {*states(changed).values()} == {"asked", "downloads"} and downloads.exists()
    assert removed(changed, "--unused") == []


def test_a_place_names_all_versions_and_a_folder_one(changed):
    (asked,) = [path for path, state in versions(changed).items() if state == "asked"]
    assert removed(changed, str(changed.root / TRAINING)) == [*versions(changed)]
    assert removed(changed, str(changed.root / asked), "--yes") == [asked]
    assert asked not in states(changed)
    removed(changed, str(changed.root / TRAINING), "--yes")
    assert not (changed.root / TRAINING).parent.exists() and (changed.root / "results/5_training").is_dir()


def test_links_to_a_removed_page_go_with_it(changed):
    plan, page = plan_of(changed.root), Job.of("page", scale="paper", study="one", item="index")
    set_link(plan, page)
    link = changed.root / "results/8_report/paper/one/index.html"
    assert link.is_symlink()
    removed(changed, str(changed.root / plan.recipe(page).folder), "--yes")
    assert not link.is_symlink()


def test_nothing_is_removed_while_a_job_works_on_it_or_reads_it(changed):
    plan = plan_of(changed.root)
    training, scores = (
        plan.recipe(Job.of(step, corpus="toy", system="sentence", seed=1)) for step in ("train", "scores")
    )
    working = changed.root / plan.recipe(Job.of("translate", corpus="toy", system="sentence", seed=1)).folder
    with Lease(working) as lease:
        lease.take(print)
        for folder, message in ((working, "works on"), (changed.root / training.folder, "reads what is removed")):
            with pytest.raises(UserError, match=message):
                invoke("remove-results", str(folder), "--yes", "--root", changed.root)
        assert removed(changed, str(changed.root / scores.folder), "--yes")
    assert removed(changed, str(working), "--yes")


def test_unfinished_artifacts_say_so(changed):
    plan = plan_of(changed.root)
    training = plan.recipe(Job.of("train", corpus="toy", system="sentence", seed=1)).folder
    (changed.root / training / "manifest.json").unlink()
    lines = output("list-results", "--all", "--root", changed.root).splitlines()
    assert [line for line in lines if line.startswith(str(training)) and "asked, unfinished" in line]


def test_a_place_without_artifacts_and_no_place_are_refused(changed):
    with pytest.raises(UserError, match="no results are here"):
        invoke("remove-results", "results/nothing", "--root", changed.root)
    assert "--unused" in invoke("remove-results", "--root", changed.root).stderr


def test_results_of_an_older_docmt_are_named(changed):
    (changed.root / OLD).touch()
    with pytest.raises(UserError, match="results of an older docmt"):
        invoke("list-results", "--root", changed.root)


def test_a_link_to_a_disk_elsewhere_is_removed_alone(changed, tmp_path_factory):
    (folder,) = [changed.root / path for path, state in versions(changed).items() if state == "unused"]
    elsewhere = tmp_path_factory.mktemp("disk") / folder.name
    folder.rename(elsewhere)
    folder.symlink_to(elsewhere)
    removed(changed, str(folder), "--yes")
    assert not folder.is_symlink() and (elsewhere / "manifest.json").is_file()


def test_the_note_says_whose_it_is(changed):
    ask(changed)
    value = json.loads(file_of_clone(changed.root).read_text())
    assert (value["folder"], value["host"]) == (os.fspath(Path(changed.root).absolute()), socket.gethostname())
