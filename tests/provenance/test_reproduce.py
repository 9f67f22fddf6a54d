"""`docmt reproduce`: a target made again elsewhere, the first artifact that differs, scores where bits differ."""

import json
from collections.abc import Callable
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.command_line import invoke, succeed
from helpers.planted import at
from helpers.support import Project

from docmt.base.artifacts import write_json
from docmt.base.digests import FileDigest
from docmt.base.errors import UserError
from docmt.base.manifest import DIGEST, Manifest, read_manifest, read_record, sealed
from docmt.base.recipe import read_recipe
from docmt.grid.grid import load_grid
from docmt.plan.links import named
from docmt.plan.plan import Plan
from docmt.provenance import reproducing
from docmt.provenance.artifacts import folder_of
from docmt.provenance.comparing import Reproduction, ScoreCheck, compare, expected_range
from docmt.scoring.tallies import Tally

CORPUS = "1_corpus/toy_zh-en@smoke"
TRAINING, SCORES = "5_training/toy_zh-en/sentence/seed1", "7_scores/toy_zh-en/sentence/seed1"


def card(project: Project) -> str:
    """The card of the corpus."""
    return f"{at(project, CORPUS)}/card.json"


def compared(first_run: Path, again: Path, target: str) -> Reproduction:
    """The comparison of two folders, in both of which the target is finished."""
    with chdir(again):
        plan = Plan(load_grid(Path()))
        folders = dict.fromkeys(folder_of(plan, job) for job in plan.closure(named(plan, target)[0]))
        return compare(folders, first_run, again)


def replace_file(folder: Path, name: str, change: Callable[[bytes], bytes]) -> None:
    """Change a file, and its manifest in the same way, as another machine would have written both."""
    path = folder / name
    path.write_bytes(change(path.read_bytes()))
    manifest = read_manifest(folder / "manifest.json")
    files = {**manifest.files, name: FileDigest.of(path)}
    replaced = Manifest(manifest.identity, manifest.step, manifest.inputs, files, manifest.records)
    write_json(folder / "manifest.json", replaced.to_json())


def change_record(folder: Path, **facts: object) -> None:
    record = {key: value for key, value in read_record(folder / "record.json").items() if key != DIGEST}
    for name, value in facts.items():
        record[name] = {**record[name], **value} if isinstance(value, dict) else value
    write_json(folder / "record.json", sealed(record))


def flipped(data: bytes) -> bytes:
    return data[:-1] + bytes([data[-1] ^ 1])


def test_equal_runs_are_reproduced_and_have_no_first_difference(finished_demo):
    result = compared(finished_demo.root, finished_demo.root, "demo")
    assert result.is_reproduced and result.first is None and result.counts == {"equal": len(result.artifacts)}


def test_a_model_of_other_bytes_is_named_with_its_file(demo, finished_demo):
    replace_file(demo.root / at(demo, TRAINING), "model/model.safetensors", flipped)
    result = compared(demo.root, finished_demo.root, "demo")
    assert not result.is_reproduced and result.counts["another content"] == 1
    assert result.first.artifact == at(demo, TRAINING) and result.first.why == "model/model.safetensors differs"


def test_the_first_difference_is_the_first_in_the_order_of_the_work(demo, finished_demo):
    replace_file(demo.root / at(demo, TRAINING), "model/model.safetensors", flipped)
    replace_file(
        demo.root / at(demo, CORPUS), "card.json", lambda data: data.replace(b'"documents": 60', b'"documents": 61')
    )
    result = compared(demo.root, finished_demo.root, f"{at(demo, SCORES)}/scores.parquet")
    assert result.first.artifact == at(demo, CORPUS) and "card.json differs; " in result.first.why
    assert "documents was 61, is 60" in result.first.why


def test_another_version_of_a_library_is_named_and_equal_bits_stay_equal(demo, finished_demo):
    change_record(demo.root / at(demo, TRAINING), versions={"numpy": "1.0"})
    result = compared(demo.root, finished_demo.root, f"{at(demo, SCORES)}/scores.parquet")
    (artifact,) = [artifact for artifact in result.artifacts if artifact.reasons]
    assert artifact.artifact == at(demo, TRAINING) and artifact.state == "equal"
    assert artifact.reasons[0].startswith("the version of numpy was 1.0, is ") and result.is_reproduced


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"versions": {"numpy": "1.0"}}, "the version of numpy was 1.0"),
        ({"hardware": {"processor": "another"}}, "the processor was another"),
        ({"threads": 16}, "the number of threads was 16, is 1"),
        ({"device": "cuda"}, "the device was cuda, is cpu"),
    ],
)
def test_another_content_has_its_reasons_and_needs_scores_that_agree(demo, finished_demo, facts, reason):
    change_record(demo.root / at(demo, TRAINING), **facts)
    replace_file(demo.root / at(demo, TRAINING), "model/model.safetensors", flipped)
    result = compared(demo.root, finished_demo.root, f"{at(demo, TRAINING)}/record.json")
    assert result.first.state == "another content" and any(why.startswith(reason) for why in result.first.reasons)
    assert not result.is_reproduced, "no scores say that the difference does not matter"


