"""A file that is damaged, cut, of another shape, missing, or a folder: every command that reads it says so in one
message with the file's name, ends with status 2, and leaves nothing half-written.

These are files that people bring, and the recipe of a job; `test_flipped_bytes.py` changes what the stages leave.
"""

import gzip
import io
import shutil
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.damage import check_message, content_of, damaged, told
from helpers.fairseq_files import FairseqTraining
from helpers.recipes import write_recipe

from docmt.base.manifest import MANIFEST
from docmt.base.recipe import JOB
from docmt.cli.main import main

WORDS = ("the cat sat", "", "the dog ran home", "the cat ran")
CORPUS = "corpus: own\nabout: mine\nsource_language: fr\ntarget_language: en\nlicence: none\ncitation: none\n"


def write_plain(folder: Path) -> None:
    """Files that a user brings."""
    folder.mkdir()
    text = "".join(f"{line}\n" for line in WORDS)
    for name in ("hyp.txt", "ref.txt", "src.txt"):
        (folder / name).write_text(text)
    links = "".join(" ".join(f"{n}-{n}" for n in range(len(line.split()))) + "\n" for line in WORDS)
    for name in ("links.txt", "gold.txt"):
        (folder / name).write_text(links)
    (folder / "docs.txt").write_text("a\na\nb\nb\n")
    (folder / "stop.txt").write_text("the\n")
    (folder / "vectors.txt").write_text("2 2\nthe 0.1 0.2\ncat 0.3 0.1\n")
    (folder / "table.tsv").write_text("source\ttarget\tdocument\n" + "un chat\ta cat\td1\n" * 30)
    (folder / "table.jsonl").write_text('{"source": "un chat", "target": "a cat", "document": "d1"}\n' * 31)
    write_parquet_table(folder / "table.parquet")
    write_archives(folder)
    for name in ("text.gz", "pack.tgz", "pack.zip"):
        reader = {"kind": "lines", "splits": {"train": {"source": "a.fr", "target": "a.en"}}}
        write_corpus_job(folder, name, reader)
    FairseqTraining(folder, {})


def write_parquet_table(path: Path) -> None:
    pq.write_table(
        pa.table({"source": ["un"] * 500, "target": ["a"] * 500, "document": list(map(str, range(500)))}), path
    )


def write_archives(folder: Path) -> None:
    texts = {name: (f"{name} line\n" * 400).encode() for name in ("a.fr", "a.en")}
    (folder / "a.fr.gz").write_bytes(gzip.compress(texts["a.fr"]))
    (folder / "a.en.gz").write_bytes(gzip.compress(texts["a.en"]))
    with zipfile.ZipFile(folder / "pack.zip", "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, data in texts.items():
            zipped.writestr(name, data)
    with tarfile.open(folder / "pack.tgz", "w:gz") as tar:
        for name, data in texts.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))


def write_corpus_job(folder: Path, name: str, reader: dict) -> None:
    """The recipe of a corpus whose downloads are in the folder."""
    job, settings = folder / "jobs" / name, corpus_settings(name, reader)
    files = {f"downloads/{file['name']}": folder / file["name"] for file in settings["files"]}
    write_recipe(job, "corpus", settings, files=files)
    (job / "downloads").symlink_to(folder)


def corpus_settings(name: str, reader: dict) -> dict:
    files = ["a.fr.gz", "a.en.gz"] if name == "text.gz" else [name]
    if name == "text.gz":
        reader = {"kind": "lines", "splits": {"train": {"source": "a.fr.gz", "target": "a.en.gz"}}}
    else:
        reader = {**reader, "archive": name}
    languages = {"source_language": "fr", "target_language": "en"}
    about = {"version": 1, "corpus": "own", "licence": "", "citation": "", **languages}
    return {**about, "files": [{"name": file} for file in files], "reader": reader, "expected": {}}


