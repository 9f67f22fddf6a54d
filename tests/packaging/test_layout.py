"""tests/ mirrors the package: each folder of docmt has its tests, and each folder of tests its subject."""

import pytest
from helpers.support import ROOT

OTHER_SUBJECTS = {
    "benchmarks": "the comparison with other toolkits (`benchmarks/peers.py`), without the toolkits",
    "browser": "pages in a real browser",
    "borders": "bad settings, command lines, files, names and disks, at every place that meets them",
    "docs": "the pages of docs/, and the site that they make",
    "learning": "architectures learn tasks that need them",
    "packaging": "pins, style, layers, and what prose says of the code",
    "studies": "workflow/studies/",
    "workflow": "the Snakefile and workflow/rules/, by the real commands",
}
"""Folders of tests that are of no folder of the package, and what each is about."""

NO_TESTS = {"helpers"}


def with_files(folder: str, pattern: str) -> set[str]:
    """The folders within `folder` that have such files, at any depth."""
    return {path.relative_to(ROOT / folder).parts[0] for path in (ROOT / folder).glob(f"*/**/{pattern}")}


PACKAGE, TESTS = with_files("docmt", "*.py"), with_files("tests", "test_*.py")


@pytest.mark.parametrize("folder", sorted(PACKAGE))
def test_each_folder_of_the_package_has_its_tests(folder):
    assert folder in TESTS, f"docmt/{folder} has no tests/{folder} with a file test_*.py"


@pytest.mark.parametrize("folder", sorted(TESTS | with_files("tests", "*.py")))
def test_each_folder_of_tests_has_its_subject(folder):
    assert folder in PACKAGE | set(OTHER_SUBJECTS) | NO_TESTS, (
        f"tests/{folder} is of no folder of docmt: move it to the folder of its subject, or say in OTHER_SUBJECTS "
        "of tests/packaging/test_layout.py what it is about"
    )
