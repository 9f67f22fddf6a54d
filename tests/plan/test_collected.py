"""`docmt collect-scores` and results/scores.parquet: every score of every study, equal to the numbers of the pages."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pandas
import polars
import pytest
from helpers.byte_changes import Change
from helpers.command_line import invoke, output
from helpers.finished import plan_of
from helpers.support import SMOKE, Project

from docmt.base.columns import SCORES
from docmt.base.manifest import MANIFEST
from docmt.base.recipe import read_recipe
from docmt.plan.asked import write_asked
from docmt.plan.collected import COLLECTED, OF_PROJECT, collect_after_run
from docmt.plan.links import jobs_of_target
from docmt.plan.plan import Job
from docmt.plan.run import planned

COLUMNS = [*OF_PROJECT, *SCORES.names]


def scored(project: Project, system: str) -> Path:
    """The folder of the scores of a system."""
    folder = plan_of(project.root).recipe(Job.of("scores", corpus="toy_zh-en", system=system, seed=1)).folder
    return project.root / folder


def after_run(project: Project) -> list[str]:
    """What the end of a run says of the table."""
    with planned(project.root, {}) as plan:
        return list(collect_after_run(plan))


def copy_scores(project: Project, of: str, study: str = "demo", **settings: object) -> str:
    """Copy scores to those of other settings, first asked for by a study; return their id."""
    before = scored(project, of)
    recipe = read_recipe(before)
    names = settings.get("system", of)
    place = before.parents[2] / str(names) / "seed1"
    hints = {**recipe.hints, "knobs": {**recipe.hints["knobs"], "study": study}}
    other = replace(recipe, settings={**recipe.settings, **settings}, place=place, hints=hints)
    shutil.copytree(before, other.folder)
    other.write(Path("/"))
    return other.folder.name


def collected(project) -> polars.DataFrame:
    """The table of the project's scores, which the command writes."""
    output("collect-scores", "--root", project.root)
    return polars.read_parquet(project.root / COLLECTED)


def item_records(project) -> list[dict]:
    """The measured cells of the tables of the demo's pages."""
    files = sorted((project.root / "results/8_report/smoke/demo").glob("*.json"))  # links
    items = [content for file in files if "kind" in (content := json.loads(file.read_text()))]
    records = [record for item in items for record in item["records"]]
    return [record for record in records if record.get("status") == "measured" and "corpus" in record]


def test_a_run_of_snakemake_writes_what_the_command_writes(finished_demo, demo):
    written = polars.read_parquet(finished_demo.root / COLLECTED)
    assert written.height and written.equals(collected(demo))


def test_the_numbers_are_those_of_the_pages(demo):
    table = collected(demo)
    table = table.with_columns(name=polars.col("metric") + polars.col("group"))
    names = ("corpus", "text", "name", "system", "seed")
    rows = {tuple(row[name] for name in names): row for row in table.iter_rows(named=True)}
    assert len(rows) == table.height and set(table["asked"]) == {True}
    records = item_records(demo)
    assert records
    for record in records:
        base, _, end = record["metric"].partition("@")
        is_end = end in ("low", "high")
        metric, system = base if is_end else record["metric"], record["system"]
        place = (record["corpus"], "translations" if system else "reference", metric, *([system] if system else []))
        values = [row[end if is_end else "value"] for key, row in rows.items() if key[: len(place)] == place]
        assert (values if system else values[:1]) == record["values"]


def test_the_reference_has_the_scores_of_metrics_that_need_no_other_text(demo):
    table = collected(demo).filter(polars.col("text") == "reference")
    assert set(table["metric"]) == {"LTCR", "HHI"} and table["n"].null_count() == 0


def test_pandas_and_polars_read_it_with_one_line(demo):
    table = collected(demo)
    assert table.columns == COLUMNS
    frame = pandas.read_parquet(demo.root / COLLECTED)
    assert frame["value"].tolist() == table["value"].to_list()
    assert frame["study"].unique().tolist() == ["demo"]


def test_the_identity_is_the_id_of_the_scores(demo):
    table = collected(demo).filter(polars.col("system") == "sentence")
    assert set(table["identity"]) == {scored(demo, "sentence").name}


def test_scores_that_are_no_longer_asked_for_say_so(demo):
    demo.edit(SMOKE, "decode.beam", 1)
    assert set(collected(demo)["asked"]) == {False}


def test_scores_of_other_scales_are_asked_for_as_the_last_run_of_the_clone_says(demo):
    plan = plan_of(demo.root)
    write_asked(plan, plan.closure(jobs_of_target(plan, "demo")))
    demo.edit("config.yaml", "scale", "paper")
    assert set(collected(demo)["asked"]) == {True}
    shutil.rmtree(demo.root / "results/asked")
    assert set(collected(demo)["asked"]) == {False}


def test_other_versions_and_scores_of_other_studies_are_rows(demo):
    before = collected(demo)
    version = copy_scores(demo, "han", requested=[])
    other = copy_scores(demo, "han", study="mine", system="gone")
    table = collected(demo).filter(~polars.col("asked"))
    assert {*table.select("study", "system", "identity").iter_rows()} == {
        ("demo", "han", version),
        ("mine", "gone", other),
    }
    assert sorted(map(str, collected(demo).filter("asked").rows())) == sorted(map(str, before.rows()))


FLIP = Change("flip", (100, 0))
DAMAGES = {
    "a flipped bit": ("scores.parquet", lambda path: path.write_bytes(FLIP.of(path.read_bytes()))),
    "no table": ("scores.parquet", lambda path: path.write_text("{")),
    "a damaged manifest": ("manifest.json", lambda path: path.write_bytes(path.read_bytes().replace(b"a", b"b", 1))),
    "no scores": ("scores.parquet", lambda path: path.unlink()),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damaged_scores_are_left_out_and_named(demo, name):
    file, damage = DAMAGES[name]
    folder = scored(demo, "han")
    damage(folder / file)
    result = invoke("collect-scores", "--root", demo.root, "--json")
    (line,) = json.loads(result.stdout)["left_out"]
    assert str(folder.relative_to(demo.root)) in line and result.stderr.splitlines() == [f"docmt: left out: {line}"]
    assert "han" not in set(polars.read_parquet(demo.root / COLLECTED)["system"])
    assert after_run(demo) == [f"not in {COLLECTED}: {line}"]


def test_unfinished_scores_are_left_out(demo):
    (scored(demo, "han") / MANIFEST).unlink()
    assert "han" not in set(collected(demo)["system"])


def test_without_scores_the_command_writes_an_empty_table_and_a_run_writes_none(demo):
    shutil.rmtree(demo.root / "results/7_scores")
    table = collected(demo)
    assert table.height == 0 and table.columns == COLUMNS
    (demo.root / COLLECTED).unlink()
    assert after_run(demo) == []
    assert not (demo.root / COLLECTED).exists()


def test_a_problem_at_the_end_of_a_run_is_a_line(demo):
    (demo.root / COLLECTED).unlink()
    (demo.root / COLLECTED).mkdir()
    (line,) = after_run(demo)
    assert line.startswith(f"{COLLECTED} was not written: ")


@pytest.mark.parametrize("arguments", [[], ["--json"]])
def test_the_command_says_where_and_how_many(demo, arguments):
    printed = output("collect-scores", "--root", demo.root, *arguments)
    count = polars.read_parquet(demo.root / COLLECTED).height
    assert str(demo.root / COLLECTED) in printed and f"{count}" in printed.replace(",", "")
