"""A program `docmt` for the jobs of a workflow whose processes are forks of one that has imported all libraries.

To import torch and what training needs of it takes most of the time of a job on a small corpus. Snakemake, the rules
and their command lines are the real ones. The jobs are no children of Snakemake, so that tests of signals and of the
ends of processes use the real program.

python -m helpers.forks SOCKET is the server.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from helpers.zygote import command, import_all

from docmt.base.parent import signal_at_parents_end

CLIENT = Path(__file__).with_name("fork_client.py")
READY = "ready\n"


@contextmanager
def forks(package: Path) -> Iterator[Path]:
    """Yield a folder of programs: `docmt`, and the `python` and `snakemake` of a workflow whose jobs are forks.

    `package` is the folder that has `docmt`. The jobs run this package as it is when the server starts.
    """
    with tempfile.TemporaryDirectory(prefix="forks") as name:
        place = Path(name) / "socket"
        programs = write_programs(Path(name), place)
        server = start(package, place)
        try:
            yield programs
        finally:
            server.terminate()
            server.communicate()


def write_programs(folder: Path, place: Path) -> Path:
    """Write the programs, and return their folder.

    Jobs find `docmt` beside the Python of Snakemake; so the folder is an environment with the same packages.
    """
    programs = folder / "bin"
    programs.mkdir()
    (programs / "python").symlink_to(sys.executable)
    (folder / "lib").symlink_to(Path(sys.prefix) / "lib")
    if (Path(sys.prefix) / "pyvenv.cfg").exists():
        shutil.copy(Path(sys.prefix) / "pyvenv.cfg", folder)
    lines = {
        "docmt": f'"{sys.executable}" -IS "{CLIENT}" "{place}"',
        "snakemake": f'"{programs}/python" -m snakemake',
    }
    for name, line in lines.items():
        (programs / name).write_text(f'#!/bin/sh\nexec {line} "$@"\n')
        (programs / name).chmod(0o755)
    return programs


def start(package: Path, place: Path) -> subprocess.Popen:
    """Start the server, and wait until it has imported everything."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(package), str(CLIENT.parents[1]))),
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
    }
    command_line = [sys.executable, "-P", "-m", "helpers.forks", str(place)]
    server = subprocess.Popen(command_line, env=environment, stdout=subprocess.PIPE, text=True)
    assert server.stdout.readline() == READY
    return server


def serve(place: str) -> None:
    """Fork a process for each connection, until a signal ends this one."""
    signal_at_parents_end(signal.SIGTERM)
    import_all()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(place)
        listener.listen()
        # Nobody waits for the forks here: the system forgets them when they end.
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        print(READY, end="", flush=True)
        while True:
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                obey(connection)
            connection.close()


def obey(connection: socket.socket) -> None:
    """Run the command line that the client sends, and end this process."""
    status = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        take_over(connection)
        status = run()
        sys.stdout.flush()
        sys.stderr.flush()
        connection.sendall(str(status).encode())
    finally:
        # No code of the server may run in the fork, whatever happens.
        os._exit(status)


def take_over(connection: socket.socket) -> None:
    """Become what the client is: its standard files, folder, environment and command line."""
    _, handles, _, _ = socket.recv_fds(connection, 1, 3)
    for target, handle in enumerate(handles):
        os.dup2(handle, target)
        os.close(handle)
    with connection.makefile() as stream:
        request = json.loads(stream.read())
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = request["arguments"]
    # Commands wait for the disk after each file, against power cuts, which do not come here.
    os.fsync = lambda handle: None


def run() -> int:
    """Run `docmt`, and return its exit status."""
    try:
        command(sys.argv)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    serve(sys.argv[1])
