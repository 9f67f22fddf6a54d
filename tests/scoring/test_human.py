"""The blind sheet of two systems: written, filled by a script, read back."""

import csv
import dataclasses
import json
import random
import re
from collections import Counter
from pathlib import Path

import pytest
from helpers.command_line import output
from hypothesis import given
from hypothesis import strategies as st

from docmt.base.artifacts import read_json
from docmt.base.errors import UserError
from docmt.scoring.human.items import ComparedSystems, Key, KeyItem, SheetItem, draw_sheet_items
from docmt.scoring.human.preference import kappa, preferences
from docmt.scoring.human.sheet import COLUMNS, read_saved_rows, read_verdicts, write_sheet

DOCUMENTS = [name for name, size in (("a", 7), ("b", 1), ("c", 2), ("d", 30)) for _ in range(size)]
TEST = ComparedSystems(
    DOCUMENTS,
    *([f'{side} {number}, "{name}";' for number, name in enumerate(DOCUMENTS)] for side in ("source", "reference")),
    [f"- baseline {number}" for number in range(len(DOCUMENTS))],
    [f"= system {number}" for number in range(len(DOCUMENTS))],
)
VERDICTS = ["better"] * 9 + ["worse"] * 5 + ["equal"] * 6


def fill(sheet: Path, key: Path, verdicts: list[str], **written: str) -> Path:
    """As an annotator would who knows whose translations are which; `written`: how the CSV is saved."""
    rows = list(csv.reader(sheet.open(encoding="utf-8-sig", newline="")))
    for row, item, verdict in zip(rows[1:], read_json(key)["items"], verdicts, strict=True):
        preferred = {"better": "system", "worse": "baseline"}.get(verdict)
        row[-1] = "equal" if preferred is None else "1" if item["first"] == preferred else "2"
    filled = sheet.with_name("filled.csv")
    with filled.open("w", encoding=written.pop("encoding", "utf-8"), newline="") as stream:
        csv.writer(stream, **written).writerows(rows)
    return filled


@pytest.fixture
def sheet(tmp_path) -> tuple[Path, Path]:
    """A sheet of 20 sentences and its key."""
    items = draw_sheet_items(TEST, 20, seed=1)
    write_sheet(tmp_path / "sheet.csv", items)
    Key.of_items(items, "theirs", "ours", 1).save(tmp_path / "key.json")
    return tmp_path / "sheet.csv", tmp_path / "key.json"


def test_a_sheet_goes_out_and_comes_back_as_known_percentages(tmp_path):
    lines = {"source": TEST.source, "reference": TEST.references, "baseline": TEST.baseline, "hypotheses": TEST.system}
    options: list[object] = []
    for name, texts in {**lines, "documents": DOCUMENTS}.items():
        (tmp_path / name).write_text("".join(text + "\n" for text in texts), encoding="utf-8")
        options += [f"--{name}", tmp_path / name]
    files = [tmp_path / name for name in ("sheet.csv", "key.json", "sheet.html")]
    output("draw-sheet", *options, "--output", files[0], "--key", files[1], "--page", files[2], "--sentences", 20)
    first = fill(*files[:2], VERDICTS)
    second = first.rename(tmp_path / "second.csv")
    first = fill(*files[:2], ["better"] * 10 + VERDICTS[10:])
    result = json.loads(output("read-sheets", first, second, "--key", files[1], "--json"))
    assert (result["system"], result["baseline"]) == (str(tmp_path / "hypotheses"), str(tmp_path / "baseline"))
    assert result["sentences"] == 20
    assert result["annotators"][1] == {
        "annotator": "second", "better": 45.0, "worse": 25.0, "equal": 30.0, "preferred": 100 * 9 / 14,
    }  # fmt: skip
    assert [result["average"][name] for name in ("better", "worse", "equal")] == [47.5, 22.5, 30.0]
    chance = 0.5 * 0.45 + 0.2 * 0.25 + 0.3 * 0.3
    (agreement,) = result["agreement"]
    assert agreement["observed"] == pytest.approx(95)
    assert agreement["kappa"] == pytest.approx((0.95 - chance) / (1 - chance))
    assert result["signature"] == "human|sentences:20|identical:filled|context:2|seed:1|choices:3|v:2"
    printed = output("read-sheets", first, second, "--key", files[1])
    assert "average" in printed and "47.5 %" in printed and "kappa 0.92" in printed and result["signature"] in printed
    page = files[2].read_text(encoding="utf-8")
    assert page.count("<fieldset") == 20 and page.count('type="radio"') == 60
    rows = json.loads(re.search(r"const rows = (.*);\n", page)[1])
    assert rows == list(csv.reader(files[0].open(encoding="utf-8-sig", newline="")))


