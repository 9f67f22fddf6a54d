"""`docmt list-results` and `docmt remove-results`: the state of all artifacts, and the removal of useless ones."""

import dataclasses
import json
import os
import shutil
from pathlib import Path

import pytest
from helpers.command_line import invoke, output
from helpers.support import SMOKE, Project

from docmt.base.errors import UserError
from docmt.base.manifest import read_manifest
from docmt.base.paths import ASIDE
from docmt.grid.grid import load_grid
from docmt.plan import removal
from docmt.plan.aside import PLACE, set_aside
from docmt.plan.inventory import Artifact, Inventory
from docmt.plan.jobs import Job
from docmt.plan.planning import Planner
from docmt.plan.run import grids_of_other_scales

TRAININGS = "results/5_training/smoke/toy_zh-en"
STATES = "results/state/5_training/smoke/toy_zh-en"


def listing(project: Project, *arguments: str) -> list[dict]:
    return json.loads(output("list-results", "--root", project.root, *arguments, "--json"))


def states(project: Project) -> dict[str, str]:
    """The states of all artifacts that are not right, by their paths."""
    return {row["path"]: row["state"] for row in listing(project) if row["state"] != "right"}


def removal_of(project: Project, *arguments: str) -> list[str]:
    printed = json.loads(output("remove-results", "--root", project.root, *arguments, "--json"))
    return [row["path"] for row in printed["artifacts"]]


def files(project: Project) -> set[str]:
    return {str(path.relative_to(project.root)) for path in (project.root / "results").rglob("*") if path.is_file()}


def write(path: Path, text: str = "x") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def crowded(demo) -> Project:
    """The demo with results of a system, a view and an item that no study has."""
    for stage in ("5_training", "6_translations", "7_scores"):
        systems = demo.root / f"results/{stage}/smoke/toy_zh-en"
        shutil.copytree(systems / "han", systems / "gone")
    (views,) = (demo.root / "results/3_views").glob("*/*")
    shutil.copytree(views / "window1", views / "window9")
    for path in (demo.root / "results/8_report/smoke/demo").glob("quality.*"):
        shutil.copy(path, path.with_name(path.name.replace("quality", "gone")))
    page = demo.root / "results/8_report/smoke/demo/gone.manifest.json"
    manifest = read_manifest(page)
    listed = {name.replace("quality", "gone"): digest for name, digest in manifest.files.items()}
    # A person may have changed the manifest, which lists a file of another page here.
    manifest = dataclasses.replace(manifest, files={**listed, "quality.csv": manifest.files["quality.csv"]})
    page.write_text(json.dumps(manifest.to_json()), encoding="utf-8")
    for name in ("gone/seed1", "gone/seed1.0123", "sentence/seed1", "sentence/seed1.0123"):
        write(demo.root / STATES / name / "checkpoint-3.pt")
        # Older than any training that runs.
        for path in (demo.root / STATES / name, demo.root / STATES / name / "checkpoint-3.pt"):
            os.utime(path, (0, 0))
    return demo


def old_version(project: Project, system: str, lr: float | None = None) -> str:
    """Set aside the training of a system, and perhaps change its settings; return its folder."""
    job = Job.of("train", scale="smoke", corpus="toy_zh-en", system=system, seed=1)
    manifest = read_manifest(project.root / job.manifest)
    assert set_aside(project.root, job, manifest)
    if lr is not None:
        project.edit(SMOKE, "train.lr", lr)
    return f"{ASIDE}/{manifest.identity}"


def test_a_finished_project_is_right(demo):
    rows = listing(demo)
    assert {row["state"] for row in rows} == {"right"}
    manifests = [path for path in (demo.root / "results").glob("*/**/*manifest.json") if path.parent.name != "model"]
    manifests += (demo.root / "results").glob("report*.manifest.json")
    assert len(rows) == len(manifests)
    lines = output("list-results", "--root", demo.root).splitlines()
    assert lines[0].split() == ["stage", "state", "artifacts", "size"] and lines[-2].startswith("all")
    assert ["5_training", "right", "7"] in [line.split()[:3] for line in lines]
    every = output("list-results", "--root", demo.root, "--all").splitlines()
    (line,) = [line for line in every if f"{TRAININGS}/han/" in line]
    identity = read_manifest(demo.root / TRAININGS / "han/seed1/manifest.json").identity
    assert line.split()[:3] == [f"{TRAININGS}/han/seed1", "right", identity[:12]]
    size = sum(path.stat().st_size for path in (demo.root / TRAININGS / "han/seed1").rglob("*") if path.is_file())
    assert [row["bytes"] for row in rows if row["path"] == f"{TRAININGS}/han/seed1"] == [size]