def test_scores_of_other_bits_are_compared_with_their_interval(demo, finished_demo):
    change_record(demo.root / at(demo, SCORES), hardware={"processor": "another"})
    replace_file(demo.root / at(demo, SCORES), "scores.parquet", flipped)
    result = compared(demo.root, finished_demo.root, f"{at(demo, SCORES)}/scores.parquet")
    assert result.first.artifact == at(demo, SCORES) and result.checks and result.is_reproduced
    assert {check.basis.split(":")[0] for check in result.checks} == {"one seed"}


def test_other_settings_are_named_where_the_place_has_one_artifact(demo, finished_demo):
    """As in a crate that another version of docmt, or another library, has written."""
    folder = demo.root / at(demo, "6_translations/toy_zh-en/sentence/seed1")
    recipe = read_recipe(folder)
    decode = {**recipe.settings["decode"], "beam": 3}
    other = replace(recipe, settings={**recipe.settings, "decode": decode})
    folder = folder.rename(folder.with_name(other.identity[:10]))
    write_json(folder / "job.json", other.to_json())
    result = compared(demo.root, finished_demo.root, f"{at(finished_demo, SCORES)}/scores.parquet")
    assert (result.first.state, result.first.why) == ("other question", "the setting decode.beam was 3, is 2")
    assert not result.is_reproduced


def units(values: list[float]) -> Tally:
    names, counts = tuple(map(str, range(len(values)))), np.array([[value, 1] for value in values])
    return Tally("accuracy", "percent", "items", names, counts)


def test_the_range_of_several_seeds_is_around_their_mean_and_wider_with_fewer():
    low, high, basis = expected_range(units([1, 0]), [10.0, 12.0, 14.0])
    assert (low + high) / 2 == pytest.approx(12) and basis == "the spread of 3 seeds"
    # Student's t of two degrees of freedom is 4.3027; the standard deviation is 2.
    assert high - 12 == pytest.approx(4.3027 * 2 * (4 / 3) ** 0.5, abs=1e-3)
    wide = expected_range(units([1, 0]), [11.0, 13.0])
    assert wide[0] < low and wide[1] > high


def test_the_range_of_one_seed_is_the_interval_of_the_score():
    low, high, basis = expected_range(units([1.0] * 50 + [0.0] * 50), [50.0])
    assert 38 < low < 45 and 55 < high < 62 and basis == "one seed: the 95 % interval over items"
    assert expected_range(units([1.0]), [100.0])[:2] == (None, None)


def test_a_score_without_a_range_must_be_equal():
    assert ScoreCheck("a", 1.0, 1.0, None, None, "").is_within
    assert not ScoreCheck("a", 1.0, 2.0, None, None, "").is_within


def test_a_score_with_a_range_must_be_in_it():
    assert ScoreCheck("a", 1.0, 2.0, 0.5, 2.5, "").is_within
    assert not ScoreCheck("a", 1.0, 3.0, 0.5, 2.5, "").is_within


def test_times_in_pages_are_not_compared_but_their_numbers_are(demo, finished_demo):
    folder = demo.root / "results/8_report/smoke/demo"
    page = f"{folder.relative_to(demo.root)}/index.html"
    replace_file(demo.root / at(demo, "8_report/smoke/demo/index"), "index.html", lambda data: data + b" ")
    assert compared(demo.root, finished_demo.root, page).is_reproduced
    replace_file(demo.root / at(demo, "8_report/smoke/demo/quality"), "quality.csv", lambda data: data + b" ")
    result = compared(demo.root, finished_demo.root, "demo")
    assert result.first.why.startswith("quality.csv differs") and not result.is_reproduced


def test_the_command_says_what_differs_and_ends_with_status_1(demo, tmp_path, instant_demo):
    target = f"{at(demo, SCORES)}/scores.parquet"
    arguments = ("reproduce", target, "--root", demo.root, "--folder", tmp_path / "again")
    assert succeed(*arguments).stdout.endswith("reproduced: equal contents\n")
    replace_file(demo.root / at(demo, TRAINING), "model/model.safetensors", flipped)
    done = invoke(*arguments)
    assert done.exit_code == 1 and done.stdout.endswith("not reproduced\n")
    assert f"first difference: {at(demo, TRAINING)}: another content: model/model.safetensors differs" in done.stdout
    value = json.loads(invoke(*arguments, "--json").stdout)
    assert (value["reproduced"], value["first"]["artifact"]) == (False, at(demo, TRAINING))


def test_nothing_comes_from_a_store(demo, tmp_path, monkeypatch):
    commands = []

    def run(command: list, **options) -> SimpleNamespace:
        commands.append(command)
        return SimpleNamespace(returncode=1)

    monkeypatch.setattr(reproducing.subprocess, "run", run)
    demo.edit("config.yaml", "store", str(tmp_path / "store"))
    config = ("--config", "store_mode=both", "--config", "seeds=[1]")
    refusal(card(demo), "--root", demo.root, "--folder", tmp_path / "again", *config)
    assert commands[0][-2:] == ["store_mode=off", "seeds=[1]"]


