"""A trained aligner as files."""

import pytest

from docmt.base.artifacts import write_json
from docmt.base.errors import UserError
from docmt.scoring.alignment.model import AlignmentModel
from docmt.scoring.alignment.training import align, train

LINES = ["das haus", "das buch", "ein buch", "猫 haus"], ["the house", "the book", "a book", "cat house"]


def test_a_model_survives_its_files_to_the_byte(tmp_path):
    model = train(*LINES)
    model.save(tmp_path / "one")
    loaded = AlignmentModel.load(tmp_path / "one")
    loaded.save(tmp_path / "two")
    for name in ("lexicon.arrow", "jumps.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    lines = ["ein haus", "neu"], ["a house", "new"]
    assert align(*lines, loaded) == align(*lines, model)


def test_a_model_of_nothing_survives_too(tmp_path):
    train([], []).save(tmp_path)
    assert align(*LINES, AlignmentModel.load(tmp_path)) == align(*LINES)


def test_what_is_no_model_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"lexicon.arrow: file not found"):
        AlignmentModel.load(tmp_path)
    train(*LINES).save(tmp_path)
    write_json(tmp_path / "jumps.json", [[0.5, 0.5], {}])
    with pytest.raises(
        UserError, match=r"jumps.json: not the jumps of an aligner\n  expected two lists of 201 numbers"
    ):
        AlignmentModel.load(tmp_path)
