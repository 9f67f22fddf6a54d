"""Stage 2 as several jobs: the rules of `shards` make the bytes of the one job."""

from pathlib import Path

import pytest
from helpers.plans import plan_of
from helpers.recipes import recipe_in
from helpers.support import Project, changed_package, copy_project, keep_studies

from docmt.base.columns import TOKENS
from docmt.base.manifest import MANIFEST, RECORD
from docmt.base.recipe import JOB, Resources
from docmt.base.tables import ArrowFile
from docmt.plan.plan import Job
from docmt.steps.tokens import part_folder, run
from docmt.text import process


def toy_of_three_shards(root: Path) -> Project:
    """Where a shard has 500 pairs."""
    project = copy_project(root)
    catalogue = project.read("workflow/corpora/toy_zh-en.yaml")
    catalogue["reader"] |= {"train_documents": 95, "dev_documents": 8, "test_documents": 8, "contrastive_items": 4}
    catalogue["expected"] = {}
    project.write("workflow/corpora/toy_zh-en.yaml", catalogue)
    return project


def files(folder: Path) -> dict[str, bytes]:
    """What is in the folder of the tokens, but what is of a run."""
    paths = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    of_run = (RECORD, JOB)
    return {name: path.read_bytes() for name, path in paths.items() if path.suffix != ".txt" and name not in of_run}


@pytest.mark.slow
def test_three_jobs_a_pass_make_the_bytes_of_one(tmp_path, monkeypatch):
    smaller = ("SHARD_PAIRS = 10_000\n", "SHARD_PAIRS = 500\n")
    changed_package(tmp_path / "package", "base/shards.py", lambda code: code.replace(*smaller), monkeypatch)
    project = toy_of_three_shards(tmp_path / "project")
    tokens = plan_of(project.root).recipe(Job.of("tokens", corpus="toy_zh-en", text="truecase_separate4k")).folder
    target, folder = str(tokens / MANIFEST), project.root / tokens
    project.snakemake("--cores", "2", target, check=True)
    expected = files(folder)
    assert len(ArrowFile(folder / "tokens.arrow", TOKENS)) == 3
    done = project.snakemake("--cores", "2", target, "--config", "shards=3", "--forcerun", "tokens", check=True)
    jobs = {rule: (done.stdout + done.stderr).count(f"rule {rule}:") for rule in ("tokens_tokenised", "tokens_encoded")}
    assert jobs == {"tokens_tokenised": 3, "tokens_encoded": 3}
    assert files(folder) == expected, "and nothing of the parts is left"
    plan = project.snakemake("-n", target, "--config", "shards=3", check=True)
    assert "Nothing to be done" in plan.stdout + plan.stderr


def test_a_part_that_fails_leaves_no_folder_that_would_count_as_done(tmp_path, monkeypatch):
    """Snakemake removes nothing after a failed job, and knows a part by its folder."""
    (tmp_path / "corpus").mkdir()
    text = {"case": "keep", "chinese": "jieba", "bpe": "joint", "vocabulary": "shared", "merges": 10, "threshold": 0}
    settings = {"corpus": "toy", "source": "zh", "target": "en", "text": text}
    recipe = recipe_in(tmp_path / "tokens", "tokens", settings, {"corpus": tmp_path / "corpus"})

    def fail(settings: object, corpus: Path, part: object, output: Path, workers: object) -> None:
        (output / "tokens.arrow").write_text("half")
        raise OSError("no space")

    monkeypatch.setattr(process, "tokenise_part", fail)
    monkeypatch.setattr("docmt.steps.tokens.text_job", lambda recipe: None)
    with pytest.raises(OSError, match="no space"):
        run(recipe, Resources(part="tokenised.1of2", threads=1))
    assert not part_folder(recipe, "tokenised", process.Part(1, 2)).exists()


def test_no_shards_are_refused(project):
    done = keep_studies(project, "demo").snakemake("-n", "demo", "--config", "shards=0")
    assert done.returncode == 2
    assert "shards: value not allowed\n  found 0; expected 1 or more" in done.stderr
