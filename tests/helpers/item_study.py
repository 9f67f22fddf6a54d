"""A user's study with every kind of table, figure and passage, of systems that the demo study has too."""

from helpers.support import Project

PATH = "mine.yaml"
CORPUS = {"corpus": "toy_zh-en"}
SENTENCES = ["他来了。", "他坐下。"]
TABLES = {
    "quality": {
        "title": "Quality",
        "metrics": ["s-BLEU"],
        "baseline": "sentence",
        "rows": [{"system": "sentence"}, {"group": "With context"}, {"system": "concat_3"}],
    },
    "ablation": {
        "title": "What a learning rate does",
        "metrics": ["d-BLEU"],
        "baseline": "sentence",
        "drop": "first",
        "columns": {"toy": CORPUS, "smoother": {**CORPUS, "suffix": ".smoother"}},
        "rows": [{"system": "sentence", "published": {"toy": {"d-BLEU": "20.10"}}}],
    },
    "speed": {"title": "Speed", "metrics": ["parameters", "speed"], "rows": [{"system": "lexical_chain"}]},
    "gaps": {
        **CORPUS,
        "title": "Gaps",
        "kind": "gaps",
        "metric": "dev NLL",
        "rows": [{"system": "sentence.smoother", "baseline": "sentence.beam1"}],
    },
    "counts": {"title": "Counts", "kind": "counts", "counts": ["sentences", "words_per_chain"]},
    "human": {
        **CORPUS,
        "title": "Preferences",
        "kind": "human",
        "system": "concat_3",
        "baseline": "sentence",
        "sentences": 7,
        "rows": [{"label": "1", "annotator": 1}, {"label": "Average"}],
    },
}
FIGURES = {
    "points": {
        **CORPUS,
        "title": "By learning rate",
        "kind": "points",
        "metrics": ["s-BLEU"],
        "x": {"label": "Learning rate"},
        "series": [{"label": "Sentence", "points": {1: "sentence.smoother", 2: "sentence"}}],
    },
    "positions": {
        **CORPUS,
        "title": "By position",
        "kind": "positions",
        "series": [{"label": "k = 3", "system": "concat_3"}],
    },
    "curves": {
        **CORPUS,
        "title": "Curves",
        "kind": "curves",
        "systems": [{"system": "sentence.beam1"}],
        "values": ["train_loss", "dev_loss"],
    },
    "attention": {**CORPUS, "title": "Attention", "kind": "attention", "system": "lexical_chain"},
    "latent": {**CORPUS, "title": "Latent", "kind": "latent", "system": "lexical_chain"},
    "cases": {**CORPUS, "title": "Cases", "kind": "cases", "baseline": "sentence", "system": "concat_3"},
}
PASSAGES = {
    "passages": {
        **CORPUS,
        "title": "Passages",
        "systems": [{"label": "Sys0", "system": "sentence"}, {"label": "Sys1", "system": "concat_3"}],
        "documents": [
            {"source": SENTENCES, "published": {"Sys0": ["It came .", "It sat ."]}},
            {"source": SENTENCES[:1]},
        ],
    }
}
ITEMS = (*TABLES, *FIGURES, *PASSAGES)


def add_item_study(project: Project) -> None:
    """Write the study, and name it in config.yaml beside the demo."""
    demo = project.read("workflow/studies/demo.yaml")["systems"]
    systems = {name: demo[name] for name in ("sentence", "concat_3", "lexical_chain")}
    systems |= {
        "sentence.smoother": {"extends": "sentence", "seeds": [1, 2], "train": {"label_smoothing": 0.2}},
        "sentence.beam1": {"extends": "sentence", "decode": {"beam": 1}},
    }
    study = {"study": "mine", "title": "Every kind of item", "corpora": ["toy_zh-en"], "systems": systems}
    project.write(PATH, {**study, "tables": TABLES, "figures": FIGURES, "passages": PASSAGES})
    project.edit("config.yaml", "studies", ["demo", PATH])
