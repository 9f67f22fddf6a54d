"""`docmt list-results --verify`: any changed bit of any file is found, and the command that is named mends it."""

import hashlib
import json
import os
import random
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.byte_changes import Change
from helpers.command_line import invoke
from helpers.forks import programs_of_session
from helpers.support import run

from docmt.base.artifacts import write_json
from docmt.base.asked import Asked
from docmt.base.errors import UserError
from docmt.base.manifest import MANIFEST, RECORD, FileDigest, Manifest
from docmt.base.recipe import JOB
from docmt.provenance import verifying
from docmt.provenance.stated import CHANGED
from docmt.provenance.verifying import verify

SEEDS = range(3)


def files_of(root: Path) -> list[str]:
    """All files but recipes, which a person may edit."""
    files = (path for path in sorted((root / "results").rglob("*")) if path.is_file() and path.stat().st_size)
    return [path.relative_to(root).as_posix() for path in files if not path.name.endswith(JOB)]


def flip(path: Path, rng: random.Random) -> None:
    """Change one bit, as a disk does: size and time stay."""
    data, status = path.read_bytes(), path.stat()
    path.write_bytes(Change("flip", (rng.randrange(len(data)), rng.randrange(8))).of(data))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def kind_of(path: str) -> str:
    """The stage of a file, and the end of its name that says what it is."""
    _, stage, *_, name = path.split("/") if path.count("/") > 1 else ("", "", path)
    ends = [end for end in (MANIFEST, RECORD, "settings.json") if name.endswith(end)]
    ends += ["events"] if name.startswith("events.") else []  # the rest of the name is the time of the training
    return f"{stage} {ends[0] if ends else name.partition('.')[2]}"


@pytest.mark.parametrize("seed", SEEDS)
def test_one_bit_in_every_file_of_a_finished_run_is_found(finished_demo, tmp_path, seed):
    rng, files = random.Random(seed), files_of(finished_demo.root)
    stating = [[path for path in files if path.endswith(end)] for end in (MANIFEST, RECORD)]
    assert len({*map(kind_of, files)}) > 40
    # Where a manifest or a record is damaged, nobody knows the digests of the files that it lists.
    for changed in ([path for path in files if not path.endswith((MANIFEST, RECORD))], *stating):
        root = tmp_path / str(len(changed))
        shutil.copytree(finished_demo.root / "results", root / "results", symlinks=True)
        assert verify(root) == verifying.Verified(len(files), sum_of(root, files), (), ())
        for path in changed:
            flip(root / path, rng)
        assert [file.path for file in verify(root).damaged] == changed


def sum_of(root: Path, files: list[str]) -> int:
    return sum((root / path).stat().st_size for path in files)


@pytest.mark.slow
def test_what_is_damaged_is_mended_by_the_command_that_is_named(demo, monkeypatch):
    """A file of each kind, one after the other; trainings are made again, too."""
    rng, programs = random.Random(1), programs_of_session()
    monkeypatch.setenv("PATH", os.pathsep.join([str(programs), os.environ["PATH"]]))
    for kind in dict.fromkeys(kind_of(path).split(" ")[1] for path in reversed(files_of(demo.root))):
        path = next(path for path in reversed(files_of(demo.root)) if kind_of(path).split(" ")[1] == kind)
        flip(demo.root / path, rng)
        (file,) = verify(demo.root).damaged
        assert file.path == path
        run(["sh", "-c", file.mend], cwd=demo.root, check=True)
        assert verify(demo.root).damaged == (), path


@pytest.mark.slow
def test_pages_and_tables_are_mended_together(demo, monkeypatch):
    """What people read, in one run: the commands of a few files, without their order."""
    folder = "results/8_report/smoke/demo"
    paths = [f"{folder}/{name}" for name in ("index.html", "quality.csv", "learning.svg", "latent.parquet")]
    paths += ["results/report@smoke.html", "results/7_scores/smoke/toy_zh-en/han/seed1/scores.json"]
    for path in paths:
        flip(demo.root / path, random.Random(2))
    commands = [file.mend.split(" && ") for file in verify(demo.root, paths).damaged]
    for remove, _ in commands:
        run(["sh", "-c", remove], cwd=demo.root, check=True)
    targets = [target.split()[3] for _, target in commands]
    demo.snakemake("--cores", "2", *targets, "--config", "scale=smoke", check=True)
    assert verify(demo.root).damaged == ()


@pytest.fixture
def root(tmp_path) -> Path:
    """A folder with the outputs of one job: a page with its record and its settings."""
    folder = tmp_path / "results/8_report/paper/study"
    files = {"index.html": b"<p>1", "settings.json": Asked("report", {"study": "study"}).text().encode()}
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    digests = {name: FileDigest.of(folder / name) for name in files}
    write_json(folder / MANIFEST, Manifest("1" * 64, "report", files=digests).to_json())
    return tmp_path


PAGE = "results/8_report/paper/study/index.html"


def problems(root: Path, *places: str) -> dict[str, str]:
    return {file.path: file.problem for file in verify(root, places).damaged}


def test_the_message_says_what_differs_and_how_it_is_mended(root):
    (root / PAGE).write_bytes(b"<p>2")
    (file,) = verify(root).damaged
    assert file.problem.startswith("sha256 ") and file.problem.endswith(f"as {Path(PAGE).parent}/manifest.json states")
    target = f"{Path(PAGE).parent}/manifest.json"
    assert file.mend == f"rm {PAGE} && snakemake --cores 1 {target} --config scale=paper"


def test_missing_files_are_named(root):
    (root / PAGE).unlink()
    assert problems(root) == {PAGE: "it is missing, or no plain file"}


