"""On which corpora systems stand, with which seeds, and what they start from on another corpus."""

import dataclasses

import pytest
from helpers.recipes import settings
from helpers.small_grid import CORPUS, STUDY, entry
from helpers.support import Project

from docmt.base.errors import UserError
from docmt.grid.grid import load_grid
from docmt.plan.supplies import Supplies


@pytest.fixture
def two(small) -> Project:
    """The study has a second corpus, and a text that both share."""
    small.write("workflow/corpora/large.yaml", {**CORPUS, "corpus": "large"})
    small.edit(STUDY, "corpora", ["toy", "large"])
    small.edit("config.yaml", "texts/shared", {"bpe": "joint", "merges": 10, "learnt_on": "large"})
    return small


def corpora_by_system(project: Project) -> dict[str, list[str]]:
    corpora: dict[str, list[str]] = {}
    for system_entry in load_grid(project.root).of_study("one"):
        corpora.setdefault(system_entry.system.name, []).append(system_entry.corpus)
    return corpora


def test_corpora_are_inherited_unless_stated_anew(two):
    two.edit(STUDY, "systems/document/corpora", ["large"])
    assert corpora_by_system(two) == {
        "sentence": ["toy", "large"],
        **{name: ["large"] for name in ("document", "fine", "fine.narrow", "fine.beam8")},
    }
    two.edit(STUDY, "systems/fine/corpora", ["large", "toy"])
    two.edit(STUDY, "systems/fine.narrow/corpora", ["toy"])
    two.edit(STUDY, "systems/fine.beam8/corpora", None)
    corpora = corpora_by_system(two)
    assert [corpora[name] for name in ("document", "fine", "fine.narrow", "fine.beam8")] == [
        ["large"],
        ["toy", "large"],
        ["toy"],
        ["toy", "large"],
    ]


def test_seeds_are_those_of_the_system_its_ancestors_the_study_or_the_project(two):
    two.edit("config.yaml", "seeds", [9])
    assert entry(two, "fine").seeds == (9,)
    two.edit(STUDY, "seeds", [1, 2])
    two.edit(STUDY, "systems/document/seeds", [3, 4, 5])
    two.edit(STUDY, "systems/fine.beam8/seeds", [6])
    two.edit(STUDY, "systems/fine.narrow/seeds", None)
    seeds = {entry.system.name: entry.seeds for entry in load_grid(two.root).entries}
    assert seeds == {
        "sentence": (1, 2), "document": (3, 4, 5), "fine": (3, 4, 5), "fine.narrow": (1, 2), "fine.beam8": (6,),
    }  # fmt: skip


def test_a_system_uses_the_model_of_an_ancestor_that_stands_on_its_corpus(two):
    """`fine.beam8` differs from `fine` in decoding alone, but `fine` is not on the second corpus."""
    two.edit(STUDY, "systems/fine/corpora", ["toy"])
    two.edit(STUDY, "systems/fine.beam8/corpora", ["toy", "large"])
    trained = {
        entry.corpus: entry.trained for entry in load_grid(two.root).entries if entry.system.name == "fine.beam8"
    }
    assert trained == {"toy": "fine", "large": "fine.beam8"}


def test_training_may_start_from_a_model_on_another_corpus(two):
    for name in ("sentence", "document"):
        two.edit(STUDY, f"systems/{name}/text", "shared")
    two.edit(STUDY, "systems/document/corpora", ["toy"])
    two.edit(STUDY, "systems/fine/init_from", {"system": "sentence", "corpus": "large"})
    grid = load_grid(two.root)
    fine = grid.named("one", "toy", "fine")
    start = grid.started_from(fine)
    assert (start.corpus, start.system.name) == ("large", "sentence")
    assert grid.corpora_for(fine) == ["toy", "large"]
    assert settings(grid, "5_training/toy/fine/seed1")["init_from"] == "sentence"
    # What the second corpus lacks is missing to the system on the first one, too.
    without = dataclasses.replace(grid, not_run={"large": "large is missing"})
    assert [without.left_out(entry) for entry in (fine, grid.named("one", "toy", "sentence"))] == [
        "large is missing"
    ] * 2


