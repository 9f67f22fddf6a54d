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
READ_PREPARED = ("fairseq", "opennmt")
"""The toolkits that read a corpus in a form of their own."""
_, G_TRANSFORMER, SENTENCES = MODELS["g_transformer"]
TRAINED = {
    "fairseq": ("fairseq", {"updates": UPDATES, **BRIEFLY}),
    "sentence": ("docmt", {"updates": UPDATES, "train": BRIEFLY}),
    "g_transformer": (
        "docmt",
        {"updates": UPDATES, "train": BRIEFLY, "model": G_TRANSFORMER, "sentences": SENTENCES},
    ),
}
"""The toolkit and the options of each training of a model that decodes."""


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
        if toolkit in READ_PREPARED:
            self._once(folder / f"{toolkit}.finished", Job(toolkit, "prepare", shape, folder))
        return folder

    def model(self, name: str) -> Path:
        """Return the folder of a trained model of shape tiny; train it where it is missing."""
        folder = self.folder / "models" / name
        folder.parent.mkdir(parents=True, exist_ok=True)
        if name == "imported":
            return self._import_fairseq(folder)
        if name == "ctranslate2":
            fairseq = self.model("fairseq")
            job = Job("fairseq", "convert", TINY, self.corpus(TINY, "fairseq"), model=fairseq)
            self._once(folder.with_suffix(".finished"), job)
            return fairseq / "ctranslate2"
        toolkit, options = TRAINED[name]
        job = Job(toolkit, "train", TINY, self.corpus(TINY, toolkit), model=folder, options=options)
        self._once(folder.with_suffix(".finished"), job)
        return folder

    def _once(self, finished: Path, job: Job) -> None:
        """Run a job unless it has finished before, which its file says."""
        if not finished.exists():
            self.say(f"{job.toolkit}: {job.task} {job.model or job.corpus}")
            run_job(job, self.environments.python(job))
            finished.touch()

    def _import_fairseq(self, output: Path) -> Path:
        """Return fairseq's model as a model of docmt, by the command that users have."""
        trained = self.model("fairseq")
        if not output.exists():
            data = self.folder / TINY.name / "fairseq"
            files = {"checkpoint": trained / "checkpoint_last.pt"}
            files |= {"source-dictionary": data / "dict.src.txt", "target-dictionary": data / "dict.tgt.txt"}
            options = [part for name, file in files.items() for part in (f"--{name}", str(file))]
            options += ["--source-language", "en", "--target-language", "de", "--output", str(output)]
            program = Path(sys.executable).parent / "docmt"
            subprocess.run([str(program), "import-fairseq", *options], check=True, stdout=subprocess.DEVNULL)
        return output
