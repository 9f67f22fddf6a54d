"""What Snakemake says of a plan, what it is refused, and what a run leaves beside artifacts."""

import re
import shutil
from pathlib import Path

import pytest
from helpers.demo_changes import CONFIG, STUDY, sets, summary
from helpers.finished import finish_targets
from helpers.plans import closure, plan_of, to_make
from helpers.support import Project, planned

PAGE = "results/8_report/smoke/demo/quality.html"
CAPTION = sets("tables/quality/caption", "Other words.")
DECODING = sets("systems/lexical_chain/decode", {"length_penalty": "gnmt", "length_alpha": 0.7})


def files(project: Project) -> dict[Path, int]:
    """All files of the results and their times."""
    return {path: path.lstat().st_mtime_ns for path in (project.root / "results").rglob("*")}


@pytest.mark.parametrize("options", [("-n",), ("--summary",), ("-n", "-F")])
def test_nothing_is_written_where_nothing_runs(looks_finished: Project, options: tuple[str, ...]):
    DECODING(looks_finished)
    before = files(looks_finished)
    looks_finished.snakemake("demo", *options, check=True)
    assert files(looks_finished) == before


def test_the_summary_agrees_with_the_plan(looks_finished: Project):
    DECODING(looks_finished)
    lines = looks_finished.snakemake("--summary", "demo", check=True).stdout.splitlines()[1:]
    pending = {line.split("\t")[0] for line in lines if line.endswith("update pending")}
    done = looks_finished.snakemake("-n", "demo", check=True)
    outputs = re.findall(r"^ *output: (\S+)", done.stdout + done.stderr, re.MULTILINE)
    assert pending == {*outputs} and len(pending) == 24


@pytest.mark.slow
def test_to_touch_pretends_nothing(looks_finished: Project):
    """No file that is missing counts as made, and no artifact that is there as made again."""
    done = looks_finished.snakemake("--touch", "--forceall", "--cores", "1", "demo", check=True)
    assert "there before" in done.stderr and "made" not in re.findall(r"^docmt: .*$", done.stderr, re.MULTILINE)[0]
    assert to_make(looks_finished.root) == set()
    shutil.rmtree(looks_finished.root / "results")
    shutil.rmtree(looks_finished.root / ".snakemake")
    done = looks_finished.snakemake("--touch", "--cores", "1", "demo", check=True)
    assert "not reached" in done.stderr and len(to_make(looks_finished.root)) > 20
    assert summary(looks_finished, "demo")["train"] == 7


