"""Fixtures of the tests of commands."""

from pathlib import Path

import pytest


@pytest.fixture
def write(tmp_path):
    """Write lines to a file of the test's folder, and return its path."""

    def write(name: str, lines: list[str]) -> Path:
        (tmp_path / name).write_bytes("".join(line + "\n" for line in lines).encode())
        return tmp_path / name

    return write
