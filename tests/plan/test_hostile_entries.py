"""A member with write access to a store can give other numbers, and nothing else: no file of the user's is touched."""

import hashlib
import json
import re
import shutil
from contextlib import suppress
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from helpers.stored import resealed
from helpers.support import Project

from docmt.grid.grid import load_grid
from docmt.plan.driver import plan_run, targets_of
from docmt.plan.planning import Planner
from docmt.plan.stored import stored_for
from docmt.store.addresses import open_store
from docmt.store.backend import EntryRefused
from docmt.store.chosen import all_entries, entries_of
from docmt.store.signing import sign
from docmt.store.store import file_key

CANARY = b"import os; os.system('touch /tmp/canary')\n"
SHA256 = hashlib.sha256(CANARY).hexdigest()
KEY = Ed25519PrivateKey.from_private_bytes(b"1" * 32)
PUBLIC = KEY.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()


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
    """Let the manifest list a further name among the files whose digests are in the record: a move takes it along."""

    def change(manifest, record):
        manifest["records"].append(name)

    return change


def with_fact(key: str, value: object):
    def change(manifest, record):
        record[key] = value

    return change


OUT, OTHER = "leads out of its folder", "a file that its job does not write"
WITHOUT_KEYS = {
    "a Snakefile above": ("scores", with_file("../../../../../../Snakefile"), OUT),
    "an absolute Snakefile": ("scores", with_file("/tmp/Snakefile"), OUT),
    "a config that a move takes out of the project": ("scores", with_record("../../../../../../config.yaml"), OUT),
    "an absolute record": ("translate", with_record("/etc/hostname"), OUT),
    "a file of the record above": ("train", with_event("../seed2/model/model.json"), OUT),
    "a name with a backslash": ("scores", with_file("..\\Snakefile"), OUT),
    "a name with a zero byte": ("scores", with_file("scores.json\0.html"), OUT),
    "a name that is empty": ("scores", with_file(""), OUT),
    "the folder itself": ("scores", with_file("."), OUT),
    "a name with two slashes": ("train", with_file("model//model.json"), OUT),
    "another job's output": ("translate", with_file("contrastive.arrow"), OTHER),
    "another job's manifest": ("translate", with_file("contrastive.manifest.json"), OTHER),
    "code beside a model": ("train", with_file("modeling.py"), OTHER),
    "a hidden file": ("scores", with_file(".snakemake/scripts/x.py"), OTHER),
    "a page among scores": ("scores", with_file("index.html"), OTHER),
    "a recipe, whose hints name programs": ("scores", with_file("job.json"), OTHER),
    "a page among events": ("train", with_event("index.html"), OTHER),
    "a download": ("corpus", with_file("downloads/corpus.tgz"), OTHER),
    "a record of another file": ("scores", with_record("x.py"), "a record of a file that is not there"),
    "a time that is a text": ("train", with_fact("device_hours", "1e9; rm -rf ~"), "not a time"),
    "a time that is no number": ("scores", with_fact("seconds", float("nan")), "not a time"),
    "a time without end": ("train", with_fact("device_hours", float("inf")), "not a time"),
    "a time before the begin": ("scores", with_fact("seconds", -1), "not a time"),
}
WITH_KEYS = {
    "a Snakefile beside the results": ("demo_report", with_file("../Snakefile"), OUT),
    "a config that a move takes away": ("demo_report", with_record("../config.yaml"), OUT),
    "a model among the results": ("demo_report", with_file("5_training/smoke/x/y/seed1/model/model.json"), OTHER),
    "the grid of jobs in a queue": ("demo_report", with_file("frozen_grid.json"), OTHER),
    "what is to be pushed": ("demo_report", with_record("to_push.json"), "a record of a file that"),
    "another item's page": ("item", with_file("other.html"), OTHER),
    "a script of a report": ("report", with_file("x.js"), OTHER),
}


def snapshot(root: Path, results: Path) -> dict[str, bytes | str]:
    """All files and links below a folder, without the results."""
    paths = [path for path in root.rglob("*") if not path.is_relative_to(results)]
    links = {str(path): str(path.readlink()) for path in paths if path.is_symlink()}
    return links | {str(path): path.read_bytes() for path in paths if path.is_file() and not path.is_symlink()}


def attack(store: Path, rule: str, change) -> str:
    """Change the first entry of a rule, as somebody does who writes right digests; return its identity."""
    for path in sorted((store / "entries").rglob("*")):
        if path.is_file() and json.loads(path.read_text())["rule"] == rule:
            break
    place = store / file_key(SHA256)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(CANARY)

    def in_entry(value):
        name = value["manifest"]
        names = {"manifest": name, "record": name.replace("manifest", "record")}
        values = {key: json.loads(value["texts"][name]) for key, name in names.items()}
        change(values["manifest"], values["record"])
        for key, name in names.items():
            value["texts"][name] = resealed(json.dumps(values[key]), lambda _: None)

    path.chmod(0o644)
    path.write_text(resealed(path.read_text(), in_entry))
    return path.name


CASES = [(case, signed) for signed in (False, True) for case in (WITHOUT_KEYS | WITH_KEYS if signed else WITHOUT_KEYS)]


@pytest.mark.parametrize(("case", "signed"), CASES)
def test_a_hostile_entry_is_refused_and_touches_nothing(second: Project, full_store: Path, tmp_path, case, signed):
    rule, change, message = (WITHOUT_KEYS | WITH_KEYS)[case]
    store = Path(shutil.copytree(full_store, tmp_path / "store"))
    identity = attack(store, rule, change)
    settings = {"store": str(store)}
    if signed:  # by somebody who has the key and believes the entry, where it can be read
        opened = open_store(str(store))
        for name in all_entries(opened):
            with suppress(EntryRefused):
                sign(opened.backend, entries_of(opened, [name]), KEY)
        settings["store_keys"] = str(tmp_path / "keys")
        (tmp_path / "keys").write_text(f"ann {PUBLIC}\n")
    before = snapshot(tmp_path, second.root / "results")
    grid, lines = load_grid(second.root, settings), list[str]()
    planner = Planner(grid, second.root, stored_for(grid))
    every = planner.closure(targets_of(planner, ["demo"]))
    job = next(job for job in every if planner.identities.identity(job) == identity)
    plan = plan_run(planner, [job.manifest], lambda other: False, False, lines.append)
    assert job in plan.reasons and not (second.root / job.manifest).exists()
    assert snapshot(tmp_path, second.root / "results") == before
    assert not any(path.read_bytes() == CANARY for path in second.root.rglob("*") if path.is_file())
    (line,) = [line for line in lines if line.startswith("not used from the store")]
    assert re.search(message, line)
