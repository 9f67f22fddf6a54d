"""Another workflow takes docmt as a module, with a prefix, and gets a table of it."""

import shutil
import sys
from pathlib import Path

import pytest
from helpers.support import ROOT, Project, planned, run

TABLE = "results/8_report/smoke/demo/quality.csv"
SNAKEFILE = """
rule mine:
    input:
        "docmt/{table}",
    output:
        "mine.csv",
    params:
        lines=2,
    shell:
        'test -z "${{{{DOCMT_DEVICE:-}}}}"; head -n {{params.lines}} {{input}} > {{output}}'


module docmt:
    snakefile:
        "{clone}/workflow/Snakefile"
    prefix:
        "docmt"
    config:
        {config}


use rule * from docmt as docmt_*


onstart:
    print("mine starts")
"""


def second_workflow(root: Path, clone: Path, **config) -> Project:
    """A workflow that reads a table of the clone's demo."""
    project = Project(root)
    project.write("Snakefile", SNAKEFILE.format(table=TABLE, clone=clone, config=config))
    return project


@pytest.fixture
def second(demo, tmp_path) -> Project:
    """Such a workflow, which has all results of the demo but the table."""
    project = second_workflow(tmp_path / "second", demo.root)
    shutil.copytree(demo.root / "results", project.root / "docmt/results")
    for path in (project.root / TABLE.replace("results", "docmt/results")).parent.glob("quality.*"):
        path.unlink()
    shutil.rmtree(demo.root / "results")
    return project


def test_a_second_workflow_gets_a_table_by_the_job_of_the_table_alone(second, demo, finished_demo, programs):
    done = second.snakemake("--cores", "1", check=True, programs=programs)
    table = (second.root / "docmt" / TABLE).read_text()
    assert table == (finished_demo.root / TABLE).read_text()
    assert (second.root / "mine.csv").read_text() == "".join(table.splitlines(keepends=True)[:2])
    ran = [line.split()[-1] for line in done.stderr.splitlines() if line.startswith(("rule ", "localrule "))]
    assert ran == ["docmt_item:", "mine:"]
    assert "mine starts" in done.stdout, "the hooks of the other workflow are called beside ours"
    assert "8_report" in done.stderr and "made" in done.stderr, "the run ends with docmt's table of outputs"
    assert {path.name for path in second.root.iterdir()} == {".snakemake", "Snakefile", "docmt", "mine.csv"}
    assert not (demo.root / "results").exists() and (second.root / "docmt/results/frozen_grid.json").exists()


def test_its_own_rules_run_as_snakemake_decides_and_those_of_docmt_as_docmt_does(second, programs):
    second.snakemake("--cores", "1", check=True, programs=programs)
    assert "Nothing to be done" in second.snakemake("--cores", "1", check=True).stderr
    second.write("Snakefile", (second.root / "Snakefile").read_text().replace("lines=2", "lines=3"))
    shutil.rmtree(second.root / "docmt/results/8_report/smoke/demo/documents")
    assert planned(second) == {"mine"}
    assert "docmt_report" in planned(second, "docmt_demo"), "a target of docmt is one of the other workflow too"


def test_a_job_on_a_cluster_reads_the_grid_below_the_prefix(second, demo):
    comparison = second.root / "docmt/results/7_comparisons/smoke/demo/quality/comparisons.json"
    before = comparison.read_bytes()
    comparison.unlink()
    demo.write("config.yaml", "studies: [nothing\n")
    job = ("--target-jobs", "docmt_compare:scale=smoke,study=demo,table=quality", "--allowed-rules", "docmt_compare")
    as_slurm = ("--mode", "remote", "--executor", "local", "--force", "--no-hooks", "--nolock", "--ignore-incomplete")
    second.snakemake("--cores", "1", *job, *as_slurm, check=True)
    assert comparison.read_bytes() == before


@pytest.mark.slow
def test_a_second_workflow_gets_a_table_from_the_beginning(tmp_path):
    second = second_workflow(tmp_path / "second", ROOT, scale="smoke")
    # Without forks: a folder named docmt is beside the Snakefile when Snakemake imports the package.
    (second.root / "docmt").mkdir()
    run([Path(sys.executable).parent / "snakemake", "--cores", "2"], cwd=second.root, check=True, timeout=3600)
    assert (second.root / "mine.csv").read_text().count("\n") == 2
