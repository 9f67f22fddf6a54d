"""Object stores on the loopback: moto and s3rver for S3, fake-gcs-server or another emulator for Google's."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import requests

from docmt.base.parent import signal_at_parents_end

BUCKET = "bucket"
SECRET = "S3RVER"
"""The key of s3rver, and its secret; moto takes any."""
SECONDS = 30
"""The time in which a server must answer."""


@dataclass
class ObjectServer:
    """A server of objects, whose bucket is empty at its start unless `keeps` and it ran in the same folder before."""

    kind: str
    folder: Path
    url: str = ""
    process: subprocess.Popen | None = field(default=None, repr=False)

    @property
    def address(self) -> str:
        return f"{'gs' if self.kind == 'gcs' else 's3'}://{BUCKET}/of/docmt"

    def variables(self) -> dict[str, str]:
        """The environment of clients."""
        names = {"AWS_ACCESS_KEY_ID": SECRET, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_DEFAULT_REGION": "us-east-1"}
        of_google = {"STORAGE_EMULATOR_HOST": self.url, "NO_GCE_CHECK": "true"}
        return names | of_google | {"AWS_ENDPOINT_URL": self.url, "AWS_MAX_ATTEMPTS": "1"}

    def start(self) -> None:
        port = int(self.url.rpartition(":")[2]) if self.url else free_port()
        self.url = f"http://127.0.0.1:{port}"
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                COMMANDS[self.kind](self.folder, port),
                stdout=log,
                stderr=log,
                preexec_fn=lambda: signal_at_parents_end(signal.SIGKILL),
            )
        self.wait()
        if self.kind == "moto":
            requests.put(f"{self.url}/{BUCKET}", timeout=SECONDS).raise_for_status()
        elif self.kind == "gcs":
            requests.post(f"{self.url}/storage/v1/b?project=p", json={"name": BUCKET}, timeout=SECONDS)

    def wait(self) -> None:
        latest = time.monotonic() + SECONDS
        while time.monotonic() < latest and self.process.poll() is None:
            with suppress(OSError), socket.create_connection(("127.0.0.1", int(self.url.rpartition(":")[2]))):
                return
            time.sleep(0.02)
        pytest.fail(f"{self.kind} does not start: {(self.folder / 'server.log').read_text()}")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def object_server(kind: str, folder: Path) -> Iterator[ObjectServer]:
    """Run a server with a bucket; it ends with the block, and with this process."""
    server = ObjectServer(kind, folder)
    server.start()
    try:
        yield server
    finally:
        server.kill()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def moto(folder: Path, port: int) -> list[str]:
    return [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]


def s3rver(folder: Path, port: int) -> list[str]:
    program = Path(sys.prefix) / "s3rver" / "node_modules" / ".bin" / "s3rver"
    if not program.exists() or shutil.which("node") is None:
        tell = pytest.fail if os.environ.get("CI") else pytest.skip
        tell(f"s3rver is not installed: npm install --no-save --prefix {sys.prefix}/s3rver s3rver@3.7.1")
    (folder / "objects").mkdir(exist_ok=True)
    options = ["-d", str(folder / "objects"), "-a", "127.0.0.1", "-p", str(port), "--configure-bucket", BUCKET]
    return [str(program), *options]


def gcs(folder: Path, port: int) -> list[str]:
    """The program fake-gcs-server, where FAKE_GCS_SERVER is its path, else the emulator in Python."""
    (folder / "objects").mkdir(exist_ok=True)
    if program := os.environ.get("FAKE_GCS_SERVER"):
        place = ["-scheme", "http", "-host", "127.0.0.1", "-port", str(port), "-public-host", f"127.0.0.1:{port}"]
        return [program, *place, "-filesystem-root", str(folder / "objects")]
    command = [sys.executable, "-m", "gcp_storage_emulator", "-d", str(folder / "objects"), "start"]
    return [*command, "-H", "127.0.0.1", "--port", str(port)]


COMMANDS: dict[str, Callable[[Path, int], list[str]]] = {"moto": moto, "s3rver": s3rver, "gcs": gcs}
