"""What is up to date: every file of a finished demo removed in turn, and changes that must, or must not, make more."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from helpers.plans import closure, places, plan_of, planner_of, rules
from helpers.support import Project, copy_project

from docmt.base.columns import DOCUMENTS
from docmt.base.digests import indented_json
from docmt.base.errors import UserError
from docmt.base.manifest import read_manifest, sealed
from docmt.base.recipe import JOB
from docmt.base.tables import read_parquet
from docmt.grid.grid import load_grid
from docmt.plan import identities
from docmt.plan.driver import lines_of, plan_run
from docmt.plan.jobs import Job
from docmt.plan.planning import Planner

RUN = "smoke/toy_zh-en/{}/seed1"
MODEL = f"5_training/{RUN}"
NO_OUTPUTS = {"frozen_grid.json", "frozen_times.json", "digests.json", "scores.parquet", "scores.manifest.json"}
"""Files that a run writes for itself; removed, the next run writes them again."""


def of_results(root: Path) -> list[Path]:
    files = (path for path in sorted((root / "results").rglob("*")) if path.is_file())
    return [path for path in files if not path.name.startswith(".") and path.name not in NO_OUTPUTS]


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_each_removed_file_is_planned_for_and_nothing_else(demo: Project, step: int):
    """Every fifth file but recipes, which are written before their jobs run alone; the slow test removes each."""
    files = [path for path in of_results(demo.root) if not path.name.endswith(JOB)]
    assert len(files) > 300
    grid = load_grid(demo.root)
    for path in files[::step]:
        hidden = path.with_name(f".{path.name}.gone")
        path.rename(hidden)
        plan = plan_run(Planner(grid, demo.root), ["demo"], lambda job: False, is_dry=True)
        planned = [job.folder for job in (*plan.reasons, *plan.unsettled)]
        assert len(planned) == 1 and (demo.root / planned[0]) in path.parents, f"{path}: {planned}"
        (why,) = [state.why for state in plan.reasons.values()] or [plan.unsettled[0].settings_path]
        assert path.name in why, f"{path}: {why}"
        hidden.rename(path)
    assert not plan_of(demo.root).reasons


def test_snakemake_says_which_file_is_missing_and_remakes_its_job_alone(demo: Project, programs: Path):
    view = next(demo.root.glob("results/3_views/*/*/window1"))
    before = {path: path.read_bytes() for path in of_results(demo.root)}
    (view / "train.arrow").unlink()
    times = {path: path.stat().st_mtime_ns for path in (demo.root / "results").rglob("*")}
    done = demo.snakemake("-n", check=True)
    assert counts(done.stdout) == {"views": 1, "total": 1}
    place = view.relative_to(demo.root)
    assert f"docmt: {place}: {place}/train.arrow is missing; made" in done.stderr
    assert {path: path.stat().st_mtime_ns for path in (demo.root / "results").rglob("*")} == times, "nothing is written"
    demo.snakemake("--cores", "1", check=True, programs=programs)
    after = {path: path.read_bytes() for path in of_results(demo.root)}
    assert {path for path in before if before[path] != after[path]} <= {view / "record.json"}
    assert not plan_of(demo.root).reasons


def counts(printed: str) -> dict[str, int]:
    """The table of jobs that `snakemake -n` prints, without the jobs of targets that have no files."""
    lines = printed.split("Job stats:")[1].splitlines()[3:]
    table = {}
    for line in lines:
        if not line.strip():
            break
        rule, count = line.split()
        table[rule] = int(count)
    return table


def test_file_times_are_no_reason(demo: Project, tmp_path: Path):
    """As after `cp -r`, in any order, or where clocks differ."""
    copy = Project(tmp_path / "elsewhere")
    shutil.copytree(demo.root, copy.root, copy_function=shutil.copyfile)
    shutil.rmtree(copy.root / ".snakemake", ignore_errors=True)
    for number, path in enumerate(of_results(copy.root)):
        os.utime(path, (1.7e9 + number % 7, 1.7e9 + number % 5))
    assert not plan_of(copy.root).reasons
    assert "Nothing to be done" in copy.snakemake("-n", check=True).stdout


def test_a_changed_byte_is_seen_at_planning(demo: Project):
    weights = demo.root / "results" / MODEL.format("han") / "model/model.safetensors"
    damaged = bytearray(weights.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    weights.write_bytes(damaged)
    plan = plan_of(demo.root)
    ((job, state),) = plan.reasons.items()
    assert (job.rule, job.names["system"], state.name) == ("train", "han", "damaged")
    assert state.why == f"results/{MODEL.format('han')}/model/model.safetensors differs from its manifest"


def test_a_model_without_its_views_another_beam_and_a_sibling(demo: Project, programs: Path):
    """0 trainings where a model is there and its views are not: not for itself, another beam, or a new sibling."""
    for folder in ("3_views", "2_tokens", "4_chains", "6_translations", "7_scores", "8_report"):
        shutil.rmtree(demo.root / "results" / folder)
    target = f"results/6_translations/{RUN}/test.txt".format("sentence")
    assert rules(plan_of(demo.root, target)) == {"translate": 1, "views": 1, "tokens": 1}
    demo.edit("workflow/scales/smoke.yaml", "decode/beam", 3)
    assert rules(plan_of(demo.root, target)) == {"translate": 1, "views": 1, "tokens": 1}
    study = demo.read("workflow/studies/demo.yaml")
    study["systems"]["sibling"] = {"extends": "sentence", "train": {"label_smoothing": 0.2}}
    demo.write("workflow/studies/demo.yaml", study)
    sibling = f"results/5_training/{RUN}/record.json".format("sibling")
    assert rules(plan_of(demo.root, target, sibling)) == {"train": 1, "translate": 1, "views": 1, "tokens": 1}
    demo.snakemake("--cores", "2", target, sibling, check=True, programs=programs)
    assert not plan_of(demo.root, target, sibling).reasons


def test_a_library_of_another_version_makes_what_it_made(demo: Project, monkeypatch):
    versions = {"sacrebleu": "0.0.1"}
    actual = identities.installed_version
    monkeypatch.setattr(identities, "installed_version", lambda name: versions.get(name) or actual(name))
    assert not {"train", "translate", "tokens"} & rules(plan_of(demo.root)).keys()
    assert rules(plan_of(demo.root))["scores"] == 7
    versions |= {"jieba": "0.0.1"}
    plan = plan_of(demo.root)
    assert rules(plan)["tokens"] == 1 and rules(plan)["train"] == 7
    tokens = next(state for job, state in plan.reasons.items() if job.rule == "tokens")
    assert tokens.why == f"the library jieba was {actual('jieba')}, is 0.0.1"


def test_another_scale_beside_it_shares_nothing(demo: Project):
    paper = plan_of(demo.root, scale="paper")
    assert {state.name for state in paper.reasons.values()} == {"absent"}
    smoke = places(list(closure(planner_of(demo.root), "demo")))
    assert not smoke & places(paper.reasons)
    assert not plan_of(demo.root).reasons


def test_settings_that_were_edited_are_refused(demo: Project):
    settings = demo.root / "results" / MODEL.format("sentence") / "settings.json"
    settings.write_text(settings.read_text().replace('"seed": 1', '"seed": 5'))
    done = demo.snakemake("-n")
    assert done.returncode == 2 and "the file was changed after docmt wrote it" in done.stderr
    assert f"results/{MODEL.format('sentence')}/settings.json" in done.stderr and "Traceback" not in done.stderr


def test_settings_that_were_sealed_again_are_still_not_what_was_asked_for(demo: Project):
    """Somebody who computes the digest too asks for another model, which is then not the grid's."""
    settings = demo.root / "results" / MODEL.format("sentence") / "settings.json"
    value = json.loads(settings.read_text())
    del value["digest"]
    settings.write_text(indented_json(sealed({**value, "seed": 5})))
    settings.with_name("manifest.json").unlink()
    shutil.rmtree(settings.with_name("model"))
    plan = plan_of(demo.root, is_dry=False)
    assert [job.names["system"] for job in plan.reasons] == ["sentence"]


