"""Programs (`PROGRAMS`), such as `snakemake` and `docmt`, whose processes are forks of one that has imported all
libraries.

To import torch and what training needs of it takes most of the time of a job on a small corpus, and to import Snakemake
most of the time of a plan. The code of both, the rules and their command lines are the real ones. The forks are no
children of those who call them, so that tests of signals and of the ends of processes use the real programs.

python -m helpers.forks SOCKET is the server.
"""

import gc
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

from helpers.exit_status import status_of
from helpers.zygote import answer_all, command, import_all

from docmt.base.parent import signal_at_parents_end

CLIENT = Path(__file__).with_name("fork_client.py")
ROOT = CLIENT.parents[2]
SOCKET = "socket"
OF_SNAKEMAKE = ("snakemake.cli", "snakemake.report.html_reporter", "smart_open", "yte")
"""What Snakemake imports, most of it inside a function."""
_servers = ExitStack()


@contextmanager
def forks(package: Path) -> Iterator[Path]:
    """Yield a folder of programs: `docmt` and `snakemake`, and the `python` beside which its jobs find this `docmt`.

    `package` is the folder that has `docmt`. The programs run this package as it is when the server starts.
    """
    with programs_of(package, fork_of(programs_of_session().parent, "server", package)) as programs:
        yield programs


@contextmanager
def programs_of(package: Path, server: Sequence[Path | str]) -> Iterator[Path]:
    """Yield the programs of a package, with the command line of its server but for the place of its socket."""
    with tempfile.TemporaryDirectory(prefix="forks") as name:
        programs = write_programs(Path(name))
        process, number = start(package, [*server, Path(name) / SOCKET])
        try:
            yield programs
        finally:
            os.kill(number, signal.SIGTERM)
            process.communicate()


@cache
def programs_of_session() -> Path:
    """Return the programs of this package, whose server starts now and ends at `end_session`."""
    return _servers.enter_context(programs_of(ROOT, [sys.executable, "-P", "-m", "helpers.forks"]))


def end_session() -> None:
    """End the server of `programs_of_session`."""
    _servers.close()


def fork_of(folder: Path, *arguments: Path | str) -> list[Path | str]:
    """Return the beginning of a command line that a fork of the server of this folder obeys."""
    return [sys.executable, "-IS", CLIENT, folder / SOCKET, *arguments]


def snakemake(programs: Path, python: Path | str) -> list[Path | str]:
    """Return the beginning of a command line of Snakemake as a fork; its jobs find `docmt` beside `python`."""
    return fork_of(programs.parent, "snakemake", python)


def write_programs(folder: Path) -> Path:
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
        "docmt": fork_of(folder, "docmt"),
        "snakemake": snakemake(programs, programs / "python"),
        "zygote": fork_of(folder, "zygote"),
        "launcher": fork_of(folder, "launcher"),
    }
    for name, line in lines.items():
        (programs / name).write_text(f'#!/bin/sh\nexec {shlex.join(map(str, line))} "$@"\n')
        (programs / name).chmod(0o755)
    return programs


def start(package: Path, command_line: Sequence[Path | str]) -> tuple[subprocess.Popen, int]:
    """Start a server, and wait until it has imported everything; the second value is the process id of the server."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(package), str(CLIENT.parents[1]))),
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
    }
    process = subprocess.Popen(command_line, env=environment, stdout=subprocess.PIPE, text=True)
    return process, int(process.stdout.readline())


def serve_other(arguments: list[str]) -> None:
    """Serve the package of another folder, in a fork that has its libraries, but nothing of this package."""
    package, place = arguments
    for name in [name for name in sys.modules if name.partition(".")[0] == "docmt"]:
        del sys.modules[name]
    sys.path[:] = [package, *(path for path in sys.path if path != str(ROOT))]
    serve(place)


def serve(place: str) -> None:
    """Fork a process for each connection, until a signal ends this one; print its process id when it can begin."""
    signal_at_parents_end(signal.SIGTERM)
    import_all()
    import_workflow()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(place)
        listener.listen()
        # Nobody waits for the forks here: the system forgets them when they end.
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        print(os.getpid(), flush=True)
        while True:
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                obey(connection)
            connection.close()


def import_workflow() -> None:
    """Import what Snakemake and the rules need."""
    import docmt

    modules = [module.name for module in walk_packages(docmt.__path__, "docmt.")]
    for name in (*OF_SNAKEMAKE, *modules):
        with suppress(ModuleNotFoundError):
            import_module(name)
    gc.collect()
    gc.freeze()


def obey(connection: socket.socket) -> None:
    """Run the command line that the client sends, and end this process."""
    status = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal_at_parents_end(signal.SIGTERM)
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
    """Run the program that the first word of the command line names, and return its exit status."""
    program, *arguments = sys.argv
    return status_of(lambda: PROGRAMS[program](arguments))


def run_workflow(arguments: list[str]) -> None:
    """Run Snakemake; the first argument is the Python beside which its jobs find `docmt`."""
    from snakemake.cli import main

    sys.executable, *rest = arguments
    sys.argv = ["snakemake", *rest]
    main()


def run_launcher(arguments: list[str]) -> None:
    """Run the launcher of a node."""
    from helpers.node_launcher import launcher

    launcher(arguments)


PROGRAMS = {
    "docmt": command,
    "launcher": run_launcher,
    "snakemake": run_workflow,
    "zygote": lambda arguments: answer_all(),
    "server": serve_other,
}


if __name__ == "__main__":
    serve(sys.argv[1])
