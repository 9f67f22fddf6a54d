"""The environments of the peers: below a folder, one for each, beside the torch that docmt uses.

An environment has the packages of its peer alone. All others, torch with them, come from the environment that runs this
program, so that the toolkits differ in nothing but themselves. docmt's search through CTranslate2 runs in the
environment of CTranslate2, an extra that the first command of the project's README.md does not install.
"""

import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from peers.job import Job
from peers.measuring import JobFailed


@dataclass(frozen=True)
class Peer:
    """A toolkit to install: its packages at their versions, and what pip is told."""

    name: str
    title: str
    packages: tuple[str, ...]
    with_dependencies: tuple[str, ...] = ()
    """Packages whose dependencies are installed too, unless the shared environment has them."""
    installer: str = "pip"
    variables: tuple[tuple[str, str], ...] = ()
    imports: str = ""
    """A module whose import shows that the toolkit can run."""


FAIRSEQ = Peer(
    "fairseq",
    "fairseq 0.12.2",
    (
        "fairseq==0.12.2",
        "omegaconf==2.0.6",
        "hydra-core==1.0.7",
        "antlr4-python3-runtime==4.8",
        "bitarray==3.12.3",
    ),
    # For its converter of fairseq's checkpoints.
    with_dependencies=("ctranslate2",),
    # The description of omegaconf 2.0.6 is one that later versions of pip refuse.
    installer="pip<24.1",
    # Without its extensions, whose C++ files the package of the index lacks.
    variables=(("READTHEDOCS", "1"),),
    imports="peers.toolkits.fairseq",
)
OPENNMT = Peer(
    "opennmt",
    "OpenNMT-py 3.5.1",
    ("OpenNMT-py==3.5.1",),
    (
        "pyonmttok==1.37.1",
        "spacy==3.8.18",
        "pyahocorasick==2.3.1",
        "rapidfuzz==3.14.6",
        "fasttext-wheel==0.9.2",
    ),
    imports="onmt.bin.train",
)
CTRANSLATE2 = Peer(
    "ctranslate2", "CTranslate2 4.8.5", (), ("ctranslate2",), imports="ctranslate2, docmt.exporting.ct2_engine"
)
PEERS = (FAIRSEQ, OPENNMT, CTRANSLATE2)


@dataclass(frozen=True)
class Environments:
    """The pythons that run jobs, by toolkit, and the reason for each peer that could not be installed."""

    pythons: dict[str, Path]
    skipped: dict[str, str]

    def python(self, job: Job) -> Path:
        """Return the python of the engine that a job names, else of its toolkit. Raises `JobFailed` where none is."""
        name = job.options.get("engine", job.toolkit)
        if name not in self.pythons:
            raise JobFailed(f"{job.toolkit} {job.task} needs {name}, which could not be installed")
        return self.pythons[name]


def install(folder: Path, say: Callable[[str], None], peers: tuple[Peer, ...] = PEERS) -> Environments:
    """Install each peer whose packages are not there; one that cannot be installed is skipped, with the reason."""
    pythons, skipped = {"docmt": Path(sys.executable)}, {}
    for peer in peers:
        python = folder / peer.name / "bin" / "python"
        done = folder / peer.name / "installed.txt"
        packages = "".join(f"{line}\n" for line in (*peer.packages, *peer.with_dependencies))
        try:
            if not done.exists() or done.read_text() != packages:
                say(f"installing {peer.title} in {folder / peer.name}")
                install_peer(folder / peer.name, peer)
                done.write_text(packages)
            pythons[peer.name] = python
        except subprocess.CalledProcessError as problem:
            skipped[peer.title] = last_line(problem.stderr) or str(problem)
            say(f"{peer.title} is skipped: {skipped[peer.title]}")
    return Environments(pythons, skipped)


def install_peer(folder: Path, peer: Peer) -> None:
    """Make the environment, install the packages, and import the toolkit. Raises `CalledProcessError`."""
    python = folder / "bin" / "python"
    call([sys.executable, "-m", "venv", "--clear", str(folder)])
    # Python looks there for what the environment lacks, and reads the files of paths there: docmt is installed by one.
    shared = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n"
    (own_packages(folder) / "shared.pth").write_text(shared)
    pins = Path(__file__).parents[2] / "pins.txt"
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    call([*install, peer.installer])
    if peer.packages:
        call([*install, "--no-deps", *peer.packages], dict(peer.variables))
    if peer.with_dependencies:
        call([*install, "-c", str(pins), *peer.with_dependencies])
    call([str(python), "-c", f"import {peer.imports}"], {"PYTHONPATH": str(Path(__file__).parents[1])})


def own_packages(folder: Path) -> Path:
    return next(folder.glob("lib/python*/site-packages"))


def call(command: list[str], variables: dict[str, str] | None = None) -> None:
    environment = {**os.environ, **(variables or {})}
    subprocess.run(command, env=environment, capture_output=True, text=True, check=True)


def last_line(text: str) -> str:
    """Return the last line that names an error, or else the last line that says something, shortened."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and "[notice]" not in line]
    named = [line for line in lines if re.match(r"([\w.]*(Error|Failure)|ERROR): ", line)]
    return (named or lines or [""])[-1][:200]
