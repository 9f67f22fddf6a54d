"""Paths under results/: one place spells them, and what it gives is what rules and jobs mean."""

import ast
import re
from pathlib import Path

import pytest
from helpers.support import ROOT

from docmt.base import paths

STAGE = re.compile(r"\b\d_(" + "|".join(stage[2:] for stage in paths.FOLDERS) + r")\b(?!\.smk)")
SPELLS = ROOT / "docmt/base/paths.py"
RULES = [ROOT / "Snakefile", *sorted((ROOT / "workflow/rules").glob("*.smk"))]


def texts(file: Path) -> list[str]:
    """The texts of a Python file, those of f-strings among them, without what stands as a docstring."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    constants = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in prose)
    return [node.value for node in constants if isinstance(node.value, str)]


def spelt(strings: list[str]) -> list[str]:
    return [text for text in strings if STAGE.search(text)]


def test_no_module_spells_a_stage_folder():
    modules = [file for file in sorted((ROOT / "docmt").rglob("*.py")) if file != SPELLS]
    assert {str(file): spelt_paths for file in modules if (spelt_paths := spelt(texts(file)))} == {}


@pytest.mark.parametrize("file", RULES, ids=lambda file: file.name)
def test_no_rule_spells_a_stage_folder(file):
    code = [line for line in file.read_text(encoding="utf-8").splitlines() if not line.lstrip().startswith("#")]
    assert spelt(code) == []


def test_a_spelt_folder_is_found(tmp_path):
    module = tmp_path / "module.py"
    module.write_text('"""Of 1_corpus."""\nname = f"results/{x}/3_views/{y}"\n')
    assert spelt(texts(module)) == ["/3_views/"]


def test_stages_have_names_of_their_own():
    """Only an item's folder and its study's are of one stage."""
    folders = [folder for folder in vars(paths).values() if isinstance(folder, paths.Folder)]
    assert sorted({folder.stage for folder in folders}) == sorted(paths.FOLDERS)
    assert all(re.fullmatch(r"[0-8]_[a-z]+", stage) for stage in paths.FOLDERS)


def test_patterns_and_paths_agree(tmp_path):
    names = {"corpus": "toy", "text": "bpe", "view": "window3"}
    assert (paths.VIEW / "card.json").format(**names) == f"{paths.VIEW.at(**names)}/card.json"
    assert paths.VIEW.under(tmp_path / "results", **names) == tmp_path / paths.VIEW.at(**names)
    assert paths.CHAINS.at(**{**names, "view": paths.WORDS}) == paths.CHAIN_WORDS.at(**names)


def test_a_name_with_braces_stays_a_name():
    assert paths.CORPUS.at(corpus="{text}").endswith("/{text}")


def test_the_names_in_a_path_are_those_that_it_was_made_of():
    names = {"scale": "smoke", "corpus": "toy", "system": "sentence", "seed": "3"}
    for path in (paths.SCORES.part(**names), f"{paths.SCORES.part(**names)}/scores.json"):
        assert paths.names_in(path) == names
    assert paths.names_in(paths.REPORT.part(scale="smoke", study="one")) == {"scale": "smoke", "study": "one"}
    assert paths.names_in("report.html") == {}


@pytest.mark.parametrize(("scale", "name"), [("paper", "report.html"), ("smoke", "report@smoke.html")])
def test_the_copy_of_the_demos_page_has_a_name_for_each_scale(scale, name):
    assert paths.demo_report(scale) == f"results/{name}"
    pattern = re.escape(paths.DEMO_REPORT).replace(re.escape("{at_scale}"), f"({paths.AT_SCALE})")
    assert paths.scale_of_demo_report(re.fullmatch(pattern, paths.demo_report(scale))[1]) == scale
    assert not re.fullmatch(pattern, "results/report@paper.html")