def test_a_pipe_is_no_file(root):
    (root / PAGE).unlink()
    os.mkfifo(root / PAGE)
    assert problems(root) == {PAGE: "it is missing, or no plain file"}


def test_a_link_to_its_own_folder_is_followed_once(root):
    (root / "results/again").symlink_to(root / "results")
    assert verify(root).files == 3


def test_settings_may_ask_for_something_else_than_the_outputs_were_made_from(root):
    path = root / Path(PAGE).with_name("settings.json")
    path.write_text(Asked("report", {"study": "other"}).text())
    assert problems(root) == {}
    path.write_text(path.read_text().replace("other", "Other"))
    assert problems(root) == {path.relative_to(root).as_posix(): CHANGED}
    path.write_text("{}")  # a person's, which the manifest does not state
    assert problems(root) == {path.relative_to(root).as_posix(): CHANGED}
    path.unlink()
    assert problems(root) == {}


def test_another_spelling_of_a_number_is_another_byte(root):
    path = root / Path(PAGE).with_name(MANIFEST)
    path.write_text(path.read_text().replace("\n", "\n "))
    assert problems(root) == {path.relative_to(root).as_posix(): CHANGED}


def test_outputs_that_are_set_aside_are_read_too(root):
    aside = root / "results/aside" / ("1" * 64) / "files"
    aside.parent.mkdir(parents=True)
    (root / Path(PAGE).parent).rename(aside)
    assert verify(root).files == 3
    (aside / "index.html").write_bytes(b"<p>2")
    (file,) = verify(root).damaged
    assert file.mend == f"rm -r results/aside/{'1' * 64}"


def test_what_a_job_writes_meanwhile_is_not_called_damaged(root, monkeypatch):
    def replaced(self, tell) -> dict[str, str]:
        (root / PAGE).with_name(MANIFEST).unlink()
        return {PAGE: "sha256"}

    monkeypatch.setattr(verifying.Reader, "problems", replaced)
    assert problems(root) == {}


def downloads(root: Path) -> Path:
    """Two downloads: of one docmt has left a note, the other was put there by a person, and the card states it."""
    corpus = root / "results/1_corpus/mine"
    folder = corpus / "downloads"
    folder.mkdir(parents=True)
    (folder / "a.txt").write_bytes(b"a\n")
    (folder / "b.txt").write_bytes(b"b\r\n")
    sha256 = hashlib.sha256(b"a\n").hexdigest()
    write_json(folder / ".a.txt.source.json", {"source": "https://example.org", "sha256": sha256})
    of_lines = f"git_blob:{hashlib.sha1(b'blob 2' + bytes(1) + b'b' + bytes([10])).hexdigest()}"
    write_json(corpus / "card.json", {"files": [{"name": "b.txt", "digest": of_lines}]})
    write_json(corpus / "settings.json", {"files": [{"name": "b.txt", "line_ends": "lf"}]})
    return folder


@pytest.mark.parametrize("name", ["a.txt", "b.txt"])
def test_downloads_are_compared_with_their_note_or_with_the_card(tmp_path, name):
    folder = downloads(tmp_path)
    assert problems(tmp_path) == {} and verify(tmp_path).files == 2
    (folder / name).write_bytes(b"x\r\n")
    (file,) = verify(tmp_path).damaged
    path = f"results/1_corpus/mine/downloads/{name}"
    assert (file.path, file.mend) == (path, f"rm {path} && snakemake --cores 1 {path}")


SCALES = {
    "results/1_corpus/ted_zh-en/manifest.json": None,
    "results/1_corpus/ted_zh-en@smoke/manifest.json": "smoke",
    "results/0_models/bert@smoke/manifest.json": "smoke",
    "results/7_scores/paper/ted_zh-en/han@study/seed1/manifest.json": "paper",
    "results/report.manifest.json": "paper",
    "results/report@smoke.manifest.json": "smoke",
}


@pytest.mark.parametrize("path", SCALES)
def test_the_command_has_the_scale_of_the_path(path):
    assert verifying.scale_of(path) == SCALES[path]


def test_what_nothing_states_is_counted_and_named(root):
    (root / "results/notes.txt").write_text("mine")
    result = invoke("list-results", "--verify", "--root", root)
    assert result.exit_code == 0 and result.stdout.splitlines() == [
        "read 3 files, 0.0 MB: every byte is right",
        "not checked, since nothing states their digest: 1 (results/notes.txt)",
    ]


def test_the_command_ends_with_1_where_a_file_is_damaged_and_has_it_as_json(root):
    (root / PAGE).write_bytes(b"<p>2")
    result = invoke("list-results", "--verify", "--root", root, "--json")
    printed = json.loads(result.stdout)
    assert result.exit_code == 1 and [file["path"] for file in printed["damaged"]] == [PAGE]
    assert (printed["files"], printed["unlisted"]) == (3, [])
    assert invoke("list-results", "--verify", "--root", root, "results/8_report/paper").exit_code == 1
    other = f"{Path(PAGE).parent}/settings.json"
    assert invoke("list-results", "--verify", "--root", root, other).stdout.startswith("read 1 files")


@pytest.mark.parametrize("place", ["results/none", "config.yaml", "/", "results/../other"])
def test_places_elsewhere_are_refused(root, place):
    with pytest.raises(UserError, match="no file or folder below results/"):
        invoke("list-results", "--verify", "--root", root, place)


def test_a_line_a_second_says_how_far_it_is(root, monkeypatch):
    monkeypatch.setattr(verifying, "PROGRESS_S", 0.01)
    monkeypatch.setattr(verifying.Reader, "_sha256", lambda *_: time.sleep(0.05) or "")
    lines: Iterator[str] = iter(invoke("list-results", "--verify", "--root", root).stderr.splitlines())
    assert next(lines).startswith("docmt: read 0% of 0.0 MB, ")
