"""Each how-to of docs/ is carried out as it stands, and then what it promises is there."""

import ast
import csv
import dataclasses
import json
import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from helpers.forks import forks
from helpers.how_to import (
    Block,
    blocks_of,
    carry_out,
    carry_out_with_forks,
    changed,
    commands_of,
    obey,
    printed,
    whole_project,
)
from helpers.plans import to_make
from helpers.support import ROOT, Project, keep_studies, quick_smoke

from docmt.settings.external import FileTranslations

PAGES = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "docs/how-to").glob("add-*.md")}
# A minute and less where nothing else runs; each carries out a dozen commands.
pytestmark = pytest.mark.timeout(1800)


def measured(project: Project, item: str, system: str) -> dict[str, float]:
    """What a table's CSV has of a system, by metric."""
    with (project.root / f"results/8_report/smoke/{item}.csv").open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["system"] == system]
    return {row["metric"]: float(row["measured"]) for row in rows}


def path_of(project: Project, place: str) -> Path:
    """The file of a place, which has one version."""
    folder, name = place.rsplit("//")
    (path,) = (project.root / "results" / folder).glob(f"*/{name}")
    return path


def model_card(project: Project, corpus: str, system: str) -> dict:
    return json.loads(path_of(project, f"5_training/{corpus}/{system}/seed1//model/model.json").read_text("utf-8"))


TABLE, ABLATION = "results/8_report/smoke/g-transformer/table4.html", "g_transformer.en-ru.no-target-context"


def with_ablation(project: Project) -> list[Block]:
    """Change what the page changes; the rest of its blocks."""
    blocks = blocks_of(PAGES["add-an-ablation"])
    changes = [block for block in blocks if block.form == "diff"]
    assert [[line[0] for line in block.body.splitlines()] for block in changes] == [[" ", "+"]] * 2
    for block in changes:
        obey(block, project)
    return blocks[len(changes) :]


def test_an_ablation_is_a_line_and_its_row_another(project):
    before = to_make(quick_smoke(keep_studies(project, "g-transformer")).root, TABLE, scale="smoke")
    with_ablation(project)
    jobs = ("train", "translate", "contrastive", "scores")
    assert to_make(project.root, TABLE, scale="smoke") == before | {f"{rule} {ABLATION}" for rule in jobs}


@pytest.mark.slow
def test_an_ablation_runs_as_its_page_says(project):
    for block in with_ablation(quick_smoke(project)):
        obey(block, project)
    scores = measured(project, "g-transformer/table4", ABLATION)
    assert len(scores) == 3 and all(0 <= score <= 100 for score in scores.values())
    cards = [model_card(project, "opensubtitles_en-ru_both", name)["config"] for name in (ABLATION, ABLATION[:19])]
    assert [card.pop("decoder_self_combined_layers") for card in cards] == [0, None]
    assert cards[0] == cards[1]


@pytest.mark.slow
def test_a_corpus_is_a_file(project):
    quick_smoke(project)
    carry_out_with_forks(PAGES["add-a-corpus"], project)
    splits = read_card(project, "talks_de-en")["splits"]
    assert {split: facts["sentences"] for split, facts in splits.items()} == {"train": 4, "dev": 2, "test": 2}
    assert set(measured(project, "talks/quality", "sentence")) == {"s-BLEU", "d-BLEU", "accuracy:pronouns"}


@pytest.mark.slow
def test_a_model_is_a_file_and_a_row(tmp_path):
    project, page = whole_project(tmp_path / "project"), PAGES["add-a-model"]
    quick_smoke(project)
    package = [block for block in blocks_of(page.split("## Try it")[0]) if block.title.startswith("docmt/")]
    assert [block.form for block in package] == ["python", "diff"]
    assert [line[0] for line in package[1].body.splitlines()].count("+") == 1
    carry_out_with_forks(page, project)
    card = model_card(project, "toy_zh-en", "numbered")
    assert card["kind"] == card["config"]["kind"] == "numbered"
    assert set(measured(project, "numbers/quality", "numbered")) == {"s-BLEU", "accuracy"}
    translations = path_of(project, "6_translations/toy_zh-en/numbered/seed1//test.txt")
    assert len(translations.read_text(encoding="utf-8").splitlines()) > 50


@pytest.mark.slow
def test_a_form_of_corpus_files_is_a_file(tmp_path):
    project, page = whole_project(tmp_path / "project"), PAGES["add-a-corpus-form"]
    assert [block.title for block in blocks_of(page) if (block.title or "").startswith("docmt/")] == [
        "docmt/corpus/forms/xliff.py"
    ]
    carry_out(page, project)
    cards = {folder: read_card(project, folder) for folder in ("letters_de-en", "letters_de-en@smoke")}
    corpus_card, fixture_card = (card["splits"]["train"] for card in cards.values())
    assert (corpus_card["documents"], corpus_card["sentences"]) == (2, 3)
    assert fixture_card["documents"] >= 4 and cards["letters_de-en@smoke"]["reader"]["kind"] == "xliff"


