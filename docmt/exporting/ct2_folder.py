"""The folder of a model for CTranslate2: the model, its text, and a program that needs no docmt (`standalone`)."""

from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from docmt.base.artifacts import atomic_file, copy_files, write_json
from docmt.base.vocabulary import EOS, SEP, SPECIALS
from docmt.exporting.ct2_model import position_rows, save_ct2_model
from docmt.exporting.source import ExportedModel
from docmt.nn.frames import FRAMES, NOTHING
from docmt.search.rules import RULES
from docmt.settings.models import Frame

PROGRAM = dict.fromkeys(("translate.py", "pieces.py"), "docmt.exporting.standalone")
PROGRAM |= {"truecase.py": "docmt.text", "batches.py": "docmt.decoding"}
"""The files of the program that every export has, with the package that has each."""


def write_ct2_folder(source: ExportedModel, readme: str, folder: Path) -> None:
    """Write all files of the export; `readme` is the content of README.md."""
    save_ct2_model(source, folder)
    copy_files(source.folder / "text", folder / "text")
    write_json(folder / "translate.json", search_settings(source))
    for name, package in (PROGRAM | tokenizers(source)).items():
        with atomic_file(folder / name) as stream:
            stream.write((files(package) / name).read_text(encoding="utf-8"))
    with atomic_file(folder / "requirements.txt") as stream:
        stream.writelines(f"{name}=={version(name)}\n" for name in requirements(source))
    with atomic_file(folder / "README.md") as stream:
        stream.write(readme)


def search_settings(source: ExportedModel) -> dict[str, Any]:
    """Return the content of translate.json: the settings of the search, the windows, and the symbols around them."""
    config, decode = source.network.config, source.decode
    before, between = (None if mark == NOTHING else SPECIALS[mark] for mark in _source_marks(source))
    return {
        "window": source.cut.window,
        "before": before,
        "between": between,
        "barred": barred_outputs(config.frame),
        "beam": decode.beam,
        "length_alpha": decode.length_alpha if decode.length_penalty == "average" else 0.0,
        "max_length_a": decode.max_length_a,
        "max_length_b": decode.max_length_b,
        "max_length_of": decode.max_length_of,
        "counted_besides": RULES[config.frame].counted_besides,
        "most_pieces": position_rows(config) - 1,
        "batch_tokens": decode.batch_tokens,
    }


def barred_outputs(frame: Frame) -> list[list[str]]:
    """Return the sequences of outputs that a translation never has, as the rules of the search bar them."""
    never = [[SPECIALS[symbol]] for symbol in RULES[frame].never_output]
    # No sentence is empty. CTranslate2 itself bars the end before the first piece.
    return never + [[SPECIALS[SEP], SPECIALS[after]] for after in (SEP, EOS) if frame == "joined"]


def _source_marks(source: ExportedModel) -> tuple[int, int]:
    """Return the symbol before a window, and the symbol between its sentences, which only the frame `joined` has."""
    marks = FRAMES[source.network.config.frame]
    between = marks.source_before.inner if source.network.config.frame == "joined" else NOTHING
    return marks.source_before.edge, between


def tokenizers(source: ExportedModel) -> dict[str, str]:
    """Return the files of tokenizers that the languages need, with the package that has each."""
    if source.is_cut:
        return {}
    names = {"chinese.py" if language == "zh" else "moses.py" for language in source.languages}
    return dict.fromkeys(sorted(names), "docmt.text")


def requirements(source: ExportedModel) -> list[str]:
    """Return the packages that the program imports."""
    needed = {"chinese.py": ["jieba"], "moses.py": ["regex", "sacremoses"]}
    of_text = [name for file in tokenizers(source) for name in needed[file]]
    return ["ctranslate2", *of_text, *([] if source.is_cut else ["subword-nmt"])]
