"""Each study's own settings of scoring: what they change, what they leave, and what two studies cannot both have."""

import pytest
from helpers.plans import plan_of, steps
from helpers.recipes import settings
from helpers.small_grid import STUDY, SYSTEMS

from docmt.base.errors import UserError
from docmt.grid.grid import load_grid
from docmt.plan.plan import Job

SCORES = "7_scores/toy/{}/seed1"
TRAINED = {"coherence": {"vectors": {"en": "trained"}}}
SUBSET = {"consistency": {"match": "subset"}}


def add_study(small, name: str, **more: object) -> None:
    """Another study with the systems of the first one."""
    small.write(f"workflow/studies/{name}.yaml", {**small.read(STUDY), "study": name, "scoring": {}, **more})


def scored(small, study: str) -> dict[str, str]:
    return {entry.system.name: entry.scored for entry in load_grid(small.root).of_study(study)}


def test_a_study_changes_what_it_states_and_nothing_else(small):
    small.edit("config.yaml", "scoring", {"consistency": {"pairs": "first", "match": "overlap"}})
    add_study(small, "two", scoring=SUBSET)
    grid = load_grid(small.root)
    plain, changed = (grid.scoring[study].consistency for study in ("one", "two"))
    assert (plain.match, plain.pairs) == ("overlap", "first")
    assert (changed.match, changed.pairs) == ("subset", "first")
    assert grid.scoring["one"].coherence == grid.scoring["two"].coherence


def test_the_scale_has_the_last_word(small):
    small.edit(STUDY, "scoring", {"coherence": {"vectors": {"en": "own.txt"}, "dimensions": 50}})
    small.edit("workflow/scales/smoke.yaml", "scoring", {"coherence": {"dimensions": 3}})
    coherence = load_grid(small.root, {"scale": "smoke"}).scoring["one"].coherence
    assert (coherence.vectors, coherence.dimensions) == ({"en": "own.txt"}, 3)


def test_another_aligner_leaves_nothing_of_the_one_before(small):
    small.edit("config.yaml", "scoring", {"aligner": {"kind": "awesome-align", "model": "models/a"}})
    small.edit(STUDY, "scoring", {"aligner": {"kind": "default"}})
    assert load_grid(small.root).scoring["one"].aligner.model is None


def test_the_same_system_is_scored_twice_where_studies_score_differently_but_trained_and_translated_once(small):
    add_study(small, "two", scoring=SUBSET)
    add_study(small, "three", scoring=SUBSET)
    assert set(scored(small, "one")) == set(scored(small, "one").values())
    # The studies are read in the order of their names.
    assert scored(small, "three")["fine"] == "fine@three"
    assert scored(small, "two") == scored(small, "three"), "these two score alike"
    plan = plan_of(small.root)
    jobs = [Job.of("scores", corpus="toy", system=name, seed=1) for name in ("fine", "fine@three")]
    count = steps(plan.closure(jobs))
    assert (count["scores"], count["train"], count["translate"]) == (2, 2, 1)
    assert [plan.recipe(job).settings["consistency"]["match"] for job in jobs] == ["exact", "subset"]


def test_studies_that_score_alike_share_their_scores(small):
    add_study(small, "two")
    assert scored(small, "two") == scored(small, "one")


def test_comparisons_and_pages_read_the_scores_of_their_study(small):
    rows = [{"system": "fine"}]
    tables = {"t": {"title": "T", "metrics": ["s-BLEU"], "baseline": "sentence", "rows": rows}}
    add_study(small, "two", scoring=SUBSET, tables=tables)
    plan = plan_of(small.root)
    folders = settings(plan.grid, "7_comparisons/two/t")["folders"]
    assert folders == {"toy": {"fine": "fine@two", "sentence": "sentence@two"}}
    reads = plan.inputs(Job.of("page", scale="paper", study="two", item="t")).values()
    assert {job.names["system"] for job in reads if job.step == "scores"} == {"fine@two"}


CLASHES = [
    (TRAINED, {"coherence": {"vectors": {"en": "trained"}, "dimensions": 50}}, "train word vectors", "50 (toy, joint)"),
    ({}, {"consistency": {"chains": "pieces"}}, "train an aligner", "pieces (toy, joint)"),
]


@pytest.mark.parametrize(("first", "second", "what", "value"), CLASHES)
def test_two_studies_cannot_train_two_things_for_one_folder(small, first, second, what, value):
    small.edit(STUDY, "scoring", first)
    add_study(small, "two", scoring=second)
    with pytest.raises(UserError) as refused:
        load_grid(small.root)
    assert what in str(refused.value) and value in str(refused.value) and "as the study one has" in str(refused.value)
    assert "two.yaml:" in str(refused.value)


def test_what_is_not_trained_cannot_clash(small):
    small.edit(STUDY, "scoring", {"coherence": {"vectors": {"en": "own.txt"}, "dimensions": 20}})
    add_study(small, "two", scoring={**TRAINED, "aligner": {"kind": "awesome-align", "model": "models/a"}})
    grid = load_grid(small.root)
    assert settings(grid, "7_vectors/toy/joint")["vectors"]["dimensions"] == 100
    assert settings(grid, "7_aligners/toy/joint")["source"] == "words"


def test_what_no_study_trains_is_no_target(small):
    with pytest.raises(UserError, match="no study trains word vectors of this corpus and text"):
        settings(load_grid(small.root), "7_vectors/toy/joint")


