"""A folder in which the examples of the Python API and its notebook run: the finished demo, and small files."""

import shutil
from pathlib import Path

import pytest
from helpers.support import Project

SOURCE = "他的母亲昨天打来电话。\n她问银行是不是开门。\n\n我们的船很小。\n"
ITEMS = (
    "item\tsource\ttarget\tcorrect\n"
    "1\t她笑了。 _eos 她很高兴。\tShe laughed. _eos She is happy.\t1\n"
    "1\t她笑了。 _eos 她很高兴。\tShe laughed. _eos He is happy.\t0\n"
)
PAIRS = "source\ttarget\tdocument\nGuten Tag.\tGood day.\ttalk1\nDanke.\tThank you.\ttalk1\n"
VECTORS = "3 2\nthe 1 0\ncat 0.5 1\nsat 0 1\n"


@pytest.fixture(scope="session")
def example_folder(finished_demo: Project, example_bert: Path, tmp_path_factory) -> Path:
    """A copy of the finished demo under the names that the demo has at its own scale, and the files of the examples."""
    folder = tmp_path_factory.mktemp("examples") / "project"
    # Another worker may be running snakemake in the demo: its locks come and go.
    shutil.copytree(finished_demo.root, folder, symlinks=True, ignore=shutil.ignore_patterns(".snakemake"))
    corpus = folder / "results/1_corpus"
    if not (corpus / "toy_zh-en").exists():
        (corpus / "toy_zh-en").symlink_to("toy_zh-en@smoke")
    (folder / "bert").symlink_to(example_bert)
    for name, text in (("source.txt", SOURCE), ("items.tsv", ITEMS), ("pairs.tsv", PAIRS), ("vectors.txt", VECTORS)):
        (folder / name).write_text(text, encoding="utf-8")
    return folder
