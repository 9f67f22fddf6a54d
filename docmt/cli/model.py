"""A trained model without the workflow: `docmt import-fairseq`, `docmt translate` and `docmt contrastive`."""

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from docmt.base.checks import MOST_BEAM
from docmt.base.errors import UserError
from docmt.cli.options import (
    MOST_TOKENS,
    AsJson,
    Device,
    Model,
    Threads,
    input_file,
    language_code,
    open_model,
    output_folder,
)
from docmt.cli.screen import print_json, show_table, shown_progress

if TYPE_CHECKING:
    from docmt.decoding.strategy import Fallbacks
    from docmt.scoring.contrastive import Judgement

Case = Literal["keep", "lower"]
Codes = Annotated[Path | None, input_file("BPE codes of subword-nmt; for both sides or for none")]
Language = Annotated[str, typer.Option(help="ISO 639-1 code, by which text is tokenised", callback=language_code)]


def import_fairseq(
    checkpoint: Annotated[Path, input_file("checkpoint_best.pt of fairseq 0.9 to 0.12, or of G-Transformer")],
    source_dictionary: Annotated[Path, input_file("dict.<language>.txt")],
    target_dictionary: Annotated[Path, input_file("dict.<language>.txt")],
    source_language: Language,
    target_language: Language,
    output: Annotated[Path, output_folder("folder to make: model.safetensors, model.json, text/")],
    source_codes: Codes = None,
    target_codes: Codes = None,
    case: Annotated[Case, typer.Option(help="what was done to the case of the training text (with codes)")] = "keep",
    max_tokens: Annotated[
        int | None, typer.Option(min=1, help="budget of an instance, 1 = a sentence [default: 512 for G-Transformer]")
    ] = None,
) -> None:
    """Turn a trained model of fairseq, or of G-Transformer's code, into one that `docmt translate` uses.

    Nothing in the checkpoint is run. Without codes the model's text is pieces: `docmt translate` then takes lines of
    pieces parted by blanks, as your own tools cut them, and gives lines of whole words, not detokenised.
    """
    check_arguments(output, source_codes, target_codes)

    from docmt.api import fairseq

    dictionaries, languages = (source_dictionary, target_dictionary), (source_language, target_language)
    codes = None if source_codes is None else (source_codes, target_codes)
    fairseq.import_fairseq(checkpoint, dictionaries, languages, output, codes, case, max_tokens)


def check_arguments(output: Path, source_codes: Path | None, target_codes: Path | None) -> None:
    if (source_codes is None) != (target_codes is None):
        raise UserError(
            "codes of one side only", expected="--source-codes and --target-codes (the same file, if joint)"
        )
    if output.exists():
        raise UserError(
            "the output is there already", where=str(output), remedy="name a new folder, or remove this one"
        )


LengthPenalty = Annotated[
    Literal["average", "gnmt", "unified_dnmt", "none"],
    typer.Option(
        help="scores are divided by length^alpha, ((5 + length) / 6)^alpha, (5 + length / 6)^alpha, or not at all"
    ),
]
Beam = Annotated[int, typer.Option(min=1, max=MOST_BEAM, help="hypotheses kept; 1 is greedy")]
LengthAlpha = Annotated[float, typer.Option(min=0, max=100, help="alpha of the length penalty")]
NBest = Annotated[int, typer.Option(min=0, help="print so many of each search, with scores, as a table (TSV)")]
BatchTokens = Annotated[
    int, typer.Option(min=1, max=MOST_TOKENS, help="source pieces computed at once (memory and speed)")
]


def translate(
    model: Model,
    beam: Beam = 5,
    length_penalty: LengthPenalty = "average",
    length_alpha: LengthAlpha = 1.0,
    n_best: NBest = 0,
    batch_tokens: BatchTokens = 4096,
    device: Device = "auto",
    threads: Threads = None,
) -> None:
    """Translate documents from standard input: a sentence a line, a blank line between documents; a line for a line.

    A model that does not mark sentences (frame unmarked, cut into several sentences) gives a line for a document.
    What could not be taken as it was is counted on standard error.
    """
    if n_best > beam:
        raise typer.BadParameter(f"--n-best {n_best} is more than --beam {beam}")

    from docmt.api.translate import translate_lines
    from docmt.decoding.files import read_lines
    from docmt.settings.decode import DecodeConfig

    lines = read_lines(sys.stdin.buffer.read(), "standard input")
    opened = open_model(model, device, threads)
    penalty = {"length_penalty": length_penalty, "length_alpha": length_alpha}
    config = DecodeConfig(beam=beam, **penalty, n_best=n_best, batch_tokens=batch_tokens)
    with shown_progress("translating", "segments") as progress:
        found = translate_lines(opened, lines, config, progress)
    tell_fallbacks(found.fallbacks)
    sys.stdout.writelines(text + "\n" for text in (found.n_best() if n_best else found.texts()))


def tell_fallbacks(fallbacks: "Fallbacks") -> None:
    if fallbacks.windows:
        typer.echo(
            f"docmt: {fallbacks.windows} segments got another number of sentences; {fallbacks.sentences} sentences "
            f"were translated again, alone; {fallbacks.merged} lines are several sentences joined",
            err=True,
        )


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
VariantTokens = Annotated[int, typer.Option(min=1, max=MOST_TOKENS, help="pieces computed at once (memory and speed)")]


def contrastive(
    files: Annotated[list[Path], typer.Argument(help="contrastive sets, a file each", dir_okay=False)],
    model: Model,
    form: Form = "table",
    documents: Documents = None,
    context_sentences: ContextSentences = None,
    first_segment: FirstSegment = None,
    score: Score = "sum",
    unit: Unit = "last",
    batch_tokens: VariantTokens = 4096,
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
    from docmt.api.model import forced_scores
    from docmt.corpus.opening import read_sets
    from docmt.scoring.contrastive import accuracies, contrastive_signature, judge_items
    from docmt.settings.scoring import ContrastiveConfig

    config, where = ContrastiveConfig(score, unit), ", ".join(map(str, files))
    items = read_sets(files, form, options, opened.languages, tell_changes)
    with shown_progress("contrastive scores", "variants") as progress:
        scores = forced_scores(opened, items, where, batch_tokens, config.unit == "target", progress)
    judgements, signature = judge_items(scores, config, where), contrastive_signature(config)
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
    from docmt.scoring.contrastive import accuracies, group_with_totals

    rows = []
    for name, members in group_with_totals(judgements).items():
        found = accuracies(replace(one, set=name) for one in members)[name]
        by_distance = found["by_distance"]
        for distance, one in {"": found, **(by_distance if len(by_distance) > 1 else {})}.items():
            shares = (f"{100 * one[share]:.1f}" for share in ("accuracy", "chance"))
            counts = (str(one[count]) for count in ("items", "variants", "right", "ties"))
            rows.append((name, distance, *shares, *counts))
    columns = ("set", "distance", "accuracy", "chance", "items", "variants", "right", "ties")
    show_table(columns, rows, numbers=columns[1:])
    typer.echo(f"\n{signature}")
