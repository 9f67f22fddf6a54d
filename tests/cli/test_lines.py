"""Lines of trainings that run together and share the screen stay whole."""

import os
import subprocess
import sys

import pytest

TRAINING = """
from docmt.training.live import training_progress
shown = training_progress(None)
shown.note("update 3")
shown.note("update 6")
"""


@pytest.mark.some(1)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_line_is_one_write(unbuffered):
    """Also where Python keeps nothing back, as in most containers: a packet of a pipe is what one write gives."""
    reader, writer = os.pipe2(os.O_DIRECT)
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    subprocess.run([sys.executable, "-c", TRAINING], stderr=writer, env=environment, check=True)
    assert [os.read(reader, 100) for _ in range(2)] == [b"update 3\n", b"update 6\n"]
    os.close(reader)
    os.close(writer)
