"""Files that nobody has are named before any job; the rest goes on where config.yaml says so."""

import json

import pytest
from helpers.places import target
from helpers.plans import to_make
from helpers.support import Project, small_demo

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
def studies(tmp_path) -> Project:
    """A study of the toy corpus and of two that only a person can bring, and one of the latter alone."""
    project = small_demo(tmp_path / "project")
    project.edit("config.yaml", "scale", "paper")
    for name in ("mine", "yours"):
        project.write(f"workflow/corpora/{name}.yaml", CORPUS.format(name=name))
    study = project.read("workflow/studies/demo.yaml")
    study |= {"systems": {"sentence": study["systems"]["sentence"]}, "figures": {}, "findings": []}
    rows = [{"system": "sentence", "published": {"mine": {"s-BLEU": 20.0}}}]
    tables = {"t": {"title": "T", "metrics": ["s-BLEU"], "rows": rows}}
    first = {**study, "study": "first", "corpora": ["toy_zh-en", "mine"], "tables": tables}
    project.write("workflow/studies/first.yaml", first)
    project.write("workflow/studies/second.yaml", {**study, "study": "second", "corpora": ["yours"], "tables": {}})
    project.edit("config.yaml", "studies", ["first", "second"])
    return project


def scores(studies: Project, corpus: str) -> str:
    return target(studies, f"7_scores/{corpus}/sentence/seed1")


def test_all_that_is_missing_for_all_is_one_message(studies):
    done = studies.snakemake("-n", "all", "--config", "missing=stop")
    assert done.returncode == 2
    message = done.stderr[done.stderr.index("docmt: ") :]
    assert message == (
        "docmt: files are missing that docmt cannot download\n"
        "  found \n"
        "    mine, to be put into results/1_corpus/mine/downloads/\n"
        "      mine.zh, mine.en\n"
        "        Ask for mine.\n"
        "    yours, to be put into results/1_corpus/yours/downloads/\n"
        "      yours.zh, yours.en\n"
        "        Ask for yours.\n"
        "  put each file into its folder above, or name folders that hold them by these names: `mirror: FOLDER`, or "
        "`local: {mine: FOLDER}` (any layout). With `missing: skip`, `all` and studies go on without them.\n"
    )
    assert not (studies.root / "results").exists()


def test_only_what_was_asked_for_is_named(studies):
    done = studies.snakemake("-n", scores(studies, "yours"))
    assert done.returncode == 2
    assert "yours.zh" in done.stderr and "mine.zh" not in done.stderr


def test_all_leaves_a_corpus_out_and_a_target_that_names_it_is_refused(studies):
    done = studies.snakemake("-n", "all", check=True)
    assert "corpus=toy_zh-en" in done.stdout and "corpus=mine" not in done.stdout and "corpus=yours" not in done.stdout
    lines = [line for line in done.stderr.splitlines() if "left out" in line]
    assert lines == [
        "docmt: left out: 1 run: mine is missing: mine.zh, mine.en. Ask for mine.",
        "docmt: left out: 1 run: yours is missing: yours.zh, yours.en. Ask for yours.",
    ]
    for name in (scores(studies, "mine"), "results/8_report/paper/first/t.html"):
        asked = studies.snakemake("-n", name)
        assert asked.returncode == 2
        assert "mine.zh, mine.en" in asked.stderr
    assert studies.snakemake("-n", "results/8_report/paper/first/index.html").returncode == 0


def test_a_checkpoint_is_left_out_until_the_user_agrees_to_its_size(studies):
    study = studies.read("workflow/studies/first.yaml")
    study["systems"]["started"] = {"extends": "sentence", "text": "mbart25", "pretrained": "models/mbart25"}
    study["systems"]["started"]["corpora"] = ["toy_zh-en"]
    studies.write("workflow/studies/first.yaml", study)
    studies.edit("config.yaml", "studies", ["first"])
    done = studies.snakemake("-n", "all", check=True)
    assert "system=started" not in done.stdout
    assert "models/mbart25 is missing: a pretrained model. `fetch_checkpoints: true`" in done.stderr
    refused = studies.snakemake("-n", "first.trainings", "--config", "missing=stop")
    assert refused.returncode == 2
    assert "models/mbart25, a pretrained model\n        `fetch_checkpoints: true` in config.yaml" in refused.stderr
    done = studies.snakemake("-n", "all", "--config", "fetch_checkpoints=true", check=True)
    assert "system=started" in done.stdout and "mbart25 is missing" not in done.stderr
    assert studies.snakemake("-n", "first.trainings", "--config", "fetch_checkpoints=true").returncode == 0


def test_files_in_a_folder_of_ones_own_are_found(studies, tmp_path, programs):
    for name in ("mine", "yours"):
        for language in ("zh", "en"):
            path = tmp_path / "ldc" / name / "deep" / f"{name}.{language}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("a\nb\n\nc\n")
    studies.edit("config.yaml", "local", {name: str(tmp_path / "ldc") for name in ("mine", "yours")})
    corpus = target(studies, "1_corpus/mine")
    done = studies.snakemake("--cores", "1", corpus, check=True, programs=programs)
    assert "Traceback" not in done.stderr
    card = json.loads((studies.root / corpus).with_name("card.json").read_text())
    assert card["splits"]["train"]["sentences"] == 3
    studies.edit("config.yaml", "local", {})
    assert to_make(studies.root, corpus) == set(), "where a file came from is no setting of a job"


def test_files_that_a_person_put_among_the_downloads_survive_a_forced_run(studies, programs):
    downloads = studies.root / "results/1_corpus/mine/downloads"
    downloads.mkdir(parents=True)
    for language in ("zh", "en"):
        (downloads / f"mine.{language}").write_text("a\nb\n\nc\n")
    corpus = target(studies, "1_corpus/mine")
    for options in ((), ("-F",)):
        studies.snakemake("--cores", "1", corpus, *options, check=True, programs=programs)
        assert (downloads / "mine.zh").read_text() == "a\nb\n\nc\n"
    lock = json.loads((studies.root / "results/checksums.lock.json").read_text())
    assert lock.keys() == {"mine/mine.zh", "mine/mine.en"}
    (downloads / "mine.zh").write_text("d\nb\n\nc\n")
    refused = studies.snakemake("--cores", "1", "-F", target(studies, "1_corpus/mine"), programs=programs)
    assert refused.returncode == 1
    assert "another file than the catalogue or the first download" in refused.stderr
    assert "results/checksums.lock.json:3 states" in refused.stderr
    assert (downloads / "mine.zh").read_text() == "d\nb\n\nc\n"


def test_the_report_of_a_study_without_files_says_so(studies, programs):
    """`second` has one corpus, which is missing: nothing runs, and its page says why."""
    done = studies.snakemake("--cores", "1", "second", check=True, programs=programs)
    assert "train" not in done.stdout
    line = "docmt: left out: 1 run: yours is missing: yours.zh, yours.en. Ask for yours.\n"
    assert done.stderr.count(line) == 2, "before the first job, and at the end"
    page = (studies.root / "results/8_report/paper/second/index.html").read_text()
    assert "<li>yours is missing: yours.zh, yours.en. Ask for yours.</li>" in page
