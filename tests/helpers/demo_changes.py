"""What may happen to a finished demo, and the jobs that a dry run of Snakemake then plans."""

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import yaml
from helpers.plans import closure, plan_of
from helpers.support import Project, job_label, planned_jobs

from docmt.base.recipe import read_recipe
from docmt.steps import all_steps

STUDY, CONFIG, SCALE = "workflow/studies/demo.yaml", "config.yaml", "workflow/scales/smoke.yaml"
LINKS = ("show", "show_front", "show_sheet")
Change = Callable[[Project], object]


def folder_of(project: Project, name: str) -> Path:
    """The folder of a job of the demo by its step and system, table, item or view."""
    plan = plan_of(project.root)
    jobs = {f"{job_label(job.step, job.names)} {job.names.get('view', '')}".strip(): job for job in closure(plan)}
    return project.root / plan.recipe(jobs[name]).folder


def summary(project: Project, *arguments: str) -> dict[str, int]:
    """How many jobs of each step a dry run plans, by the order of stages, and how many links; without targets."""
    rules = ["links" if rule in LINKS else rule for rule, _ in planned_jobs(project, *arguments)]
    return {rule: rules.count(rule) for rule in (*all_steps(), "links") if rule in rules}


def counts(words: str) -> dict[str, int]:
    """`train 7, links 1` as numbers; an empty text is no job."""
    return {rule: int(number) for rule, number in (part.split() for part in words.split(", ") if part)}


def sets(path: str, value: object, file: str = STUDY) -> Change:
    return lambda project: project.edit(file, path, value)


def replaces(old: str, new: str) -> Change:
    return lambda project: project.write(STUDY, (project.root / STUDY).read_text(encoding="utf-8").replace(old, new))


def loses(*names: str) -> Change:
    def change(project: Project) -> None:
        for folder in [folder_of(project, name) for name in names]:
            shutil.rmtree(folder)

    return change


def loses_stages(digits: str) -> Change:
    def change(project: Project) -> None:
        for folder in (project.root / "results").glob(f"[{digits}]_*"):
            shutil.rmtree(folder)

    return change


def nothing(project: Project) -> None:
    """Leave the project as it is."""


def copied(project: Project) -> None:
    """As `cp -r` does, with the time of the copy everywhere."""
    copy = project.root.with_name("copy")
    shutil.copytree(project.root, copy, symlinks=True, copy_function=shutil.copyfile)
    project.root = copy


def committed(project: Project) -> None:
    for words in (["init", "-q"], ["add", "workflow", CONFIG], ["commit", "-q", "-m", "Another"]):
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words]
        subprocess.run(command, cwd=project.root, check=True)


def has_a_recipe_of_an_older_docmt(project: Project) -> None:
    """As after an upgrade while jobs wait in a queue."""
    recipe = read_recipe(folder_of(project, "translate han"))
    replace(recipe, version=recipe.version - 1).write(project.root)


def touched(project: Project) -> None:
    for number, path in enumerate(sorted((project.root / "results").rglob("*.json"))):
        os.utime(path, (1.7e9 + number % 7, 1.7e9 + number % 5))


def linked_results(project: Project) -> None:
    (project.root / "results").rename(project.root.with_name("elsewhere"))
    (project.root / "results").symlink_to(project.root.with_name("elsewhere"))


def backwards(project: Project) -> None:
    """The keys of all settings in another order, without comments."""

    def turned(value: object) -> object:
        return {key: turned(value[key]) for key in reversed(value)} if isinstance(value, dict) else value

    for name in (STUDY, CONFIG, SCALE, "workflow/corpora/toy_zh-en.yaml"):
        project.write(name, yaml.safe_dump(turned(project.read(name)), sort_keys=False, allow_unicode=True))


def with_windows_line_ends(project: Project) -> None:
    for path in (project.root / CONFIG, project.root / STUDY):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))


def without_snakemakes_memory(project: Project) -> None:
    shutil.rmtree(project.root / ".snakemake")


def without(name: str) -> Change:
    """Without the manifest of a job, as one leaves it that was ended in the middle."""
    return lambda project: (folder_of(project, name) / "manifest.json").unlink()


def damaged(name: str) -> Change:
    return lambda project: (folder_of(project, name) / "manifest.json").write_text("{", encoding="utf-8")


def study(name: str, **settings: object) -> Change:
    """Another study of the demo's systems."""
    study = {"study": name, "figures": {}, "findings": [], **settings}
    return lambda project: project.write(f"workflow/studies/{name}.yaml", {**project.read(STUDY), **study})


def both(*changes: Change) -> Change:
    return lambda project: [change(project) for change in changes]


def manifest(name: str) -> Callable[[Project], str]:
    return lambda project: str((folder_of(project, name) / "manifest.json").relative_to(project.root))