def test_replaced_outputs_are_set_aside_and_move_back(demo: Project, programs: Path):
    model = demo.root / "results" / MODEL.format("han")
    before = (model / "model/model.safetensors").read_bytes()
    demo.edit("workflow/studies/demo.yaml", "systems/han/train", {"max_updates": 400, "label_smoothing": 0.3})
    target = f"results/{MODEL.format('han')}/record.json"
    demo.snakemake("--cores", "1", target, check=True, programs=programs)
    assert (model / "model/model.safetensors").read_bytes() != before
    (aside,) = (demo.root / "results/aside").glob("*/files/model/model.safetensors")
    assert aside.read_bytes() == before
    shutil.copy(Path(__file__).parents[2] / "workflow/studies/demo.yaml", demo.root / "workflow/studies/demo.yaml")
    said = "\n".join(lines_of(plan_of(demo.root, target), 1.0))
    assert "what is asked for was set aside; it moves back" in said
    done = demo.snakemake("--cores", "1", target, check=True)
    assert "Nothing to be done" in done.stderr
    assert (model / "model/model.safetensors").read_bytes() == before and not plan_of(demo.root, target).reasons
    assert (demo.root / "results/aside").is_dir()  # with the model of 0.3


def test_finished_trainings_above_the_price_are_not_replaced(demo: Project):
    demo.edit("workflow/scales/smoke.yaml", "train/label_smoothing", 0.3)
    done = demo.snakemake("--cores", "1", "--config", "retrain_hours=0")
    assert done.returncode == 2 and "finished trainings would be trained again" in done.stderr
    assert "the setting train.label_smoothing was 0.1, is 0.3" in done.stderr
    assert not (demo.root / "results/aside").exists()


