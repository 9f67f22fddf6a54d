"""Files that a study names for its scores and that are not here: what is left out, and how a person gets them."""

import json

import pytest
from helpers.plans import closure
from helpers.recipes import settings
from helpers.small_grid import STUDY

from docmt.base.errors import UserError
from docmt.grid.grid import Grid
from docmt.plan.links import jobs_of_target
from docmt.plan.obtain import check_supplies, checkpoints_to_fetch
from docmt.plan.plan import Job, Plan
from docmt.plan.run import grid_of_run
from docmt.plan.supplies import not_scored_lines
from docmt.plan.targets import targets

SCORES = "7_scores/toy/sentence/seed1"
JOB = Job.of("scores", corpus="toy", system="sentence", seed=1)
TARGET = f"results/{SCORES}/0123456789/manifest.json"
AWESOME = {
    "set": "awesome",
    "kind": "checkpoint",
    "about": "a",
    "licence": "BSD",
    "citation": "c",
    "gigabytes": 1.1,
    "folder": "models/awesome",
    "files": [{"name": "config.json", "sources": ["https://huggingface.co/a/resolve/main/config.json"]}],
}
SCORING = {
    "aligner": {"kind": "awesome-align", "model": "models/awesome"},
    "coherence": {"vectors": {"en": "models/vectors.txt"}},
}
NO_ALIGNER = "models/awesome is missing: a pretrained model"
NO_VECTORS = "models/vectors.txt is missing: word vectors"


@pytest.fixture
def lacking(small, monkeypatch):
    """A study that names a model and vectors, and a table of each metric that needs them."""
    small.write("workflow/downloads/awesome.yaml", AWESOME)
    small.edit(STUDY, "scoring", SCORING)
    table = {"title": "T", "metrics": ["s-BLEU", "LTCR", "coherence"], "rows": [{"system": "sentence"}]}
    small.edit(STUDY, "tables", {"t": table, "bleu": {**table, "metrics": ["s-BLEU"]}})
    monkeypatch.chdir(small.root)
    return small


def put_model(small) -> None:
    folder = small.root / "models/awesome"
    folder.mkdir(parents=True)
    for name in ("vocab.txt", "tokenizer_config.json", "pytorch_model.bin"):
        (folder / name).touch()
    (folder / "config.json").write_text(json.dumps({"num_hidden_layers": 8}))


def grid_of(small, **config) -> Grid:
    return grid_of_run(small.root, config)


def plan_with(small, **config) -> Plan:
    return Plan(grid_of(small, **config))


def test_metrics_without_their_files_are_left_out_and_all_others_stay(lacking):
    plan = plan_with(lacking)
    recipe = plan.recipe(JOB)
    assert (recipe.settings["aligner"], recipe.settings["coherence"]) == (None, None)
    assert not recipe.files and "aligner" not in {job.step for job in plan.closure([JOB])}
    assert [*recipe.libraries] == ["sacrebleu"]
    check_supplies(plan, {TARGET: [JOB], "one": jobs_of_target(plan, "one")})


def test_when_the_model_comes_scores_are_asked_for_again_and_nothing_else(lacking):
    before = plan_with(lacking)
    asked = {job: before.recipe(job).identity for job in closure(before, "one")}
    put_model(lacking)
    after = plan_with(lacking)
    changed = {job.step for job in closure(after, "one") if asked.get(job) != after.recipe(job).identity}
    assert changed == {"scores", "page"}
    scores = after.recipe(JOB).settings
    assert (scores["aligner"]["model"], scores["coherence"]) == ("given", None)


def test_lines_before_and_after_a_run_say_what_is_not_scored_and_how_to_get_it(lacking):
    grid = grid_of(lacking)
    aligner, vectors = not_scored_lines(grid, closure(Plan(grid), "one"))
    assert aligner.startswith(
        f"not scored: LTCR, HHI of 5 runs: {NO_ALIGNER}. `fetch_checkpoints: true` in config.yaml"
    )
    assert "`docmt fetch-files awesome`" in aligner
    assert vectors.startswith(f"not scored: coherence of 5 runs: {NO_VECTORS}. Put word vectors into models")
    assert not_scored_lines(grid, []) == []


