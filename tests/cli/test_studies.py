"""`docmt list-systems` and `docmt list-targets`: what can be asked for, and its state."""

import json
import re

import pytest
from helpers.command_line import output, succeed
from helpers.finished import finish, plan_of
from helpers.support import Project, copy_project, docmt, keep_studies, placeholder_mirror

from docmt.base.errors import UserError
from docmt.plan.plan import Job
from docmt.plan.targets import STATES

TOY = "results/1_corpus/toy_zh-en"


@pytest.fixture
def project(project: Project) -> Project:
    """The demo, and a paper's study whose corpora and models are to be had in all the ways that there are."""
    return keep_studies(project, "demo", "lexical-chains")


def cells(line: str) -> list[str]:
    """Return the cells of a row of a table; columns are two blanks apart."""
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


def rows(*arguments: object) -> dict[str, list[str]]:
    """Return the rows of a command's table by the first cell, and check that they are below a header."""
    header, *lines = output(*arguments).splitlines()
    assert cells(header)[:2] == ["target", "state"]
    return {cells(line)[0]: cells(line) for line in lines}


def targets(project: Project, *arguments: object) -> list[dict]:
    return json.loads(output("list-targets", "--root", project.root, *arguments, "--json"))


def names(project: Project, *arguments: object) -> list[str]:
    return [target["target"] for target in targets(project, *arguments)]


def manifest(project: Project, place: str, **config: object) -> str:
    """The target that makes what the settings ask for in a place."""
    options = [word for name, value in config.items() for word in ("--config", f"{name}={value}")]
    return output("path", f"{place}/manifest.json", "--root", project.root, *options).strip()


def finish_toy(project: Project) -> str:
    """Let the toy corpus look finished; return its target."""
    finish(plan_of(project.root), [Job.of("corpus", corpus="toy_zh-en")])
    return manifest(project, TOY)


def test_systems_are_a_row_each_below_a_header(project):
    header, *lines = docmt("list-systems", cwd=project.root, check=True).stdout.splitlines()
    columns = ["study", "system", "architecture", "view", "text", "extends", "starts from", "model of", "corpora"]
    assert cells(header) == columns
    assert {cells(line)[0] for line in lines} >= {"demo", "lexical-chains"}
    of_demo = docmt("list-systems", "--study", "demo", cwd=project.root, check=True).stdout.splitlines()[1:]
    assert [cells(line) for line in of_demo] == [cells(line) for line in lines if cells(line)[0] == "demo"]
    (system,) = [dict(zip(columns, cells(line), strict=True)) for line in of_demo if cells(line)[1] == "g_transformer"]
    assert system["architecture"] == "g_transformer" and system["view"] == "tokens512"
    assert (system["extends"], system["starts from"], system["model of"]) == ("sentence", "sentence", "-")


def test_systems_as_json_have_the_same_facts(project):
    systems = json.loads(output("list-systems", "--root", project.root, "--study", "demo", "--json"))
    (system,) = [system for system in systems if system["system"] == "g_transformer"]
    assert (system["study"], system["corpora"], system["model_of"]) == ("demo", ["toy_zh-en"], None)


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("study", "options", "target"),
    [
        ("demo", ("--kind", "scores"), "results/7_scores/toy_zh-en/g_transformer/seed1"),
        ("demo", (), "results/8_report/paper/demo/quality.html"),
        ("lexical-chains", ("--kind", "item"), "results/8_report/paper/lexical-chains/table7.html"),
    ],
)
def test_targets_are_what_the_workflow_makes(project, study, options, target):
    listed = [*rows("list-targets", "--root", project.root, "--study", study, *options)]
    target = target if target.endswith(".html") else manifest(project, target)
    assert target in listed and (study in listed) == (not options)
    assert "item" not in options or all(name.split("/")[3] == study for name in listed), "of no other study"
    # Beside files of corpora, items want pretrained models, which a run would download.
    asked = ("all", *listed)
    planned = project.snakemake(
        "-n", *asked, "--config", f"mirror={placeholder_mirror(project)}", "fetch_checkpoints=true"
    )
    assert planned.returncode == 0, planned.stderr


