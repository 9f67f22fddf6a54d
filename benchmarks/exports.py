"""How equal and how fast exports to CTranslate2 are: `python benchmarks/exports.py MODEL SOURCE`; see exports.md.

MODEL is the folder of a model, and SOURCE a text with a sentence on each line, where blank lines separate documents.
The words of all lines are also shuffled: no training has such sentences, so that the model is unsure of everything.
"""

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import docmt

BEAMS = (1, 5)


def shuffled(documents: list[list[str]]) -> list[list[str]]:
    """The same numbers of sentences, each of 1 to 25 characters or words drawn from the whole text."""
    draw = random.Random(3)
    sentences = [sentence for document in documents for sentence in document]
    space = " " if any(" " in sentence for sentence in sentences) else ""
    pool = [word for sentence in sentences for word in (sentence.split() if space else sentence)]
    return [[space.join(draw.choices(pool, k=draw.randint(1, 25))) for _ in document] for document in documents]


def by_docmt(model: str, documents: list[list[str]], beam: int) -> tuple[list[str], float]:
    opened, start = docmt.open_model(model, device="cpu", threads=1), time.perf_counter()
    translations = opened.translate(documents, beam=beam)
    return [line for translation in translations for line in translation.lines], time.perf_counter() - start


def by_ctranslate2(model: str, documents: list[list[str]], beam: int) -> tuple[list[str], float]:
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "exported"
        docmt.export_model(model, output, "ctranslate2", beam=beam)
        text = "\n\n".join("\n".join(document) for document in documents) + "\n"
        start = time.perf_counter()
        command = [sys.executable, output / "translate.py", "--threads", "1"]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
        print(done.stderr.strip() or "no translation reached its maximum length")
        return [line for line in done.stdout.split("\n")[:-1] if line], time.perf_counter() - start


def main() -> None:
    model, source = sys.argv[1:]
    text = Path(source).read_text(encoding="utf-8").strip("\n")
    documents = [document.split("\n") for document in text.split("\n\n")]
    for name, lines in (("as it is", documents), ("shuffled", shuffled(documents))):
        for beam in BEAMS:
            (expected, ours), (actual, theirs) = (find(model, lines, beam) for find in (by_docmt, by_ctranslate2))
            differing = sum(a != b for a, b in zip(expected, actual, strict=True))
            print(f"{name}, beam {beam}: {differing} of {len(expected)} lines differ; {ours:.1f} s, {theirs:.1f} s")


if __name__ == "__main__":
    main()
