"""What depends on a file with a mistake; test_planted_faults.py has the mistakes themselves."""

import pytest
from helpers.preflights import said
from helpers.small_grid import CONFIG, STUDY

from docmt.base.errors import UserError
from docmt.preflight.settings import read_settings


@pytest.fixture
def project(small, monkeypatch):
    monkeypatch.chdir(small.root)
    return small


def test_what_is_right_stays_in_the_grid(project):
    project.write("workflow/studies/wrong.yaml", {"study": "wrong"})
    grid, findings = read_settings({"shards": 0, "texts": {**CONFIG["texts"], "odd": {"merges": "many"}}})
    assert grid is not None and [*grid.studies] == ["one"]
    assert grid.shards == 1 and [*grid.texts] == ["joint", "separate"]
    assert findings[-1].message.what == "config.yaml, 1 studies, 1 corpora, 5 systems on corpora, scale paper"


def test_a_study_on_a_wrong_corpus_is_not_said_to_name_an_unknown_one(project):
    project.edit("workflow/corpora/toy.yaml", "licence", 7)
    (level, corpus), (other, study) = said(read_settings({})[1])
    assert level == "error" and corpus.startswith("workflow/corpora/toy.yaml:5 licence: wrong type")
    assert other == "warning" and "not checked as a whole: it needs toy, which has a mistake itself" in study


@pytest.mark.parametrize("wrong", [{"text": 7}, {"train": {"lr": "fast"}}])
def test_without_defaults_no_study_is_resolved(wrong, project):
    grid, findings = read_settings({"defaults": {**CONFIG["defaults"], **wrong}})
    assert grid is None and any("defaults." in text and "wrong type" in text for _, text in said(findings))
    assert findings[-1].message.what.startswith("not checked: what the studies state")


def test_files_of_the_user_and_names_of_config_yaml_are_checked_too(project):
    project.write("my/study.yaml", {"study": "study", "title": 7, "corpora": ["toy"], "systems": {}})
    project.write("my/corpus.yaml", "corpus: corpus\nabuot: x\n")
    project.edit(STUDY, "systems/fine/init_from", "nothing")
    given = {"studies": ["one", "my/study.yaml", "two"], "corpora": ["my/corpus.yaml"], "scale": "large"}
    texts = [text for _, text in said(read_settings(given)[1])]
    parts = ("my/study.yaml:2 title: wrong type", "my/corpus.yaml:2 abuot: unknown key", " studies.2: unknown study")
    for part in (*parts, "unknown scale", "systems.fine.init_from"):
        assert any(part in text for text in texts), texts


def test_without_config_yaml_nothing_can_be_checked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=r"config[.]yaml: file not found"):
        read_settings({})
