"""`docmt write-crate`: what a crate has, that the same results give the same bytes, and what is refused."""

import json
import os
import subprocess
import venv
import zipfile
from pathlib import Path

import pytest
from helpers.command_line import invoke, output, succeed
from helpers.crate_laws import Laws, graph_of, items
from helpers.planted import at
from helpers.sealed import rewrite
from helpers.support import ROOT, Project

from docmt.base.errors import UserError
from docmt.base.manifest import read_manifest, read_record
from docmt.catalogue.corpus import CorpusConfig

SCORES, TRAINING = "7_scores/toy_zh-en/sentence/seed1", "5_training/toy_zh-en/sentence/seed1"
CORPUS, DATA = "1_corpus/toy_zh-en@smoke", "toy_zh-en@smoke/truecase_separate4k"
DATE = ("--date", "2026-11-23")
STATED = ("--author", "Ada", "--licence", "https://spdx.org/licenses/CC-BY-4.0")


def scores_of(project: Project) -> str:
    return f"{at(project, SCORES)}/scores.parquet"


def written(project: Project, folder: Path, *arguments: object, target: str = "") -> Path:
    succeed("write-crate", target or scores_of(project), "--root", project.root, "--output", folder, *DATE, *arguments)
    return folder


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def crate(finished_demo, tmp_path_factory) -> Path:
    return written(finished_demo, tmp_path_factory.mktemp("crate") / "crate")


@pytest.fixture(scope="module")
def whole(finished_demo, tmp_path_factory) -> Path:
    return written(finished_demo, tmp_path_factory.mktemp("crate") / "whole", *STATED, target="demo")


def test_a_crate_breaks_no_law_of_its_profile(crate, whole):
    assert Laws(crate).broken() == [] and Laws(whole).broken() == []


@pytest.mark.parametrize(
    ("kind", "name", "law"),
    [
        ("Dataset", "license", "no licence"),
        ("Dataset", "mainEntity", "no main workflow"),
        ("CreateAction", "instrument", "has no instrument"),
        ("CreateAction", "object", "has no object"),
        ("CreateAction", "result", "has no result"),
        ("ComputationalWorkflow", "programmingLanguage", "no language"),
    ],
)
def test_an_omission_breaks_a_law(crate, kind, name, law):
    graph = graph_of(crate)
    entity = next(entity for entity in graph if kind in items(entity, "@type"))
    del entity[name]
    assert any(law in sentence for sentence in Laws(crate, graph).broken())


def test_an_action_has_what_its_record_and_its_manifest_say(finished_demo, crate):
    entities = Laws(crate).by_id
    record = read_record(finished_demo.root / at(finished_demo, TRAINING) / "record.json")
    manifest = read_manifest(finished_demo.root / at(finished_demo, TRAINING) / "manifest.json")
    action = entities[f"#action/{at(finished_demo, TRAINING)}".replace("results/", "")]
    assert (action["startTime"], action["endTime"]) == (record["began"], record["finished"])
    assert entities[action["instrument"]["@id"]]["softwareVersion"].startswith(record["versions"]["docmt"])
    result = entities[action["result"]["@id"]]
    assert result["identifier"] == [f"docmt-identity:{manifest.identity}", f"docmt-content:{manifest.content}"]
    facts = {f"{at(finished_demo, TRAINING)}/{name}" for name in ("manifest.json", "record.json", "job.json")}
    assert facts == {value["@id"] for value in result["hasPart"]}, "they state all else"
    views = {
        "#artifact/" + at(finished_demo, part).removeprefix("results/")
        for part in (f"3_views/{DATA}/window1", f"2_tokens/{DATA}")
    }
    assert views <= {value["@id"] for value in action["object"]}


