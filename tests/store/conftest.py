"""A store in a folder, an artifact, and actions in processes of their own."""

import os
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.stored import make_artifact, new_store

from docmt.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path / "store")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of an artifact."""
    return make_artifact(tmp_path / "job")


@pytest.fixture
def started() -> Callable[[Callable[[], object]], int]:
    """Start an action in a child process, and return the number of the process."""

    def start(action: Callable[[], object]) -> int:
        if child := os.fork():
            return child
        status = 1
        try:
            action()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)

    return start


@pytest.fixture
def in_child(started) -> Callable[[Callable[[], object]], int]:
    """Run an action in a child process, and return how it ended."""
    return lambda action: os.waitpid(started(action), 0)[1]
