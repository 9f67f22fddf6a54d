"""`docmt job FOLDER`: what it does around the work of a step."""

import os
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer
from helpers.command_line import invoke

from docmt import steps
from docmt.base.artifacts import atomic_file, write_json
from docmt.base.errors import INTERRUPTED, UserError
from docmt.base.manifest import MANIFEST
from docmt.base.parent import VARIABLE
from docmt.base.paths import Folder
from docmt.base.recipe import Recipe, Resources
from docmt.base.screen import TOLD
from docmt.base.sealing import sealing
from docmt.cli import job
from docmt.steps.step import Step
from docmt.supervision import lease
from docmt.supervision.lease import FILE, STALE_S, Lease

RECIPE = Recipe("toy", 3, {"a": 1}, Path("results/1_toy/x"))
LOG, SECOND = RECIPE.folder / "log.1.txt", RECIPE.folder / "log.2.txt"


@dataclass
class Toy:
    """A step that notes how it was called, and what its folder has then; `before` is called first."""

    calls: list[Resources] = field(default_factory=list)
    seen: list[set[str]] = field(default_factory=list)
    before: Callable[[], None] = lambda: None

    def run(self, recipe: Recipe, resources: Resources) -> None:
        self.calls.append(resources)
        self.seen.append({path.name for path in recipe.folder.iterdir()})
        print("works")
        self.before()
        self.finish(recipe)

    def finish(self, recipe: Recipe = RECIPE) -> None:
        """Leave the outputs of the job."""
        with sealing(recipe), atomic_file(recipe.folder / "out.txt") as stream:
            stream.write(recipe.again)


