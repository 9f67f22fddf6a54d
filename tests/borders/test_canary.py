"""A real run whose server, machine and user have known names: afterwards no file and no output has any of them."""

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.guarded_server import Guarded, guarded
from helpers.support import SMOKE, Project, small_demo

LOGIN, TOKEN = "c4n4ry-login", "c4n4ry-token"
MACHINE, USER, HOME = "c4n4ry-machine", "c4n4ry-user", "c4n4ry-home"
PAGE = "results/8_report/tiny/mine/quality.html"
OF_SYSTEM = f"""
import os, platform, pwd, socket
uname, entry = os.uname(), pwd.getpwuid(os.getuid())
os.uname = lambda: os.uname_result((uname[0], "{MACHINE}", *uname[2:]))
socket.gethostname = platform.node = lambda: "{MACHINE}"
pwd.getpwuid = lambda uid: pwd.struct_passwd(("{USER}", *entry[1:]))
"""
"""What each Python of the run does first: its system gives the names of the test."""
TALKS = "document\tsource\ttarget\n" + "".join(
    f"d{talk}\tdas ist Satz {talk} {line} .\tthis is sentence {talk} {line} .\n"
    for talk in range(12)
    for line in range(4)
)
OWNERS = ("store ls", "store du")
"""The commands that tell whose files are in a store, as the file system says."""


def write_study(project: Project, url: str, store: Path) -> None:
    smoke, folder = project.read(SMOKE), "workflow/corpora/talks_de-en.yaml"
    project.write("workflow/scales/tiny.yaml", {"about": "a", **{k: smoke[k] for k in ("model", "train", "decode")}})
    facts = {"licence": "l", "citation": "c", "about": "a", "source_language": "de", "target_language": "en"}
    sources = [f"{url}/{place}/talks.tsv" for place in ("odd", "private", "signed")]
    splits = {"splits": {"train": "talks.tsv"}, "held_out": {"dev": {"first": 2}, "test": {"first": 2}}}
    files = [{"name": "talks.tsv", "sources": sources}]
    reader = {"kind": "table", **splits}
    project.write(
        folder, {"corpus": "talks_de-en", **facts, "passing_on": "everything", "files": files, "reader": reader}
    )
    del facts["source_language"], facts["target_language"]
    checkpoint = {"set": "set", "kind": "checkpoint", **facts, "folder": "models/set", "files": files}
    project.write("workflow/downloads/set.yaml", checkpoint)
    model = {"view": {"window": 1}, "text": "few", "model": {"embeddings": "target"}, "train": {"max_updates": 4}}
    table = {"title": "T", "metrics": ["s-BLEU"], "rows": [{"system": "sentence"}]}
    study = {"study": "mine", "title": "A", "corpora": ["talks_de-en"]}
    project.write("mine.yaml", {**study, "systems": {"sentence": model}, "tables": {"quality": table}})
    project.edit("config.yaml", "texts/few", {"bpe": "separate", "vocabulary": "separate", "merges": 40})
    values = {"studies": ["mine.yaml"], "scale": "tiny", "mirror": f"{url}/page", "hosts": {"huggingface.co": url}}
    for key, value in {**values, "store": str(store)}.items():
        project.edit("config.yaml", key, value)


@pytest.fixture
def site() -> Iterator[Guarded]:
    with guarded(LOGIN, TOKEN, {"/talks.tsv": TALKS.encode()}) as site:
        yield site


def names_in(folder: Path, names: tuple[str, ...]) -> set[tuple[str, str]]:
    """The files below a folder whose path or bytes have a name."""
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return {(file, name) for file, data in files.items() for name in names if name.encode() in data + file.encode()}


@pytest.mark.slow
def test_no_secret_and_no_name_of_machine_and_user_is_kept(site, tmp_path):
    home, store, custom = tmp_path / HOME, tmp_path / "store", tmp_path / "custom"
    for folder in (home, store, custom):
        folder.mkdir()
    (custom / "sitecustomize.py").write_text(OF_SYSTEM)
    site.netrc(home)
    project = small_demo(home / "project")
    write_study(project, site.url, store)
    names = {"HOME": str(home), "LOGNAME": USER, "USER": USER, "OMP_NUM_THREADS": "1", "NETRC": str(home / ".netrc")}
    paths = os.pathsep.join((str(custom), os.environ.get("PYTHONPATH", "")))
    environment = {**os.environ, **names, "PYTHONPATH": paths}

    def said(command: str, status: int = 0) -> str:
        program, *words = command.split()
        line = [str(Path(sys.executable).with_name(program)), *words]
        done = subprocess.run(line, cwd=project.root, env=environment, capture_output=True, text=True)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    run = said(f"snakemake --cores 2 {PAGE}")
    assert site.asked_elsewhere and site.leaked == [] and f"pushed to {store}: 8 artifacts" in run
    fine = [
        "preflight mine",
        f"why {PAGE}",
        "status",
        "list-results",
        "store ls",
        "store du",
        "fetch-files set",
    ]
    outputs = {command: said(f"docmt {command}") for command in [*fine, f"write-crate {PAGE} --output ../crate.zip"]}
    outputs["fetch"] = said("docmt fetch-files set --output other --mirror http://127.0.0.1:1 --config hosts={}")
    with zipfile.ZipFile(home / "crate.zip") as crate:
        crate.extractall(tmp_path / "crate")

    everything = run + "".join(outputs.values())
    assert LOGIN not in everything and TOKEN not in everything
    assert not [name for name, text in outputs.items() if MACHINE in text or (USER in text and name not in OWNERS)]
    (home / ".netrc").unlink()
    shutil.rmtree(custom)
    assert names_in(tmp_path, (LOGIN, TOKEN)) == set()
    # Snakemake's own log has the machine, the user and paths; it is in no crate and no store.
    for log in (project.root / ".snakemake/log").iterdir():
        log.unlink()
    assert names_in(tmp_path, (MACHINE, USER)) == set()
    assert names_in(store, (HOME,)) | names_in(tmp_path / "crate", (HOME,)) == set()
    assert names_in(project.root / "results", (HOME,)) == {("frozen_grid.json", HOME)}, "for jobs of this folder alone"
