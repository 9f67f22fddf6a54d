"""What manifests cost: python benchmarks/manifests.py FOLDER [PAIRS [ROUNDS]]; the record is manifests.md.

A corpus of TVsub of so many sentence pairs (1,000,000 if none is given; `repeated.py`, the archive is that of the
mirror, DOCMT_MIRROR) goes through the jobs of the stages. Each job runs in turn with manifests (inputs checked,
outputs digested) and without (nothing recorded, tables validated as before), as often as ROUNDS says (3), in one
process; the least processor time counts. A further run adds up the processor time inside the functions of manifests.
It does not suffer from the noise between two runs, and is too high by what validating takes without manifests. Stage 1
reads the corpus from a table; stage 5 trains one update of a tiny model, so that reading is most of it; stage 6
translates 200 sentences.
"""

import atexit
import hashlib
import os
import resource
import shutil
import subprocess
import sys
import time
import types
from pathlib import Path

COUNT = "seconds.txt"
"""The file with the seconds inside the functions of manifests, and the environment variable with its path."""
HERE = Path(__file__).parent
TEXT = {"case": "keep", "chinese": "jieba", "bpe": "separate", "vocabulary": "separate", "merges": 30000}
PACKED = {"train": {"max_tokens": 512}, "test": {"max_tokens": 512}}
LANGUAGES = {"source_language": "zh", "target_language": "en"}
MODEL = {
    "kind": "transformer",
    "encoder_layers": 1,
    "decoder_layers": 1,
    "width": 8,
    "inner": 8,
    "heads": 1,
    "embeddings": "target",
}
NAMES = {"study": "benchmark", "corpus": "tvsub", "system": "tiny", "scale": "paper", "seed": 1}
TEST_SENTENCES = 200

SETTINGS = {
    "1_corpus": {
        "corpus": "tvsub",
        **LANGUAGES,
        "licence": "none",
        "citation": "none",
        "expected": {},
        "contrastive": False,
        "files": [{"name": "tvsub.tsv", "sha256": None}],
        "reader": {"kind": "table", "file": "tvsub.tsv", "split": "split"},
    },
    "2_tokens": {"corpus": "tvsub", **LANGUAGES, "text": TEXT},
    "3_views": {"view": PACKED},
    "4_words": {"stop_words": 1000},
    "4_chains": {"view": PACKED},
    "5_training": {
        **NAMES,
        "init_from": None,
        "pretrained": None,
        "view": PACKED,
        "model": MODEL,
        "train": {"max_updates": 1, "tokens_per_update": 1000, "batch_tokens": 1000, "validate_every_updates": 1},
    },
    "6_translations": {**NAMES, "decode": {"beam": 1}, "view": PACKED},
    "7_aligner": {"source": "source_tokens"},
}


JOBS: dict[str, tuple[str, dict[str, str]]] = {
    "1_corpus": ("corpus", {}),
    "2_tokens": ("tokens", {"corpus": "1_corpus"}),
    "3_views": ("views", {"tokens": "2_tokens"}),
    "4_words": ("chain_words", {"tokens": "2_tokens"}),
    "4_chains": ("chain_segments", {"tokens": "2_tokens", "words": "4_words", "view": "3_views"}),
    "5_training": ("train", {"tokens": "2_tokens", "view": "3_views"}),
    "6_translations": ("translate", {"model": "5_training", "view": "3_views"}),
    "7_aligner": ("aligner", {"tokens": "2_tokens"}),
}
"""The step of each job and the folder of each of its inputs by role, by the name of its folder."""


def new_folder(folder: Path, name: str) -> Path:
    """Return the folder of a job's outputs, which has its recipe alone."""
    from docmt.base.recipe import Recipe, versions
    from docmt.steps import get_step

    step, read = JOBS[name]
    inputs = {role: versions(folder / place)[0] for role, place in read.items()}
    recipe = Recipe(step, get_step(step).version, SETTINGS[name], folder / name, inputs)
    shutil.rmtree(recipe.folder, ignore_errors=True)
    recipe.write()
    return recipe.folder


