"""The download of sets of files, by the function and by the command."""

import hashlib
import json

import pytest

from docmt.base.errors import UserError
from docmt.catalogue.files import FileConfig, SourceConfig
from docmt.catalogue.filesets import FileSetConfig
from docmt.fetching.download import fetch_set
from docmt.fetching.transfer import Network


def of_server(server, **digests: str) -> FileSetConfig:
    files = tuple(
        FileConfig(name=name, sources=(SourceConfig(url=f"https://huggingface.co/m/{name}"),), sha256=digests.get(name))
        for name in ("config.json", "vocab.txt")
    )
    facts = {"about": "a", "licence": "l", "citation": "c"}
    return FileSetConfig(set="mine", kind="checkpoint", folder="models/mine", files=files, **facts)


def network(server) -> Network:
    return Network({"huggingface.co": server.url}, 1, 0)


def test_all_files_arrive_and_first_digests_are_recorded(server, tmp_path):
    server.files = {"/m/config.json": b"{}", "/m/vocab.txt": b"a\nb\n"}
    vocab = hashlib.sha256(b"a\nb\n").hexdigest()
    files = of_server(server, **{"vocab.txt": vocab})
    folder = fetch_set(files, tmp_path, network(server))
    assert folder == tmp_path / "models/mine"
    assert (folder / "config.json").read_bytes() == b"{}" and (folder / "vocab.txt").read_bytes() == b"a\nb\n"
    lock = tmp_path / "results/checksums.lock.json"
    assert json.loads(lock.read_text()) == {"mine/config.json": hashlib.sha256(b"{}").hexdigest()}
    server.seen.clear()
    fetch_set(files, tmp_path, network(server))
    assert server.seen == [], "nothing is downloaded twice"
    other = fetch_set(files, tmp_path, network(server), folder=tmp_path / "mine")
    assert (other / "vocab.txt").is_file()


def test_a_changed_file_is_refused_and_the_others_stay(server, tmp_path):
    server.files = {"/m/config.json": b"{}", "/m/vocab.txt": b"changed"}
    with pytest.raises(UserError, match=r"mine/vocab\.txt: no source gave the right file") as problem:
        fetch_set(of_server(server, **{"vocab.txt": "0" * 64}), tmp_path, network(server))
    assert "which workflow/downloads/mine.yaml states" in str(problem.value)
    assert [path.name for path in (tmp_path / "models/mine").glob("[a-z]*")] == ["config.json"]
    assert not (tmp_path / "results/checksums.lock.json").exists()
