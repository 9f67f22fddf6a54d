"""What makes a number of ours not comparable with the published one beside it, as far as it is known before a run."""

import pytest
from helpers.plans import plan_of, plant_files
from helpers.recipes import settings
from helpers.small_grid import STUDY

from docmt.base.errors import UserError
from docmt.grid.comparable import not_comparable, reasons_of_item
from docmt.grid.grid import load_grid
from docmt.plan.run import grid_of_run
from docmt.plan.targets import targets

ALIGNER = {"kind": "awesome-align", "model": "models/awesome"}
VECTORS = {"vectors": {"en": "models/gigaword.txt"}}
WORDS = {"paper": "appendix A", "quotation": "the most-frequency 7 source words"}
MEASURED_AS = {
    "LTCR": [
        {"paper": "footnote 3", "quotation": "we use awesome-align", "scoring": {"aligner": ALIGNER}},
        {**WORDS, "scoring": {"consistency": {"source_stop_words": 7}}},
    ],
    "coherence": [
        {"paper": "section 5", "quotation": "learnt on Gigaword", "scoring": {"coherence": VECTORS}, "obtain": "Ask."}
    ],
    "s-BLEU": [{"paper": "section 4", "quotation": "by multi-bleu"}],
}
AS_THE_PAPER = {"aligner": ALIGNER, "coherence": VECTORS, "consistency": {"source_stop_words": 7}}
ROWS = [
    {"system": "sentence", "published": {"toy": {"LTCR": 56.87, "s-BLEU": 40.55, "coherence": "not digitised"}}},
    {"system": "fine"},
    {"label": "Others (2020)", "published": {"toy": {"coherence": 0.7}}},
]
OTHER_ALIGNER = "aligner.kind is default; the paper: awesome-align (footnote 3)"
OTHER_WORDS = "consistency.source_stop_words is 1000; the paper: 7 (appendix A)"


@pytest.fixture
def stated(small):
    """A study that says how its paper measures; its table has two published numbers beside its own."""
    small.edit(STUDY, "measured_as", MEASURED_AS)
    small.edit(STUDY, "tables", {"t": {"title": "T", "metrics": ["s-BLEU", "LTCR", "coherence"], "rows": ROWS}})
    return small


def reasons(project, scoring: dict, **config) -> dict:
    project.edit(STUDY, "scoring", scoring)
    return not_comparable(load_grid(project.root, config), "one", ["toy"]).get("toy", {})


def test_what_is_measured_as_the_paper_does_is_comparable(stated):
    assert reasons(stated, AS_THE_PAPER) == {}
    elsewhere = {"kind": "awesome-align", "model": "/data/awesome"}
    assert reasons(stated, {**AS_THE_PAPER, "aligner": elsewhere}) == {}, "the same model at another place"


@pytest.mark.parametrize(
    ("scoring", "metric", "reason"),
    [
        ({"aligner": {"kind": "default"}}, "LTCR", OTHER_ALIGNER),
        (
            {"aligner": {"kind": "awesome-align", "model": "models/mbert"}},
            "LTCR",
            "aligner.model is mbert; the paper: awesome (footnote 3)",
        ),
        ({"consistency": {"source_stop_words": None}}, "LTCR", OTHER_WORDS),
        (
            {"coherence": {"vectors": {"en": "trained"}}},
            "coherence",
            "coherence.vectors is trained; the paper: gigaword.txt (section 5)",
        ),
    ],
)
def test_another_choice_is_a_reason(stated, scoring, metric, reason):
    assert reasons(stated, {**AS_THE_PAPER, **scoring}) == {metric: [reason]}


def test_vectors_of_other_languages_are_no_matter_of_this_corpus(stated):
    german = {"coherence": {"vectors": {"de": "x"}}}
    stated.edit(STUDY, "measured_as/coherence", [{**MEASURED_AS["coherence"][0], "scoring": german}])
    assert "coherence" not in reasons(stated, {})


