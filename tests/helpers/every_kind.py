"""The smallest study with every kind of table, figure and passage."""

from helpers.small_grid import STUDY
from helpers.support import Project

COMMON = {"title": "T", "corpus": "toy"}
TABLES = {
    "table1": {
        "title": "T",
        "metrics": ["s-BLEU"],
        "baseline": "sentence",
        "drop": "above",
        "columns": {"plain": {"corpus": "toy"}, "beams": {"corpus": "toy", "label": "Beam 8", "suffix": ".beam8"}},
        "rows": [
            {"system": "sentence", "only": ["plain"], "published": {"plain": {"s-BLEU": "20.10"}}},
            {"group": "With context"},
            {"system": "fine", "published": {"beams": {"s-BLEU": 21.5}}, "drop": -0.14},
            {"label": "Others", "published": {"plain": {"s-BLEU": "not digitised"}}},
        ],
    },
    "table2": {"title": "T", "metrics": ["parameters", "speed"], "rows": [{"system": "sentence"}, {"system": "fine"}]},
    "table3": {
        **COMMON,
        "kind": "gaps",
        "metric": "dev NLL",
        "rows": [{"group": "By length"}, {"system": "document", "baseline": "fine.narrow"}],
    },
    "table10": {"title": "T", "kind": "counts", "counts": ["sentences", "words_per_chain"], "splits": ["dev", "test"]},
    "table11": {"title": "T", "kind": "human", "rows": [{"label": "1", "annotator": 1, "published": {"equal": 39}}]},
}
FIGURES = {
    "figure1": {
        **COMMON,
        "kind": "points",
        "metrics": ["d-BLEU"],
        "x": {"label": "Length", "log": True},
        "series": [{"label": "A", "points": {64: "document", 8: "sentence"}, "published": {256: {"d-BLEU": 30.5}}}],
    },
    "figure2": {
        **COMMON,
        "kind": "positions",
        "series": [{"label": "k = 3", "system": "windows", "published": {1: 18.0}}],
        "levels": [{"label": "Others", "published": "not digitised"}],
    },
    "figure3": {**COMMON, "kind": "curves", "systems": [{"system": "fine.beam8"}], "values": ["dev_loss", "kl"]},
    "figure4": {**COMMON, "kind": "attention", "system": "chains"},
    "figure6": {**COMMON, "kind": "latent", "system": "chains"},
    "figure8": {**COMMON, "kind": "cases", "baseline": "sentence", "system": "chains"},
}
PASSAGES = {
    "passage": {
        **COMMON,
        "systems": [{"label": "Sys0", "system": "sentence"}],
        "documents": [{"source": ["a"], "published": {"Sys0": ["b", "c"]}}],
    }
}
SYSTEMS = {
    "sentence.beam8": {"extends": "sentence", "decode": {"beam": 8}},
    "windows": {"extends": "sentence", "view": {"window": 3}, "model": {"frame": "joined"}},
    "chains": {"extends": "sentence", "seeds": [4, 5], "model": {"kind": "lexical_chain"}},
}


def with_every_kind(small: Project) -> Project:
    """The study has every kind of item."""
    for name, system in SYSTEMS.items():
        small.edit(STUDY, f"systems/{name}", system)
    for section, items in (("tables", TABLES), ("figures", FIGURES), ("passages", PASSAGES)):
        small.edit(STUDY, section, items)
    return small
