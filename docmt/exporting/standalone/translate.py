"""Translate plain text with CTranslate2 as docmt translates it, without docmt.

    python translate.py < source.txt > translation.txt

A line is a sentence; a blank line ends a document. README.md beside this file says what is equal to docmt, and where a
translation may differ.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import ctranslate2
from batches import token_batches
from pieces import TextSide

END, SEPARATOR = "</s>", "<sep>"
TINY = 1e-9
"""The exponent of the length in place of 0: with 0, CTranslate2 would end a search earlier than docmt does."""

MARGIN = 0.01
"""The largest difference, for each output, between scores that are computed again without barred outputs."""

Sentence = list[str]
Window = list[Sentence]


class CTranslate2Model:
    """A model in CTranslate2's format, with its text and the settings of its search (`translate.json`)."""

    def __init__(self, folder: Path, device: str = "cpu", compute_type: str = "float32", threads: int = 0) -> None:
        """Load the model; `threads` is the number of CPU threads, and 0 leaves it to CTranslate2."""
        self.settings = json.loads((folder / "translate.json").read_text(encoding="utf-8"))
        self.source, self.target = TextSide(folder / "text", "source"), TextSide(folder / "text", "target")
        self.translator = ctranslate2.Translator(
            str(folder), device=device, compute_type=compute_type, intra_threads=threads
        )
        self.forced_ends = 0
        """The number of windows that reached their maximum length."""

    def translate(self, documents: Sequence[Sequence[str]]) -> list[list[str]]:
        """Return a translation of each sentence of each document; a sentence without any token has an empty one."""
        pieces = [[self.source.pieces(sentence) for sentence in document] for document in documents]
        places = [[number for number, sentence in enumerate(document) if sentence] for document in pieces]
        written = [[document[number] for number in numbers] for document, numbers in zip(pieces, places, strict=True)]
        lines = [[""] * len(document) for document in documents]
        for number, sentences in enumerate(self._sentences(written)):
            for place, sentence in zip(places[number], sentences, strict=True):
                lines[number][place] = self.target.text(sentence)
        return lines

    def _sentences(self, documents: list[Window]) -> Iterator[list[Sentence]]:
        """Yield the translated sentences of each document: each as the last sentence of a window, where it is in one.

        A window whose output has another number of sentences is translated again, sentence by sentence.
        """
        size = self.settings["window"]
        cut = [[document[first : first + size] for first in starts(len(document), size)] for document in documents]
        windows = [*chain.from_iterable(cut)]
        outputs = self._search(windows)
        again = [n for n, window in enumerate(windows) if 1 < len(window) != len(outputs[n])]
        alone = iter(self._search([[sentence] for number in again for sentence in windows[number]]))
        for number in again:
            outputs[number] = [merged(next(alone)) for _ in windows[number]]
        outputs = [o if len(o) == len(w) else [merged(o)] for o, w in zip(outputs, windows, strict=True)]
        remaining = iter(outputs)
        for document, its_windows in zip(documents, cut, strict=True):
            translated = [next(remaining) for _ in its_windows]
            yield [translated[w][p] for w, p in last_places(len(document), len(translated), size)]

    def _search(self, windows: list[Window]) -> list[list[Sentence]]:
        """Return the sentences of the best translation of each window.

        Raises ValueError for a window that is longer than the model's table of positions.
        """
        sources, outputs = [*map(self._framed, windows)], [[]] * len(windows)
        longest, positions = max(map(len, sources), default=0), self.settings["most_pieces"] + 1
        if longest > positions:
            raise ValueError(f"a window has {longest} pieces with its symbols; the model has {positions} positions")
        for numbers, limit in self._batches(windows):
            chosen = [sources[number] for number in numbers]
            for number, pieces in zip(numbers, self._best(chosen, limit), strict=True):
                outputs[number] = split(pieces)
        return outputs

    def _framed(self, window: Window) -> Sentence:
        """Return the pieces of a window with the symbols around its sentences."""
        settings, pieces = self.settings, [*window[0]]
        for sentence in window[1:]:
            pieces += [settings["between"], *sentence]
        return [*filter(None, [settings["before"]]), *pieces, END]

    def _batches(self, windows: list[Window]) -> Iterator[tuple[list[int], int]]:
        """Yield the numbers of windows that are searched together, and their maximum number of outputs."""
        if self.settings["max_length_of"] == "batch":
            for numbers in token_batches([sum(map(len, window)) for window in windows], self.settings["batch_tokens"]):
                longest = max(len(sentence) for number in numbers for sentence in windows[number])
                yield numbers, self._limit([longest])
            return
        by_limit = defaultdict(list)
        for number, window in enumerate(windows):
            by_limit[self._limit([len(sentence) for sentence in window])].append(number)
        for limit, numbers in by_limit.items():
            yield numbers, limit

    def _limit(self, lengths: list[int]) -> int:
        """Return the maximum number of pieces of the translation of sentences with these numbers of pieces."""
        s = self.settings
        limits = (int(s["max_length_a"] * (n + s["counted_besides"]) + s["max_length_b"]) for n in lengths)
        # The end, after the last piece, needs a position too.
        return min(sum(limits) + len(lengths) - 1, s["most_pieces"])

    def _best(self, sources: list[Sentence], limit: int) -> Iterator[Sentence]:
        """Yield the pieces of the best translation of each source."""
        results = self.translator.translate_batch(
            sources,
            beam_size=self.settings["beam"],
            num_hypotheses=self.settings["beam"],
            length_penalty=self.settings["length_alpha"] or TINY,
            suppress_sequences=self.settings["barred"],
            max_batch_size=self.settings["batch_tokens"],
            batch_type="tokens",
            max_input_length=0,
            # The output at this length is `</s>`, which counts in the length of a hypothesis as it does in docmt.
            max_decoding_length=limit + 1,
            return_end_token=True,
            return_scores=True,
        )
        for source, result in zip(sources, results, strict=True):
            is_forced = result.hypotheses[0][-1] != END
            self.forced_ends += is_forced
            rivals = cut(result.hypotheses, limit) if is_forced else self._rivals(result)
            yield self._rescored(source, rivals) if len(rivals) > 1 else rivals[0]

    def _rivals(self, result: ctranslate2.TranslationResult) -> list[Sentence]:
        """Return the finished hypotheses whose scores are near the best score, which is the first."""
        margin = MARGIN * len(result.hypotheses[0]) ** (1 - self.settings["length_alpha"])
        pairs = zip(result.scores, result.hypotheses, strict=True)
        return [pieces[:-1] for score, pieces in pairs if pieces[-1] == END and score >= result.scores[0] - margin]

    def _rescored(self, source: Sentence, rivals: list[Sentence]) -> Sentence:
        """Return the best of several hypotheses by the probabilities of the model, all outputs being allowed.

        Where docmt bars an output, the others keep these probabilities. CTranslate2 raises them in the search.
        """
        scored = self.translator.score_batch([source] * len(rivals), rivals, max_input_length=0)
        lengths = [len(each.log_probs) ** self.settings["length_alpha"] for each in scored]
        normalised = [sum(each.log_probs) / length for each, length in zip(scored, lengths, strict=True)]
        return rivals[max(range(len(rivals)), key=normalised.__getitem__)]