def test_outputs_of_another_content_are_not_shown_without_a_word(demo: Project):
    """As on another processor: the same question, other bytes."""
    planner = planner_of(demo.root)
    view = next(job for job in closure(planner, "demo") if job.rule == "views" and "window1" in str(job))
    path = demo.root / view.manifest
    manifest = json.loads(path.read_text())
    file = demo.root / view.folder / "card.json"
    file.write_text(file.read_text() + "\n")
    digest = planner.digests.of(Path(view.folder) / "card.json")
    manifest["files"]["card.json"] |= {"sha256": digest, "bytes": file.stat().st_size}
    del manifest["digest"]
    path.write_text(indented_json(sealed(manifest)))
    plan = plan_of(demo.root)
    assert "train" not in rules(plan) and rules(plan)["translate"] >= 1
    assert any(f"made from another content of {view}" in word and "stays as it is" in word for word in plan.words)


def test_a_job_refuses_an_input_that_is_not_the_one_it_was_planned_with(demo: Project):
    planner = planner_of(demo.root)
    view = next(job for job in closure(planner, "demo") if job.rule == "views")
    asked = planner.identities.asked(view)
    with pytest.raises(UserError, match="made from other settings or inputs than this job needs"):
        from docmt.base.artifacts import Recorder
        from docmt.base.sealing import Seal

        other = type(asked)(asked.job, asked.settings, {"tokens": "0" * 64}, asked.files, asked.libraries)
        tokens = next(iter(planner.jobs.inputs(view).values()))
        Seal(other, "views", demo.root, Recorder(demo.root)).check_inputs({"tokens": demo.root / tokens.folder})


def test_the_targets_of_files_are_their_jobs():
    planner = planner_of(Path(__file__).parents[2], scale="smoke")
    for job in closure(planner, "all"):
        assert planner.jobs.of_file(job.manifest) == job
        assert isinstance(job, Job) and planner.jobs.of_file(job.settings_path) == job
        assert planner.jobs.of_file(job.recipe_path) == job


TALKS = {
    "corpus": "talks_de-en",
    "about": "Our talks.",
    "source_language": "de",
    "target_language": "en",
    "licence": "ours alone",
    "citation": "none yet",
    "files": [{"name": "talks.tsv", "sources": ["my/talks.tsv"]}],
    "reader": {"kind": "table", "file": "talks.tsv", "split": "split"},
}
ROWS = "split\tdocument\tsource\ttarget\n" + "".join(
    f"{split}\t{split}1\tGuten Morgen {split}.\tGood morning.\n" for split in ("train", "dev", "test")
)


def test_an_edited_file_of_the_user_makes_everything_from_it_again(tmp_path: Path, programs: Path):
    project = copy_project(tmp_path / "project")
    project.write("workflow/corpora/talks_de-en.yaml", TALKS)
    systems = {"sentence": {"view": {"window": 1}}}
    study = {"study": "talks", "title": "Talks", "corpora": ["talks_de-en"], "systems": systems}
    project.write("workflow/studies/talks.yaml", study)
    project.write("my/talks.tsv", ROWS)
    target = next(job.manifest for job in closure(planner_of(project.root), "talks") if job.rule == "views")
    plan = plan_of(project.root, target)
    assert rules(plan) == {"corpus": 1, "tokens": 1, "views": 1}
    project.snakemake("--cores", "1", target, check=True, programs=programs)
    assert not plan_of(project.root, target).reasons
    project.write("my/talks.tsv", ROWS.replace("Good", "Fine"))
    plan = plan_of(project.root, target)
    assert rules(plan) == {"corpus": 1, "tokens": 1, "views": 1}
    corpus = next(state.why for job, state in plan.reasons.items() if job.rule == "corpus")
    assert re.fullmatch(r"the file downloads/talks.tsv was [0-9a-f]{12}, is [0-9a-f]{12}", corpus)
    project.snakemake("--cores", "1", target, check=True, programs=programs)
    documents = read_parquet(project.root / "results/1_corpus/talks_de-en/documents.parquet", DOCUMENTS)
    assert documents["target"].to_pylist() == ["Fine morning."] * 3 and not plan_of(project.root, target).reasons


def test_jobs_check_every_input_that_was_asked_for(finished_demo: Project):
    """A role that a command does not pass on would never be checked."""
    planner = planner_of(finished_demo.root)
    for job in closure(planner, "demo"):
        manifest, asked = read_manifest(finished_demo.root / job.manifest), planner.identities.asked(job)
        assert manifest.inputs.keys() == asked.inputs.keys(), job
        assert {role: content.identity for role, content in manifest.inputs.items()} == asked.inputs, job