def test_no_sentence_stands_twice_and_context_stays_in_its_document():
    items = draw_sheet_items(TEST, len(DOCUMENTS), seed=3)
    assert sorted(item.line for item in items) == list(range(1, len(DOCUMENTS) + 1))
    for item in items:
        pairs = (*item.before, (item.source, None), *item.after)
        for step, pair in enumerate(pairs, -2):
            place = item.line - 1 + step
            inside = 0 <= place < len(DOCUMENTS) and DOCUMENTS[place] == DOCUMENTS[item.line - 1]
            assert pair[0] == (TEST.source[place] if inside else "")
            assert pair[1] == (None if step == 0 else TEST.references[place] if inside else "")
        by_system = {"baseline": TEST.baseline[item.line - 1], "system": TEST.system[item.line - 1]}
        assert item.translations[0] == by_system[item.first] and set(item.translations) == set(by_system.values())


def test_the_draw_follows_the_seed_and_either_system_stands_first_about_as_often():
    assert (
        draw_sheet_items(TEST, 10, seed=1) == draw_sheet_items(TEST, 10, seed=1) != draw_sheet_items(TEST, 10, seed=2)
    )
    firsts = Counter(item.first for seed in range(50) for item in draw_sheet_items(TEST, 40, seed))
    # Six standard deviations.
    assert abs(firsts["system"] - 1000) < 6 * (2000 * 0.25) ** 0.5


def test_nothing_in_a_sheet_says_which_system_it_is(sheet):
    text = sheet[0].read_text(encoding="utf-8-sig")
    assert next(csv.reader(text.splitlines())) == list(COLUMNS)
    assert not any(word in text for word in ("theirs", "ours"))
    assert all(row[-1] == "" for row in list(csv.reader(text.splitlines()))[1:])


@pytest.mark.parametrize(
    "written",
    [{"delimiter": ";"}, {"delimiter": "\t"}, {"lineterminator": "\r\n"}, {"quoting": csv.QUOTE_ALL},
     {"encoding": "utf-8-sig"}, {"encoding": "utf-16", "delimiter": "\t", "lineterminator": "\r\n"}],
    ids=str,
)  # fmt: skip
def test_sheets_come_back_as_spreadsheets_save_them(sheet, written):
    filled = fill(*sheet, VERDICTS, **written)
    assert read_verdicts(filled, Key.load(sheet[1])) == VERDICTS


def test_rows_may_be_sorted_otherwise_and_choices_may_have_blanks(sheet):
    filled = fill(*sheet, VERDICTS)
    heading, *rows = filled.read_text(encoding="utf-8").splitlines(keepends=True)
    random.Random(1).shuffle(rows)
    filled.write_text("".join([heading, *rows, "," * 12 + "\n"]).replace(",equal", ", Equal "), encoding="utf-8")
    assert read_verdicts(filled, Key.load(sheet[1])) == VERDICTS


def changed(number: int, column: str, text: str):
    def change(rows: list[list[str]]) -> None:
        rows[number][COLUMNS.index(column)] = text

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (changed(4, "choice", ""), r"filled.csv:5: a sheet half filled\n  found 1 rows without choice"),
        (changed(4, "choice", "3"), r"filled.csv:5: not a choice\n  found 3; expected 1, 2, equal"),
        (changed(4, "translation 1", "better"), r"filled.csv:5: not the sentences of the sheet\n  found item 4"),
        (changed(4, "item", "21"), r"filled.csv:5: not an item of the key\n  found 21; expected 1 to 20"),
        (changed(4, "source", "a" * 200_000), r"filled.csv:5: not a row of CSV\n.*\n  save the sheet as CSV"),
        (
            lambda rows: [row.pop(4) for row in rows],
            r"filled.csv:1: not a sheet\n  found item,source -2.*expected item",
        ),
        (lambda rows: rows.append(rows[3]), r"filled.csv:22: an item twice\n  found 3"),
        (lambda rows: rows.pop(3), r"filled.csv: rows are missing\n  found 19 items, item 3 is missing"),
        (lambda rows: rows[4].append("why"), r"filled.csv:5: a different number of columns\n  found 14; expected 13"),
    ],
)
def test_a_sheet_that_was_changed_or_is_half_filled_is_refused(sheet, change, message):
    filled = fill(*sheet, VERDICTS)
    rows = list(csv.reader(filled.open(encoding="utf-8", newline="")))
    change(rows)
    with filled.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)
    with pytest.raises(UserError, match=message):
        read_verdicts(filled, Key.load(sheet[1]))


