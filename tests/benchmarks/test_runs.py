"""Every benchmark runs, on so little that its numbers mean nothing: they run seldom, and what they call moves."""

import runpy
import sys
import tarfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stdout
from importlib import import_module
from io import BytesIO, StringIO
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers import many_documents
from helpers.support import ROOT, need
from speed import speeds

from docmt.corpus.opening import available_documents
from docmt.settings.models import TransformerConfig

SIZES = {"encoder_layers": 1, "decoder_layers": 1, "width": 8, "inner": 8, "heads": 1}
LAYERS = {"encoder_layers": 2, "decoder_layers": 2}
TINY = TransformerConfig(**SIZES)
WORDS = 60  # The size of vocabularies.
USED = SimpleNamespace(seconds=1.0, cpu=1.0, peak=1.0)
"""What a process would have used that these tests run inside their own."""


def started(command: Sequence) -> str:
    """Run a script with its arguments in this process; return what it prints."""
    _, script, *arguments = map(str, command)
    with pytest.MonkeyPatch.context() as changed, redirect_stdout(StringIO()) as printed:
        changed.setattr(sys, "argv", [script, *arguments])
        runpy.run_path(script, run_name="__main__")
    return printed.getvalue()


def watched(command: Sequence, *_: Path) -> SimpleNamespace:
    started(command)
    return USED


def once(work: Callable[[], object]) -> float:
    work()
    return 1.0


PROCESS = SimpleNamespace(run=lambda command, **_: SimpleNamespace(stdout=started(command)), PIPE=None)
PEERS = dict.fromkeys(("tokens", "learning BPE", "applying BPE"), USED)
ALIGNER = str(ROOT / "benchmarks/alignment.py")
RUNS = {
    "alignment": (
        ["MIRROR"],
        {"SETS": {"zhen": ("zh", "en")}, "RUNS": {"ours": "default"}}
        | {"run": lambda *arguments: watched(("python", ALIGNER, *arguments))},
    ),
    "attention": ([], {"cases": lambda: [("3 runs", [3, 4], [3, 4], True)], "seconds": once}),
    "contrastive": ([], {"VOCABULARY": WORDS, "MODELS": {"tiny": TINY}, "ROWS": 4, "ROUNDS": 1}),
    "corpora": (["FOLDER", "40"], {"watched": watched, "peers": lambda folder: PEERS}),
    "decoding": (["1"], {"VOCABULARY": WORDS, "SIZES": SIZES | LAYERS, "SENTENCES": 18, "WORDS": (2, 4)}),
    "gpu": (
        ["--device", "cpu"],
        {"TIMES": (1,), "DOCUMENTS": (2,), "MODELS": ("g_transformer",), "SEARCHED": ("g_transformer",)}
        | {"speeds": lambda *given: islice(speeds(*given), 2), "compiling_gain": lambda *_: 1.0},
    ),
    "leaks": (["FOLDER", "40"], {"REPEATS": 1, "TEST_PAIRS": 8, "subprocess": PROCESS}),
    "manifests": (["FOLDER", "40", "1"], {"JOBS": {"1_corpus": ("corpus", {})}, "TEST_SENTENCES": 2}),
    "planning": (["FOLDER"], {"finish_all": lambda *_: None, "timed": lambda *_: (1.0, 1.0, "9")}),
    "round_trips": (["en:TEXT"], {}),
    "scale": (["FOLDER", "twenties:40"], {"watched": watched}),
    "store": (["FOLDER", "1"], {"SETS": {"2 files": (2, 9)}}),
    "store_objects": (["moto", "1"], {"ROUNDS": 1, "SMALL": 2}),
    "text": (["MIRROR/tvsub_zh-en.tar.gz", "20"], {"ROUNDS": 1}),
    "threads": (["--threads", "1"], {"SHAPES": ((8, 1, WORDS, 2),), "ROUNDS": 1}),
    "training": (["--updates", "4", "--threads", "1"], {"CASES": slice(2), "TOKENS": 300, "matrix_rate": lambda: 1e9}),
    "verifying": (["FOLDER", "1e-6"], {"MIB": 8, "PAIRS": 1}),
    "view_memory": (["FOLDER", "50", "4", "4"], {}),
    "vocabularies": (
        ["toy_zh-en", "0.1"],
        {"MERGES": (9,), "THRESHOLDS": (0, 2)}
        | {"available_documents": lambda *given: islice(available_documents(*given), 40)},
    ),
}
"""By script, its arguments, of which those in capitals are paths, and what stands in for names in it (a slice of one:
that part of it)."""
RUNS_ON_DEMO = {
    "estimates": (["DEMO"], {}),
    "exports": (["MODEL", "TEXT"], {"BEAMS": (1,)}),
    "gpu_jobs": (["demo", "sentence", "--seconds", "-1"], {}),
}
RUNS_IN_A_BROWSER = {"report": ([], {"ROUNDS": 1})}
SLOW = {"exports", "manifests", "report"}  # They start several processes, or a browser.
FEW = {"DOCUMENTS": 101, "SENTENCES": 2, "SYSTEMS": ("one", "two")}
PARTS = {"project_copy", "repeated", "speed", "plain_loops"}  # Other scripts import or start them.
ELSEWHERE = {
    "peers": "test_peers.py has all but the toolkits",
    "gpu_peers": "needs fairseq",
    "containers": "needs root, debootstrap and buildah",
    "cluster": "needs Slurm with accounting",
}


