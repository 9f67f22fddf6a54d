"""The frame of a job: what it checks before, and what it writes after."""

import shutil
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pyarrow as pa
import pytest
from helpers.damage import content_of
from helpers.sealed import outputs_of, rewrite

from docmt.base import sealing as frame
from docmt.base.artifacts import atomic_folder, copy_files, read_json, read_text, write_json
from docmt.base.digests import FileDigest, sha256_file
from docmt.base.errors import UserError
from docmt.base.machine import installed_version
from docmt.base.manifest import MANIFEST, RECORD, InputContent, Manifest, read_manifest, read_record
from docmt.base.recipe import Recipe, StatedFile
from docmt.base.sealing import sealing
from docmt.base.tables import write_arrow, write_if_any

VIEW = Recipe("views", 3, {}, Path("views"), libraries={"pyarrow": installed_version("pyarrow")})
TABLE = pa.table({"split": ["test", "train"], "ids": [[1], [2, 3]]})


@pytest.fixture(autouse=True)
def _in_its_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def job(recipe: Recipe = VIEW) -> Manifest:
    """A job that writes a table and a card."""
    with sealing(recipe):
        write_arrow(recipe.folder / "test.arrow", TABLE)
        write_json(recipe.folder / "card.json", {"rows": len(TABLE)})
    return read_manifest(recipe.folder / MANIFEST)


def test_a_manifest_lists_the_outputs(tmp_path):
    result = job()
    assert outputs_of(VIEW.folder) == set(result.files) == {"test.arrow", "card.json"}
    assert {name: file.sha256 for name, file in result.files.items()} == {
        name: sha256_file(VIEW.folder / name) for name in result.files
    }
    assert (result.identity, result.step, result.records) == (VIEW.identity, "views", (RECORD,))


def test_equal_outputs_have_equal_manifests(tmp_path, monkeypatch):
    """At another time and place, by a path from another folder, and written in another order."""
    job()
    first = tmp_path / VIEW.folder
    monkeypatch.setattr(frame, "now", lambda: "2030-01-01T00:00:00+00:00")
    monkeypatch.setattr(frame, "hardware", lambda: {"host": "another"})
    for name in ("place", "other/text"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "place")
    recipe = replace(VIEW, place=Path("../other/out"))
    with sealing(recipe):
        write_json(recipe.folder / "card.json", {"rows": len(TABLE)})
        write_arrow(tmp_path / "other/text/.." / "out" / recipe.folder.name / "test.arrow", TABLE)
    assert (recipe.folder / MANIFEST).read_bytes() == (first / MANIFEST).read_bytes()
    assert read_record(recipe.folder / RECORD)["hardware"] == {"host": "another"}
    assert (recipe.folder / RECORD).read_bytes() != (first / RECORD).read_bytes()


def test_a_part_of_a_job_has_a_manifest_in_a_folder_of_its_own(tmp_path):
    with sealing(VIEW, tmp_path / "part"):
        write_json(tmp_path / "part" / "card.json", {})
    assert set(read_manifest(tmp_path / "part" / MANIFEST).files) == {"card.json"}
    assert not VIEW.folder.exists()


def test_files_of_the_run_are_listed_in_the_record():
    contents = []
    for name, line in (("one", "1"), ("two", "2")):
        recipe = replace(VIEW, place=Path(name), again=line)
        folder = recipe.folder
        folder.mkdir(parents=True)
        with sealing(recipe) as seal:
            (folder / "earlier.txt").write_text("not an output of this run")
            write_json(folder / "metrics.jsonl", line)
            seal.close({"speed": line}, records=["metrics.jsonl"])
        record = read_record(folder / RECORD)
        assert (record["speed"], record["step"], record["again"]) == (line, "views", line)
        assert record["versions"]["pyarrow"] == VIEW.libraries["pyarrow"]
        assert record["files"]["metrics.jsonl"]["sha256"] == sha256_file(folder / "metrics.jsonl")
        contents.append((folder / MANIFEST).read_bytes())
    assert contents[0] == contents[1]
    assert set(read_manifest(folder / MANIFEST).files) == set()


def test_there_is_no_manifest_after_an_exception():
    with pytest.raises(KeyError), sealing(VIEW):
        write_json(VIEW.folder / "card.json", {})
        raise KeyError
    assert {path.name for path in VIEW.folder.iterdir()} == {"card.json"}