def read_card(project: Project, folder: str) -> dict:
    return json.loads(path_of(project, f"1_corpus/{folder}//card.json").read_text("utf-8"))


@pytest.mark.slow
def test_a_kind_of_figure_is_a_file(tmp_path):
    project, page = whole_project(tmp_path / "project"), PAGES["add-a-figure"]
    quick_smoke(project)
    package = [block for block in blocks_of(page) if block.title and block.title.startswith("docmt/")]
    assert [block.title for block in package] == ["docmt/kinds/distances.py"]
    carry_out_with_forks(page, project)
    report = project.root / "results/8_report/smoke/far"
    content = json.loads((report / "by_distance.json").read_text(encoding="utf-8"))
    assert content["kind"] == "distances"
    assert {record["label"] for record in content["records"]} == {"Sentence", "Windows of 3"}
    assert all(0 <= record["measured"] <= 100 for record in content["records"])
    assert ">distance in sentences<" in (report / "by_distance.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_metric_is_a_file_and_a_row(tmp_path):
    project, page = whole_project(tmp_path / "project"), PAGES["add-a-metric"]
    quick_smoke(project)
    package = [block for block in blocks_of(page) if block.title and block.title.startswith("docmt/")]
    assert [(block.title, block.form) for block in package] == [
        ("docmt/scoring/length.py", "python"),
        ("docmt/settings/metrics.py", "diff"),
    ]
    carry_out_with_forks(page, project)
    assert measured(project, "lengths/length", "sentence")["length"] > 0
    compared = json.loads(path_of(project, "7_comparisons/lengths/length//comparisons.json").read_text("utf-8"))
    assert {comparison["metric"] for comparison in compared["comparisons"]} == {"s-BLEU", "length"}


@pytest.mark.slow
def test_a_plugin_is_a_package_and_changes_nothing_of_docmt(project):
    """What pip writes is written here: a file of the package's entry points, in a folder of the path."""
    text = (ROOT / "docs/how-to/write-a-plugin.md").read_text(encoding="utf-8")
    quick_smoke(project)
    blocks = [block for block in blocks_of(text) if block.form != "bash"]
    for block in blocks:
        if block.title:
            obey(block, project)
    package = tomllib.loads((project.root / "my-plugin/pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = package["entry-points"].items()
    lines = [line for name, rows in groups for line in (f"[{name}]", *(f"{key} = {row}" for key, row in rows.items()))]
    facts = project.root / f"my_plugin-{package['version']}.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package['name']}\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text("\n".join(lines))
    (project.root / "my_plugin").symlink_to("my-plugin/my_plugin")
    for block in blocks:
        if not block.title:
            obey(block, project)
    assert measured(project, "plugged/length", "scaled")["length"] > 0
    assert model_card(project, "toy_zh-en", "scaled")["kind"] == "scaled"


@pytest.mark.slow
def test_a_step_is_a_folder_a_file_and_a_rule(tmp_path):
    project, page = whole_project(tmp_path / "project"), PAGES["add-a-step"]
    quick_smoke(project)
    assert changed_files(page) == ["docmt/base/paths.py", "docmt/steps/word_counts.py", "workflow/rules/7_scores.smk"]
    carry_out_with_forks(page, project)
    words = path_of(project, "7_word_counts/toy_zh-en/sentence/seed1//words.txt").read_text("utf-8").split()
    lines = path_of(project, "6_translations/toy_zh-en/sentence/seed1//test.tok.txt").read_text("utf-8").splitlines()
    assert [*map(int, words)] == [len(line.split()) for line in lines]


def changed_files(page: str) -> list[str]:
    """The files that a page has the reader write or change, in order."""
    return [block.title for block in blocks_of(page) if block.title]


@pytest.mark.slow
def test_a_setting_of_decoding_translates_again_and_trains_nothing(tmp_path):
    project, page = whole_project(tmp_path / "project"), PAGES["add-a-decoding-setting"]
    keep_studies(project, "demo", "long-short", "lexical-chains", "g-transformer")
    asks = [block for block in blocks_of(page) if block.form == "console"]
    asked = [command for command, _ in commands_of(asks[0].body)]
    assert len(changed_files(page)) == 4
    carry_out_with_forks(page, project)
    with forks(project.root) as programs:
        assert len({printed(command, project, programs) for command in asked}) == 2
        trainings = [command.replace("6_translations", "5_training") for command in asked]
        assert len({printed(command, project, programs) for command in trainings}) == 1


def test_a_command_is_a_function_and_a_row(tmp_path):
    page = PAGES["add-a-command"]
    assert changed_files(page) == ["docmt/cli/words.py", "docmt/cli/commands.py"]
    carry_out(page, whole_project(tmp_path / "project"))


def test_a_way_of_measuring_is_a_part_of_a_study(project):
    carry_out_with_forks(PAGES["add-a-way-of-measuring"], quick_smoke(keep_studies(project, "demo")))


def test_a_system_of_others_needs_no_training(project):
    quick_smoke(keep_studies(project, "demo"))
    study = next(block for block in blocks_of(PAGES["add-a-system-of-others"]) if block.form == "yaml")
    obey(study, project)
    jobs = to_make(project.root, "results/8_report/smoke/others/quality.html", scale="smoke")
    assert {"adopt google", "scores google", "train sentence@others", "compare quality"} <= jobs
    assert not {"train google", "translate google", "contrastive google"} & jobs


@pytest.mark.slow
def test_a_system_of_others_is_a_file_of_translations(project):
    carry_out_with_forks(PAGES["add-a-system-of-others"], quick_smoke(project))
    assert set(measured(project, "others/quality", "sentence")) == {"s-BLEU", "d-BLEU", "LTCR", "accuracy"}
    page = (project.root / "results/8_report/smoke/others/quality.html").read_text(encoding="utf-8")
    assert "of lines generated from the references in place of a file of translations (google.txt)" in page


def test_the_page_about_translations_states_every_setting():
    """The rows of its table are the fields of the dataclass, with their defaults and descriptions."""
    rows = re.findall(r"^\| `(\w+)` \| (?:`(\w+)` )?\| (.*) \|$", PAGES["add-a-system-of-others"], re.MULTILINE)
    fields = [field for field in dataclasses.fields(FileTranslations) if field.name != "kind"]
    defaults = {False: "false"}
    assert rows == [
        (field.name, defaults.get(field.default, field.default), field.metadata["about"]) for field in fields
    ]


@pytest.mark.parametrize("name", ["add-a-corpus-form", "add-a-figure", "add-a-metric", "add-a-model", "add-a-step"])
def test_files_and_changes_of_a_page_with_a_slow_test_fit_the_project(tmp_path, name):
    project = whole_project(tmp_path / "project")
    for block in blocks_of(PAGES[name]):
        if block.title:
            obey(block, project)


@pytest.mark.parametrize("page", PAGES)
def test_what_the_code_of_a_how_to_imports_is_there(page):
    scripts = [block for block in blocks_of(PAGES[page]) if block.form == "python"]
    new = {block.title.removesuffix(".py").replace("/", ".") for block in scripts if block.title}
    nodes = [node for block in scripts for node in ast.walk(ast.parse(block.body)) if isinstance(node, ast.ImportFrom)]
    ours = [node for node in nodes if node.module.startswith("docmt") and node.module not in new]
    names = [(node.module, alias.name) for node in ours for alias in node.names]
    stated = {name for name in names if f"\n+{name[1]} = " in PAGES[page]}
    assert not [name for name in names if name not in stated and not is_there(*name)]


def is_there(module: str, name: str) -> bool:
    try:
        return hasattr(import_module(module), name) or bool(import_module(f"{module}.{name}"))
    except ImportError:
        return False


def test_no_how_to_is_left_out():
    kinds = (
        *("ablation", "command", "corpus", "corpus-form", "decoding-setting", "figure", "metric", "model", "step"),
        *("system-of-others", "way-of-measuring"),
    )
    assert set(PAGES) == {f"add-{'an' if kind == 'ablation' else 'a'}-{kind}" for kind in kinds}


FILE = Block("text", "new.txt", "a\nb\n", "`new.txt`")
WRONG = {
    "a command that fails": ("```console\n$ false\n```\n", "gave 1"),
    "a pipe of which a part fails": ("```console\n$ false | cat\n```\n", "gave 1"),
    "another output": ("```console\n$ echo one\ntwo\n```\n", "the page says\ntwo"),
    "more output": ("```console\n$ echo one\n```\n", "printed\none"),
    "no command": ("```console\none\n```\n", "no command"),
    "a change of what is not there": ('`new.txt`\n```diff title="new.txt"\n c\n+d\n```\n', "new.txt has 0 times\nc"),
    "a change of what is there twice": ('`new.txt`\n```diff title="new.txt"\n \n+d\n```\n', "new.txt has 2 times"),
    "no change": ('`new.txt`\n```diff title="new.txt"\na\n```\n', "no diff of new.txt"),
    "a file that is there": ('`new.txt`\n```text title="new.txt"\na\n```\n', "new.txt is there already"),
    "a file that the reader is not told": ('```text title="b.txt"\na\n```\n', "does not name b.txt"),
    "a block that nothing says of what it is": ("```\n$ false\n```\n", "a fence without form"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_how_to_that_is_wrong_fails(tmp_path, what):
    page, message = WRONG[what]
    project = Project(tmp_path)
    obey(FILE, project)
    with pytest.raises(AssertionError) as failed:
        carry_out(page, project)
    assert message in str(failed.value)


def test_a_change_replaces_lines_and_keeps_the_rest():
    assert changed("a\nb\nc\ne\n", Block("diff", "x", " a\n-b\n+d\n@@\n-e\n+f\n", "")) == "a\nd\nc\nf\n"
