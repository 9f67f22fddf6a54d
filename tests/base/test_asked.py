"""What was asked of a job: its identity, and settings.json, which nobody changes by hand."""

import dataclasses
import json

import pytest
from helpers.damage import changes, refused_changes
from helpers.sealed import rewrite
from hypothesis import given
from hypothesis import strategies as st

from docmt.base.artifacts import write_json
from docmt.base.asked import Asked, read_asked, read_settings
from docmt.base.digests import FileDigest, indented_json
from docmt.base.errors import UserError
from docmt.base.machine import installed_version
from docmt.base.manifest import MANIFEST, Manifest, sealed

ASKED = Asked(
    "views",
    {"version": 3, "view": {"window": 2, "max_tokens": None}},
    {"tokens": "1" * 64, "words": "2" * 64},
    {"stop_list": "3" * 64},
    {"pyarrow": installed_version("pyarrow")},
)
OTHERS = [
    {"job": "chains"},
    {"settings": {**ASKED.settings, "version": 4}},
    {"settings": {**ASKED.settings, "view": {"window": 3, "max_tokens": None}}},
    {"inputs": {**ASKED.inputs, "tokens": "2" * 64}},
    {"inputs": {"tokens": ASKED.inputs["words"], "words": ASKED.inputs["tokens"]}},
    {"inputs": {"tokens": "1" * 64}},
    {"files": {"stop_list": "4" * 64}},
    {"files": {"other": "3" * 64}},
    {"files": {}},
    {"libraries": {"pyarrow": "0"}},
    {"libraries": {}},
]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "settings.json"
    path.write_text(ASKED.text(), encoding="utf-8")
    return path


def test_each_thing_that_was_asked_is_a_part_of_the_identity():
    identities = {dataclasses.replace(ASKED, **other).identity for other in OTHERS}
    assert len(identities - {ASKED.identity, None}) == len(OTHERS)


@given(st.data())
def test_the_identity_does_not_depend_on_the_order_of_keys(data):
    def shuffled(value: object) -> object:
        if not isinstance(value, dict):
            return value
        return {key: shuffled(value[key]) for key in data.draw(st.permutations(sorted(value)))}

    fields = {name: shuffled(value) for name, value in vars(ASKED).items() if name != "identity"}
    assert Asked(**fields).identity == ASKED.identity
    assert Asked(**fields).text() == ASKED.text()


@pytest.mark.parametrize("unknown", [{"inputs": {"tokens": None}}, {"files": {"stop_list": None}}], ids=str)
def test_nothing_has_an_identity_before_its_inputs_have_theirs(unknown):
    assert dataclasses.replace(ASKED, **unknown).identity is None


def test_settings_are_read_as_they_were_written(path):
    assert read_asked(path) == ASKED
    assert read_asked(path).identity == ASKED.identity
    assert read_settings(path, "version") == ASKED.settings


def test_numbers_as_keys_change_no_identity(path):
    asked = dataclasses.replace(ASKED, settings={"bins": {9: "a", 10: "b"}})
    path.write_text(asked.text(), encoding="utf-8")
    assert read_asked(path).identity == asked.identity


def test_each_changed_byte_is_noticed(path):
    """Also a space: the manifest of the outputs has the digest of the file."""
    assert refused_changes(path, lambda: read_asked(path)) == len([*changes(path.read_bytes())])


def test_settings_that_were_changed_by_hand_are_refused(path):
    value = json.loads(path.read_text())
    rewrite(path, indented_json({**value, "version": 4}).encode())
    with pytest.raises(UserError) as refused:
        read_settings(path)
    head, facts, remedy = str(refused.value).splitlines()
    assert head == f"{path}: the file was changed after docmt wrote it"
    assert facts.endswith(f"; expected {value['digest'][:12]}")
    assert remedy.startswith("  settings come from config.yaml and the studies: change them there, delete this file")


def test_settings_of_a_person_are_settings_alone(path):
    write_json(path, {"version": 1})
    assert read_asked(path) == Asked("", {"version": 1})
    with pytest.raises(
        UserError, match=r"settings\.json: keys are missing\n  found no view; expected an object with version, view"
    ):
        read_settings(path, "version", "view")


def test_settings_of_the_next_run_may_differ_from_those_that_the_manifest_lists(path):
    """A person changes them and runs the command again; the workflow writes them before the job."""
    for text in ('{"version": 1}\n', ASKED.text()):
        rewrite(path, text.encode())
        files = {path.name: FileDigest.of(path)}
        write_json(path.with_name(MANIFEST), Manifest(None, "views", files=files).to_json())
        rewrite(path, b'{"version": 2}\n')
        assert read_settings(path) == {"version": 2}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[1]", "the JSON is not an object"),
        (b"{", "not a JSON file"),
        (b'{"a": "\xff"}', "not valid UTF-8"),
        (indented_json(sealed({"asked": {"colour": 1}})).encode(), "not the settings of a job"),
        (b'{"asked": {}, "version": "\\ud800", "digest": ""}', "not the settings of a job"),
        (None, "file not found"),
    ],
)
def test_what_is_no_settings_is_refused(path, content, message):
    path.unlink() if content is None else rewrite(path, content)
    with pytest.raises(UserError, match=rf"settings\.json(:1)?: {message}"):
        read_asked(path)


@pytest.mark.parametrize(("name", "expected"), [("pyarrow", "0.1"), ("no-such-library", "2")])
def test_a_library_of_another_version_is_refused(name, expected):
    ASKED.check_libraries()
    with pytest.raises(UserError) as refused:
        Asked("views", {}, libraries={name: expected}).check_libraries()
    assert str(refused.value).splitlines() == [
        "this Python's environment: another version of a library than planned",
        f"  found {name} {installed_version(name)}; expected {name} {expected}",
        "  install the same versions for snakemake and for its jobs; in docmt's clone: pip install -c pins.txt -e '.'",
    ]
