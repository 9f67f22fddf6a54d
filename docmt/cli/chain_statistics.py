"""`docmt chains statistics`: lexical chains of a corpus for several stop lists, beside what a paper states of them."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from docmt.cli.options import input_folder

if TYPE_CHECKING:
    from docmt.catalogue.corpus import CorpusConfig
    from docmt.catalogue.missing import Places

Words = dict[str, list[list[list[str]]]]
"""By split: its documents, as the words of their sentences."""

SUB_DOCUMENT = 20
"""Sentences of the parts of documents that training is counted over (lexical chains, appendix A)."""

STATED = ("words_in_chains_percent", "words_per_chain", "chains_per_document")
MEASURED = ("perc", "avg_k", "avg_m")


def statistics(
    corpus: Annotated[str, typer.Argument(help="name of a corpus, of which only the files that are here are read")],
    training: Annotated[
        list[str] | None, typer.Option(help="another corpus, whose training text gives a stop list", show_default=False)
    ] = None,
    stop_words: Annotated[
        list[int] | None, typer.Option(min=0, help="sizes of stop lists", show_default="1000, 300")
    ] = None,
    chinese: Annotated[Literal["jieba", "characters"], typer.Option(help="how Chinese is cut")] = "jieba",
    case: Annotated[Literal["keep", "lower"], typer.Option(help="of words")] = "lower",
    root: Annotated[Path, input_folder("folder with config.yaml and workflow/")] = Path(),
    mirror: Annotated[
        str | None, typer.Option(help="folder that holds archives; that of config.yaml if left out")
    ] = None,
) -> None:
    """Print how much of a corpus its lexical chains are, for several stop lists, beside what papers state."""
    from docmt.base.errors import check_known
    from docmt.catalogue.missing import Places
    from docmt.cli.catalogue import aligned
    from docmt.plan.grid import load_grid
    from docmt.settings.data import TextConfig

    grid = load_grid(root)
    for name in (corpus, *(training or ())):
        check_known("corpus", name, grid.corpora)
    text = TextConfig(chinese=chinese, case=case)
    places = Places(root / "results", mirror or grid.mirror, grid.local)
    config = grid.corpora[corpus]
    words = _words(config, places, text)
    sizes = tuple(stop_words or (1000, 300))
    others = {name: _counts(_words(grid.corpora[name], places, text, "train")) for name in training or ()}
    rows = [("split", "stop list", "Perc.", "Avg. K", "Avg. M")]
    for split, documents in words.items():
        rows += [*_stated(config, split), *_measured(split, documents, _lists(split, words, others, sizes))]
    typer.echo(f"{corpus}: lexical chains; source words of {', '.join(words) or 'no split'}")
    typer.echo(aligned(rows, "  "))
    if "train" not in words:
        typer.echo(
            "  The papers' stop list is of the corpus' own training text, whose files are not here: no row is theirs."
        )


def _words(config: "CorpusConfig", places: "Places", text, split: str | None = None) -> Words:
    """The source side of the splits that are here, or of one of them."""
    from docmt.corpus.here import documents_here
    from docmt.text.tokenizers import tokenizer_for

    tokenize = tokenizer_for(config.source_language, text).tokenize
    words: Words = {}
    for document in documents_here(config, places):
        if split in (None, document.split):
            lines = (line.lower() if text.case == "lower" else line for line in document.source.sentences)
            words.setdefault(document.split, []).append([tokenize(line) for line in lines])
    return words


def _counts(words: Words) -> Counter[str]:
    return Counter(word for documents in words.values() for sentences in documents for s in sentences for word in s)


def _lists(split: str, words: Words, others: dict[str, Counter[str]], sizes: tuple[int, ...]) -> Iterator[tuple]:
    """Stop lists and what they are of."""
    from docmt.chains.documents import most_frequent

    own = _counts({split: words[split]})
    sources = [("the set itself", own)] if split != "train" else []
    if "train" in words:
        sources.append(("the corpus' training text", _counts({"train": words["train"]})))
    sources += [(f"the training text of {name}", counts) for name, counts in others.items()]
    for about, counts in sources:
        for size in sizes:
            stopped = frozenset(most_frequent(counts, size))
            yield f"{size:,} most frequent words of {about}", stopped


def _measured(split: str, documents: list[list[list[str]]], lists: Iterator[tuple]) -> Iterator[tuple[str, ...]]:
    from docmt.chains.statistics import card, count_texts

    size = SUB_DOCUMENT if split == "train" else max(map(len, documents))
    parts = [own[first : first + size] for own in documents for first in range(0, len(own), size)]
    texts = [[word for sentence in part for word in sentence] for part in parts]
    for about, stopped in lists:
        found = card(count_texts(texts, stopped))
        yield split, about, *(f"{found[name]:.2f}" for name in MEASURED)


def _stated(config: "CorpusConfig", split: str) -> Iterator[tuple[str, ...]]:
    for published in config.published:
        counts = dict(published.counts[split].items) if split in published.counts else {}
        if STATED[0] in counts:
            yield split, f"published: {published.paper}, {published.place}", *(str(counts[name]) for name in STATED)