REFUSED = [
    ({"consistensy": {}}, "scoring.consistensy: unknown key"),
    ({"coherence": 5}, "scoring.coherence: wrong type"),
    ({"coherence": {"window": 0}}, "scoring.coherence.window: value not allowed"),
    ({"aligner": {"kind": "awesome-align"}}, "scoring.aligner.model: value not allowed"),
    (["aligner"], "scoring: wrong type"),
]


@pytest.mark.parametrize(("stated", "message"), REFUSED)
def test_what_scoring_cannot_have_is_refused_at_the_study(small, stated, message):
    small.edit(STUDY, "scoring", stated)
    with pytest.raises(UserError) as refused:
        load_grid(small.root)
    assert message in str(refused.value) and "one.yaml:" in str(refused.value)


def test_conventions_of_a_study_are_part_of_its_scores(small):
    loose = {"overlap": {"match": "overlap", "target_stop_words": 0}}
    small.edit(STUDY, "scoring", {"conventions": loose})
    stated = settings(load_grid(small.root), SCORES.format("fine"))["conventions"]["overlap"]
    assert {name: value for name, value in stated.items() if value is not None} == loose["overlap"]


@pytest.mark.parametrize(
    ("conventions", "message"),
    [
        ({"overlap": {"mach": "overlap"}}, "conventions.overlap.mach: unknown key\n  found mach\n  did you mean"),
        ({"overlap": {"match": "overlp"}}, "conventions.overlap.match: unknown name\n  found overlp\n  did you mean"),
        ({"overlap": {"chains": "pieces"}}, "conventions.overlap.chains: unknown key\n  found chains"),
        ({"overlap": {"similarity": 2}}, "conventions.overlap.similarity: value not allowed\n  found 2.0"),
        ({"a b": {}}, "conventions.a b: value not allowed\n  found a b; expected letters"),
        ({"overlaps": {}}, "tables.table1: unknown convention of scoring\n  found overlap\n  did you mean 'overlaps'"),
    ],
)
def test_wrong_conventions_are_refused(small, conventions, message):
    table = {"title": "T", "metrics": ["LTCR:overlap"], "rows": [{"system": "fine"}]}
    small.edit(STUDY, "tables", {"table1": table})
    small.edit(STUDY, "scoring", {"conventions": conventions})
    with pytest.raises(UserError) as refused:
        load_grid(small.root)
    assert message in str(refused.value)


CONTEXT = {"cxmi": {"context": 3}}


def contexts(small) -> dict[str, str]:
    """The place of the scores by context that each system's scores read, below `results/`."""
    plan = plan_of(small.root)
    read = {name: plan.inputs(Job.of("scores", corpus="toy", system=name, seed=1)) for name in SYSTEMS}
    return {name: roles["context"].place for name, roles in read.items() if "context" in roles}


def test_systems_whose_training_has_context_are_scored_by_it(small):
    """Those that differ in decoding alone share a job; one of windows of two sentences has one before the last."""
    small.edit(STUDY, "systems/pairs", {"extends": "document", "view": {"window": 2}})
    assert not contexts(small)
    small.edit(STUDY, "scoring", CONTEXT)
    place = "results/6_context/toy/{}/seed1/context{}"
    trained = {"document": "document", "fine": "fine", "fine.narrow": "fine.narrow", "fine.beam8": "fine"}
    assert contexts(small) == {name: place.format(folder, 3) for name, folder in trained.items()}
    plan = plan_of(small.root)
    job = plan.inputs(Job.of("scores", corpus="toy", system="pairs", seed=1))["context"]
    assert job.place == place.format("pairs", 1)
    assert plan.recipe(job).all_settings["context"] == 1
    assert settings(plan.grid, SCORES.format("pairs"))["cxmi"] == {"context": 1}


def test_without_context_scores_are_asked_for_as_before(small):
    """So that their identities stay."""
    before = settings(load_grid(small.root), SCORES.format("fine"))
    assert "cxmi" not in before
    small.edit(STUDY, "scoring", CONTEXT)
    grid = load_grid(small.root)
    assert settings(grid, SCORES.format("fine")) == before | CONTEXT
    assert "cxmi" not in settings(grid, SCORES.format("sentence"))


def test_studies_with_other_contexts_share_a_training_and_no_scores(small):
    small.edit(STUDY, "scoring", CONTEXT)
    add_study(small, "two", scoring={"cxmi": {"context": 2}})
    plan = plan_of(small.root)
    read = [
        plan.inputs(Job.of("scores", corpus="toy", system=name, seed=1))["context"] for name in ("fine", "fine@two")
    ]
    assert [job.names["context"] for job in read] == ["3", "2"]
    assert len({plan.inputs(job)["model"] for job in read}) == 1


@pytest.mark.parametrize(
    ("context", "metric", "found"),
    [(None, "CXMI", "CXMI, and no sentences"), (None, "CXMI@2", "CXMI@2, and no"), (1, "CXMI@2", "CXMI@2, and 1")],
)
def test_a_metric_of_more_context_than_is_given_is_refused(small, context, metric, found):
    small.edit(STUDY, "tables", {"table1": {"title": "T", "metrics": [metric], "rows": [{"system": "fine"}]}})
    small.edit(STUDY, "scoring", {"cxmi": {"context": context}})
    with pytest.raises(UserError) as refused:
        load_grid(small.root)
    message = str(refused.value)
    assert "one.yaml:" in message and "tables.table1: a metric of context that no model is given" in message
    assert f"found {found}" in message and "expected scoring: {cxmi: {context: " in message
    small.edit(STUDY, "scoring", {"cxmi": {"context": 2}})
    assert load_grid(small.root)
