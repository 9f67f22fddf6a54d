"""Remedies of stores, carried out."""

import subprocess
from pathlib import Path

from helpers.command_line import succeed
from helpers.remedies import Action, carried, refused
from helpers.remedies_of_plans import Room, config_of
from helpers.stored import entry_of, make_artifact, new_store

from docmt.store.addresses import open_store
from docmt.store.collecting import remove_garbage
from docmt.store.pins import remove_pin, set_pin
from docmt.store.refusals import unusable
from docmt.store.signing import read_key


@carried("store/signing.py", "to make a key: ssh-keygen -t ed25519")
def no_key(room: Room):
    path = room.folder / "id"
    path.write_text("no key\n")

    def run_of_it():
        path.unlink()
        command = str(refused_once.remedy).removeprefix("to make a key: ").split()
        subprocess.run([*command, "-q", "-N", "", "-f", str(path)], check=True)
        read_key(path, str)

    refused_once = refused(lambda: read_key(path, str))
    return lambda: read_key(path, str), run_of_it


def with_artifact(room: Room) -> tuple[Path, str]:
    store, folder = new_store(room.folder / "store"), make_artifact(room.folder / "job")
    store.push(entry_of(folder), folder)
    return room.folder / "store", entry_of(folder).identity


def of_store(room: Room, *words: object) -> Action:
    """A command on the store of the room."""
    options = ["--root", room.project.root, "--config", f"store={room.folder / 'store'}"]
    return lambda: succeed("store", *words, *options)


@carried("store/pins.py", "docmt store ls lists what is pinned")
def no_pin(room: Room):
    _, identity = with_artifact(room)
    backend = open_store(str(room.folder / "store")).backend

    def listed():
        set_pin(backend, identity, "a paper")
        assert identity[:8] in of_store(room, "ls")().stdout
        remove_pin(backend, identity)

    return lambda: remove_pin(backend, identity), listed


@carried("store/collecting.py", "push the artifact again, or remove the pin: docmt store pin --remove {}")
def a_damaged_artifact_that_is_pinned(room: Room):
    folder, identity = with_artifact(room)
    store = open_store(str(folder))
    set_pin(store.backend, identity, "a paper")
    (entry,) = (
        path for path in folder.rglob("*") if path.is_file() and identity in path.name and "pins" not in str(path)
    )
    entry.chmod(0o644)
    entry.write_text("{")
    gone = lambda: remove_garbage(open_store(str(folder)), 0)  # noqa: E731

    def removed():
        words = str(refused(gone).remedy).split("docmt store ")[1].split()
        of_store(room, *words)()
        gone()

    return gone, removed


@carried(
    "store/folder.py",
    "name a store that can be used (`store` in config.yaml), or go on without one: --config store_mode=off",
)
def a_store_that_is_a_file(room: Room):
    (room.folder / "store").touch()
    (room.folder / "other").mkdir()
    check = lambda folder: open_store(str(folder)).check()  # noqa: E731

    def without():
        problem = refused(lambda: check(room.folder / "store"))
        assert not room.grid(store=str(room.folder / "store"), **config_of(str(problem.remedy))).pulls

    return lambda: check(room.folder / "store"), lambda: check(room.folder / "other"), without


@carried(
    "store/folder.py",
    "name a store that can be used (`store` in config.yaml), or go on without one: --config store_mode=off; "
    "to begin a store: mkdir {}",
)
def a_store_that_is_not_there(room: Room):
    check = lambda: open_store(str(room.folder / "store")).check()  # noqa: E731

    def begun():
        subprocess.run(str(refused(check).remedy).split("to begin a store: ")[1].split(), check=True)
        check()

    return check, begun


@carried("store/store.py", "name an empty folder, or a store (`store` in config.yaml)")
def a_store_with_other_files(room: Room):
    for name in ("full", "empty"):
        (room.folder / name).mkdir()
    (room.folder / "full/notes").touch()
    new_store(room.folder / "begun")
    check = lambda name: lambda: open_store(str(room.folder / name)).check()  # noqa: E731
    return check("full"), check("empty"), check("begun")


@carried("store/store.py", "use another store (`store` in config.yaml)")
def a_damaged_store(room: Room):
    for name in ("damaged", "other"):
        new_store(room.folder / name)
    head = room.folder / "damaged/docmt-store.json"
    head.chmod(0o644)
    head.write_text("[")
    check = lambda name: lambda: open_store(str(room.folder / name)).check()  # noqa: E731
    return check("damaged"), check("other")


GO_ON = "name a store that can be used (`store` in config.yaml), or go on without one: --config store_mode=off"


@carried("store/refusals.py", GO_ON)
def a_bucket_that_refuses(room: Room):
    def use(**config) -> None:
        grid = room.grid(store="s3://bucket/path", **config)
        if grid.pulls or grid.pushes:
            raise unusable(RuntimeError("an answer that nobody knows"), "s3://bucket/path")

    return use, lambda: use(**config_of(str(refused(use).remedy)))
