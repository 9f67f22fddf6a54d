"""How many lines docmt gives as Moses' own scripts print them, by step and language, and what differs and why.

`python tests/helpers/moses_parity.py [FOLDER]` prints it; FOLDER holds `golden/` (else `DOCMT_SHARED`, or ../shared).
docmt escapes nothing, so lines that Moses escaped are compared after our tokens were escaped, or theirs were not.
"""

import os
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from docmt.text.casing import Truecaser
from docmt.text.moses import Moses, Normaliser

LANGUAGES = ("en", "de", "fr")
ESCAPES = {
    "&": "&amp;",
    "|": "&#124;",
    "<": "&lt;",
    ">": "&gt;",
    "'": "&apos;",
    '"': "&quot;",
    "[": "&#91;",
    "]": "&#93;",
}
Pair = tuple[object, object]
"""Ours and Moses'."""


def escape(line: str) -> str:
    return re.sub("[" + re.escape("".join(ESCAPES)) + "]", lambda match: ESCAPES[match[0]], line)


def unescape(line: str) -> str:
    plain = {escaped: character for character, escaped in ESCAPES.items()}
    return re.sub("|".join(plain), lambda match: plain[match[0]], line)


@dataclass(frozen=True)
class Golden:
    """What the scripts print for a language."""

    folder: Path
    language: str

    def lines(self, name: str) -> list[str]:
        return (self.folder / "golden" / f"{name}.{self.language}").read_text(encoding="utf-8").split("\n")[:-1]

    def tokens(self, name: str) -> list[list[str]]:
        return [unescape(line).split() for line in self.lines(name)]

    def model(self) -> dict[str, tuple[str, dict[str, int]]]:
        """train-truecaser.perl's, `best (count/total) other (count) ...`: the best case and all counts of a word."""
        entries = {}
        for line in self.lines("truecase-model"):
            words, counts = (line.split(" ")[start::2] for start in (0, 1))
            numbers = [int(re.findall(r"\d+", count)[0]) for count in counts]
            escaped = words[0].lower() in ESCAPES.values()
            unescaped = words if escaped else [unescape(word) for word in words]
            entries[unescaped[0].lower()] = unescaped[0], dict(zip(unescaped, numbers, strict=True))
        return entries


def tokenising(golden: Golden, name: str, escaped: bool, **options: bool) -> list[Pair]:
    tokenizer = Moses(golden.language, **options)
    ours = (" ".join(tokenizer.tokenize(line)) for line in golden.lines("raw"))
    return list(zip((escape(line) if escaped else line for line in ours), golden.lines(name), strict=True))


def normalising(golden: Golden) -> list[Pair]:
    normalise = Normaliser(golden.language).normalise
    return [*zip(map(normalise, golden.lines("raw")), golden.lines("normalised"), strict=True)]


def training(golden: Golden) -> list[Pair]:
    """A pair for each word of both models: best case and counts; None where a model has no such word."""
    truecaser = Truecaser.train(golden.tokens("tok"))
    counts: dict[str, dict[str, int]] = defaultdict(dict)
    for word, count in truecaser.counts.items():
        counts[word.lower()][word] = count
    ours = {lowered: (truecaser.apply([lowered])[0], cases) for lowered, cases in counts.items()}
    theirs = golden.model()
    return [(ours.get(word), theirs.get(word)) for word in sorted({*ours, *theirs})]


def truecasing(golden: Golden, is_ours: bool) -> list[Pair]:
    """By the model that we learn, or by that of Moses."""
    tokens = golden.tokens("tok")
    truecaser = Truecaser.train(tokens) if is_ours else moses_truecaser(golden)
    return [*zip(map(truecaser.apply, tokens), golden.tokens("truecased"), strict=True)]


def moses_truecaser(golden: Golden) -> Truecaser:
    """A half more than its equals makes Moses' choice ours."""
    return Truecaser({w: n + 0.5 * (w == best) for best, counts in golden.model().values() for w, n in counts.items()})