def test_pages_have_the_reason_and_the_way(lacking):
    page = settings(grid_of(lacking), "8_report/paper/one/t")
    assert page["not_scored"] == {"toy": {"aligner": NO_ALIGNER, "coherence": NO_VECTORS}}
    assert "`docmt fetch-files awesome`" in page["ways"][NO_ALIGNER]
    put_model(lacking)
    assert settings(grid_of(lacking), "8_report/paper/one/t")["not_scored"] == {"toy": {"coherence": NO_VECTORS}}


def listed(lacking, **config):
    rows = targets(plan_with(lacking, **config), ["one"], True)
    return {row.target.rsplit("/")[-1]: row for row in rows if row.kind in ("item", "study")}


def test_a_study_may_name_the_model_of_comet_and_the_user_its_python(lacking):
    """Both are needed; the command is the user's own, so that no study has to state it."""
    for name in ("hparams.yaml", "checkpoints/model.ckpt"):
        (lacking.root / "comet" / name).parent.mkdir(parents=True, exist_ok=True)
        (lacking.root / "comet" / name).touch()
    lacking.edit(STUDY, "scoring", {"comet": {"model": "comet"}})
    lacking.edit(STUDY, "tables/t/metrics", ["s-BLEU", "doc-COMET"])
    reason = "scoring.comet.command of config.yaml names no Python with unbabel-comet (docs/how-to/score-with-comet.md)"
    assert settings(grid_of(lacking), SCORES)["comet"] is None
    assert settings(grid_of(lacking), "8_report/paper/one/t")["not_scored"] == {"toy": {"comet": reason}}
    assert listed(lacking)["t.html"].reasons == (f"doc-COMET not scored: {reason}.",)
    (line,) = not_scored_lines(grid_of(lacking), closure(plan_with(lacking), "one"))
    assert line == f"not scored: COMET, doc-COMET of 5 runs: {reason}."
    lacking.edit("config.yaml", "scoring", {"comet": {"command": "python3"}})
    assert settings(grid_of(lacking), SCORES)["comet"]["model"] == "given"
    assert settings(grid_of(lacking), "8_report/paper/one/t")["not_scored"] == {}


def test_targets_say_beforehand_what_is_not_scored(lacking):
    rows = listed(lacking)
    assert [reason.split(". ")[0] for reason in rows["t.html"].reasons] == [
        f"LTCR not scored: {NO_ALIGNER}",
        f"coherence not scored: {NO_VECTORS}",
    ]
    assert rows["bleu.html"].reasons == ()
    assert {rows[name].state for name in ("t.html", "bleu.html", "one")} == {"ready"}
    agreed = listed(lacking, fetch_checkpoints=True)["t.html"]
    assert (agreed.state, agreed.fetch_bytes) == ("to-fetch", 1.1e9)
    stopped = listed(lacking, missing="stop")["t.html"]
    assert stopped.state == "by-hand" and NO_ALIGNER in stopped.reasons


def test_with_stop_they_are_refused(lacking):
    with pytest.raises(UserError) as refused:
        plan = plan_with(lacking, missing="stop")
        check_supplies(plan, {"one": jobs_of_target(plan, "one")})
    assert "models/awesome, a pretrained model" in str(refused.value)
    assert "models/vectors.txt, word vectors" in str(refused.value)


def test_a_model_is_downloaded_where_the_user_agrees(lacking):
    plan = plan_with(lacking, fetch_checkpoints=True)
    assert [files.set for files in checkpoints_to_fetch(plan, jobs_of_target(plan, "one"))] == ["awesome"]
    assert settings(plan.grid, SCORES)["aligner"] is not None


@pytest.mark.parametrize("study_too", [False, True])
def test_what_the_user_names_is_refused_where_it_is_missing(lacking, study_too):
    """Also where a study names the same folder."""
    lacking.edit("config.yaml", "scoring", {"aligner": SCORING["aligner"]})
    if study_too:
        lacking.write("workflow/studies/two.yaml", {**lacking.read(STUDY), "study": "two"})
    lacking.edit(STUDY, "scoring", {})
    with pytest.raises(UserError, match="no folder of a pretrained model"):
        plan_with(lacking).recipe(JOB)
