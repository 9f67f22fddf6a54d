"""The jobs of a run, and what they need of the environment and the store."""

import os
from collections.abc import Iterator

import pytest
from helpers.preflights import facts, grid_of, run_of, said
from helpers.small_grid import STUDY
from helpers.stored import new_store

from docmt.preflight import environment, store
from docmt.preflight.checks import preflight
from docmt.preflight.environment import check_environment, extras_by_package
from docmt.preflight.finding import RunFinding, in_area, once, told
from docmt.preflight.planned import planned_run
from docmt.preflight.settings import read_settings
from docmt.preflight.store import check_store


@pytest.fixture(autouse=True)
def project(small, monkeypatch):
    monkeypatch.chdir(small.root)
    return small


def test_an_error_of_the_system_ends_a_check_and_not_the_others_and_is_told_once():
    def broken() -> Iterator[RunFinding]:
        yield told("fact", "first")
        raise PermissionError(13, "Permission denied", "/secret")

    assert [(each.area, each.level) for each in in_area("a", broken())] == [("a", "fact"), ("a", "error")]
    assert len(once([*in_area("a", broken()), *in_area("b", broken())])) == 2
    with pytest.raises(ZeroDivisionError):
        [*in_area("a", (1 / 0 for _ in range(1)))]


def test_targets_that_there_are_not_and_a_study_with_mistakes(project):
    project.write("workflow/studies/wrong.yaml", "study: [\n")
    grid, mistakes = read_settings({})
    assert [level for level, _ in said(mistakes)] == ["error"]
    run, findings = planned_run(grid, ["onne", "wrong", "results/7_scores/toy/nobody/seed1", "one"], {"wrong"})
    (_, unknown), (_, nobody) = said(findings)
    assert unknown.startswith("unknown target\n  found onne") and "found toy/nobody" in nobody
    assert [*run.targets] == [*planned_run(grid, [])[0].targets] == ["one"], "there is no demo"


def test_all_mistakes_of_a_study_are_told_at_once_and_nothing_that_follows_from_them(project):
    study = project.read(STUDY) | {"study": "bad", "corpora": ["toi", "toy"]}
    study["systems"] = {
        "sentence": {"model": {"hedas": 4}, "train": {"lr": -1.0}},
        "other": {"extends": "sentense"},
        "third": {"extends": "sentence", "train": {"patiense": 1}},
        "fourth": {"text": "nothing"},
    }
    rows = [{"system": "sentence"}, {"system": "nobody"}]
    study["tables"] = {"t": {"title": "t", "metrics": ["s-BLEU"], "rows": rows}} | {
        "u": {"title": "u", "metrics": ["s-BLUE"], "rows": rows[:1]}
    }
    project.write("workflow/studies/bad.yaml", {key: value for key, value in study.items() if key != "figures"})
    lines = [text.splitlines() for level, text in told_of("bad") if level == "error"]
    assert [(first.partition(": ")[2], second.split()[1].rstrip(";")) for first, second, *_ in lines] == [
        ("unknown corpus", "toi"),
        ("unknown system", "sentense"),
        ("unknown text", "nothing"),
        ("unknown key", "hedas"),
        ("value not allowed", "-1.0"),
        ("unknown key", "patiense"),
        ("unknown system", "nobody"),
        ("unknown metric", "s-BLUE"),
    ]


def told_of(target: str) -> list[tuple[str, str]]:
    return said(preflight([target], {}, None))


def test_packages_of_docmt_and_the_extras_of_the_jobs(project, monkeypatch):
    def checked(*missing: str, **config) -> list[tuple[str, str]]:
        monkeypatch.setattr(environment, "installed_version", lambda name: "missing" if name in missing else "1")
        return said(check_environment(run_of(**config)))

    here = "this Python's environment: packages are missing that jobs need\n  found no "
    install = "\n  in docmt's clone: pip install -c pins.txt -e '.{}'"
    assert checked("pytest", "ctranslate2", "s3fs", "eflomal", "mecab-ko") == []
    assert checked("gensim", "ctranslate2") == [("error", f"{here}gensim{install.format('')}")]
    project.edit(STUDY, "systems/sentence/decode", {"engine": "ctranslate2"})
    project.edit(STUDY, "systems/document/decode", {"engine": "docmt"})
    ((_, text),) = checked("ctranslate2", "eflomal", scoring={"aligner": {"kind": "eflomal"}})
    assert text == f"{here}ctranslate2, eflomal{install.format('[ctranslate2,eflomal]')}"
    assert extras_by_package()["mecab-ko"] == ["ko"]


def test_a_store_its_rights_and_its_keys(tmp_path, monkeypatch):
    def checked(**config) -> list[RunFinding]:
        return [*in_area("store", check_store(grid_of(**config)))]

    assert facts(checked()) == facts(checked(store="s", store_mode="off")) == "no store is used"
    (tmp_path / "store").mkdir()
    assert "store (store_mode: both): an empty place" in facts(checked(store="store"))
    new_store(tmp_path / "begun")
    assert "a store of this version" in facts(checked(store="begun"))
    for denied, mode, expected in (
        (os.W_OK, "both", [("warning", "no right to write to the store: what a run makes is not pushed")]),
        (os.W_OK, "pull", []),
        (os.R_OK, "pull", [("error", "no right to read the store")]),
    ):
        monkeypatch.setattr(store.os, "access", lambda path, asked, denied=denied: not asked & denied)
        findings = checked(store="begun", store_mode=mode)
        assert [(each.level, each.message.what) for each in findings if each.level != "fact"] == expected