CHANGES = {
    "a file": lambda: write_json(VIEW.folder / "card.json", {}),
    "no file": lambda: write_if_any(VIEW.folder / "test.arrow", None),
    "nothing": lambda: write_if_any(VIEW.folder / "contrastive.arrow", None),
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_first_change_of_a_job_that_fails_removes_the_manifest_of_an_earlier_run(change):
    """It would describe a mixture of both runs; a job that fails before has lost nothing."""
    job()
    with pytest.raises(KeyError), sealing(VIEW):
        CHANGES[change]()
        raise KeyError
    assert (VIEW.folder / MANIFEST).exists() is (change == "nothing")


def test_a_file_that_the_job_writes_and_removes_is_not_listed():
    with sealing(VIEW):
        write_arrow(VIEW.folder / "test.arrow", TABLE)
        write_if_any(VIEW.folder / "test.arrow", None)
    assert set(read_manifest(VIEW.folder / MANIFEST).files) == set()


def test_files_with_names_of_the_run_are_in_the_record_alone():
    """Such as those of TensorBoard, which have the time and the host: equal outputs have equal manifests."""
    manifests = []
    for name in ("one", "other"):
        recipe = replace(VIEW, place=Path(name))
        folder = recipe.folder
        folder.mkdir(parents=True)
        with sealing(recipe) as seal:
            (folder / f"events.{name}").write_bytes(name.encode())
            seal.close(events=[folder / f"events.{name}"])
        record = read_record(folder / RECORD)["files"]
        assert record[f"events.{name}"] == asdict(FileDigest.of(folder / f"events.{name}"))
        manifests.append((folder / MANIFEST).read_bytes())
    assert manifests[0] == manifests[1]


def test_files_of_a_folder_are_listed_where_the_folder_comes_to_be():
    """Also those that another library wrote."""
    with sealing(VIEW), atomic_folder(VIEW.folder / "model") as folder:
        (folder / "weights").write_bytes(b"w")
        write_arrow(folder / "text" / "a.arrow", TABLE)
    files = read_manifest(VIEW.folder / MANIFEST).files
    assert set(files) == {"model/weights", "model/text/a.arrow"}
    assert files["model/weights"] == FileDigest.of(VIEW.folder / "model" / "weights")


def test_copies_are_checked_and_hidden_files_stay_behind():
    job()
    learnt, copy = VIEW.folder, Path("copy")
    (learnt / ".snakemake_timestamp").touch()
    copy_files(learnt, copy)
    assert {path.name for path in copy.iterdir()} == {path.name for path in learnt.iterdir()} - {".snakemake_timestamp"}
    rewrite(learnt / "card.json", b"{}")
    with pytest.raises(UserError, match=rf"{learnt}/card\.json: the file differs from its manifest"):
        copy_files(learnt, Path("again"))
    shutil.rmtree(learnt)
    rewrite(copy / "card.json", b"{}")
    with pytest.raises(UserError, match=r"copy/card\.json: the file differs from its manifest"):
        read_json(copy / "card.json")


TOKENS = Recipe("tokens", 1, {}, Path("tokens"))
STOP_LIST = Path("stop.txt")


@pytest.fixture
def chains() -> Recipe:
    """A recipe that reads tokens, which are there, and a list of stop words."""
    job(TOKENS)
    STOP_LIST.write_text("the\n")
    stated = {"stop_list": StatedFile(str(STOP_LIST), sha256_file(STOP_LIST))}
    return Recipe("chains", 2, {}, Path("chains"), {"tokens": TOKENS.folder}, stated)


def test_inputs_are_named_by_identity_and_content(chains):
    read = read_manifest(TOKENS.folder / MANIFEST)
    result = job(chains)
    assert result.inputs == {"tokens": InputContent(read.identity, read.content)}
    assert result.identity == chains.identity


def other_identity() -> None:
    other = replace(TOKENS, version=2)
    job(other)
    shutil.rmtree(TOKENS.folder)
    other.folder.rename(TOKENS.folder)


def no_manifest() -> None:
    (TOKENS.folder / MANIFEST).unlink()


def other_manifest() -> None:
    write_json(TOKENS.folder / MANIFEST, {"name": "of another program"})


def changed_manifest() -> None:
    rewrite(TOKENS.folder / MANIFEST, (TOKENS.folder / MANIFEST).read_bytes().replace(b"tokens", b"tokehs"))


def other_file() -> None:
    rewrite(STOP_LIST, b"a\n")


def no_file() -> None:
    STOP_LIST.unlink()


@pytest.mark.parametrize(
    ("change", "file", "message", "remedy"),
    [
        (
            other_identity,
            MANIFEST,
            "the manifest is that of another job",
            "remove the folder tokens/.*, and run snakemake",
        ),
        (no_manifest, MANIFEST, "there is no manifest: the job that writes these files", "run snakemake again"),
        (other_manifest, MANIFEST, "not a manifest of docmt", "delete tokens/.* and run snakemake again"),
        (changed_manifest, MANIFEST, "the file was changed after docmt wrote it", "delete tokens/.* and run snakemake"),
        (other_file, STOP_LIST, "the file has changed since the workflow was planned", "run snakemake again, which"),
        (no_file, STOP_LIST, "file not found", ""),
    ],
)
def test_what_was_not_asked_for_is_refused_before_anything_is_written(
    chains, change: Callable[[], None], file, message, remedy
):
    job(chains)
    before = content_of(chains.folder)
    change()
    with pytest.raises(UserError, match=rf"{file}: {message}(.|\n)*\n  {remedy}") as refused:
        job(chains)
    assert refused.value.status == 2
    assert content_of(chains.folder) == before


def test_a_library_of_another_version_is_refused():
    recipe = replace(VIEW, libraries={"pyarrow": "0.1"})
    with pytest.raises(UserError, match="another version of a library than planned"):
        job(recipe)
    assert not recipe.folder.exists()


def test_a_damaged_input_is_noticed_by_the_job_that_reads_it(chains):
    rewrite(TOKENS.folder / "card.json", b'{"rows": 3}')
    message = rf"{TOKENS.folder}/card\.json: the file differs from its manifest"
    with pytest.raises(UserError, match=message), sealing(chains):
        write_json(chains.folder / "card.json", read_text(TOKENS.folder / "card.json"))
    assert not chains.folder.exists()
