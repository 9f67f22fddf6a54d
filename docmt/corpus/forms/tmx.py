"""The form `tmx`: translation memories (TMX), in which the units of a document follow each other.

Source: LISA, "TMX 1.4b Specification". A unit `<tu>` has a variant `<tuv>` for each language, with its text in `<seg>`.
The text of `<bpt>`, `<ept>`, `<it>`, `<ph>` and `<ut>` is code of the format of the translated file, and is left out.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from docmt.base.checks import needed, setting
from docmt.catalogue.forms import KIND, OF_SPLITS, SplitsReaderConfig, some_splits
from docmt.corpus.inputs import Document, FixtureFiles, ReaderInputs, SideText, text_of
from docmt.corpus.sides import escaped
from docmt.corpus.stock import Stock
from docmt.corpus.xml_stream import TEXT, on_one_line, xml_events

CODES = ("bpt", "ept", "it", "ph", "ut")


@dataclass(frozen=True)
class TmxConfig(SplitsReaderConfig):
    """The settings of the form `tmx`: a memory for each split."""

    kind: Literal["tmx"] = needed(KIND)
    splits: dict[str, str] = needed(OF_SPLITS, some_splits)
    document: str | None = setting(
        "x-document", "the `type` of the <prop> that names the document of a unit; none = each unit is a document"
    )
    source_code: str | None = setting(None, "the source language in the file, such as pt-BR; none = any pt or pt-...")
    target_code: str | None = setting(None, "the target language in the file; none = any code of the language")


@dataclass
class Unit:
    """A `<tu>`: its line, its properties by their types, and the text and code of each variant in order."""

    line: int
    properties: dict[str, str]
    variants: list[tuple[str, str]]


def documents(config: TmxConfig, inputs: ReaderInputs) -> Iterator[Document]:
    """Yield the documents in the order of the file; where each unit is one, they are `<split>1`, `<split>2`, ...

    Units that lack one of the languages are left out, and counted. Reports a unit without the name of its document, and
    one with several texts of a language. Raises UserError for a file that is missing or is no XML.
    """
    for split, path in config.in_order:
        file, rows = inputs.display_name(path), _rows(config, inputs, path)
        if config.document is None:
            groups = ((f"{split}{number}", [row]) for number, row in enumerate(rows, 1))
        else:
            groups = groupby(rows, key=lambda row: row[0])
        for name, group in groups:
            _, lines, *columns = zip(*group, strict=True)
            source, target = (SideText(texts, file, lines) for texts in columns)
            yield Document(split, name, source, target, source.location(0))


def _rows(config: TmxConfig, inputs: ReaderInputs, path: str) -> Iterator[tuple[str, int, str, str]]:
    """Yield the document of each unit, its line, its source and its target."""
    codes = config.source_code or inputs.source_language, config.target_code or inputs.target_language
    for unit in _units(inputs, path):
        where = f"{inputs.display_name(path)}:{unit.line}"
        texts = [[text for stated, text in unit.variants if _is_of(stated, code)] for code in codes]
        name = "" if config.document is None else unit.properties.get(config.document, "")
        if not all(texts):
            inputs.changed["units dropped: a language is missing"] += 1
        elif max(map(len, texts)) > 1:
            found = ", ".join(stated for stated, _ in unit.variants)
            remedy = "say in the reader which is meant: `source_code: pt-BR`, `target_code: de-AT`"
            what = "unit with several texts of one language"
            inputs.problems.report(what, where=where, found=found, expected="one each", remedy=remedy)
        elif not name and config.document is not None:
            found = ", ".join(unit.properties) or "no <prop>"
            remedy = "name the type of <prop> in the reader (`document: TYPE`), or `document: null`: a unit a document"
            expected = f'<prop type="{config.document}">'
            inputs.problems.report(
                "unit without a document", where=where, found=found, expected=expected, remedy=remedy
            )
        else:
            yield name, unit.line, texts[0][0], texts[1][0]


def _is_of(stated: str, code: str) -> bool:
    stated, code = stated.lower().replace("_", "-"), code.lower().replace("_", "-")
    return stated == code or stated.startswith(f"{code}-")


def _units(inputs: ReaderInputs, path: str) -> Iterator[Unit]:
    unit = Unit(0, {}, [])
    kind = code = ""
    depth = 0  # The number of open elements of CODES
    parts: list[str] | None = None  # The texts of the open <seg> or <prop>
    for tag, value, line in xml_events(inputs, path):
        if tag == TEXT:
            if parts is not None and not depth:
                parts.append(value)
        elif tag == "tu":
            unit = Unit(line, {}, [])
        elif tag == "tuv":
            # TMX before 1.4 has `lang`.
            code = value.get("xml:lang") or value.get("lang") or ""
        elif tag in ("prop", "seg"):
            kind, parts, depth = value.get("type", ""), [], 0
        elif tag == "/prop":
            unit.properties[kind], parts = on_one_line(parts), None
        elif tag == "/seg":
            unit.variants.append((code, on_one_line(parts)))
            parts = None
        elif tag == "/tu":
            yield unit
        elif tag.removeprefix("/") in CODES:
            depth += -1 if tag.startswith("/") else 1
            inputs.changed["codes of the translated file removed"] += not tag.startswith("/")


def write(config: TmxConfig, stock: Stock) -> FixtureFiles:
    """Yield the file of each split of a fixture."""
    codes = config.source_code or stock.languages[0], config.target_code or stock.languages[1]
    for split, path in config.in_order:
        cut = 1 if config.document is None else None
        lines = ['<?xml version="1.0" encoding="utf-8"?>', '<tmx version="1.4">', "<header/>", "<body>"]
        for number, rows in enumerate(stock.draw_documents(config, split, path, cut=cut), 1):
            name = "" if config.document is None else f'<prop type="{config.document}">{split}{number}</prop>'
            for row in rows:
                pairs = zip(codes, row, strict=True)
                variants = [f'<tuv xml:lang="{code}"><seg>{escaped(text)}</seg></tuv>' for code, text in pairs]
                lines.append(f"<tu>{name}{''.join(variants)}</tu>")
        yield path, text_of((*lines, "</body>", "</tmx>"))
