"""Updates and beam searches of each model on a GPU, as tables in Markdown.

    python benchmarks/gpu.py [--device cuda] [--table updates|batches|searches|parts ...]

`updates` are batches of 12 segments of 15 sentences of about 25 words, with the largest batch that fits into memory and
what compiled parts gain. `batches` are larger ones, and single long documents, in bf16. `searches` translate
sentences, and documents of 15 sentences, by beam search in fp32. All models have 6 + 6 layers, 512/2048/8, a vocabulary
of 32,000 and random weights. With `--device cpu` models and batches are small: a trial of the script. `parts` needs no
GPU: into how many parts the updates of the papers' studies are cut, with batches of 4,096 tokens and with batches that
fill a card.
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import torch
from speed import TYPES, compiling_gain, fastest, peak_of, speeds

from docmt.devicecheck.findings import DeviceFinding
from docmt.devicecheck.run import gradients
from docmt.devicecheck.sizes import Size, batch_of, model_of, rows_of, size_for
from docmt.models.transformer import Transformer
from docmt.nn.device import choose_device
from docmt.nn.rows import Rows
from docmt.search.beam import beam_search
from docmt.settings.decode import DecodeConfig
from docmt.settings.models import MODELS
from docmt.training.batch_size import FILLED
from docmt.training.batches import epoch_updates, micro_batches

TIMES = (1, 4, 16)
"""How many times larger batches are than those of `updates`."""
DOCUMENTS = (40, 80, 160, 320, 640)
"""The sentences of single documents, of about 1,000 to 16,000 words."""
READ_DOCUMENTS = ("transformer", "g_transformer")
"""The models whose long documents are measured: with full attention, and with group attention."""
SEARCHED = ("g_transformer", "long_short", "lexical_chain")
"""The models that translate documents, beside sentences by the Transformer."""
SEARCH = DecodeConfig(max_length_a=1.0, max_length_b=1)
"""A beam of 5. Random weights write sentences up to their maximum length, which is that of the source here."""


def sentences_of(size: Size) -> Size:
    """Return the size in which each sentence of the segments is a segment of its own."""
    return replace(size, segments=size.segments * size.sentences, sentences=1)


def show_updates(device: torch.device, size: Size) -> None:
    """Print tokens a second of updates, and the share of the device's matrix rate that they reach."""
    print("| model | type | target tokens a second | share of the matrix rate | peak MiB | largest batch |")
    print("|---|---|---|---|---|---|")
    for result in speeds(device, size):
        if isinstance(result, DeviceFinding):
            print(f"| {result.check} | {result.subject} | {result.measured} | | | |", flush=True)
            continue
        numbers = f"{result.tokens_per_s:,.0f} | {result.matrix_share:.2f} | {result.memory_mib:,.0f}"
        print(f"| {result.kind} | {result.precision} | {numbers} | {result.fitting_tokens or ''} |", flush=True)
    for precision in TYPES:
        gain = f"{compiling_gain(device, size, precision):.2f} times as fast"
        print(f"| transformer, compiled | {precision} | {gain} | | | |", flush=True)


def batches_of(kind: str, size: Size) -> Iterator[tuple[str, Size]]:
    """Yield a description and the size of each batch of an architecture."""
    larger = [replace(size, segments=size.segments * times) for times in TIMES]
    if kind == "transformer":
        yield from (("sentences", sentences_of(one)) for one in larger)
    yield from ((f"{one.segments} segments", one) for one in larger)
    if kind in READ_DOCUMENTS:
        yield from (("a document", replace(size, segments=1, sentences=count)) for count in DOCUMENTS)


def show_batches(device: torch.device, size: Size) -> None:
    """Print the time and the peak memory of updates in bf16 by the size of the batch."""
    print("| model | batch | target tokens | ms | target tokens a second | peak MiB |")
    print("|---|---|---|---|---|---|")
    for kind in MODELS:
        model = model_of(kind, size, device)
        for described, one in batches_of(kind, size):
            try:
                numbers = update_of(model, kind, one, device)
            except torch.OutOfMemoryError:
                numbers = "out of memory | | |"
            print(f"| {kind} | {described} | {numbers} |", flush=True)