def test_models_and_data_are_references_unless_they_are_asked_for(finished_demo, crate, tmp_path):
    names = files_of(crate)
    assert (
        scores_of(finished_demo) in names
        and f"{at(finished_demo, CORPUS)}/card.json" in names
        and "config.yaml" in names
    )
    assert (
        f"{at(finished_demo, TRAINING)}/model/model.safetensors" not in names
        and f"{at(finished_demo, CORPUS)}/documents.parquet" not in names
    )
    full = files_of(written(finished_demo, tmp_path / "full", "--with-models", "--with-data"))
    original = finished_demo.root / at(finished_demo, TRAINING) / "model/model.safetensors"
    assert full[f"{at(finished_demo, TRAINING)}/model/model.safetensors"] == original.read_bytes()
    assert f"{at(finished_demo, CORPUS)}/documents.parquet" in full and Laws(tmp_path / "full").broken() == []


def test_the_target_of_a_study_has_its_tables_and_its_pages(whole):
    names = {Path(name).name for name in files_of(whole) if name.startswith("results/8_report")}
    assert {"quality.csv", "quality.json", "quality.html", "index.html"} <= names


def test_a_script_with_a_token_goes_into_no_crate(demo, tmp_path):
    """The files of the workflow are in a crate, also those that nothing but Snakemake or a cluster reads."""
    script = demo.root / "slurm/fetch.sh"
    script.write_text("curl 'https://host/a.tgz?token=c4n4ry'\n")
    with pytest.raises(UserError, match=r"^slurm/fetch.sh: an address with a user, a key or a token\n") as problem:
        written(demo, tmp_path / "crate")
    assert "c4n4ry" not in str(problem.value) and not (tmp_path / "crate").exists()


def test_text_that_may_not_be_passed_on_is_never_in_a_crate(finished_demo, tmp_path, monkeypatch):
    monkeypatch.setattr(CorpusConfig, "may_pass_on", "models")
    arguments = ("--root", finished_demo.root, "--output", tmp_path / "closed", *DATE, "--with-models", "--with-data")
    printed = json.loads(output("write-crate", "demo", *arguments, "--json"))
    names = files_of(tmp_path / "closed")
    text = {
        name
        for name in names
        if Path(name).suffix in (".parquet", ".arrow", ".txt")
        and not any(numbers in name for numbers in ("5_training", "scores.parquet", "details", "8_report"))
    }
    assert (
        text == set()
        and f"{at(finished_demo, TRAINING)}/model/model.safetensors" in names
        and scores_of(finished_demo) in names
    )
    report = "results/8_report/smoke/demo"
    assert f"{report}/quality.html" in names and f"{report}/attention.html" not in names
    assert f"{report}/quality.parquet" in names and f"{report}/attention.parquet" not in names
    assert f"{report}/index.html" not in names and "results/report@smoke.html" not in names
    index = at(finished_demo, "8_report/smoke/demo/index")
    assert f"{at(finished_demo, CORPUS)}/documents.parquet" in printed["withheld"]
    assert "of toy_zh-en only models and scores may be passed on" in printed["withheld"][f"{index}/index.html"]
    assert Laws(tmp_path / "closed").broken() == []


def test_of_a_corpus_of_which_nothing_may_be_passed_on_a_crate_has_digests_alone(finished_demo, tmp_path, monkeypatch):
    monkeypatch.setattr(CorpusConfig, "may_pass_on", "nothing")
    names = files_of(written(finished_demo, tmp_path / "closed", "--with-models", "--with-data"))
    ends = ("manifest.json", "record.json", "job.json")
    of_corpus = [name for name in names if name.startswith("results/") and "/0_models/" not in name]
    assert all(name.endswith(ends) for name in of_corpus) and scores_of(finished_demo) not in names
    assert Laws(tmp_path / "closed").broken() == []


def test_the_same_results_give_the_same_bytes(finished_demo, crate, tmp_path):
    assert files_of(written(finished_demo, tmp_path / "again")) == files_of(crate)
    zips = [written(finished_demo, tmp_path / f"{number}.zip") for number in (1, 2)]
    assert zips[0].read_bytes() == zips[1].read_bytes()
    with zipfile.ZipFile(zips[0]) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == files_of(crate)


