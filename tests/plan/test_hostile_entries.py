"""A member with write access to a store can give other numbers, and nothing else: no file of the user's is touched."""

import hashlib
import json
import re
from contextlib import chdir
from pathlib import Path

import pytest
from helpers.planted import plan_of
from helpers.stored import reseal, rewrite_entry, write_key

from docmt.base.manifest import MANIFEST, RECORD
from docmt.plan.links import jobs_of_target
from docmt.steps import get_step
from docmt.store.backend import EntryRefused
from docmt.store.contents import rows_of_store
from docmt.store.signatures import AllowedKey, Signatures, sign
from docmt.store.store import REFUSED, fetch, file_key, open_store

CANARY = b"import os; os.system('touch /tmp/canary')\n"
SHA256 = hashlib.sha256(CANARY).hexdigest()


def with_file(name: str):
    """Let the manifest list a further file, whose bytes are in the store."""

    def change(manifest, record):
        manifest["files"][name] = {"sha256": SHA256, "bytes": len(CANARY)}

    return change


def with_event(name: str):
    """Let the record list a further file, whose bytes are in the store."""

    def change(manifest, record):
        record["files"][name] = {"sha256": SHA256, "bytes": len(CANARY)}

    return change


def with_record(name: str):
    """Let the manifest list a further name among the files whose digests are in the record."""

    def change(manifest, record):
        manifest["records"].append(name)

    return change


def with_fact(key: str, value: object):
    def change(manifest, record):
        record[key] = value

    return change


OUT, OTHER = "leads out of its folder", "a file that its step does not write"
CASES = {
    "a Snakefile above": ("scores", with_file("../../../../../../Snakefile"), OUT),
    "an absolute Snakefile": ("scores", with_file("/tmp/Snakefile"), OUT),
    "a config above": ("scores", with_record("../../../../../../config.yaml"), OUT),
    "an absolute record": ("translate", with_record("/etc/hostname"), OUT),
    "a file of the record above": ("train", with_event("../seed2/model/model.json"), OUT),
    "a name with a backslash": ("scores", with_file("..\\Snakefile"), OUT),
    "a name with a zero byte": ("scores", with_file("scores.json\0.html"), OUT),
    "a name that is empty": ("scores", with_file(""), OUT),
    "the folder itself": ("scores", with_file("."), OUT),
    "a name with two slashes": ("train", with_file("model//model.json"), OUT),
    "another job's output": ("translate", with_file("contrastive.arrow"), OTHER),
    "code beside a model": ("train", with_file("modeling.py"), OTHER),
    "a hidden file": ("scores", with_file(".snakemake/scripts/x.py"), OTHER),
    "a page among scores": ("scores", with_file("index.html"), OTHER),
    "a recipe, whose hints name programs": ("scores", with_file("job.json"), OTHER),
    "a page among events": ("train", with_event("index.html"), OTHER),
    "a download": ("corpus", with_file("downloads/corpus.tgz"), OTHER),
    "another recipe": ("page", with_file("job.json"), OTHER),
    "the lease of the job": ("page", with_file("process.json"), OTHER),
    "the note of a refusal": ("page", with_file(REFUSED), OTHER),
    "the state of a training": ("train", with_file("scratch/run.json"), OTHER),
    "a file of a folder that pages lack": ("page", with_file("scratch/x.json"), OTHER),
    "a script of a page": ("page", with_file("x.js"), OTHER),
    "a record of another file": ("scores", with_record("x.py"), "a record of a file that is not there"),
    "a time that is a text": ("train", with_fact("device_hours", "1e9; rm -rf ~"), "not a time"),
    "a time that is no number": ("scores", with_fact("seconds", float("nan")), "not a time"),
    "a time without end": ("train", with_fact("device_hours", float("inf")), "not a time"),
    "a time before the begin": ("scores", with_fact("seconds", -1), "not a time"),
}


def snapshot(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def attack(store: Path, step: str, change) -> str:
    """Change the first entry of a step, as somebody does who writes right digests; return its identity."""
    for path in sorted((store / "entries").rglob("*")):
        if path.is_file() and json.loads(path.read_text())["asked"]["step"] == step:
            break
    place = store / file_key(SHA256)
    place.write_bytes(CANARY)

    def in_entry(value):
        values = [value["values"][name] for name in (MANIFEST, RECORD)]
        change(*values)
        for part in values:
            reseal(part, lambda _: None)

    rewrite_entry(path, in_entry)
    return path.name


SIGNED = ("an absolute Snakefile", "a script of a page", "a record of another file", "a time that is no number")
"""The cases that somebody signs too: what is refused does not depend on it."""


@pytest.mark.parametrize(("case", "is_signed"), [(case, False) for case in CASES] + [(case, True) for case in SIGNED])
def test_a_hostile_entry_is_refused_and_touches_nothing(second, full_store, tmp_path, case, is_signed):
    step, change, message = CASES[case]
    identity = attack(full_store, step, change)
    store = open_store(str(full_store))
    if is_signed:  # by somebody who has the key and believes the entry, where it can be read
        write_key(key := tmp_path / "id")
        for row in rows_of_store(store):
            if row.entry is not None:
                signed = sign(store.backend, [row.entry], key)
        store.trusted = Signatures(store.backend, [AllowedKey("ann", signed.signer)])
    with chdir(second.root):
        plan = plan_of(second.root)
        every = plan.closure(jobs_of_target(plan, "one"))
        recipe = next(recipe for job in every if (recipe := plan.recipe(job)).identity == identity)
        recipe.write()
        before = snapshot(tmp_path)
        with pytest.raises(EntryRefused, match=message):
            fetch(recipe, get_step(step).can_write, store)
    note = second.root / recipe.folder / REFUSED
    assert re.search(message, json.loads(note.read_text())["problem"])
    note.unlink()
    assert snapshot(tmp_path) == before