def update_of(model: Transformer, kind: str, size: Size, device: torch.device) -> str:
    """Return target tokens, milliseconds, target tokens a second and peak MiB of an update in bf16."""
    batch = batch_of(kind, size)
    tokens = len(batch.target_out)
    peak = peak_of(lambda: gradients(model, batch, "bf16"), device)
    seconds = fastest(lambda: gradients(model, batch, "bf16"), device)
    return f"{tokens:,} | {1000 * seconds:.0f} | {tokens / seconds:,.0f} | {peak:,.0f}"


def show_searches(device: torch.device, size: Size) -> None:
    """Print the time of beam searches, and the pieces of the best translations a second."""
    print("| model | batch | written pieces | s | pieces a second |")
    print("|---|---|---|---|---|")
    for kind in ("transformer", *SEARCHED):
        model = model_of(kind, size, device).eval()
        for times in TIMES:
            documents = replace(size, segments=size.segments * times)
            one, described = documents, "documents"
            if kind not in SEARCHED:
                one, described = sentences_of(documents), "sentences"
            numbers = search_of(model, rows_of(kind, one), device)
            print(f"| {kind} | {one.segments} {described} | {numbers} |", flush=True)


def search_of(model: Transformer, rows: Rows, device: torch.device) -> str:
    """Return the pieces that a search writes, its seconds, and the pieces a second."""
    translations = beam_search(model, rows, SEARCH)
    written = sum(len(sentence) for ranked in translations for sentence in ranked[0].sentences)
    seconds = fastest(lambda: beam_search(model, rows, SEARCH), device, 1)
    return f"{written:,} | {seconds:.1f} | {written / seconds:,.0f}"


UPDATES = {
    "long-short": ("long_short", 8192, 100),
    "lexical-chains": ("lexical_chain", 32768, 512),
    "g-transformer": ("g_transformer", 16384, 512),
    "contrastive-sets": ("transformer", 16384, 100),
}
"""A model of each study, the tokens of an update, and the most tokens of a segment: windows of 4 sentences, or 512."""
MIB_OF_TOKEN = {"transformer": 0.254, "g_transformer": 0.316, "long_short": 0.509, "lexical_chain": 0.299}
"""Memory of a token in bf16: the slope between the two larger batches of the table `batches` on an H200."""
IN_FP32 = 1.6
"""What a token needs in fp32, which the papers' studies have: by the table `updates` on an H100."""
WITHOUT_TOKENS_MIB = 1000
"""Memory of weights, gradients, Adam and libraries."""
CARDS_GB = (16, 40, 80)


def show_parts(device: torch.device, size: Size) -> None:
    """Print the parts of an update and the tokens of a part, by the code that cuts updates."""
    sizes = " | ".join(f"{gigabytes} GB" for gigabytes in CARDS_GB)
    print(f"| study | tokens of an update | batches of 4,096 | {sizes} |")
    print("|---|---|---|" + "---|" * len(CARDS_GB))
    for study, (kind, update, most) in UPDATES.items():
        token = IN_FP32 * MIB_OF_TOKEN[kind]
        fitting = [int((FILLED * 1000 * gigabytes - WITHOUT_TOKENS_MIB) / token) for gigabytes in CARDS_GB]
        cells = [parts_of(update, most, tokens) for tokens in (4096, *(min(update, one) for one in fitting))]
        print(f"| {study} | {update:,} | {' | '.join(cells)} |", flush=True)


def parts_of(update: int, most: int, batch_tokens: int) -> str:
    """Return the mean number of parts of an update, and the mean tokens of a part; segments have 0.8 to 1 of `most`."""
    lengths = np.random.default_rng(1).integers(int(0.8 * most), most + 1, size=20 * update // most)
    updates = epoch_updates(lengths, update, seed=1, epoch=0)[:-1]
    parts = [part for one in updates for part in micro_batches(one, lengths, update, batch_tokens)]
    return f"{len(parts) / len(updates):.1f} of {sum(lengths[part].sum() for part in parts) / len(parts):,.0f}"


TABLES = {"updates": show_updates, "batches": show_batches, "searches": show_searches, "parts": show_parts}


def main() -> None:
    """Print the tables that the options name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", choices=["auto", "cpu", "cuda"])
    parser.add_argument("--table", nargs="+", default=list(TABLES), choices=list(TABLES))
    options = parser.parse_args()
    device = choose_device(options.device)
    for place, name in enumerate(options.table):
        if place:
            print()
        TABLES[name](device, size_for(device))


if __name__ == "__main__":
    main()
