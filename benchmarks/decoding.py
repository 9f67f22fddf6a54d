"""How fast beam search is: `OMP_NUM_THREADS=1 python benchmarks/decoding.py`; the record is decoding.md beside this.

The weights are random, but the output layer is scaled so that its distributions have the entropy of a trained model's
(about 2 nats): how soon the hypotheses of a beam go back to one ancestor decides how much of the caches is moved.
Outputs end where their maximum forces them to, one word longer than the source.
"""

import random
import sys
import time
from collections.abc import Iterator

import torch
from torch import nn

from docmt.decoding.translator import Translator
from docmt.models import build
from docmt.nn.rows import Rows
from docmt.settings.decode import DecodeConfig
from docmt.settings.models import GTransformerConfig, TransformerConfig

VOCABULARY = 4000
SIZES = {"encoder_layers": 2, "decoder_layers": 2, "width": 128, "inner": 512, "heads": 4, "embeddings": "separate"}
SHARPER = 5
SENTENCES, WORDS = 360, (12, 30)
"""360 sentences of 21 words on average."""


def documents(sentences_each: int) -> Rows:
    draw = random.Random(1)
    sentences = [[draw.randrange(7, VOCABULARY) for _ in range(draw.randint(*WORDS))] for _ in range(SENTENCES)]
    return Rows.from_lists([sentences[i : i + sentences_each] for i in range(0, SENTENCES, sentences_each)])


def cases() -> Iterator[tuple[str, TransformerConfig, Rows]]:
    yield "transformer, sentences", TransformerConfig(**SIZES), documents(1)
    yield "transformer, joined windows of 3", TransformerConfig(**SIZES, frame="joined"), documents(3)
    yield "g_transformer, documents of 18", GTransformerConfig(**SIZES, combined_layers=2), documents(18)


def sharp_model(config: TransformerConfig) -> nn.Module:
    torch.manual_seed(1)
    model = build(config, VOCABULARY, VOCABULARY).eval()
    with torch.no_grad():
        model.output.weight.mul_(SHARPER)
    return model


def main() -> None:
    torch.set_num_threads(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    print(f"{torch.get_num_threads()} threads, torch {torch.__version__}, beam 5")
    for name, model_config, rows in cases():
        model = sharp_model(model_config)
        for batch_tokens in (1024, 4096, 16384):
            config = DecodeConfig(beam=5, max_length_a=1.0, max_length_b=1, batch_tokens=batch_tokens)
            translator, start, start_cpu = Translator(model, config), time.perf_counter(), time.process_time()
            translator.translate(rows)
            seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
            tokens = translator.counts.target_tokens
            rates = f"{SENTENCES / seconds:.0f} sentences and {tokens / seconds:.0f} target tokens a second"
            print(
                f"{name}, batch_tokens {batch_tokens}: {rates}; {SENTENCES / cpu:.0f} sentences a CPU second",
                flush=True,
            )


if __name__ == "__main__":
    main()
