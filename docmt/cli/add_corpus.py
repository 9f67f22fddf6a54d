"""`docmt add-corpus`: the file of a corpus of OPUS, of WMT, of sacreBLEU or of the Hub, filled in."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from docmt.base.clone import WORKFLOW
from docmt.base.screen import answer
from docmt.cli.options import AsJson, Config, Root, output_folder, overrides
from docmt.drafts import hub, opus, sacrebleu, statmt
from docmt.drafts.address import parse_address, parse_pair
from docmt.drafts.corpus_file import CorpusDraft, write_corpus_file
from docmt.drafts.draft import Draft
from docmt.drafts.hub import Columns
from docmt.fetching.transfer import Network
from docmt.grid.grid import load_grid


def add_corpus(
    address: Annotated[
        str,
        typer.Argument(
            help="opus:CORPUS/VERSION/en-de, statmt:CORPUS/VERSION/en-de, sacrebleu:SET/en-de or"
            " hub:OWNER/NAME[/CONFIGURATION][@REVISION]"
        ),
    ],
    dev: Annotated[
        list[str] | None, typer.Option(help="address whose text is dev; repeat it", show_default="held-out documents")
    ] = None,
    test: Annotated[
        list[str] | None, typer.Option(help="address whose text is test; repeat it", show_default="held-out documents")
    ] = None,
    name: Annotated[str | None, typer.Option(help="name of the corpus", show_default="that of the address")] = None,
    output: Annotated[
        Path | None,
        output_folder("folder for the corpus' file [default: workflow/corpora, or corpora in a study folder]"),
    ] = None,
    pair: Annotated[
        str | None,
        typer.Option(help="languages of a data set of the Hub whose card does not state them"),
    ] = None,
    source_column: Annotated[str | None, typer.Option(help="column of the source, in tables of the Hub")] = None,
    target_column: Annotated[str | None, typer.Option(help="column of the target, in tables of the Hub")] = None,
    document_column: Annotated[
        str | None,
        typer.Option(help="column of the document in tables of the Hub; none: rows without text separate documents"),
    ] = None,
    root: Root = Path(),
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Write the file of a public corpus: its addresses and checksums, its reader, its splits and its citation.

    Nothing is downloaded; of a data set of the Hub, its facts are read. Documents of the training text become dev and
    test unless other addresses do.
    """
    network = Network(load_grid(root, overrides(config)).hosts)
    columns = Columns(source_column, target_column, document_column)
    stated = {"dev": dev or [], "test": test or []}
    others = {split: [_draft(other, network, pair, columns) for other in texts] for split, texts in stated.items()}
    options = [f"--{split} {shlex.quote(other)}" for split, texts in stated.items() for other in texts]
    command = " ".join(["docmt add-corpus", shlex.quote(address), *options])
    draft = CorpusDraft(_draft(address, network, pair, columns), others, command)
    path = write_corpus_file(draft, output or corpora_folder(root), name, root)
    record = {"path": path, "corpus": path.stem, "notes": draft.notes}
    answer(as_json, record, "\n  ".join([str(path), *draft.notes]))


def corpora_folder(root: Path) -> Path:
    """Return the folder for the file of a corpus: that of the catalogue, or one beside the catalogue's clone."""
    is_clone = (root / WORKFLOW).is_dir() and not (root / WORKFLOW).is_symlink()
    return root / WORKFLOW / "corpora" if is_clone else root / "corpora"


def _draft(text: str, network: Network, pair: str | None, columns: Columns) -> Draft:
    """Return the draft of an address. Raises UserError for an address that is none."""
    address = parse_address(text)
    if address.place == "hub":
        return hub.draft(address, network, parse_pair(pair, "--pair") if pair else None, columns)
    return {"opus": opus, "statmt": statmt, "sacrebleu": sacrebleu}[address.place].draft(address)