SCORE = "score --hypotheses hyp.txt --reference ref.txt --documents docs.txt"
LTCR = "score-consistency --source src.txt --hypotheses hyp.txt --links links.txt --source-stop-list stop.txt"
IMPORT = (
    "import-fairseq --checkpoint best.pt --source-dictionary dict.txt --target-dictionary dict.txt"
    " --source-language en --target-language de --output out"
)
READ = "job jobs"
ID = "?" * 10
"""The pattern of an id in the path of a file."""
PLAIN = [
    ("hyp.txt", "empty half noise folder missing", SCORE),
    ("ref.txt", "empty noise folder missing", SCORE),
    ("docs.txt", "empty half noise folder missing", SCORE),
    ("hyp.txt", "noise folder", "compare --baseline ref.txt --hypotheses hyp.txt --reference ref.txt"),
    ("links.txt", "empty half noise text folder missing", LTCR),
    ("stop.txt", "noise folder missing", LTCR),
    ("gold.txt", "empty noise text folder missing", "score-links --gold gold.txt --links links.txt"),
    ("links.txt", "empty noise text folder missing", "score-links --gold gold.txt --links links.txt"),
    ("src.txt", "empty noise folder", "align --source src.txt --target hyp.txt --output out"),
    ("vectors.txt", "empty noise text folder missing", "score-coherence --hypotheses hyp.txt --vectors vectors.txt"),
    ("best.pt", "empty half noise text folder missing", IMPORT),
    ("dict.txt", "empty noise text folder missing", IMPORT),
    (f"jobs/pack.zip/{ID}/job.json", "empty half noise list object number deep folder missing", f"{READ}/pack.zip"),
    ("pack.zip", "empty half noise text folder missing", f"{READ}/pack.zip"),
    ("pack.tgz", "empty half noise text folder missing", f"{READ}/pack.tgz"),
    ("a.fr.gz", "empty half noise text folder missing", f"{READ}/text.gz"),
]  # fmt: skip


def name_of(arguments: list[str]) -> str:
    """Return the name of the command that the arguments call, of a job that of its folder."""
    return arguments[1].removeprefix("results/").partition("/")[0] if arguments[0] == "job" else arguments[0]


def cases(table: list[tuple[str, str, str]]) -> list:
    rows = [(file, damage, command.split()) for file, damages, command in table for damage in damages.split()]
    return [pytest.param(*case, id=f"{name_of(case[2])}-{Path(case[0]).name}-{case[1]}") for case in rows]


@contextmanager
def placed(folder: Path, words: list[str]) -> Iterator[tuple[list[str], Path]]:
    """The words of a command, and where its outputs are; a job has a folder with its recipe alone meanwhile."""
    if words[0] != "job":
        out = folder / "out"
        yield [*(str(*folder.glob(word)) if ID in word else word for word in words)], out
        shutil.rmtree(out) if out.is_dir() else out.unlink(missing_ok=True)
        return
    _, place, *options = words
    (job,) = (folder / place).glob(ID)
    whole = job.rename(job.with_name("whole"))
    job.mkdir()
    try:
        if (whole / JOB).is_dir():
            (job / JOB).mkdir()
        elif (whole / JOB).exists():
            shutil.copy(whole / JOB, job)
        yield ["job", f"{place}/{job.name}", *options], job
    finally:
        shutil.rmtree(job)
        whole.rename(job)


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("plain") / "files"
    write_plain(folder)
    return folder


@pytest.fixture
def whole(capsys, monkeypatch):
    """That a command ends well where nothing is damaged."""

    def look(folder: Path, command: str) -> None:
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("猫\n".encode())))
        with placed(folder, command.split()) as (words, _), pytest.raises(SystemExit) as end:
            monkeypatch.setattr(sys, "argv", ["docmt", *words])
            main()
        assert end.value.code == 0, capsys.readouterr().err

    return look


@pytest.fixture
def check(capsys, monkeypatch):
    """Damage a file below a folder, and look at what the command says and leaves."""

    def look(folder: Path, file: str, damage: str, arguments: list[str]) -> None:
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("猫\n".encode())))
        (path,) = folder.glob(file)
        with damaged(path, damage), placed(folder, arguments) as (words, out):
            check_message(told(capsys, monkeypatch, words), path.name)
            left = content_of(out) if out.is_dir() else {}
            assert MANIFEST not in left and not [name for name in left if ".part" in name or ".unpacked" in name]
            assert not out.is_file()

    return look


@pytest.mark.parametrize(("file", "damage", "arguments"), cases(PLAIN))
def test_a_file_of_a_user(plain, check, file, damage, arguments):
    check(plain, file, damage, arguments)


@pytest.mark.parametrize("command", dict.fromkeys(command for _, _, command in PLAIN))
def test_whole_files_of_a_user(plain, whole, command):
    whole(plain, command)


@pytest.mark.parametrize("damage", ["empty", "half", "noise", "text", "folder", "missing"])
@pytest.mark.parametrize("table", ["table.parquet", "table.jsonl", "table.tsv"])
def test_a_table_of_a_user(plain, capsys, monkeypatch, table, damage):
    """`docmt check-corpus` collects what is wrong; half of a TSV may end with a row."""
    if (table, damage) == ("table.tsv", "half"):
        pytest.skip("it has whole rows")
    monkeypatch.chdir(plain)
    monkeypatch.setattr(sys, "argv", ["docmt", "check-corpus", table])
    with damaged(plain / table, damage), pytest.raises(SystemExit) as end:
        main()
    printed = capsys.readouterr()
    assert end.value.code == 2
    assert table in printed.out + printed.err and "Traceback" not in printed.err
