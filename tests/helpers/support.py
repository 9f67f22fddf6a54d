"""A copy of the project's settings and rules that a test may change, and commands run in it."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from filelock import FileLock
from helpers.forks import programs_of_session, snakemake

ROOT = Path(__file__).parents[2]
SMOKE = "workflow/scales/smoke.yaml"
CORPORA_OF_DEMO = "toy_zh-en", "news_zh-en", "ted_zh-en"
"""The corpora of `small_demo`: the first is the demo's, the others are for tests of corpora."""


class Project:
    """A copy of the settings and rules that a test may change."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def read(self, name: str) -> dict:
        return yaml.safe_load((self.root / name).read_text(encoding="utf-8"))

    def write(self, name: str, value: dict | str) -> None:
        text = value if isinstance(value, str) else yaml.safe_dump(value, sort_keys=False, allow_unicode=True)
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def edit(self, name: str, path: str, value: object) -> None:
        """Set the key at a dotted path (parts with dots: separate by / instead)."""
        parts = path.split("/") if "/" in path else path.split(".")
        content = self.read(name)
        place = content
        for part in parts[:-1]:
            place = place[part]
        place[parts[-1]] = value
        self.write(name, content)

    def snakemake(
        self, *arguments: str, check: bool = False, timeout: int = 600, programs: Path | None = None
    ) -> subprocess.CompletedProcess:
        """Run the workflow as a fork; its jobs are forks, too, where `programs` has them (`helpers/forks.py`)."""
        python = sys.executable if programs is None else programs / "python"
        command = snakemake(programs or programs_of_session(), python)
        return run([*command, *arguments], cwd=self.root, check=check, timeout=timeout)


def need(program: str) -> None:
    """Skip a test where a program is missing; in CI, which installs what .ci/packages.txt lists, fail it."""
    if shutil.which(program) is None:
        tell = pytest.fail if os.environ.get("CI") else pytest.skip
        tell(f"needs {program}: see .ci/packages.txt")


def environment() -> dict[str, str]:
    """Of a process that runs the package, or a script of tests, from wherever it is: one thread."""
    folders = (str(ROOT), str(ROOT / "tests"), *filter(None, [os.environ.get("PYTHONPATH")]))
    return {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(folders)}


def run(command: list, cwd: Path, check: bool = False, timeout: int = 600) -> subprocess.CompletedProcess:
    """Run a command with one thread, its output as text; `check` shows the output of one that failed."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1", "COLUMNS": "200"}
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True, timeout=timeout
    )
    if check and done.returncode != 0:
        raise AssertionError(f"{command} gave {done.returncode}\n{done.stdout[-4000:]}\n{done.stderr[-8000:]}")
    return done


def docmt(*arguments: object, cwd: Path, check: bool = False) -> subprocess.CompletedProcess:
    """Run `docmt` as a fork (`helpers/forks.py`)."""
    return run([programs_of_session() / "docmt", *arguments], cwd=cwd, check=check)


def copy_project(root: Path) -> Project:
    root.mkdir()
    for name in ("config.yaml", "Snakefile"):
        shutil.copy(ROOT / name, root / name)
    for name in ("workflow", "profiles", "slurm", "envs"):
        shutil.copytree(ROOT / name, root / name)
    return Project(root)


def changed_package(folder: Path, file: str, change: Callable[[str], str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy of the package with a changed file, which every command of a test then has."""
    for name in ("docmt", "snakemake_logger_plugin_docmt"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    changed = folder / "docmt" / file
    code = changed.read_text(encoding="utf-8")
    assert change(code) != code
    changed.write_text(change(code), encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(folder))


def placeholder_mirror(project: Project) -> str:
    """A folder with a file by the name of each that docmt cannot download: enough for planning."""
    folder = project.root / "mirror"
    folder.mkdir()
    for path in (project.root / "workflow/corpora").glob("*.yaml"):
        for file in project.read(str(path.relative_to(project.root))).get("files", ()):
            if not any(source.get("grade") != "D" for source in file.get("sources") or ()):
                (folder / file["name"]).touch()
    return str(folder)


def keep_studies(project: Project, *names: str) -> Project:
    """Leave no other study there: each plan of a project reads and checks all of them."""
    for path in (project.root / "workflow/studies").glob("*.yaml"):
        if path.stem not in names:
            path.unlink()
    if not {*project.read("config.yaml")["studies"]} <= {*names}:
        project.edit("config.yaml", "studies", [*names])
    return project


def quick_smoke(project: Project) -> Project:
    """Smoke scale with so few updates that nothing is learnt, for tests of what jobs do beside learning."""
    smoke = project.read(SMOKE)
    smoke["train"] |= {"max_updates": 6, "validate_every_updates": 3, "warmup_updates": 2, "tokens_per_update": 512}
    smoke["train"] |= {"save_every_updates": 3, "validate_start": False}
    smoke["fixtures"]["documents"]["train"] = 60
    del smoke["scoring"]
    project.write(SMOKE, smoke)
    return project


@contextmanager
def shared_folder(tmp_path_factory: pytest.TempPathFactory, name: str) -> Iterator[Path]:
    """A folder that the workers of a run share, not made yet for the first of them; the others wait for it here."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    with FileLock(f"{folder}.lock"):
        yield folder


def small_demo(root: Path) -> Project:
    """The demo study at smoke scale, which makes the toy corpus small: seconds instead of minutes.

    No other study is there, and few other corpora: each plan of the project reads all of them.
    """
    project = keep_studies(quick_smoke(copy_project(root)), "demo")
    for path in (root / "workflow/corpora").glob("*.yaml"):
        if path.stem not in CORPORA_OF_DEMO:
            path.unlink()
    project.edit("config.yaml", "scale", "smoke")
    return project


def planned_jobs(project: Project, *arguments: str) -> list[tuple[str, dict[str, str]]]:
    """The jobs of a dry run, as rule and wildcards."""
    done = project.snakemake("-n", *arguments, check=True)
    jobs = []
    for block in re.split(r"\n(?=(?:local)?rule )", "\n" + done.stdout + done.stderr):
        head = re.match(r"(?:local)?rule ([\w-]+):", block)
        if head:
            stated = re.search(r"^ *wildcards: (.*)$", block, re.MULTILINE)
            jobs.append((head[1], dict(re.findall(r"(\w+)=([^,\s]+)", stated[1] if stated else ""))))
    return jobs


def job_label(rule: str, names: Mapping[str, str]) -> str:
    """Return `rule`, or `rule name` for a job of a system, a table or an item of a study's page."""
    return " ".join([rule, *(names[name] for name in ("system", "table", "item") if name in names)])


def planned(project: Project, *arguments: str) -> set[str]:
    """Return the labels of the jobs of a dry run."""
    return {job_label(*job) for job in planned_jobs(project, *arguments)}