def test_a_sheet_of_another_key_is_refused(sheet, tmp_path):
    other = Key.of_items(draw_sheet_items(TEST, 20, seed=2), "theirs", "ours", 2)
    with pytest.raises(UserError, match="not the sentences of the sheet"):
        read_verdicts(fill(*sheet, VERDICTS), other)


def test_files_that_are_no_sheets_are_refused(sheet, tmp_path):
    with pytest.raises(UserError, match=r"nowhere.csv: file not found"):
        read_verdicts(tmp_path / "nowhere.csv", Key.load(sheet[1]))
    latin = fill(*sheet, VERDICTS)
    latin.write_bytes(latin.read_bytes() + "é".encode("latin-1"))
    with pytest.raises(UserError, match=r"filled.csv:22: not valid UTF-8\n.*\n  save the sheet as CSV in UTF-8"):
        read_verdicts(latin, Key.load(sheet[1]))
    half = fill(*sheet, VERDICTS, encoding="utf-16")
    half.write_bytes(half.read_bytes()[:-1])
    with pytest.raises(UserError, match=r"filled.csv:\d+: not valid UTF-16\n.*\n  save the sheet as CSV in UTF-8"):
        read_verdicts(half, Key.load(sheet[1]))
    with pytest.raises(UserError, match=r"filled.csv:1: not a sheet"):
        read_verdicts(fill(*sheet, VERDICTS, delimiter="|"), Key.load(sheet[1]))


def test_more_sentences_than_there_are_are_refused():
    with pytest.raises(UserError, match="more sentences than there are\n  found 41; expected at most 40"):
        draw_sheet_items(TEST, 41, seed=1)


def swap(key: dict) -> None:
    """Whose translation stands first, of the first item."""
    key["items"][0]["first"] = "baseline" if key["items"][0]["first"] == "system" else "system"


CHANGED = (
    r"key.json: the key was changed\n  found content of digest \w{64}; expected content of digest \w+, .*\n  take the"
)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (swap, CHANGED),
        (lambda key: key["items"].reverse(), CHANGED),
        (lambda key: key.pop("digest"), r"key.json: a key without its digest\n.*\n  write it again: docmt draw-sheet"),
        (lambda key: key.pop("seed"), r"key.json seed: key is missing"),
        (lambda key: key.update(items=[]), r"key.json items: value not allowed\n.*expected an item for each row"),
        (lambda key: key["items"][2].update(first="ours"), r"key.json items.2.first: unknown name\n  found ours"),
    ],
)
def test_a_key_that_is_not_what_was_written_with_the_sheet_is_refused(sheet, change, message):
    filled, key = fill(*sheet, VERDICTS), read_json(sheet[1])
    change(key)
    sheet[1].write_text(json.dumps(key), encoding="utf-8")
    with pytest.raises(UserError, match=message):
        output("read-sheets", filled, "--key", sheet[1])


BLANKS = st.text(st.sampled_from(" \t\r\n\u00a0\u3000\u200b\ufeff"), max_size=2)
BEGINS = st.sampled_from("=+-@＝＋－＠")
FORMULAS = st.tuples(st.text("'", max_size=2), BLANKS, BEGINS, st.text(max_size=3)).map("".join)
TEXTS = st.lists(st.text(max_size=8) | FORMULAS, min_size=11, max_size=11)


def item(texts: list[str]) -> SheetItem:
    """What is shown in a row, in the order of its cells."""
    pairs = [(texts[place], texts[place + 1]) for place in (0, 2, 5, 7)]
    return SheetItem(1, tuple(pairs[:2]), texts[4], tuple(pairs[2:]), (texts[9], texts[10]), "system")


@given(TEXTS)
def test_any_text_comes_back_as_it_was_and_is_no_formula_on_the_way(tmp_path_factory, texts):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    write_sheet(path, [item(texts)])
    ((_, row),) = read_saved_rows(path)
    assert row[1:-1] == texts
    for cell in list(csv.reader(path.open(encoding="utf-8-sig", newline="")))[1]:
        seen = cell.lstrip(" \u00a0\u3000\u200b\ufeff\x0b\x0c")
        assert not seen.startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n"))


