import hashlib
import json
import os
from pathlib import Path

import pytest

from docmt.base.errors import UserError
from docmt.catalogue.corpus import FileConfig
from docmt.corpus import download

CONTENT = os.urandom(300_000)
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def paths(tmp_path: Path) -> tuple[Path, Path]:
    """Output and lock file."""
    return tmp_path / "downloads" / "data.tgz", tmp_path / "checksums.lock.json"


def get(paths: tuple[Path, Path], *sources: str, mirror: str | None = None, **file: object) -> None:
    config = FileConfig("data.tgz", sources, **{"sha256": SHA256, **file})
    download.fetch(config, *paths, "toy", mirror, wait_s=0)


def only_whole_files(paths: tuple[Path, Path]) -> bool:
    return [path.name for path in paths[0].parent.iterdir()] == ["data.tgz"]


def test_from_a_url(server, paths):
    server.files["/data.tgz"] = CONTENT
    get(paths, f"{server.url}/data.tgz", size=len(CONTENT))
    assert paths[0].read_bytes() == CONTENT
    assert only_whole_files(paths)
    assert not paths[1].exists()


@pytest.mark.parametrize("form", ["path", "file"])
def test_from_a_file(paths, tmp_path, form):
    source = tmp_path / "with blank.tgz"
    source.write_bytes(CONTENT)
    get(paths, str(source) if form == "path" else source.as_uri())
    assert paths[0].read_bytes() == CONTENT


@pytest.mark.parametrize("form", ["path", "file", "http"])
def test_mirror_is_tried_first(server, paths, tmp_path, form):
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    (mirror / "data.tgz").write_bytes(CONTENT)
    server.files["/mirror/data.tgz"] = server.files["/data.tgz"] = CONTENT
    url = {"path": f"{mirror}/", "file": mirror.as_uri(), "http": f"{server.url}/mirror"}[form]
    get(paths, f"{server.url}/data.tgz", mirror=url)
    assert paths[0].read_bytes() == CONTENT
    assert [path for path, _ in server.seen] == (["/mirror/data.tgz"] if form == "http" else [])


def test_a_folder_of_the_users_is_looked_through_before_the_mirror(paths, tmp_path):
    for folder, content in (("own/deep/er", CONTENT), ("mirror", b"another")):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "data.tgz").write_bytes(content)
    config = FileConfig("data.tgz", sha256=SHA256)
    download.fetch(config, *paths, "toy", str(tmp_path / "mirror"), local=tmp_path / "own")
    assert paths[0].read_bytes() == CONTENT


def test_sources_after_a_mirror_without_the_file(server, paths, tmp_path):
    server.files["/data.tgz"] = CONTENT
    get(paths, f"{server.url}/gone", f"{server.url}/data.tgz", mirror=str(tmp_path))
    assert paths[0].read_bytes() == CONTENT
    assert [path for path, _ in server.seen] == ["/gone", "/data.tgz"]


def test_transfer_that_breaks_off_goes_on_from_there(server, paths):
    server.files["/data.tgz"] = CONTENT
    server.cuts = [12 * download.CHUNK_BYTES, 6 * download.CHUNK_BYTES]
    get(paths, f"{server.url}/data.tgz")
    assert paths[0].read_bytes() == CONTENT
    assert [asked for _, asked in server.seen] == [None, "bytes=98304-", "bytes=147456-"]


def test_run_that_was_killed_goes_on_from_its_part(server, paths, tmp_path):
    server.files["/data.tgz"] = CONTENT
    server.cuts = [download.CHUNK_BYTES] * download.ATTEMPTS
    with pytest.raises(UserError):
        get(paths, f"{server.url}/data.tgz")
    assert not paths[0].exists()
    assert paths[0].with_name("data.tgz.part").read_bytes() == CONTENT[:40_960]
    server.seen.clear()
    get(paths, f"{server.url}/data.tgz", mirror=str(tmp_path / "empty"))
    assert paths[0].read_bytes() == CONTENT
    assert [asked for _, asked in server.seen] == ["bytes=40960-"]
    assert only_whole_files(paths)


def test_file_that_changed_meanwhile_is_got_anew(server, paths):
    server.files["/data.tgz"], server.etags["/data.tgz"] = b"old" * 40_000, '"1"'
    server.cuts = [60_000, 0, 0, 0, 0]
    with pytest.raises(UserError):
        get(paths, f"{server.url}/data.tgz", sha256=None)
    server.files["/data.tgz"], server.etags["/data.tgz"] = CONTENT, '"2"'
    get(paths, f"{server.url}/data.tgz", sha256=None)
    assert paths[0].read_bytes() == CONTENT


def test_part_without_version_or_checksum_is_not_trusted(server, paths):
    server.files["/data.tgz"] = CONTENT
    server.cuts = [100_000]
    get(paths, f"{server.url}/data.tgz", sha256=None)
    assert [asked for _, asked in server.seen] == [None, None]


