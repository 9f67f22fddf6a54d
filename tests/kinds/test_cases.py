"""Figures of cases, of two systems alone."""

from helpers.chain_files import CHAINS, TEXT, write_chains, write_tokens
from helpers.single_item import CORPUS, only

CASES = {"kind": "cases", "corpus": CORPUS, "baseline": "sentence", "system": "concat_3"}


def test_cases_are_of_two_systems_alone(world):
    assert only(world, "figures", CASES)[0].empty == "not run"
    write_tokens(world, TEXT)
    texts = {key: (*row[:2], row[2] | {"g_transformer": "x"}) for key, row in TEXT.items()}
    write_chains(world, {**CHAINS, "g_transformer": CHAINS["sentence"]}, texts)
    piece, page = only(world, "figures", CASES)
    translations = {(record["word"], record["side"]): record["translations"] for record in piece.records}
    assert translations == {
        ("猫", "reference"): "cat x 2",
        ("猫", "sentence"): "cat x 1, kitty x 1",
        ("猫", "concat_3"): "cat x 2",
    }
    assert "g_transformer" not in page.split('id="item-item1"')[1].split("</article>")[0]


def test_over_corrected_cases_are_those_of_the_system(world):
    write_tokens(world, TEXT)
    write_chains(world, CHAINS, TEXT)
    piece, _ = only(world, "figures", {**CASES, "show": "overcorrected"})
    assert {record["word"] for record in piece.records} == {"狗"}
    assert ("狗", "dog x 1, hound x 1") in {(r["word"], r["translations"]) for r in piece.records}
