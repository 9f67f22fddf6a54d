"""The how-tos on the report, the store and a paper's table are carried out, on results that other tests have made."""

import pytest
from helpers.how_to import carry_out_with_forks
from helpers.support import ROOT, Project, need

PAGES = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "docs/how-to").glob("*.md")}


@pytest.mark.timeout(600)
def test_artifacts_are_shared_as_the_page_says(demo: Project):
    need("ssh-keygen")
    carry_out_with_forks(PAGES["share-artifacts"], demo)
    assert (demo.root.parent / "second/results/8_report/smoke/demo/what_context_decides.html").is_file()