def test_part_of_another_source_is_not_continued(server, paths):
    server.files["/a"] = server.files["/b"] = CONTENT
    server.cuts = [1000] * download.ATTEMPTS
    get(paths, f"{server.url}/a", f"{server.url}/b")
    assert server.seen[-1] == ("/b", None)


def test_part_that_holds_something_else_is_got_anew(server, paths):
    server.files["/data.tgz"] = CONTENT
    part = paths[0].with_name("data.tgz.part")
    part.parent.mkdir()
    part.write_bytes(b"x" * 1000)
    part.with_name("data.tgz.part.json").write_text(json.dumps({"source": f"{server.url}/data.tgz", "version": None}))
    get(paths, f"{server.url}/data.tgz")
    assert paths[0].read_bytes() == CONTENT
    assert [asked for _, asked in server.seen] == ["bytes=1000-", None]


def test_busy_server_is_asked_again(server, paths):
    server.files["/data.tgz"] = CONTENT
    server.statuses = [503, 429]
    get(paths, f"{server.url}/data.tgz")
    assert len(server.seen) == 3


def test_wrong_checksum(server, paths):
    server.files["/data.tgz"] = b"something else"
    sha256 = hashlib.sha256(b"something else").hexdigest()
    with pytest.raises(UserError) as problem:
        get(paths, f"{server.url}/data.tgz")
    assert str(problem.value) == (
        "toy/data.tgz: wrong checksum, the download was removed\n"
        f"  found \n    {server.url}/data.tgz: wrong checksum: found sha256 {sha256}, expected {SHA256}\n"
        f"  By hand: put the file (sha256 {SHA256}) at {paths[0]} and run again, "
        "or set mirror=FOLDER, a folder or URL that holds data.tgz."
    )
    assert list(paths[0].parent.iterdir()) == []


def test_wrong_checksum_leaves_the_older_file(server, paths):
    paths[0].parent.mkdir()
    paths[0].write_bytes(b"older")
    server.files["/data.tgz"] = b"newer"
    with pytest.raises(UserError):
        get(paths, f"{server.url}/data.tgz")
    assert paths[0].read_bytes() == b"older"
    assert only_whole_files(paths)


def test_wrong_size(server, paths):
    server.files["/data.tgz"] = CONTENT
    with pytest.raises(UserError, match=f"wrong size: found {len(CONTENT)} bytes, expected 5"):
        get(paths, f"{server.url}/data.tgz", size=5)


def test_a_source_with_a_wrong_file_is_followed_by_the_next_source(server, paths):
    server.files["/a"], server.files["/b"] = b"another", CONTENT
    get(paths, f"{server.url}/a", f"{server.url}/b")
    assert paths[0].read_bytes() == CONTENT


def test_first_download_is_recorded_and_enforced(server, paths):
    server.files["/data.tgz"] = CONTENT
    get(paths, f"{server.url}/data.tgz", sha256=None)
    assert json.loads(paths[1].read_text()) == {"toy/data.tgz": SHA256}
    paths[0].unlink()
    server.files["/data.tgz"] = b"changed"
    with pytest.raises(UserError, match=f"expected {SHA256}"):
        get(paths, f"{server.url}/data.tgz", sha256=None)
    assert not paths[0].exists()
    assert json.loads(paths[1].read_text()) == {"toy/data.tgz": SHA256}


def test_lock_keeps_the_other_files(server, paths):
    paths[1].write_text(json.dumps({"other/data.tgz": "0" * 64}))
    server.files["/data.tgz"] = CONTENT
    get(paths, f"{server.url}/data.tgz", sha256=None)
    assert json.loads(paths[1].read_text()) == {"other/data.tgz": "0" * 64, "toy/data.tgz": SHA256}


def test_file_put_by_hand_is_used(paths):
    paths[0].parent.mkdir()
    paths[0].write_bytes(CONTENT)
    get(paths)
    get(paths, sha256=None)
    assert json.loads(paths[1].read_text()) == {"toy/data.tgz": SHA256}


def test_all_sources_fail(server, paths, tmp_path):
    server.statuses = [500] * download.ATTEMPTS
    with pytest.raises(UserError) as problem:
        get(paths, f"{server.url}/busy", f"{server.url}/gone", "http://127.0.0.1:1/closed", mirror=str(tmp_path))
    refused = "Failed to establish a new connection: [Errno 111] Connection refused"
    assert str(problem.value) == (
        "toy/data.tgz: no source gave the file\n"
        "  found \n"
        f"    {tmp_path}/data.tgz: no such file\n"
        f"    {server.url}/busy: HTTP 500 (5 attempts)\n"
        f"    {server.url}/gone: HTTP 404\n"
        f"    http://127.0.0.1:1/closed: {refused} (5 attempts)\n"
        f"  By hand: put the file (sha256 {SHA256}) at {paths[0]} and run again, "
        "or set mirror=FOLDER, a folder or URL that holds data.tgz."
    )


def test_file_without_a_source_says_how_it_is_obtained(paths):
    with pytest.raises(
        UserError, match=r"no source in the catalogue[^\n]*\n  Ask the authors\. Then put the file \(sha256"
    ):
        get(paths, obtain="Ask the authors.")