def test_a_checkpoint_that_is_not_there_leaves_out_what_starts_from_it(two):
    folder = two.root / "mbart"
    two.edit("config.yaml", "texts/pieces", {"pretrained": str(folder)})
    two.edit(STUDY, "systems/sentence", {"text": "pieces", "pretrained": str(folder)})
    two.edit(STUDY, "systems/plain", {})
    grid = load_grid(two.root)
    fine, plain = (grid.named("one", "toy", name) for name in ("fine", "plain"))
    assert (grid.checkpoints_for(fine), grid.checkpoints_for(plain)) == ([str(folder)], [])
    lacking, _ = Supplies(grid, two.root).left_out()
    without = dataclasses.replace(grid, not_run=lacking)
    assert [without.left_out(entry) for entry in (fine, plain)] == [f"{folder} is missing: a pretrained model", None]
    folder.mkdir()
    for name in ("config.json", "model.safetensors"):
        (folder / name).touch()
    assert Supplies(grid, two.root).left_out() == ({}, {})


def test_what_a_system_starts_from_elsewhere_is_part_of_what_it_is(two):
    for name in ("sentence", "document"):
        two.edit(STUDY, f"systems/{name}/text", "shared")
    two.edit(STUDY, "systems/document/corpora", ["toy"])
    study = two.read(STUDY)
    study["study"] = "two"
    study["systems"]["fine"]["init_from"] = {"system": "sentence", "corpus": "large"}
    two.write("workflow/studies/two.yaml", study)
    assert {name: entry(two, name, "two").folder for name in ("document", "fine")} == {
        "document": "document",
        "fine": "fine@two",
    }


def test_a_shared_system_uses_the_model_that_the_first_study_trains(two):
    """There `copy` is a beam of `sentence`; here it stands alone, with the same settings, and is not trained again."""
    two.edit(STUDY, "systems/copy", {"extends": "sentence"})
    study = two.read(STUDY)
    study |= {"study": "two", "systems": {"copy": study["systems"]["sentence"], "beam": {"extends": "copy"}}}
    study["systems"]["beam"]["decode"] = {"beam": 2}
    two.write("workflow/studies/two.yaml", study)
    assert [(entry(two, name, "two").folder, entry(two, name, "two").trained) for name in ("copy", "beam")] == [
        ("copy", "sentence"),
        ("beam", "sentence"),
    ]


REFUSED = [
    (
        "systems/fine/corpora",
        ["lagre"],
        "systems.fine.corpora.0: unknown corpus of the study\n  found lagre\n  did",
    ),
    ("systems/fine/corpora", "toy", "systems.fine.corpora: wrong type\n  found 'toy' (a text); expected a list"),
    ("systems/fine/corpora", [], "systems.fine.corpora: no corpus\n  expected at least one corpus of the study"),
    (
        "systems/fine/seeds",
        [],
        "systems.fine.seeds: value not allowed\n  found no seed; expected at least one whole number",
    ),
    ("systems/fine/seeds", ["a"], "systems.fine.seeds.0: wrong type\n  found 'a' (a text); expected a whole number"),
    (
        "systems",
        {"sentence": {"corpora": ["toy"]}, "fine": {"init_from": "sentence"}},
        "sentence, which training starts from, is not on this corpus\n  found large",
    ),
    (
        "systems/fine/init_from",
        {"system": "sentense", "corpus": "toy"},
        "fine.init_from.system: unknown system",
    ),
    (
        "systems/fine/init_from",
        {"system": "sentence", "corpus": "tod"},
        "init_from.corpus: unknown corpus of the",
    ),
    ("systems/fine/init_from", {"system": "sentence"}, "systems.fine.init_from.corpus: key is missing"),
    ("systems/fine/init_from", {"sytem": "sentence"}, "systems.fine.init_from.sytem: unknown key"),
    (
        "systems/fine/init_from",
        {"system": "sentence", "corpus": "large"},
        "systems.fine.text: sentence is trained on another corpus, with another vocabulary\n  found text joint",
    ),
    (
        "systems/sentence/init_from",
        {"system": "fine", "corpus": "toy"},
        "systems.sentence.init_from: the system extends or starts from itself",
    ),
]


@pytest.mark.parametrize(("path", "value", "message"), REFUSED)
def test_refused_before_any_job(two, path, value, message):
    two.edit(STUDY, path, value)
    with pytest.raises(UserError) as refused:
        load_grid(two.root)
    assert message in str(refused.value)
    assert "one.yaml:" in str(refused.value)
