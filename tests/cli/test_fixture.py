"""`docmt make-fixture` of a corpus file, and `docmt job fixture` of a recipe."""

from pathlib import Path

import pytest
from helpers.recipes import write_recipe
from helpers.support import docmt

CATALOGUE = "workflow/corpora/ted_fr-en.yaml"


def test_a_corpus_of_the_catalogue_is_made_and_validated(project):
    done = docmt("make-fixture", "--catalogue", CATALOGUE, "--output", "made", cwd=project.root, check=True)
    assert done.stdout == "made: 2015-01.tgz\n"
    assert [path.name for path in (project.root / "made").iterdir()] == ["2015-01.tgz"]
    printed = docmt("check-corpus", CATALOGUE, "--files", "made", cwd=project.root, check=True).stdout
    counts = {line.split()[0]: line.split()[1] for line in printed.splitlines()}
    assert (counts["train"], counts["dev"], counts["test"]) == ("60", "8", "8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("make-fixture",), "Missing option '--catalogue'"),
        (("make-fixture", "--catalogue", CATALOGUE, "--settings", "job.json"), "No such option: --settings"),
        (("make-fixture", "--catalogue", "workflow/corpora/none.yaml"), "workflow/corpora/none.yaml: file not found"),
        (
            ("job",),
            "job.json: not the settings of a fixture\n  found settings of the corpus mine itself",
        ),
    ],
)
def test_what_is_refused(project, arguments, message):
    settings = {"corpus": "mine", "source_language": "zh", "target_language": "en", "licence": "none",
                "citation": "none", "files": [], "reader": {"kind": "toy"}, "expected": {}}  # fmt: skip
    words = write_recipe(project.root / "mine", "fixture", settings)
    done = docmt(*(words if arguments[0] == "job" else (*arguments, "--output", "made")), cwd=project.root)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert message in done.stderr
    assert not (project.root / "made").exists()
    assert {path.name for path in Path(words[-1]).iterdir()} <= {"job.json", "log.1.txt"}
