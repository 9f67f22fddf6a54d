"""Where the sizes of texts come from: cards, the catalogue, and guesses."""

from pathlib import Path

from helpers.small_grid import CORPUS, STUDY, entry
from helpers.support import Project
from helpers.whole_grid import whole_grid

from docmt.base.artifacts import write_json
from docmt.estimates.passes import Pass
from docmt.grid.grid import load_grid
from docmt.plan.estimates import Estimates
from docmt.plan.plan import Plan
from docmt.plan.sizes import PIECES, Sizes

SIDES = {"source": {"pieces": 900}, "target": {"pieces": 800}}
TEXT = {"corpus": "toy", "text": "joint"}


def sizes(project: Project) -> Sizes:
    return Sizes(Plan(load_grid(project.root), project.root))


def state(project: Project, **fields: object) -> None:
    project.write("workflow/corpora/toy.yaml", {**CORPUS, "corpus": "toy", **fields})


def published(**counts: object) -> list[dict]:
    return [{"paper": "P", "place": "Table 1", "counts": {"train": counts}}]


def write_card(project: Project, card: dict, **view: str) -> None:
    """Write what stage 2, or stage 3 for a view, leaves with the present settings."""
    folder = sizes(project).plan.folder("views" if view else "tokens", {**TEXT, **view})
    write_json(folder / "card.json", card)


def counts(**train: object) -> dict:
    return {"splits": {"train": {**SIDES, **train}}}


def test_an_unstated_size_is_unknown_and_documents_alone_are_no_size(small):
    assert sizes(small).epoch(entry(small, "sentence")) is None
    state(small, published=published(documents="1.5M"))
    assert sizes(small).epoch(entry(small, "sentence")) is None
    assert sizes(small).of_split(entry(small, "sentence"), "dev") == Pass()


def test_parts_that_the_catalogue_states_are_both_documents_and_sentences(small):
    state(small, train_parts=[{"documents": "1.5M", "sentences": "6M", "pieces": 10}])
    assert sizes(small).epoch(entry(small, "sentence")) == Pass(6e6, 6e6, 6e7, 6e7)
    small.edit(STUDY, "systems/document/view", {"train": {"documents": True}, "test": {"max_tokens": 64}})
    assert sizes(small).epoch(entry(small, "document")) == Pass(1.5e6, 6e6, 6e7, 6e7)


def test_papers_state_sentences_and_what_instances_have(small):
    state(small, published=published(sentences="9K", sentences_per_instance=10, tokens_per_instance=300))
    assert sizes(small).epoch(entry(small, "sentence")) == Pass(9e3, 9e3, 27e4, 27e4)
    state(small, published=published(sentences="9K"))
    assert sizes(small).epoch(entry(small, "sentence")).target == 9e3 * PIECES


def test_counts_of_stage_2_are_taken_before_stated_ones(small):
    state(small, expected={"train": {"documents": 5, "sentences": 50}})
    write_card(small, counts(documents=10, sentences=100))
    assert sizes(small).epoch(entry(small, "sentence")) == Pass(100, 100, 900, 800)


def test_a_vocabulary_has_as_many_pieces_as_merges_or_as_the_corpus_has_or_as_were_counted(small):
    system = entry(small, "sentence").system
    assert sizes(small).vocabulary(system, "toy") == (10, 10)
    state(small, most_pieces=7)
    assert sizes(small).vocabulary(system, "toy") == (7, 7)
    write_card(small, {"vocabulary": {"source": 8, "target": 9}})
    assert sizes(small).vocabulary(system, "toy") == (8, 9)


def test_counts_of_stage_3_are_taken_as_they_are(small):
    write_card(small, counts(documents=10, sentences=100))
    write_card(small, counts(segments=7, sentences_in_segments=9), view="window1")
    assert sizes(small).epoch(entry(small, "sentence")) == Pass(7, 9, 900, 800)


def test_every_training_of_every_study_has_hours(tmp_path: Path):
    """The catalogue states a size of each corpus that a study trains on."""
    plan = Plan(whole_grid(), tmp_path)
    estimates = Estimates(plan, "cuda")
    unknown = {entry.corpus for entry in plan.grid.entries if estimates.hours(entry) is None}
    assert unknown == set()
