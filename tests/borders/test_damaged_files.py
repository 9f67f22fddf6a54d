"""A file that is damaged, cut, of another shape, missing, or a folder: every command that reads it says so in one
message with the file's name, ends with status 2, and leaves nothing half-written.

Plain files are tried in the normal suite; what the stages of a whole workflow leave, in the slow one.
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


C = "results/1_corpus/toy_zh-en@smoke"
DATA = "toy_zh-en@smoke/truecase_separate4k"
T = f"results/2_tokens/{DATA}"
V = f"results/3_views/{DATA}"
W = f"results/4_chain_words/{DATA}"
H = f"results/4_chains/{DATA}"
TRAINED = "results/5_training/toy_zh-en"
TRANSLATED = "results/6_translations/toy_zh-en"
ASKED = "results/6_contrastive/toy_zh-en"
INSIDE = "results/6_inside/toy_zh-en"
A = f"results/7_aligners/{DATA}"
SCORED = "results/7_scores/toy_zh-en"
COMPARED = "results/7_comparisons/demo/quality"
REPORTED = "results/8_report/smoke/demo/index"
CHAIN_VIEW = "sentences20+documents"
MODEL = f"{TRAINED}/lexical_chain/seed1/{ID}/model"
JSON = "empty half noise list object number deep folder missing"
BINARY = "empty half noise text folder missing"
TEXT = "empty noise folder missing"

TOKENS = f"job {T}"
VIEWS = f"job {V}/window1"
WORDS_OF = f"job {W}"
SEGMENTS_OF = f"job {H}/{CHAIN_VIEW}"
TRAIN = f"job {TRAINED}/g_transformer/seed1 --device cpu"
TRAIN_CHAINS = f"job {TRAINED}/lexical_chain/seed1 --device cpu"
DECODE = f"job {TRANSLATED}/lexical_chain/seed1"
CONTRASTIVE = f"job {ASKED}/lexical_chain/seed1"
INSPECT = f"job {INSIDE}/lexical_chain/seed1"
TRANSLATE = f"translate --model {MODEL} --beam 1"
SCORE_SYSTEM = f"job {SCORED}/sentence/seed1"
TRAIN_ALIGNER = f"job {A}"
COMPARE = f"job {COMPARED}"
REPORT = f"job {REPORTED}"
SHARDS = f"job {T} --part tokenised.1of2"

STAGES = [
    (f"{T}/{ID}/job.json", JSON, TOKENS),
    (f"{C}/{ID}/documents.parquet", BINARY, TOKENS),
    (f"{C}/{ID}/contrastive.parquet", "empty half noise text folder", TOKENS),
    (f"{C}/{ID}/documents.parquet", BINARY, SHARDS),
    (f"{V}/window1/{ID}/job.json", JSON, VIEWS),
    (f"{T}/{ID}/tokens.arrow", BINARY, VIEWS),
    (f"{T}/{ID}/contrastive.arrow", "empty half noise text folder", VIEWS),
    (f"{W}/{ID}/job.json", "list object noise", WORDS_OF),
    (f"{T}/{ID}/tokens.arrow", BINARY, WORDS_OF),
    (f"{W}/{ID}/stop_words.txt", "noise folder missing", SEGMENTS_OF),
    (f"{V}/{CHAIN_VIEW}/{ID}/test.arrow", BINARY, SEGMENTS_OF),
    (f"{T}/{ID}/text/vocabulary.source.txt", TEXT, SEGMENTS_OF),
    (f"{TRAINED}/g_transformer/seed1/{ID}/job.json", JSON, TRAIN),
    (f"{V}/tokens512/{ID}/train.arrow", BINARY, TRAIN),
    (f"{V}/tokens512/{ID}/dev.arrow", BINARY, TRAIN),
    (f"{T}/{ID}/text/vocabulary.target.txt", TEXT, TRAIN),
    (f"{TRAINED}/sentence/seed1/{ID}/model/model.safetensors", BINARY, TRAIN),
    (f"{H}/{CHAIN_VIEW}/{ID}/train.arrow", BINARY, TRAIN_CHAINS),
    (f"{TRANSLATED}/lexical_chain/seed1/{ID}/job.json", JSON, DECODE),
    (f"{MODEL}/model.json", JSON, DECODE),
    (f"{MODEL}/model.safetensors", BINARY, DECODE),
    (f"{MODEL}/text/text.json", JSON, DECODE),
    (f"{MODEL}/text/truecase.target.json", "empty half noise list object number folder missing", DECODE),
    (f"{MODEL}/text/codes.source", TEXT, DECODE),
    (f"{MODEL}/text/vocabulary.source.txt", TEXT, TRANSLATE),
    (f"{MODEL}/stop_words.txt", "noise folder missing", TRANSLATE),
    (f"{V}/{CHAIN_VIEW}/{ID}/test.arrow", BINARY, DECODE),
    (f"{H}/{CHAIN_VIEW}/{ID}/test.arrow", BINARY, DECODE),
    (f"{V}/{CHAIN_VIEW}/{ID}/contrastive.arrow", BINARY, CONTRASTIVE),
    (f"{V}/{CHAIN_VIEW}/{ID}/dev.arrow", BINARY, INSPECT),
    (f"{SCORED}/sentence/seed1/{ID}/job.json", JSON, SCORE_SYSTEM),
    (f"{C}/{ID}/documents.parquet", BINARY, SCORE_SYSTEM),
    (f"{T}/{ID}/tokens.arrow", BINARY, SCORE_SYSTEM),
    (f"{TRANSLATED}/sentence/seed1/{ID}/test.txt", TEXT, SCORE_SYSTEM),
    (f"{TRANSLATED}/sentence/seed1/{ID}/test.tok.txt", TEXT, SCORE_SYSTEM),
    (f"{TRANSLATED}/sentence/seed1/{ID}/decoding.json", JSON, SCORE_SYSTEM),
    (f"{ASKED}/sentence/seed1/{ID}/contrastive.arrow", BINARY, SCORE_SYSTEM),
    (f"{A}/{ID}/lexicon.arrow", BINARY, SCORE_SYSTEM),
    (f"{A}/{ID}/jumps.json", JSON, SCORE_SYSTEM),
    (f"{A}/{ID}/job.json", JSON, TRAIN_ALIGNER),
    (f"{COMPARED}/{ID}/job.json", JSON, COMPARE),
    (f"{SCORED}/sentence/seed1/{ID}/details.arrow", BINARY, COMPARE),
    (f"{REPORTED}/{ID}/job.json", JSON, REPORT),
    (f"{SCORED}/sentence/seed1/{ID}/scores.json", "empty half noise list object number deep folder", REPORT),
    (f"{SCORED}/lexical_chain/seed1/{ID}/occurrences.arrow", "empty half noise text folder", REPORT),
    (f"{TRAINED}/sentence/seed1/{ID}/record.json", "empty half noise list number deep folder", REPORT),
    (f"{TRAINED}/sentence/seed1/{ID}/metrics.jsonl", "noise text list folder", REPORT),
    (f"{COMPARED}/{ID}/comparisons.json", "empty half noise list number deep folder", REPORT),
    (f"{C}/{ID}/card.json", "empty half noise list number folder", REPORT),
    (f"{TRANSLATED}/sentence/seed1/{ID}/test.txt", "empty noise folder", REPORT),
    (f"{TRANSLATED}/sentence/seed1/{ID}/decoding.json", "empty half noise list object number folder", REPORT),
    (f"{INSIDE}/lexical_chain/seed1/{ID}/inside.arrow", "empty half noise text folder", REPORT),
    (f"{TRAINED}/sentence/seed1/{ID}/record.json", "empty half noise list object number deep folder", "list-trainings"),
    (f"{TRAINED}/sentence/seed1/{ID}/metrics.jsonl", "noise text list object folder", "list-trainings"),
    (f"{TRAINED}/sentence/seed1/{ID}/job.json", "empty half noise list object number folder", "list-trainings"),
    (f"{T}/{ID}/card.json", "empty half noise list number folder", "list-targets --study demo"),
    (f"{V}/window1/{ID}/card.json", "empty half noise list number folder", "list-targets --study demo"),
    (f"{TRAINED}/sentence/seed1/{ID}/record.json", "empty half noise list number folder", "list-targets --study demo"),
]


@pytest.fixture(scope="module")
def world(finished_demo, tmp_path_factory) -> Path:
    """A copy of a finished demo, whose files are damaged one at a time."""
    root = tmp_path_factory.mktemp("world") / "demo"
    shutil.copytree(finished_demo.root, root, symlinks=True, ignore=shutil.ignore_patterns(".snakemake"))
    return root


@pytest.mark.slow
@pytest.mark.parametrize(("file", "damage", "arguments"), cases(STAGES))
def test_a_file_of_a_stage(world, check, file, damage, arguments):
    check(world, file, damage, arguments)


@pytest.mark.slow
@pytest.mark.parametrize("command", dict.fromkeys(command for _, _, command in STAGES))
def test_whole_files_of_stages(world, whole, command):
    whole(world, command)