def prepare(folder: Path, pairs: int) -> None:
    """Write the corpus as a table with a small dev and test split."""
    import pyarrow.parquet as pq

    archive = Path(os.environ["DOCMT_MIRROR"]) / "tvsub_zh-en.tar.gz"
    if not (folder / "documents.parquet").exists():
        subprocess.run([sys.executable, HERE / "repeated.py", archive, str(pairs), folder], check=True)
    table = folder / "1_corpus/downloads/tvsub.tsv"
    table.parent.mkdir(parents=True, exist_ok=True)
    rows = pq.ParquetFile(folder / "documents.parquet").iter_batches(columns=["document", "source", "target"])
    with table.open("w", encoding="utf-8") as stream:
        stream.write("split\tdocument\tsource\ttarget\n")
        number = 0
        for batch in rows:
            for row in batch.to_pylist():
                split = ("test", "dev")[number // TEST_SENTENCES] if number < 2 * TEST_SENTENCES else "train"
                cells = (" ".join(row[name].split()) for name in ("source", "target"))
                stream.write("\t".join((split, row["document"], *cells)) + "\n")
                number += 1


def measured(folder: Path, name: str, mode: str) -> tuple[float, float]:
    """Processor seconds of all processes of a job, and seconds by the clock.

    `mode`: `sealed`, `open` (without manifests), or `counted`, which also writes the file COUNT.
    """
    line = [sys.executable, __file__, "--run", mode, "job", new_folder(folder, name), "--threads", "1"]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(line, check=True, env=os.environ | {"COUNT": str(folder / COUNT)})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - start


def open_seals() -> None:
    """Switch off manifests in this process: no digest is computed and none is compared."""
    from docmt.base import artifacts, manifest

    artifacts.Recorder.note = lambda self, path: None
    manifest.listed = lambda path: None


class Clock:
    """The processor time of this thread inside some functions; a call inside another counts once."""

    def __init__(self) -> None:
        self.seconds, self._depth = 0.0, 0

    def around(self, function):
        """The function, which this clock measures."""

        def call(*arguments, **options):
            self._depth += 1
            start = time.thread_time()
            try:
                return function(*arguments, **options)
            finally:
                self._depth -= 1
                if self._depth == 0:
                    self.seconds += time.thread_time() - start

        return call


class CountedSha256:
    """A SHA-256 whose work a clock measures."""

    def __init__(self, clock: Clock, sha256) -> None:
        self._sha256 = sha256
        self.update, self.hexdigest = clock.around(sha256.update), clock.around(sha256.hexdigest)

    def copy(self):
        return self._sha256.copy()


def count_seals() -> None:
    """Write the seconds inside the functions of manifests to the file COUNT when this process ends."""
    from docmt.base import digests, manifest, sealing

    clock, sha256 = Clock(), hashlib.sha256
    proxy = types.SimpleNamespace(
        sha256=lambda *data: CountedSha256(clock, clock.around(sha256)(*data)), file_digest=hashlib.file_digest
    )
    for module in (digests, manifest):
        module.hashlib = proxy
    digests.sha256_file = clock.around(digests.sha256_file)
    for name in ("listed", "known_sha256", "checked_bytes"):
        setattr(manifest, name, clock.around(getattr(manifest, name)))
    for name in ("hardware", "commit", "versions"):
        setattr(sealing, name, clock.around(getattr(sealing, name)))
    for name in ("check_inputs", "check_files", "close"):
        setattr(sealing.Seal, name, clock.around(getattr(sealing.Seal, name)))
    atexit.register(lambda: Path(os.environ["COUNT"]).write_text(f"{clock.seconds}"))


def main() -> None:
    folder, given = Path(sys.argv[1]).absolute(), sys.argv[2:]
    pairs, rounds = (int(value) for value in (given + ["1000000", "3"][len(given) :]))
    folder.mkdir(parents=True, exist_ok=True)
    prepare(folder, pairs)
    print(
        "| stage | without, CPU s (s) | with, CPU s (s) | difference | inside manifests, CPU s |\n|---|---|---|---|---|"
    )
    for name in JOBS:
        runs = [[measured(folder, name, mode) for mode in ("open", "sealed")] for _ in range(rounds)]
        without, sealed = (min(run[kind] for run in runs) for kind in (0, 1))
        total, _ = measured(folder, name, "counted")
        inside = float((folder / COUNT).read_text())
        print(
            f"| {name} | {without[0]:.2f} ({without[1]:.2f}) | {sealed[0]:.2f} ({sealed[1]:.2f}) "
            f"| {100 * (sealed[0] / without[0] - 1):+.1f} % | {inside:.3f} ({100 * inside / total:.1f} %) |",
            flush=True,
        )


if __name__ == "__main__":
    if sys.argv[1] == "--run":
        if sys.argv[2] == "open":
            open_seals()
        if sys.argv[2] == "counted":
            count_seals()
        sys.argv = ["docmt", *sys.argv[3:]]
        from docmt.cli.main import main as docmt

        docmt()
    else:
        main()
