"""The frame of a job: what it checks before, and what it writes after."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from helpers.sealed import outputs_of, rewrite

from docmt.base import sealing as frame
from docmt.base.artifacts import atomic_folder, copy_files, read_json, read_text, write_json
from docmt.base.asked import Asked
from docmt.base.digests import FileDigest, sha256_file
from docmt.base.errors import UserError
from docmt.base.machine import installed_version
from docmt.base.manifest import (
    MANIFEST,
    RECORD,
    SETTINGS,
    InputContent,
    Manifest,
    digest_to_json,
    read_manifest,
    read_record,
)
from docmt.base.sealing import sealing
from docmt.base.tables import write_arrow, write_if_any

VIEW = Asked("views", {"version": 3}, libraries={"pyarrow": installed_version("pyarrow")})
TABLE = pa.table({"split": ["test", "train"], "ids": [[1], [2, 3]]})


def settings_of(asked: Asked | dict, folder: Path, prefix: str = "") -> Path:
    """The workflow writes settings beside the outputs; a person's are a dictionary."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{prefix}{SETTINGS}"
    if isinstance(asked, Asked):
        path.write_text(asked.text(), encoding="utf-8")
    else:
        write_json(path, asked)
    return path


def job(folder: Path, asked: Asked | dict = VIEW, inputs: Any = None, files: Any = None, **options: Any) -> Manifest:
    """A job that writes a table and a card."""
    path = settings_of(asked, folder, options.get("prefix", ""))
    with sealing(path, "views", folder, inputs, files, **options):
        write_arrow(folder / f"{options.get('prefix', '')}test.arrow", TABLE)
        write_json(folder / f"{options.get('prefix', '')}card.json", {"rows": len(TABLE)})
    return read_manifest(folder / f"{options.get('prefix', '')}{MANIFEST}")


def test_a_manifest_lists_the_outputs_and_the_settings(tmp_path):
    result = job(tmp_path / "out")
    assert outputs_of(tmp_path / "out") == set(result.files) == {"test.arrow", "card.json", SETTINGS}
    assert {name: file.sha256 for name, file in result.files.items()} == {
        name: sha256_file(tmp_path / "out" / name) for name in result.files
    }
    assert (result.identity, result.command, result.records) == (VIEW.identity, "views", (RECORD,))


def test_equal_outputs_have_equal_manifests(tmp_path, monkeypatch):
    """At another time and place, by a path from another folder, and written in another order."""
    job(tmp_path / "out")
    monkeypatch.setattr(frame, "now", lambda: "2030-01-01T00:00:00+00:00")
    monkeypatch.setattr(frame, "hardware", lambda: {"host": "another"})
    for name in ("place", "other/text"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "place")
    folder = Path("../other/out")
    with sealing(settings_of(VIEW, folder), "views", folder):
        write_json(folder / "card.json", {"rows": len(TABLE)})
        write_arrow(tmp_path / "other" / "text" / ".." / "out" / "test.arrow", TABLE)
    assert (folder / MANIFEST).read_bytes() == (tmp_path / "out" / MANIFEST).read_bytes()
    assert read_record(folder / RECORD)["hardware"] == {"host": "another"}
    assert (folder / RECORD).read_bytes() != (tmp_path / "out" / RECORD).read_bytes()


def test_files_of_the_run_are_listed_in_the_record(tmp_path):
    contents = []
    for name, line in (("one", "1"), ("two", "2")):
        folder = tmp_path / name
        with sealing(settings_of(VIEW, folder), "train", folder) as seal:
            (folder / "earlier.txt").write_text("not an output of this run")
            write_json(folder / "metrics.jsonl", line)
            seal.close({"speed": line}, records=["metrics.jsonl"])
        record = read_record(folder / RECORD)
        assert record["speed"] == line and record["command"] == "train"
        assert record["versions"]["pyarrow"] == VIEW.libraries["pyarrow"]
        assert record["files"]["metrics.jsonl"]["sha256"] == sha256_file(folder / "metrics.jsonl")
        contents.append((folder / MANIFEST).read_bytes())
    assert contents[0] == contents[1]
    assert set(read_manifest(folder / MANIFEST).files) == {SETTINGS}


def test_jobs_of_one_folder_have_manifests_of_their_own(tmp_path):
    job(tmp_path)
    before = (tmp_path / MANIFEST).read_bytes()
    other = job(tmp_path, prefix="contrastive.")
    assert set(other.files) == {"contrastive.test.arrow", "contrastive.card.json", "contrastive.settings.json"}
    assert (tmp_path / MANIFEST).read_bytes() == before
    assert other.records == ("contrastive.record.json",)


def test_there_is_no_manifest_after_an_exception(tmp_path):
    with pytest.raises(KeyError), sealing(settings_of(VIEW, tmp_path), "views", tmp_path):
        write_json(tmp_path / "card.json", {})
        raise KeyError
    assert {path.name for path in tmp_path.iterdir()} == {SETTINGS, "card.json"}


