"""A made-up run of the study with every kind of item: the files that checks of a finished run look at."""

import csv
import json
import math
from pathlib import Path

from helpers.item_study import PATH, SENTENCES, add_item_study
from helpers.matrix import Matrix
from helpers.support import Project

from docmt.grid.items import item_jobs

CORPUS = "toy_zh-en"
MORE_TABLES = {
    "documents": {
        "title": "Of whole documents",
        "metrics": ["s-BLEU", "d-BLEU"],
        "rows": [{"system": "document"}, {"label": "Theirs", "published": {CORPUS: {"s-BLEU": 20.1}}}],
    },
    "falls": {
        "title": "From the row above",
        "metrics": ["s-BLEU"],
        "drop": "above",
        "rows": [{"system": "sentence"}, {"system": "concat_3"}],
    },
}
LOSSES = {"sentence": (5.0, 4.5, 3.5), "lexical_chain": (3.6, 2.8, 2.9)}
"""Dev losses of trainings; the second starts from the first. All others are as the first."""


def number(*values: float, **names: object) -> dict:
    """A cell that was measured, by one seed or more."""
    values = values or (20.0,)
    return {
        **names,
        "measured": sum(values) / len(values),
        "values": list(values),
        "status": "measured",
        "p": None,
        "untested": "",
        "random": [],
    }


def word(status: str, **names: object) -> dict:
    """A cell that says why there is no number."""
    return {**names, "measured": None, "values": [], "status": status, "p": None}


def row(name: str, metric: str = "s-BLEU", column: str = CORPUS) -> dict:
    return {"row": name, "column": column, "metric": metric}


RECORDS = {
    "quality": [number(**row("sentence")), {**number(21.0, **row("concat_3")), "p": 0.2}],
    "ablation": [number(**row("sentence", "d-BLEU", "toy")), number(1.0, 2.0, **row("sentence", "d-BLEU", "smoother"))],
    "speed": [number(**row("lexical_chain", metric)) for metric in ("parameters", "speed")],
    "gaps": [
        {
            "row": "sentence.smoother",
            "system_values": [2.0, 3.0],
            "baseline_values": [1.0],
            "difference": 1.5,
            "low": None,
            "high": None,
        }
    ],
    "counts": [
        number(corpus=CORPUS, row=split, metric=metric, reading="")
        for split in ("train", "dev", "test")
        for metric in ("sentences", "words_per_chain")
    ],
    "human": [
        word("not run", **row(name, verdict)) for name in ("1", "Average") for verdict in ("equal", "better", "worse")
    ],
    "points": [
        number(*values, label="Sentence", x=x, metric="s-BLEU") for x, values in ((1.0, (1.0, 2.0)), (2.0, (3.0,)))
    ],
    "positions": [number(label="k = 3", x=float(j), metric=f"s-BLEU@j{j}") for j in (1, 2, 3)],
    "curves": [
        {"label": "sentence.beam1", "seed": 1, "value": value, "x": x, "y": 10.0 - x}
        for value in ("train_loss", "dev_loss")
        for x in (3.0, 6.0)
    ],
    "attention": [{"kind": kind, "row": 0, "value": 0.5} for kind in ("alignment", "attention")],
    "latent": [{"kind": "similarity", "row": 0, "value": 0.5}],
    "cases": [
        {"document": "a", "word": "他", "side": side, "translations": "he x 2"}
        for side in ("reference", "sentence", "concat_3")
    ],
    "passages": [
        {"document": document, "kind": "measured", "label": label, "status": "there", "sentence": place, "text": ""}
        for document, sentences in ((1, SENTENCES), (2, SENTENCES[:1]))
        for label in ("Sys0", "Sys1")
        for place in range(1, len(sentences) + 1)
    ],
    "documents": [
        word("documents only", **row("document")),
        number(**row("document", "d-BLEU")),
        *(word("published only", **row("Theirs", metric)) for metric in ("s-BLEU", "d-BLEU")),
    ],
    "falls": [
        *(number(**row(name)) for name in ("sentence", "concat_3")),
        {"row": "concat_3", "metric": "drop", "measured": -0.1},
    ],
}


def complete_run(project: Project) -> Matrix:
    """As if `all` had made the study at smoke scale, and nothing else."""
    add_item_study(project)
    project.edit("config.yaml", "scale", "smoke")
    document = {"extends": "sentence", "view": {"max_tokens": 512}, "model": {"frame": "unmarked"}}
    project.edit(PATH, "systems/document", document)
    for name, table in MORE_TABLES.items():
        project.edit(PATH, f"tables/{name}", table)
    matrix = Matrix.of(project, ["mine"])
    for _, name in matrix.items:
        for step, names in (job for jobs in item_jobs(matrix.grid, "mine", name).values() for job in jobs):
            project.write(f"{matrix.folder(step, **names)}/manifest.json", "made")
        write_item(matrix, name, RECORDS[name])
    for file in ("index.html", *(f"human.sheet{ending}" for ending in (".csv", ".html", ".key.json"))):
        project.write(f"results/8_report/smoke/mine/{file}", "<p>made</p>")
    for folder, (entry, _) in matrix.trainings.items():
        project.write(f"{folder}/manifest.json", "made")
        write_losses(matrix, folder, *LOSSES.get(entry.system.name, LOSSES["sentence"]))
    for folder in matrix.translated:
        project.write(f"{folder}/manifest.json", "made")
    return matrix


def write_item(matrix: Matrix, name: str, records: list[dict]) -> None:
    """The three files of an item."""
    page = matrix.root / f"results/8_report/smoke/mine/{name}.html"
    Project(matrix.root).write(str(page.relative_to(matrix.root)), "<p>made</p>")
    page.with_suffix(".json").write_text(json.dumps({"records": records}), encoding="utf-8")
    with page.with_suffix(".csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(dict.fromkeys(key for record in records for key in record)))
        writer.writeheader()
        writer.writerows(records)


def write_losses(matrix: Matrix, folder: str, *losses: float, first: int = 0) -> None:
    """metrics.jsonl with a line of updates and one of dev for each validation; `first`: the update of the first one."""
    validations = [(first + 30 * number, loss) for number, loss in enumerate(losses)]
    rows = [row for update, loss in validations for row in _lines(update, loss)]
    path: Path = matrix.root / folder / "metrics.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _lines(update: int, loss: float) -> list[dict]:
    """The loss of training says nothing about that of dev."""
    return [{"kind": "train", "update": update, "loss": math.inf}, {"kind": "dev", "update": update, "loss": loss}]
