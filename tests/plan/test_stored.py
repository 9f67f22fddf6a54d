"""A second team, one store: what anybody has made is pulled, and nothing but what nobody has is made."""

import json
import shutil
from collections import Counter
from contextlib import chdir
from pathlib import Path

import pytest
from helpers.command_line import output, succeed
from helpers.planted import plan_of
from helpers.stored import write_key
from helpers.support import Project

from docmt.base.errors import UserError
from docmt.cli.store import exchange
from docmt.plan.links import jobs_of_target
from docmt.plan.plan import Job, Plan
from docmt.plan.stored import PAGES, Stored, stored_for, to_pull
from docmt.store.backend import EntryRefused
from docmt.store.contents import rows_of_store
from docmt.store.signatures import sign
from docmt.store.store import REFUSED, UNSIGNED, entry_key, fetch, file_key, give, open_store

TRAININGS = 4
"""The trainings of the study; two systems have one model."""
SCORES = Job.of("scores", corpus="toy", system="sentence", seed=1)


@pytest.fixture
def keys(full_store: Path, tmp_path: Path) -> Path:
    """The file with the key that has signed all of the store."""
    public, opened = write_key(tmp_path / "id"), open_store(str(full_store))
    sign(opened.backend, [row.entry for row in rows_of_store(opened)], tmp_path / "id")
    (tmp_path / "keys").write_text(f"ann {public}\n", encoding="utf-8")
    return tmp_path / "keys"


def planned(project: Project, target: str = "one", **config: object) -> tuple[Plan, Stored, Counter[str]]:
    """A plan, what it finds in the store, and the number of jobs by step that are left to run."""
    with chdir(project.root):
        plan = plan_of(project.root, **config)
        jobs = jobs_of_target(plan, target)
        stored = stored_for(plan, plan.to_run(jobs))
        plan.fetched = {*stored.entries}
        return plan, stored, Counter(job.step for job in plan.to_run(jobs) if job not in plan.fetched)


def test_a_second_team_makes_nothing_but_pages(second, full_store):
    _, stored, left = planned(second, store=str(full_store))
    assert left.keys() == {"page"}, "a page runs the scripts of whoever wrote it"
    assert stored.lines == [UNSIGNED]


def test_with_keys_a_second_team_makes_nothing(second, full_store, keys):
    plan, stored, left = planned(second, store=str(full_store), store_keys=str(keys))
    assert not left and not stored.lines
    pages = jobs_of_target(plan, "one")
    assert plan.to_run(pages) == pages, "nothing else is fetched"


def test_a_damaged_entry_and_one_that_a_job_refused_are_left_out(second, full_store):
    plan, stored, _ = planned(second, store=str(full_store))
    recipes = [plan.recipe(job) for job in stored.entries if job.step == "train"]
    path = full_store / entry_key(recipes[0].identity)
    path.chmod(0o644)
    path.write_bytes(path.read_bytes().replace(b"train", b"tRain"))
    (second.root / recipes[1].folder).mkdir(parents=True)
    (second.root / recipes[1].folder / REFUSED).touch()
    _, again, left = planned(second, store=str(full_store))
    assert left["train"] == 2 and again.lines[0].startswith("not used from the store: ")


def test_a_damaged_file_is_refused_and_mended_by_who_makes_it_again(first, second, full_store):
    with chdir(second.root):
        recipe, store = plan_of(second.root).recipe(SCORES), open_store(str(full_store))
        recipe.write()
        path = full_store / file_key(next(iter(store.entry(recipe.identity).files.values())).sha256)
        path.chmod(0o644)
        path.write_bytes(path.read_bytes()[:-1] + b"x")
        with pytest.raises(EntryRefused, match="other bytes"):
            fetch(recipe, lambda name: True, store)
        assert not (recipe.folder / "manifest.json").exists()
        shutil.copytree(first.root / recipe.folder, recipe.folder, dirs_exist_ok=True)
        assert give(recipe, store) and not (recipe.folder / REFUSED).exists() and not give(recipe, store)
        (recipe.folder / "manifest.json").unlink()
        fetch(recipe, lambda name: True, store)


