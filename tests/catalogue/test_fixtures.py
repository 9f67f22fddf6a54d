"""What a scale with fixtures makes of the grid: other folders, and jobs that are told nothing of the real corpora."""

import pytest
from helpers.recipes import settings
from helpers.support import Project, copy_project

from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.catalogue.corpus import CorpusSettings
from docmt.grid.grid import Grid, load_grid

SMALL = {"documents": {"train": 4, "dev": 2, "test": 2}, "stop_words": 7}
TOKENS, VIEW = "truecase_separate4k", "window1"
STAGES = {
    "1_corpus": "",
    "2_tokens": f"/{TOKENS}",
    "3_views": f"/{TOKENS}/{VIEW}",
    "4_chain_words": f"/{TOKENS}",
    "7_vectors": f"/{TOKENS}",
    "7_aligners": f"/{TOKENS}",
}
SCORING = {"coherence": {"vectors": {"en": "trained"}}}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory) -> Project:
    project = copy_project(tmp_path_factory.mktemp("tiny") / "project")
    project.write("workflow/scales/tiny.yaml", {"about": "tiny", "fixtures": SMALL})
    return project


@pytest.fixture(scope="module")
def with_fixtures(tiny) -> Grid:
    return load_grid(tiny.root, {"scale": "tiny", "scoring": SCORING})


@pytest.fixture(scope="module")
def without_fixtures(tiny) -> Grid:
    return load_grid(tiny.root, {"scale": "paper", "scoring": SCORING})


@pytest.mark.parametrize("stage", STAGES)
def test_stages_that_name_no_scale_have_folders_of_the_scale(with_fixtures, without_fixtures, stage):
    """Each scale knows its own folders and refuses those of the other, so that neither is taken for the other."""
    fixture, real = (f"{stage}/bible_zh-en{end}{STAGES[stage]}" for end in ("@tiny", ""))
    assert settings(with_fixtures, fixture) and settings(without_fixtures, real)
    with pytest.raises(UserError) as problem:
        settings(with_fixtures, real)
    message = ": unknown corpus\n  found bible_zh-en\n  did you mean 'bible_zh-en@tiny'?"
    assert str(problem.value).endswith(message) and str(problem.value).startswith("results/")
    with pytest.raises(UserError, match="did you mean 'bible_zh-en'"):
        settings(without_fixtures, fixture)


def test_the_job_is_told_of_the_fixture_and_not_of_the_files(with_fixtures, without_fixtures):
    told = ((without_fixtures, "bible_zh-en"), (with_fixtures, "bible_zh-en@tiny"), (with_fixtures, "toy_zh-en@tiny"))
    real, small, toy = (
        parse(CorpusSettings, {"version": 1, **settings(grid, f"1_corpus/{name}")}, "job.json") for grid, name in told
    )
    assert real.fixture is None and real.expected
    assert (small.corpus, small.reader, small.files[0].name) == (real.corpus, real.reader, real.files[0].name)
    assert (small.expected, small.fixture.documents) == ({}, SMALL["documents"])
    assert (toy.fixture, toy.reader.train_documents, toy.expected) == (None, 4, {})


def test_stop_lists_are_the_scales(with_fixtures, without_fixtures):
    numbers = {}
    for grid, scale, end in ((without_fixtures, "paper", ""), (with_fixtures, "tiny", "@tiny")):
        consistency = settings(grid, "7_scores/bible_zh-en/sentence/seed1")["consistency"]
        words = settings(grid, f"4_chain_words/bible_zh-en{end}/{TOKENS}")["stop_words"]
        numbers[scale] = (words, consistency["source_stop_words"], consistency["target_stop_words"])
    assert numbers == {"paper": (1000, 1000, 150), "tiny": (7, 7, 7)}


def test_reports_know_the_folders(with_fixtures, without_fixtures):
    page = settings(with_fixtures, "8_report/tiny/bible/index")
    assert page["data"] == {"bible_zh-en": "bible_zh-en@tiny"}
    assert page["corpora"]["bible_zh-en"]["about"].startswith("Generated text in the form of the files of bible_zh-en")
    assert settings(without_fixtures, "8_report/paper/bible/index")["data"] == {}


def test_mistakes_are_named_with_their_line(project):
    project.edit("workflow/scales/smoke.yaml", "fixtures", {"dcouments": {"train": 1}})
    with pytest.raises(UserError, match=r"smoke\.yaml:\d fixtures\.dcouments: unknown key\n.*\n.*'documents'"):
        load_grid(project.root, {"scale": "smoke"})


def test_a_corpus_is_not_named_like_a_fixture(project):
    corpus = project.read("workflow/corpora/toy_zh-en.yaml")
    project.write("workflow/corpora/mine@smoke.yaml", {**corpus, "corpus": "mine@smoke"})
    with pytest.raises(UserError, match=r"found mine@smoke; expected letters"):
        load_grid(project.root)
