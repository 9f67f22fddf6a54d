"""`docmt contrastive`: accuracy of a model on contrastive sets, of plain files."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from docmt.cli.options import MOST_TOKENS, AsJson, Device, Model, Threads, open_model
from docmt.cli.screen import print_json, show_table, shown_progress

if TYPE_CHECKING:
    from docmt.scoring.contrastive import Judgement


def contrastive_form(name: str) -> str:
    """The form that `--form` names. Raises BadParameter for a name that is none's."""
    from docmt.corpus.opening import contrastive_forms

    forms = contrastive_forms()
    if name not in forms:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(map(repr, forms))}.")
    return forms[name]


Form = Annotated[
    str,
    typer.Option(
        metavar="FORM",
        callback=contrastive_form,
        help="table: TSV, a row a variant: item, source, target, correct (and set, distance), sentences joined by "
        "` _eos `; voita, discevalmt, contrapro: JSON as their authors have it",
    ),
]
Documents = Annotated[
    str | None,
    typer.Option(help="contrapro: a document [default: documents/{year}/{document}.{language} beside the set]"),
]
ContextSentences = Annotated[
    int | None, typer.Option(min=0, help="contrapro: so many before the judged one, at most [default: 3]")
]
FirstSegment = Annotated[
    int | None, typer.Option(min=0, max=1, help="contrapro: number of a document's first line [default: 1; French: 0]")
]
Score = Annotated[Literal["sum", "mean"], typer.Option(help="of log-probabilities, ends of sentences included")]
Unit = Annotated[Literal["last", "target"], typer.Option(help="over the last sentence, or over the whole target")]
BatchTokens = Annotated[int, typer.Option(min=1, max=MOST_TOKENS, help="pieces computed at once (memory and speed)")]


def contrastive(
    files: Annotated[list[Path], typer.Argument(help="contrastive sets, a file each", dir_okay=False)],
    model: Model,
    form: Form = "table",
    documents: Documents = None,
    context_sentences: ContextSentences = None,
    first_segment: FirstSegment = None,
    score: Score = "sum",
    unit: Unit = "last",
    batch_tokens: BatchTokens = 4096,
    device: Device = "auto",
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Judge a model by contrastive sets: does it give the right translation more probability than every wrong one?

    The judged sentence is an item's last; its context is cut as the model's own test documents. A tie is wrong, and
    counted. Accuracy and chance are in percent (--json: fractions).
    """
    options = contrapro_options(form, documents, context_sentences, first_segment)
    opened = open_model(model, device, threads)
    from docmt.api.contrastive import forced_scores
    from docmt.corpus.opening import read_sets
    from docmt.scoring.contrastive import accuracies, contrastive_signature, judged
    from docmt.settings.scoring import ContrastiveConfig

    config, where = ContrastiveConfig(score, unit), ", ".join(map(str, files))
    items = read_sets(files, form, options, opened.languages, tell_changes)
    with shown_progress("contrastive scores", "variants") as progress:
        scores = forced_scores(opened, items, where, batch_tokens, config.unit == "target", progress)
    judgements, signature = judged(scores, config, where), contrastive_signature(config)
    if as_json:
        print_json({"contrastive": accuracies(judgements), "contrastive_signature": signature})
        return
    show_accuracies(judgements, signature)


def contrapro_options(
    form: str, documents: str | None, context_sentences: int | None, first_segment: int | None
) -> dict[str, object]:
    """Those that were given; documents stand where the command is run. Refuses them with another form."""
    path = None if documents is None else str(Path.cwd() / documents)
    options = {"documents": path, "context_sentences": context_sentences, "first_segment": first_segment}
    given = {name: value for name, value in options.items() if value is not None}
    if given and form != "contrapro":
        names = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise typer.BadParameter(f"{names}: only with --form contrapro")
    return given


def tell_changes(file: Path, changed: Counter[str]) -> None:
    for what, count in changed.items():
        if count:
            typer.echo(f"docmt: {file}: {what}: {count}", err=True)


def show_accuracies(judgements: "list[Judgement]", signature: str) -> None:
    """Every set, what it is a part of, and all together; by distance where there are several."""
    from docmt.scoring.contrastive import accuracies, with_totals

    rows = []
    for name, members in with_totals(judgements).items():
        found = accuracies(replace(one, set=name) for one in members)[name]
        by_distance = found["by_distance"]
        for distance, one in {"": found, **(by_distance if len(by_distance) > 1 else {})}.items():
            shares = (f"{100 * one[share]:.1f}" for share in ("accuracy", "chance"))
            counts = (str(one[count]) for count in ("items", "variants", "right", "ties"))
            rows.append((name, distance, *shares, *counts))
    columns = ("set", "distance", "accuracy", "chance", "items", "variants", "right", "ties")
    show_table(columns, rows, numbers=columns[1:])
    typer.echo(f"\n{signature}")
