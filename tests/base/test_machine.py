"""Facts about the machine and the software that ran a job."""

import os
import platform
import subprocess
from datetime import UTC, datetime

import pyarrow
import pytest
from helpers.support import ROOT

from docmt.base import machine
from docmt.base.version import VERSION


def test_the_time_is_that_of_utc_in_seconds():
    before = datetime.now(UTC).replace(microsecond=0)
    assert before <= datetime.fromisoformat(machine.now()) <= datetime.now(UTC)


def test_the_commit_is_that_of_the_checkout():
    head = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True)
    assert machine.commit() == (head.stdout.strip() if head.returncode == 0 else None)


@pytest.mark.parametrize("script", [None, "exit 128"], ids=["no git", "no checkout"])
def test_without_a_checkout_there_is_no_commit(tmp_path, monkeypatch, script):
    if script:
        (tmp_path / "git").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert machine.commit() is None


def test_versions_are_those_of_docmt_python_and_libraries():
    assert machine.versions(["pyarrow", "no-such-library"]) == {
        "docmt": VERSION,
        "python": platform.python_version(),
        "pyarrow": pyarrow.__version__,
        "no-such-library": "missing",
    }


def test_the_hardware_is_what_this_process_may_use(monkeypatch):
    before = os.sched_getaffinity(0)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5})
    facts = machine.hardware()
    assert facts["cores"] == 3 and before
    assert facts["memory_mib"] * machine.MIB <= os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert "host" not in facts and facts["processor"] == machine.processor()


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("processor: 0\nmodel name\t: Some CPU @ 2:1 GHz\n\nprocessor: 1\nmodel name: other\n", "Some CPU @ 2:1 GHz"),
        ("model name\t: A CPU\nflags\t\t: fpu avx2 sha_ni\n", "A CPU (AVX2)"),
        ("model name\t: A CPU\nflags\t\t: fpu avx2 avx512f avx512_bf16\n", "A CPU (AVX-512 with bf16)"),
        ("processor: 0\n", platform.machine()),
        (None, platform.machine()),
    ],
    ids=["named", "AVX2", "the fastest instructions", "not named", "no such file"],
)
def test_the_processor_is_that_of_the_system_or_the_kind_of_machine(monkeypatch, lines, expected):
    def read_text(path, encoding):
        if lines is None:
            raise FileNotFoundError(path)
        return lines

    monkeypatch.setattr(machine.Path, "read_text", read_text)
    assert machine.processor() == expected
