"""A table, a figure or a passage is a target of its own: it is made from what it needs, and from nothing else."""

import csv
import json

import pytest
from helpers.command_line import output
from helpers.item_study import ITEMS, SENTENCES, add_item_study
from helpers.places import target
from helpers.plans import closure, plan_of, to_make
from helpers.support import Project, small_demo

from docmt.base.artifacts import read_json
from docmt.base.errors import UserError
from docmt.plan.plan import Job, Plan

PAGE = "results/8_report/smoke/mine/{}.html"
SHEET = "results/8_report/smoke/mine/human.sheet.csv"


@pytest.fixture
def mine(tmp_path) -> Project:
    """Nothing has been run yet."""
    project = small_demo(tmp_path / "project")
    add_item_study(project)
    return project


def job_labels(jobs: list[Job]) -> set[str]:
    """Rule and system, with the seed where it is not the first."""
    labels = []
    for job in jobs:
        seed = job.names.get("seed", "1")
        label = [job.step, job.names.get("system", "")] + ([] if seed == "1" else [f"seed{seed}"])
        labels.append(" ".join(label).strip())
    assert len(set(labels)) == len(labels)
    return set(labels)


TEXT = {"corpus", "tokens"}
SCORED = {*TEXT, "aligner", "page"}
"""What every score needs."""


def run_of(system: str, seed: str = "") -> set[str]:
    return {f"{rule} {system}{seed}" for rule in ("train", "translate", "contrastive", "scores")}


def chains(*rules: str) -> set[str]:
    """Of a model that reads lexical chains and starts from the sentence model: two views."""
    return {
        *TEXT,
        "chain_words",
        "chain_segments",
        "train sentence",
        *(f"{rule} lexical_chain" for rule in rules),
        "page",
    }


JOBS = {
    "quality": SCORED | run_of("sentence") | run_of("concat_3") | {"compare"},
    "ablation": SCORED | run_of("sentence") | run_of("sentence.smoother") | run_of("sentence.smoother", " seed2"),
    "speed": chains("train"),
    "gaps": {*TEXT, "train sentence", "train sentence.smoother", "train sentence.smoother seed2", "page"},
    "counts": {*TEXT, "chain_words", "chain_segments", "page"},
    "human": {"page"},
    "points": SCORED | run_of("sentence") | run_of("sentence.smoother") | run_of("sentence.smoother", " seed2"),
    "positions": SCORED | run_of("concat_3"),
    "curves": {*TEXT, "train sentence", "page"},
    "attention": chains("train", "inspect"),
    "latent": chains("train", "inspect"),
    "cases": SCORED | run_of("sentence") | run_of("concat_3"),
    "passages": {*TEXT, "train sentence", "train concat_3", "passage sentence", "passage concat_3", "page"},
}


def needed(plan: Plan, page: str) -> set[str]:
    """The labels of the jobs that a page is made from, and of its own; views are left out."""
    return job_labels([job for job in closure(plan, page) if job.step != "views"])


def test_a_single_target_schedules_only_what_it_needs(mine):
    plan = plan_of(mine.root)
    assert {item: needed(plan, PAGE.format(item)) for item in ITEMS} == JOBS
    expected = {f"{rule} {system}" for rule in ("train", "translate") for system in ("sentence", "concat_3")}
    assert needed(plan, SHEET) == {*TEXT, *expected, "sheet"}
    one_seed = target(mine, "7_scores/toy_zh-en/sentence.smoother/seed2")
    assert needed(plan, one_seed) == {*TEXT, "aligner"} | run_of("sentence.smoother", " seed2")
    with pytest.raises(
        UserError, match="this item has no sheet for annotators\n  found quality; expected a table of kind human"
    ):
        needed(plan, SHEET.replace("human", "quality"))


def test_the_page_of_the_study_is_made_of_all_items(mine):
    jobs = to_make(mine.root, "mine")
    assert {f"page {item}" for item in (*ITEMS, "index")} <= jobs
    assert {"train sentence.smoother", "scores concat_3", "compare quality", "sheet human"} <= jobs
    assert "scores sentence.beam1" not in jobs, "shown by its training alone"