def test_settings_of_the_command_line_are_in_its_config(finished_demo, tmp_path):
    arguments = ("--config", "seeds=[1]", "--config", "mirror=/a/mirror")
    crate = Project(written(finished_demo, tmp_path / "crate", *arguments))
    assert crate.read("config.yaml") == {**finished_demo.read("config.yaml"), "seeds": [1]}
    assert Laws(crate.root).broken() == []


def refusal(*arguments: object) -> str:
    from docmt.base.errors import UserError

    with pytest.raises(UserError) as problem:
        invoke("write-crate", *arguments)
    return str(problem.value)


def test_what_is_not_finished_is_refused_with_the_command(demo, tmp_path):
    target, folder = scores_of(demo), at(demo, SCORES)
    (demo.root / folder / "manifest.json").unlink()
    said = refusal(target, "--root", demo.root, "--output", tmp_path / "crate", "--config", "seeds=[1]")
    assert "the target is not finished" in said and f"\n    {folder}" in said
    assert f"snakemake --cores all {folder}/manifest.json --config seeds=[1]" in said
    assert not (tmp_path / "crate").exists()


def test_no_place_of_the_author_is_in_a_crate(demo, tmp_path):
    """Hints have stores and programs of a site, and files may have whole paths."""
    for path in (demo.root / "results").rglob("job.json"):
        value = json.loads(path.read_bytes())
        path.write_text(json.dumps({**value, "hints": {"fetch": {"store": "/secret"}}}))
    for name, data in files_of(written(demo, tmp_path / "crate")).items():
        assert not name.endswith("job.json") or json.loads(data)["hints"] == {}, name


def test_a_damaged_file_is_refused_and_nothing_is_written(demo, tmp_path):
    path = demo.root / at(demo, SCORES) / "scores.parquet"
    rewrite(path, path.read_bytes().replace(b"1", b"2", 1))
    assert "differs from its manifest" in refusal(scores_of(demo), "--root", demo.root, "--output", tmp_path / "crate")
    assert list(tmp_path.glob("*crate*")) == []


def test_files_that_are_no_crate_are_not_replaced(finished_demo, crate, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/text").write_text("mine")
    assert "is no crate" in refusal(
        scores_of(finished_demo), "--root", finished_demo.root, "--output", tmp_path / "mine"
    )
    assert written(finished_demo, crate) == crate, "a crate is replaced"


@pytest.fixture(scope="module")
def validator(tmp_path_factory) -> Path:
    """The Python of an environment with roc-validator: that of DOCMT_CRATE, or of one that is made here."""
    if given := os.environ.get("DOCMT_CRATE"):
        return Path(given)
    folder = tmp_path_factory.mktemp("validator") / "environment"
    venv.create(folder, with_pip=True)
    pip = [folder / "bin/pip", "install", "-q", "-r", ROOT / "pins.crate.txt"]
    done = subprocess.run(pip, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"needs roc-validator, which pip cannot install here: {done.stderr[-500:]}")
    return folder / "bin/python"


def validated(python: Path, crate: Path, severity: str) -> dict:
    profile = "workflow-run-crate-0.5"
    command = [python, "-I", ROOT / "tests/helpers/crate_validator.py", crate, profile, severity]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_validator_of_the_profile_accepts_a_crate(validator, crate, whole, tmp_path):
    for folder in (crate, whole):
        assert validated(validator, folder, "REQUIRED") == {"passed": True, "issues": []}
    issues = validated(validator, whole, "RECOMMENDED")["issues"]
    assert {issue["message"].partition(",")[0] for issue in issues} == {
        # The Snakefile: a workflow that is a file of the crate has no address of the web.
        "The SoftwareApplication id SHOULD be an absolute URI",
        "The Main Workflow SHOULD comply with Bioschemas ComputationalWorkflow profile version 1.0 or later",
        "The organization SHOULD have a URL.",
    }
    value = json.loads((crate / "ro-crate-metadata.json").read_text())
    value["@graph"] = [entity for entity in value["@graph"] if entity["@id"] != "#run"]
    (tmp_path / "ro-crate-metadata.json").write_text(json.dumps(value))
    assert not validated(validator, tmp_path, "REQUIRED")["passed"]
