"""The smallest project that has a grid: a study of five systems on one corpus."""

from pathlib import Path

from helpers.support import Project

from docmt.grid.grid import load_grid

STUDY = "workflow/studies/one.yaml"
CONFIG = {
    "studies": ["one"],
    "texts": {
        "joint": {"bpe": "joint", "merges": 10},
        "separate": {"bpe": "separate", "vocabulary": "separate", "merges": 10},
    },
    "defaults": {
        "text": "joint",
        "view": {"window": 1},
        "model": {"transformer": {"width": 64}, "g_transformer": {"combined_layers": 1}},
        "train": {"max_updates": 5},
        "decode": {"beam": 4},
    },
}
CORPUS = {
    "about": "generated",
    "source_language": "zh",
    "target_language": "en",
    "licence": "Apache-2.0",
    "citation": "none",
    "reader": {"kind": "toy"},
    "expected": {},
}
SYSTEMS = {
    "sentence": {"decode": {"beam": 5}},
    "document": {"extends": "sentence", "view": {"max_tokens": 64}, "model": {"kind": "g_transformer"}},
    "fine": {"extends": "document", "init_from": "sentence", "train": {"lr_transferred": 0.1}},
    "fine.narrow": {"extends": "fine", "model": {"cross_combined_layers": 0}},
    "fine.beam8": {"extends": "fine", "decode": {"beam": 8}},
}


def small_project(root: Path) -> Project:
    """A root with one study and one corpus."""
    project = Project(root)
    project.write("config.yaml", CONFIG)
    project.write("workflow/scales/paper.yaml", {"about": "as stated"})
    project.write("workflow/scales/smoke.yaml", {"about": "tiny", "model": {"width": 8}})
    project.write("workflow/corpora/toy.yaml", {"corpus": "toy", **CORPUS})
    study = {"study": "one", "title": "One", "corpora": ["toy"], "systems": SYSTEMS}
    project.write("workflow/studies/one.yaml", study)
    return project


def entry(project: Project, name: str, study: str = "one", **overrides):
    grid = load_grid(project.root, overrides)
    return next(e for e in grid.of_study(study) if e.system.name == name)
