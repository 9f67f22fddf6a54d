"""`docmt score-contrastive`: the accuracy of a model on contrastive sets."""

from collections import Counter
from pathlib import Path
from typing import Annotated, Literal

import typer

from docmt.base.screen import progress_display, say
from docmt.cli.options import AsJson, BatchTokens, Device, Model, Threads, open_model
from docmt.cli.score_table import answer_scores
from docmt.cli.standard_input import label


def contrastive_form(name: str) -> str:
    """Return the kind of reader for the form that `--form` names; raise BadParameter for an unknown form."""
    from docmt.corpus.opening import contrastive_forms

    forms = contrastive_forms()
    if name not in forms:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(map(repr, forms))}.")
    return forms[name]


Sets = Annotated[list[Path], typer.Argument(help="contrastive sets, a file each", dir_okay=False)]
Form = Annotated[
    str,
    typer.Option(
        metavar="FORM",
        callback=contrastive_form,
        help="table: TSV, a row for each variant: item, source, target, correct (and set, distance), sentences joined "
        "by ` _eos `; voita, discevalmt, contrapro: JSON as their authors publish it; lines: the target lines "
        "`*.current.trg` of a set, with its other files beside them",
    ),
]
ContextDocuments = Annotated[
    str | None,
    typer.Option(help="contrapro: path of a document [default: documents/{year}/{document}.{language} beside the set]"),
]
ContextSentences = Annotated[
    int | None, typer.Option(min=0, help="contrapro, lines: most context sentences before the judged one [default: 3]")
]
FirstSegment = Annotated[
    int | None, typer.Option(min=0, max=1, help="contrapro: number of a document's first line [default: 1; French: 0]")
]
Score = Annotated[Literal["sum", "mean"], typer.Option(help="sum or mean of log-probabilities, sentence ends included")]
Unit = Annotated[Literal["last", "target"], typer.Option(help="score the last sentence, or the whole target")]


def score_contrastive(
    sets: Sets,
    model: Model,
    form: Form = "table",
    context_documents: ContextDocuments = None,
    context_sentences: ContextSentences = None,
    first_segment: FirstSegment = None,
    score: Score = "sum",
    unit: Unit = "last",
    batch_tokens: BatchTokens = None,
    device: Device = "auto",
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Score a model on contrastive sets.

    Accuracy is the share of items, in percent, whose right translation is the most probable variant; a tie counts as
    wrong. The judged sentence is the last one of an item; its context is cut as the model's own test documents were.
    `by chance` is the number of items that random guesses get right.
    """
    documents = None if context_documents is None else str(Path.cwd() / context_documents)
    given = {"documents": documents, "context_sentences": context_sentences, "first_segment": first_segment}
    options = {name: value for name, value in given.items() if value is not None}
    trained = open_model(model, device, threads)
    from docmt.api.contrastive import contrastive_scores, judgements_of
    from docmt.corpus.opening import read_sets
    from docmt.settings.scoring import ContrastiveConfig

    config, where = ContrastiveConfig(score, unit), ", ".join(map(label, sets))
    items = read_sets(sets, form, options, trained.languages, report_changes)
    with progress_display("contrastive scores", "variants") as progress:
        judgements = judgements_of(trained, items, config, batch_tokens, progress, where)
    scores = contrastive_scores(judgements, config)
    answer_scores(as_json, {label(model): scores}, ("right", "by_chance", "variants", "ties"))


def report_changes(file: Path, changes: Counter[str]) -> None:
    """Print the changes that reading made to the text of a file, each with its number."""
    for change, count in changes.items():
        if count:
            say(f"docmt: {label(file)}: {change}: {count}")
