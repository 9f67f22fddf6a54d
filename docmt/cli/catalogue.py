"""The catalogue: `docmt corpus sources` asks its addresses; `corpus check`, `chains statistics` read what is there."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from docmt.base.errors import USER_MISTAKE, check_known
from docmt.cli.options import AsJson, Root
from docmt.cli.screen import aligned, print_json

if TYPE_CHECKING:
    from docmt.catalogue.corpus import CorpusConfig
    from docmt.catalogue.missing import Places
    from docmt.chains.statistics import Documents
    from docmt.corpus.download import Source
    from docmt.corpus.review import CorpusCheck, Finding
    from docmt.plan.grid import Grid
    from docmt.settings.data import TextConfig

Names = Annotated[list[str] | None, typer.Argument(help="only these corpora", show_default=False)]
Mirror = Annotated[str | None, typer.Option(help="folder that holds archives; that of config.yaml if left out")]

STATED = ("words_in_chains_percent", "words_per_chain", "chains_per_document")
MEASURED = ("perc", "avg_k", "avg_m")

DEAD = 1
"""Exit status of `docmt corpus sources` where a source does not give its file."""


def sources(
    corpora: Names = None,
    root: Root = Path(),
    as_json: AsJson = False,
    timeout: Annotated[float, typer.Option(min=0.1, max=86_400, help="seconds for an answer")] = 20,
) -> None:
    """Ask every source of the catalogue whether it is there; nothing is downloaded. Status 1 where one is not."""
    from docmt.corpus.download import ask_sources
    from docmt.plan.grid import load_grid

    asked = ask_sources(_chosen(load_grid(root), corpora), timeout)
    if as_json:
        print_json([dataclasses.asdict(one) for one in asked])
    else:
        rows = [("corpus", "file", "answer", "bytes", "fetched", "source"), *map(_source_row, asked)]
        typer.echo(aligned(rows) if asked else "no sources")
    if any(source.answer.problem for source in asked):
        raise typer.Exit(DEAD)


def check(
    corpora: Names = None,
    root: Root = Path(),
    mirror: Mirror = None,
    as_json: AsJson = False,
) -> None:
    """Read the corpora whose files are here, and put their counts beside the papers'. Nothing is downloaded.

    Status 2 where a count differs and the catalogue does not say why, or a corpus cannot be read.
    """
    from docmt.corpus.review import check_corpus
    from docmt.plan.grid import load_grid

    grid = load_grid(root)
    places = grid.places(root, mirror)
    checked = []
    for corpus in _chosen(grid, corpora):
        checked.append(check_corpus(corpus, places))
        if not as_json:
            typer.echo(_shown(checked[-1]))
    if as_json:
        print_json([dataclasses.asdict(one) for one in checked])
    if not all(one.is_fine for one in checked):
        raise typer.Exit(USER_MISTAKE)


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
    root: Root = Path(),
    mirror: Mirror = None,
) -> None:
    """Print how much of a corpus its lexical chains are, for several stop lists, beside what papers state."""
    from docmt.chains.statistics import cards_by_stop_list, word_counts
    from docmt.plan.grid import load_grid
    from docmt.settings.data import TextConfig

    grid = load_grid(root)
    for name in (corpus, *(training or ())):
        check_known("corpus", name, grid.corpora)
    text = TextConfig(chinese=chinese, case=case)
    places = grid.places(root, mirror)
    words = _words(grid.corpora[corpus], places, text)
    others = {name: _words(grid.corpora[name], places, text, "train") for name in training or ()}
    counts = {name: word_counts(found.get("train", [])) for name, found in others.items()}
    rows = [("split", "stop list", "Perc.", "Avg. K", "Avg. M")]
    for split in words:
        rows += _stated(grid.corpora[corpus], split)
        for about, found in cards_by_stop_list(split, words, counts, stop_words or (1000, 300)):
            rows.append((split, about, *(f"{found[name]:.2f}" for name in MEASURED)))
    typer.echo(f"{corpus}: lexical chains; source words of {', '.join(words) or 'no split'}")
    typer.echo(aligned(rows, "  "))
    if "train" not in words:
        typer.echo(
            "  The papers' stop list is of the corpus' own training text, whose files are not here: no row is theirs."
        )


def _words(
    config: "CorpusConfig", places: "Places", text: "TextConfig", split: str | None = None
) -> "dict[str, Documents]":
    """The source side of the splits that are here, or of one of them."""
    from docmt.corpus.opening import available_documents
    from docmt.text.tokenizers import tokenizer_for

    tokenize = tokenizer_for(config.source_language, text).tokenize
    words: dict[str, Documents] = {}
    for document in available_documents(config, places):
        if split in (None, document.split):
            lines = (line.lower() if text.case == "lower" else line for line in document.source.sentences)
            words.setdefault(document.split, []).append([tokenize(line) for line in lines])
    return words


def _stated(config: "CorpusConfig", split: str) -> Iterator[tuple[str, ...]]:
    for published in config.published:
        counts = dict(published.counts[split].items) if split in published.counts else {}
        if STATED[0] in counts:
            yield split, f"published: {published.paper}, {published.place}", *(str(counts[name]) for name in STATED)


def _chosen(grid: "Grid", names: list[str] | None) -> "list[CorpusConfig]":
    for name in names or ():
        check_known("corpus", name, grid.corpora)
    return [corpus for name, corpus in grid.corpora.items() if not names or name in names]


def _source_row(source: "Source") -> tuple[str, ...]:
    answer = source.answer
    said = answer.problem or (f"HTTP {answer.status}" if answer.status else "there")
    size = "-" if answer.size is None else f"{answer.size:,}"
    url = f"{source.url} -> {answer.moved}" if answer.moved else source.url
    return source.corpus, source.file, said, size, source.checked or "never", url


def _shown(checked: "CorpusCheck") -> str:
    """A corpus: a table of its counts, why they differ, and what was not read."""
    lines = [checked.corpus]
    notes = list(dict.fromkeys(finding.why for finding in checked.findings if finding.why))
    rows = [("split", "count", "found", "stated", "by", ""), *(_row(finding, notes) for finding in checked.findings)]
    if checked.findings:
        lines.append(aligned(rows, "  "))
    lines += [f"  [{number}] {note}" for number, note in enumerate(notes, 1)]
    lines += [f"  changed: {what}: {count:,}" for what, count in sorted(checked.changed.items()) if count]
    absent: dict[str, list[str]] = {}
    for split, names in checked.absent.items():
        absent.setdefault(", ".join(names), []).append(split)
    lines += [f"  not read: {', '.join(splits)} (not here: {names})" for names, splits in absent.items()]
    if checked.problem:
        lines.append(f"  cannot be read: {checked.problem}")
    return "\n".join(lines)


def _row(finding: "Finding", notes: list[str]) -> tuple[str, ...]:
    number = (
        "-"
        if finding.measured is None
        else f"{finding.measured:,.4g}"
        if finding.measured % 1
        else f"{finding.measured:,.0f}"
    )
    note = f" [{notes.index(finding.why) + 1}]" if finding.why else ""
    words = {"equal": "equal", "explained": "differs, explained", "unexplained": "DIFFERS, not explained"}
    verdict = words.get(finding.verdict, finding.verdict) + note
    stated = f"{int(finding.stated):,}" if finding.stated.isdigit() else finding.stated
    return finding.split, finding.count, number, stated, f"{finding.paper}, {finding.place}", verdict