def test_each_state_is_listed(demo):
    (demo.root / TRAININGS / "han/seed1/metrics.jsonl").unlink()
    (demo.root / TRAININGS / "w_link/seed1/manifest.json").unlink()
    (demo.root / TRAININGS / "sentence/seed1/model/model.json").write_text("{}", encoding="utf-8")
    settings = demo.root / TRAININGS / "concat_3/seed1/settings.json"
    settings.write_text(settings.read_text(encoding="utf-8").replace('"seed": 1', '"seed": 5'), encoding="utf-8")
    shutil.copytree(demo.root / TRAININGS / "han/seed1", demo.root / TRAININGS / "han/seed1.old")
    shutil.copytree(demo.root / "results/5_training/smoke", demo.root / "results/5_training/small")
    demo.edit(SMOKE, "decode.beam", 3)
    for name in ("ted_zh-en", "ted_zh-en@small"):
        write(demo.root / f"results/1_corpus/{name}/downloads/a.zip")
    listed = states(demo)
    assert listed.pop(f"{TRAININGS}/han/seed1") == "incomplete"
    assert listed.pop(f"{TRAININGS}/w_link/seed1") == "incomplete"
    assert listed.pop(f"{TRAININGS}/sentence/seed1") == "damaged"
    assert listed.pop(f"{TRAININGS}/concat_3/seed1") == "unknown"
    assert listed.pop(f"{TRAININGS}/han/seed1.old") == "unknown"
    assert listed.pop("results/5_training/small/toy_zh-en/sentence/seed1") == "other scale"
    assert listed.pop("results/6_translations/smoke/toy_zh-en/sentence/seed1") == "other"
    for name in ("ted_zh-en", "ted_zh-en@small"):
        assert listed.pop(f"results/1_corpus/{name}/downloads") == "downloads"
    assert "5_training      of scale small" in output("list-results", "--root", demo.root)
    assert removal_of(demo) == []


def test_orphans_are_listed_and_nothing_is_removed_without_yes(crowded):
    before = files(crowded)
    listed = states(crowded)
    orphans = {path for path, state in listed.items() if state == "orphaned"}
    assert orphans == {
        *(f"results/{stage}/smoke/toy_zh-en/gone/seed1" for stage in ("5_training", "6_translations", "7_scores")),
        "results/3_views/toy_zh-en@smoke/truecase_separate4k/window9",
        "results/8_report/smoke/demo/gone",
        f"{STATES}/gone/seed1",
        f"{STATES}/gone/seed1.0123",
    }
    assert {path for path, state in listed.items() if state == "unfinished"} == {
        f"{STATES}/sentence/seed1",
        f"{STATES}/sentence/seed1.0123",
    }
    assert set(removal_of(crowded)) == orphans and removal_of(crowded, "--aside") == []
    printed = output("remove-results", "--root", crowded.root)
    assert "7 artifacts, " in printed and "to remove; nothing was removed. To remove them: --yes" in printed
    assert "docmt remove-results would remove 7 artifacts, " in output("list-results", "--root", crowded.root)
    assert files(crowded) == before


def test_with_yes_only_what_was_listed_is_removed(crowded, finished_demo):
    listed = removal_of(crowded)
    assert removal_of(crowded, "--yes") == listed
    unfinished = {f"{STATES}/sentence/{seed}/checkpoint-3.pt" for seed in ("seed1", "seed1.0123")}
    assert files(crowded) == files(finished_demo) | unfinished
    assert not (crowded.root / TRAININGS / "gone").exists() and not (crowded.root / STATES / "gone").exists()
    assert output("remove-results", "--root", crowded.root, "--yes") == "nothing to remove\n"


