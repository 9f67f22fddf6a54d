"""The report of Snakemake has our pages: it is made from finished files, and changes none of them."""

import base64
import json
import re
from pathlib import Path

import pytest
from helpers.support import Project

FOLDER = "results/8_report/smoke/demo"


@pytest.fixture(autouse=True)
def _all_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Finished jobs are in the graph, as the how-to says."""
    monkeypatch.setenv("DOCMT_GRAPH", "1")


def packed(report: Path, name: str) -> dict:
    """A value of JSON that the page of a report assigns to a variable."""
    text = report.read_text(encoding="utf-8")
    return json.loads(re.search(rf'<script id="{name}">\s*var {name} = (.*);\n', text)[1])


def state(project: Project) -> dict[str, tuple[int, int]]:
    files = [path for path in (project.root / "results").rglob("*") if path.is_file()]
    return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in files}


def test_the_report_of_the_demo_has_each_page_once(demo):
    before = state(demo)
    demo.snakemake("--report", "report.html", check=True)
    report, config = demo.root / "report.html", demo.read("workflow/studies/demo.yaml")
    names = ["index", *config["tables"], *config["figures"]]
    results = packed(report, "results")
    assert results.keys() == {*(f"{FOLDER}/{name}.html" for name in names), "results/report@smoke.html"}
    for path, result in results.items():
        assert base64.b64decode(result["data_uri"].rpartition(",")[2]) == (demo.root / path).read_bytes()
        assert result["labels"] == {"page": path.removeprefix("results/")}
    assert packed(report, "categories").keys() == {"demo", "results"}
    assert state(demo) == before


def test_the_report_of_an_item_has_this_item_alone(demo):
    demo.snakemake("--report", "report.html", f"{FOLDER}/quality.html", check=True)
    assert {*packed(demo.root / "report.html", "results")} == {f"{FOLDER}/quality.html"}


def test_a_page_that_is_not_there_is_named(demo):
    (demo.root / FOLDER / "quality.html").unlink()
    done = demo.snakemake("--report", "report.html")
    assert done.returncode == 1
    assert f"File {FOLDER}/quality.html marked for report but does not exist" in done.stdout + done.stderr
    assert not (demo.root / "report.html").exists()
