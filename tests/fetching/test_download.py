"""Downloads from a server on the loopback."""

import hashlib
import json
import os
import tarfile
from pathlib import Path

import pytest
from helpers.reader_files import write_files, zip_bytes

from docmt.base.errors import UserError
from docmt.catalogue.files import FileConfig, SourceConfig
from docmt.catalogue.missing import file_of_user
from docmt.fetching import transfer
from docmt.fetching.download import fetch, source_of, wish_for
from docmt.fetching.transfer import Network

CONTENT = b"\x1f\x8b" + os.urandom(300_000)
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def blob(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


@pytest.fixture
def paths(tmp_path: Path) -> tuple[Path, Path]:
    """Output and lock file."""
    return tmp_path / "downloads" / "data.tgz", tmp_path / "checksums.lock.json"


def get(
    paths: tuple[Path, Path],
    *sources: str | SourceConfig,
    mirror: str | None = None,
    user_file: Path | None = None,
    **file: object,
) -> None:
    addresses = tuple(SourceConfig(url=source) if isinstance(source, str) else source for source in sources)
    config = FileConfig(**{"name": "data.tgz", "sources": addresses, "sha256": SHA256, **file})
    wish = wish_for(config, "toy", paths[0], Path("toy.yaml"), paths[1], user_file)
    fetch(wish, mirror, Network(timeout_s=0.3, wait_s=0))


def only_whole_files(paths: tuple[Path, Path]) -> bool:
    return sorted(path.name for path in paths[0].parent.iterdir()) == [".data.tgz.source.json", "data.tgz"]


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
    user_file = file_of_user(FileConfig(name="data.tgz"), tmp_path / "own", "toy")
    get(paths, mirror=str(tmp_path / "mirror"), user_file=user_file)
    assert paths[0].read_bytes() == CONTENT


def test_a_folder_of_the_users_is_packed(tmp_path):
    """Once; and again after a file of it has changed."""
    write_files(tmp_path, {"talks/a/1.de": "eins\n", "talks/a/1.en": "one\n"})
    config = FileConfig(name="talks.tar", sources=(SourceConfig(url=str(tmp_path / "talks")),))
    output = tmp_path / "downloads/talks.tar"

    def packed() -> dict[str, bytes]:
        fetch(wish_for(config, "mine", output, Path("mine.yaml"), None, tmp_path / "talks"))
        with tarfile.open(output) as tar:
            return {member.name: tar.extractfile(member).read() for member in tar}

    assert packed() == {"a/1.de": b"eins\n", "a/1.en": b"one\n"}
    before = output.stat().st_ino
    assert packed() and output.stat().st_ino == before
    write_files(tmp_path, {"talks/a/1.de": "einsa\n"})
    assert packed()["a/1.de"] == b"einsa\n"


def test_sources_after_a_mirror_without_the_file(server, paths, tmp_path):
    server.files["/data.tgz"] = CONTENT
    get(paths, f"{server.url}/gone", f"{server.url}/data.tgz", mirror=str(tmp_path))
    assert paths[0].read_bytes() == CONTENT
    assert [path for path, _ in server.seen] == ["/gone", "/data.tgz"]


def test_transfer_that_breaks_off_goes_on_from_there(server, paths):
    server.files["/data.tgz"] = CONTENT
    server.cuts = [12 * transfer.CHUNK_BYTES, 6 * transfer.CHUNK_BYTES]
    get(paths, f"{server.url}/data.tgz")
    assert paths[0].read_bytes() == CONTENT
    assert [asked for _, asked in server.seen] == [None, "bytes=98304-", "bytes=147456-"]


def test_run_that_was_killed_goes_on_from_its_part(server, paths, tmp_path):
    server.files["/data.tgz"] = CONTENT
    server.cuts = [transfer.CHUNK_BYTES] * transfer.ATTEMPTS
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
    server.files["/data.tgz"], server.etags["/data.tgz"] = b"\x1f\x8b" + b"old" * 40_000, '"1"'
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
    server.cuts = [1000] * transfer.ATTEMPTS
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
    server.files["/data.tgz"] = b"\x1f\x8bsomething else"
    sha256 = hashlib.sha256(b"\x1f\x8bsomething else").hexdigest()
    with pytest.raises(UserError) as problem:
        get(paths, f"{server.url}/data.tgz")
    assert str(problem.value) == (
        "toy/data.tgz: no source gave the right file; what they gave was removed\n"
        f"  found \n    {server.url}/data.tgz: wrong checksum: found sha256 {sha256}, expected {SHA256}\n"
        f"  By hand: put the file (sha256 {SHA256}, which toy.yaml states) at {paths[0]} and run again, "
        "or set mirror=FOLDER, a folder or URL that holds data.tgz."
    )
    assert list(paths[0].parent.iterdir()) == []


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"md5": "0" * 32}, f"wrong checksum: found md5 {hashlib.md5(CONTENT).hexdigest()}, expected {'0' * 32}"),
        ({"git_blob": "0" * 40}, f"wrong checksum: found git_blob {blob(CONTENT)}, expected {'0' * 40}"),
        ({"size": 5}, "wrong size: found 300,002 bytes, expected 5"),
    ],
)
def test_wrong_checksums_of_other_kinds(server, paths, stated, message):
    server.files["/data.tgz"] = CONTENT
    source = f"{server.url}/data.tgz"
    for sources, file in [((source,), stated), ((SourceConfig(url=source, **stated),), {})]:
        with pytest.raises(UserError, match=message):
            get(paths, *sources, **{"sha256": None, **file})
        assert list(paths[0].parent.iterdir()) == []


