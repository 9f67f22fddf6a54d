"""Manifests: written and read, and the files that they list checked."""

import json

import pytest
from helpers.damage import refused_changes
from helpers.sealed import rewrite, write_manifest
from hypothesis import given
from hypothesis import strategies as st

from docmt.base.artifacts import read_json, read_text, write_json
from docmt.base.digests import FileDigest, indented_json, sha256_file
from docmt.base.errors import UserError
from docmt.base.manifest import (
    DIGEST,
    MANIFEST,
    RECORD,
    InputContent,
    Manifest,
    check_file,
    manifest_of_docmt,
    mixed_contents,
    read_manifest,
    read_record,
    sealed,
    stated_sha256,
)

OTHER_PROGRAMS = ({"name": "an app"}, {"format": 3}, [1, 2], 3, None)


def manifest(**changed) -> Manifest:
    values = {
        "identity": "1" * 64,
        "step": "views",
        "inputs": {"tokens": InputContent("2" * 64, "3" * 64), "words": InputContent(None, None)},
        "files": {"test.arrow": FileDigest("4" * 64, 9), "中/card.json": FileDigest("6" * 64, 1)},
        "records": ("record.json",),
    }
    return Manifest(**values | changed)


def test_a_manifest_is_read_as_it_was_written(tmp_path):
    write_json(tmp_path / MANIFEST, manifest().to_json())
    assert read_manifest(tmp_path / MANIFEST) == manifest()
    assert manifest().to_json()["content"] == manifest().content


def test_a_manifest_of_an_older_version_with_parts_of_tables_is_read(tmp_path):
    value = {key: item for key, item in manifest().to_json().items() if key != DIGEST}
    value["files"]["test.arrow"] |= {"parts": [{"start": 0, "bytes": 9, "sha256": "a" * 64}], "frame": "b" * 64}
    write_json(tmp_path / MANIFEST, sealed(value))
    assert read_manifest(tmp_path / MANIFEST) == manifest()


@given(st.permutations(list(manifest().files)))
def test_the_content_is_that_of_the_files_alone(order):
    files = {name: manifest().files[name] for name in order}
    others = manifest(files=files, identity=None, step="x", inputs={}, records=())
    assert others.content == manifest().content
    for name in order:
        assert manifest(files=files | {name: FileDigest("7" * 64, 9)}).content != manifest().content
        assert manifest(files={name: files[name]}).content != manifest().content


def test_each_changed_byte_of_a_manifest_is_noticed(tmp_path):
    path = tmp_path / MANIFEST
    write_json(path, manifest().to_json())
    spaces = sum(map(str.isspace, path.read_text()))
    # The readers of other files ignore what is no manifest of docmt: a changed byte must not turn it into that.
    assert refused_changes(path, lambda: manifest_of_docmt(path)) > path.stat().st_size - spaces


def test_each_changed_byte_of_a_record_is_noticed(tmp_path):
    path = tmp_path / RECORD
    write_json(path, sealed({"host": "中", "files": {}}))
    spaces = sum(map(str.isspace, path.read_text()))
    assert refused_changes(path, lambda: read_record(path)) > path.stat().st_size - spaces


@pytest.mark.parametrize("read", [lambda path: check_file(path) or path.read_bytes(), read_text, read_json])
def test_each_changed_byte_of_a_file_that_a_manifest_lists_is_noticed(tmp_path, read):
    path = tmp_path / "card.json"
    path.write_text('{"a": "中"}\n', encoding="utf-8")
    write_manifest(tmp_path, path.name)
    assert refused_changes(path, lambda: read(path)) == path.stat().st_size + 6


def test_each_changed_byte_of_a_file_of_the_run_is_noticed(tmp_path):
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"seconds": 1.5}\n')
    write_manifest(tmp_path, records=(path.name,))
    assert refused_changes(path, lambda: read_text(path)) == path.stat().st_size + 6


def test_the_record_is_checked_by_its_digest(tmp_path):
    write_manifest(tmp_path)
    content = read_json(tmp_path / RECORD)
    check_file(tmp_path / RECORD)
    rewrite(tmp_path / RECORD, indented_json(content | {"seconds": 2}).encode())
    for read in (read_json, check_file):
        with pytest.raises(UserError, match=r"record\.json: the file was changed after docmt wrote it"):
            read(tmp_path / RECORD)


def test_what_a_message_says(tmp_path):
    path = tmp_path / "card.json"
    path.write_text("{}")
    write_manifest(tmp_path, path.name)
    rewrite(path, b"[]")
    with pytest.raises(UserError) as refused:
        read_json(path)
    assert str(refused.value).splitlines() == [
        f"{path}: the file differs from its manifest",
        "  found sha256 4f53cda18c2b, 2 bytes; expected 44136fa355b3, as manifest.json says",
        f"  delete {tmp_path / MANIFEST} and run snakemake again, which makes the files again (step views)",
    ]


