"""The texts on settings: every key of config.yaml, of a study and of a corpus, from the JSON Schemas of these files."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from docmt.base.checks import MOST_SEED
from docmt.base.names import FILE_NAMES_HAVE, INSIDE, LANGUAGES_ARE, NAMES_HAVE, PATHS_HAVE
from docmt.base.schemas import CONFIG, CORPUS, STUDY
from docmt.settings.metrics import METRICS
from docmt.settings.models import MODEL_CONFIGS
from generators.json_schemas import Schema
from generators.markdown import code, generated_by, plain, slug, table
from generators.schemas import schema

ROOT = Path(__file__).parents[2]
SETTINGS, STUDY_PAGE, CORPUS_PAGE = "settings.md", "study-file.md", "corpus-file.md"
HEADER = ("Key", "Values", "Default", "Meaning")
WORDS = {"integer": "whole number", "number": "number", "boolean": "true or false", "null": "`null`"}
"""The words for types of JSON."""
SAME = {f"Model_{kind}": f"Defaults_{kind}" for kind in MODEL_CONFIGS}
"""The definitions of a study whose keys are those of another definition in config.yaml."""
TEXTS = {
    f"Expected {expected}.": word
    for expected, word in (
        *((PATHS_HAVE, "path"), (INSIDE, "path"), (FILE_NAMES_HAVE, "file name"), (NAMES_HAVE, "name")),
        (LANGUAGES_ARE, "code of a language"),
    )
}
"""The words for texts that have a pattern, by the message of the pattern."""
LIMITS = {
    "minimum": "{} or more", "exclusiveMinimum": "above {}", "maximum": "at most {}", "exclusiveMaximum": "below {}",
}  # fmt: skip
"""The words for keywords that limit a number."""
FIRST_SECTION = "\n# Stage 2 by name"
"""The beginning of the first section of config.yaml, after the keys that have a single value."""
EDITORS = """## In an editor

