"""Speed of the steps of stage 2 in one process, beside sacremoses and jieba: python benchmarks/text.py [TVSUB] [LINES].

TVSUB: tvsub_zh-en.tar.gz; without it that of the mirror (DOCMT_MIRROR). Rounds are interleaved; each starts anew, with
nothing remembered; the time is the least of CPU seconds.
"""

import os
import sys
import tarfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import jieba
from sacremoses import MosesPunctNormalizer, MosesTokenizer, MosesTruecaser

from docmt.settings.data import TextConfig
from docmt.text.casing import Truecaser
from docmt.text.moses import Normaliser
from docmt.text.tokenizers import tokenizer_for

ROUNDS = 3
Step = Callable[[Sequence], object]


def sentences(archive: Path, language: str, number: int) -> list[str]:
    def lines():
        with tarfile.open(archive) as files:
            for member in files:
                if "/train/" in member.name and member.name.endswith(f".{language}"):
                    yield from files.extractfile(member).read().decode("utf-8").split("\n")[:-1]

    return list(islice(lines(), number))


def each(function: Callable[[object], object]) -> Step:
    return lambda lines: [function(line) for line in lines]


def their_truecaser(tokens: Sequence[list[str]]) -> Callable[[list[str]], list[str]]:
    truecaser = MosesTruecaser()
    truecaser.train(tokens)
    return lambda line: truecaser.truecase(" ".join(line))


def seconds(step: Callable[[], Step], lines: Sequence) -> float:
    run = step()
    start = time.process_time()
    run(lines)
    return time.process_time() - start


def main() -> None:
    default = Path(os.environ.get("DOCMT_MIRROR", ".")) / "tvsub_zh-en.tar.gz"
    archive, number = Path((sys.argv[1:] or [default])[0]), int((sys.argv[2:] or [20_000])[0])
    english, chinese = (sentences(archive, language, number) for language in ("en", "zh"))
    moses, segmenter = tokenizer_for("en", TextConfig()), tokenizer_for("zh", TextConfig())
    tokens = [moses.tokenize(line) for line in english]
    jieba.initialize()
    segmenter.tokenize("读词典")
    steps = {
        "tokenise, en": (
            english,
            lambda: each(tokenizer_for("en", TextConfig()).tokenize),
            lambda: each(partial(MosesTokenizer("en").tokenize, escape=False)),
        ),
        "tokenise, zh": (chinese, lambda: each(segmenter.tokenize), lambda: each(jieba.lcut)),
        "normalise, en": (
            english,
            lambda: each(Normaliser("en").normalise),
            lambda: each(MosesPunctNormalizer("en").normalize),
        ),
        "train a truecaser, en": (tokens, lambda: Truecaser.train, lambda: their_truecaser),
        "truecase, en": (
            tokens,
            lambda: each(Truecaser.train(tokens).apply),
            lambda: each(their_truecaser(tokens)),
        ),
        "detokenise, en": (tokens, lambda: each(moses.detokenize), None),
    }
    print(f"{number} lines\n\n| step | lines a CPU second | theirs | ratio |\n|---|---|---|---|")
    for name, (lines, ours, theirs) in steps.items():
        times = [[seconds(step, lines) for step in (ours, theirs) if step] for _ in range(ROUNDS)]
        best = [number / min(column) for column in zip(*times, strict=True)]
        ratio = f"{best[0] / best[1]:.1f}" if theirs else ""
        print(f"| {name} | {best[0]:,.0f} | {f'{best[1]:,.0f}' if theirs else 'the same'} | {ratio} |")


if __name__ == "__main__":
    main()