def test_what_nobody_signed_is_told_in_one_line(second, full_store, tmp_path):
    (tmp_path / "keys").write_text(
        "ann ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICMGrzHlW4ngKyirEy1eNKHUJcFhRditquDl+nWTmtMr\n"
    )
    _, stored, left = planned(second, store=str(full_store), store_keys=str(tmp_path / "keys"))
    (line,) = stored.lines
    assert left["train"] == TRAININGS and "nobody whose key store_keys allows has signed" in line


def test_a_store_that_is_gone_costs_what_is_missing_and_no_run(second, tmp_path):
    _, stored, left = planned(second, store=str(tmp_path / "nowhere"))
    assert left["train"] == TRAININGS and "the folder of the store is not there" in stored.lines[0]


def test_data_are_pulled_for_jobs_that_are_left_to_run_alone(second, full_store):
    with chdir(second.root):
        plan = plan_of(second.root)
        store = open_store(str(full_store))
        steps = {job.step for job in to_pull(plan, store, [SCORES]).entries}
        assert "scores" in steps and "train" in steps and not steps & {"corpus", "tokens", "views"}
        (
            full_store / entry_key(plan.recipe(Job.of("train", corpus="toy", system="sentence", seed=1)).identity)
        ).unlink()
        plan = plan_of(second.root)
        assert not {"corpus", "views"} & {job.step for job in to_pull(plan, store, [SCORES]).entries}, "not needed"
        (full_store / entry_key(plan.recipe(SCORES).identity)).unlink()
        assert "tokens" in {job.step for job in to_pull(plan_of(second.root), store, [SCORES]).entries}


def test_commands_pull_and_push_a_target(first, second, full_store, tmp_path, capsys):
    option = ("--config", f"store={full_store}")
    pull = ("store", "pull", "one", *option, "--root", second.root)
    would = json.loads(output(*pull, "--dry-run", "--json"))
    assert would["artifacts"] and not (second.root / "results").exists()
    pulled = json.loads(output(*pull, "--json"))
    assert pulled["pulled"] and {*pulled["artifacts"]} <= {*would["artifacts"]}
    assert not any(folder.split("/")[1] == "8_report" for folder in pulled["artifacts"]), "pages need a signature"
    for folder in pulled["artifacts"]:
        for name in ("manifest.json", "record.json"):
            assert (second.root / folder / name).read_bytes() == (first.root / folder / name).read_bytes()
    assert "the store has nothing for one" in output(*pull)
    given = json.loads(output("store", "push", "one", *option, "--root", second.root, "--json"))
    assert given["artifacts"] == [] and given["there"] == len(pulled["artifacts"])
    training = pulled["artifacts"][0]
    given = json.loads(output("store", "push", training, *option, "--replace", "--root", second.root, "--json"))
    assert training in given["artifacts"] and given["there"] == 0


def test_what_may_not_be_passed_on_or_is_damaged_stays(first, tmp_path, monkeypatch):
    monkeypatch.setattr(exchange, "may_pass", lambda plan, job: "its licence" if job.step == "tokens" else None)
    (tmp_path / "empty").mkdir()
    weights = next((first.root / "results/5_training").rglob("exit.json"))
    weights.write_text("other")
    done = succeed("store", "push", "one", "--config", f"store={tmp_path / 'empty'}", "--root", first.root)
    assert "its licence" in done.stderr and "stays here, since it is damaged" in done.stderr


def test_a_target_that_nobody_knows_is_refused(second, full_store):
    with pytest.raises(UserError, match="unknown target"):
        succeed("store", "pull", "none", "--config", f"store={full_store}", "--root", second.root)


def test_pages_are_what_people_open():
    assert {*PAGES} == {"page", "front", "sheet"}
