"""`docmt export-corpus`: a corpus that the workflow has read, as files for other programs and commands."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from docmt.base.errors import UserError, check_known
from docmt.base.manifest import MANIFEST
from docmt.base.paths import CORPUS, RESULTS, TOKENS
from docmt.base.screen import print_json
from docmt.cli.options import AsJson, Config, Root, input_folder, output_folder, overrides

if TYPE_CHECKING:
    from docmt.grid.grid import Grid


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

    if without_tokens and text is not None:
        raise UserError("a text and no tokens", where="--text, --without-tokens", expected="at most one of them")
    grid = load_grid(root, overrides(config))
    check_known("corpus", corpus, grid.corpora)
    places = DataPlaces(grid, corpus, results or root / RESULTS)
    folder = places.corpus()
    tokens = None if without_tokens else places.tokens(text)
    exported = ExportedCorpus(folder, tokens, tuple(split or ()))
    export(exported, form, grid.corpus_at_scale(corpus).about, output)
    files = sorted(str(path.relative_to(output)) for path in output.rglob("*") if path.is_file())
    licence, name = exported.card["licence"], None if tokens is None else tokens.name
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

    def __init__(self, grid: "Grid", corpus: str, results: Path) -> None:
        """Look for the folders of `corpus`, at the scale of the grid, below the folder `results`."""
        self.texts, self.results, self.name = grid.texts, results, grid.data_folder(corpus)

    def corpus(self) -> Path:
        """Return the folder of stage 1; raise UserError where it is not complete."""
        folder = CORPUS.under(self.results, corpus=self.name)
        if not (folder / MANIFEST).is_file():
            raise self._not_there(folder, CORPUS.at(corpus=self.name))
        return folder

    def tokens(self, text: str | None) -> Path | None:
        """Return the folder of stage 2 of a text or, where `text` is None, of the only text that was made, if any.

        Raises UserError for an unknown text or one that was not made, and where several were made and none is named.
        """
        folders = {name: TOKENS.under(self.results, corpus=self.name, text=name) for name in self.texts}
        if text is not None:
            check_known("text", text, self.texts, "--text")
            if not (folders[text] / MANIFEST).is_file():
                raise self._not_there(folders[text], TOKENS.at(corpus=self.name, text=text))
            return folders[text]
        complete = {name: folder for name, folder in folders.items() if (folder / MANIFEST).is_file()}
        if len(complete) > 1:
            raise UserError(
                "the corpus has tokens of several texts",
                where=str(self.results / TOKENS.stage / self.name),
                found=", ".join(complete),
                remedy="name one of them with --text, or add --without-tokens",
            )
        return next(iter(complete.values()), None)

    def _not_there(self, folder: Path, target: str) -> UserError:
        return UserError(
            "snakemake has not made this folder yet",
            where=str(folder),
            remedy=f"`snakemake {target}/card.json` makes it, with the --config of your run",
        )
