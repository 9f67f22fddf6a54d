"""Whatever stands in a store, docmt uses the bytes that a manifest states, or nothing."""

import json
import os
from pathlib import Path

import pytest
from helpers.stored import WEIGHTS, entry_of, files_of, make_artifact, reseal, rewrite_entry
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docmt.base.manifest import MANIFEST, RECORD
from docmt.store.backend import LARGEST_READ, EntryRefused, StoreUnusable
from docmt.store.store import Store, entry_key, file_key


@pytest.fixture
def store(store: Store, folder: Path) -> Store:
    """A store with one artifact."""
    store.push(entry_of(folder), folder)
    return store


def identity_of(store: Store) -> str:
    return next(store.backend.listed("entries")).name


def place_of(store: Store, key: str) -> Path:
    return Path(store.address) / key


def within(name: str, change):
    """A change of the manifest or the record inside an entry, with its digests."""
    return lambda value: reseal(value["values"][name], change)


def put(key: str, to: object, name: str | None = None):
    """Give a key of the entry, or of its manifest or record, another value; None: remove it."""

    def change(value):
        value.pop(key, None)
        if to is not None:
            value[key] = to

    return change if name is None else within(name, change)


def rename(to: str):
    return within(MANIFEST, lambda value: value["files"].update({to: value["files"].pop(WEIGHTS)}))


def state(**values: object):
    return within(MANIFEST, lambda manifest: manifest["files"][WEIGHTS].update(values))


def record_of(name: str, size: object = 1):
    return within(RECORD, lambda value: value["files"].update({name: {"sha256": "a" * 64, "bytes": size}}))