def test_old_versions_go_and_what_is_asked_for_stays(demo):
    asked = old_version(demo, "han")
    shutil.copytree(demo.root / asked, demo.root / f"{asked[:-4]}beef")
    (demo.root / f"{asked[:-4]}beef" / PLACE).unlink()
    assert removal_of(demo) == [f"{asked[:-4]}beef"]
    (row,) = [row for row in listing(demo) if row["path"] == asked]
    assert row["why"] == f"of {TRAININGS}/han/seed1; the next run moves it back"
    assert removal_of(demo, "--yes") == [f"{asked[:-4]}beef"]
    assert (demo.root / asked / PLACE).exists()
    demo.edit(SMOKE, "train.lr", 0.004)
    assert removal_of(demo, "--orphans") == [] and removal_of(demo, "--older-than", "2") == []
    os.utime(demo.root / asked / PLACE, (0, 0))
    assert removal_of(demo, "--aside", "--older-than", "2", "--yes") == [asked]
    assert not (demo.root / asked).exists()


def test_old_versions_of_another_scale_stay(demo):
    old_version(demo, "han", lr=0.004)
    assert len(removal_of(demo)) == 1
    assert removal_of(demo, "--config", "scale=paper", "--config", "missing=skip") == []


@pytest.mark.parametrize("kind", ["orphan", "old version", "page"])
def test_a_removal_that_is_killed_leaves_nothing_that_looks_complete(kind, crowded, monkeypatch):
    aside = old_version(crowded, "sentence", lr=0.004)
    place = {
        "orphan": f"{TRAININGS}/gone/seed1",
        "old version": aside,
        "page": "results/8_report/smoke/demo/gone",
    }[kind]
    (artifact,) = [item for item in artifacts(crowded) if item.path == place]

    def killed(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(removal.shutil, "rmtree", killed)
    monkeypatch.setattr(removal, "prune", killed)
    unlink, calls = Path.unlink, []

    def unlink_first(path: Path, **options: bool) -> None:
        calls.append(path)
        killed() if len(calls) > 1 else unlink(path, **options)

    monkeypatch.setattr(Path, "unlink", unlink_first)
    with pytest.raises(KeyboardInterrupt):
        removal.remove(crowded.root, artifact)
    monkeypatch.undo()
    whole = crowded.root / place
    assert not whole.with_name(f"{whole.name}.manifest.json").exists() and not (whole / "manifest.json").exists()
    assert not (whole / PLACE).exists()
    if kind != "page":
        removal_of(crowded, "--yes")
        assert not whole.exists() and not any((crowded.root / ASIDE).iterdir())


def artifacts(project: Project, running: tuple[str, ...] = ()) -> list[Artifact]:
    planner = Planner(load_grid(project.root, {}), project.root)
    return Inventory(planner, [], lambda folder: folder.parent.name in running).artifacts()


def test_a_training_that_runs_is_not_removed(crowded):
    paths = {item.path for item in removal.removable(artifacts(crowded, ("gone",)), aside=True, orphans=True)}
    assert not any("5_training" in path for path in paths) and len(paths) == 4


def test_downloads_of_an_orphaned_corpus_stay(demo):
    folder = demo.root / "results/1_corpus/gone@smoke"
    shutil.copytree(demo.root / "results/1_corpus/toy_zh-en@smoke", folder)
    write(folder / "downloads/a.zip")
    assert removal_of(demo, "--yes") == ["results/1_corpus/gone@smoke"]
    assert [path.name for path in folder.rglob("*") if path.is_file()] == ["a.zip"]


def test_a_view_of_another_scale_is_no_orphan(small):
    small.write("workflow/scales/half.yaml", {"about": "half", "view": {"sample_share": 0.5}})
    system = {"view": {"train": {"max_tokens": 64, "sample": 100}, "test": {"window": 1}}}
    small.edit("workflow/studies/one.yaml", "systems", {"sentence": system})
    grid = load_grid(small.root, {})
    others = grids_of_other_scales(grid, small.root, {})
    views = {scale.entries[0].system.view.name for scale in (grid, *others)}
    assert len(views) == 2
    for view in (*views, "gone"):
        write(small.root / f"results/3_views/toy/joint/{view}/manifest.json")
    listed = Inventory(Planner(grid, small.root), others, lambda folder: False).artifacts()
    assert sorted(artifact.state for artifact in listed) == ["damaged", "orphaned", "other scale"]


def test_a_run_of_snakemake_and_bad_files_are_refused(demo):
    write(demo.root / ".snakemake/locks/0.input.lock")
    with pytest.raises(UserError, match="a run of snakemake works in this folder"):
        invoke("remove-results", "--root", demo.root, "--yes")
    assert removal_of(demo) == []
