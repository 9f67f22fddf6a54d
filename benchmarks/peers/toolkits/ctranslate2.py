"""CTranslate2 4.8.5, with the weights that its own converter took from fairseq, in fp32 or another `compute_type`."""

import ctranslate2

from peers.corpus import WORDS, Corpus
from peers.job import Job, Marks

LONGEST = round(1.2 * WORDS[1] + 10)
"""Pieces of a translation at most: what the other toolkits allow a batch that has the longest sentence."""


def decode(job: Job) -> None:
    """Translate the test set, with marks before and after; write the translations in order."""
    compute_type = job.options.get("compute_type", "float32")
    translator = ctranslate2.Translator(
        str(job.model), device="cpu", compute_type=compute_type, inter_threads=1, intra_threads=job.threads
    )
    sentences = Corpus(job.corpus).sentences("test", "src")
    marks = Marks()
    marks.mark(0)
    results = translator.translate_batch(
        sentences,
        beam_size=job.options["beam"],
        max_batch_size=job.options["batch_tokens"],
        batch_type="tokens",
        max_decoding_length=LONGEST,
        length_penalty=1,
    )
    lines = [" ".join(result.hypotheses[0]) for result in results]
    marks.mark(sum(map(len, sentences)))
    job.output.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    marks.write()