OUT, DAMAGED, SINGLE_LINE = "leads out of its folder", "not an entry of a store, or damaged", "not a text on one line"
REFUSED = {
    "a name that leads out": (rename("../weights.txt"), OUT),
    "a name of a terminal": (rename("\x1b[2J"), OUT),
    "a long name": (rename("x" * 300), OUT),
    "a file below the manifest": (rename(f"{MANIFEST}/x"), "a file that is also a folder"),
    "a digest that is a path": (state(sha256="../../../etc/passwd"), "not a SHA-256"),
    "a huge size": (state(bytes=2**70), "not a size in bytes"),
    "a size that is a text": (state(bytes="8"), "not a size in bytes"),
    "another identity": (put("identity", "ab" * 32, MANIFEST), "it has another identity"),
    "other settings": (lambda value: value["asked"]["settings"].update(seed=7), "it has another identity"),
    "a question that is a list": (put("asked", []), "it has another identity"),
    "another step": (put("step", "corpus", MANIFEST), "of another step"),
    "a step of two lines": (put("step", "x\nrm -rf ~", MANIFEST), SINGLE_LINE),
    "a place of two lines": (put("place", "x\nrm -rf ~"), SINGLE_LINE),
    "a place that is a number": (put("place", 1), SINGLE_LINE),
    "no manifest": (put("values", {}), DAMAGED),
    "a manifest that is a number": (lambda value: value["values"].update({MANIFEST: 1}), "damaged manifest"),
    "a manifest that is a list": (lambda value: value["values"].update({MANIFEST: []}), "damaged manifest"),
    "files that are a list": (put("files", [], MANIFEST), "damaged manifest"),
    "a record that leads out": (within(MANIFEST, lambda value: value["records"].append("../x")), OUT),
    "a record that is a number": (within(MANIFEST, lambda value: value["records"].append(1)), OUT),
    "an input that is a path": (put("inputs", {"a": {"identity": "../x", "content": None}}, MANIFEST), "not a SHA-256"),
    "no record": (lambda value: value["values"].pop(RECORD), DAMAGED),
    "a record without files": (put("files", None, RECORD), "a damaged record"),
    "a record of a file above": (record_of("../x"), OUT),
    "a record of a huge file": (record_of("x", 1e300), "not a size in bytes"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_an_entry_that_somebody_wrote_is_refused(store, case):
    change, message = REFUSED[case]
    rewrite_entry(place_of(store, entry_key(identity_of(store))), change)
    with pytest.raises(EntryRefused, match=message):
        store.entry(identity_of(store))


def test_an_entry_under_a_wrong_identity_is_refused(store, tmp_path):
    wrong = entry_of(make_artifact(tmp_path / "other", seed=2)).identity
    store.backend.create(entry_key(wrong), store.backend.read(entry_key(identity_of(store))))
    with pytest.raises(EntryRefused, match="it has another identity"):
        store.entry(wrong)


@pytest.mark.parametrize("text", ["[]", "1", json.dumps({"rule": 1}), "{" * 100_000, "[" * 100_000, ""])
def test_what_is_no_entry_is_refused(store, text):
    path = place_of(store, entry_key(identity_of(store)))
    path.chmod(0o644)
    path.write_text(text)
    with pytest.raises(EntryRefused):
        store.entry(identity_of(store))


def test_a_size_that_lies_is_refused_before_a_byte_is_copied(store, tmp_path):
    rewrite_entry(place_of(store, entry_key(identity_of(store))), state(bytes=10))
    entry = store.entry(identity_of(store))
    assert not store.is_whole(entry)
    with pytest.raises(EntryRefused, match="a file of an entry has another size"):
        store.pull(entry, tmp_path / "pulled")
    assert not (tmp_path / "pulled" / WEIGHTS).exists()


@pytest.mark.parametrize("make", [lambda path: path.symlink_to("/dev/zero"), os.mkfifo, lambda path: path.mkdir()])
def test_a_link_or_a_device_is_not_followed(store, tmp_path, make):
    entry = store.entry(identity_of(store))
    for key in (file_key(entry.files[WEIGHTS].sha256), entry_key(entry.identity)):
        place_of(store, key).unlink()
        make(place_of(store, key))
    assert not store.is_whole(entry)
    for use in (lambda: store.pull(entry, tmp_path / "pulled"), lambda: store.entry(entry.identity)):
        with pytest.raises(EntryRefused, match="no plain file"):
            use()
    assert not (tmp_path / "pulled" / WEIGHTS).exists()


def test_a_link_in_the_folder_of_the_job_is_not_followed(store, tmp_path):
    (tmp_path / "pulled/model").mkdir(parents=True)
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "pulled" / WEIGHTS).symlink_to(tmp_path / "mine")
    with pytest.raises(Exception, match=OUT):
        store.pull(store.entry(identity_of(store)), tmp_path / "pulled")
    assert (tmp_path / "mine").read_text() == "mine"


def test_a_huge_entry_is_not_read(store, monkeypatch):
    path = place_of(store, entry_key(identity_of(store)))
    path.chmod(0o644)
    os.truncate(path, 2**40)
    with pytest.raises(EntryRefused, match=f"too large for a file of this kind(.|\n)*{LARGEST_READ:,} bytes"):
        store.entry(identity_of(store))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_flipped_bit_is_refused_or_changes_nothing(store, tmp_path, data):
    """What comes out is the whole artifact, or a message and no manifest."""
    expected, identity = files_of(tmp_path / "job"), entry_of(tmp_path / "job").identity
    path = data.draw(st.sampled_from(sorted(path for path in Path(store.address).rglob("*") if path.is_file())))
    content = path.read_bytes()
    place, bit = data.draw(st.integers(0, len(content) - 1)), data.draw(st.integers(0, 7))
    path.chmod(0o644)
    path.write_bytes(content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :])
    pulled = tmp_path / f"pulled{len([*tmp_path.iterdir()])}"
    try:
        store.check()
        store.pull(store.entry(identity), pulled)
        assert files_of(pulled) == expected
    except (EntryRefused, StoreUnusable):
        assert not (pulled / MANIFEST).exists()
    finally:
        path.write_bytes(content)
