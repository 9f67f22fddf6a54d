"""`docmt check-sources`, `check-catalogue` and `count-chains`: the sources, counts and chains of the catalogue."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from docmt.base.errors import USER_MISTAKE, check_known
from docmt.base.screen import aligned, print_json
from docmt.cli.corpus import shared_lines
from docmt.cli.options import AsJson, Config, Mirror, Root, overrides

if TYPE_CHECKING:
    from docmt.catalogue.corpus import CorpusConfig
    from docmt.catalogue.missing import Places
    from docmt.chains.statistics import Documents
    from docmt.corpus.review import CorpusCheck, Finding
    from docmt.fetching.asking import Source
    from docmt.grid.grid import Grid
    from docmt.settings.data import TextConfig

Names = Annotated[list[str] | None, typer.Argument(help="names of corpora [default: all]", show_default=False)]

STATED = ("words_in_chains_percent", "words_per_chain", "chains_per_document")
MEASURED = ("perc", "avg_k", "avg_m")

DEAD = 1
"""Exit status of `docmt check-sources` where a source does not offer its file."""


def check_sources(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="names of corpora, and of sets of `docmt fetch-files` [default: all]", show_default=False),
    ] = None,
    root: Root = Path(),
    config: Config = None,
    timeout: Annotated[float, typer.Option(min=0.1, max=86_400, help="seconds to wait for an answer")] = 20,
    as_json: AsJson = False,
) -> None:
    """Check whether every source of the catalogue, and of sets of files, is there; status 1 where one is not.

    Nothing is downloaded.
    """
    from docmt.catalogue.filesets import load_file_sets
    from docmt.fetching.asking import ask_sources
    from docmt.fetching.transfer import Network
    from docmt.grid.grid import load_grid

    grid = load_grid(root, overrides(config))
    owners = {name: corpus.files for name, corpus in grid.corpora.items()}
    owners |= {name: files_of_set.files for name, files_of_set in load_file_sets(Path(grid.clone)).items()}
    for name in names or ():
        check_known("corpus or set of files", name, owners)
    files = [(name, file) for name in names or owners for file in owners[name]]
    sources = ask_sources(files, Network(grid.hosts, timeout))
    if as_json:
        print_json([dataclasses.asdict(source) for source in sources])
    else:
        rows = [("corpus", "file", "answer", "bytes", "grade", "source"), *map(_source_row, sources)]
        typer.echo(aligned(rows) if sources else "no sources")
    if any(source.answer.problem for source in sources):
        raise typer.Exit(DEAD)


def check_catalogue(
    corpora: Names = None,
    root: Root = Path(),
    config: Config = None,
    mirror: Mirror = None,
    as_json: AsJson = False,
) -> None:
    """Check the counts of the corpora whose files are here against the papers' counts.

    Nothing is downloaded. Status 2 where a count differs and the catalogue does not say why, or where stage 1 would
    refuse a corpus.
    """
    from docmt.corpus.review import check_corpus
    from docmt.grid.grid import load_grid

    grid = load_grid(root, overrides(config))
    places = grid.places(root, mirror)
    checks = []
    for corpus in _chosen(grid, corpora):
        checks.append(check_corpus(corpus, places))
        if not as_json:
            typer.echo(_check_text(checks[-1]))
    if as_json:
        print_json([dataclasses.asdict(check) for check in checks])
    if not all(check.is_fine for check in checks):
        raise typer.Exit(USER_MISTAKE)


def count_chains(
    corpus: Annotated[str, typer.Argument(help="name of a corpus; only its files that are here are read")],
    training: Annotated[
        list[str] | None,
        typer.Option(
            help="name of another corpus whose training text gives a stop list; repeat it", show_default=False
        ),
    ] = None,
    stop_words: Annotated[
        list[int] | None, typer.Option(min=0, help="size of a stop list; repeat it", show_default="1000, 300")
    ] = None,
    chinese: Annotated[Literal["jieba", "characters"], typer.Option(help="how Chinese is segmented")] = "jieba",
    case: Annotated[Literal["keep", "lower"], typer.Option(help="case of words")] = "lower",
    root: Root = Path(),
    config: Config = None,
    mirror: Mirror = None,
    as_json: AsJson = False,
) -> None:
    """Count the lexical chains of a corpus for several stop lists, beside the numbers of papers."""
    from docmt.chains.statistics import cards_by_stop_list, word_counts
    from docmt.grid.grid import load_grid
    from docmt.settings.data import TextConfig

    grid = load_grid(root, overrides(config))
    for name in (corpus, *(training or ())):
        check_known("corpus", name, grid.corpora)
    text = TextConfig(chinese=chinese, case=case)
    places = grid.places(root, mirror)
    words = _words(grid.corpora[corpus], places, text)
    others = {name: _words(grid.corpora[name], places, text, "train") for name in training or ()}
    counts = {name: word_counts(splits.get("train", [])) for name, splits in others.items()}
    rows = []
    for split in words:
        rows += _stated(grid.corpora[corpus], split)
        for stop_list, card in cards_by_stop_list(split, words, counts, stop_words or (1000, 300)):
            rows.append((split, stop_list, *(f"{card[name]:.2f}" for name in MEASURED)))
    if as_json:
        print_json([dict(zip(("split", "stop_list", *MEASURED), row, strict=True)) for row in rows])
        return
    typer.echo(f"{corpus}: lexical chains; source words of {', '.join(words) or 'no split'}")
    typer.echo(aligned([("split", "stop list", "Perc.", "Avg. K", "Avg. M"), *rows], "  "))
    if "train" not in words:
        typer.echo(
            "  The papers' stop list is of the corpus' own training text, whose files are not here: no row is theirs."
        )


def _words(
    config: "CorpusConfig", places: "Places", text: "TextConfig", split: str | None = None
) -> "dict[str, Documents]":
    """Return the source words of the documents of each split whose files are present, or only of the split `split`."""
    from docmt.corpus.opening import available_documents
    from docmt.text.side import Side

    tokens = Side.of_words(config.source_language, text).tokens
    words: dict[str, Documents] = {}
    for document in available_documents(config, places):
        if split in (None, document.split):
            words.setdefault(document.split, []).append([tokens(line) for line in document.source.sentences])
    return words


def _stated(config: "CorpusConfig", split: str) -> Iterator[tuple[str, ...]]:
    """Yield a row for each paper that states the numbers of lexical chains of a split."""
    for published in config.published:
        counts = dict(published.counts[split].items) if split in published.counts else {}
        if STATED[0] in counts:
            yield split, f"published: {published.paper}, {published.place}", *(str(counts[name]) for name in STATED)


def _chosen(grid: "Grid", names: list[str] | None) -> "list[CorpusConfig]":
    """Return the corpora that `names` lists, or all corpora; raise UserError for an unknown name."""
    for name in names or ():
        check_known("corpus", name, grid.corpora)
    return [corpus for name, corpus in grid.corpora.items() if not names or name in names]


def _source_row(source: "Source") -> tuple[str, ...]:
    """Return the cells of a source: corpus, file, answer, bytes, grade, address."""
    answer = source.answer
    status = answer.problem or (f"HTTP {answer.status}" if answer.status else "there")
    size = "-" if answer.size is None else f"{answer.size:,}"
    url = f"{source.url} -> {answer.moved}" if answer.moved else source.url
    return source.owner, source.file, status, size, source.grade or "-", url


def _check_text(check: "CorpusCheck") -> str:
    """Return a corpus' counts as a table, with reasons for differences, shared text, and splits that were not read."""
    lines = [check.corpus]
    notes = list(dict.fromkeys(finding.why for finding in check.findings if finding.why))
    columns = ("split", "count", "measured", "published", "paper", "")
    rows = [columns, *(_row(finding, notes) for finding in check.findings)]
    if check.findings:
        lines.append(aligned(rows, "  "))
    lines += [f"  [{number}] {note}" for number, note in enumerate(notes, 1)]
    lines += [f"  {line}" for line in shared_lines(check.shared)]
    lines += [f"  changed: {what}: {count:,}" for what, count in sorted(check.changed.items()) if count]
    absent: dict[str, list[str]] = {}
    for split, names in check.absent.items():
        absent.setdefault(", ".join(names), []).append(split)
    lines += [f"  not read: {', '.join(splits)} (not here: {names})" for names, splits in absent.items()]
    if check.problem:
        lines.append(f"  problem: {check.problem}")
    return "\n".join(lines)


def _row(finding: "Finding", notes: list[str]) -> tuple[str, ...]:
    """Return the cells of a count; the number in brackets refers to a reason in `notes`, below the table."""
    number = "-"
    if finding.measured is not None:
        number = f"{finding.measured:,.4g}" if finding.measured % 1 else f"{finding.measured:,.0f}"
    note = f" [{notes.index(finding.why) + 1}]" if finding.why else ""
    words = {"equal": "equal", "explained": "differs, explained", "unexplained": "DIFFERS, not explained"}
    verdict = words.get(finding.verdict, finding.verdict) + note
    stated = f"{int(finding.stated):,}" if finding.stated.isdigit() else finding.stated
    return finding.split, finding.count, number, stated, f"{finding.paper}, {finding.place}", verdict
