"""Stages 1 to 4 at scale: python benchmarks/scale.py FOLDER [SHAPE:PAIRS ...]; the record is in corpora.md beside this.

A shape says how long documents are: `episodes` (as in TVsub, some 1,000 sentences each), `twenties` (20 sentences),
`ones` (one sentence) or `whole` (all pairs are one document). The text is that of `repeated.py` (the archive is that of
the mirror, DOCMT_MIRROR), in two plain files with a file of lengths beside them. For each stage the clock, the
processor seconds, the most memory that its processes held together, and the size of what it wrote.
"""

import os
import sys
from pathlib import Path

from corpora import STAGES, Run, watched

HERE = Path(__file__).parent
SHAPES = {"episodes": 956, "twenties": 20, "ones": 1, "whole": None}
"""The number of sentences of a document; None = one document."""
OUTPUTS = {
    "corpus": ("documents.parquet",),
    "tokens": ("tokenised.arrow", "words.arrow"),
    "learning BPE": ("tokens/text",),
    "applying BPE": ("tokens/tokens.arrow",),
    "views": ("view",),
    "chains": ("words", "chains"),
}


def corpus(folder: Path, workers) -> None:
    """Read the plain files as stage 1 does."""
    from docmt.base.parse import parse
    from docmt.catalogue.corpus import CorpusSettings
    from docmt.corpus.read import read_corpus

    sides = {"source": "source.txt", "target": "target.txt"}
    reader = {"kind": "lines", "splits": {"train": sides}, "documents": {"lengths": {"train": "lengths.txt"}}}
    names = ("source.txt", "target.txt", "lengths.txt")
    value = {
        "version": 1,
        "corpus": "tvsub",
        "source_language": "zh",
        "target_language": "en",
        "licence": "",
        "citation": "",
    }
    settings = parse(
        CorpusSettings, {**value, "expected": {}, "files": [{"name": n} for n in names], "reader": reader}, "b"
    )
    read_corpus(settings, folder / "downloads", folder)


def make_text(folder: Path, shape: str, pairs: int) -> None:
    """Write the plain files of a shape."""
    downloads = folder / "downloads"
    archive = Path(os.environ["DOCMT_MIRROR"]) / "tvsub_zh-en.tar.gz"
    watched([sys.executable, HERE / "repeated.py", archive, pairs, downloads])
    (downloads / "documents.parquet").unlink()
    size = SHAPES[shape] or pairs
    lengths = [size] * (pairs // size) + ([pairs % size] if pairs % size else [])
    (downloads / "lengths.txt").write_text("".join(f"{length}\n" for length in lengths))


def size_of(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


def measure(folder: Path, shape: str, pairs: int) -> None:
    """Print the rows of a shape."""
    if not (folder / "downloads" / "lengths.txt").exists():
        make_text(folder, shape, pairs)
    workers, runs = len(os.sched_getaffinity(0)), []
    print(f"\n## {pairs:,} pairs, {shape}: {size_of(folder / 'downloads') / 1e9:.2f} GB of text\n")
    print("| stage | minutes | CPU minutes | pairs a CPU second | peak, MiB | written, MB |\n|---|---|---|---|---|---|")
    for stage, outputs in OUTPUTS.items():
        run = watched([sys.executable, __file__, "--stage", stage, folder, workers])
        runs.append(run)
        print(row(stage, run, pairs, sum(size_of(folder / output) for output in outputs)), flush=True)
    total = Run(sum(run.seconds for run in runs), sum(run.cpu for run in runs), max(run.peak for run in runs))
    print(
        row("all", total, pairs, sum(size_of(folder / name) for names in OUTPUTS.values() for name in names)),
        flush=True,
    )


def row(name: str, run: Run, pairs: int, written: int) -> str:
    rate = f"{pairs / run.cpu:,.0f}"
    return f"| {name} | {run.seconds / 60:.1f} | {run.cpu / 60:.1f} | {rate} | {run.peak:,.0f} | {written / 1e6:,.0f} |"


def main() -> None:
    if sys.argv[1] == "--stage":
        from docmt.base.workers import Workers

        {"corpus": corpus, **STAGES}[sys.argv[2]](Path(sys.argv[3]), Workers(int(sys.argv[4])))
        return
    folder = Path(sys.argv[1])
    for stated in sys.argv[2:] or ["ones:1000000", "whole:1000000", "twenties:10000000"]:
        shape, _, pairs = stated.partition(":")
        print(f"load {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
        measure(folder / stated.replace(":", "."), shape, int(pairs))


if __name__ == "__main__":
    main()
