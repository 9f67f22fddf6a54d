"""The folder of a model for CTranslate2: the model, its text, and a program that needs no docmt (`standalone`)."""

from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from docmt.base.artifacts import atomic_file, atomic_folder, copy_files, write_json
from docmt.base.vocabulary import EOS, SEP, SPECIALS
from docmt.decoding.batch_size import ON_CPU
from docmt.exporting.ct2_model import check_ctranslate2, ctranslate2, position_rows, save_ct2_model
from docmt.exporting.model_card import card_text
from docmt.exporting.source import ExportedModel
from docmt.nn.frames import FRAMES, NOTHING
from docmt.search.rules import RULES
from docmt.settings.models import Frame

PROGRAM = dict.fromkeys(("translate.py", "pieces.py"), "docmt.exporting.standalone")
PROGRAM |= {"truecase.py": "docmt.text", "batches.py": "docmt.decoding"}
"""The files of the program that every export has, with the package that has each."""


def write_ct2_folder(source: ExportedModel, output: Path) -> None:
    """Write the export as the new folder `output`.

    Raises UserError where CTranslate2 cannot translate as the model does, or is not installed.
    """
    check_ctranslate2(source)
    ctranslate2()
    texts = {name: _text(package, name) for name, package in (PROGRAM | tokenizers(source)).items()}
    texts["requirements.txt"] = "".join(f"{name}=={version(name)}\n" for name in requirements(source))
    texts["README.md"] = card_text(source, loading_section(source))
    with atomic_folder(output) as folder:
        save_ct2_model(source, folder)
        copy_files(source.folder / "text", folder / "text")
        write_json(folder / "translate.json", search_settings(source))
        for name, text in texts.items():
            with atomic_file(folder / name) as stream:
                stream.write(text)


def loading_section(source: ExportedModel) -> str:
    """Return the section of the card on the program beside the model, and on what is equal to docmt."""
    *first, last = [f"`{name}`" for name in requirements(source)]
    needed = f"{', '.join(first)} and {last}" if first else last
    return _text("docmt.exporting.standalone", "section.md").strip().format(needed=needed)


def _text(package: str, name: str) -> str:
    return (files(package) / name).read_text(encoding="utf-8")


def search_settings(source: ExportedModel) -> dict[str, Any]:
    """Return the content of translate.json: the settings of the search, the windows, and the symbols around them."""
    config, decode = source.network.config, source.decode
    marks = FRAMES[config.frame].source_before
    inner = marks.inner if config.frame == "joined" else NOTHING  # only this frame has windows of several sentences
    before, between = (None if mark == NOTHING else SPECIALS[mark] for mark in (marks.edge, inner))
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
        "batch_tokens": decode.batch_tokens or ON_CPU,
    }


def barred_outputs(frame: Frame) -> list[list[str]]:
    """Return the sequences of outputs that a translation never has, as the rules of the search bar them."""
    never = [[SPECIALS[symbol]] for symbol in RULES[frame].never_output]
    # No sentence is empty. CTranslate2 itself bars the end before the first piece.
    return never + [[SPECIALS[SEP], SPECIALS[after]] for after in (SEP, EOS) if frame == "joined"]


def tokenizers(source: ExportedModel) -> dict[str, str]:
    """Return the files of tokenizers that the languages need, with the package that has each."""
    if source.is_cut:
        return {}
    if source.text.sentencepiece is not None:
        return {"sentencepieces.py": "docmt.text"}
    is_reversible = source.text.join == "reversible"
    of_others = "reversible.py" if is_reversible else "moses.py"
    names = {"chinese.py" if language == "zh" else of_others for language in source.languages}
    names |= {"reversible.py"} if is_reversible else set()
    return dict.fromkeys(sorted(names), "docmt.text")


def requirements(source: ExportedModel) -> list[str]:
    """Return the packages that the program imports."""
    needed = {"chinese.py": ["jieba"], "moses.py": ["regex", "sacremoses"], "reversible.py": ["regex"]}
    needed["sentencepieces.py"] = ["sentencepiece"]
    of_text = [name for file in tokenizers(source) for name in needed[file]]
    has_merges = not source.is_cut and source.text.sentencepiece is None
    return ["ctranslate2", *of_text, *(["subword-nmt"] if has_merges else [])]
