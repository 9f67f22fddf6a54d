"""What a person sees of a run: a line of progress, what failed and why, what is best, and the page to open."""

import logging
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers.plans import plan_of
from helpers.support import ROOT, environment
from snakemake_interface_logger_plugins.common import LogEvent

import snakemake_logger_plugin_docmt as plugin
from docmt.base.screen import TOLD
from docmt.plan.plan import Job

PLAIN = {"dryrun": False, "quiet": False, "verbose": False, "printshellcmds": False, "debug_dag": False}
SCORES = Job.of("scores", corpus="toy_zh-en", system="han", seed=1)
TRANSLATION = Job.of("translate", corpus="toy_zh-en", system="han", seed=1)


@pytest.fixture
def handler(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(plugin.TOLD, "")
    monkeypatch.setattr(plugin, "IN_LOG_S", 3600)
    handler = plugin.LogHandler(SimpleNamespace(**PLAIN), None)
    yield handler
    handler.close()


def tell(handler, event, text="", **facts) -> None:
    handler.handle(logging.makeLogRecord({"event": event, "msg": text, "levelno": logging.INFO, **facts}))


def begin(handler, number: int, rule: str, folder: str) -> None:
    output = [f"{folder}/manifest.json (update)"] if folder else []
    tell(handler, LogEvent.JOB_INFO, jobid=number, rule_name=rule, output=output)


def test_the_plugin_loads_nothing_of_docmt_and_agrees_on_the_variable_of_jobs():
    """Else every snakemake would take the installed docmt, and not that of the clone which it runs."""
    code = (
        "import sys, snakemake_logger_plugin_docmt; print([name for name in sys.modules if name.startswith('docmt')])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n" and plugin.TOLD == TOLD


def test_the_line_counts_jobs_and_names_those_that_run(handler):
    assert handler.progress() == "planning"
    tell(handler, LogEvent.RUN_INFO, stats={"total": 9})
    for number in range(5):
        begin(handler, number, "translate", f"results/6_translations/toy/system{number}/seed1/0123456789")
    screen = "; ".join(f"translate toy/system{number}/seed1" for number in range(3))
    assert handler.progress() == f"0 of 9 jobs; {screen}; 2 more"
    tell(handler, LogEvent.JOB_FINISHED, job_id=0)
    tell(handler, LogEvent.PROGRESS, done=1, total=9)
    assert handler.progress().startswith("1 of 9 jobs; translate toy/system1/seed1; ")


def test_a_failed_job_is_told_with_the_message_of_its_log_and_of_who_started_it(handler, tmp_path, capsys):
    folder = "results/6_translations/toy/han/seed1/0123456789"
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder / "log.1.txt").write_text("docmt: old\nworks\ndocmt: x.json: wrong\n  found 1; expected 2\n")
    begin(handler, 1, "translate", folder)
    tell(
        handler,
        LogEvent.JOB_ERROR,
        jobid=1,
        rule_name="translate",
        indent=False,
        rule_msg="sbatch: error: no such partition",
    )
    lines = ["sbatch: error: no such partition", "docmt: x.json: wrong", "  found 1; expected 2"]
    expected = [f"docmt: failed: translate {folder}", *(f"  {line}" for line in lines)]
    assert capsys.readouterr().err.splitlines() == [*expected, f"  its log is {folder}/log.1.txt"]
    assert handler.jobs == {}


def test_who_stops_a_run_is_not_told_of_failures(handler, capsys):
    begin(handler, 1, "translate", "results/6_translations/toy/han/seed1/0123456789")
    tell(handler, None, f"{plugin.INTERRUPTED}, this might take some time.")
    tell(handler, LogEvent.JOB_ERROR, jobid=1, rule_name="translate", indent=False, rule_msg=None)
    stopped = "docmt: stopped: translate results/6_translations/toy/han/seed1/0123456789"
    assert capsys.readouterr().err.splitlines()[1:] == [stopped]


@pytest.mark.parametrize(("text", "is_told"), [("docmt: left out: x", 1), ("Select jobs to execute...", 0), ("", 0)])
def test_messages_about_snakemake_itself_are_left_to_its_log(handler, capsys, text, is_told):
    tell(handler, None, text)
    assert capsys.readouterr().err == f"{text}\n" * is_told


@pytest.mark.parametrize("name", PLAIN)
def test_who_asks_for_what_snakemake_prints_gets_it(name, capsys, monkeypatch):
    monkeypatch.delenv(plugin.TOLD, raising=False)
    handler = plugin.LogHandler(SimpleNamespace(**PLAIN | {name: True}), None)
    tell(handler, None, "docmt: x")
    handler.close()
    assert not handler.writes_to_stream and capsys.readouterr().err == "" and plugin.TOLD not in os.environ


def on_a_terminal(root: Path, programs: Path, *arguments: str) -> tuple[int, str]:
    """The status of Snakemake on a terminal, and what it shows there."""
    read, written = pty.openpty()
    actions = [(os.POSIX_SPAWN_DUP2, written, number) for number in (0, 1, 2)]
    words = ["env", "-C", str(root), str(programs / "snakemake"), "--cores", "1", *arguments]
    process = os.posix_spawnp("env", words, environment(), file_actions=actions)
    os.close(written)
    screen = b""
    while block := read_block(read):
        screen += block
    os.close(read)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), screen.decode()


def read_block(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # the last program that had the terminal has ended
        return b""


def test_a_run_on_a_terminal_ends_with_the_best_system_and_the_page_to_open(demo, programs):
    (demo.root / plan_of(demo.root).recipe(SCORES).folder / "manifest.json").unlink()
    page = "results/8_report/smoke/demo/quality.html"
    (demo.root / page).unlink()
    (
        demo.root
        / plan_of(demo.root).recipe(Job.of("page", scale="smoke", study="demo", item="quality")).folder
        / "manifest.json"
    ).unlink()
    status, screen = on_a_terminal(demo.root, programs, page)
    assert status == 0, screen
    assert re.search(r"docmt: \d of \d jobs; scores toy_zh-en/han/seed1\r\x1b\[Kdocmt: ", screen), screen
    assert "rule scores" not in screen and re.search(r"docmt: added on disk: [\d.]+ MB", screen)
    assert re.search(r"docmt: added on disk: .+\r\ndocmt: open " + page, screen), screen
    assert "best is" not in screen, "the text is generated"


def test_a_failure_is_told_once_with_its_remedy_and_at_the_end_in_a_line(demo, programs):
    plan = plan_of(demo.root)
    translation, training = (
        plan.recipe(plan_job).folder for plan_job in (TRANSLATION, Job.of("train", **TRANSLATION.names))
    )
    (demo.root / translation / "manifest.json").unlink()
    (demo.root / training / "model/model.safetensors").write_text("damaged")
    status, screen = on_a_terminal(demo.root, programs, f"{translation}/manifest.json")
    assert status == 1 and screen.count("the file differs from its manifest") == 2, screen
    assert f"docmt: failed: translate {translation}\r\n" in screen and "CalledProcessError" not in screen
    assert f"docmt: failed: {translation}/log.2.txt: docmt: {training}" in screen.replace("\r\n", "\n")
