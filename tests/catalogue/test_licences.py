"""What licences allow to pass on: what the catalogue states, and what counts where none says."""

import dataclasses
from pathlib import Path

import pytest
from helpers.catalogue_files import corpus_config
from helpers.support import ROOT

from docmt.base.errors import UserError
from docmt.catalogue.corpus import as_fixture, corpus_settings, load_corpus
from docmt.catalogue.files import FileConfig
from docmt.catalogue.fixtures import FixtureConfig
from docmt.catalogue.forms import ReaderConfig
from docmt.catalogue.licences import is_open

CATALOGUE = sorted((ROOT / "workflow/corpora").glob("*.yaml"))


@pytest.mark.parametrize("path", CATALOGUE, ids=lambda path: path.stem)
def test_the_catalogue_states_it_and_no_stricter_licence_passes_text(path: Path):
    corpus = load_corpus(path)
    assert corpus.passing_on is not None
    strict = any(word in corpus.licence for word in ("LDC", "-ND", "research", "none stated"))
    assert (corpus.passing_on == "everything") == (not strict)
    if is_open(corpus.licence):
        assert corpus.passing_on == "everything"


def test_without_a_statement_generated_text_passes_and_files_do_not():
    assert corpus_config(ReaderConfig("toy")).may_pass_on == "everything"
    of_user = corpus_config(ReaderConfig("toy"), files=(FileConfig(name="mine.tsv"),))
    assert of_user.may_pass_on == "models"
    assert dataclasses.replace(of_user, passing_on="everything").may_pass_on == "everything"


def test_a_fixture_is_generated_and_stage_1_does_not_know_the_field():
    path = ROOT / "workflow/corpora/news_zh-en.yaml"
    corpus = load_corpus(path)
    assert as_fixture(corpus, FixtureConfig()).may_pass_on == "everything"
    assert corpus_settings(corpus) == corpus_settings(dataclasses.replace(corpus, passing_on="nothing"))


def test_another_value_is_refused(tmp_path):
    text = (ROOT / "workflow/corpora/toy_zh-en.yaml").read_text().replace("passing_on: everything", "passing_on: all")
    (tmp_path / "toy_zh-en.yaml").write_text(text)
    with pytest.raises(UserError, match="passing_on"):
        load_corpus(tmp_path / "toy_zh-en.yaml")
