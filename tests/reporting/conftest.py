"""A made-up study with its results, of which tests may leave out what they like."""

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from helpers.recipes import write_settings
from helpers.score_files import Numbers, write_scores

from docmt.base.artifacts import read_json, write_json
from docmt.base.columns import DOCUMENTS
from docmt.base.result_folders import ResultFolders
from docmt.base.tables import write_parquet
from docmt.reporting.results import ReportSettings, Results
from docmt.settings.data import CutConfig, ViewConfig
from docmt.settings.decode import DecodeConfig
from docmt.settings.models import GTransformerConfig, TransformerConfig
from docmt.settings.system import Entry, TrainedSystem
from docmt.settings.train import TrainConfig

CORPUS = "toy_zh-en"
BLEU = ("s-BLEU", "d-BLEU")
SYSTEMS = ("sentence", "concat_3", "g_transformer", "never_run")
SENTENCES = [
    ("a", 0, "他来了。", "He came in ."),
    ("a", 1, "他坐下。", "He sat down ."),
    ("b", 0, "<script>alert(1)</script>", "A <b>bold</b> claim & more ."),
    ("c", 0, "她走了。", "She went away ."),
]


def entry(name: str, extends: str | None = None, trained: str | None = None) -> Entry:
    cut = {"concat_3": CutConfig(window=3), "g_transformer": CutConfig(max_tokens=512)}.get(name, CutConfig(window=1))
    frame = "joined" if name == "concat_3" else "wrapped"
    model = GTransformerConfig() if name == "g_transformer" else TransformerConfig(frame=frame)
    start = "sentence" if name == "g_transformer" else None
    system = TrainedSystem(name, "lower", ViewConfig(cut, cut), model, TrainConfig(), DecodeConfig(), start)
    return Entry("made", CORPUS, name, trained or name, name, extends, f"id-{name}", (1, 2), system)


class World:
    """`settings` are those of the page; every method adds something that a stage would have left."""

    def __init__(self, root: Path) -> None:
        self.results, self.output = root / "results", root / "report" / "index.html"
        self.folders, self.settings_file = ResultFolders(self.results), root / "job.json"
        self.human: Path | None = None
        self.settings: dict[str, Any] = {
            "scale": "smoke",
            "study": {"study": "made", "title": "A made-up study", "corpora": [CORPUS], "tables": {}},
            "entries": [
                entry("sentence"),
                entry("concat_3", "sentence"),
                entry("g_transformer", "sentence"),
                entry("never_run", "sentence", trained="sentence"),
            ],
            "corpora": {CORPUS: {"source_language": "zh", "target_language": "en", "licence": "CC0", "citation": "us"}},
        }

    def table(self, name: str, rows: list[dict], metrics: list[str], **more: str) -> None:
        self.settings["study"]["tables"][name] = {"title": name, "rows": rows, "metrics": metrics, **more}

    def only(self, name: str, *reads: str) -> None:
        """The page is that of one table, figure or passage, made from these files of runs."""
        study = self.settings["study"]
        sections = {
            key: {n: item for n, item in study.get(key, {}).items() if n == name} for key in ("tables", "figures")
        }
        self.settings |= {"item": name, "reads": list(reads), "study": study | sections}
        self.output = self.output.with_name(f"{name}.html")

    def load(self) -> Results:
        entries = [dataclasses.asdict(entry) for entry in self.settings["entries"]]
        write_settings(self.settings_file, {**self.settings, "entries": entries})
        return Results.load(ReportSettings.load(self.settings_file, self.human), self.folders)

    def folder(self, stage: str, system: str, seed: int) -> Path:
        return self.results / stage / CORPUS / system / f"seed{seed}"

    def score(self, system: str, seed: int = 1, bleu: float = 20.0, scores: Numbers | None = None, **more: Any) -> None:
        """Scores beside s-BLEU and d-BLEU, which are `bleu`; `more` is that of `write_scores`."""
        decoding = {"lines": "sentences", "sentences": 4, "fallback_sentences": 1, "seconds": 1.5}
        facts = {"unigram_dev_perplexity": 200.0, "decoding": decoding} | more
        write_scores(self.folder("7_scores", system, seed), dict.fromkeys(BLEU, bleu) | (scores or {}), **facts)

    def compare(
        self,
        system: str,
        p: float,
        metric: str = "s-BLEU",
        baseline: str = "sentence",
        table: str = "t",
        **more: Any,
    ) -> None:
        """One more comparison of a table's."""
        file = self.results / "7_comparisons" / "made" / table / "comparisons.json"
        before = read_json(file)["comparisons"] if file.exists() else []
        names = {"corpus": CORPUS, "metric": metric, "system": system, "baseline": baseline, "test": "bootstrap"}
        numbers = {"p": p, "untested": "", "p_seeds": None, "signature": f"bootstrap|unit:sentences|units:4|{metric}"}
        write_json(file, {"comparisons": [*before, names | numbers | more]})

    def train(self, system: str, seed: int = 1, **more: Any) -> None:
        folder = self.folder("5_training", system, seed)
        record = {
            "updates": 12345,
            "wall_s": 75.0,
            "dev_perplexity": 50.0,
            "source_words_per_s": 2500.2,
            "source_tokens_per_s": 3100.4,
            "versions": {"torch": "2.13.0"},
            "commit": "abc123",
            "hardware": {"processor": "a CPU", "cores": 2},
        }
        write_json(folder / "record.json", record | more)
        rows = [{"kind": "train", "update": n, "epoch": 1, "loss": 5 - n / 10} for n in range(1, 6)]
        rows += [{"kind": "dev", "update": n, "epoch": 1, "loss": 4.0, "perplexity": 90.0 / n} for n in (2, 4)]
        (folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def curve(self, system: str, rows: list[dict], seed: int = 1) -> None:
        folder = self.folder("5_training", system, seed)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def corpus(self, sentences: Sequence[tuple[str, int, str, str]] = SENTENCES) -> None:
        names = ("document", "sentence", "source", "target")
        rows = [{"split": "test", "references": [], **dict(zip(names, row, strict=True))} for row in sentences]
        folder = self.results / "1_corpus" / CORPUS
        write_parquet(folder / "documents.parquet", pa.Table.from_pylist(rows, schema=DOCUMENTS))
        splits = {"train": {"sentences": 71234}, "test": {"sentences": 4}}
        write_json(folder / "card.json", {"licence": "CC0", "splits": splits})

    def translate(self, system: str, lines: list[str], seed: int = 1, unit: str = "sentences") -> None:
        folder = self.folder("6_translations", system, seed)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "test.txt").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        write_json(folder / "decoding.json", {"lines": unit})


