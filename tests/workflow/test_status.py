"""`docmt status` of a finished demo, and of one of which a second seed is on its way."""

import json
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers.command_line import output, succeed
from helpers.fake_slurm import answers

from docmt.base.artifacts import write_json
from docmt.cli import status as command

TWO = ("--config", "seeds=[1,2]")
SECOND = "results/5_training/smoke/toy_zh-en/{}/seed2"


def line(number: int, state: str, reason: str, comment: str, folder: object, restarts: int = 0) -> str:
    """A line of squeue."""
    started = "2026-11-25T19:29:22" if state == "RUNNING" else "N/A"
    nodes = "n1" if state == "RUNNING" else ""
    fields = (number, state, reason, "20:00", "16:45", "3:15", started, f"2026-11-25T19:{number}:16", nodes, restarts)
    return "|".join(map(str, (*fields, "low", folder, "name", comment))) + "|"


def training(system: str) -> str:
    return f"docmt train corpus=toy_zh-en scale=smoke seed=2 system={system} run=1f6c project=8f work=0a"


def status(demo, *words: str) -> dict:
    return json.loads(output("status", "demo", "--root", demo.root, *words, "--json"))


@pytest.fixture
def no_slurm(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


def test_a_finished_demo_is_done_and_costs_what_it_cost(finished_demo, no_slurm):
    told = status(finished_demo)
    assert told["jobs"] == {**dict.fromkeys(("running", "queued", "failed", "to come"), 0), "done": 48}
    assert told["slurm"] is None and told["failures"] == [] and told["driver"] == "none"
    assert len(told["trainings"]) == 7 and {row["state"] for row in told["trainings"]} == {"finished"}
    hours = told["device_hours"]
    assert hours["used"] == hours["total"] == pytest.approx(sum(row["device_hours"] for row in told["trainings"]))
    text = output("status", "demo", "--root", finished_demo.root)
    assert text.startswith("demo at the scale smoke: 48 jobs: 48 done\nNo run of snakemake is going on.\n")
    assert "Slurm" not in text and "(100%)" in text


def test_nothing_is_written(finished_demo, no_slurm):
    before = {path: path.stat().st_mtime_ns for path in finished_demo.root.rglob("*")}
    output("status", "demo", "--root", finished_demo.root, *TWO)
    assert {path: path.stat().st_mtime_ns for path in finished_demo.root.rglob("*")} == before


def test_jobs_on_slurm_are_running_queued_or_stuck(demo, tmp_path, monkeypatch):
    folder = demo.root
    write_json(folder / "results/state/groups/0b.json", ["train corpus=toy_zh-en scale=smoke seed=2 system=han"])
    squeue = [
        line(10, "RUNNING", "None", training("concat_3"), folder, restarts=2),
        line(11, "PENDING", "Priority", "rule_train_wildcards_smoke_toy_zh-en_sentence_2", folder),
        line(12, "PENDING", "JobHeldUser", training("long_short"), folder),
        line(13, "PENDING", "Resources", "docmt group train jobs=1 run=1f6c project=8f work=0b", folder),
        line(14, "RUNNING", "None", training("w_link"), tmp_path),
        line(15, "PENDING", "Resources", "docmt group scores jobs=9 run=1f6c project=8f work=lost", folder),
    ]
    answers(tmp_path, monkeypatch, squeue="\n".join(squeue))
    told = status(demo, *TWO)
    systems = {job["names"].get("system") for job in told["slurm"]["jobs"]}
    assert systems == {"concat_3", "long_short", None}, "a job of another folder is of another project"
    train = told["rules"]["train"]
    assert (train["done"], train["running"], train["queued"]) == (7, 1, 3)
    assert told["slurm"]["orphans"] is True
    text = output("status", "demo", "--root", folder, *TWO)
    assert "Slurm: 1 running, 4 queued.\n  2 jobs queued: no nodes are free that have what it asks for" in text
    row = next(row for row in text.splitlines() if row.startswith("10 "))
    assert row.split() == [*["10", "train", "toy_zh-en", "smoke", "2", "concat_3", "running"], *row.split()[7:]]
    assert "16m 45s" in row and row.endswith("2  on n1")
    assert "queued, stuck" in next(row for row in text.splitlines() if row.startswith("12 "))
    assert text.index("\n12 ") < text.index("\n11 "), "what needs a person stands first"
    assert "To end them: scancel 10 11 12 13 15" in text


def test_with_a_driver_no_job_is_left_alone(demo, tmp_path, monkeypatch):
    (demo.root / ".snakemake/locks").mkdir(parents=True, exist_ok=True)
    (demo.root / ".snakemake/locks/0.input.lock").touch()
    answers(tmp_path, monkeypatch, squeue=line(10, "PENDING", "Priority", training("sentence"), demo.root))
    text = output("status", "demo", "--root", demo.root, *TWO)
    assert "locked by a run of snakemake that is not on this machine" in text and "scancel" not in text


def test_failures_say_why_and_where(demo, tmp_path, monkeypatch):
    sacct = (
        "20|{}|None|00:01:00|00:01:06|2026-11-25T19:29:12|2026-11-25T19:{}:12|n1|low|"
        + f"{demo.root}|d|"
        + "docmt train corpus=toy_zh-en scale=smoke seed=2 system={} run=1f6c\n"
    )
    ended = sacct.format("TIMEOUT", 20, "sentence") + sacct.format("FAILED", 21, "concat_3").replace("20|", "21|", 1)
    answers(tmp_path, monkeypatch, squeue="", sacct=ended)
    log = demo.root / "logs/5_training/smoke/toy_zh-en/concat_3/seed2.log"
    log.write_text("update 1\ndocmt: no memory left\n")
    other = demo.root / "logs/5_training/smoke/toy_zh-en/long_short/seed2.log"
    other.write_text("update 1\n")
    told = {Path(row["job"]).parts[-2]: row for row in status(demo, *TWO)["failures"]}
    assert told["sentence"]["why"] == "it reached its time limit (Slurm: TIMEOUT)" and told["sentence"]["log"] is None
    assert told["concat_3"]["why"] == "it failed (Slurm: FAILED): docmt: no memory left"
    assert told["long_short"]["why"] == "update 1", "no run is going on, so it does not run"
    text = output("status", "demo", "--root", demo.root, *TWO)
    assert "Failed: 3" in text and "(logs/5_training/smoke/toy_zh-en/concat_3/seed2.log)" in text
    assert f"{SECOND.format('sentence')}: it reached its time limit (Slurm: TIMEOUT) (job 20)" in text


def test_a_training_that_stopped_with_a_checkpoint_is_still_to_come(demo, no_slurm):
    state = demo.root / "results/state/5_training/smoke/toy_zh-en/sentence/seed2"
    state.mkdir(parents=True)
    settings = json.loads(
        (demo.root / SECOND.format("sentence").replace("seed2", "seed1") / "settings.json").read_text()
    )
    write_json(state / "run.json", {"settings": settings})
    write_json(state / "exit.json", {"status": 75, "reason": "deadline"})
    counts = {"kind": "train", "update": 3, "epoch": 0, "loss": 4.5, "wall_s": 2.0, "device_hours": 0.25}
    (state / "metrics.jsonl").write_text(json.dumps(counts) + "\n")
    (demo.root / "logs/5_training/smoke/toy_zh-en/sentence/seed2.log").write_text("docmt: the deadline is near\n")
    told = status(demo, *TWO)
    assert told["failures"] == [] and told["rules"]["train"]["to come"] == 7
    assert told["device_hours"]["used"] > 0.25 and told["device_hours"]["total"] >= told["device_hours"]["used"]
    text = output("status", "demo", "--root", demo.root, *TWO)
    assert "Trainings that have begun; 7 more are finished" in text and "stopped: deadline" in text


@pytest.mark.parametrize("answer", ["echo nonsense", "exit 1", r"head -c 300 /dev/urandom | tr -d '\000'"])
def test_a_damaged_answer_of_slurm_is_one_line_and_the_rest_is_shown(finished_demo, tmp_path, monkeypatch, answer):
    answers(tmp_path, monkeypatch, squeue="", scripts={"squeue": answer})
    result = succeed("status", "demo", "--root", finished_demo.root)
    assert "48 done" in result.stdout and "Traceback" not in result.output
    (problem,) = [row for row in result.stdout.splitlines() if row.startswith("  squeue ")]
    assert problem.startswith(("  squeue answered in a form that docmt does not know: ", "  squeue failed: status 1"))


def test_a_change_is_a_line_without_a_terminal(finished_demo, no_slurm, monkeypatch):
    asked = []

    def sleep(seconds: float) -> None:
        asked.append(seconds)
        if len(asked) >= 2:
            raise KeyboardInterrupt

    # Only the command's own calls: threads of other tests may call time.sleep at the same time.
    monkeypatch.setattr(command, "time", SimpleNamespace(sleep=sleep, strftime=time.strftime))
    printed = output("status", "demo", "--root", finished_demo.root, "--watch", "7")
    assert asked == [7, 7] and len(printed.splitlines()) == 1
    assert printed.rstrip().endswith("demo at the scale smoke: 48 jobs: 48 done")
    asked.clear()
    (as_json,) = output("status", "demo", "--root", finished_demo.root, "--watch", "7", "--json").splitlines()
    assert json.loads(as_json)["jobs"]["done"] == 48
