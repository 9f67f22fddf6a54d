"""The sizes of the texts that trainings read, as stages 2 and 3 have counted them, or stated or guessed before that.

The catalogue states sizes in `expected`, in `published` and in `train_parts` of a corpus.
"""

from typing import Any, Literal

from docmt.base.artifacts import read_object_if_there
from docmt.catalogue.published import StatedCounts, stated
from docmt.estimates.passes import DocumentGroup, Pass, pass_of
from docmt.plan.plan import Job, Plan
from docmt.settings.system import Entry, TrainedSystem

PIECES = 27.0  # Assumed number of pieces of a sentence, where nobody has counted or stated it.
SENTENCES = 20.0  # Assumed number of sentences of a document, where nobody has counted or stated it.
# Assumed number of different pieces of a pretrained tokenizer in a corpus, where stage 2 has not counted them.
VOCABULARY = 30_000


class Sizes:
    """The sizes of corpora, vocabularies and passes over training and dev data, for the jobs of a plan."""

    def __init__(self, plan: Plan) -> None:
        """Read cards when they are first needed."""
        self.plan, self.grid = plan, plan.grid
        self._cards: dict[Job, dict[str, Any]] = {}

    def vocabulary(self, system: TrainedSystem, corpus: str) -> tuple[int, int]:
        """Return the sizes of the source and the target vocabulary; they are guesses where stage 2 has not run."""
        text = self.grid.texts[system.text]
        known = self._card("tokens", corpus, text=system.text).get("vocabulary", {})
        guess = VOCABULARY if text.pretrained else text.sentencepiece or text.merges
        guess = min(guess, self.grid.corpus_at_scale(corpus).most_pieces or guess)
        return known.get("source", guess), known.get("target", guess)

    def epoch(self, entry: Entry) -> Pass | None:
        """Return the size of a pass over the training data; None where it is unknown."""
        known = self._size(entry, "train")
        # The size of a sample is known where that of its corpus is not.
        return self.typical(entry) if known is None and entry.system.view.train.sample is not None else known

    def typical(self, entry: Entry) -> Pass:
        """Return the size of a pass over typical data, for the shape of its segments; a sample has its own size."""
        # A million documents have more segments than a sample has.
        return pass_of([DocumentGroup(1e6, 1e6 * SENTENCES, PIECES, PIECES)], entry.system.view.train)

    def of_split(self, entry: Entry, split: Literal["dev", "test"]) -> Pass:
        """Return the size of the dev or the test set in the test view; zero where nothing is known of it."""
        return self._size(entry, split) or Pass()

    def _size(self, entry: Entry, split: str) -> Pass | None:
        """Return the size of a split; None where it is unknown. Dev is cut as the test data is."""
        view = entry.system.view
        card = self._card("views", entry.corpus, text=entry.system.text, view=view.name)
        if counts := card.get("splits", {}).get(split):
            sides = (counts[side]["pieces"] for side in ("source", "target"))
            return Pass(counts["segments"], counts["sentences_in_segments"], *sides)
        parts = self._parts(entry.corpus, entry.system.text, split)
        return pass_of(parts, view.train if split == "train" else view.test) if parts else None

    def _parts(self, corpus: str, text: str, split: str) -> list[DocumentGroup]:
        """Return a split as stage 2 has counted it, or as the catalogue states its parts; empty where neither does."""
        if counts := self._card("tokens", corpus, text=text).get("splits", {}).get(split):
            sentences = max(counts["sentences"], 1)
            means = (counts[side]["pieces"] / sentences for side in ("source", "target"))
            return [DocumentGroup(max(counts["documents"], 1), counts["sentences"], *means)]
        config = self.grid.corpus_at_scale(corpus)
        if split != "train" or not config.train_parts:
            part = self._stated_part(corpus, split)
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
        documents, sentences = (_first(printed, name) for name in ("documents", "sentences"))
        if split in config.expected:
            documents, sentences = config.expected[split].documents, config.expected[split].sentences
        if sentences is None:
            return None
        pieces = _pieces(printed)
        return DocumentGroup(documents or max(sentences / SENTENCES, 1.0), sentences, pieces, pieces)

    def _card(self, step: str, corpus: str, **names: str) -> dict[str, Any]:
        """Return the card that a step wrote for a corpus; empty where it has not run."""
        job = Job.of(step, corpus=self.grid.data_folder(corpus), **names)
        if job not in self._cards:
            folder = self.plan.folder(step, job.names)
            self._cards[job] = (folder and read_object_if_there(folder / "card.json")) or {}
        return self._cards[job]


def _first(printed: list[StatedCounts], name: str) -> float | None:
    numbers = [getattr(counts, name) for counts in printed]
    return next((stated(number).value for number in numbers if number is not None), None)


def _pieces(printed: list[StatedCounts | None]) -> float:
    """Return the mean number of pieces of a sentence, as papers state it of instances; a guess where none does."""
    for counts in printed:
        if counts and counts.tokens_per_instance and counts.sentences_per_instance:
            return stated(counts.tokens_per_instance).value / stated(counts.sentences_per_instance).value
    return PIECES
