"""The programs of `helpers/forks.py`: each asks the server for a process, and ends with the status of that.

It runs without `site`, so that it starts in milliseconds, and imports nothing but the standard library.
"""

import json
import os
import socket
import sys


def main() -> None:
    """Pass on the command line, the folder, the environment and the three standard files."""
    place, *arguments = sys.argv[1:]
    # To import pathlib would take longer than all of the rest.
    request = {"arguments": arguments, "folder": os.getcwd(), "environment": dict(os.environ)}  # noqa: PTH109
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(place)
        socket.send_fds(connection, [b"\n"], [0, 1, 2])
        connection.sendall(json.dumps(request).encode())
        connection.shutdown(socket.SHUT_WR)
        status = connection.recv(16)
    # A process that has crashed sends none.
    sys.exit(int(status or b"1"))


if __name__ == "__main__":
    main()
