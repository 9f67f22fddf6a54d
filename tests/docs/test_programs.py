"""The page about programs beside docmt is carried out as it stands, and states every setting."""

import dataclasses
import re

import pytest
from helpers.how_to import carry_out_with_forks
from helpers.support import ROOT, keep_studies, quick_smoke

from docmt.settings.external import CommandTranslations

PAGE = (ROOT / "docs/reference/programs.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_example_translates(project):
    carry_out_with_forks(
        re.sub(r"```json\n.*?```\n", "", PAGE, flags=re.DOTALL), quick_smoke(keep_studies(project, "demo"))
    )
    (translated,) = (project.root / "results/6_asked/toy_zh-en/service/seed1").glob("*/test.txt")
    lines = translated.read_text(encoding="utf-8")
    assert re.fullmatch(r"(\d+ characters\.\n)+", lines)
    page = (project.root / "results/8_report/smoke/service/index.html").read_text(encoding="utf-8")
    assert "python3 translate.py, by numbers" in page


def test_the_page_states_every_setting():
    rows = re.findall(r"^\| `(\w+)` \| (?:`(\w+)` )?\| (.*) \|$", PAGE, re.MULTILINE)
    fields = [field for field in dataclasses.fields(CommandTranslations) if field.name != "kind"]
    defaults = {False: "false", (): "", 600.0: "600"}
    assert rows == [
        (field.name, str(defaults.get(field.default, field.default)), field.metadata["about"]) for field in fields
    ]
