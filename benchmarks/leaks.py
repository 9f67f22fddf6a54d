"""What the comparison of splits costs stage 1: python benchmarks/leaks.py FOLDER [PAIRS]; its record is in corpora.md.

Training is the corpus of `repeated.py` (1,000,000 pairs if no number is given; the archive is that of the mirror,
DOCMT_MIRROR), in documents as long as its episodes or in documents of four sentences; test is its first 20,000 pairs.
Stage 1 reads them with the comparison and without it, in processes of their own, three times in turn.
"""

import json
import os
import resource
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from statistics import median

HERE = Path(__file__).parent
TEST_PAIRS = 20_000
GROUP = 4
REPEATS = 3


def make(folder: Path, pairs: int) -> None:
    """Write source.txt, target.txt, the first lines of both, and the files of offsets for groups of sentences."""
    archive = Path(os.environ["DOCMT_MIRROR"]) / "tvsub_zh-en.tar.gz"
    subprocess.run([sys.executable, HERE / "repeated.py", archive, str(pairs), folder], check=True)
    for side in ("source", "target"):
        with (folder / f"{side}.txt").open() as lines, (folder / f"test.{side}.txt").open("w") as test:
            test.writelines(islice(lines, TEST_PAIRS))
    for form, length in (("episodes", 956), ("groups", GROUP)):
        for name, number in (("train", pairs), ("test", TEST_PAIRS)):
            (folder / f"{name}.{form}").write_text("".join(f"{first}\n" for first in range(0, number, length)))


def stage(folder: Path, form: str, compared: bool) -> dict:
    """Run stage 1 in this process; return seconds, processor seconds and the largest memory in MiB."""
    from docmt.base.parse import parse
    from docmt.catalogue.corpus import CorpusSettings
    from docmt.corpus import leaks
    from docmt.corpus.read import read_corpus

    if not compared:
        leaks.SplitHashes.add = lambda *_: None
    sides = {
        name: {side: f"{prefix}{side}.txt" for side in ("source", "target")}
        for name, prefix in (("train", ""), ("test", "test."))
    }
    reader = {"kind": "lines", "splits": sides, "control": "space", "drop_empty": True}
    reader["documents"] = {"offsets": {name: f"{name}.{form}" for name in sides}}
    settings = {"version": 1, "corpus": "mine", "source_language": "zh", "target_language": "en", "licence": "",
                "citation": "", "files": [], "expected": {}, "reader": reader,
                "most_shared": {"documents": 1, "pairs": 1}}  # fmt: skip
    start = time.perf_counter()
    read_corpus(parse(CorpusSettings, settings, "benchmark"), folder, folder / "out")
    seconds = time.perf_counter() - start
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return {"seconds": seconds, "cpu": usage.ru_utime + usage.ru_stime, "peak": usage.ru_maxrss / 1024}


def main() -> None:
    if sys.argv[1] == "--stage":
        print(json.dumps(stage(Path(sys.argv[2]), sys.argv[3], sys.argv[4] == "compared")))
        return
    folder, pairs = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    if not (folder / "test.groups").exists():
        make(folder, pairs)
    print("| documents | comparison | seconds (CPU) | peak, MiB |", "|---|---|---|---|", sep="\n")
    for form in ("episodes", "groups"):
        runs: dict[str, list[dict]] = {"none": [], "compared": []}
        for _ in range(REPEATS):
            for how, measured in runs.items():
                command = [sys.executable, __file__, "--stage", str(folder), form, how]
                measured.append(json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout))
        for how, measured in runs.items():
            middle = {name: median(run[name] for run in measured) for name in measured[0]}
            print(
                f"| {form} | {how} | {middle['seconds']:.1f} ({middle['cpu']:.1f}) | {middle['peak']:.0f} |", flush=True
            )


if __name__ == "__main__":
    main()
