"""Files that GitHub and readers of the project use: CI, forms, citation, changelog, and where they name commands."""

import re
import tomllib

import pytest
import yaml
from helpers.support import ROOT

from docmt.base.version import VERSION
from docmt.cli.commands import FOR_YOU, STORE

GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PINNED = re.compile(r"[\w-]+/[\w-]+@v\d+\.\d+\.\d+")


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def readme_commands() -> list[str]:
    """The two commands at the start of README.md."""
    return [block.strip() for block in re.findall(r"```bash\n(.*?)```", text("README.md"), re.DOTALL)[:2]]


def steps_of(workflow: dict) -> list[dict]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def load(path) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_ci_calls_exactly_the_two_commands_of_readme():
    runs = [step["run"] for step in steps_of(load(GITHUB / "workflows/ci.yml")) if "run" in step]
    first, second = readme_commands()
    assert runs == [first, ".ci/programs", second]
    assert text(".ci/run").splitlines()[-2:] == [".ci/programs", second]


def test_contributors_are_told_the_two_commands_of_readme():
    blocks = [block.strip() for block in re.findall(r"```bash\n(.*?)```", text("CONTRIBUTING.md"), re.DOTALL)]
    assert blocks[:2] == readme_commands()


def test_scripts_of_ci_can_be_run():
    assert all((ROOT / ".ci" / name).stat().st_mode & 0o111 for name in ("run", "programs"))


def test_the_site_is_built_strictly_with_the_pins_and_published():
    workflow = load(GITHUB / "workflows/docs.yml")
    runs = [step["run"] for step in steps_of(workflow) if "run" in step]
    assert runs == [
        'pip install -c pins.txt -e ".[docs]"',
        "python docs/generate.py --check",
        "mkdocs build --strict",
    ]
    published = workflow["jobs"]["publish"]
    assert published["needs"] == "build" and published["permissions"] == {"pages": "write", "id-token": "write"}
    assert [step["uses"].split("@")[0] for step in published["steps"]] == ["actions/deploy-pages"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_has_the_keys_that_github_needs(path):
    workflow = load(path)
    assert {"name", "permissions", "jobs"} <= set(workflow)
    assert True in workflow, "`on`, which YAML 1.1 reads as true"
    for job in workflow["jobs"].values():
        assert {"runs-on", "steps"} <= set(job)
    for step in steps_of(workflow):
        assert ("uses" in step) != ("run" in step)
        assert "uses" not in step or PINNED.fullmatch(step["uses"]), "an action has a whole version"


def test_forms_name_commands_that_exist():
    known = {name for sections in (FOR_YOU, STORE) for section in sections.values() for name in section}
    texts = [path.read_text(encoding="utf-8") for path in GITHUB.rglob("*.*")]
    named = {name for part in texts for name in re.findall(r"`docmt ([a-z][a-z-]+)", part)}
    assert named and named <= known


def test_files_that_the_pull_request_form_names_are_there():
    names = re.findall(r"`([\w./-]+\.(?:md|yaml|py))`", text(".github/PULL_REQUEST_TEMPLATE.md"))
    assert names and all((ROOT / name).is_file() for name in names)


def test_the_citation_is_that_of_this_version():
    citation = yaml.safe_load(text("CITATION.cff"))
    assert citation["cff-version"] == "1.2.0" and citation["message"] and citation["title"].startswith("docmt")
    assert citation["authors"] == [{"name": "The docmt developers"}]
    assert citation["version"] == VERSION and citation["license"] == PROJECT["license"]
    (address,) = re.findall(r"^repo_url: (\S+)$", text("mkdocs.yml"), re.MULTILINE)
    assert citation["repository-code"] == address


def test_the_changelog_has_this_version():
    """The form of Keep a Changelog: what is not released first, then each version with its date, newest first."""
    headings = re.findall(r"^## (.+)$", text("CHANGELOG.md"), re.MULTILINE)
    assert headings[0] == "[Unreleased]"
    released = [re.fullmatch(r"\[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)", heading) for heading in headings[1:]]
    assert all(released) and released[0][1] == VERSION
    dates = [match[2] for match in released]
    assert dates == sorted(dates, reverse=True)
    kinds = set(re.findall(r"^### (.+)$", text("CHANGELOG.md"), re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
