"""`docmt export-corpus`: a corpus that the workflow has read, as files for other programs and commands."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

import typer

from docmt.base.errors import UserError, check_known
from docmt.base.manifest import MANIFEST
from docmt.base.paths import CORPUS, RESULTS, TOKENS, Folder
from docmt.base.recipe import artifact_name, versions
from docmt.base.screen import print_json
from docmt.cli.options import AsJson, Config, Root, input_folder, output_folder, overrides

if TYPE_CHECKING:
    from docmt.plan.plan import Plan


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
    without_tokens: Annotated[bool, typer.Option("--without-tokens", help="write no tokens")] = False,
    root: Root = Path(),
    results: Annotated[Path | None, input_folder("results folder [default: results in --root]")] = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Export a corpus that snakemake has read: its sentences, documents, references, tokens and contrastive sets.

    The lines of test are in the order of the translations of a system. Pass the --config of your run, such as
    scale=smoke. Nothing is downloaded, and nothing below results/ is written.
    """
    from docmt.catalogue.licences import is_open
    from docmt.corpus.export.forms import export
    from docmt.corpus.export.reading import ExportedCorpus
    from docmt.grid.grid import load_grid
    from docmt.plan.plan import Plan

    if without_tokens and text is not None:
        raise UserError("a text and no tokens", where="--text, --without-tokens", expected="at most one of them")
    grid = load_grid(root, overrides(config))
    check_known("corpus", corpus, grid.corpora)
    places = DataPlaces(Plan(grid, root), corpus, results or root / RESULTS)
    folder = places.corpus()
    tokens = None if without_tokens else places.tokens(text)
    exported = ExportedCorpus(folder, tokens, tuple(split or ()))
    export(exported, form, grid.corpus_at_scale(corpus).about, output)
    files = sorted(str(path.relative_to(output)) for path in output.rglob("*") if path.is_file())
    licence, name = exported.card["licence"], None if tokens is None else artifact_name(tokens)
    if as_json:
        record = {"output": str(output), "files": files, "text": name}
        print_json({**record, "licence": licence, "is_open": is_open(licence)})
        return
    typer.echo(f"{output}: {', '.join(files)}")
    typer.echo(f"tokens: {name or 'none'}")
    advice = "" if is_open(licence) else " - it may forbid to pass the text on: read it before you give this to anybody"
    typer.echo(f"licence: {licence}{advice}")


class DataPlaces:
    """The folders of a corpus in stages 1 and 2 of a run."""

    def __init__(self, plan: "Plan", corpus: str, results: Path) -> None:
        """Look for the folders of `corpus`, at the scale of the plan, below the folder `results`."""
        self.plan, self.results, self.name = plan, results, plan.grid.data_folder(corpus)

    def corpus(self) -> Path:
        """Return the folder of stage 1; raise UserError where it is not complete."""
        return self._version(CORPUS, corpus=self.name) or self._stop(CORPUS, corpus=self.name)

    def tokens(self, text: str | None) -> Path | None:
        """Return the folder of stage 2 of a text or, where `text` is None, of the only text that was made, if any.

        Raises UserError for an unknown text or one that was not made, and where several were made and none is named.
        """
        texts = self.plan.grid.texts
        if text is not None:
            check_known("text", text, texts, "--text")
            names = {"corpus": self.name, "text": text}
            return self._version(TOKENS, **names) or self._stop(TOKENS, **names)
        folders = {name: self._version(TOKENS, corpus=self.name, text=name) for name in texts}
        complete = {name: folder for name, folder in folders.items() if folder is not None}
        if len(complete) > 1:
            raise UserError(
                "the corpus has tokens of several texts",
                where=str(self.results / TOKENS.stage / self.name),
                found=", ".join(complete),
                remedy="name one of them with --text, or add --without-tokens",
            )
        return next(iter(complete.values()), None)

    def _version(self, folder: Folder, **names: str) -> Path | None:
        """Return the folder that the settings ask for, or else the newest one; None where none is complete."""
        asked = self.plan.folder("corpus" if folder is CORPUS else "tokens", names)
        there = versions(self.results / folder.part(**names), MANIFEST)
        return next((version for version in there if asked and version.name == asked.name), next(iter(there), None))

    def _stop(self, folder: Folder, **names: str) -> NoReturn:
        raise UserError(
            "snakemake has not made this folder yet",
            where=str(self.results / folder.part(**names)),
            remedy=f"`snakemake $(docmt path {folder.at(**names)})/{MANIFEST}` makes it, with the --config of your run",
        )
