"""The sessions of the pages that explain run as they stand."""

import doctest

import pytest
from helpers.support import ROOT

PAGES = {path.stem: path for path in (ROOT / "docs/explanation").glob("*.md") if ">>> " in path.read_text("utf-8")}


@pytest.mark.parametrize("name", sorted(PAGES))
def test_its_sessions_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = PAGES[name].read_text("utf-8").replace("\n```\n", "\n\n")
    session = doctest.DocTestParser().get_doctest(text, {}, name, str(PAGES[name]), 0)
    assert len(session.examples) > 5
    report: list[str] = []
    assert doctest.DocTestRunner().run(session, out=report.append).failed == 0, "".join(report)