CHOICES = st.sampled_from(["better", "worse", "equal"])


@given(st.lists(st.tuples(CHOICES, CHOICES), min_size=1, max_size=30))
def test_kappa_is_the_agreement_above_that_of_all_pairings(pairs):
    """Chance agreement, by brute force: each sentence's verdict of one against every verdict of the other."""
    verdicts, others = zip(*pairs, strict=True)
    agree = sum(first == second for first, second in pairs) / len(pairs)
    chance = sum(first == second for first in verdicts for second in others) / len(pairs) ** 2
    expected = None if chance == 1 else pytest.approx((agree - chance) / (1 - chance), abs=1e-9)
    assert kappa(verdicts, others) == expected


def test_verdicts_with_the_shares_of_the_papers_table_4_give_it_back():
    """The paper rounds the averages to 41, 39 and 20 %; 66 % of what is not equal is 39 / 59."""
    key = Key("sentence", "ours", 1, "filled", (KeyItem(1, "system", "", False),) * 500)
    first = ["equal"] * 195 + ["better"] * 200 + ["worse"] * 105
    second = ["equal"] * 215 + ["better"] * 185 + ["worse"] * 100
    result = preferences(key, {"1": first, "2": second})
    rows = [[row[name] for name in ("equal", "better", "worse")] for row in (*result["annotators"], result["average"])]
    assert rows == [[39, 40, 21], [43, 37, 20], [41, 38.5, 20.5]]
    assert result["average"]["preferred"] == pytest.approx(100 * 38.5 / 59)
    # They agree in 195 + 185 + 100 - 5 sentences, by chance in 0.39 * 0.43 + 0.4 * 0.37 + 0.21 * 0.2 of them.
    assert result["agreement"] == [{"annotators": ["1", "2"], "observed": 95, "kappa": pytest.approx(0.5923 / 0.6423)}]


SAME = dataclasses.replace(TEST, system=[*TEST.baseline[:30], *TEST.system[30:]])
"""A test set of which both systems translate thirty sentences alike."""


def test_identical_pairs_are_filled_beforehand_and_no_judgements_of_a_person(tmp_path):
    items = draw_sheet_items(SAME, 40, seed=1)
    key = Key.of_items(items, "theirs", "ours", 1)
    write_sheet(tmp_path / "sheet.csv", items)
    rows = list(csv.reader((tmp_path / "sheet.csv").open(encoding="utf-8-sig", newline="")))[1:]
    assert [row[-1] == "equal" for row in rows] == [item.filled for item in key.items] and key.filled == 30
    verdicts = {"a": ["equal"] * 40, "b": [("equal" if item.filled else "better") for item in key.items]}
    result = preferences(key, verdicts)
    assert (result["filled"], result["sentences"]) == (30, 40)
    assert result["average"]["equal"] == 87.5 and result["agreement"][0]["observed"] == 0.0


def test_identical_pairs_are_left_out_or_asked_on_request():
    items = draw_sheet_items(SAME, 10, 1, "left_out")
    assert not any(item.is_identical for item in items)
    assert "identical:left_out" in Key.of_items(items, "theirs", "ours", 1, "left_out").signature
    with pytest.raises(UserError, match=r"found 11; expected at most 10 with different translations"):
        draw_sheet_items(SAME, 11, 1, "left_out")
    asked = draw_sheet_items(SAME, 40, 1, "asked")
    assert asked == draw_sheet_items(SAME, 40, 1) and Key.of_items(asked, "theirs", "ours", 1, "asked").filled == 0


def test_a_preference_between_identical_translations_is_refused_and_zero_means_equal(tmp_path):
    items = draw_sheet_items(dataclasses.replace(TEST, system=TEST.baseline), 2, seed=1)
    write_sheet(tmp_path / "sheet.csv", items)
    text = (tmp_path / "sheet.csv").read_text(encoding="utf-8-sig")
    (tmp_path / "zero.csv").write_text(text.replace('"equal"', '"0"'))
    key = Key.of_items(items, "theirs", "ours", 1)
    assert read_verdicts(tmp_path / "zero.csv", key) == ["equal", "equal"]
    (tmp_path / "first.csv").write_text(text.replace('"equal"', '"1"'))
    with pytest.raises(
        UserError, match=r"first.csv:2: a choice between identical translations\n  found 1; expected equal"
    ):
        read_verdicts(tmp_path / "first.csv", key)
