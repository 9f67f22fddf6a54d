"""What a user gets wrong is said in a few lines at planning, with status 2, before any job."""

import os
import re
import shutil
from pathlib import Path

import pytest

from docmt.base.errors import UserError
from docmt.grid.grid import load_grid

STUDY = "workflow/studies/demo.yaml"
DOCUMENTS, TOKENS = "1_corpus/toy_zh-en@smoke/documents.parquet", "2_tokens/toy_zh-en@smoke/truecase_separate4k"


@pytest.mark.parametrize(
    ("file", "path", "value", "message"),
    [
        ("config.yaml", "scael", "smoke", "config.yaml:"),
        ("config.yaml", "studies", ["demoo"], "did you mean 'demo'?"),
        (STUDY, "systems/concat_3/extends", "sentense", "did you mean 'sentence'?"),
        (STUDY, "systems/sentence/extends", "g_transformer", "the system leads back to itself"),
        (STUDY, "corpora", ["toy"], "unknown corpus"),
    ],
)
def test_planning_refuses(project, file, path, value, message):
    project.edit(file, path, value)
    with pytest.raises(UserError, match=re.escape(message)):
        load_grid(project.root)


def test_snakemake_refuses_what_planning_refuses(project):
    project.edit(STUDY, "corpora", ["toy"])
    done = project.snakemake("-n")
    assert done.returncode == 2, done.stderr
    assert "unknown corpus" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (project.root / "results").exists()


def test_an_unreadable_config_is_refused(project):
    (project.root / "config.yaml").write_bytes(b"studies: [demo\n\xff\xfe")
    done = project.snakemake("-n")
    assert done.returncode == 2
    assert "config.yaml: cannot be read" in done.stderr


def test_a_system_that_no_study_has_is_refused(project):
    done = project.snakemake("-n", "results/7_scores/paper/toy_zh-en/g_transfromer/seed1/scores.json")
    assert done.returncode == 2
    assert "did you mean 'toy_zh-en/g_transformer'?" in done.stderr


def test_a_failed_job_shows_its_message_on_the_screen_and_in_its_log(demo):
    """A damaged input that still has its time and size: one message, no half-written output, and the log has it too."""
    documents, tokens = (demo.root / "results" / folder for folder in (DOCUMENTS, TOKENS))
    flip_unnoticed(documents)
    shutil.rmtree(tokens)
    done = demo.snakemake("--cores", "1", f"results/{TOKENS}/card.json")
    assert done.returncode == 1
    message = f"docmt: results/{DOCUMENTS}: the file differs from its manifest\n"
    assert done.stderr.count(message) == 1
    assert (demo.root / f"logs/{TOKENS}.log").read_text().startswith(message)
    assert {path.name for path in tokens.iterdir()} == {"settings.json", "job.json"}, "nothing half-written stays"


def flip_unnoticed(path: Path) -> None:
    """Change a byte in the middle of a file, which keeps its times, as on a bad disk."""
    status, content = path.stat(), bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
