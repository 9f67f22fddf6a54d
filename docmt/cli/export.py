"""`docmt export-corpus`: a corpus that the workflow has read, as files for other programs and commands."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal

import typer

from docmt.base.errors import UserError, check_known
from docmt.base.manifest import MANIFEST
from docmt.base.recipe import artifact_name
from docmt.base.screen import answer
from docmt.catalogue.licences import is_open
from docmt.cli.options import AsJson, Config, Root, files_in, output_folder, overrides
from docmt.grid.grid import load_grid
from docmt.plan.plan import Job, Plan


def export_corpus(
    corpus: Annotated[str, typer.Argument(help="name of a corpus; snakemake has made its folder of stage 1")],
    output: Annotated[Path, output_folder("new folder for the files")],
    split: Annotated[
        list[str] | None, typer.Option(help="train, dev or test; repeat it", show_default="all of the corpus")
    ] = None,
    form: Annotated[
        Literal["files", "parquet", "hub"],
        typer.Option(help="files: a sentence per line; parquet: tables; hub: a data set of the Hub"),
    ] = "files",
    text: Annotated[
        str | None,
        typer.Option(help="text preset whose tokens are written too", show_default="the only one that was made"),
    ] = None,
    root: Root = Path(),
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Export a corpus that snakemake has read.

    It has sentences, documents, references, tokens and contrastive sets. The lines of test are in the order of the
    translations of a system. Pass the --config of your run, such as scale=smoke. Nothing is downloaded, and nothing
    below results/ is written.
    """
    from docmt.corpus.export.forms import export
    from docmt.corpus.export.reading import ExportedCorpus

    grid = load_grid(root, overrides(config))
    check_known("corpus", corpus, grid.corpora)
    plan, name = Plan(grid, root), grid.data_folder(corpus)
    folder = folder_of_job(plan, Job.of("corpus", corpus=name))
    tokens = tokens_of(plan, name, text)
    exported = ExportedCorpus(folder, tokens, tuple(split or ()))
    export(exported, form, grid.corpus_at_scale(corpus).about, output)
    files, licence = files_in(output), exported.card["licence"]
    text = None if tokens is None else artifact_name(tokens)
    record = {"output": output, "files": files, "text": text, "licence": licence, "is_open": is_open(licence)}
    advice = "" if is_open(licence) else " (docmt does not know this licence: read it before you pass the text on)"
    lines = [f"{output}: {', '.join(files)}", f"tokens: {text or 'none'}", f"licence: {licence}{advice}"]
    answer(as_json, record, "\n".join(lines))


def folder_of_job(plan: Plan, job: Job) -> Path:
    """Return the folder of a job. Raises UserError where snakemake has not made it, with the present settings."""
    folder = plan.recipe(job).folder
    if not plan.is_finished(job):
        remedy = f"`snakemake {folder}/{MANIFEST}` makes it, with the --config of your run"
        raise UserError("snakemake has not made this folder yet", where=str(plan.root / folder), remedy=remedy)
    return plan.root / folder


def tokens_of(plan: Plan, corpus: str, text: str | None) -> Path | None:
    """Return the folder of stage 2 of a text or, where `text` is None, of the only text that was made, if any.

    Raises UserError for an unknown text or one that was not made, and where several were made and none is named.
    """
    texts = plan.grid.texts
    if text is not None:
        check_known("text", text, texts, "--text")
        return folder_of_job(plan, Job.of("tokens", corpus=corpus, text=text))
    folders = {}
    for name in texts:
        with suppress(UserError):
            folders[name] = folder_of_job(plan, Job.of("tokens", corpus=corpus, text=name))
    if len(folders) > 1:
        what, remedy = "the corpus has tokens of several texts", "name one of them with --text"
        raise UserError(what, where=corpus, found=", ".join(folders), remedy=remedy)
    return next(iter(folders.values()), None)