def test_a_file_that_no_manifest_lists_is_not_checked(tmp_path):
    for name in ("listed.txt", "other.txt"):
        (tmp_path / name).write_text("a")
    write_manifest(tmp_path, "listed.txt")
    rewrite(tmp_path / "other.txt", b"b")
    check_file(tmp_path / "other.txt")
    assert read_text(tmp_path / "other.txt") == "b"


@pytest.mark.parametrize("content", OTHER_PROGRAMS, ids=str)
def test_a_manifest_of_another_program_is_ignored(tmp_path, content):
    write_json(tmp_path / MANIFEST, content)
    (tmp_path / "a.txt").write_text("a")
    check_file(tmp_path / "a.txt")
    assert manifest_of_docmt(tmp_path / MANIFEST) is None
    with pytest.raises(UserError, match=rf"{MANIFEST}: not a manifest of docmt\n  expected format docmt-manifest-1"):
        read_manifest(tmp_path / MANIFEST)


def test_a_manifest_that_is_missing_says_that_the_job_has_not_finished(tmp_path):
    with pytest.raises(UserError, match="there is no manifest: the job that writes these files has not finished"):
        read_manifest(tmp_path / MANIFEST)


@pytest.mark.parametrize("name", ["test.txt", "text/codes.txt", "model/text/codes.txt"])
def test_the_manifest_of_a_file_is_that_of_its_folder_or_a_folder_above(tmp_path, name):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("a")
    digest = sha256_file(path)
    write_manifest(tmp_path, name)
    rewrite(path, b"b")
    assert stated_sha256(path) == digest
    with pytest.raises(UserError, match=rf"as {MANIFEST} says"):
        check_file(path)


def test_a_path_that_goes_back_leads_to_the_same_manifest(tmp_path, monkeypatch):
    for name in ("tokens", "views"):
        (tmp_path / name).mkdir()
    (tmp_path / "tokens" / "a.txt").write_text("a")
    write_manifest(tmp_path / "tokens", "a.txt")
    rewrite(tmp_path / "tokens" / "a.txt", b"b")
    monkeypatch.chdir(tmp_path / "views")
    with pytest.raises(UserError, match="the file differs from its manifest"):
        check_file("../views/../tokens/a.txt")


def test_the_nearest_manifest_that_lists_a_file_is_that_of_the_file(tmp_path):
    """A model that was copied from another place is checked by what lies with it."""
    model = tmp_path / "trained" / "model"
    model.mkdir(parents=True)
    for name in ("weights", "card"):
        (model / name).write_text(name)
    write_manifest(model, "weights")
    write_manifest(tmp_path / "trained", "model/weights", "model/card")
    model.rename(tmp_path / "copy")
    rewrite(tmp_path / "copy" / "card", b"other")
    check_file(tmp_path / "copy" / "card")
    rewrite(tmp_path / "copy" / "weights", b"other")
    with pytest.raises(UserError, match=r"copy/weights: the file differs from its manifest"):
        check_file(tmp_path / "copy" / "weights")
    (tmp_path / "copy").rename(model)
    with pytest.raises(UserError, match=r"model/card: the file differs from its manifest"):
        check_file(model / "card")


def test_a_record_that_lacks_a_file_of_its_manifest_is_refused(tmp_path):
    (tmp_path / "metrics.jsonl").write_text("{}\n")
    write_manifest(tmp_path, records=("metrics.jsonl",))
    rewrite(tmp_path / RECORD, indented_json(sealed({"files": {}})).encode())
    with pytest.raises(UserError, match=r"record\.json: a damaged record"):
        read_text(tmp_path / "metrics.jsonl")


@pytest.mark.parametrize("read", [read_manifest, read_record])
def test_a_text_that_utf_8_cannot_write_is_a_change_like_any_other(tmp_path, read):
    path = tmp_path / MANIFEST
    content = json.dumps({"format": "docmt-manifest-1", "step": "\ud800", "digest": "0"})
    rewrite(path, content.encode())
    with pytest.raises(UserError, match=r"manifest\.json: a damaged "):
        read(path)


def test_contents_of_one_identity_that_differ_are_told():
    """Two runs scored with different bytes of one view; a third has a view of its own."""
    view, again, other = (InputContent(name * 64, number * 64) for name, number in ("v1", "v2", "w3"))
    runs = {name: Manifest(name * 64, "x", {"view": view}) for name in "ab"}
    assert mixed_contents({**runs, "d": Manifest("d" * 64, "x", {"view": other})}) == []
    (sentence,) = mixed_contents({**runs, "c": Manifest("c" * 64, "x", {"view": again})})
    assert sentence == (
        f"Identity {'v' * 12} has 2 contents: {'1' * 12} is the view of a and 1 more; {'2' * 12} is the view of c"
    )
