"""Files of other people are opened, unpacked and moved where what they state is checked, and nowhere else."""

import re

import pytest
from helpers.support import ROOT

CALLS = {
    "torch.load": re.compile(r"\btorch\.load\("),
    "load_file": re.compile(r"(?<!torch\.)\bload_file\("),
    "pickle": re.compile(r"\b(pickle|marshal|joblib|np|numpy)\.loads?\("),
    "extractall": re.compile(r"\b(extractall|unpack_archive)\("),
    "move": re.compile(r"\bshutil\.move\("),
    "copytree": re.compile(r"\bcopytree\("),
}
"""The calls that write, run or allocate what a file says."""
PLACES = {
    ("models/weights.py", "torch.load"): "after a look through the pickle; its storages are mapped from the file",
    ("models/weights.py", "load_file"): "the library checks all sizes against the file's; its weights are checked then",
    ("cli/init.py", "copytree"): "the files are those of docmt's own clone",
    ("provenance/reproducing.py", "copytree"): "the folder was written by docmt, file by file, under checked names",
}
"""The places that may have such calls, and why."""


def calls_in(text: str) -> set[str]:
    """The names of the calls in a text."""
    return {name for name, pattern in CALLS.items() if pattern.search(text)}


def test_calls_that_do_what_a_file_says_are_in_their_places():
    package = ROOT / "docmt"
    calls = {
        (path.relative_to(package).as_posix(), name)
        for path in package.rglob("*.py")
        for name in calls_in(path.read_text(encoding="utf-8"))
    }
    assert calls == set(PLACES)


@pytest.mark.parametrize("call", ["torch.load(f)", "zipped.extractall(a)", "shutil.move(a, b)", "pickle.loads(b)"])
def test_calls_are_recognised(call):
    assert calls_in(f"    x = {call}")
