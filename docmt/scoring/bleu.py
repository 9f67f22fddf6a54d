"""BLEU in the families that the papers use, by sacreBLEU's library, each number with its signature.

    13a              cased, smoothed; sacreBLEU's default, and what mteval-v13a.pl prints with -c
    13a_lower        lower-cased, smoothed; what mteval-v13a.pl prints without -c
    tokenized_lower  the tokens as they are, lower-cased, not smoothed; what multi-bleu.perl -lc prints
    tokenized        the tokens as they are, cased, not smoothed; what multi-bleu.perl prints

Each over sentences (unit s: s-BLEU), over real documents (unit d: d-BLEU) and over the packed instances of a view
(unit i: what G-Transformer's code calls d-BLEU), against all references that the corpus has; the signature says how
many (nrefs).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sacrebleu.metrics import BLEU

from docmt.scoring.inputs import Stream

ORDER = 4
"""Longest n-gram that is counted."""


@dataclass(frozen=True)
class BleuFamily:
    """`tokenize` None: the tokeniser of the target language; then raw lines are scored, else tokenised ones."""

    lowercase: bool
    smooth: str
    tokenize: str | None = None

    def metric(self, target_language: str) -> BLEU:
        return BLEU(
            lowercase=self.lowercase,
            tokenize=self.tokenize or TOKENIZERS.get(target_language, "13a"),
            smooth_method=self.smooth,
            # Tokenised input is meant where it is given, so sacreBLEU need not warn of it.
            force=True,
        )


FAMILIES = {
    "13a": BleuFamily(lowercase=False, smooth="exp"),
    "13a_lower": BleuFamily(lowercase=True, smooth="exp"),
    "tokenized_lower": BleuFamily(lowercase=True, smooth="none", tokenize="none"),
    "tokenized": BleuFamily(lowercase=False, smooth="none", tokenize="none"),
}

TOKENIZERS = {"zh": "zh"}
"""Target languages for which 13a has no words to count; the signature says which tokeniser it was."""


def bleu(metric: BLEU, hypotheses: Sequence[str], references: Sequence[Stream], unit: str) -> dict:
    """`{"score", "signature"}`: BLEU from 0 to 100, against one or several references a line; see `signature`."""
    counts = line_counts(metric, hypotheses, references).sum(axis=0, keepdims=True)
    score = float(bleu_of_counts(counts, metric.smooth_method)[0])
    return {"score": score, "signature": signature(metric, references, unit)}


def signature(metric: BLEU, references: Sequence[Stream], unit: str) -> str:
    """SacreBLEU's, and `unit` at its end: `s`, or `d|documents:N`.

    `references`: streams of a reference a line, None where a line lacks this one (sacreBLEU then says `nrefs:var`).
    """
    numbers = {len(_there(lines)) for lines in zip(*references, strict=True)}
    # As it sets it itself, for the lines that it was last shown.
    metric.num_refs = numbers.pop() if len(numbers) == 1 else -1
    return f"{metric.get_signature()}|unit:{unit}"


def line_counts(metric: BLEU, hypotheses: Sequence[str], references: Sequence[Stream]) -> np.ndarray:
    """What BLEU needs to know of each line, and adds up over lines; shape (lines, 2 + 2 * ORDER), whole numbers.

    Its length, that of the nearest reference, matching n-grams of 1 to 4 words, all n-grams of 1 to 4 words.
    """
    rows = []
    for hypothesis, *translations in zip(hypotheses, *references, strict=True):
        found = metric.corpus_score([hypothesis], [[line] for line in _there(translations)])
        rows.append([found.sys_len, found.ref_len, *found.counts, *found.totals])
    return np.array(rows, dtype=np.int64).reshape(-1, 2 + 2 * ORDER)


def _there(lines: Sequence[str | None]) -> list[str]:
    return [line for line in lines if line is not None]


def bleu_of_counts(counts: np.ndarray, smooth: str) -> np.ndarray:
    """BLEU of each row of summed `line_counts`; shape (n, 2 + 2 * ORDER) -> (n,).

    "the cat sat on mat" for "the cat sat on the mat": 5 of 5 words match, 3 of 4 pairs, 2 of 3 triples, 1 of 2 fours,
    and the brevity penalty is exp(1 - 6 / 5), so BLEU is 100 exp(-1 / 5) (1 / 4)^(1 / 4).

    >>> counts = line_counts(FAMILIES["13a"].metric("en"), ["the cat sat on mat"], [["the cat sat on the mat"]])
    >>> counts.tolist()
    [[5, 6, 5, 3, 2, 1, 5, 4, 3, 2]]
    >>> bool(np.isclose(bleu_of_counts(counts, "exp")[0], 100 * np.exp(-1 / 5) * (1 / 4) ** (1 / 4)))
    True
    """
    return np.array([_bleu_of_row(row, smooth) for row in counts.astype(np.int64).tolist()])


def _bleu_of_row(row: list[int], smooth: str) -> float:
    length, reference_length, *rest = row
    return BLEU.compute_bleu(rest[:ORDER], rest[ORDER:], length, reference_length, smooth_method=smooth).score
