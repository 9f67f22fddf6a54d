"""The sets of files beside corpora: what their files in workflow/downloads may say."""

import re
from pathlib import Path

import pytest
import yaml
from helpers.whole_grid import whole_grid

from docmt.base.errors import UserError
from docmt.catalogue.filesets import FOLDER, load_file_sets

ROOT = Path(__file__).parents[2]
SETS = load_file_sets(ROOT)
GOOD = {
    "set": "mine",
    "kind": "checkpoint",
    "about": "a",
    "licence": "l",
    "citation": "c",
    "folder": "models/mine",
    "files": [{"name": "a", "sources": ["https://example.org/a"]}],
}


def load(root: Path, **change: object) -> None:
    folder = root / FOLDER
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text(yaml.safe_dump({**GOOD, **change}))
    load_file_sets(root)


def test_a_set_is_read(tmp_path):
    load(tmp_path)
    assert load_file_sets(tmp_path)["mine"].bytes == 0
    assert load_file_sets(tmp_path / "nothing") == {}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"set": "other"}, "the set is not named as its file\n  found other; expected mine"),
        ({"set": "a/b"}, "value not allowed"),
        ({"kind": "model"}, "unknown name"),
        ({"folder": ""}, "folder: value not allowed"),
        ({"gigabytes": -1.0}, "expected 0 or more"),
        ({"files": [{"name": "a"}, {"name": "a"}]}, "found ['a']; expected each file once"),
    ],
)
def test_what_a_set_may_not_say(tmp_path, change, message):
    with pytest.raises(UserError, match=re.escape(message)):
        load(tmp_path, **change)


@pytest.mark.parametrize("name", SETS)
def test_every_file_has_an_address_with_its_grade(name):
    for file in SETS[name].files:
        assert file.sources and all(source.grade in ("A", "B", "C") for source in file.sources), file.name
        assert all(source.grade != "A" or file.digest for source in file.sources), file.name
    assert SETS[name].gigabytes > 0


def test_every_checkpoint_of_the_studies_is_a_set():
    grid = whole_grid()
    folders = {folder for entry in grid.entries for folder in grid.checkpoints_for(entry)}
    assert folders and folders <= {files.folder for files in SETS.values() if files.kind == "checkpoint"}


def test_no_set_has_the_name_of_a_corpus():
    """Both have keys of the form name/file in the lock file."""
    assert not SETS.keys() & whole_grid().corpora.keys()
