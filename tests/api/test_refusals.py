"""Each mistake of a caller of the Python API is one message."""

from dataclasses import replace

import pytest
from helpers.exported import write_model
from helpers.model_cases import CASES

import docmt
from docmt.base.errors import UserError
from docmt.corpus.inputs import ContrastiveItem
from docmt.settings.data import CutConfig

TEXT = [["a cat .", "a dog ."], ["a cat ."]]
SHORT = [["a cat ."], ["a dog .", "a cat ."]]
FLAT = ["a cat .", "a dog .", "a cat ."]

MISTAKES = {
    "a text that is one string": (lambda: docmt.score("a cat", TEXT), "hypotheses: not a text"),
    "an empty text": (lambda: docmt.score(TEXT, []), "reference: not a text"),
    "a document that is a string": (lambda: docmt.score([["a"], "b"], TEXT), r"hypotheses\[1\]: not a document"),
    "a sentence that is no string": (lambda: docmt.score([["a", 1]], TEXT), r"hypotheses\[0\]: not a document"),
    "fewer sentences": (lambda: docmt.score(TEXT[:1], TEXT), "hypotheses: a different number of sentences"),
    "documents of other lengths": (lambda: docmt.score(SHORT, TEXT), "hypotheses: documents of different lengths"),
    "a further reference that is shorter": (
        lambda: docmt.score(TEXT, TEXT, further_references=[TEXT[:1]]),
        r"further_references\[0\]: a different number",
    ),
    "an unknown family": (lambda: docmt.score(TEXT, TEXT, families=["14a"]), "unknown family of BLEU"),
    "an unknown metric": (lambda: docmt.score(TEXT, TEXT, metrics=["s-TER"]), "unknown metric"),
    "an unknown test": (lambda: docmt.compare(TEXT, TEXT, TEXT, test="t"), "unknown test"),
    "an unknown aligner": (lambda: docmt.align(TEXT, TEXT, aligner="giza"), "unknown aligner"),
    "an unknown heuristic": (lambda: docmt.align(TEXT, TEXT, symmetrise="both"), "unknown way to symmetrise"),
    "awesome-align without a model": (
        lambda: docmt.align(TEXT, TEXT, aligner="awesome-align"),
        "awesome-align needs a model",
    ),
    "a model that would learn": (
        lambda: docmt.align(TEXT, TEXT, model="m", training=(TEXT, TEXT)),
        "a trained model does not learn from more text",
    ),
    "consistency without documents": (lambda: docmt.score_consistency(FLAT, FLAT), "source: no documents"),
    "an unknown rule": (lambda: docmt.score_consistency(TEXT, TEXT, rules={"mach": "x"}), "rules mach: unknown key"),
    "links of another number of sentences": (
        lambda: docmt.score_consistency(TEXT, TEXT, links=[[(0, 0)]]),
        "links: a different number of sentences",
    ),
    "a link to no word": (
        lambda: docmt.score_consistency(TEXT, TEXT, links=[[(0, 9)], [], []]),
        r"links\[0\]: a link to a word that is not there",
    ),
    "coherence without documents": (lambda: docmt.score_coherence(FLAT, "v"), "hypotheses: no documents"),
    "an unknown form": (lambda: docmt.read_contrastive("x", "voito"), "unknown form of contrastive sets"),
    "a corpus that is none": (lambda: next(docmt.read_corpus("corpus.txt")), "corpus.txt: not a corpus"),
    "a folder that is no model": (lambda: docmt.open_model("nowhere"), "nowhere: no trained model is in this folder"),
    "a folder of results that is not there": (lambda: docmt.list_trainings("nowhere"), "nowhere: folder not found"),
    "metrics that are not there": (lambda: docmt.read_curve("nowhere"), "nowhere: file not found"),
    "a file that is not there": (lambda: docmt.read_documents("nowhere"), "nowhere: file not found"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_message(mistake, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call, message = MISTAKES[mistake]
    with pytest.raises(UserError, match=message):
        call()


def test_metrics_without_a_line(tmp_path):
    (tmp_path / "metrics.jsonl").write_text("")
    with pytest.raises(UserError, match="no metrics of a training"):
        docmt.read_curve(tmp_path)


@pytest.mark.parametrize(("filters", "message"), [
    ({"study": "dema"}, "unknown study"), ({"kind": "table"}, "unknown kind of target"),
    ({"state": "done"}, "unknown state of a target"), ({"config": {"scale": "smok"}}, "scale"),
])  # fmt: skip
def test_filters_of_targets(project, filters, message):
    with pytest.raises(UserError, match=message):
        docmt.list_targets(project.root, **filters)


def test_documents_of_a_model(example_model):
    model = docmt.open_model(example_model, device="cpu")
    with pytest.raises(UserError, match="documents: not a list of documents"):
        model.translate("a sentence")
    with pytest.raises(UserError, match=r"documents\[0\]: not a document"):
        model.translate(["a sentence"])
    with pytest.raises(UserError, match="no contrastive items"):
        model.score_contrastive([])


def test_a_document_that_a_learned_table_of_positions_is_too_short_for(tmp_path):
    """It is named, with the place in it, before anything is computed."""
    config = replace(CASES["transformer"], position_table="learned", max_positions=12)
    model = docmt.open_model(write_model(tmp_path / "model", config, CutConfig(max_sentences=2)), device="cpu")
    place = "document '1', sentences 2 to 3 .*\n.*found 14 source tokens.*max_positions = 12"
    with pytest.raises(UserError, match=rf"standard input: {place}"):
        model.translate([["ab", "cd"], ["a", "b", "abcdef", "ghij"]])
    item = ContrastiveItem("all", 1, ("ab", "cd"), ("ab",), ("cd", "abcdefghij"), 0)
    with pytest.raises(UserError, match=r"items: set all, item 0, variant 1.*\n.*found 14 target tokens"):
        model.score_contrastive([item, item])
