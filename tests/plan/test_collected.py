"""`docmt collect-scores` and results/scores.parquet: every score of every study, equal to the numbers of the pages."""

import json
import shutil
from contextlib import chdir

import pandas
import polars
import pytest
from helpers.command_line import invoke, output
from helpers.support import SMOKE

from docmt.base.errors import UserError
from docmt.base.manifest import check_file, read_manifest
from docmt.grid.grid import load_grid
from docmt.plan.collected import COLLECTED, COLUMNS, collect_after_run
from docmt.plan.planning import Planner

SCORED = "results/7_scores/smoke/toy_zh-en"


def collected(project) -> polars.DataFrame:
    """The table of the project's scores, which the command writes."""
    output("collect-scores", "--root", project.root)
    return polars.read_parquet(project.root / COLLECTED)


def item_records(project) -> list[dict]:
    """The measured cells of the tables of the demo's pages."""
    files = sorted((project.root / "results/8_report/smoke/demo").glob("*.json"))
    items = [content for file in files if "kind" in (content := json.loads(file.read_text()))]
    records = [record for item in items for record in item["records"]]
    return [record for record in records if record.get("status") == "measured" and "corpus" in record]


def test_a_run_of_snakemake_writes_what_the_command_writes(finished_demo, demo):
    written = polars.read_parquet(finished_demo.root / COLLECTED)
    assert written.height and written.equals(collected(demo))


def test_the_numbers_are_those_of_the_pages(demo):
    table = collected(demo)
    names = ("corpus", "text", "metric", "system", "seed")
    rows = {tuple(row[name] for name in names): row for row in table.iter_rows(named=True)}
    assert len(rows) == table.height and set(table["state"]) == {"right"}
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
    assert table.columns == list(COLUMNS)
    frame = pandas.read_parquet(demo.root / COLLECTED)
    assert frame["value"].tolist() == table["value"].to_list()
    assert frame["study"].unique().tolist() == ["demo"]


def test_the_identity_is_that_of_the_scores(demo):
    table = collected(demo).filter(polars.col("system") == "sentence")
    manifest = read_manifest(demo.root / SCORED / "sentence/seed1/manifest.json")
    assert set(table["identity"]) == {manifest.identity}


def test_scores_that_are_no_longer_asked_for_say_so(demo):
    demo.edit(SMOKE, "decode.beam", 1)
    assert "other" in set(collected(demo)["state"])


def test_scores_of_no_system_are_left_out(demo):
    count = collected(demo).height
    shutil.copytree(demo.root / SCORED / "han", demo.root / SCORED / "gone")
    assert collected(demo).height == count


DAMAGES = {
    "a longer file": ("details.arrow", lambda path: path.write_bytes(path.read_bytes() + b"x")),
    "a flipped bit": ("scores.json", lambda path: path.write_bytes(path.read_bytes().replace(b"0", b"1", 1))),
    "no JSON": ("scores.json", lambda path: path.write_text("{")),
    "a damaged manifest": ("manifest.json", lambda path: path.write_bytes(path.read_bytes().replace(b"a", b"b", 1))),
    "no manifest": ("manifest.json", lambda path: path.unlink()),
    "no scores": ("scores.json", lambda path: path.unlink()),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damaged_scores_are_left_out_and_named(demo, name):
    file, damage = DAMAGES[name]
    damage(demo.root / SCORED / "han/seed1" / file)
    result = invoke("collect-scores", "--root", demo.root, "--json")
    (line,) = json.loads(result.stdout)["left_out"]
    assert line.startswith(f"{SCORED}/han/seed1") and result.stderr.splitlines() == [f"docmt: left out: {line}"]
    assert "han" not in set(polars.read_parquet(demo.root / COLLECTED)["system"])
    with chdir(demo.root):
        assert list(collect_after_run(Planner(load_grid(demo.root, {})), demo.root, {})) == [
            f"not in {COLLECTED}: {line}"
        ]


def test_the_table_has_a_manifest(demo):
    collected(demo)
    check_file(demo.root / COLLECTED)
    with (demo.root / COLLECTED).open("ab") as stream:
        stream.write(b"x")
    with pytest.raises(UserError, match="the file differs from its manifest"):
        check_file(demo.root / COLLECTED)


def test_without_scores_the_command_writes_an_empty_table_and_a_run_writes_none(demo):
    shutil.rmtree(demo.root / "results/7_scores")
    table = collected(demo)
    assert table.height == 0 and table.columns == list(COLUMNS)
    (demo.root / COLLECTED).unlink()
    with chdir(demo.root):
        assert list(collect_after_run(Planner(load_grid(demo.root, {})), demo.root, {})) == []
    assert not (demo.root / COLLECTED).exists()


def test_a_problem_at_the_end_of_a_run_is_a_line(demo):
    (demo.root / COLLECTED).unlink()
    (demo.root / COLLECTED).mkdir()
    with chdir(demo.root):
        (line,) = collect_after_run(Planner(load_grid(demo.root, {})), demo.root, {})
    assert line.startswith(f"{COLLECTED} was not written: ")


@pytest.mark.parametrize("arguments", [[], ["--json"]])
def test_the_command_says_where_and_how_many(demo, arguments, tmp_path):
    printed = output("collect-scores", "--root", demo.root, "--output", tmp_path / "all.parquet", *arguments)
    count = polars.read_parquet(tmp_path / "all.parquet").height
    assert str(tmp_path / "all.parquet") in printed and f"{count}" in printed.replace(",", "")
