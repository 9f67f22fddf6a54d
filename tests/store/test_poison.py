"""Whatever stands in a store, docmt uses the bytes that a manifest states, or nothing."""

import json
import os
from pathlib import Path

import pytest
from helpers.stored import WEIGHTS, entry_of, files_of, make_artifact, new_store, resealed
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docmt.base.manifest import MANIFEST
from docmt.store.backend import EntryRefused, StoreUnusable
from docmt.store.store import Store, entry_key, file_key


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store with one artifact."""
    store = new_store(tmp_path / "store")
    folder = make_artifact(tmp_path / "job")
    store.push(entry_of(folder), folder)
    return store


def identity_of(store: Store) -> str:
    return next(store.backend.listed("entries")).key.split("/")[-1]


def place_of(store: Store, key: str) -> Path:
    return Path(store.address) / key


def rewrite(store: Store, change) -> str:
    """Change the entry as somebody does who writes right digests; return its identity."""
    identity = identity_of(store)
    path = place_of(store, entry_key(identity))
    path.chmod(0o644)
    path.write_text(resealed(path.read_text(), change))
    return identity


def in_manifest(change):
    """A change of the manifest inside an entry, with its digests."""

    def apply(value):
        value["texts"][MANIFEST] = resealed(value["texts"][MANIFEST], change)

    return apply


def rename(name: str, to: str):
    return in_manifest(lambda value: value["files"].__setitem__(to, value["files"].pop(name)))


def state(key: str, value: object):
    return in_manifest(lambda manifest: manifest["files"][WEIGHTS].__setitem__(key, value))


def in_settings(value):
    value["asked"]["settings"]["seed"] = 7


def part(start: int, size: int, sha256: str = "a" * 64):
    """State a part of the table, with its first byte and its size."""
    stated = {"start": start, "bytes": size, "sha256": sha256, "splits": ["test"], "columns": {}}
    return in_manifest(lambda value: value["files"][WEIGHTS].update(parts=[stated], frame="b" * 64))


def manifest_text(text: str):
    return lambda value: value["texts"].__setitem__(MANIFEST, text)


def in_record(change):
    """A change of the record inside an entry, with its digest."""
    return lambda value: value["texts"].update({"record.json": resealed(value["texts"]["record.json"], change)})


REFUSED = {
    "a name that leads out": (rename(WEIGHTS, "../weights.txt"), "leads out of its folder"),
    "an absolute name": (rename(WEIGHTS, "/etc/docmt"), "leads out of its folder"),
    "a name with a dot": (rename(WEIGHTS, "model/./weights.txt"), "leads out of its folder"),
    "a name of a terminal": (rename(WEIGHTS, "\x1b[2J"), "leads out of its folder"),
    "a long name": (rename(WEIGHTS, "x" * 300), "leads out of its folder"),
    "a file below the manifest": (rename(WEIGHTS, f"{MANIFEST}/x"), "a file that is also a folder"),
    "a digest that is a path": (state("sha256", "../../../etc/passwd"), "not a SHA-256"),
    "a negative size": (state("bytes", -1), "not a size in bytes"),
    "a huge size": (state("bytes", 2**70), "not a size in bytes"),
    "a size that is a text": (state("bytes", "8"), "not a size in bytes"),
    "another identity": (in_manifest(lambda value: value.__setitem__("identity", "ab" * 32)), "of another identity"),
    "other settings": (in_settings, "of another identity"),
    "another step": (in_manifest(lambda value: value.__setitem__("step", "corpus")), "of another step"),
    "a question that is a list": (lambda value: value.__setitem__("asked", []), "not an object"),
    "a maker with an escape": (lambda value: value["maker"].__setitem__("user", "\x1b[31m"), "not a text on one line"),
    "a text that is a number": (lambda value: value["texts"].__setitem__(MANIFEST, 1), "not a text"),
    "a missing record": (lambda value: value["texts"].pop("record.json"), "not the manifest and the record"),
    "a further text": (lambda value: value["texts"].__setitem__("../x", ""), "not the manifest and the record"),
    "a record that leads out": (in_manifest(lambda value: value["records"].append("../x")), "leads out of its folder"),
    "a record that is a number": (in_manifest(lambda value: value["records"].append(1)), "leads out of its folder"),
    "a name with a backslash": (rename(WEIGHTS, "a\\..\\b"), "leads out of its folder"),
    "a part beyond the file": (part(0, 10**6), "parts of a table that are not in the order"),
    "a part before the file": (part(-1, 2), "not a size in bytes"),
    "a part whose digest is a path": (part(0, 1, "../x"), "not a SHA-256"),
    "an input that is a path": (
        in_manifest(lambda value: value.__setitem__("inputs", {"tokens": {"identity": "../x", "content": None}})),
        "not a SHA-256",
    ),
    "a step of two lines": (
        in_manifest(lambda value: value.__setitem__("step", "x\nrm -rf ~")),
        "not a text on one line",
    ),
    "a manifest that is a list": (manifest_text("[]"), "a damaged manifest|list indices"),
    "a manifest without an end": (manifest_text("[" * 100_000), "not an entry of a store, or damaged"),
    "files that are a list": (in_manifest(lambda value: value.__setitem__("files", [])), "damaged manifest"),
    "a record without files": (in_record(lambda value: value.pop("files")), "a damaged record"),
    "a record of a file above": (
        in_record(lambda value: value["files"].update({"../x": {"sha256": "a" * 64, "bytes": 1}})),
        "leads out of its folder",
    ),
    "a record of a huge file": (
        in_record(lambda value: value["files"].update({"x": {"sha256": "a" * 64, "bytes": 1e300}})),
        "not a size in bytes",
    ),
    "a place of two lines": (lambda value: value.__setitem__("place", "x\nrm -rf ~"), "not a name"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_an_entry_that_somebody_wrote_is_refused(store, case):
    change, message = REFUSED[case]
    with pytest.raises(EntryRefused, match=message):
        store.entry(rewrite(store, change))


def test_a_size_that_lies_is_refused_before_a_byte_is_copied(store, tmp_path):
    identity = rewrite(store, state("bytes", 10))
    entry = store.entry(identity)
    assert not store.is_whole(entry)
    with pytest.raises(EntryRefused, match="a file of an entry has another size"):
        store.pull(entry, tmp_path / "pulled")
    assert not (tmp_path / "pulled" / WEIGHTS).exists()


def test_the_files_of_another_artifact_need_its_identity(store, tmp_path):
    other = make_artifact(tmp_path / "other", "other\n", seed=2)
    store.push(entry_of(other), other)
    identity = entry_of(tmp_path / "job").identity
    path = place_of(store, entry_key(identity))
    path.unlink()
    path.write_bytes(place_of(store, entry_key(entry_of(other).identity)).read_bytes())
    with pytest.raises(EntryRefused, match="of another identity"):
        store.entry(identity)


@pytest.mark.parametrize("make", [lambda path: path.symlink_to("/dev/zero"), os.mkfifo, lambda path: path.mkdir()])
def test_a_link_or_a_device_is_not_followed(store, tmp_path, make):
    entry = store.entry(identity_of(store))
    for key in (file_key(entry.files[WEIGHTS].sha256), entry_key(entry.identity)):
        place_of(store, key).unlink()
        make(place_of(store, key))
    assert not store.is_whole(entry)
    with pytest.raises(EntryRefused, match="another size"):
        store.pull(entry, tmp_path / "pulled")
    with pytest.raises(EntryRefused, match="no plain file"):
        store.entry(entry.identity)


def test_a_huge_entry_is_not_read(store):
    path = place_of(store, entry_key(identity_of(store)))
    path.chmod(0o644)
    os.truncate(path, 2**40)
    with pytest.raises(EntryRefused, match="too large"):
        store.entry(identity_of(store))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_flipped_bit_is_refused_or_changes_nothing(store, tmp_path, data):
    """What comes out is the whole artifact, or a message and no manifest."""
    expected, identity = files_of(tmp_path / "job"), entry_of(tmp_path / "job").identity
    path = data.draw(st.sampled_from(sorted(path for path in Path(store.address).rglob("*") if path.is_file())))
    content = path.read_bytes()
    place, bit = data.draw(st.integers(0, len(content) - 1)), data.draw(st.integers(0, 7))
    changed = content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :]
    path.chmod(0o644)
    path.write_bytes(changed)
    pulled = tmp_path / f"pulled{len([*tmp_path.iterdir()])}"
    try:
        store.check()
        store.pull(store.entry(identity), pulled)
        assert files_of(pulled) == expected
    except (EntryRefused, StoreUnusable):
        assert not (pulled / MANIFEST).exists()
    finally:
        path.write_bytes(content)


def test_json_of_an_entry_is_an_object(store):
    path = place_of(store, entry_key(identity_of(store)))
    for text in ("[]", "1", json.dumps({"rule": 1}), "{" * 100_000, ""):
        path.chmod(0o644)
        path.write_text(text)
        with pytest.raises(EntryRefused):
            store.entry(identity_of(store))
