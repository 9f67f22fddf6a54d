"""n-best lists: of every search, with scores that are those of the texts."""

import csv

import pytest
from helpers.tiny import chunks, tiny_model, windows

from docmt.decoding.files import COLUMNS, TranslationSettings, write_translations
from docmt.decoding.segments import View
from docmt.decoding.translator import Translator
from docmt.nn.rows import Rows
from docmt.search.beam import beam_search
from docmt.search.forced import forced_scores
from docmt.settings.data import CutConfig, ViewConfig
from docmt.settings.decode import DecodeConfig

CASES = {
    "sentences": ("wrapped", CutConfig(window=1), windows(1)),
    "windows": ("joined", CutConfig(window=3), windows(3)),
    "instances": ("g_transformer", CutConfig(max_sentences=3), chunks(3)),
    "documents": ("unmarked", CutConfig(max_sentences=3), chunks(3)),
}
LINES = {
    "sentences": [1, 2, 3, 4, 5, 6, 7],
    "windows": [1, 2, 5, 6],
    "instances": [1, 4, 5, 6],
    "documents": [1, 1, 2, 3],
}
"""The line of each segment's first sentence: documents of 4, 1 and 2 sentences."""


def written(view, output, case, restore=None, **decode):
    name, cut, segments = CASES[case]
    config = DecodeConfig(**{"beam": 3, "max_length_a": 1.0, "max_length_b": 3, **decode})
    settings = TranslationSettings(1, "study", "corpus", "system", "smoke", 1, config, ViewConfig(cut, cut))
    model = tiny_model(name)
    write_translations(settings, Translator(model, config), View(view(segments)), output, restore or numbers)
    return model, config, segments


def numbers(ids):
    return " ".join(map(str, ids)), "-".join(map(str, ids))


def rows_of(output):
    with (output / "test.nbest.tsv").open(newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


def sentences(row):
    return [[int(word) for word in text.split()] for text in row["tokens"].split(" _eos ")]


def source(segment):
    words = iter(segment["source_ids"])
    return [[next(words) for _ in range(length)] for length in segment["source_lengths"]]


@pytest.mark.parametrize("case", CASES)
def test_lists_are_those_of_the_search(view, tmp_path, case):
    model, config, segments = written(view, tmp_path / "out", case, n_best=2)
    rows = rows_of(tmp_path / "out")
    assert list(rows[0]) == list(COLUMNS)
    expected = [
        (str(line), str(number), str(rank), translation.sentences, f"{translation.normalised:.6f}")
        for number, (line, segment) in enumerate(zip(LINES[case], segments, strict=True), 1)
        for rank, translation in enumerate(beam_search(model, Rows.from_lists([source(segment)]), config)[0][:2], 1)
    ]
    assert [(r["line"], r["segment"], r["rank"], sentences(r)) for r in rows] == [row[:-1] for row in expected]
    assert [float(r["score"]) for r in rows] == pytest.approx([float(row[-1]) for row in expected], abs=1e-5)
    assert rows[0]["text"] == rows[0]["tokens"].replace(" _eos ", "|").replace(" ", "-").replace("|", " _eos ")


@pytest.mark.parametrize("case", CASES)
def test_the_log_probability_is_the_forced_score_of_the_text(view, tmp_path, case):
    model, _, segments = written(view, tmp_path / "out", case, n_best=3)
    checked = 0
    for row in rows_of(tmp_path / "out"):
        given, output = source(segments[int(row["segment"]) - 1]), sentences(row)
        # One run stands for all sentences where these are not marked.
        whole = output + [[]] * (len(given) - 1) if case == "documents" else output
        if len(whole) == len(given):
            _, forced = forced_scores(model, Rows.from_lists([given], [whole]))
            assert float(row["log_probability"]) == pytest.approx(forced.sum().item(), abs=1e-4)
            checked += 1
    assert checked >= 3


def test_lists_that_are_no_longer_asked_for_are_removed(view, tmp_path):
    written(view, tmp_path / "out", "sentences", n_best=1)
    written(view, tmp_path / "out", "sentences")
    assert not (tmp_path / "out" / "test.nbest.tsv").exists()


def test_a_text_that_a_spreadsheet_would_compute_is_shielded(view, tmp_path):
    written(view, tmp_path / "out", "sentences", restore=lambda ids: ("- yes", "=1+1"), n_best=1)
    rows = rows_of(tmp_path / "out")
    assert {(row["tokens"], row["text"]) for row in rows} == {("'- yes", "'=1+1")}
    assert all(float(row["score"]) < 0 for row in rows)
    assert (tmp_path / "out" / "test.txt").read_text().splitlines() == ["=1+1"] * len(rows)
