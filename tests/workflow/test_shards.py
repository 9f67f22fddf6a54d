"""Stage 2 as several jobs: the rules of `shards` make the bytes of the one job."""

from pathlib import Path

import pytest
from helpers.support import Project, changed_package, copy_project

from docmt.base.columns import TOKENS
from docmt.base.manifest import RECORD
from docmt.base.tables import ArrowFile

TOKENS_OF_TOY = "results/2_tokens/toy_zh-en/truecase_separate4k"


def toy_of_three_shards(root: Path) -> Project:
    """Where a shard has 500 pairs."""
    project = copy_project(root)
    catalogue = project.read("workflow/corpora/toy_zh-en.yaml")
    catalogue["reader"] |= {"train_documents": 95, "dev_documents": 8, "test_documents": 8, "contrastive_items": 4}
    catalogue["expected"] = {}
    project.write("workflow/corpora/toy_zh-en.yaml", catalogue)
    return project


def files(project: Project) -> dict[str, bytes]:
    folder = project.root / TOKENS_OF_TOY
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name not in (".snakemake_timestamp", RECORD)
    }


@pytest.mark.slow
def test_three_jobs_a_pass_make_the_bytes_of_one(tmp_path, monkeypatch):
    smaller = ("SHARD_PAIRS = 10_000\n", "SHARD_PAIRS = 500\n")
    changed_package(tmp_path / "package", "base/shards.py", lambda code: code.replace(*smaller), monkeypatch)
    project = toy_of_three_shards(tmp_path / "project")
    target = f"{TOKENS_OF_TOY}/card.json"
    project.snakemake("--cores", "2", target, check=True)
    expected = files(project)
    assert len(ArrowFile(project.root / TOKENS_OF_TOY / "tokens.arrow", TOKENS)) == 3
    done = project.snakemake("--cores", "2", target, "--config", "shards=3", "--forcerun", "tokens", check=True)
    jobs = {rule: (done.stdout + done.stderr).count(f"rule {rule}:") for rule in ("tokens_tokenised", "tokens_encoded")}
    assert jobs == {"tokens_tokenised": 3, "tokens_encoded": 3}
    assert files(project) == expected, "and nothing of the parts is left"
    plan = project.snakemake("-n", target, "--config", "shards=3", check=True)
    assert "Nothing to be done" in plan.stdout + plan.stderr


def test_no_shards_are_refused(project):
    done = project.snakemake("-n", "demo", "--config", "shards=0")
    assert done.returncode == 2
    assert "shards: value not allowed\n  found 0; expected 1 or more" in done.stderr