The first line of the file names a JSON Schema. An editor with
[yaml-language-server](https://github.com/redhat-developer/yaml-language-server) reads it: in VS Code this is the
extension "YAML" of Red Hat, and Neovim, Emacs and Helix start the same program. The editor then completes keys and
values, shows the meaning of a key, and marks a key that docmt does not know.

The parser of docmt refuses more: a name that no other key has, settings that exclude each other, a system that extends
itself. `docmt preflight` names all such mistakes, and no job starts before they are mended.

In the tables below, `NAME` stands for a name that you choose, and "none" is written `null` in the file. A name has
letters (a to z), digits and `. _ + -`. The files are YAML 1.1: a power of ten needs a point, as in `5.0e-4`.
"""


INTRODUCTIONS = {
    SETTINGS: """# Settings: config.yaml

> **For** readers who change how docmt runs: every key of `config.yaml`, what it may be, its default and its meaning.
> **Afterwards** you can find the key for what you want to change, and give it a value that docmt accepts.

Each run reads `config.yaml` from its folder or, where that has none, from the clone. A value can also be changed for
one run, as in `snakemake --config scale=smoke`. A key that is left out has its default. A study can state
`scoring` and the settings of its systems itself ([the study file](study-file.md)).
""",
    STUDY_PAGE: """# The study file

> **For** readers who write a study: every key of a file of `workflow/studies`, what it may be, and its meaning.
> **Afterwards** you can state systems, tables, figures and findings, and know which keys each of them has.

A study names corpora, states systems, and says in which tables and figures they are compared. A system states only the
settings in which it differs: the others come from the system that it `extends`, or from `defaults` of
[config.yaml](settings.md#defaults). This study is in the folder that `docmt init` makes:
""",
    CORPUS_PAGE: """# The corpus file

> **For** readers who bring a corpus: every key of a file of `workflow/corpora`, what it may be, and its meaning.
> **Afterwards** you can describe where the files of a corpus come from, and how they are read.

A corpus file names the files, their sources and checksums, and the reader that turns them into documents. The file of
the German-English Bible:
""",
}
"""The beginning of each text."""
SWEEPS = """A system whose name has `{}` in it is a sweep: `sweep` has a list of numbers, and there is a system for each
of them. The number replaces `{}` in the name and in the settings of the system. A figure with `points: NAME{}` has a
point for each number.
"""
OF_METRICS = """## Metrics

A name may have a contrastive set or a convention after a colon, and a detail after an @: `accuracy:deixis_dev`,
`LTCR:strict`, `accuracy@3` (at a distance of three sentences), `s-BLEU@j2` (of sentences that are second in their
windows).
"""


class Section(NamedTuple):
    """A section of a page: the keys of one definition, under the path where a file first has them."""

    title: str
    schema: Schema


class Page:
    """A page of the keys of a file, one section after another; each definition has one section on one page."""

    def __init__(self, name: str, elsewhere: dict[str, str] | None = None) -> None:
        """Begin with the schema `name`; `elsewhere` has the links of definitions that other pages have."""
        self.schema = schema(name)
        self.links: dict[str, str] = {**(elsewhere or {}), "Metric": "#metrics"}
        self.inline: dict[int, str] = {}
        self.sections: list[Section] = []
        self._add("", self.schema)

    def _add(self, path: str, schema: Schema) -> None:
        """Add the section of a mapping, and those of the mappings inside it that have no section yet."""
        self.sections.append(Section(path, schema))
        for key, value in keys_of(schema).items():
            self._add_inside(below(path, key), value)
        for kind, variant in self._variants(schema):
            self._add_named(f"{path}, kind: {kind}", variant)

    def _add_inside(self, path: str, schema: Schema) -> None:
        """Add the sections of the mappings that a value may be, or may have inside it."""
        if "$ref" in schema:
            self._add_named(path, name_of(schema))
        for part in (*schema.get("anyOf", []), *([schema["items"]] if "items" in schema else [])):
            self._add_inside(path, part)
        if isinstance(schema.get("additionalProperties"), dict):
            self._add_inside(below(path, "NAME"), schema["additionalProperties"])
        for part in schema.get("patternProperties", {}).values():
            self._add_inside(below(path, "NAME"), part)
        if "properties" in schema:
            self.inline[id(schema)] = f"#{slug(path)}"
            self._add(path, schema)

    def _add_named(self, path: str, name: str) -> None:
        """Add the section of a definition, unless this page or another one has it."""
        of_sweep = name.removesuffix("_of_sweep")
        if of_sweep != name or name == "Sweep":
            return  # a sweep has the keys of a system
        known = SAME.get(name, name)
        if known in self.links:
            self.links[name] = self.links[known]
            return
        if name not in self.links:
            self.links[name] = f"#{slug(path)}"
            self._add(path, self.schema["definitions"][name])

    def _variants(self, schema: Schema) -> Iterator[tuple[str, str]]:
        """Yield each kind of a mapping with the name of its definition."""
        for rule in schema.get("allOf", []):
            kind = rule["if"].get("properties", {}).get("kind", {}).get("const")
            if kind is not None and "$ref" in rule["then"]:
                yield kind, name_of(rule["then"])

    def text(self) -> str:
        """Return the sections as Markdown."""
        return "\n\n".join(self._section(section) for section in self.sections if keys_of(section.schema))

    def _section(self, section: Section) -> str:
        """Return a section: its heading, its table, and links to its kinds."""
        needed = section.schema.get("required", [])
        rows = [
            (place(below(section.title, key), key), self.values(value), default(key, value, needed), meaning(value))
            for key, value in sorted(keys_of(section.schema).items(), key=lambda item: item[0] not in needed)
        ]
        kinds = [f"[`{kind}`]({self.links[name]})" for kind, name in self._variants(section.schema)]
        further = f"\n\nFurther keys by `kind`: {', '.join(kinds)}." if kinds else ""
        return f"## {section.title or 'All keys'}\n\n{table(HEADER, rows)}{further}"

    def values(self, schema: Schema) -> str:
        """Return what a value may be, with its range."""
        if "$ref" in schema:
            name = name_of(schema)
            return f"[{'metric' if name == 'Metric' else 'keys'}]({self.links[name]})"
        if "enum" in schema:
            return ", ".join(code(written(value)) for value in schema["enum"])
        if "anyOf" in schema:
            parts = [part for part in schema["anyOf"] if not part.get("doNotSuggest")]
            return " or ".join(dict.fromkeys(self.values(part) for part in parts))
        if "const" in schema:
            return code(written(schema["const"]))
        types = schema.get("type", [])
        return " or ".join(self._of_type(name, schema) for name in ([types] if isinstance(types, str) else types))

    def _of_type(self, name: str, schema: Schema) -> str:
        """Return the words for a type of JSON, with what the schema says of its values."""
        if name == "array":
            return f"list of {self.values(schema['items']) or 'values'}"
        if id(schema) in self.inline:
            return f"[keys]({self.inline[id(schema)]})"
        if name == "object":
            inside = schema.get("additionalProperties") or next(
                iter(schema.get("patternProperties", {}).values()), None
            )
            names = schema.get("propertyNames", {}).get("enum", [])
            return (
                f"by {', '.join(map(code, names)) if 0 < len(names) < 5 else 'name'}: {self.values(inside) or 'value'}"
            )
        if name == "string":
            expected = schema.get("patternErrorMessage", "")
            return TEXTS.get(expected, expected.removeprefix("Expected ").removesuffix(".") or "text")
        return f"{WORDS[name]}{limits(schema) if name in ('integer', 'number') else ''}"


def name_of(reference: Schema) -> str:
    """Return the name of the definition that a reference leads to."""
    return reference["$ref"].rsplit("/", 1)[1]


def keys_of(schema: Schema) -> dict[str, Schema]:
    """Return the keys of a mapping with their schemas."""
    return schema.get("properties", {})


def limits(schema: Schema) -> str:
    """Return the range of a number in words."""
    if {"minimum", "maximum"} <= set(schema):
        parts = [f"{amount(schema['minimum'])} to {amount(schema['maximum'])}"]
    else:
        parts = [text.format(amount(schema[keyword])) for keyword, text in LIMITS.items() if keyword in schema]
    even = ["even"] if schema.get("multipleOf") == 2 else []
    return "".join(f", {part}" for part in (*parts, *even))


def amount(number: float) -> str:
    """Return a number as people write it; a seed has 63 bits."""
    if number == MOST_SEED:
        return "2^63 - 1"
    return f"{int(number):,}" if number == int(number) and number < 1e18 else f"{number:g}"


def written(value: Any) -> str:
    """Return a value as YAML has it."""
    return value if isinstance(value, str) and value else json.dumps(value)


def default(key: str, schema: Schema, needed: list[str]) -> str:
    """Return the default of a key; a key without a default has to be stated, or has keys of its own."""
    if key in needed:
        return "has to be stated"
    return code(written(schema["default"])) if "default" in schema else ""


def meaning(schema: Schema) -> str:
    """Return the description of a key as Markdown."""
    return plain(schema.get("description", ""))


def below(path: str, key: str) -> str:
    """Return the path of a key of a mapping; the kind of the mapping stays at the end.

    >>> below("tables.NAME, kind: gaps", "rows")
    'tables.NAME.rows, kind: gaps'
    """
    place, comma, kind = path.partition(", kind: ")
    return f"{place}.{key}{comma}{kind}" if place else key


def place(path: str, key: str) -> str:
    """Return a key in its table, with an anchor of its path; headings have the paths themselves."""
    anchor = re.sub(r"[^\w.]+", "-", path)
    return f'<a id="key.{anchor}"></a>`{key}`'


def settings() -> str:
    """Return the text on config.yaml; it has the keys of a single value with the comments of the file itself."""
    text = (ROOT / "config.yaml").read_text(encoding="utf-8")
    first = text[text.index("\n\n") : text.index(FIRST_SECTION)].strip()
    example = f"The first part of the file says more of these keys:\n\n```yaml\n{first}\n```\n"
    page = Page(CONFIG).text()
    head, rest = page.split("\n\n## ", 1)
    return whole(SETTINGS, "", f"{head}\n\n{example}\n## {rest}")


def study() -> str:
    """Return the text on the file of a study."""
    example = (ROOT / "workflow/study-folder/studies/example.yaml").read_text(encoding="utf-8")
    links = {name: f"{SETTINGS}{link}" for name, link in Page(CONFIG).links.items()}
    rows = [(code(name), plain(row.about)) for name, row in METRICS.items()]
    metrics = f"{OF_METRICS}\n{table(('Metric', 'Meaning'), rows)}"
    return whole(STUDY_PAGE, f"```yaml\n{example}```\n\n{SWEEPS}", f"{Page(STUDY, links).text()}\n\n{metrics}")


def corpus() -> str:
    """Return the text on the file of a corpus."""
    example = (ROOT / "workflow/corpora/bible_de-en.yaml").read_text(encoding="utf-8")
    return whole(CORPUS_PAGE, f"```yaml\n{example}```\n", Page(CORPUS).text())


def whole(name: str, example: str, sections: str) -> str:
    """Return a text: its beginning, an example, what editors do, and the keys."""
    parts = (generated_by("the schemas of workflow/schemas"), INTRODUCTIONS[name], example, EDITORS, sections)
    return "\n".join(filter(None, parts)) + "\n"
