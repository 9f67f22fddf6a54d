"""The sections of a card on how an exported model is loaded; their texts are files beside the files they are about."""

from importlib.resources import files

from docmt.exporting.ct2_folder import requirements
from docmt.exporting.source import ExportedModel

SECTION = "section.md"


def huggingface_section() -> str:
    """Return the section on the library transformers and the Hub."""
    return (files("docmt.exporting.loading") / SECTION).read_text(encoding="utf-8").strip()


def ctranslate2_section(source: ExportedModel) -> str:
    """Return the section on the program beside the model, and on what is equal to docmt."""
    *first, last = [f"`{name}`" for name in requirements(source)]
    needed = f"{', '.join(first)} and {last}" if first else last
    text = (files("docmt.exporting.standalone") / SECTION).read_text(encoding="utf-8").strip()
    return text.format(needed=needed)
