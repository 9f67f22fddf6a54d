"""`docmt add-corpus`: the file of a corpus of OPUS, of sacreBLEU or of one's own, filled in."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from docmt.base.clone import WORKFLOW
from docmt.base.screen import answer
from docmt.cli.options import AsJson, Root, output_folder
from docmt.drafts import files, opus, opus_xml, sacrebleu
from docmt.drafts.corpus_file import CorpusDraft, write_corpus_file
from docmt.drafts.draft import Draft, parse_address


def add_corpus(
    address: Annotated[
        str, typer.Argument(help="opus:CORPUS/VERSION/en-de, opus_xml:CORPUS/VERSION/en-de or file:PATH/en-de")
    ],
    dev: Annotated[
        list[str] | None,
        typer.Option(
            help="address whose text is dev, also sacrebleu:SET/en-de; repeat it", show_default="held-out documents"
        ),
    ] = None,
    test: Annotated[
        list[str] | None,
        typer.Option(
            help="address whose text is test, also sacrebleu:SET/en-de; repeat it", show_default="held-out documents"
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="name of the corpus", show_default="that of the address")] = None,
    output: Annotated[
        Path | None,
        output_folder("folder for the corpus' file [default: workflow/corpora, or corpora in a study folder]"),
    ] = None,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Write the file of a public corpus.

    It has the addresses and checksums of the corpus, its reader, its splits and its citation. Nothing is downloaded.
    Documents of the training text become dev and test unless other addresses do. PATH is a file of yours: a table
    (.tsv, .csv, .json, .jsonl, .parquet, .arrow), a memory (.tmx), XML of WMT (.xml), or a folder that Hugging Face
    datasets has saved.
    """
    stated = {"dev": dev or [], "test": test or []}
    others = {split: [_draft(other) for other in texts] for split, texts in stated.items()}
    options = [f"--{split} {shlex.quote(other)}" for split, texts in stated.items() for other in texts]
    command = " ".join(["docmt add-corpus", shlex.quote(address), *options])
    draft = CorpusDraft(_draft(address), others, command)
    path = write_corpus_file(draft, output or corpora_folder(root), name, root)
    record = {"path": path, "corpus": path.stem, "notes": draft.notes}
    answer(as_json, record, "\n  ".join([str(path), *draft.notes]))


def corpora_folder(root: Path) -> Path:
    """Return the folder for the file of a corpus: that of the catalogue, or one beside the catalogue's clone."""
    is_clone = (root / WORKFLOW).is_dir() and not (root / WORKFLOW).is_symlink()
    return root / WORKFLOW / "corpora" if is_clone else root / "corpora"


def _draft(text: str) -> Draft:
    place, parts = parse_address(text)
    places = {"opus": opus, "opus_xml": opus_xml, "sacrebleu": sacrebleu, "file": files}
    return places[place].draft(text, parts)