def test_right_checksums_of_other_kinds(server, paths):
    server.files["/data.tgz"] = CONTENT
    right = {"md5": hashlib.md5(CONTENT).hexdigest(), "git_blob": blob(CONTENT), "size": len(CONTENT)}
    get(paths, SourceConfig(url=f"{server.url}/data.tgz", **right), sha256=None, **right)
    assert paths[0].read_bytes() == CONTENT


def test_a_file_put_by_hand_is_never_overwritten(server, paths):
    paths[0].parent.mkdir()
    paths[0].write_bytes(b"\x1f\x8bby hand")
    server.files["/data.tgz"] = CONTENT
    digest = hashlib.sha256(b"\x1f\x8bby hand").hexdigest()
    with pytest.raises(UserError) as problem:
        get(paths, f"{server.url}/data.tgz")
    assert str(problem.value) == (
        f"{paths[0]}: the file that a person put here is not the one that is expected\n"
        f"  found wrong checksum: found sha256 {digest}, expected {SHA256}; expected what toy.yaml states\n"
        "  remove the file, and docmt downloads it; or change what is stated there, to use this file"
    )
    assert paths[0].read_bytes() == b"\x1f\x8bby hand"
    assert server.seen == []


def test_a_download_of_other_content_is_replaced(server, paths):
    server.files["/data.tgz"] = b"\x1f\x8bolder"
    get(paths, f"{server.url}/data.tgz", sha256=None)
    server.files["/data.tgz"] = CONTENT
    get(paths, f"{server.url}/data.tgz")
    assert paths[0].read_bytes() == CONTENT
    assert source_of(paths[0]) == f"{server.url}/data.tgz"


def test_a_download_of_other_content_stays_where_no_source_has_the_right_one(server, paths):
    server.files["/data.tgz"] = b"\x1f\x8bolder"
    get(paths, f"{server.url}/data.tgz", sha256=None)
    with pytest.raises(UserError):
        get(paths, f"{server.url}/data.tgz")
    assert paths[0].read_bytes() == b"\x1f\x8bolder"


def test_a_source_with_a_wrong_file_is_followed_by_the_next_source(server, paths):
    server.files["/a"], server.files["/b"] = b"another", CONTENT
    get(paths, f"{server.url}/a", f"{server.url}/b")
    assert paths[0].read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("data.tgz", b"\n <!-- x --><!doctype HTML><html>", "a web page, not the file"),
        ("data.txt", b"<html><title>Sign\n in</title>", r"a web page, not the file \(Sign in\)"),
        ("data.zip", b"\x1f\x8bgzip", "not a zip file, as its name says: it begins with"),
        ("data.tar.gz", b"PK\x03\x04", "not a gzip file, as its name says"),
        ("data.txt", b"", "an empty file"),
    ],
)
def test_content_that_cannot_be_the_file(server, tmp_path, name, content, why):
    server.files["/data"] = content
    paths = tmp_path / "downloads" / name, tmp_path / "lock"
    with pytest.raises(UserError, match=why):
        get(paths, f"{server.url}/data", name=name, sha256=None)
    assert list(paths[0].parent.iterdir()) == []
    paths[0].write_bytes(content)
    with pytest.raises(UserError, match=why):
        get(paths, f"{server.url}/data", name=name, sha256=None)
    assert paths[0].read_bytes() == content, "a person put it there"


def test_a_page_is_a_failed_source_and_the_next_one_is_tried(server, paths):
    server.pages["/quota"] = "Google Drive - Quota exceeded"
    server.files["/data.tgz"] = CONTENT
    get(paths, f"{server.url}/quota", f"{server.url}/data.tgz", sha256=None)
    assert paths[0].read_bytes() == CONTENT
    paths[0].unlink()
    with pytest.raises(UserError, match=r"/quota: a web page, not the file \(Google Drive - Quota exceeded\)"):
        get(paths, f"{server.url}/quota", sha256=None)
    assert not paths[0].exists()


def test_a_redirect_to_a_login(server, paths):
    server.moves["/data.tgz"] = "/login/oauth?next=data.tgz"
    server.files["/login/oauth?next=data.tgz"] = CONTENT
    with pytest.raises(UserError, match=r"a redirect to a login \(127\.0\.0\.1:\d+/login/oauth\)"):
        get(paths, f"{server.url}/data.tgz", sha256=None)


@pytest.mark.parametrize(
    ("status", "why"), [(401, r" \(a login or a permission is needed: state it in ~/\.netrc\)"), (404, "")]
)
def test_answers_that_are_final(server, paths, status, why):
    server.statuses = [status]
    with pytest.raises(UserError, match=f"data.tgz: HTTP {status}{why}\n"):
        get(paths, f"{server.url}/data.tgz")
    assert len(server.seen) == 1


