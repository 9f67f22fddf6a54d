"""A model whose test windows are filled translates a document as it would behind copies of its first sentence.

Windows of `transformer joined`, with random weights, get another number of sentences; those of `g_transformer` cannot.
"""

import pytest
from helpers.exported import write_model
from helpers.model_cases import CASES

import docmt
from docmt.settings.data import CutConfig

DOCUMENTS = [["a b c"], ["b a", "c d", "a a b"], ["d c b a", "b", "c a", "a d", "b b"]]


@pytest.mark.some(2)
@pytest.mark.filterwarnings("ignore:.*segments got another number")
@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.parametrize("case", ["transformer joined", "g_transformer"])
def test_lines_are_those_of_the_document_behind_copies_of_its_first_sentence(case, size, tmp_path):
    cuts = {"plain": CutConfig(window=size), "filled": CutConfig(window=size, partial_copy=1.0)}
    models = {name: docmt.open_model(write_model(tmp_path / name, CASES[case], cut)) for name, cut in cuts.items()}
    copied = [[document[0]] * (size - 1) + document for document in DOCUMENTS]
    plain = [translation.lines[size - 1 :] for translation in models["plain"].translate(copied, beam=2)]
    assert [translation.lines for translation in models["filled"].translate(DOCUMENTS, beam=2)] == plain