REFUSED = {
    "other triggers": (
        ("demo", "--rerun-triggers", "mtime", "params", "input"),
        "docmt: --rerun-triggers: with these triggers finished jobs would run again\n"
        "  found input mtime params; expected mtime params, as profiles/default states them\n"
        "  add --rerun-triggers mtime params\n",
    ),
    "until jobs that read each other": (
        ("demo", "--until", "train", "-F"),
        "docmt: --until train: Snakemake cannot end a run with jobs that read each other\n",
    ),
    "a page that no study has": (("results/8_report/smoke/demo/qualty.html",), "did you mean 'quality'?"),
    "a page of another scale": (
        (PAGE.replace("smoke", "paper"),),
        "a target of another scale\n  found scale paper; expected smoke, which this run has\n",
    ),
    "an id that nobody asks for": (
        ("results/5_training/toy_zh-en/han/seed1/0123456789/manifest.json",),
        "docmt: results/5_training/toy_zh-en/han/seed1/0123456789: the present settings ask for no such folder\n",
    ),
    "a system that nobody has": (
        ("results/5_training/toy_zh-en/hahn/seed1/0123456789/manifest.json",),
        "did you mean 'toy_zh-en/han'?",
    ),
    "a word that is no list": (("demo", "--config", "seeds=1"), "seeds: wrong type\n  found 1 (a whole number)"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_refused_in_words(looks_finished: Project, name: str):
    arguments, message = REFUSED[name]
    done = looks_finished.snakemake("-n", *arguments)
    assert done.returncode == 2 and message in done.stderr and "Traceback" not in done.stderr


def linked(project: Project) -> Path:
    return (project.root / PAGE).resolve().parent


def test_a_link_follows_the_page_there_and_back(looks_finished: Project):
    """Of a change back nothing is made but the link."""
    old = linked(looks_finished)
    content = (looks_finished.root / STUDY).read_bytes()
    CAPTION(looks_finished)
    finish_targets(looks_finished.root, "demo")
    assert planned(looks_finished, PAGE) == {"show"}
    looks_finished.snakemake("--cores", "1", PAGE, check=True)
    assert linked(looks_finished) != old and not planned(looks_finished, PAGE)
    (looks_finished.root / STUDY).write_bytes(content)
    assert planned(looks_finished, PAGE) == {"show"}
    looks_finished.snakemake("--cores", "1", PAGE, check=True)
    assert linked(looks_finished) == old


def test_a_library_of_another_version_makes_what_it_made(looks_finished: Project, monkeypatch: pytest.MonkeyPatch):
    from docmt.plan import plan

    versions, actual = {"sacrebleu": "0.0.1"}, plan.installed_version
    monkeypatch.setattr(plan, "installed_version", lambda name: versions.get(name) or actual(name))
    scored = {job.split()[0] for job in to_make(looks_finished.root)}
    assert scored == {"scores", "compare", "page", "front"}
    versions["jieba"] = "0.0.1"
    assert {"tokens", "train han"} <= to_make(looks_finished.root)


def test_two_names_of_one_job_have_one_folder(looks_finished: Project):
    study = looks_finished.read(STUDY) | {"study": "other", "figures": {}, "findings": []}
    looks_finished.write("workflow/studies/other.yaml", study)
    plan = plan_of(looks_finished.root)
    jobs = [job for job in closure(plan, "demo", "other") if job.step == "compare"]
    assert (len(jobs), len({plan.recipe(job).folder for job in jobs})) == (4, 2), "both studies have both tables"


TALKS = {
    "corpus": "talks_de-en",
    "about": "Our talks.",
    "source_language": "de",
    "target_language": "en",
    "licence": "ours alone",
    "citation": "none yet",
    "files": [{"name": "talks.tsv", "sources": ["my/talks.tsv"]}],
    "reader": {"kind": "table", "file": "talks.tsv", "split": "split"},
}
SYSTEMS_OF_USER = {
    "adopted": {"text": "truecase_separate4k", "translations": {"path": "my/lines.txt"}},
    "asked": {"text": "truecase_separate4k", "command": {"run": ["true"], "depends_on": ["my/program.py"]}},
}
"""Systems of files of the user's."""
CHANGED = {
    "translations": ("my/lines.txt", {"adopt adopted", "scores adopted", "page t", "page index"}),
    "a program": ("my/program.py", {"ask asked", "scores asked", "page t", "page index"}),
    "preferences": ("my/judged.json", {"page human", "page index"}),
    "a corpus": ("my/talks.tsv", {"corpus", "tokens", "aligner", "views", "train sentence", "translate sentence"}),
}


@pytest.fixture
def of_user(looks_finished: Project) -> Project:
    """A finished study of systems and preferences in files of the user's, and of a corpus in one."""
    for file, _ in CHANGED.values():
        looks_finished.write(file, "a\n")
    rows = [{"system": name} for name in SYSTEMS_OF_USER]
    tables = {"t": {"title": "T", "metrics": ["s-BLEU"], "rows": rows}}
    human = {"corpus": "toy_zh-en", "system": "adopted", "baseline": "asked", "sentences": 2}
    tables["human"] = {"title": "H", "kind": "human", **human, "rows": [{"label": "1", "annotator": 1}]}
    study = {"study": "own", "title": "Own", "corpora": ["toy_zh-en"], "systems": SYSTEMS_OF_USER, "tables": tables}
    looks_finished.write("workflow/studies/own.yaml", study)
    looks_finished.write("workflow/corpora/talks_de-en.yaml", TALKS)
    sentence = {"sentence": {"view": {"window": 1}}}
    table = {"t": {"title": "T", "metrics": ["s-BLEU"], "rows": [{"system": "sentence"}]}}
    talks = {"study": "talks", "title": "Talks", "corpora": ["talks_de-en"], "systems": sentence, "tables": table}
    looks_finished.write("workflow/studies/talks.yaml", talks)
    looks_finished.edit(CONFIG, "human", {"own": "my/judged.json"})
    looks_finished.edit(CONFIG, "scale", "paper")
    finish_targets(looks_finished.root, "own", "talks")
    return looks_finished


@pytest.mark.parametrize("name", CHANGED)
def test_a_changed_file_of_the_user_makes_what_was_made_from_it(of_user: Project, name: str):
    assert not planned(of_user, "own", "talks") - {"own", "talks", "show"}
    file, expected = CHANGED[name]
    of_user.write(file, "another\n")
    assert expected <= planned(of_user, "own", "talks")
    of_user.write(file, "a\n")
    assert to_make(of_user.root, "own", "talks") == set()
