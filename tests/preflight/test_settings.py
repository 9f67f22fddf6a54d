"""Every mistake in the files of settings, and what depends on a file with a mistake."""

import pytest
from helpers.small_grid import CONFIG, STUDY

from docmt.base.errors import UserError
from docmt.preflight.settings import read_settings


@pytest.fixture
def project(small, monkeypatch):
    monkeypatch.chdir(small.root)
    return small


def told(overrides: dict | None = None) -> list[tuple[str, str]]:
    """The level and the text of each finding that is no fact."""
    return [(finding.level, finding.text) for finding in read_settings(overrides or {})[1] if finding.level != "fact"]


def test_right_settings_have_no_findings_and_say_what_was_read(project):
    grid, findings = read_settings({})
    assert grid is not None and [finding.message.what for finding in findings] == [
        "config.yaml, 1 studies, 1 corpora, 5 systems on corpora, scale paper"
    ]


def test_what_is_right_stays_in_the_grid(project):
    project.write("workflow/studies/wrong.yaml", {"study": "wrong"})
    grid, _ = read_settings({"shards": 0, "texts": {**CONFIG["texts"], "odd": {"merges": "many"}}})
    assert grid is not None and [*grid.studies] == ["one"]
    assert grid.shards == 1 and [*grid.texts] == ["joint", "separate"]


def test_a_study_on_a_wrong_corpus_is_not_said_to_name_an_unknown_one(project):
    project.edit("workflow/corpora/toy.yaml", "licence", 7)
    (level, corpus), (other, study) = told()
    assert level == "error" and corpus.startswith("workflow/corpora/toy.yaml:5 licence: wrong type")
    assert other == "warning" and "not checked as a whole: it needs toy, which has a mistake itself" in study
    assert study.endswith("correct toy, and check again")


def test_without_defaults_no_study_is_resolved(project):
    grid, findings = read_settings({"defaults": {"text": 7}})
    texts = [finding.text for finding in findings]
    assert grid is None
    assert any("defaults.text: wrong type" in text for text in texts)
    assert texts[-1] == "not checked: what the studies state, since `defaults` of config.yaml cannot be used"


def test_a_default_that_no_system_can_have_is_named(project):
    grid, findings = read_settings({"defaults": {**CONFIG["defaults"], "train": {"lr": "fast"}}})
    assert grid is None and any("defaults.train.lr: wrong type" in finding.text for finding in findings)


def test_studies_and_corpora_of_the_user_are_checked_too(project):
    project.write("my/study.yaml", {"study": "study", "title": 7, "corpora": ["toy"], "systems": {}})
    project.write("my/corpus.yaml", "corpus: corpus\nabuot: x\n")
    texts = [text for _, text in told({"studies": ["one", "my/study.yaml", "two"], "corpora": ["my/corpus.yaml"]})]
    for part in (
        "my/study.yaml:2 title: wrong type",
        "my/corpus.yaml:2 abuot: unknown key",
        " studies.2: unknown study",
    ):
        assert any(part in text for text in texts), texts


def test_a_scale_that_there_is_not_hides_no_mistake_of_a_study(project):
    project.edit(STUDY, "systems/fine/init_from", "nothing")
    texts = [text for _, text in told({"scale": "large"})]
    assert any("unknown scale" in text for text in texts) and any("systems.fine.init_from" in text for text in texts)


def test_without_config_yaml_nothing_can_be_checked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=r"config[.]yaml: file not found"):
        read_settings({})


def test_a_damaged_lock_file(project):
    project.write("results/checksums.lock.json", "[1]")
    ((level, text),) = told()
    assert level == "error" and "checksums.lock.json: not a lock file of downloads" in text and "restore it" in text