def test_a_crate_alone_has_the_settings_and_the_first_run(finished_demo, tmp_path, instant_demo):
    target, crate = f"{at(finished_demo, SCORES)}/scores.parquet", tmp_path / "crate.zip"
    succeed("write-crate", target, "--root", finished_demo.root, "--output", crate)
    done = succeed("reproduce", target, "--crate", crate, "--folder", tmp_path / "again")
    assert "(equal " in done.stdout and done.stdout.endswith("reproduced: equal contents\n")
    assert (tmp_path / "again/config.yaml").read_bytes() == (finished_demo.root / "config.yaml").read_bytes()


def refusal(*arguments: object) -> str:
    with pytest.raises(UserError) as problem:
        invoke("reproduce", *arguments)
    return str(problem.value)


def test_a_changed_file_of_a_crate_is_refused(finished_demo, tmp_path, instant_demo):
    crate = tmp_path / "crate"
    succeed("write-crate", card(finished_demo), "--root", finished_demo.root, "--output", crate)
    (crate / card(finished_demo)).write_text("{}")
    said = refusal(card(finished_demo), "--crate", crate, "--folder", tmp_path / "again")
    assert "a file of the crate is missing, or has other bytes" in said and not (tmp_path / "again").exists()


def test_what_cannot_be_made_again_is_one_message(finished_demo, tmp_path, monkeypatch, instant_demo):
    root, crate = ("--root", finished_demo.root), tmp_path / "crate"
    (tmp_path / "other").mkdir()
    (tmp_path / "other/text").write_text("mine")
    assert "the folder has other files" in refusal(card(finished_demo), *root, "--folder", tmp_path / "other")
    succeed("write-crate", card(finished_demo), *root, "--output", crate)
    said = refusal(f"{at(finished_demo, SCORES)}/scores.parquet", "--crate", crate, "--folder", tmp_path / "again")
    assert "the first run does not have this target" in said and not (tmp_path / "again").exists()
    monkeypatch.setattr(reproducing.subprocess, "run", lambda *_, **__: SimpleNamespace(returncode=3))
    said = refusal(card(finished_demo), *root, "--folder", tmp_path / "third")
    assert "snakemake failed to make the target again" in said and "status 3" in said


def test_corpora_and_folders_of_the_user_are_there_in_the_new_folder_and_in_a_crate(demo, tmp_path, instant_demo):
    demo.write("my/mine.yaml", demo.read("workflow/corpora/toy_zh-en.yaml") | {"corpus": "mine"})
    demo.edit("config.yaml", "corpora", ["my/mine.yaml"])
    demo.edit("config.yaml", "local", {"mine": "data/mine"})
    (demo.root / "data/mine").mkdir(parents=True)
    folder, crate = tmp_path / "again", tmp_path / "crate"
    succeed("reproduce", card(demo), "--root", demo.root, "--folder", folder)
    assert (folder / "my/mine.yaml").read_bytes() == (demo.root / "my/mine.yaml").read_bytes()
    assert (folder / "data/mine").samefile(demo.root / "data/mine")
    succeed("write-crate", card(demo), "--root", demo.root, "--output", crate)
    assert (crate / "my/mine.yaml").is_file()


def test_a_path_beside_the_project_is_there_beside_the_new_folder_too(demo, instant_demo):
    (demo.root.parent / "mirror").mkdir()
    arguments = ("--root", demo.root, "--config", "mirror=../mirror", "--folder", demo.root.parent / "beside")
    succeed("reproduce", card(demo), *arguments)


def test_a_corpus_is_made_again_by_the_real_workflow(finished_demo, tmp_path):
    folder = tmp_path / "again"
    done = succeed("reproduce", card(finished_demo), "--root", finished_demo.root, "--folder", folder)
    assert f"{card(finished_demo)}, made again in {folder}: 1 artifacts (equal 1)" in done.stdout
    first, again = (
        Project(root).root / at(finished_demo, CORPUS) / "documents.parquet" for root in (finished_demo.root, folder)
    )
    assert first.read_bytes() == again.read_bytes() and not first.samefile(again)


@pytest.mark.slow
def test_the_whole_demo_is_made_again_with_equal_bits_from_a_crate(finished_demo, tmp_path):
    crate, folder = tmp_path / "crate.zip", tmp_path / "again"
    succeed("write-crate", "demo", "--root", finished_demo.root, "--output", crate)
    done = succeed("reproduce", "demo", "--crate", crate, "--folder", folder, "--cores", "2")
    assert done.stdout.endswith("reproduced: equal contents\n")
    model = f"{at(finished_demo, TRAINING)}/model/model.safetensors"
    assert (folder / model).read_bytes() == (finished_demo.root / model).read_bytes()