def detruecasing(golden: Golden) -> list[Pair]:
    return [*zip(map(Truecaser({}).restore, golden.tokens("truecased")), golden.tokens("detruecased"), strict=True)]


def detokenising(golden: Golden, name: str, **options: bool) -> list[Pair]:
    detokenize = Moses(golden.language, **options).detokenize
    return [*zip(map(detokenize, golden.tokens(name)), golden.lines("detok"), strict=True)]


STEPS: dict[str, Callable[[Golden], list[Pair]]] = {
    "tokenising": lambda golden: tokenising(golden, "tok", escaped=True),
    "tokenising, no escapes": lambda golden: tokenising(golden, "tok-noescape", escaped=False),
    "tokenising, aggressive": lambda golden: tokenising(golden, "tok-aggressive", escaped=True, aggressive=True),
    "normalising punctuation": normalising,
    "training a truecaser (words)": training,
    "truecasing, Moses' model": lambda golden: truecasing(golden, is_ours=False),
    "truecasing, our model": lambda golden: truecasing(golden, is_ours=True),
    "detruecasing": detruecasing,
    "detokenising": lambda golden: detokenising(golden, "tok"),
    "detokenising, aggressive": lambda golden: detokenising(golden, "tok-aggressive", aggressive=True),
}


def is_case_of_equals(golden: Golden, ours: list[str], theirs: list[str]) -> bool:
    """Whether all words that differ are as frequent in the one case as in the other."""
    counts = Truecaser.train(golden.tokens("tok")).counts
    return all(counts.get(a) == counts.get(b) for a, b in zip(ours, theirs, strict=True) if a != b)


def reason(golden: Golden, step: str, pair: Pair) -> str:
    """Why a pair differs; "" where nobody knows."""
    ours, theirs = pair
    if step.startswith("tokenising") and theirs == f"{ours} ":
        return "a space at the end, which Moses leaves after .' (tokens are the same)"
    if step.startswith("training") and ours is None and theirs[0].lower() in ESCAPES.values():
        return "Moses counts its escapes, which have letters (&quot;), as words; docmt has none"
    if step.startswith("training") and None not in pair and ours[1] == theirs[1]:
        best = max(ours[1].values())
        if ours[1][ours[0]] == theirs[1][theirs[0]] == best:
            return "of equally frequent cases Moses takes either (hash order), docmt the one with fewer capitals"
    if step.startswith("truecasing") and is_case_of_equals(golden, ours, theirs):
        return "of equally frequent cases Moses takes either (hash order), docmt the one with fewer capitals"
    return ""


@dataclass(frozen=True)
class Parity:
    equal: int
    total: int
    reasons: Counter[str]
    unexplained: list[Pair]

    @property
    def share(self) -> float:
        return self.equal / self.total


def parity(folder: Path, step: str, language: str) -> Parity:
    golden = Golden(folder, language)
    pairs = STEPS[step](golden)
    different = [(pair, reason(golden, step, pair)) for pair in pairs if pair[0] != pair[1]]
    known = Counter(why for _, why in different if why)
    return Parity(len(pairs) - len(different), len(pairs), known, [pair for pair, why in different if not why])


def main() -> None:
    default = os.environ.get("DOCMT_SHARED", Path(__file__).resolve().parents[3] / "shared")
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else default)
    reasons: Counter[tuple[str, str]] = Counter()
    print("| step | " + " | ".join(LANGUAGES) + " |\n|---|" + "---|" * len(LANGUAGES))
    for step in STEPS:
        parities = {language: parity(folder, step, language) for language in LANGUAGES}
        print(f"| {step} | " + " | ".join(f"{p.share:.2%} of {p.total}" for p in parities.values()) + " |")
        for language, part in parities.items():
            reasons.update({(f"{step}, {language}", why): n for why, n in part.reasons.items()})
            reasons.update({(f"{step}, {language}", f"unexplained: {pair}"): 1 for pair in part.unexplained})
    print("\n| where | differ | why |\n|---|---|---|")
    for (where, why), number in reasons.items():
        print(f"| {where} | {number} | {why} |")


if __name__ == "__main__":
    main()
