"""The JSON Schemas of config.yaml, studies and corpora say of these files what the parser says of them.

What one of the two refuses, the other refuses too, but for what `PARSER_ALONE` lists.
"""

import dataclasses
import re
import typing
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from borders.test_bad_settings import CASES
from generators.json_schemas import Definitions, Schema, parts_of
from generators.planned import OVERRIDES, WHOLE
from generators.schemas import FILES, schema
from helpers.parser_alone import reason_of
from helpers.schema_cases import PLACES, VALUES, changed, places, right, write
from helpers.schema_files import Validator, refusals, validator
from helpers.small_grid import small_project
from helpers.support import ROOT, Project
from hypothesis import given, settings
from hypothesis import strategies as st

from docmt.base import schemas
from docmt.base.checks import Checked
from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.base.yaml_files import load_yaml
from docmt.catalogue.corpus import load_corpus
from docmt.grid.grid import load_grid

FOLDERS = {schemas.STUDY: "workflow/studies", schemas.CORPUS: "workflow/corpora"}


def refused(project: Project, schema: str = schemas.CONFIG) -> str | None:
    """What the parser says of a project; of a corpus, its file is read alone."""
    try:
        load_corpus(project.root / PLACES[schema]) if schema == schemas.CORPUS else load_grid(project.root)
    except UserError as problem:
        return str(problem)
    return None


def differs(message: str | None, said: list[str]) -> str | None:
    """What to mend where schema and parser disagree, and not for a reason of `PARSER_ALONE`."""
    if message is None:
        return f"the schema alone refuses: {said}" if said else None
    return None if said or reason_of(message) else f"the parser alone refuses: {message}"


@pytest.mark.parametrize("name", FILES)
def test_each_key_has_a_type_and_a_sentence(name):
    whole = schema(name)
    mappings = [whole, *whole["definitions"].values()]
    mappings += [rule["then"] for mapping in mappings for rule in mapping.get("allOf", ()) if "then" in rule]
    keys = [(key, value) for mapping in mappings for key, value in mapping.get("properties", {}).items()]
    keys = [(key, value) for key, value in keys if "if" not in value]
    wrong = [key for key, value in keys if not re.fullmatch(r"[^\n]{4,}[.]", value.get("description", ""))]
    assert not wrong and len(keys) > 100
    assert not [key for key, value in keys if not {"type", "enum", "anyOf", "$ref", "const"} & set(value)]


@pytest.mark.parametrize("name", FILES)
def test_the_first_line_of_each_file_names_its_schema(name):
    files = [ROOT / "config.yaml"] if name == schemas.CONFIG else [*(ROOT / FOLDERS[name]).glob("*.yaml")]
    for path in files:
        line = path.read_text(encoding="utf-8").splitlines()[0]
        assert line == schemas.schema_line(ROOT, path.parent, name)
        assert (path.parent / line.split("$schema=")[1]).is_file()


# Files that are right.


def test_the_files_of_the_project_are_right():
    assert not refusals(validator(schemas.CONFIG), load_yaml(ROOT / "config.yaml")[0])
    files = {name: [*(ROOT / folder).glob("*.yaml")] for name, folder in FOLDERS.items()}
    files[schemas.STUDY].append(ROOT / "workflow/study-folder/studies/example.yaml")
    wrong = {
        path.name: said
        for name, paths in files.items()
        for path in paths
        if (said := refusals(validator(name), load_yaml(path)[0]))
    }
    assert not wrong and all(len(paths) > 5 for paths in files.values())


@pytest.mark.parametrize("name", PLACES)
def test_the_files_that_are_changed_below_are_right(tmp_path, name):
    project = small_project(tmp_path)
    for value in right(name):
        write(project, name, value)
        assert (refused(project, name), refusals(validator(name), value)) == (None, [])


