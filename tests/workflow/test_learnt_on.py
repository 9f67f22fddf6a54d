"""A text that is learnt on another corpus: what is made before it, in one job and in several."""

import re

import pytest
from helpers.places import target
from helpers.support import Project, small_demo

TEXT = "truecase_separate4k"
LEARNT = f"results/2_tokens/toy_large/{TEXT}/"


@pytest.fixture(scope="module")
def two_corpora(tmp_path_factory) -> Project:
    project = small_demo(tmp_path_factory.mktemp("learnt") / "project")
    project.edit("config.yaml", "scale", "paper")
    catalogue = project.read("workflow/corpora/toy_zh-en.yaml")
    project.write("workflow/corpora/toy_large.yaml", catalogue | {"corpus": "toy_large"})
    project.edit("config.yaml", f"texts/{TEXT}/learnt_on", "toy_large")
    return project


def planned_jobs(project: Project, corpus: str, shards: int) -> dict[tuple[str, str], str]:
    """The jobs that a corpus' tokens need, each with its printed inputs; of parts the last one."""
    manifest = target(project, f"2_tokens/{corpus}/{TEXT}")
    done = project.snakemake("-n", "-p", manifest, "--config", f"shards={shards}", check=True)
    blocks = re.findall(r"^(?:local)?rule (\w+):\n(.*?)^\s*$", done.stdout + done.stderr, re.MULTILINE | re.DOTALL)
    inputs = (re.search(r"^ *input: (.*)$", job, re.MULTILINE) for _, job in blocks)
    return {
        (rule, re.search(r"corpus=([^,\s]+)", job)[1]): stated[1] if stated else ""
        for (rule, job), stated in zip(blocks, inputs, strict=True)
    }


def test_the_other_corpus_text_is_made_first(two_corpora):
    jobs = planned_jobs(two_corpora, "toy_zh-en", 1)
    assert set(jobs) == {(rule, corpus) for rule in ("corpus", "tokens") for corpus in ("toy_zh-en", "toy_large")}
    assert LEARNT in jobs["tokens", "toy_zh-en"] and LEARNT not in jobs["tokens", "toy_large"]


def test_several_jobs_need_what_was_learnt(two_corpora):
    jobs = planned_jobs(two_corpora, "toy_zh-en", 2)
    rules = {corpus: {rule for rule, other in jobs if other == corpus} for corpus in ("toy_zh-en", "toy_large")}
    assert rules["toy_large"] == {"corpus", "tokens_tokenised", "tokens_learnt", "tokens_encoded", "tokens"}
    assert rules["toy_zh-en"] == rules["toy_large"]
    assert LEARNT in jobs["tokens_tokenised", "toy_zh-en"] and LEARNT not in jobs["tokens_tokenised", "toy_large"]
