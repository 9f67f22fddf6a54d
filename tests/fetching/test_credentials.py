"""Credentials of `~/.netrc` reach the server that they are for, and nothing else; its signed addresses go nowhere."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.guarded_server import Guarded, guarded

from docmt.base.errors import UserError
from docmt.catalogue.files import FileConfig, SourceConfig
from docmt.fetching.download import fetch, source_of, wish_for
from docmt.fetching.transfer import Network

LOGIN, SECRET = "l0gin", "c4n4ry"
CONTENT = b"one\n" * 1000


@pytest.fixture
def site(tmp_path: Path, monkeypatch) -> Iterator[Guarded]:
    """A server whose credentials `~/.netrc` has."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("NETRC", raising=False)
    with guarded(LOGIN, SECRET, {"/a.txt": CONTENT}) as site:
        site.netrc(tmp_path)
        yield site


def get(folder: Path, *sources: str, **options: object) -> Path:
    output = folder / "downloads/a.txt"
    file = FileConfig(name="a.txt", sources=tuple(SourceConfig(url=source) for source in sources))
    fetch(wish_for(file, "mine", output, Path("mine.yaml")), network=Network(timeout_s=5, wait_s=0), **options)
    return output


def secrets_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]


def test_a_user_without_credentials_is_told_where_to_state_them(site, tmp_path):
    (tmp_path / ".netrc").unlink()
    with pytest.raises(UserError, match=r"HTTP 401 \(a login or a permission is needed: state it in ~/\.netrc\)"):
        get(tmp_path, f"{site.url}/a.txt")
    assert site.refused == 1


def test_a_source_and_a_mirror_get_the_credentials_of_their_host(site, tmp_path, monkeypatch):
    assert get(tmp_path / "source", f"{site.url}/a.txt").read_bytes() == CONTENT
    assert get(tmp_path / "mirror", mirror=site.url).read_bytes() == CONTENT
    (tmp_path / ".netrc").rename(tmp_path / "of_netrc")
    monkeypatch.setenv("NETRC", str(tmp_path / "of_netrc"))
    assert get(tmp_path / "variable", f"{site.url}/a.txt").read_bytes() == CONTENT
    assert secrets_in(tmp_path) == [tmp_path / "of_netrc"] and site.refused == 0


def test_another_host_after_a_redirect_does_not_get_them_and_its_address_is_not_kept(site, tmp_path):
    source = f"{site.url}/signed/a.txt"
    output = get(tmp_path, source)
    assert output.read_bytes() == CONTENT and source_of(output) == source
    assert site.asked_elsewhere == 1 and site.leaked == []
    assert secrets_in(tmp_path) == [tmp_path / ".netrc"]


def test_messages_have_nothing_of_an_address_but_host_and_path(site, tmp_path):
    sources = [f"{site.url}/{place}/a.txt" for place in ("odd", "page", "private", "none")]
    with pytest.raises(UserError) as problem:
        get(tmp_path, *sources)
    said = str(problem.value)
    assert SECRET not in said and LOGIN not in said
    assert "No connection adapters were found for 'gopher://localhost/'" in said
    assert "a web page, not the file (not at https://localhost/)" in said
    assert f"a redirect to a login ({site.url.removeprefix('http://')}/sso/login)" in said
    assert secrets_in(tmp_path) == [tmp_path / ".netrc"]
