"""Files that nobody has are named before any job; the rest goes on where config.yaml says so."""

import json

import pytest
from helpers.plans import to_make
from helpers.support import Project, planned

SCORES = "results/7_scores/paper/{corpus}/sentence/seed1/scores.json"
CORPUS = """\
corpus: {name}
about: a corpus
source_language: zh
target_language: en
licence: none
citation: none
files:
  - {{name: {name}.zh, obtain: Ask for {name}.}}
  - {{name: {name}.en, obtain: Ask for {name}.}}
reader:
  kind: lines
  splits:
    train: {{source: {name}.zh, target: {name}.en}}
    dev: {{source: {name}.zh, target: {name}.en}}
    test: {{source: {name}.zh, target: {name}.en}}
most_shared: {{documents: 1, pairs: 1}}
"""


@pytest.fixture
def studies(project) -> Project:
    """A study of the toy corpus and of two that only a person can bring, and one of the latter alone."""
    for name in ("mine", "yours"):
        project.write(f"workflow/corpora/{name}.yaml", CORPUS.format(name=name))
    study = project.read("workflow/studies/demo.yaml")
    study |= {"systems": {"sentence": study["systems"]["sentence"]}, "figures": {}}
    rows = [{"system": "sentence", "published": {"mine": {"s-BLEU": 20.0}}}]
    tables = {"t": {"title": "T", "metrics": ["s-BLEU"], "rows": rows}}
    first = {**study, "study": "first", "corpora": ["toy_zh-en", "mine"], "tables": tables}
    project.write("workflow/studies/first.yaml", first)
    project.write("workflow/studies/second.yaml", {**study, "study": "second", "corpora": ["yours"], "tables": {}})
    project.edit("config.yaml", "studies", ["first", "second"])
    return project


def test_all_that_is_missing_for_all_is_one_message(studies):
    done = studies.snakemake("-n", "all")
    assert done.returncode == 2
    message = done.stderr[done.stderr.index("docmt: ") :]
    assert message == (
        "docmt: files are missing that have no public source\n"
        "  found \n"
        "    mine, to be put into results/1_corpus/mine/downloads/\n"
        "      mine.zh, mine.en\n"
        "        Ask for mine.\n"
        "    yours, to be put into results/1_corpus/yours/downloads/\n"
        "      yours.zh, yours.en\n"
        "        Ask for yours.\n"
        "  put each file into its folder above, or name folders that hold them by these names: `mirror: FOLDER`, or "
        "`local: {mine: FOLDER}` (any layout). `missing: skip` goes on without these corpora.\n"
    )
    assert not (studies.root / "results").exists()


def test_only_what_was_asked_for_is_named(studies):
    done = studies.snakemake("-n", SCORES.format(corpus="yours"))
    assert done.returncode == 2
    assert "yours.zh" in done.stderr and "mine.zh" not in done.stderr


def test_what_needs_no_missing_file_is_planned(studies):
    jobs = planned(studies, SCORES.format(corpus="toy_zh-en"))
    assert "scores sentence" in jobs and "download" not in jobs


def test_skipping_leaves_a_corpus_out_of_all_and_not_out_of_what_names_it(studies):
    skip = ("--config", "missing=skip")
    done = studies.snakemake("-n", "all", *skip, check=True)
    assert "corpus=toy_zh-en" in done.stdout and "corpus=mine" not in done.stdout and "corpus=yours" not in done.stdout
    asked = studies.snakemake("-n", SCORES.format(corpus="mine"), *skip)
    assert asked.returncode == 2
    assert "mine.zh, mine.en" in asked.stderr


def test_files_in_a_folder_of_ones_own_are_found(studies, tmp_path):
    for name in ("mine", "yours"):
        for language in ("zh", "en"):
            path = tmp_path / "ldc" / name / "deep" / f"{name}.{language}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("a\nb\n\nc\n")
    studies.edit("config.yaml", "local", {name: str(tmp_path / "ldc") for name in ("mine", "yours")})
    done = studies.snakemake("--cores", "1", "results/1_corpus/mine/card.json", check=True)
    assert "Traceback" not in done.stderr
    card = json.loads((studies.root / "results/1_corpus/mine/card.json").read_text())
    assert card["splits"]["train"]["sentences"] == 3
    studies.edit("config.yaml", "local", {})
    target = "results/1_corpus/mine/card.json"
    assert to_make(studies.root, target) == set(), "where a file came from is no setting of a job"


def test_a_local_folder_of_an_unknown_corpus_is_refused(studies):
    studies.edit("config.yaml", "local", {"mien": "/data"})
    done = studies.snakemake("-n")
    assert done.returncode == 2
    assert "did you mean 'mine'?" in done.stderr


def test_the_report_of_a_study_without_files_says_so(studies):
    """`second` has one corpus, which is missing: nothing runs, and its page says why."""
    done = studies.snakemake("--cores", "1", "second", "--config", "missing=skip", check=True)
    assert "train" not in done.stdout
    page = (studies.root / "results/8_report/paper/second/index.html").read_text()
    assert "yours is missing: yours.zh, yours.en" in page
