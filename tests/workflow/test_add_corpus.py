"""A corpus that `docmt add-corpus` names is trained on: at scale smoke on generated text, and on its own files."""

import csv
import sys
from pathlib import Path
from random import Random

import pytest
from helpers.public_hosts import PublicHosts, public_hosts
from helpers.reader_files import tar_bytes, zip_bytes
from helpers.support import Project, quick_smoke, run

from docmt.corpus.forms.sacrebleu import known_set
from docmt.corpus.toy.stories import draw_story

OPUS = "https://object.pouta.csc.fi/OPUS-News-Commentary/v16/moses/en-zh.txt.zip"
STEM = "News-Commentary.en-zh"
SYSTEM = {
    "text": "lower_separate8k",
    "view": {"window": 1},
    "model": {
        "kind": "transformer",
        "embeddings": "target",
        "width": 32,
        "inner": 64,
        "heads": 2,
        "encoder_layers": 1,
        "decoder_layers": 1,
    },
    "train": {"max_updates": 6, "validate_every_updates": 3, "warmup_updates": 2, "tokens_per_update": 512},
}

Story = list[tuple[str, str]]


def stories(number: int, seed: str) -> list[Story]:
    return [draw_story(6, 12, Random(f"{seed}{index}")).pairs() for index in range(number)]


def opus_zip(documents: list[Story]) -> bytes:
    """The zip of a pair in the layout that OPUS describes: two texts, and four columns of `.ids`."""
    rows = [(number, line, *pair) for number, rows in enumerate(documents) for line, pair in enumerate(rows, 1)]
    return zip_bytes(
        {
            "README": "News-Commentary v16",
            f"{STEM}.zh": "".join(f"{source}\n" for _, _, source, _ in rows),
            f"{STEM}.en": "".join(f"{target}\n" for *_, target in rows),
            f"{STEM}.ids": "".join(f"en/a-{n}.xml.gz\tzh/a-{n}.xml.gz\t{line}\t{line}\n" for n, line, *_ in rows),
        }
    )


def sgm(documents: list[Story], side: int) -> str:
    lines = ['<srcset setid="newstest2020" srclang="zh">']
    for number, rows in enumerate(documents):
        lines += [f'<doc sysid="x" docid="news.{number}" genre="news" origlang="zh">', "<p>"]
        lines += [f'<seg id="{line}">{pair[side]}</seg>' for line, pair in enumerate(rows, 1)] + ["</p>", "</doc>"]
    return "\n".join([*lines, "</srcset>", ""])


def add(project: Project, *arguments: str) -> str:
    """Add a corpus by the command, and return its name."""
    printed = run([Path(sys.executable).with_name("docmt"), "add-corpus", *arguments], project.root, check=True).stdout
    path = printed.splitlines()[0]
    value = project.read(path)
    for file in value["files"]:  # generated, so that they have other digests than the public files
        for key in ("sha256", "md5", "size"):
            file.pop(key, None)
    project.write(path, {**value, "most_shared": {"documents": 1, "pairs": 1}})
    return value["corpus"]


def add_news(project: Project, hosts: PublicHosts) -> str:
    project.edit("config.yaml", "hosts", hosts.stand_ins())
    return add(project, "opus:News-Commentary/v16/zh-en", "--test", "sacrebleu:wmt20/tworefs/zh-en")


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_an_added_corpus_is_trained_on(project):
    test = stories(5, "test")
    archive = {
        "sgm/newstest2020-zhen-src.zh.sgm": sgm(test, 0),
        "sgm/newstest2020-zhen-ref.en.sgm": sgm(test, 1),
        "sgm/newstestB2020-zhen-ref.en.sgm": sgm(test, 1),
    }
    (wmt,) = known_set("wmt20/tworefs", "zh-en").data
    with public_hosts({OPUS: opus_zip(stories(220, "opus")), wmt: tar_bytes(archive)}) as hosts:
        corpus = add_news(quick_smoke(project), hosts)
        table = {"title": "t", "metrics": ["s-BLEU"], "rows": [{"system": "sentence"}]}
        study = {"study": "added", "title": "t", "about": "a", "corpora": [corpus]}
        project.write(
            "workflow/studies/added.yaml", {**study, "systems": {"sentence": SYSTEM}, "tables": {"quality": table}}
        )
        for scale in ("smoke", "paper"):
            page = f"results/8_report/{scale}/added/quality"
            project.snakemake("--cores", "2", f"{page}.html", "--config", f"scale={scale}", check=True)
            with (project.root / f"{page}.csv").open(encoding="utf-8", newline="") as stream:
                assert [(row["corpus"], row["status"]) for row in csv.DictReader(stream)] == [(corpus, "measured")]
    assert OPUS in hosts.answered
