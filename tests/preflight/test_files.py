"""Files from outside that targets need: corpora, checkpoints, translations, and files of scores."""

import pytest
from helpers.preflights import facts, planned, said
from helpers.small_grid import CORPUS, STUDY
from helpers.support import Project

from docmt.preflight.files import check_checkpoints, check_sources
from docmt.preflight.finding import in_area

CHECKPOINT = {"kind": "checkpoint", "about": "a", "licence": "l", "citation": "c", "gigabytes": 0.5}


@pytest.fixture(autouse=True)
def project(small, monkeypatch) -> Project:
    """A study on three corpora: a generated one, one by hand, and one whose files a run downloads."""
    sources = {"b.zh": ["http://one.example/b.zh"], "c.zh": ["http://one.example/c.zh", "http://two.example/c.zh"]}
    corpora = {
        "large": [{"name": "a.zh", "obtain": "Ask me."}],
        "public": [{"name": name, "size": 2_000_000_000, "sources": urls} for name, urls in sources.items()],
    }
    for name, files in corpora.items():
        small.write(f"workflow/corpora/{name}.yaml", {**CORPUS, "corpus": name, "files": files})
    small.edit(STUDY, "corpora", ["toy", *corpora])
    monkeypatch.chdir(small.root)
    return small


def checked(*targets: str, **config) -> tuple[list[tuple[str, str]], str]:
    """What the checks of files say of targets, or of the study `one`: of all that is wrong, and the facts."""
    run, findings = planned(*targets, **config)
    findings += [*in_area("sources", check_sources(run)), *in_area("checkpoints", check_checkpoints(run))]
    return said(findings), facts(findings)


def test_studies_leave_out_what_only_a_person_can_bring_and_other_targets_are_refused():
    wrong, fact = checked()
    assert wrong == [("warning", "left out: 5 runs: large is missing: a.zh. Ask me.")]
    assert "to download: 2 files, 4 GB" in fact
    for wrong, _ in (checked("results/7_scores/large/sentence/seed1"), checked(missing="stop")):
        assert [level for level, _ in wrong] == ["error"]
        assert "a.zh" in wrong[0][1] and "Ask me." in wrong[0][1] and "`mirror: FOLDER`" in wrong[0][1]


def test_files_of_a_mirror_of_two_folders_and_of_a_scale_with_fixtures(project):
    project.write("mirror/a.zh", "x")
    assert checked(mirror="mirror")[0] == []
    for folder in ("one", "two"):
        project.write(f"own/{folder}/a.zh", "x")
    assert any("several files are named a.zh" in text for _, text in checked(local={"large": "own"})[0])
    project.edit("workflow/scales/smoke.yaml", "fixtures", {})
    assert "scale smoke generates its corpora; no file is downloaded" in checked(scale="smoke")[1]


def test_translations_of_others_and_files_of_scores(project):
    external = {"text": "joint", "corpora": ["toy"], "translations": {"path": "others/google.txt"}}
    project.edit(STUDY, "systems/google", external)
    project.edit(STUDY, "scoring", {"coherence": {"vectors": {"en": "gigaword.txt"}}})
    texts = [text for level, text in checked()[0] if level == "warning"]
    assert any("others/google.txt is missing: translations of another system" in text for text in texts)
    assert any(text.startswith("not scored: ") and "gigaword.txt is missing: word vectors" in text for text in texts)


def test_a_checkpoint_needs_consent(project):
    project.edit("config.yaml", "texts/pieces", {"pretrained": "models/bert"})
    system = {"extends": "sentence", "text": "pieces", "pretrained": "models/bert", "corpora": ["toy"]}
    project.edit(STUDY, "systems/started", system)
    files = [{"name": "config.json", "sources": ["http://one.example/config.json"]}]
    project.write(
        "workflow/downloads/bert.yaml", {"set": "bert", **CHECKPOINT, "folder": "models/bert", "files": files}
    )
    way = "`fetch_checkpoints: true` in config.yaml, or `docmt fetch-files bert`"
    assert [level for level, text in checked()[0] if text.startswith("left out: 1 run: models/bert") and way in text]
    level, text = checked("results/7_scores/toy/started/seed1")[0][-1]
    assert level == "error" and "models/bert" in text and way in text
    assert "a run downloads models/bert (0.5 GB)" in checked(fetch_checkpoints=True)[1]
