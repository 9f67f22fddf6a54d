"""`docmt check-catalogue`, as a command."""

import json

from helpers.support import Project, docmt

CORPUS = {
    "corpus": "mine",
    "about": "a corpus",
    "source_language": "zh",
    "target_language": "en",
    "licence": "none",
    "citation": "none",
    "files": [{"name": "mine.zh", "sources": []}, {"name": "mine.en", "sources": []}],
    "reader": {"kind": "lines", "splits": {"dev": {"source": "mine.zh", "target": "mine.en"}}},
    "published": [{"paper": "P", "place": "Table 1", "counts": {"dev": {"documents": 2, "sentences": "1.2K"}}}],
}


def write_corpus(project: Project, **changes: object) -> None:
    project.write("workflow/corpora/mine.yaml", {**CORPUS, **changes})
    for name in ("mine.zh", "mine.en"):
        (project.root / name).write_text("a\nb\n\nc\n")


def check(project: Project, *arguments: str):
    return docmt("check-catalogue", "mine", "--mirror", str(project.root), *arguments, cwd=project.root)


def test_a_difference_that_nobody_explains_is_status_2(project):
    write_corpus(project)
    done = check(project)
    assert done.returncode == 2, done.stderr
    assert done.stdout.splitlines() == [
        "mine",
        "  split  count      measured  published  paper",
        "  dev    documents  2         2          P, Table 1  equal",
        "  dev    sentences  3         1.2K       P, Table 1  DIFFERS, not explained",
    ]


def test_a_difference_that_is_explained_is_shown_with_its_reason(project):
    write_corpus(project, published=[{**CORPUS["published"][0], "why": {"sentences": "a slip"}}])
    done = check(project)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-2:] == [
        "  dev    sentences  3         1.2K       P, Table 1  differs, explained [1]",
        "  [1] a slip",
    ]


def test_what_is_not_here_is_named(project):
    write_corpus(project)
    (project.root / "mine.en").unlink()
    done = check(project)
    assert (done.returncode, done.stdout) == (0, "mine\n  not read: dev (not here: mine.en)\n")


def test_a_corpus_that_cannot_be_read_is_status_2(project):
    write_corpus(project)
    (project.root / "mine.en").write_text("a\n\nc\n")
    done = check(project)
    assert done.returncode == 2
    assert done.stdout == "mine\n  problem: mine.en:2: document boundary on one side only\n"
    assert done.stderr == ""


def test_a_check_as_json(project):
    write_corpus(project)
    (report,) = json.loads(check(project, "--json").stdout)
    assert [(row["count"], row["measured"], row["verdict"]) for row in report["findings"]] == [
        ("documents", 2, "equal"),
        ("sentences", 3, "unexplained"),
    ]


def test_an_unknown_corpus_is_refused(project):
    done = docmt("check-catalogue", "ted_zh-em", cwd=project.root)
    assert done.returncode == 2
    assert "did you mean 'ted_zh-en'?" in done.stderr
