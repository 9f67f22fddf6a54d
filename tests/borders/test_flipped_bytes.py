"""Changed bytes in every kind of file under `results/`: a command that reads the file refuses it, or does what it does
with the whole file (`helpers/fuzz.py` says what counts).

DOCMT_FUZZ_SEED=2 pytest -m slow tests/borders/test_flipped_bytes.py      tries other places.
"""

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from helpers.byte_changes import Change
from helpers.fuzz import World, kind_of
from helpers.fuzz_project import make_base
from helpers.support import Project, environment
from helpers.zygote import Zygote

SEED = int(os.environ.get("DOCMT_FUZZ_SEED", "1"))

QUICK = (
    *("corpus", "downloads", "tokens", "views", "chain_segments", "resumed", "translate", "contrastive"),
    *("scores", "compare", "page", "docmt list-trainings", "docmt score"),
)
"""The rules and commands of which the normal suite runs the first."""
KINDS = {
    *(".arrow", ".json", ".jsonl", ".parquet", ".safetensors", "codes", "download", "vocabulary"),
    *("stop_words", "test.txt", "test.tok.txt", "manifest.json", "record.json", "job.json"),
    *("scratch.json", "scratch.pt"),
}
"""The kinds of files below `results/` that commands read; `scratch`: of a training that was stopped."""


@contextmanager
def a_world(demo: Project, programs: Path, folder: Path, rules: Collection[str] = ()) -> Iterator[World]:
    """A finished project with the commands that read its files, or with a command of each of the `rules`."""
    zygote = Zygote(programs / "zygote", folder, environment())
    try:
        world = World(folder / "base", folder / "farm", zygote, make_base(demo, folder / "base", zygote, rules))
        yield world
        world.check_base()
    finally:
        zygote.close()


def try_places(world: World, count: int) -> None:
    """Raise AssertionError with all places where a command does not do as it should."""
    places = list(world.places(count, SEED))
    assert {kind_of(place.file) for place in places} == KINDS
    defects = [(place, defect) for place in places if (defect := world.defect(place)) is not None]
    listed = "\n\n".join(f"{place}\n{defect}" for place, defect in defects)
    assert not defects, f"{len(defects)} of {count} places, DOCMT_FUZZ_SEED={SEED}\n\n{listed}"


def test_some_places(finished_demo, programs, tmp_path):
    with a_world(finished_demo, programs, tmp_path, QUICK) as world:
        try_places(world, 32)


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_two_thousand_places(finished_demo, programs, tmp_path):
    with a_world(finished_demo, programs, tmp_path) as world:
        try_places(world, 2000)


@pytest.mark.parametrize(
    ("change", "changed"),
    [
        (Change("flip", (1, 0)), b"acc"),
        (Change("cut", (1,)), b"a"),
        (Change("swap", (0, 1, 2)), b"bca"),
    ],
)
def test_changes(change, changed):
    assert change.of(b"abc") == changed
    assert len(Change("lengthen", (2, 0)).of(b"abc")) == 5
