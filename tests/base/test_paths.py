"""Paths under results/: one place spells them, and what it gives is what rules and jobs mean."""

import ast
import re
from pathlib import Path

import pytest
from helpers.support import ROOT

from docmt.base import paths
from docmt.plan.links import link_of
from docmt.plan.plan import Job
from docmt.steps import all_steps

FOLDERS = [folder for folder in vars(paths).values() if isinstance(folder, paths.Folder)]
STAGE = re.compile(r"\b\d_(" + "|".join(folder.stage[2:] for folder in FOLDERS) + r")\b(?!\.smk)")
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


def test_each_step_has_a_kind_of_folder_of_its_own():
    """By which a place says what its step is."""
    assert sorted(str(step.folder) for step in all_steps().values()) == sorted(map(str, FOLDERS))
    assert len({folder.stage for folder in FOLDERS}) == len(FOLDERS)
    assert all(re.fullmatch(r"[0-8]_[a-z_]+", folder.stage) for folder in FOLDERS)


def test_patterns_and_paths_agree():
    names = {"corpus": "toy", "text": "bpe", "view": "window3"}
    assert (paths.VIEW / "card.json").format(**names, id="0" * 10) == f"{paths.VIEW.at(**names)}/{'0' * 10}/card.json"
    assert paths.VIEW.at(**names) == f"results/{paths.VIEW.part(**names)}"


def test_a_name_with_braces_stays_a_name():
    assert paths.CORPUS.at(corpus="{text}").endswith("/{text}")


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_the_names_in_a_place_are_those_that_it_was_made_of(folder):
    names = {name: f"a.{number}" for number, name in enumerate(re.findall(r"{(\w+)}", folder.places))}
    place = folder.at(**names)
    assert folder.names_in(place) == names
    assert folder.depth == len(Path(place).parts) - 1
    assert [other.names_in(place) for other in FOLDERS if other is not folder] == [None] * (len(FOLDERS) - 1)
    for other in (f"{place}/{'0' * 10}", str(Path(place).parent), f"elsewhere/{folder.part(**names)}", ""):
        assert folder.names_in(other) is None


@pytest.mark.parametrize(
    ("link", "step", "names"),
    [
        (paths.front_link("paper"), "front", {"scale": "paper"}),
        (paths.front_link("smoke"), "front", {"scale": "smoke"}),
        (paths.page_link("smoke", "one", "table1.a"), "page", {"scale": "smoke", "study": "one", "item": "table1.a"}),
        (paths.sheet_link("smoke", "one", "human"), "sheet", {"scale": "smoke", "study": "one", "item": "human"}),
        ("results/8_report/paper/one", None, {}),
        ("elsewhere.html", None, {}),
    ],
)
def test_the_path_at_which_people_open_a_page_says_which_page_it_is(link, step, names):
    assert link_of(link) == (Job.of(step, **names) if step else None)