def test_what_is_not_scored_has_no_reason_besides(stated, monkeypatch):
    monkeypatch.chdir(stated.root)
    stated.edit(STUDY, "scoring", AS_THE_PAPER)
    grid = grid_of_run(stated.root, {})
    assert set(grid.not_scored) == {"models/awesome", "models/gigaword.txt"}
    assert grid.ways["models/gigaword.txt"] == "Ask."
    assert not_comparable(grid, "one", ["toy"]) == {}


def test_a_random_model_and_generated_text_are_reasons(stated):
    fixtures = {"documents": {"train": 2, "dev": 1, "test": 1}}
    sizes = {"encoder_layers": 1, "decoder_layers": 1, "width": 8, "inner": 8, "heads": 1}
    smoke = {"about": "tiny", "fixtures": fixtures, "pretrained": {"models/awesome": "aligner"}, "model": sizes}
    stated.write("workflow/scales/smoke.yaml", smoke)
    small_model = "a small random model takes the place of awesome"
    assert reasons(stated, AS_THE_PAPER, scale="smoke") == {"LTCR": [small_model]}, "the toy corpus has no files"
    corpus = stated.read("workflow/corpora/toy.yaml")
    files = [{"name": "a.zh", "sources": ["https://example.org/a"]}]
    stated.write("workflow/corpora/toy.yaml", {**corpus, "files": files})
    generated = reasons(stated, AS_THE_PAPER, scale="smoke")
    assert generated == {"": ["the text is generated (scale smoke)"], "LTCR": [small_model]}


def test_an_item_has_the_reasons_of_what_stands_beside_published_numbers(stated):
    stated.edit(STUDY, "tables/t/not_comparable", {"s-BLEU": "another unit"})
    plan = plan_of(stated.root)
    reasons_of_table = reasons_of_item(plan.grid, "one", plan.grid.studies["one"].items["t"])
    assert reasons_of_table == {"another unit": ["s-BLEU"], OTHER_ALIGNER: ["LTCR"], OTHER_WORDS: ["LTCR"]}
    rows = targets(plan, ["one"], False)
    (item,) = (row for row in rows if row.kind == "item")
    assert item.not_comparable == (
        "s-BLEU not comparable because another unit",
        f"LTCR not comparable because {OTHER_ALIGNER}",
        f"LTCR not comparable because {OTHER_WORDS}",
    )


def test_a_page_has_the_reasons_and_the_papers_words_but_no_path(stated, monkeypatch):
    plant_files(monkeypatch)
    stated.edit(STUDY, "scoring", {"coherence": {"vectors": {"en": "/home/me/own.txt"}}})
    page = settings(load_grid(stated.root), "8_report/paper/one/t")
    assert page["not_comparable"]["toy"]["coherence"] == [
        "coherence.vectors is own.txt; the paper: gigaword.txt (section 5)"
    ]
    assert page["study"]["measured_as"]["LTCR"][0]["quotation"] == "we use awesome-align"
    assert "/home/me" not in str(page)


REFUSED = [
    ({"LCTR": MEASURED_AS["LTCR"]}, "measured_as.LCTR: unknown metric\n  found LCTR\n  did you mean 'LTCR'?"),
    ({"LTCR": [{**WORDS, "scoring": {"aligners": {}}}]}, "measured_as.LTCR.0.scoring.aligners: unknown key"),
    ({"LTCR": [{**WORDS, "scoring": {"aligner": 1}}]}, "measured_as.LTCR.0.scoring.aligner: wrong type"),
    ({"LTCR": [{"paper": "footnote 3"}]}, "measured_as.LTCR.0.quotation: value not allowed"),
    ({"LTCR": [{"quotation": "we use"}]}, "measured_as.LTCR.0.paper: value not allowed"),
]


@pytest.mark.parametrize(("value", "message"), REFUSED)
def test_what_no_paper_can_say_is_refused_at_the_study(small, value, message):
    small.edit(STUDY, "measured_as", value)
    with pytest.raises(UserError) as refused:
        load_grid(small.root)
    assert message in str(refused.value) and "one.yaml" in str(refused.value)