def accuracies(name: str, rights: dict[int, int]) -> Numbers:
    """The accuracy on one set: how many of four items are right at each distance."""
    mean = 25 * sum(rights.values()) / len(rights)
    by_distance = {f"accuracy:{name}@{distance}": 25 * right for distance, right in rights.items()}
    return {"accuracy": mean, f"accuracy:{name}": mean, **by_distance}


@pytest.fixture
def world(tmp_path) -> World:
    return World(tmp_path)


@pytest.fixture
def full(world) -> World:
    """Three of four systems run, with windows, contrastive sets, translations and a table with published numbers."""
    world.corpus()
    for number, system in enumerate(SYSTEMS[:3]):
        world.train(system)
        world.score(system, bleu=20.0 + number, scores=accuracies("pronoun", {1: 2 + number, 3: 2, 0: 1}))
        world.translate(system, [row[3] for row in SENTENCES[:2]] + [f"<i>{number}</i> bold", "She went away ."])
    positions = {f"s-BLEU@j{j}": 19.0 + j for j in (1, 2, 3)}
    world.score("concat_3", bleu=21.0, scores=accuracies("pronoun", {1: 3, 3: 2, 0: 1}) | positions)
    world.table(
        "table1",
        rows=[
            {
                "label": "Sentence",
                "system": "sentence",
                "published": {CORPUS: {"s-BLEU": 19.5, "d-BLEU": "not digitised"}},
            },
            {"system": "concat_3", "note": "a slip of the paper"},
            {"system": "never_run", "published": {CORPUS: {"s-BLEU": 30.0}}},
            {"label": "Others (2020)", "published": {CORPUS: {"s-BLEU": 18.0}}},
        ],
        metrics=["s-BLEU", "d-BLEU", "accuracy:pronoun"],
        caption="What a caption says.",
        paper="Table 1",
    )
    return world


@pytest.fixture
def entry_of():
    return entry
