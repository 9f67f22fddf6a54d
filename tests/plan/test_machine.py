"""The precision and the engine of a machine are one word of config.yaml, which wins over what studies state."""

import pytest
from helpers.whole_grid import whole_grid

from docmt.base.errors import UserError
from docmt.grid.grid import Grid, load_grid
from docmt.plan.plan import Job, Plan
from docmt.settings.ctranslate2 import engine_obstacles
from docmt.settings.system import Entry

PAPERS = ("long-short", "lexical-chains", "lexical-chains-open", "g-transformer", "contrastive-sets")
STUDY = "workflow/studies/one.yaml"
OTHER = {"precision": "bf16", "engine": "ctranslate2"}


def entries(grid: Grid, *studies: str) -> dict[tuple[str, str, str], Entry]:
    return {
        (entry.study, entry.corpus, entry.system.name): entry
        for entry in grid.entries
        if entry.has_model and (not studies or entry.study in studies)
    }


def of(entry: Entry) -> dict[str, str]:
    return {"precision": entry.system.train.precision, "engine": entry.system.decode.engine}


def suits_ctranslate2(grid: Grid, entry: Entry) -> bool:
    system = entry.system
    return not any(engine_obstacles(system.model, system.view.test, grid.texts[system.text], system.decode))


def test_the_papers_studies_train_in_fp32_and_search_by_docmt():
    papers = entries(whole_grid(), *PAPERS)
    assert len(papers) == 191
    assert {tuple(of(entry).values()) for entry in papers.values()} == {("fp32", "docmt")}


@pytest.mark.some(1)
@pytest.mark.parametrize("scale", ["paper", "smoke"])
def test_one_word_reaches_every_system_of_every_study(scale):
    usual, other = entries(whole_grid(scale)), entries(whole_grid(scale, **OTHER))
    assert usual.keys() == other.keys()
    for name, entry in other.items():
        if name[0] != "precision":
            assert of(entry)["precision"] == "bf16", name
        assert of(entry)["engine"] == ("ctranslate2" if suits_ctranslate2(whole_grid(scale), entry) else "docmt"), name
    back = entries(whole_grid(scale, precision="fp32", engine="docmt"))
    assert back == usual


def test_a_study_that_compares_precisions_keeps_its_own():
    for precision in ("fp32", "bf16"):
        compared = entries(whole_grid(precision=precision), "precision")
        assert {name: of(entry) for name, entry in compared.items()} == {
            name: of(entry) for name, entry in entries(whole_grid(), "precision").items()
        }
    assert {of(entry)["precision"] for entry in compared.values()} == {"fp32", "bf16"}


def test_another_precision_is_another_training_and_another_engine_another_translation(small):
    def identity(step: str, **overrides) -> str:
        plan = Plan(load_grid(small.root, overrides), small.root)
        return plan.recipe(Job.of(step, corpus="toy", system="sentence", seed=1)).identity

    small.edit(STUDY, "systems", {"sentence": {"train": {"precision": "bf16"}, "decode": {"engine": "ctranslate2"}}})
    for rule, changed in (("train", ["precision"]), ("translate", ["precision", "engine"])):
        stated = identity(rule)
        assert identity(rule, **OTHER) == stated
        assert all(identity(rule, **{key: usual}) != stated for key, usual in of_nothing().items() if key in changed)
    assert identity("train", engine="docmt") == identity("train")


def of_nothing() -> dict[str, str]:
    """What is used where nobody states anything."""
    return {"precision": "fp32", "engine": "docmt"}


def test_a_study_may_keep_what_it_compares(small):
    small.edit(STUDY, "systems", {"sentence": {}, "fast": {"extends": "sentence", "decode": {"engine": "ctranslate2"}}})
    small.edit(STUDY, "compares", ["engine"])
    compared = entries(load_grid(small.root, OTHER))
    assert {name[2]: of(entry) for name, entry in compared.items()} == {
        "sentence": {"precision": "bf16", "engine": "docmt"},
        "fast": {"precision": "bf16", "engine": "ctranslate2"},
    }


@pytest.mark.parametrize(("key", "value"), [("precision", "fp16"), ("engine", "marian")])
def test_other_words_are_refused(small, key, value):
    with pytest.raises(UserError, match=rf"--config {key}: unknown name\n  found {value}"):
        load_grid(small.root, {key: value})
