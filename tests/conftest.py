"""Fixtures that all tests share."""

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.every_kind import with_every_kind
from helpers.forks import end_session, programs_of_session
from helpers.planted import at
from helpers.small_grid import small_project
from helpers.support import ROOT, Project, copy_project, shared_folder, small_demo
from hypothesis import settings
from jaxtyping import config, install_import_hook

# Before torch counts the cores: workers of one run would fight for them.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Commands that tests start compile the package once, not each of them anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Started in the background, a shell has it ignored, and so would every process that a test starts and interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples every time, and no limit on their time: machines that run tests are busy.
settings.register_profile("docmt", deadline=None, derandomize=True)
settings.load_profile("docmt")

# The shapes that stand in signatures are checked here and nowhere else: see `checked_shapes`.
install_import_hook(["docmt.nn", "docmt.models"], "beartype.beartype")
SHAPES_CHECKED = (
    "nn",
    *(f"models/test_{name}.py" for name in ("shapes", "padding", "pretrained")),
    "decoding/test_inside.py",
    *(f"search/test_{name}.py" for name in ("forced", "prefixes")),
)
"""Of tests/: together these call all that states a shape, and every case of the table of architectures. Elsewhere the
checks would take half to three quarters of the time."""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    _mark_slow(items)
    yield
    # One worker makes the demo first of all, and what reads it comes last: no worker waits for it.
    items.sort(key=_reads_demo)
    first = next((number for number, item in enumerate(items) if _reads_demo(item)), 0)
    items[:] = [*items[first : first + 1], *items[:first], *items[first + 1 :]]


def _reads_demo(item: pytest.Item) -> bool:
    return "finished_demo" in getattr(item, "fixturenames", ())


def _mark_slow(items: list[pytest.Item]) -> None:
    """Of a test with the mark `some`, as many cases as it says are left fast, evenly spread; the others are slow."""
    by_test: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("some") and not item.get_closest_marker("slow"):
            by_test.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for cases in by_test.values():
        (count,) = cases[0].get_closest_marker("some").args
        fast = {number * len(cases) // count for number in range(count)}
        for number, case in enumerate(cases):
            if number not in fast:
                case.add_marker(pytest.mark.slow)


@pytest.fixture(scope="module", autouse=True)
def checked_shapes(request) -> None:
    checked = any(request.path.is_relative_to(ROOT / "tests" / place) for place in SHAPES_CHECKED)
    config.update("jaxtyping_disable", not checked)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real corpora and reference outputs; tests that need it skip where it is absent."""
    folder = Path(os.environ.get("DOCMT_SHARED", ROOT.parent / "shared"))
    if not folder.is_dir():
        pytest.skip(f"needs the shared material, which is not at {folder} (set DOCMT_SHARED)")
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return copy_project(tmp_path / "project")


@pytest.fixture
def small(tmp_path: Path) -> Project:
    """A project of the fewest files: what planning reads."""
    return small_project(tmp_path)


@pytest.fixture
def full(small: Project) -> Project:
    """The same with an item of every kind."""
    return with_every_kind(small)


@pytest.fixture(scope="session")
def programs() -> Path:
    """The programs of a workflow whose jobs start in milliseconds: `helpers/forks.py`."""
    return programs_of_session()


@pytest.fixture(scope="session", autouse=True)
def _servers_end() -> Iterator[None]:
    yield
    end_session()


@pytest.fixture(scope="session")
def finished_demo(tmp_path_factory, request) -> Project:
    """The demo at smoke scale on a small toy corpus, made by the real workflow, once for all workers of a run."""
    with shared_folder(tmp_path_factory, "demo") as root:
        project = Project(root)
        if not root.exists():
            small_demo(root)
            # A worker that only waits for the demo needs no programs.
            project.snakemake("--cores", "2", check=True, programs=request.getfixturevalue("programs"))
    return project


@pytest.fixture
def demo(finished_demo, tmp_path) -> Project:
    """A copy of the finished demo that a test may change."""
    shutil.copytree(finished_demo.root, tmp_path / "copy", symlinks=True)
    return Project(tmp_path / "copy")


@pytest.fixture(scope="session")
def example_model(finished_demo) -> Path:
    """The folder of a small trained model, Chinese to English."""
    return finished_demo.root / at(finished_demo, "5_training/toy_zh-en/sentence/seed1")


@pytest.fixture(scope="session")
def example_bert(tmp_path_factory) -> Path:
    """A small random BERT with its next-sentence head."""
    from helpers.checkpoints import reference_model, write_checkpoint
    from helpers.pieces import write_tokenizer

    folder = tmp_path_factory.mktemp("models") / "bert"
    write_tokenizer("bert", folder)
    return write_checkpoint(reference_model("bert", 150), folder)
