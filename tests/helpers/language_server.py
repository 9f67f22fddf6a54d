"""A client of yaml-language-server, which editors ask for completion and mistakes: LSP over stdio."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

VERSION = "1.25.0"
FOLDER = Path(sys.prefix) / "yaml-language-server"
INSTALL = ("npm", "install", "--silent", "--no-audit", "--no-fund", "--no-save", "--prefix", str(FOLDER))
PROGRAM = FOLDER / "node_modules" / "yaml-language-server" / "bin" / "yaml-language-server"


def need_program() -> None:
    """Install the server where it is missing; skip the test where npm cannot, and fail it in CI."""
    tell = pytest.fail if os.environ.get("CI") else pytest.skip
    if shutil.which("npm") is None or shutil.which("node") is None:
        tell("node and npm are not installed")
    if not PROGRAM.exists():
        done = subprocess.run(
            (*INSTALL, f"yaml-language-server@{VERSION}"), capture_output=True, text=True, timeout=300
        )
        if done.returncode:
            tell(f"npm cannot install yaml-language-server: {done.stderr[-500:]}")


class LanguageServer:
    """A running server with the files that an editor has opened."""

    def __init__(self, process: subprocess.Popen) -> None:
        self._process, self._number, self._mistakes = process, 0, {}
        self.ask("initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": CAPABILITIES})
        self.tell("initialized", {})
        self.tell("workspace/didChangeConfiguration", {"settings": SETTINGS})

    def open(self, path: Path, text: str) -> list[str]:
        """Open a file with a text that need not be on the disk, and return the mistakes that the server finds."""
        document = {"uri": path.as_uri(), "languageId": "yaml", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})
        while path.as_uri() not in self._mistakes:
            self._read()
        return [
            f"{mistake['range']['start']['line'] + 1}: {mistake['message']}"
            for mistake in self._mistakes[path.as_uri()]
        ]

    def completion(self, path: Path, line: int, character: int) -> dict[str, str]:
        """Return what can be written at a place, each label with its description; lines count from 1."""
        answer = self.ask("textDocument/completion", place(path, line, character))
        items = answer["items"] if isinstance(answer, dict) else answer
        return {item["label"]: text_of(item.get("documentation", "")) for item in items}

    def ask(self, method: str, params: dict) -> Any:
        """Send a request, and return its result."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            message = self._read()
            if message.get("id") == self._number and "method" not in message:
                assert "error" not in message, message["error"]
                return message["result"]

    def tell(self, method: str, params: dict) -> None:
        """Send a notification, which has no answer."""
        self._send({"method": method, "params": params})

    def _send(self, message: dict) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()

    def _read(self) -> dict:
        """Read a message; note the mistakes of files, and answer what the server asks."""
        length = 0
        while (line := self._process.stdout.readline().strip()) or not length:
            assert line or self._process.poll() is None, "the server has ended"
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        message = json.loads(self._process.stdout.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            self._mistakes[message["params"]["uri"]] = message["params"]["diagnostics"]
        elif "method" in message and "id" in message:
            result = [SETTINGS["yaml"]] + [{}] * 5 if message["method"] == "workspace/configuration" else None
            self._send({"id": message["id"], "result": result})
        return message


CAPABILITIES = {"textDocument": {"completion": {"completionItem": {"documentationFormat": ["plaintext"]}}}}
SETTINGS = {"yaml": {"validate": True, "completion": True, "schemaStore": {"enable": False}}}


def place(path: Path, line: int, character: int) -> dict:
    return {"textDocument": {"uri": path.as_uri()}, "position": {"line": line - 1, "character": character}}


def text_of(content: Any) -> str:
    return content if isinstance(content, str) else content["value"]


@contextmanager
def language_server() -> Iterator[LanguageServer]:
    """Run the server until the end of the block."""
    need_program()
    command = ["node", str(PROGRAM), "--stdio"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        try:
            yield LanguageServer(process)
        finally:
            process.kill()