FENCE = re.compile(r"^```ya?ml[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


EXTENDING = ("add-a-corpus-form", "add-a-figure", "add-a-metric", "add-a-model", "write-a-plugin")
"""The pages whose examples state kinds that the reader adds to docmt."""


def examples() -> list[tuple[str, str, dict]]:
    """The YAML of the documentation with the schema that it is of: whole files, and parts, which lack keys."""
    keys = {name: set(schema(name)["properties"]) for name in FILES}
    pages = [ROOT / "README.md", *(page for page in (ROOT / "docs").rglob("*.md") if page.stem not in EXTENDING)]
    blocks = []
    for page in pages:
        for block in FENCE.findall(page.read_text(encoding="utf-8")):
            value = yaml.safe_load(block)
            names = [name for name in FILES if isinstance(value, dict) and value and set(value) <= keys[name]]
            blocks += [(str(page.relative_to(ROOT)), name, value) for name in names[:1]]
    return blocks


def test_the_examples_of_the_documentation_are_right():
    blocks = examples()
    wrong = []
    for page, name, value in blocks:
        said = refusals(validator(name), value)
        is_whole = set(schema(name)["required"]) <= set(value)
        wrong += [(page, text) for text in said if is_whole or not text.endswith("is a required property")]
    assert not wrong and len(blocks) > 8


# Files that are wrong.


def said_of(project: Project) -> list[str]:
    """What the schemas refuse in the files of a project that are YAML."""
    said = []
    for path in project.root.rglob("*.yaml"):
        of_corpus = path.parent.name == "corpora" or path.name in ("own.yaml", "toy.yaml")
        names = {"config.yaml": schemas.CONFIG, "one.yaml": schemas.STUDY}
        name = schemas.CORPUS if of_corpus else names.get(path.name)
        try:
            said += [] if name is None else refusals(validator(name), load_yaml(path)[0])
        except UserError:
            continue
    return said


# Every field, with every value.


class Recorded(Definitions):
    """Definitions that know the classes that they are of."""

    classes: typing.ClassVar[dict[type, None]] = {}

    def mapping(self, cls: type, *left_out: Any) -> Schema:
        self.classes[cls] = None
        return super().mapping(cls, *left_out)


def fields() -> Iterator[tuple[type, dataclasses.Field, Any]]:
    """Each field of the files that the parser reads by its type alone."""
    for _, cls in FILES.values():
        Recorded(OVERRIDES, WHOLE).of(cls)
    for cls in Recorded.classes:
        hints = typing.get_type_hints(cls)
        for field in dataclasses.fields(cls):
            if not any((base, field.name) in OVERRIDES for base in cls.__mro__):
                yield cls, field, hints[field.name]


def values_of_fields() -> Iterator[tuple[str, str | None, list[str]]]:
    """What the parser and the schema of a field say of each value; the parser reads a dataclass of the field alone."""
    for cls, field, hint in fields():
        definitions = Definitions(OVERRIDES, WHOLE)
        of_field = definitions.of_field(cls, field, hint)
        valid = Validator({**of_field, "definitions": definitions.schemas})
        parts = [(field.name, hint, dataclasses.field(metadata=field.metadata))]
        alone = dataclasses.make_dataclass("Alone", parts, bases=(Checked,), frozen=True)
        for value in (*VALUES, *ends(of_field), *of_field.get("enum", [])):
            said = refusals(valid, value)
            yield f"{cls.__name__}.{field.name}: {value!r:.80}", refused_by(alone, {field.name: value}), said


def refused_by(cls: type, value: dict) -> str | None:
    try:
        parse(cls, value, "x")
    except UserError as problem:
        return str(problem)
    return None


def mistakes(folder: Path) -> Iterator[tuple[str, str | None, list[str]]]:
    """What the parser and the schemas say of settings that cannot work."""
    for number, (name, change) in enumerate(CASES.items()):
        project = small_project(folder / str(number))
        change(project)
        yield name, refused(project), said_of(project)


def test_schema_and_parser_agree_on_every_mistake_and_every_value(tmp_path):
    compared = [*mistakes(tmp_path), *values_of_fields()]
    differences = [(name, differs(message, said)) for name, message, said in compared]
    assert [(name, difference) for name, difference in differences if difference] == []
    assert len(compared) > 20_000


def ends(schema: Schema) -> Iterator[float]:
    """The values at the ends of the ranges of a schema, and those next to them."""
    for keyword in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        for part in parts_of(schema):
            if keyword in part:
                yield from (part[keyword] - 1, part[keyword], part[keyword] + 1)


# Any change of a file.


@cache
def project_of(folder: Path) -> Project:
    return small_project(folder)


@st.composite
def wrong_files(draw: Any, name: str) -> dict:
    """A file with one change: another value, a key less, or a key with another name."""
    value = draw(st.sampled_from(right(name)))
    path = draw(st.sampled_from(list(places(value))))
    change = draw(st.sampled_from(["value", "value", "value", "missing", "name"]))
    return changed(value, path, change, draw(st.sampled_from(VALUES if change == "value" else ("nonsense", "kind", 7))))


def compare(folder: Path, name: str, value: dict) -> None:
    project = project_of(folder)
    write(project, name, value)
    assert not differs(refused(project, name), refusals(validator(name), value))


def check_changes(folder: Path, name: str, examples: int) -> None:
    @settings(max_examples=examples, deadline=None, database=None)
    @given(wrong_files(name))
    def run(value: dict) -> None:
        compare(folder, name, value)

    run()


@pytest.mark.parametrize("name", PLACES)
def test_a_changed_file_is_refused_by_both_or_by_none(tmp_path, name):
    check_changes(tmp_path, name, 40)


@pytest.mark.slow
@pytest.mark.parametrize("name", PLACES)
def test_many_changed_files_are_refused_by_both_or_by_none(tmp_path, name):
    check_changes(tmp_path, name, 2_000)
