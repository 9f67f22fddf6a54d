"""Numbers of parameters of the studies' own systems, against what the papers print."""

from dataclasses import replace

import pytest
import torch
import yaml
from helpers.support import ROOT
from helpers.whole_grid import whole_grid

from docmt.models import build
from docmt.settings.models import TransformerConfig
from docmt.settings.system import Entry


def count(config: TransformerConfig, source_rows: int, target_rows: int) -> int:
    with torch.device("meta"):
        model = build(config, source_rows, target_rows)
    return sum(parameter.numel() for parameter in model.parameters())


def entry(study: str, name: str) -> Entry:
    return next(candidate for candidate in whole_grid().of_study(study) if candidate.system.name == name)


def table_7() -> dict[str, float]:
    """Of the lexical-chain study, millions of parameters by system, each with one part more."""
    study = yaml.safe_load((ROOT / "workflow/studies/lexical-chains.yaml").read_text(encoding="utf-8"))
    return {row["system"]: row["published"]["news"]["parameters"] for row in study["tables"]["table7"]["rows"]}


@pytest.mark.parametrize("before, after", [("transformer", "lc"), ("lc", "lc_convar"), ("lc_convar", "lexical_chain")])
def test_increments_of_table_7(before, after):
    """Whatever the vocabularies are. LC-Attn and GC-Attn are one multi-head attention with its norm in each of 6
    layers, which is 6.31 M."""
    models = [entry("lexical-chains", name).system.model for name in (before, after)]
    smaller, larger = (count(model, 100, 200) / 1e6 for model in models)
    assert larger - smaller == pytest.approx(table_7()[after] - table_7()[before], rel=0.02)


CHARACTERS = 7_000
"""Roughly those of Chinese news; a piece may be one alone, with and without the mark that a word goes on."""
SEPARATE_ON_TVSUB = 32_115 + 25_272
"""The pieces of a BPE of 32,000 merges for each language on a quarter as many pairs (benchmarks/vocabularies.md)."""


def test_the_baseline_of_table_7_has_two_vocabularies_of_one_bpe():
    """The paper prints none. Its 69.71 M leave room for 49,940 rows of embeddings: more than one vocabulary of 32,000
    merges has, and fewer than a BPE for each language makes."""
    system = entry("lexical-chains", "transformer").system
    text = whole_grid().texts[system.text]
    assert (text.bpe, text.vocabulary, text.merges) == ("joint", "separate", 32_000)
    assert system.model.embeddings == "target"
    rows = (table_7()["transformer"] * 1e6 - count(system.model, 9, 9)) / system.model.width + 9 + 9
    assert rows == pytest.approx(49_940, abs=10)
    assert text.merges + 2 * CHARACTERS < rows < SEPARATE_ON_TVSUB


LONG_SHORT_VOCABULARIES = 12_273, 22_642
"""Section 3 of the long-short paper, printed for "En-Ru", the languages of Table 2."""
MEBIBYTE = 2**20 / 4
"""Of weights of 4 bytes. Table 2 prints sizes in "M": 256 of the Transformer, 262 of long-short."""


def test_the_step_of_long_short_table_2_is_in_mebibytes():
    models = [entry("long-short", name).system.model for name in ("concat_4.en-ru", "long_short_4.en-ru")]
    rows = LONG_SHORT_VOCABULARIES
    transformer, long_short = (count(model, *rows) / MEBIBYTE for model in models)
    assert long_short - transformer == pytest.approx(262 - 256, abs=0.05)


def test_the_transformer_of_long_short_table_2_is_nearly_as_large_as_printed():
    """With the vocabularies that are printed ours has 237 mebibytes, 8 % less than the paper prints for it and for
    others' models. With a table for the output alone it had 281, 10 % more."""
    model, rows = entry("long-short", "sentence.en-ru").system.model, LONG_SHORT_VOCABULARIES
    sizes = {kind: count(replace(model, embeddings=kind), *rows) / MEBIBYTE for kind in ("target", "separate")}
    assert model.embeddings == "target"
    assert sizes == {"target": pytest.approx(236.6, abs=0.1), "separate": pytest.approx(280.8, abs=0.1)}
    assert min(sizes, key=lambda kind: abs(sizes[kind] - 256)) == model.embeddings
    assert count(model, *rows) == count(model, *reversed(rows)), "which side has which vocabulary plays no part"
