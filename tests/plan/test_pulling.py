"""A second team, one store: what anybody has made is pulled, and nothing but what nobody has is made."""

import json
import os
import re
import shutil
from contextlib import chdir
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from helpers.plans import rules
from helpers.support import Project, docmt

from docmt.base.manifest import read_manifest
from docmt.grid.grid import load_grid
from docmt.plan import pushing
from docmt.plan.driver import plan_run, targets_of
from docmt.plan.exchange import push_target
from docmt.plan.planning import Plan, Planner
from docmt.plan.push_process import PushWatch
from docmt.plan.pushing import Pusher, awaited_of
from docmt.plan.stored import stored_for
from docmt.store.addresses import open_store
from docmt.store.chosen import all_entries, entries_of
from docmt.store.signing import sign
from docmt.store.store import UNSIGNED, entry_key, file_key

DEMO = "workflow/studies/demo.yaml"
MODEL = "results/5_training/smoke/toy_zh-en/{}/seed1"


@pytest.fixture
def store(full_store: Path, tmp_path: Path) -> Path:
    """A copy of the store that a test may change."""
    return shutil.copytree(full_store, tmp_path / "store")


def run_plan(
    project: Project, store: Path, *targets: str, is_dry: bool = False, keys: Path | None = None
) -> tuple[Plan, list[str]]:
    """The plan of a run with a store, after its pulls, and the lines about the store."""
    settings = {"store": str(store)} | ({"store_keys": str(keys)} if keys else {})
    grid, lines = load_grid(project.root, settings), list[str]()
    planner = Planner(grid, project.root, stored_for(grid))
    plan = plan_run(planner, targets or ("demo",), lambda job: False, is_dry, lines.append)
    return plan, lines


def work(plan: Plan) -> dict[str, int]:
    return {rule: count for rule, count in rules(plan).items() if rule not in ("item", "compare", "report")}


def models(project: Project) -> set[str]:
    return {path.parent.parent.name for path in (project.root / "results/5_training").glob("*/*/*/seed1/manifest.json")}


@pytest.fixture
def keys(store: Path, tmp_path: Path) -> Path:
    """The file with the key that has signed all of the store."""
    key, opened = Ed25519PrivateKey.from_private_bytes(b"1" * 32), open_store(str(store))
    sign(opened.backend, entries_of(opened, all_entries(opened)), key)
    public = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
    (tmp_path / "keys").write_text(f"ann {public}\n", encoding="utf-8")
    return tmp_path / "keys"


def test_a_second_team_makes_nothing_but_pages(second: Project, full_store: Path):
    plan, lines = run_plan(second, full_store)
    assert rules(plan).keys() == {"item", "report", "demo_report"}, "a page runs the scripts of whoever wrote it"
    assert re.search(r"pulled from .*: \d+ artifacts \(.* MB\); saved: 7 trainings among \d+ jobs, about", lines[0])
    assert lines[1] == UNSIGNED
    assert not [*(second.root / "results/8_report").rglob("*.html")] and not any(
        (second.root / "results/aside").iterdir()
    )


def test_with_keys_a_second_team_makes_nothing(second: Project, store: Path, keys: Path):
    plan, lines = run_plan(second, store, keys=keys)
    assert not plan.reasons and UNSIGNED not in lines
    assert re.search(r"pulled from .*: \d+ artifacts \(.* MB\); saved: 7 trainings among \d+ jobs, about", lines[0])
    assert (second.root / "results/report@smoke.html").exists()
    assert not (second.root / "results/5_training").exists(), "nothing but pages is needed"
    pages = {path.name for path in (second.root / "results/8_report/smoke/demo").glob("*.html")}
    assert {"index.html", "quality.html", "learning.html"} <= pages, "the links of the page lead somewhere"
    assert not any((second.root / "results/aside").glob("*"))


def test_a_dry_run_says_what_it_would_pull_and_pulls_nothing(second: Project, store: Path, keys: Path):
    plan, lines = run_plan(second, store, is_dry=True, keys=keys)
    assert not plan.reasons and {job.rule for job in plan.pull} == {"item", "report", "demo_report"}
    assert lines[0].startswith(f"would be pulled from {store}: {len(plan.pull)} artifacts")
    assert not (second.root / "results").exists()


def test_a_page_that_only_others_link_to_is_wanted_too(second: Project, store: Path, keys: Path):
    run_plan(second, store, keys=keys)
    manifest = read_manifest(second.root / "results/8_report/smoke/demo/quality.manifest.json")
    for name in ("html", "json", "csv", "manifest.json", "record.json", "settings.json"):
        (second.root / f"results/8_report/smoke/demo/quality.{name}").unlink()
    (store / entry_key(str(manifest.identity))).unlink()
    plan, lines = run_plan(second, store, keys=keys)
    assert rules(plan) == {"item": 1} and "pulled from" in lines[0], "its scores are pulled"


