"""The driver rests while jobs run, however many wait."""

import pytest
from helpers.support import Project

SLOW = """
rule slow:
    output: "slow{number}.txt"
    localrule: True
    log: "logs/slow{number}.log"
    shell: "sleep 2 && touch {output}"
"""
TARGETS = [f"slow{number}.txt" for number in range(4)]


def looks(project: Project, *options: str) -> int:
    """How often snakemake looks for jobs to start, where four that take two seconds each have one core."""
    with (project.root / "Snakefile").open("a") as stream:
        stream.write(SLOW)
    done = project.snakemake("--cores", "1", "--verbose", *TARGETS, *options, check=True)
    return (done.stdout + done.stderr).count("Resources before job selection")


def test_it_looks_for_jobs_when_one_has_ended(project):
    assert looks(project) <= len(TARGETS) + 1


@pytest.mark.slow
def test_a_limit_that_the_caller_states_is_kept(project):
    """For that, snakemake looks again after each such time."""
    assert looks(project, "--max-jobs-per-timespan", "50/1s") > len(TARGETS) + 1
