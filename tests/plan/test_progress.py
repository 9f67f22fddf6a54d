"""How far the jobs of a target are: by manifests, leases, Slurm's queue and logs."""

import os
from pathlib import Path

import pytest

from docmt.base.artifacts import write_json
from docmt.base.manifest import MANIFEST
from docmt.cli import status
from docmt.plan.links import jobs_of_target
from docmt.plan.progress import LOGS, RunProgress, progress_of
from docmt.plan.run import planned
from docmt.supervision.lease import FILE

SQUEUE = "#!/bin/sh\ncat <<END\n{}\nEND\n"


@pytest.fixture
def folders(small, tmp_path, monkeypatch) -> list[Path]:
    """The folders of the jobs of a study, in the order of work."""
    monkeypatch.chdir(small.root)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    with planned(small.root, {}, "one") as plan:
        return [plan.recipe(job).folder for job in plan.closure(jobs_of_target(plan, "one"))]


def write(folder: Path, name: str, text: str = "") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


def queue(tmp_path: Path, *lines: str) -> None:
    write(tmp_path / "bin", "squeue", SQUEUE.format("\n".join(lines)))
    (tmp_path / "bin/squeue").chmod(0o755)


def read_status() -> RunProgress:
    with planned(Path(), {}, "one") as plan:
        return progress_of(plan, jobs_of_target(plan, "one"))


def counts() -> dict[str, int]:
    return dict(read_status().total)


def test_jobs_are_finished_by_their_manifests_and_failed_by_their_logs(folders, capsys):
    assert counts() == {"to come": len(folders)}
    write(folders[0], MANIFEST)
    write(folders[1], "log.1.txt", "works\ndocmt: the disk is full\nbye\n")
    assert counts() == {"finished": 1, "failed": 1, "to come": len(folders) - 2}
    status.status("one")
    printed = capsys.readouterr().out
    assert f"Failed: 1\n  {folders[1]}: docmt: the disk is full ({folders[1]}/log.1.txt)" in printed


def test_jobs_run_by_their_leases_also_on_other_machines(folders):
    folders[0].mkdir(parents=True)
    write_json(folders[0] / FILE, {"host": "node7", "boot": "b", "process": 5, "began": "1", "token": "t"})
    (running,) = read_status().running
    assert (running.folder, running.where) == (str(folders[0]), "process 5 on node7")
    os.utime(folders[0] / FILE, (1, 1))
    assert counts() == {"to come": len(folders)}, "no sign of life for long"


def test_jobs_wait_and_run_in_the_queue_of_slurm(folders, tmp_path):
    here, comment = Path.cwd(), "rule_train_wildcards_toy_sentence_1_"
    queue(
        tmp_path,
        f"7|PENDING|(Priority)|{here}|{comment}{folders[0].name}",
        f"8|RUNNING|n1|{here}|{comment}{folders[1].name}",
        f"9|PENDING|(Priority)|{here}|another's",
        f"10|PENDING|(Priority)|/elsewhere|{comment}{folders[2].name}",
        f"11|PENDING|(Resources)|{here}|rule_download_wildcards_toy_a.zh",
    )
    assert counts() == {"waiting": 1, "running": 1, "to come": len(folders) - 2}
    assert [(job.number, job.what, job.about) for job in read_status().queue] == [
        ("7", "train toy_sentence_1", "(Priority)"),
        ("8", "train toy_sentence_1", "n1"),
        ("11", "download toy_a.zh", "(Resources)"),
    ]


def test_a_slurm_that_does_not_answer_is_told(folders, tmp_path, capsys):
    queue(tmp_path)
    write(tmp_path / "bin", "squeue", "#!/bin/sh\necho no controller >&2\nexit 1\n")
    status.status("one")
    assert "Slurm" not in capsys.readouterr().out, "no job was sent to it from here"
    Path(LOGS).mkdir(parents=True)
    status.status("one")
    assert "Slurm does not answer: 1\n  squeue: no controller" in capsys.readouterr().out