def test_a_change_of_one_override_pulls_everything_but_what_depends_on_it(second: Project, full_store: Path):
    second.edit(DEMO, "systems/g_transformer/decode", {"length_alpha": 0.7})
    plan, lines = run_plan(second, full_store)
    assert work(plan) == {"translate": 1, "contrastive": 1, "scores": 1, "demo_report": 1}
    assert "7 trainings" in lines[0] and "g_transformer" in models(second)


def test_another_beam_needs_the_model_and_not_what_it_was_trained_on(second: Project, full_store: Path):
    target = "results/7_scores/smoke/toy_zh-en/sentence/seed1/scores.json"
    second.edit(DEMO, "systems/sentence/decode", {"length_alpha": 0.7})
    plan, _ = run_plan(second, full_store, target)
    assert {"train", "tokens"} & {*rules(plan)} == set() and rules(plan)["translate"] == 1
    assert models(second) == {"sentence"}


def test_a_sibling_needs_the_view_which_is_pulled_or_made(second: Project, store: Path):
    second.edit(DEMO, "systems/sibling", {"extends": "sentence", "train": {"lr": 0.0011}})
    target = MODEL.format("sibling") + "/manifest.json"
    plan, _ = run_plan(second, store, target)
    assert rules(plan) == {"train": 1}
    view = next((second.root / "results/3_views").rglob("manifest.json"))
    (store / entry_key(str(read_manifest(view).identity))).unlink()
    shutil.rmtree(second.root / "results")
    plan, _ = run_plan(second, store, target)
    assert rules(plan) == {"views": 1, "train": 1}


def test_models_made_here_and_pulled_are_mixed(finished_demo: Project, second: Project, full_store: Path):
    for stage in ("1_corpus", "2_tokens", "3_views", "5_training"):
        shutil.copytree(finished_demo.root / "results" / stage, second.root / "results" / stage)
    for name in ("g_transformer", "long_short"):
        shutil.rmtree(second.root / MODEL.format(name))
    for path in (second.root / "results").rglob("*"):
        os.utime(path, (1e9, 1e9))  # a fresh copy has other times
    second.edit(DEMO, "systems/g_transformer/decode", {"length_alpha": 0.7})
    plan, _ = run_plan(second, full_store)
    assert "train" not in rules(plan)


def test_a_poisoned_file_is_refused_and_its_job_is_made_anew(second: Project, store: Path):
    target = MODEL.format("sentence") + "/manifest.json"
    run_plan(second, store, target)
    manifest = read_manifest(second.root / target)
    name = next(name for name in manifest.files if name.endswith(".safetensors"))
    poisoned = store / file_key(manifest.files[name].sha256)
    data = bytearray(poisoned.read_bytes())
    data[100] ^= 1
    poisoned.chmod(0o644)
    poisoned.write_bytes(data)
    shutil.rmtree(second.root / "results")
    plan, lines = run_plan(second, store, target)
    assert rules(plan) == {"train": 1}, "what it was trained on is pulled"
    assert any("other bytes than its name says" in line for line in lines)
    assert not any((second.root / "results/aside").glob("*"))


def test_a_damaged_entry_is_refused_and_its_job_is_made_anew(second: Project, store: Path):
    target = MODEL.format("sentence") + "/manifest.json"
    run_plan(second, store, target)
    entry = store / entry_key(str(read_manifest(second.root / target).identity))
    entry.chmod(0o644)
    entry.write_bytes(entry.read_bytes().replace(b"seed", b"sEed"))
    shutil.rmtree(second.root / "results")
    plan, lines = run_plan(second, store, target)
    assert rules(plan) == {"train": 1} and any(line.startswith("not used from the store") for line in lines)


def test_unsigned_entries_are_told_in_one_line_and_stay_as_they_are(second: Project, full_store: Path, tmp_path: Path):
    keys = tmp_path / "keys"
    keys.write_text("ann ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICMGrzHlW4ngKyirEy1eNKHUJcFhRditquDl+nWTmtMr\n")
    grid = load_grid(second.root, {"store": str(full_store), "store_keys": str(keys)})
    planner, lines = Planner(grid, second.root, stored_for(grid)), list[str]()
    plan = plan_run(planner, ["demo"], lambda job: False, True, lines.append)
    assert rules(plan)["train"] == 7
    (line,) = [line for line in lines if line.startswith("not used from the store")]
    assert "nobody whose key store_keys allows has signed" in line and re.search(r"so too \d+ more", line)
    assert not any(artifact.mend for artifact in awaited_of(planner, plan))


def test_a_store_that_is_gone_costs_what_is_missing_and_no_run(second: Project, tmp_path: Path):
    plan, lines = run_plan(second, tmp_path / "nowhere")
    assert rules(plan)["train"] == 7
    assert "the folder of the store is not there" in lines[0] and "it trains 7 systems" in lines[1]


