"""Another workflow takes docmt as a module, and gets a table of it."""

import shutil
from pathlib import Path

import pytest
from helpers.planted import at
from helpers.support import Project, planned

PAGE, TABLE = (f"results/8_report/smoke/demo/quality.{form}" for form in ("html", "csv"))
SNAKEFILE = """
rule mine:
    input:
        "{page}",
    output:
        "mine.csv",
    params:
        lines=2,
    shell:
        'head -n {{params.lines}} $(dirname {{input}})/quality.csv > {{output}}'


module docmt:
    snakefile:
        "{clone}/workflow/Snakefile"
    config:
        {config}


use rule * from docmt as docmt_*

"""
PROFILE = ("--rerun-triggers", "mtime", "params", "--rerun-incomplete", "--max-inventory-time", "0")
"""What a profile of the workflow has of profiles/default."""


def second_workflow(root: Path, clone: Path, **config) -> Project:
    """A workflow that reads a table of the clone's demo."""
    project = Project(root)
    project.write("Snakefile", SNAKEFILE.format(page=PAGE, clone=clone, config=config))
    return project


@pytest.fixture
def second(demo, tmp_path) -> Project:
    """Such a workflow, which has all results of the demo but the page."""
    project = second_workflow(tmp_path / "second", demo.root, scale="smoke", studies=["demo"])
    (demo.root / "results").rename(project.root / "results")
    shutil.rmtree(project.root / at(project, "8_report/smoke/demo/quality"))
    return project


def test_a_second_workflow_gets_a_table_by_the_job_of_the_table_alone(second, demo, finished_demo, programs):
    done = second.snakemake("--cores", "1", *PROFILE, check=True, programs=programs)
    table = (second.root / TABLE).read_text()
    assert table == (finished_demo.root / TABLE).read_text()
    assert (second.root / "mine.csv").read_text() == "".join(table.splitlines(keepends=True)[:2])
    ran = [line.split()[-1] for line in done.stderr.splitlines() if line.startswith(("rule ", "localrule "))]
    assert ran == ["docmt_page:", "docmt_show:", "mine:"]
    assert {path.name for path in second.root.iterdir()} == {".snakemake", "Snakefile", "results", "mine.csv"}
    assert not (demo.root / "results").exists()


def test_its_own_rules_run_as_snakemake_decides_and_those_of_docmt_as_docmt_does(second, programs):
    second.snakemake("--cores", "1", *PROFILE, check=True, programs=programs)
    assert "Nothing to be done" in second.snakemake("--cores", "1", *PROFILE, check=True).stderr
    second.write("Snakefile", (second.root / "Snakefile").read_text().replace("lines=2", "lines=3"))
    assert planned(second, *PROFILE) == {"mine"}
    shutil.rmtree(second.root / at(second, "8_report/smoke/demo/index"))
    assert "docmt_page index" in planned(second, "docmt_demo", *PROFILE), "a target of docmt is one of the workflow too"


def test_a_job_on_a_cluster_reads_its_recipe_alone(second, demo):
    """What its workflow has planned: nothing looks at the settings again."""
    folder = at(second, "7_comparisons/demo/quality")
    before = (second.root / folder / "comparisons.json").read_bytes()
    for name in ("comparisons.json", "manifest.json"):
        (second.root / folder / name).unlink()
    demo.write("config.yaml", "studies: [nothing\n")
    names = f"study=demo,table=quality,id={Path(folder).name}"
    job = ("--target-jobs", f"docmt_compare:{names}", "--allowed-rules", "docmt_compare")
    as_slurm = ("--mode", "remote", "--executor", "local", "--force", "--no-hooks", "--nolock", "--ignore-incomplete")
    second.snakemake("--cores", "1", *job, *as_slurm, check=True)
    assert (second.root / folder / "comparisons.json").read_bytes() == before