def test_a_server_that_stalls_is_asked_for_the_rest(server, paths):
    server.files["/data.tgz"] = CONTENT
    server.stalls = [2 * transfer.CHUNK_BYTES]
    get(paths, f"{server.url}/data.tgz")
    assert paths[0].read_bytes() == CONTENT
    assert [asked for _, asked in server.seen] == [None, "bytes=16384-"]


def test_a_server_that_always_stalls_is_left(server, paths):
    server.files["/data.tgz"] = CONTENT
    server.stalls = [0] * transfer.ATTEMPTS
    with pytest.raises(UserError, match=r"[Tt]imed out.* \(5 attempts\)"):
        get(paths, f"{server.url}/data.tgz")


def test_line_ends_become_line_feeds(server, tmp_path):
    dos, unix = b"a\r\nb\rc\n\r\n" * 200_000, b"a\nb\rc\n\n" * 200_000
    server.files |= {"/dos": dos, "/unix": unix}
    file = {"name": "data.txt", "line_ends": "lf", "sha256": hashlib.sha256(unix).hexdigest(), "size": len(unix)}
    for number, path in enumerate(("/dos", "/unix")):
        paths = tmp_path / str(number) / "data.txt", tmp_path / "lock"
        source = SourceConfig(url=server.url + path, sha256=hashlib.sha256(server.files[path]).hexdigest())
        get(paths, source, **file)
        assert paths[0].read_bytes() == unix
    user_file = tmp_path / "own.txt"
    user_file.write_bytes(dos)
    paths = tmp_path / "2" / "data.txt", tmp_path / "lock"
    get(paths, user_file=user_file, **{**file, "sha256": None, "size": None})
    assert paths[0].read_bytes() == unix


def test_a_member_of_a_zip(server, tmp_path):
    server.files["/folder"] = zip_bytes({"top/NC/train.en": "hello\n", "top/TED/train.en": "other\n"})
    paths = tmp_path / "downloads" / "train.en", tmp_path / "lock"
    file = {"name": "train.en", "sha256": None}
    for member, why in [("train.en", "has 2 members train.en"), ("none.en", "has 0 members none.en")]:
        with pytest.raises(UserError, match=why):
            get(paths, SourceConfig(url=f"{server.url}/folder", member=member), **file)
    server.files["/broken"] = b"PK no zip"
    with pytest.raises(UserError, match="not a zip, or damaged"):
        get(paths, SourceConfig(url=f"{server.url}/broken", member="train.en"), **file)
    assert list(paths[0].parent.iterdir()) == []
    get(paths, SourceConfig(url=f"{server.url}/folder", member="NC/train.en"), **file)
    assert paths[0].read_text() == "hello\n"
    assert sorted(path.name for path in paths[0].parent.iterdir()) == [".train.en.source.json", "train.en"]


def test_the_lock_file_states_the_digest(server, paths):
    paths[1].write_text(json.dumps({"a/b": "0" * 64, "toy/data.tgz": SHA256}, indent=2))
    server.files["/data.tgz"] = b"\x1f\x8bchanged"
    with pytest.raises(UserError, match=f"expected {SHA256}") as problem:
        get(paths, f"{server.url}/data.tgz", sha256=None)
    assert f"(sha256 {SHA256}, which {paths[1]}:3 states)" in str(problem.value)
    server.files["/data.tgz"] = CONTENT
    get(paths, f"{server.url}/data.tgz", sha256=None)
    assert paths[0].read_bytes() == CONTENT


@pytest.mark.parametrize("content", ["not json", "[1]", '{"toy/data.tgz": 1}'])
def test_a_lock_file_that_is_none(paths, content):
    paths[1].write_text(content)
    with pytest.raises(UserError, match=f"{paths[1]}: not a lock file of downloads"):
        get(paths, sha256=None)
    assert paths[1].read_text() == content


def test_a_first_download_is_not_recorded_before_it_is_read(server, paths):
    server.files["/data.tgz"] = CONTENT
    get(paths, f"{server.url}/data.tgz", sha256=None)
    assert not paths[1].exists()


def test_file_put_by_hand_is_used(paths):
    paths[0].parent.mkdir()
    paths[0].write_bytes(CONTENT)
    get(paths)
    get(paths, sha256=None)
    assert source_of(paths[0]) is None


def test_all_sources_fail(server, paths, tmp_path):
    server.statuses = [500] * transfer.ATTEMPTS
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
        f"  By hand: put the file (sha256 {SHA256}, which toy.yaml states) at {paths[0]} and run again, "
        "or set mirror=FOLDER, a folder or URL that holds data.tgz."
    )


def test_file_without_a_source_says_how_it_is_obtained(paths):
    with pytest.raises(
        UserError, match=r"no source in the catalogue[^\n]*\n  Ask the authors\. Then put the file \(sha256"
    ):
        get(paths, obtain="Ask the authors.")
