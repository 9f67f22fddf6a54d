"""How stages 2 to 4 grow: python benchmarks/corpora.py FOLDER [PAIRS ...]; the record is corpora.md beside this.

For each number of sentence pairs (100,000 and 1,000,000 if none is given) a corpus is made of TVsub (`repeated.py`; the
archive is that of the mirror, DOCMT_MIRROR), and goes through tokens, BPE, views and chains with as many processes as
there are cores. Beside them, on the same input in the same run, stand the command lines of jieba, sacremoses and
subword-nmt, one process each, and plain loops for views and chains, which have no peer. Peak memory is the sum of what
all processes of a stage hold at one time (RSS; what they share is counted for each).
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

TEXT = {"case": "keep", "chinese": "jieba", "bpe": "separate", "vocabulary": "separate", "merges": 30000}
VIEW = {"train": {"max_tokens": 512}, "test": {"max_tokens": 512}}
STOP_WORDS = 1000
SAMPLE_S = 0.1
HERE = Path(__file__).parent
TOOLS = Path(sys.executable).parent


@dataclass
class Run:
    """A command: seconds by the clock, processor seconds of all its processes, and the most that they held, in MiB."""

    seconds: float
    cpu: float
    peak: float


def watched(command: list, stdin: Path | None = None, stdout: Path | None = None) -> Run:
    """Run a command to its end; raises where it fails."""
    with (stdin or Path(os.devnull)).open("rb") as given, (stdout or Path(os.devnull)).open("wb") as taken:
        start = time.perf_counter()
        process = subprocess.Popen([str(part) for part in command], stdin=given, stdout=taken, stderr=subprocess.PIPE)
        said: list[bytes] = []
        reader = threading.Thread(target=lambda: said.append(process.stderr.read()))
        reader.start()
        cpu: dict[tuple[int, float], float] = {}
        peak, tree = 0, psutil.Process(process.pid)
        while process.poll() is None:
            held = 0
            for one in _tree(tree):
                try:
                    with one.oneshot():
                        held += one.memory_info().rss
                        times = one.cpu_times()
                        cpu[one.pid, one.create_time()] = times.user + times.system
                except psutil.NoSuchProcess:
                    continue
            peak = max(peak, held)
            time.sleep(SAMPLE_S)
        seconds = time.perf_counter() - start
        reader.join()
    if process.returncode:
        raise SystemExit(f"{command} failed:\n{said[0].decode()}")
    return Run(seconds, sum(cpu.values()), peak / 2**20)


def _tree(root: psutil.Process) -> list[psutil.Process]:
    try:
        return [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def ours(stage: str, folder: Path, workers: int) -> Run:
    return watched([sys.executable, __file__, "--stage", stage, folder, workers])


def peers(folder: Path) -> dict[str, Run]:
    """By stage: their command lines, one after another."""
    tokens = [
        watched([sys.executable, "-m", "jieba", "-q", "-d", " ", folder / "source.txt"], stdout=folder / "source.tok"),
        watched([TOOLS / "sacremoses", "-l", "en", "-j", "1", "tokenize", "-x"], folder / "target.txt",
                folder / "target.tok"),
    ]  # fmt: skip
    learnt, applied = [], []
    for side in ("source", "target"):
        lines, codes = folder / f"{side}.tok", folder / f"{side}.codes"
        command = [TOOLS / "subword-nmt", "learn-bpe", "-s", str(TEXT["merges"])]
        learnt.append(watched(command, lines, codes))
        applied.append(watched([TOOLS / "subword-nmt", "apply-bpe", "-c", codes], lines, folder / f"{side}.bpe"))
    runs = {"tokens": tokens, "learning BPE": learnt, "applying BPE": applied}
    return {stage: _added(own) for stage, own in runs.items()}


def _added(runs: list[Run]) -> Run:
    return Run(sum(run.seconds for run in runs), sum(run.cpu for run in runs), max(run.peak for run in runs))


def measure(folder: Path, pairs: int) -> dict:
    """All stages for one number of pairs: `ours` and `theirs` by stage, and how many types and tokens there are."""
    workers = len(os.sched_getaffinity(0))
    if not (folder / "documents.parquet").exists():
        archive = Path(os.environ["DOCMT_MIRROR"]) / "tvsub_zh-en.tar.gz"
        watched([sys.executable, HERE / "repeated.py", archive, pairs, folder])
    done: dict[str, dict] = {"ours": {}, "theirs": {}}
    for stage in STAGES:
        done["ours"][stage] = vars(ours(stage, folder, workers))
        print(pairs, stage, done["ours"][stage], file=sys.stderr, flush=True)
    for stage, run in peers(folder).items():
        done["theirs"][stage] = vars(run)
    for stage in ("views", "chains"):
        done["theirs"][stage] = vars(watched([sys.executable, HERE / "plain_loops.py", stage, folder]))
    card = json.loads((folder / "tokens" / "card.json").read_text())["splits"]["train"]
    types = json.loads((folder / "types.json").read_text())
    done["text"] = {side: (types[side], card[side]["tokens"]) for side in types}
    return done


def tokens(folder: Path, workers) -> None:
    from docmt.text.pipeline import TokensSettings
    from docmt.text.tokenise import save_counts, tokenise

    settings = _settings(TokensSettings)
    counts = tokenise(settings, folder / "documents.parquet", folder / "tokenised.arrow", workers=workers)
    save_counts(counts, folder / "words.arrow")


def learning(folder: Path, workers) -> None:
    from docmt.text.pipeline import TokensSettings
    from docmt.text.process import learn
    from docmt.text.tokenise import WordCounts, load_counts

    counts = {side: WordCounts() for side in ("source", "target")}
    load_counts(folder / "words.arrow", counts)
    types = {side: len(own.words) for side, own in counts.items()}
    (folder / "types.json").write_text(json.dumps(types))
    learn(_settings(TokensSettings), counts, "words.arrow", workers).save(folder / "tokens" / "text")


def applying(folder: Path, workers) -> None:
    from docmt.text.encode import encode
    from docmt.text.process import write_card

    tokenised, output = folder / "tokenised.arrow", folder / "tokens"
    write_card(encode(tokenised, output / "text", output / "tokens.arrow", workers), folder, output)


def views(folder: Path, workers) -> None:
    from docmt.views.build import ViewsSettings, build_view

    build_view(_settings(ViewsSettings), folder / "tokens", folder / "view", workers)


def chains(folder: Path, workers) -> None:
    from docmt.chains.documents import WordsSettings, build_words
    from docmt.chains.segments import SegmentsSettings, build_segments

    build_words(WordsSettings(1, STOP_WORDS), folder / "tokens", folder / "words", workers)
    arguments = (folder / "tokens", folder / "words", folder / "view", folder / "chains")
    build_segments(_settings(SegmentsSettings), *arguments, workers)


def _settings(kind):
    from docmt.base.parse import parse
    from docmt.text.pipeline import TokensSettings

    languages = {"source_language": "zh", "target_language": "en"}
    value = {"corpus": "tvsub", **languages, "text": TEXT} if kind is TokensSettings else {"view": VIEW}
    return parse(kind, {"version": 1, **value}, "benchmark")


STAGES: dict[str, Callable] = {
    "tokens": tokens,
    "learning BPE": learning,
    "applying BPE": applying,
    "views": views,
    "chains": chains,
}


def shown(pairs: int, done: dict) -> str:
    """Ratios: by the clock, and by processor time were ours spread evenly over the cores: for a busy machine."""
    cores = len(os.sched_getaffinity(0))
    lines = [
        f"## {pairs:,} pairs",
        "",
        "| stage | seconds (CPU) | pairs a second | peak, MiB | plain, seconds (CPU) | ratio | by CPU |",
        "|---|---|---|---|---|---|---|",
    ]
    groups = {**{stage: (stage,) for stage in STAGES}, "BPE": ("learning BPE", "applying BPE"), "all": tuple(STAGES)}
    for name, stages in groups.items():
        own, other = (_added([Run(**done[who][stage]) for stage in stages]) for who in ("ours", "theirs"))
        lines.append(
            f"| {name} | {own.seconds:.1f} ({own.cpu:.1f}) | {pairs / own.seconds:,.0f} | {own.peak:,.0f}"
            f" | {other.seconds:.1f} ({other.cpu:.1f}) | {other.seconds / own.seconds:.2f}"
            f" | {cores * other.cpu / own.cpu:.2f} |"
        )
    for side, (types, number) in done["text"].items():
        lines.append(f"\n{side}: {types:,} types, {number:,} tokens: {1000 * types / number:.1f} types a 1,000 tokens")
    return "\n".join(lines)


def main() -> None:
    if sys.argv[1] == "--stage":
        from docmt.base.workers import Workers

        STAGES[sys.argv[2]](Path(sys.argv[3]), Workers(int(sys.argv[4])))
        return
    folder, sizes = Path(sys.argv[1]), [int(size) for size in sys.argv[2:]] or [100_000, 1_000_000]
    for pairs in sizes:
        print(f"load {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
        done = measure(folder / str(pairs), pairs)
        (folder / f"{pairs}.json").write_text(json.dumps(done, indent=2))
        print(shown(pairs, done), flush=True)


if __name__ == "__main__":
    main()