@pytest.fixture
def toy(tmp_path, monkeypatch) -> Toy:
    """The step, with the recipe of a job in the present folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RANK", raising=False)
    step, place = Toy(), Folder("1_toy", "{name}")
    known = {"about": "A.", "folder": place, "code": (), "writes": ("*",), "settings": lambda grid, names: {}}
    stated = Step(name="toy", version=3, parts=("half",), run=step.run, **known)
    monkeypatch.setattr(steps, "get_step", lambda name: stated)
    monkeypatch.setattr(steps, "NAMES", ("toy",))
    RECIPE.write()
    return step


def do(recipe: Recipe = RECIPE, **resources: object) -> None:
    """Do the job; the streams of Python are those of the process."""
    recipe.write()
    with (
        open(1, "w", closefd=False) as out,
        open(2, "w", closefd=False) as err,
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        job.run_job(RECIPE.folder, Resources(**resources))


def test_a_job_has_its_lease_while_it_works_and_what_it_prints_is_in_a_log(toy, capfd):
    do()
    assert toy.seen == [{"job.json", FILE, LOG.name}]
    assert {path.name for path in RECIPE.folder.iterdir()} == {"job.json", LOG.name, "out.txt", MANIFEST, "record.json"}
    assert LOG.read_text() == "works\n"
    os.write(1, b"printed\n")  # as another library would
    assert capfd.readouterr() == ("printed\n", "")


@pytest.mark.parametrize(
    ("done_for", "asked_by", "runs"),
    [("", "", False), ("run 1", "", False), ("run 1", "run 1", False), ("", "run 2", True), ("run 1", "run 2", True)],
)
def test_a_finished_job_works_again_for_the_run_that_asks_for_it_alone(toy, done_for, asked_by, runs):
    toy.finish(replace(RECIPE, again=done_for))
    do(replace(RECIPE, again=asked_by))
    assert len(toy.calls) == runs
    assert LOG.read_text() == ("works\n" if runs else f"docmt: {RECIPE.folder} is finished already\n")
    assert (RECIPE.folder / "out.txt").read_text() == (asked_by if runs else done_for)


@pytest.mark.parametrize("failed", [UserError("no oil", where="lamp"), ZeroDivisionError("no oil")])
def test_each_attempt_has_a_log_and_that_of_a_failure_has_its_reason(toy, capfd, failed):
    def fail() -> None:
        raise failed

    toy.before = fail
    with pytest.raises(type(failed)):
        do()
    assert capfd.readouterr().err == f"docmt: {RECIPE.folder} failed; its log is {LOG}\n"
    assert "works\n" in LOG.read_text() and LOG.read_text().count("no oil") == 1
    assert not (RECIPE.folder / FILE).exists() and not (RECIPE.folder / MANIFEST).exists()
    toy.before = lambda: None
    do()
    assert (len(toy.calls), SECOND.read_text()) == (2, "works\n")


def test_an_interrupted_job_says_so_in_its_log_and_a_run_alone_says_it_on_the_screen(toy, capfd, monkeypatch):
    def interrupt() -> None:
        raise KeyboardInterrupt

    toy.before = interrupt
    monkeypatch.setenv(TOLD, "1")
    with pytest.raises(typer.Exit) as ended:
        do()
    assert (ended.value.exit_code, LOG.read_text(), capfd.readouterr().err) == (INTERRUPTED, "works\ninterrupted\n", "")


# --- two processes


def waiting(monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[], None]) -> list[float]:
    """While the job waits for another one, `meanwhile` happens; return how long it waited each time."""
    waits: list[float] = []
    clock = {"sleep": lambda seconds: (waits.append(seconds), meanwhile()), "monotonic": time.monotonic}
    monkeypatch.setattr(lease, "time", SimpleNamespace(**clock))
    return waits


def test_it_waits_for_who_does_the_job_and_does_nothing_twice(toy, monkeypatch):
    with Lease(RECIPE.folder) as other:
        other.take(print)
        waits = waiting(monkeypatch, lambda: len(waits) == 3 and toy.finish())
        do()
        assert other.is_held()
    assert (len(waits), toy.calls) == (3, [])
    told, ended = LOG.read_text().splitlines()
    assert told.startswith(f"docmt: another process does this job: process {os.getpid()} on ")
    assert ended == f"docmt: {RECIPE.folder} is finished already"


def test_it_works_where_the_other_one_has_ended_without_outputs(toy, monkeypatch):
    other = Lease(RECIPE.folder)
    other.take(print)
    waiting(monkeypatch, lambda: other.__exit__())
    do()
    assert len(toy.calls) == 1 and (RECIPE.folder / MANIFEST).is_file()


def test_one_on_another_machine_that_is_silent_for_long_is_followed(toy):
    write_json(RECIPE.folder / FILE, {"host": "node7", "process": 7, "began": "1", "token": "its"})
    long_ago = (RECIPE.folder / FILE).stat().st_mtime - STALE_S - 60
    os.utime(RECIPE.folder / FILE, (long_ago, long_ago))
    do()
    assert LOG.read_text().startswith("process 7 on node7 gave no sign of life for ") and len(toy.calls) == 1


@pytest.mark.parametrize("how", ["part", "node", "rank"])
def test_parts_ranks_and_further_nodes_work_for_who_has_the_lease(toy, monkeypatch, how):
    if how == "rank":
        monkeypatch.setenv("RANK", "1")
    with Lease(RECIPE.folder) as other:
        other.take(print)
        do(**{"part": {"part": "half.1of2"}, "node": {"node_rank": 1}, "rank": {}}[how])
    assert len(toy.calls) == 1 and not LOG.exists()


# --- hints


@pytest.mark.parametrize(
    ("named", "hint", "used"), [("auto", "cpu", "cpu"), ("cuda", "cpu", "cuda"), ("auto", None, "auto")]
)
def test_the_device_is_that_of_the_command_line_else_of_the_run(toy, named, hint, used):
    do(replace(RECIPE, hints={"device": hint} if hint else {}), device=named)
    assert [resources.device for resources in toy.calls] == [used]


@pytest.mark.parametrize(("again", "fetched"), [("", True), ("run 2", False)])
def test_what_the_store_has_is_fetched_unless_it_is_to_be_made_again(toy, monkeypatch, again, fetched):
    monkeypatch.setattr(job, "fetch", lambda recipe, can_write: toy.finish(recipe))
    do(replace(RECIPE, hints={"fetch": {}}, again=again))
    assert len(toy.calls) == (not fetched) and (RECIPE.folder / MANIFEST).is_file()


def test_a_store_that_takes_nothing_fails_no_job(toy, monkeypatch):
    def refuse(recipe: Recipe) -> None:
        assert (recipe.folder / MANIFEST).is_file()
        raise UserError("no space")

    monkeypatch.setattr(job, "give", refuse)
    do(replace(RECIPE, hints={"give": {}}))
    assert "docmt: not given to the store: no space\n" in LOG.read_text()


# --- refusals


OTHER = replace(RECIPE, settings={"a": 2})
REFUSED = {
    "the job was planned for another version of the step toy": (older := replace(RECIPE, version=2), older.to_json()),
    "unknown step": (unknown := replace(RECIPE, step="train"), unknown.to_json()),
    "the file was changed by hand": (RECIPE, {**RECIPE.to_json(), "settings": OTHER.settings}),
    "the file describes the job of another folder": (RECIPE, OTHER.to_json()),
}


@pytest.mark.parametrize("message", REFUSED)
def test_a_recipe_that_is_not_that_of_the_job_is_refused_and_nothing_is_written(toy, message):
    recipe, content = REFUSED[message]
    write_json(recipe.path, content)
    with pytest.raises(UserError, match=message):
        job.run_job(recipe.folder, Resources())
    assert toy.calls == [] and [path.name for path in recipe.folder.iterdir()] == ["job.json"]


@pytest.mark.parametrize(
    ("parts", "expected"), [(("half",), "half.2of8"), ((), "none: the jobs of this step have no parts")]
)
def test_the_part_of_another_job_is_refused(parts, expected):
    with pytest.raises(UserError) as refused:
        job.check_part(parts, "third.1of2")
    assert str(refused.value) == f"--part: not a part of this job\n  found third.1of2; expected {expected}"


def test_the_job_of_another_project_is_refused(toy, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with pytest.raises(
        UserError,
        match=rf"docmt job has to be called in the folder that has results/\n  cd {tmp_path}, and call it again",
    ):
        invoke("job", f"{tmp_path}/results/3_views/toy/joint/window1/0123456789")


@pytest.mark.parametrize("of_run", [False, True])
def test_a_person_at_a_terminal_sees_the_work_and_a_run_has_logs(of_run, toy, monkeypatch, capfd):
    monkeypatch.setattr(os, "isatty", lambda descriptor: True)
    monkeypatch.delenv(VARIABLE, raising=False)
    if of_run:
        monkeypatch.setenv(VARIABLE, "1")
    do()
    assert LOG.exists() == of_run and ("works" in capfd.readouterr().out) != of_run
