"""BLEU in four families, which the papers use, computed by the library sacreBLEU, with a signature for each number.

    13a              cased, smoothed; sacreBLEU's default, and what mteval-v13a.pl prints with -c
    13a_lower        lower-cased, smoothed; what mteval-v13a.pl prints without -c where all capitals are A to Z
    tokenized_lower  the tokens as they are, A to Z lower-cased, not smoothed; what multi-bleu.perl -lc prints
    tokenized        the tokens as they are, cased, not smoothed; what multi-bleu.perl prints

Each family is computed over sentences (unit s, s-BLEU), over whole documents (unit d, d-BLEU) and over the packed
instances of a view (unit i, which the code of G-Transformer calls d-BLEU). Translations are compared with all
references of the corpus; the signature has the number of references (nrefs).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sacrebleu.metrics import BLEU
from sacrebleu.metrics.base import Metric
from sacrebleu.metrics.bleu import BLEUScore

from docmt.base.errors import UserError, install
from docmt.scoring.inputs import Stream

ORDER = 4  # The length in words of the longest n-gram that BLEU counts


class MultiBleu(BLEU):
    """BLEU over the words of multi-bleu.perl, whose white space and letters are those of ASCII.

    A no-break space parts no words therefore, and with `lowercase` only A to Z are lower-cased.
    Departs: the script counts a reference as 9,999 words where the number of its words differs by as many.
    """

    def __init__(self, lowercase: bool) -> None:
        """Choose whether A to Z are lower-cased."""
        super().__init__(lowercase, force=True, tokenize="none", smooth_method="none")
        self.tokenizer_signature = "multi-bleu"

    def _preprocess_segment(self, sent: str) -> str:
        line = sent.encode("utf-8", "surrogatepass")
        # sacreBLEU parts the result at all white space, which the digits of a word's bytes do not have.
        return " ".join(word.hex() for word in (line.lower() if self.lowercase else line).split())


@dataclass(frozen=True)
class BleuFamily:
    """A way to compute BLEU.

    `lowercase` says whether lines are lower-cased. `smooth` is sacreBLEU's name of the smoothing. `is_tokenized` says
    whether lines are tokenised already, as `MultiBleu` takes them; sacreBLEU's tokeniser of the target language splits
    raw lines: 13a, `zh` for Chinese, `ja-mecab` for Japanese, `ko-mecab` for Korean.
    """

    lowercase: bool
    smooth: str
    is_tokenized: bool = False

    def metric(self, target_language: str) -> BLEU:
        """Return the metric of sacreBLEU for a target language, given by its code, such as `de`.

        Raises UserError where the language's tokeniser is not installed.
        """
        if self.is_tokenized:
            return MultiBleu(self.lowercase)
        try:
            # sacreBLEU counts tokenised lines over a whole file, and here it gets single lines:
            # docmt.text.signs does this in its place, and `force` suppresses the warning.
            return BLEU(self.lowercase, force=True, smooth_method=self.smooth, trg_lang=target_language)
        except RuntimeError:
            # No other tokeniser takes its place, since scores on two machines would then differ.
            raise UserError(
                "sacreBLEU's tokeniser of the target language is not installed",
                found=f"target language {target_language}",
                remedy=f"{install(target_language)}, or take the families tokenized_lower and "
                "tokenized, which need no tokeniser",
            ) from None


FAMILIES = {
    "13a": BleuFamily(lowercase=False, smooth="exp"),
    "13a_lower": BleuFamily(lowercase=True, smooth="exp"),
    "tokenized_lower": BleuFamily(lowercase=True, smooth="none", is_tokenized=True),
    "tokenized": BleuFamily(lowercase=False, smooth="none", is_tokenized=True),
}


def bleu(metric: BLEU, hypotheses: Sequence[str], references: Sequence[Stream], unit: str) -> dict:
    """Return BLEU as `{"score", "signature"}`, with the score from 0 to 100.

    `references` has a stream for each reference. `unit` is the end of the signature.
    """
    counts = line_counts(metric, hypotheses, references).sum(axis=0, keepdims=True)
    score = float(bleu_of_counts(counts, metric.smooth_method)[0])
    return {"score": score, "signature": signature(metric, references, unit)}


def signature(metric: Metric, references: Sequence[Stream], unit: str) -> str:
    """Return the signature of sacreBLEU with `unit` at its end, such as `s` or `d|documents:N`.

    `references` has a stream for each reference. Where lines have different numbers of references (None in a stream),
    the signature has `nrefs:var`.
    """
    numbers = {len(_present(lines)) for lines in zip(*references, strict=True)}
    # SacreBLEU sets this field to the number of references of its last call, which here scored a single line.
    metric.num_refs = numbers.pop() if len(numbers) == 1 else -1
    return f"{metric.get_signature()}|unit:{unit}"


def line_counts(metric: BLEU, hypotheses: Sequence[str], references: Sequence[Stream]) -> np.ndarray:
    """Return the counts from which BLEU is computed, for each line, as integers of shape (lines, 2 + 2 * ORDER).

    The columns are the length of the translation in words, the length of the reference whose length is nearest, the
    numbers of matching n-grams of 1 to 4 words, and the numbers of all n-grams of 1 to 4 words.
    """
    rows = []
    for hypothesis, *translations in zip(hypotheses, *references, strict=True):
        line_score = metric.corpus_score([hypothesis], [[line] for line in _present(translations)])
        rows.append([line_score.sys_len, line_score.ref_len, *line_score.counts, *line_score.totals])
    return np.array(rows, dtype=np.int64).reshape(-1, 2 + 2 * ORDER)


def _present(lines: Sequence[str | None]) -> list[str]:
    return [line for line in lines if line is not None]


def bleu_of_counts(counts: np.ndarray, smooth: str) -> np.ndarray:
    """Return BLEU, shape (n,), from n rows of counts, shape (n, 2 + 2 * ORDER).

    A row is a sum of rows of `line_counts`. `smooth` is sacreBLEU's name of the smoothing.

    Example: the translation is "the cat sat on mat", and the reference is "the cat sat on the mat". 5 of 5 words match,
    3 of 4 bigrams, 2 of 3 trigrams and 1 of 2 4-grams. The brevity penalty is exp(1 - 6 / 5), so BLEU is 100 exp(-1 /
    5) (1 / 4)^(1 / 4).

    >>> counts = line_counts(FAMILIES["13a"].metric("en"), ["the cat sat on mat"], [["the cat sat on the mat"]])
    >>> counts.tolist()
    [[5, 6, 5, 3, 2, 1, 5, 4, 3, 2]]
    >>> bool(np.isclose(bleu_of_counts(counts, "exp")[0], 100 * np.exp(-1 / 5) * (1 / 4) ** (1 / 4)))
    True
    """
    return np.array([_bleu_of_row(row, smooth) for row in counts.astype(np.int64).tolist()])


def _bleu_of_row(row: list[int], smooth: str) -> float:
    return _computed(row, smooth).score


def _computed(row: list[int], smooth: str) -> BLEUScore:
    length, reference_length, *rest = row
    return BLEU.compute_bleu(rest[:ORDER], rest[ORDER:], length, reference_length, smooth_method=smooth)


def bleu_parts(counts: np.ndarray, smooth: str) -> dict[str, float]:
    """Return the parts of BLEU as sacreBLEU prints them, from one row of counts of shape (2 + 2 * ORDER,).

    `brevity_penalty` is from 0 to 1. `length_ratio` is the length of the translations in words, divided by that of the
    references. `precision1` to `precision4` are the smoothed percentages of matching n-grams of 1 to 4 words. Their
    geometric mean times the brevity penalty is BLEU.

    >>> parts = bleu_parts(np.array([5, 6, 5, 3, 2, 1, 5, 4, 3, 2]), "exp")
    >>> {name: round(part, 3) for name, part in parts.items() if name != "precision4"}
    {'brevity_penalty': 0.819, 'length_ratio': 0.833, 'precision1': 100.0, 'precision2': 75.0, 'precision3': 66.667}
    """
    computed = _computed(counts.astype(np.int64).tolist(), smooth)
    precisions = {f"precision{order}": value for order, value in enumerate(computed.precisions, 1)}
    return {"brevity_penalty": computed.bp, "length_ratio": computed.ratio, **precisions}