def test_targets_say_what_is_made_what_can_be_made_and_what_is_missing(project):
    toy = finish_toy(project)
    done = succeed("list-targets", "--root", project.root, "--match", "", "--config", "device=cpu")
    table = {cells(line)[0]: cells(line) for line in done.stdout.splitlines()}
    assert table["target"] == ["target", "state", "to fetch", "trainings", "device-hours", "disk", "about"]
    assert {"all", "demo"} <= set(table)
    assert table[toy][1] == "made"
    of_corpora = {name.split("/")[2]: row for name, row in table.items() if name.startswith("results/1_corpus/")}
    states = {name: of_corpora[name][1:3] for name in ("ted_zh-en_2015", "ted_zh-en", "voita_en-ru")}
    assert states == {
        "ted_zh-en_2015": ["to-fetch", "over 0.0015 GB"],
        "ted_zh-en": ["by-hand", "over 0.0015 GB"],
        "voita_en-ru": ["to-fetch", "0.017 GB"],
    }
    assert of_corpora["news_zh-en"][1:3] == ["licence", "-"]
    pages = (table[f"results/8_report/paper/{name}.html"] for name in ("demo/learning", "lexical-chains/table5"))
    learning, table5 = pages
    assert learning[1] == "ready" and learning[3] == "4 of 4 to make" and learning[4] != "-"
    assert table5[3:6] == ["-", "-", "-"], "no training"
    table3 = table["results/8_report/paper/lexical-chains/table3.html"][-1]
    assert "news_zh-en is missing: news_zh-en.train.zh and 13 more files" in table3
    assert "coherence not scored: models/gigaword.en.100.txt is missing: word vectors. " in table3
    assert "cohesion not scored: models/bert-base-uncased is missing: a pretrained model. " in table3
    assert "`docmt fetch-files bert-base-uncased`" in table3 and "LTCR" not in table3
    table1 = table["results/8_report/paper/lexical-chains/table1.html"][-1]
    assert "LTCR not scored: models/awesome-align is missing: a pretrained model. " in table1
    assert "`docmt fetch-files awesome-align`" in table1
    for state, meaning in STATES.items():
        count = sum(row[1] == state for row in table.values())
        assert f"{state} ({count}): {meaning}" in done.stderr
    assert "Device-hours are estimates (assumed " in done.stderr
    assert "assumed 0.055 TFLOP/s for a CPU core at width 128" in done.stderr
    assert "unknown" not in {row[4] for row in table.values()}


def test_filters_keep_some_of_the_targets_in_the_same_order(project):
    toy = finish_toy(project)
    every = targets(keep_studies(project, "demo"))
    for options, holds in (
        (("--kind", "item"), lambda target: target["kind"] == "item"),
        (("--study", "demo"), lambda target: target["study"] == "demo"),
        (("--state", "made"), lambda target: target["target"] == toy),
        (("--match", "learning"), lambda target: "demo/learning" in target["target"]),
    ):
        expected = [target for target in every if holds(target)]
        assert expected and targets(project, *options) == expected, options


def test_estimates_name_what_is_unknown_and_their_basis(tmp_path):
    """Also where a corpus states documents and no sentences, and for a device that this machine has not."""
    project = keep_studies(copy_project(tmp_path / "papers"), "long-short")
    path = "workflow/corpora/opensubtitles_en-ru.yaml"
    project.write(path, {name: value for name, value in project.read(path).items() if name != "train_parts"})
    options = ("--study", "long-short", "--kind", "study", "--config", "device=cuda")
    (target,) = targets(project, *options)
    assert target["unknown_trainings"] == 8 and target["missing_trainings"] == 18 and target["device_hours"] > 10
    assert target["basis"] == ["assumed 20 TFLOP/s for a GPU at width 512"]
    done = succeed("list-targets", "--root", project.root, *options)
    assert re.search(r"18 of 18 to make +at least [\d.,]+ h, 8 unknown ", done.stdout)
    assert "Device-hours are estimates (assumed 20 TFLOP/s for a GPU at width 512)." in done.stderr


def test_nothing_that_matches_is_a_header_alone(project):
    done = succeed("list-targets", "--root", project.root, "--study", "demo", "--match", "nothing of that name")
    assert cells(done.stdout.strip()) == ["target", "state", "to fetch", "trainings", "device-hours", "disk", "about"]
    assert "no target." in done.stderr


def test_the_config_of_the_run_decides_names_and_states(project):
    """At smoke scale texts are generated: other folders, and no corpus lacks files."""
    options = ("--config", "scale=smoke")
    scores = names(project, "--study", "demo", "--kind", "scores", *options)
    assert manifest(project, "results/7_scores/toy_zh-en/g_transformer/seed1", scale="smoke") in scores
    assert not names(project, "--state", "licence", *options)
    with pytest.raises(UserError, match="unknown scale\n"):
        names(project, "--config", "scale=smok")


def test_an_unknown_study_is_refused_with_the_one_that_was_meant(project):
    for command in ("list-systems", "list-targets"):
        with pytest.raises(UserError, match="unknown study\n  found dem\n  did you mean 'demo'"):
            output(command, "--root", project.root, "--study", "dem")