def test_a_job_that_fails_before_it_writes_leaves_the_manifest_of_the_earlier_run(tmp_path):
    job(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(KeyError), sealing(tmp_path / SETTINGS, "views", tmp_path):
        write_if_any(tmp_path / "contrastive.arrow", None)
        with atomic_folder(tmp_path / "text"):
            raise KeyError
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def write_card(folder: Path) -> None:
    write_json(folder / "card.json", {"rows": 0})


def write_folder(folder: Path) -> None:
    with atomic_folder(folder / "text") as text:
        (text / "codes.txt").write_text("a")


def remove_table(folder: Path) -> None:
    write_if_any(folder / "test.arrow", None)


@pytest.mark.parametrize("change", [write_card, write_folder, remove_table])
def test_the_first_change_of_a_file_removes_the_manifest_of_the_earlier_run(tmp_path, change):
    job(tmp_path)
    with pytest.raises(KeyError), sealing(tmp_path / SETTINGS, "views", tmp_path):
        assert (tmp_path / MANIFEST).exists() and (tmp_path / RECORD).exists()
        change(tmp_path)
        assert not (tmp_path / MANIFEST).exists() and not (tmp_path / RECORD).exists()
        raise KeyError
    assert not (tmp_path / MANIFEST).exists()


def test_a_file_that_the_job_writes_and_removes_is_not_listed(tmp_path):
    with sealing(settings_of(VIEW, tmp_path), "views", tmp_path):
        write_arrow(tmp_path / "test.arrow", TABLE)
        write_if_any(tmp_path / "test.arrow", None)
    assert set(read_manifest(tmp_path / MANIFEST).files) == {SETTINGS}


def test_files_with_names_of_the_run_are_in_the_record_alone(tmp_path):
    """Such as those of TensorBoard, which have the time and the host: equal outputs have equal manifests."""
    manifests = []
    for name in ("one", "other"):
        folder = tmp_path / name
        folder.mkdir()
        with sealing(settings_of(VIEW, folder), "train", folder) as seal:
            (folder / f"events.{name}").write_bytes(name.encode())
            seal.close(events=[folder / f"events.{name}"])
        record = read_record(folder / RECORD)["files"]
        assert record[f"events.{name}"] == digest_to_json(FileDigest.of(folder / f"events.{name}"))
        manifests.append((folder / MANIFEST).read_bytes())
    assert manifests[0] == manifests[1]


def test_files_of_a_folder_are_listed_where_the_folder_comes_to_be(tmp_path):
    """Also those that another library wrote; tables have their parts."""
    model = tmp_path / "model"
    with sealing(settings_of(VIEW, tmp_path), "train", tmp_path), atomic_folder(model) as folder:
        (folder / "weights").write_bytes(b"w")
        write_arrow(folder / "text" / "a.arrow", TABLE)
    files = read_manifest(tmp_path / MANIFEST).files
    assert set(files) == {"model/weights", "model/text/a.arrow", SETTINGS}
    assert files["model/weights"] == FileDigest.of(tmp_path / "model" / "weights")
    assert [part.splits for part in files["model/text/a.arrow"].parts] == [("test", "train")]


def test_copies_are_checked_and_hidden_files_stay_behind(tmp_path):
    job(tmp_path / "learnt")
    (tmp_path / "learnt" / ".snakemake_timestamp").touch()
    copy_files(tmp_path / "learnt", tmp_path / "copy")
    names = {path.name for path in (tmp_path / "copy").iterdir()}
    assert names == {path.name for path in (tmp_path / "learnt").iterdir()} - {".snakemake_timestamp"}
    rewrite(tmp_path / "learnt" / "card.json", b"{}")
    with pytest.raises(UserError, match=r"learnt/card\.json: the file differs from its manifest"):
        copy_files(tmp_path / "learnt", tmp_path / "again")
    shutil.rmtree(tmp_path / "learnt")
    rewrite(tmp_path / "copy" / "card.json", b"{}")
    with pytest.raises(UserError, match=r"copy/card\.json: the file differs from its manifest"):
        read_json(tmp_path / "copy" / "card.json")


@pytest.fixture
def tokens(tmp_path) -> Path:
    job(tmp_path / "tokens", Asked("tokens", {"version": 1}))
    return tmp_path / "tokens"


@pytest.fixture
def stop_list(tmp_path) -> Path:
    (tmp_path / "stop.txt").write_text("the\n")
    return tmp_path / "stop.txt"


def chains(tokens: str | None, **changed: Any) -> Asked:
    return Asked(**{"job": "chains", "settings": {"version": 2}, "inputs": {"tokens": tokens}} | changed)


def test_inputs_are_named_by_identity_and_content(tmp_path, tokens):
    read = read_manifest(tokens / MANIFEST)
    for name, place in (("folder", tokens), ("file", tokens / MANIFEST)):
        result = job(tmp_path / name, chains(read.identity), {"tokens": place, "words": None})
        assert result.inputs == {"tokens": InputContent(read.identity, read.content)}
        assert result.identity == chains(read.identity).identity


def test_an_identity_that_nobody_knew_when_the_workflow_was_planned_is_known_after(tmp_path, tokens, stop_list):
    identity, digest = read_manifest(tokens / MANIFEST).identity, sha256_file(stop_list)
    asked = chains(None, files={"stop_list": None})
    assert asked.identity is None
    result = job(tmp_path / "out", asked, {"tokens": tokens}, {"stop_list": stop_list})
    assert result.identity == chains(identity, files={"stop_list": digest}).identity


def test_other_inputs_and_files_than_were_asked_for_have_no_part_in_the_identity(tmp_path, tokens, stop_list):
    result = job(tmp_path / "out", VIEW, {"tokens": tokens}, {"stop_list": stop_list})
    assert (result.identity, result.inputs) == (VIEW.identity, {})


def test_inputs_may_be_named_by_the_paths_of_their_manifests(tmp_path, tokens):
    role, identity = f"tokens/{MANIFEST}", read_manifest(tokens / MANIFEST).identity
    inputs = {role: tokens / MANIFEST}
    assert set(job(tmp_path / "out", chains(None, inputs={role: identity}), inputs).inputs) == {role}
    with pytest.raises(UserError, match="made from other settings or inputs than this job needs"):
        job(tmp_path / "out", chains(None, inputs={role: "0" * 64}), inputs)


def test_a_person_asks_for_nothing_and_gets_what_is_there(tmp_path, tokens, stop_list):
    """Settings by hand; an input without a manifest is used too, and the job has no identity then."""
    person, read = {"version": 2}, read_manifest(tokens / MANIFEST)
    result = job(tmp_path / "out", person, {"tokens": tokens}, {"stop_list": stop_list})
    assert result.inputs == {"tokens": InputContent(read.identity, read.content)}
    other = Asked("views", person, {"tokens": read.identity}, {"stop_list": sha256_file(stop_list)})
    assert result.identity == other.identity
    (tokens / MANIFEST).unlink()
    assert job(tmp_path / "again", person, {"tokens": tokens}).inputs == {}
    write_json(tokens / MANIFEST, {"name": "of another program"})
    assert job(tmp_path / "again", person, {"tokens": tokens}).inputs == {}


def other_identity(tokens: Path, stop_list: Path) -> None:
    job(tokens, Asked("tokens", {"version": 2}))


def no_manifest(tokens: Path, stop_list: Path) -> None:
    (tokens / MANIFEST).unlink()


def other_manifest(tokens: Path, stop_list: Path) -> None:
    write_json(tokens / MANIFEST, {"name": "of another program"})


def changed_manifest(tokens: Path, stop_list: Path) -> None:
    rewrite(tokens / MANIFEST, (tokens / MANIFEST).read_bytes().replace(b"views", b"vjews"))


def other_file(tokens: Path, stop_list: Path) -> None:
    rewrite(stop_list, b"a\n")


@pytest.mark.parametrize(
    ("change", "file", "message", "remedy"),
    [
        (
            other_identity,
            MANIFEST,
            "made from other settings or inputs than this job needs",
            r"run snakemake again, which makes it again \(docmt job views\)",
        ),
        (no_manifest, MANIFEST, "there is no manifest: the job that writes these files", "run snakemake again"),
        (other_manifest, MANIFEST, "not a manifest of docmt", "delete the file and run snakemake again"),
        (changed_manifest, MANIFEST, "the file was changed after docmt wrote it", "delete the file and run snakemake"),
        (
            other_file,
            "stop.txt",
            "the file has changed since the workflow was planned",
            "run snakemake again, which plans with the present file",
        ),
    ],
)
def test_what_was_not_asked_for_is_refused_before_anything_is_written(
    tmp_path, tokens, stop_list, change: Callable[[Path, Path], None], file, message, remedy
):
    identity, digest = read_manifest(tokens / MANIFEST).identity, sha256_file(stop_list)
    asked = chains(identity, files={"stop_list": digest})
    arguments = tmp_path / "out", asked, {"tokens": tokens}, {"stop_list": stop_list}
    job(*arguments)
    before = {path: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    change(tokens, stop_list)
    with pytest.raises(UserError, match=rf"{file}: {message}(.|\n)*\n  {remedy}") as refused:
        job(*arguments)
    assert refused.value.status == 2
    assert {path: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before


def test_a_library_of_another_version_is_refused(tmp_path):
    with pytest.raises(UserError, match="another version of a library than planned"):
        job(tmp_path, Asked("views", {}, libraries={"pyarrow": "0.1"}))
    assert {path.name for path in tmp_path.iterdir()} == {SETTINGS}


def test_a_damaged_input_is_noticed_by_the_job_that_reads_it(tmp_path, tokens):
    rewrite(tokens / "card.json", b'{"rows": 3}')
    path = settings_of(chains(read_manifest(tokens / MANIFEST).identity), tmp_path / "out")
    message = r"tokens/card\.json: the file differs from its manifest"
    job_of_chains = sealing(path, "find-chains", tmp_path / "out", {"tokens": tokens})
    with pytest.raises(UserError, match=message), job_of_chains:
        write_json(tmp_path / "out" / "card.json", read_text(tokens / "card.json"))
    assert {file.name for file in (tmp_path / "out").iterdir()} == {SETTINGS}