def cases(runs: Iterable[str]) -> list:
    return [pytest.param(script, marks=pytest.mark.slow if script in SLOW else ()) for script in runs]


def test_each_script_has_a_run_or_a_reason():
    stated = {*RUNS, *RUNS_ON_DEMO, *RUNS_IN_A_BROWSER, *PARTS, *ELSEWHERE}
    assert {path.stem for path in (ROOT / "benchmarks").glob("*.py")} == stated


@pytest.fixture(scope="module")
def mirror(tmp_path_factory) -> Path:
    """The archives that benchmarks read, each with a few lines."""
    folder = tmp_path_factory.mktemp("mirror")
    lines = {"zh": "他 看见 了 那 座 山 。", "en": "he saw the hill ."}
    verses = {f"verses.{language}.tsv": f"Gen.1.1\t{line}\n" for language, line in lines.items()}
    write_archive(folder / "bible_pd", verses)
    episodes = {f"train/1.{language}": "".join(f"{n} {line}\n" for n in range(60)) for language, line in lines.items()}
    write_archive(folder / "tvsub_zh-en", episodes)
    gold = {"src-tgt": f"{lines['zh']} ||| {lines['en']}\n", "gold": "1-1 2-2\n", "awesome-align.out": "0-0\n"}
    write_archive(folder / "wordalign_gold", {f"zhen.{end}": text for end, text in gold.items()})
    return folder


def write_archive(folder: Path, files: dict[str, str]) -> None:
    with tarfile.open(f"{folder}.tar.gz", "w:gz") as archive:
        for name, text in files.items():
            member, content = tarfile.TarInfo(f"{folder.name}/{name}"), text.encode()
            member.size = len(content)
            archive.addfile(member, BytesIO(content))


@pytest.mark.parametrize("script", cases(RUNS))
def test_it_runs(script, mirror, tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("DOCMT_MIRROR", str(mirror))
    run(script, *RUNS[script], {"MIRROR": mirror}, tmp_path, monkeypatch)
    assert capfd.readouterr().out.strip()


@pytest.mark.parametrize("script", cases(RUNS_ON_DEMO))
def test_it_runs_on_the_demo(script, finished_demo, example_model, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(finished_demo.root)
    paths = {"DEMO": finished_demo.root, "MODEL": example_model}
    run(script, *RUNS_ON_DEMO[script], paths, tmp_path, monkeypatch)
    assert capfd.readouterr().out.strip()


@pytest.mark.parametrize("script", cases(RUNS_IN_A_BROWSER))
def test_it_runs_in_a_browser(script, tmp_path, monkeypatch, capfd):
    need("chromium")
    for name, value in FEW.items():
        monkeypatch.setattr(many_documents, name, value)
    run(script, *RUNS_IN_A_BROWSER[script], {}, tmp_path, monkeypatch)
    assert "page of a document" in capfd.readouterr().out


def run(script: str, arguments: list[str], instead: dict, paths: dict[str, Path], folder: Path, monkeypatch) -> None:
    """Call `main` of a script. `instead`: what stands in for names of it; `paths` replaces words of the arguments."""
    (folder / "text").write_text("the hill is there .\n" * 2, encoding="utf-8")
    for name, path in (paths | {"FOLDER": folder / "folder", "TEXT": folder / "text"}).items():
        arguments = [argument.replace(name, str(path)) for argument in arguments]
    module = import_module(script)
    for name, value in instead.items():
        monkeypatch.setattr(module, name, getattr(module, name)[value] if isinstance(value, slice) else value)
    monkeypatch.setattr(sys, "argv", [script, *arguments])
    # In a process of its own: scripts change variables of the environment and classes of docmt.
    process = get_context("fork").Process(target=module.main)
    process.start()
    process.join()
    assert process.exitcode == 0