def test_a_store_that_is_gone_half_way_costs_what_is_missing(second: Project, store: Path, monkeypatch):
    target = "results/7_scores/smoke/toy_zh-en/sentence/seed1/scores.json"
    second.edit(DEMO, "systems/sentence/decode", {"length_alpha": 0.7})
    backend = type(open_store(str(store)).backend)
    copy, calls = backend.download, []

    def leave(self, key, path, sha256):
        calls.append(key)
        if len(calls) == 3:
            store.rename(store.with_name("gone"))
        copy(self, key, path, sha256)

    monkeypatch.setattr(backend, "download", leave)
    plan, lines = run_plan(second, store, target)
    assert any("the run goes on without the store; it trains" in line for line in lines)
    assert plan.reasons and not plan.pull


def test_commands_pull_and_push_a_target(finished_demo: Project, second: Project, tmp_path: Path):
    place = tmp_path / "place"
    place.mkdir()
    first = Project(shutil.copytree(finished_demo.root, tmp_path / "first", symlinks=True))
    target, option = MODEL.format("sentence") + "/manifest.json", f"store={place}"
    pull = ("store", "pull", target, "--config", option)
    given = json.loads(docmt("store", "push", target, "--config", option, "--json", cwd=first.root, check=True).stdout)
    assert given["artifacts"] == 4 and given["there"] == 0
    again = docmt("store", "push", target, "--config", option, cwd=first.root, check=True).stdout
    assert "0 artifacts pushed, 0 bytes; 4 were there" in again
    would = docmt(*pull, "--dry-run", cwd=second.root, check=True).stdout
    assert "would be pulled" in would and not (second.root / "results").exists()
    pulled = json.loads(docmt(*pull, "--json", cwd=second.root, check=True).stdout)
    assert (pulled["artifacts"], pulled["trainings"], pulled["pulled"]) == (1, 1, True)
    assert (second.root / target).read_bytes() == (first.root / target).read_bytes()
    nothing = docmt(*pull, cwd=second.root, check=True).stdout
    assert "the store has nothing for" in nothing


def test_the_run_after_a_killed_one_pushes_the_rest_and_nothing_twice(finished_demo: Project, tmp_path: Path):
    place = tmp_path / "place"
    place.mkdir()
    root = Path(shutil.copytree(finished_demo.root, tmp_path / "first", symlinks=True))
    planner = Planner(load_grid(root, {"store": str(place)}), root)
    plan = planner.plan(targets_of(planner, [MODEL.format("sentence") + "/manifest.json"]))
    waiting, pusher = awaited_of(planner, plan), Pusher(open_store(str(place)), root)
    assert all(pusher.push(awaited) for awaited in waiting[:2])
    rest = awaited_of(planner, plan)
    assert rest == waiting[2:]
    watch = PushWatch(Pusher(open_store(str(place)), root), waiting)
    watch.run(lambda seconds: True)
    assert (watch.pusher.artifacts, watch.waiting) == (2, []), "what the store has is not pushed again"
    assert awaited_of(planner, plan) == []


def test_an_artifact_is_pushed_when_its_manifest_is_another_one(finished_demo: Project, tmp_path: Path):
    place = tmp_path / "place"
    place.mkdir()
    root = Path(shutil.copytree(finished_demo.root, tmp_path / "first", symlinks=True))
    planner, target = Planner(load_grid(root, {"store": str(place)}), root), MODEL.format("sentence") + "/manifest.json"
    (job,) = targets_of(planner, [target])
    plan = planner.plan([job], forced=lambda other: other == job)
    (awaited,) = [awaited for awaited in awaited_of(planner, plan) if awaited.job == job]
    pusher = Pusher(open_store(str(place)), root)
    assert not pusher.push(awaited), "this is the manifest of before"
    os.utime(root / target)
    assert pusher.push(awaited) and pusher.artifacts == 1


def test_what_may_not_be_passed_on_is_not_pushed(demo: Project, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(pushing, "may_pass", lambda jobs, job: None if job.is_training else "its licence")
    (tmp_path / "place").mkdir()
    grid, lines = load_grid(demo.root, {"store": str(tmp_path / "place")}), list[str]()
    planner, target = Planner(grid, demo.root), MODEL.format("sentence") + "/manifest.json"
    plan = planner.plan(targets_of(planner, [target]))
    assert [awaited.rule for awaited in awaited_of(planner, plan)] == ["train"]
    with chdir(demo.root):
        given = push_target(grid, target, lines.append)
    assert (given["artifacts"], given["local"], lines) == (1, 3, ["its licence"] * 3)


def test_a_damaged_file_is_not_pushed_and_the_others_are(demo: Project, tmp_path: Path):
    (tmp_path / "place").mkdir()
    grid, lines = load_grid(demo.root, {"store": str(tmp_path / "place")}), list[str]()
    weights = demo.root / MODEL.format("sentence") / "model/model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"x")
    os.utime(weights, ns=(0, 0))  # as on a bad disk: its time says nothing
    with chdir(demo.root):
        given = push_target(grid, MODEL.format("sentence") + "/manifest.json", lines.append)
    assert (given["artifacts"], given["local"]) == (3, 1) and "stays here, since it is damaged" in lines[0]
