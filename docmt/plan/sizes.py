"""The sizes of the texts that trainings read, as stages 2 and 3 have counted them, or stated or guessed before that.

The catalogue states sizes in `expected`, in `published` and in `train_parts` of a corpus.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from docmt.base.artifacts import read_object_if_there
from docmt.base.foreign import reading
from docmt.catalogue.published import StatedCounts, stated
from docmt.estimates.passes import DocumentGroup, Pass, drawn, pass_of
from docmt.plan.plan import Plan
from docmt.settings.system import Entry, TrainedSystem

PIECES = 27.0
"""Assumed number of pieces of a sentence, where nobody has counted or stated it."""
SENTENCES = 20.0
"""Assumed number of sentences of a document, where nobody has counted or stated it."""
VOCABULARY = 30_000
"""Assumed number of different pieces of a pretrained tokenizer in a corpus, where stage 2 has not counted them."""
COUNTS_OF_TEXT = ("documents", "sentences")
"""The names of counts in the card of stage 2; both sides also have `pieces`."""
COUNTS_OF_VIEW = ("segments", "sentences_in_segments")
"""The names of counts in the card of stage 3; both sides also have `pieces`."""


class Sizes:
    """The sizes of corpora, vocabularies and passes over training and dev data, for the jobs of a plan."""

    def __init__(self, plan: Plan) -> None:
        """Read cards when they are first needed."""
        self.plan, self.grid = plan, plan.grid
        self._cards: dict[Path, dict[str, Any]] = {}

    def vocabulary(self, system: TrainedSystem, corpus: str) -> tuple[int, int]:
        """Return the sizes of the source and the target vocabulary; they are guesses where stage 2 has not run."""
        text = self.grid.texts[system.text]
        known = self._text_card(corpus, system.text).get("vocabulary", {})
        guess = VOCABULARY if text.pretrained else text.merges
        guess = min(guess, self.grid.corpus_at_scale(corpus).most_pieces or guess)
        return known.get("source", guess), known.get("target", guess)

    def epoch(self, entry: Entry) -> Pass | None:
        """Return the size of a pass over the training data; None where it is unknown.

        Where the size of the corpus is unknown, the size of a sample of its segments is known.
        """
        counted = self._view_counts(entry, "train")
        if counted is not None:
            return counted
        cut = entry.system.view.train
        parts = self._parts(entry.corpus, entry.system.text)
        if parts is not None:
            return pass_of(parts, cut)
        return None if cut.sample is None else self.typical(entry)

    def typical(self, entry: Entry) -> Pass:
        """Return the size of a pass over typical training data, for the shape of its segments; a sample has its size.

        There are a million documents, more segments than a sample has.
        """
        sentences = 1e6 * SENTENCES
        cut = replace(entry.system.view.train, sample=None)
        every = pass_of([DocumentGroup(1e6, sentences, PIECES, PIECES)], cut)
        sample = entry.system.view.train.sample
        return every if sample is None else drawn(every, sample)

    def dev(self, entry: Entry) -> Pass:
        """Return the size of the dev data; empty where it is unknown."""
        return self._held_out(entry, "dev")

    def test(self, entry: Entry) -> Pass:
        """Return the size of the test data; empty where it is unknown."""
        return self._held_out(entry, "test")

    def _held_out(self, entry: Entry, split: str) -> Pass:
        """Return the size of a split that is cut as the test data is; empty where it is unknown."""
        counted = self._view_counts(entry, split)
        if counted is not None:
            return counted
        part = self._counted_part(entry.corpus, entry.system.text, split) or self._stated_part(entry.corpus, split)
        return Pass() if part is None else pass_of([part], entry.system.view.test)

    def _parts(self, corpus: str, text: str) -> list[DocumentGroup] | None:
        """Return the parts of the training split; None where their sizes are unknown.

        Where stage 2 has counted, stated parts keep their shares and get the sizes that were counted.
        """
        stated_parts, counted = self._stated_parts(corpus), self._counted_part(corpus, text, "train")
        if counted is None:
            return stated_parts or None
        total = sum(part.sentences for part in stated_parts)
        if not total:
            return [counted]
        factor = counted.sentences / total
        return [
            replace(counted, documents=part.documents * factor, sentences=part.sentences * factor)
            for part in stated_parts
        ]

    def _stated_parts(self, corpus: str) -> list[DocumentGroup]:
        """Return the parts that the catalogue states of the training split; none where it states no sentences."""
        config = self.grid.corpus_at_scale(corpus)
        if not config.train_parts:
            part = self._stated_part(corpus, "train")
            return [] if part is None else [part]
        pieces = _pieces([counts.counts.get("train") for counts in config.published])
        return [
            DocumentGroup(stated(part.documents).value, stated(part.sentences).value, mean, mean)
            for part in config.train_parts
            for mean in [part.pieces or pieces]
        ]

    def _stated_part(self, corpus: str, split: str) -> DocumentGroup | None:
        """Return a split as the catalogue states it; None where it states no number of sentences."""
        config = self.grid.corpus_at_scale(corpus)
        printed = [counts.counts[split] for counts in config.published if split in counts.counts]
        documents, sentences = (_first(printed, name) for name in COUNTS_OF_TEXT)
        if split in config.expected:
            documents, sentences = config.expected[split].documents, config.expected[split].sentences
        if sentences is None:
            return None
        pieces = _pieces(printed)
        return DocumentGroup(documents or max(sentences / SENTENCES, 1.0), sentences, pieces, pieces)

    def _counted_part(self, corpus: str, text: str, split: str) -> DocumentGroup | None:
        """Return a split as stage 2 has counted it; None where it has not run."""
        counts = self._text_card(corpus, text).get("splits", {}).get(split)
        if counts is None:
            return None
        sentences = max(counts["sentences"], 1)
        means = (counts[side]["pieces"] / sentences for side in ("source", "target"))
        return DocumentGroup(max(counts["documents"], 1), counts["sentences"], *means)

    def _view_counts(self, entry: Entry, split: str) -> Pass | None:
        """Return the size of a split as stage 3 has counted it; None where it has not run."""
        names = {"corpus": self.grid.data_folder(entry.corpus), "text": entry.system.text}
        folder = self.plan.folder("views", {**names, "view": entry.system.view.name})
        card = self._card(folder, COUNTS_OF_VIEW, "the card of a view", "views")
        counts = card.get("splits", {}).get(split)
        if counts is None:
            return None
        sides = (counts[side]["pieces"] for side in ("source", "target"))
        return Pass(*(counts[name] for name in COUNTS_OF_VIEW), *sides)

    def _text_card(self, corpus: str, text: str) -> dict[str, Any]:
        """Return the card that stage 2 wrote for a corpus and a preset of text; empty where it has not run."""
        folder = self.plan.folder("tokens", {"corpus": self.grid.data_folder(corpus), "text": text})
        return self._card(folder, COUNTS_OF_TEXT, "the card of a text", "tokens")

    def _card(self, folder: Path | None, counts: tuple[str, ...], what: str, step: str) -> dict[str, Any]:
        """Return the card in a folder; empty where there is none. Raises UserError for a file with other content."""
        if folder is None:
            return {}
        path = folder / "card.json"
        if path not in self._cards:
            card = read_object_if_there(path) or {}
            with reading(path, f"not {what}", f"what the step {step} writes"):
                for split in card.get("splits", {}).values():
                    for value in (*(split[name] for name in counts), split["source"]["pieces"]):
                        need_number(value)
                    need_number(split["target"]["pieces"])
                for size in card.get("vocabulary", {}).values():
                    need_number(size)
            self._cards[path] = card
        return self._cards[path]


def need_number(value: Any) -> float:
    """Return the value. Raises TypeError where it is no number; the caller's `reading` converts this to UserError."""
    if not isinstance(value, int | float):
        raise TypeError(f"{value!r} is no number")
    return value


def _first(printed: list[StatedCounts], name: str) -> float | None:
    """Return the first number that papers state of a count; None where no paper states it."""
    numbers = [getattr(counts, name) for counts in printed]
    return next((stated(number).value for number in numbers if number is not None), None)


def _pieces(printed: list[StatedCounts | None]) -> float:
    """Return the mean number of pieces of a sentence, as papers state it of instances; a guess where none does."""
    for counts in printed:
        if counts and counts.tokens_per_instance and counts.sentences_per_instance:
            return stated(counts.tokens_per_instance).value / stated(counts.sentences_per_instance).value
    return PIECES
