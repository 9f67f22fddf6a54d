"""The corpora and the trained models that jobs read: made once below the folder of work."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from peers.corpus import write_corpus
from peers.environments import Environments
from peers.job import TINY, Job, Shape
from peers.lines import MODELS, Line, Side
from peers.measuring import run_job

BRIEFLY = {"lr": 2e-3, "warmup_updates": 200}
UPDATES = 700
"""Updates of the models that decode: enough for translations to end where their sentences end."""


@dataclass(frozen=True)
class Prepared:
    """The folder of work, and the environments that prepare it."""

    folder: Path
    environments: Environments
    say: Callable[[str], None]

    def job(self, line: Line, side: Side, threads: int) -> Job:
        """Return the job of a side of a line, once its corpus and its model are there."""
        corpus = self.corpus(line.shape, side.toolkit)
        model = self.model(side.model) if side.model else None
        output = self.folder / f"{line.name}.{side.toolkit}.{side.model}.txt" if line.task == "decode" else None
        return Job(side.toolkit, line.task, line.shape, corpus, threads, model, output, dict(side.options))

    def corpus(self, shape: Shape, toolkit: str) -> Path:
        """Return the folder of a shape's corpus, prepared for a toolkit."""
        folder = self.folder / shape.name
        write_corpus(folder, shape.vocabulary)
        prepared = folder / f"{toolkit}.prepared"
        if toolkit in self.environments.pythons and toolkit in ("fairseq", "opennmt") and not prepared.exists():
            run_job(Job(toolkit, "prepare", shape, folder), self.environments.pythons[toolkit])
            prepared.touch()
        return folder

    def model(self, name: str) -> Path:
        """Return the folder of a trained model of shape tiny; train it where it is missing."""
        folder = self.folder / "models"
        makers = {
            "fairseq": self._train_fairseq,
            "ctranslate2": self._convert_fairseq,
            "imported": self._import_fairseq,
            "sentence": lambda: self._train("sentence", {}),
            "g_transformer": lambda: self._train(
                "g_transformer", {"model": MODELS["g_transformer"][1], "sentences": MODELS["g_transformer"][2]}
            ),
        }
        folder.mkdir(parents=True, exist_ok=True)
        return makers[name]()

    def _train_fairseq(self) -> Path:
        return self._run("fairseq", "fairseq", {"updates": UPDATES, **BRIEFLY}, "checkpoint_last.pt")

    def _convert_fairseq(self) -> Path:
        model = self.model("fairseq")
        if not (model / "ctranslate2").exists():
            job = Job("fairseq", "convert", TINY, self.corpus(TINY, "fairseq"), model=model)
            run_job(job, self.environments.pythons["fairseq"])
        return model / "ctranslate2"

    def _train(self, name: str, options: dict) -> Path:
        return self._run("docmt", name, {**options, "updates": UPDATES, "train": BRIEFLY}, "model.json")

    def _run(self, toolkit: str, name: str, options: dict, last: str) -> Path:
        model = self.folder / "models" / name
        if not (model / last).exists():
            self.say(f"training {name}, {UPDATES} updates")
            job = Job(toolkit, "train", TINY, self.corpus(TINY, toolkit), model=model, options=options)
            run_job(job, self.environments.pythons[toolkit])
        return model

    def _import_fairseq(self) -> Path:
        """Return fairseq's model as a model of docmt, by the command that users have."""
        output, trained = self.folder / "models/imported", self.model("fairseq")
        if not output.exists():
            data = self.folder / TINY.name / "fairseq"
            files = {"checkpoint": trained / "checkpoint_last.pt"}
            files |= {"source-dictionary": data / "dict.src.txt", "target-dictionary": data / "dict.tgt.txt"}
            options = [part for name, file in files.items() for part in (f"--{name}", str(file))]
            options += ["--source-language", "en", "--target-language", "de", "--output", str(output)]
            program = Path(sys.executable).parent / "docmt"
            subprocess.run([str(program), "import-fairseq", *options], check=True, stdout=subprocess.DEVNULL)
        return output