def cut(hypotheses: list[Sentence], limit: int) -> list[Sentence]:
    """Return different hypotheses without `</s>`, of at most `limit` pieces.

    docmt ends a hypothesis at its maximum length with `</s>`, whose probability counts. CTranslate2 cannot force it.
    """
    whole = [pieces[:-1] if pieces[-1] == END else pieces[:limit] for pieces in hypotheses]
    return [[*pieces] for pieces in dict.fromkeys(map(tuple, whole))]


def starts(sentences: int, size: int) -> range:
    """Return the first sentences of all windows of a document; a document of fewer sentences is one window."""
    return range(max(sentences - size + 1, 1) if sentences else 0)


def last_places(sentences: int, windows: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield for each sentence its window and its place there, as near to the last place as possible."""
    for sentence in range(sentences):
        window = min(max(sentence - size + 1, 0), windows - 1)
        yield window, sentence - window


def split(pieces: Sentence) -> list[Sentence]:
    """Return the sentences of an output, which `<sep>` separates."""
    sentences: list[Sentence] = [[]]
    for piece in pieces:
        if piece == SEPARATOR:
            sentences.append([])
        else:
            sentences[-1].append(piece)
    return sentences


def merged(sentences: list[Sentence]) -> Sentence:
    """Return several sentences as one."""
    return [*chain.from_iterable(sentences)]


def documents_of(lines: list[str]) -> list[list[int]]:
    """Return the numbers of the lines of each document; blank lines separate documents and belong to none."""
    documents: list[list[int]] = [[]]
    for number, line in enumerate(lines):
        if line.strip():
            documents[-1].append(number)
        elif documents[-1]:
            documents.append([])
    return documents


def main() -> None:
    """Translate standard input to standard output."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--compute-type", default="float32", help="float32 translates as docmt does; int8 is faster")
    parser.add_argument("--threads", type=int, default=0, help="CPU threads [default: chosen by CTranslate2]")
    options = parser.parse_args()
    model = CTranslate2Model(Path(__file__).parent, options.device, options.compute_type, options.threads)
    text = sys.stdin.buffer.read().decode("utf-8-sig")
    lines = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []
    documents = documents_of(lines)
    translated = model.translate([[lines[number] for number in numbers] for numbers in documents])
    output = [""] * len(lines)
    for numbers, sentences in zip(documents, translated, strict=True):
        for number, sentence in zip(numbers, sentences, strict=True):
            output[number] = sentence
    sys.stdout.buffer.write("".join(f"{line}\n" for line in output).encode())
    if model.forced_ends:
        print(f"{model.forced_ends} translations reached their maximum length", file=sys.stderr)


if __name__ == "__main__":
    main()