def test_an_item_of_what_was_left_out_says_so(mine, programs):
    """The corpus of a figure needs a file that nobody has."""
    catalogue = mine.read("workflow/corpora/toy_zh-en.yaml")
    reader = {"kind": "eos", "splits": {split: {"source": f"{split}.zh", "target": f"{split}.en"} for split in SPLITS}}
    files = [{"name": f"{split}.{language}"} for split in SPLITS for language in ("zh", "en")]
    mine.write("workflow/corpora/toy_zh-en.yaml", {**catalogue, "reader": reader, "files": files, "contrastive": False})
    mine.edit("config.yaml", "scale", "paper")
    page = PAGE.format("points").replace("smoke", "paper")
    refused = mine.snakemake("-n", page)
    assert refused.returncode == 2 and "train.zh" in refused.stderr
    done = mine.snakemake("--cores", "1", "mine", check=True, programs=programs)
    assert "train" not in done.stdout
    records = json.loads((mine.root / page).with_suffix(".json").read_text())["records"]
    assert {record["status"] for record in records} == {"not run: toy_zh-en is missing: train.zh and 5 more files"}


SPLITS = ("train", "dev", "test")


def logs(project: Project, stage: str) -> set:
    """The logs of the jobs of a stage, one for each attempt."""
    return {*project.root.glob(f"results/{stage}/**/log.*.txt")}


def test_items_of_what_was_run_are_made_at_once(demo, programs):
    """Of the demo's models: passages are translated, everything else is there."""
    add_item_study(demo)
    judged = {"signature": "preference|v:1", "average": {"equal": 50, "better": 30, "worse": 20}}
    judged["annotators"] = [{"annotator": "a.csv", "equal": 40, "better": 40, "worse": 20}]
    (demo.root / "judged.json").write_text(json.dumps(judged))
    demo.edit("config.yaml", "human", {"mine": "judged.json"})
    items = ("quality", "counts", "human", "cases", "passages")
    before = logs(demo, "5_training")
    demo.snakemake("--cores", "2", *map(PAGE.format, items), check=True, programs=programs)
    assert logs(demo, "5_training") == before != set()
    folder = demo.root / "results/8_report/smoke/mine"
    names = ("html", "json", "csv", "parquet")
    exported = {f"{item}.{name}" for item in ("quality", "counts", "human") for name in ("tex", "md")}
    files = {f"{item}.{name}" for item in items for name in names} | exported
    assert {path.name for path in folder.iterdir() if path.is_symlink()} == files
    rows = {item: list(csv.DictReader((folder / f"{item}.csv").open(encoding="utf-8"))) for item in items}
    assert {row["status"] for item in ("quality", "counts", "human") for row in rows[item]} == {"measured"}
    assert [row["p"] != "" for row in rows["quality"]] == [False, True]
    measured = [row for row in rows["passages"] if row["kind"] == "measured"]
    assert [(row["label"], row["document"], row["sentence"]) for row in measured] == [
        (label, document, sentence)
        for document, sentences in (("1", SENTENCES), ("2", SENTENCES[:1]))
        for label in ("Sys0", "Sys1")
        for sentence in map(str, range(1, len(sentences) + 1))
    ]
    assert all(row["text"] for row in measured)


def test_a_sheet_is_drawn_from_finished_translations_and_filled_in(demo, programs):
    """Each annotator always prefers the second translation; the key alone says whose it is."""
    add_item_study(demo)
    before = logs(demo, "6_translations")
    demo.snakemake("--cores", "2", SHEET, check=True, programs=programs)
    assert logs(demo, "6_translations") == before != set()
    sheet = demo.root / SHEET
    key = read_json(sheet.with_suffix(".key.json"))
    assert (key["baseline"], key["system"], len(key["items"])) == ("sentence", "concat_3", 7)
    text = sheet.read_text(encoding="utf-8")
    assert "concat_3" not in text and "concat_3" not in sheet.with_suffix(".html").read_text(encoding="utf-8")
    (demo.root / "anna.csv").write_text(text.replace('""\n', '"2"\n'), encoding="utf-8")
    files = (demo.root / "anna.csv", "--key", sheet.with_suffix(".key.json"))
    judged = json.loads(output("read-sheets", *files, "--json"))
    better = 100 * sum(item["first"] == "baseline" and not item["filled"] for item in key["items"]) / 7
    assert judged["average"]["better"] == pytest.approx(better)
    assert "Nothing to be done" in demo.snakemake("-n", SHEET, check=True).stdout
