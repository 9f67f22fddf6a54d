"""What a user gets wrong is said in a few lines at planning, with status 2, before any job."""

import os
import re
import shutil
from pathlib import Path

from helpers.planted import at
from helpers.support import keep_studies

STUDY = "workflow/studies/demo.yaml"
CORPUS, TOKENS = "1_corpus/toy_zh-en@smoke", "2_tokens/toy_zh-en@smoke/truecase_separate4k"


def test_snakemake_refuses_what_planning_refuses_all_of_it_at_once(project):
    keep_studies(project, "demo").edit(STUDY, "corpora", ["toy"])
    project.edit(STUDY, "systems/sentence/train/lrr", 1)
    project.edit("workflow/corpora/toy_zh-en.yaml", "source_language", 3)
    done = project.snakemake("-n", "--config", "seeds=one", "scale=smok")
    assert done.returncode == 2, done.stderr
    places = [line.split(": ")[1:3] for line in done.stderr.splitlines() if line.startswith("docmt: ")]
    assert [(re.sub(r".*/workflow/|:\d+(?= )", "", place), what) for place, what in places] == [
        ("--config seeds", "wrong type"),
        ("--config scale", "unknown scale"),
        ("corpora/toy_zh-en.yaml source_language", "wrong type"),
        ("studies/demo.yaml corpora.0", "unknown corpus"),
        ("studies/demo.yaml systems.sentence.train.lrr", "unknown key"),
    ]
    assert "Traceback" not in done.stderr
    assert not (project.root / "results").exists()


def test_a_failed_job_shows_its_message_on_the_screen_and_in_its_log(demo):
    """A damaged input that still has its time and size: one message, no half-written output, and the log has it too."""
    corpus, tokens = at(demo, CORPUS), at(demo, TOKENS)
    flip_unnoticed(demo.root / corpus / "documents.parquet")
    for path in (demo.root / tokens).iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    done = demo.snakemake("--cores", "1", f"{tokens}/manifest.json")
    assert done.returncode == 1
    message = f"docmt: {corpus}/documents.parquet: the file differs from its manifest"
    assert done.stderr.count(f"\ndocmt: failed: tokens {tokens}\n  {message}\n") == 1, done.stderr
    assert f"\n  its log is {tokens}/log.1.txt\n" in done.stderr
    assert re.search(rf"docmt: failed: {tokens}/log.1.txt: {message}", done.stderr), done.stderr
    assert (demo.root / tokens / "log.1.txt").read_text().startswith(message)
    assert {path.name for path in (demo.root / tokens).iterdir()} == {"job.json", "log.1.txt"}, "nothing half-written"


def flip_unnoticed(path: Path) -> None:
    """Change a byte in the middle of a file, which keeps its times, as on a bad disk."""
    status, content = path.stat(), bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
