"""Lines of jobs that share a terminal stay whole."""

import os
import socket
import subprocess
import sys

import pytest


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_line_is_one_write(unbuffered):
    """Also where Python keeps nothing back, as in most containers: a packet is what one write gives."""
    reader, writer = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    code = "from docmt.cli.lines import say; say('update 3'); say('update 6')"
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with reader, writer:
        subprocess.run([sys.executable, "-c", code], stderr=writer, env=environment, check=True)
        assert [reader.recv(100) for _ in range(2)] == [b"update 3\n", b"update 6\n"]
