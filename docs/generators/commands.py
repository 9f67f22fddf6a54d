"""The text on commands: every command of `docmt` with its purpose, its usage, its options and its exit statuses."""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_origin

from docmt.base.errors import INTERRUPTED, TRY_AGAIN, USER_MISTAKE
from docmt.base.paths import DOWNLOADS
from docmt.base.recipe import JOB
from docmt.cli.commands import ABOUT_STORE, FOR_YOU, STORE, Sections, command, function_of
from docmt.cli.provenance import NOT_REPRODUCED
from docmt.cli.results import DAMAGED, NOT_SUPPORTED
from docmt.steps import all_steps, get_step
from docmt.steps.download import STEP as DOWNLOAD
from docmt.supervision.exit import FAULT, HANGING
from generators.markdown import code, generated_by, plain, slug, table

INTRODUCTION = """# Commands

> **For** readers who know which command they want: each command of `docmt`, its options and their defaults.
> **Afterwards** you can call a command with the right options, and use its exit status in a script.

A command is a verb, or a verb and its object, such as `docmt score` and `docmt score-contrastive`.
`docmt COMMAND --help` prints what this page says of a command.

- A command reads files that options name. `-` stands for standard input, for one file of a command.
- Every command but [`docmt job`](#docmt-job) has the option `--json`: it then prints JSON to standard output.
- Messages go to standard error, so that the output of a command can be piped.
- With `DOCMT_DEBUG=1` in the environment, an error is printed with its Python trace.

The workflow calls [`docmt job`](#docmt-job), and people all others. [`docmt store`](#docmt-store) has the commands on
the store that teams share.
"""

Status = tuple[int, str, dict[str, str]]

STATUSES: list[Status] = [
    (0, "The command has done its work.", {}),
    (
        FAULT,
        "The answer of one of the commands below is no. After any other command: a mistake in docmt, which is printed "
        "with its trace, or a pipe whose reader has ended.",
        {
            "check-findings": "the numbers do not support a finding on record",
            "reproduce": "the target is not reproduced",
            "list-results": "an artifact is damaged (`--verify`)",
            "store verify": "an artifact of the store is damaged",
        },
    ),
    (
        USER_MISTAKE,
        "You can correct the cause: a wrong option, setting or file. The message names it, and says what to do.",
        {
            "preflight": "something would go wrong in the run",
            "check-corpus": "the corpus has a problem",
            "check-catalogue": "a count differs from the stated one, or stage 1 would refuse the corpus",
        },
    ),
    (
        HANGING,
        "A training made no progress and was ended.",
        {"job": "no progress for its `hang_minutes`"},
    ),
    (
        TRY_AGAIN,
        "The same command may succeed when it is run again, for example because a server did not answer.",
        {"job": "the training stopped with a checkpoint; the same command continues it"},
    ),
    (INTERRUPTED, "Ctrl-C ended the command.", {}),
]
"""For each exit status its meaning, and the commands for which it means something of their own."""

NO_IS_ONE = {NOT_SUPPORTED, NOT_REPRODUCED, DAMAGED}
assert {FAULT} == NO_IS_ONE, "the commands that answer no have one exit status"

STEPS = """A job reads its recipe and the inputs and files that the recipe names: no `config.yaml`, and no study. \
FOLDER is the folder of the job's outputs, whose last part is the id. [Results](results.md#jobjson) has the keys of a \
recipe."""

VALUES = {str: "text", int: "whole number", float: "number", Path: "path"}
"""What the value of an option is, by its type."""
PLACES = {"FILE": "file", "FOLDER": "folder", "PATH": "path"}
"""What the value of an option is, by what stands for it in a usage line."""
STATED_DEFAULT = re.compile(r" ?\[default: ([^\]]+)\]")
"""A default that depends on something, which the help of an option states in words."""


def text() -> str:
    """Return the whole text."""
    parts = [generated_by("docmt/cli"), INTRODUCTION, exit_statuses()]
    parts += [*sections((), FOR_YOU), steps()]  # `docmt job` comes last
    parts += ["## docmt store", plain(ABOUT_STORE), *sections(("store",), STORE, level=3)]
    return "\n".join(f"{part.strip()}\n" for part in parts)


def exit_statuses() -> str:
    """Return the section about exit statuses."""
    rows = [
        (str(status), "<br>".join([meaning, *(f"{link(name)}: {why}" for name, why in own.items())]))
        for status, meaning, own in STATUSES
    ]
    return f"## Exit statuses\n\n{table(('status', 'meaning'), rows)}"


def steps() -> str:
    """Return what the section of `docmt job` says of the steps."""
    rows = [(code(step.name), plain(step.about), code(f"{step.folder}/{JOB}")) for step in all_steps().values()]
    rows.append(
        (
            code(DOWNLOAD),
            "Download a file of a corpus, whose name is the `--part`, and check it.",
            code(f"{DOWNLOADS}/{JOB}"),
        )
    )
    parts = [
        STEPS,
        table(("step", "what its job does", "the recipe"), rows),
        "How a training ends:",
        *list(prose(inspect.getdoc(get_step("train").run)))[1:],
    ]
    return "\n\n".join(parts)


def sections(group: tuple[str, ...], named: Sections, level: int = 2) -> Iterator[str]:
    """Yield the sections of a group of commands, in the order of its help."""
    for heading, commands in named.items():
        yield f"{'#' * level} {heading}"
        for name, module in commands.items():
            yield section((*group, name), command(name, function_of(name, module)), level + 1)


def section(words: tuple[str, ...], parsed: Any, level: int) -> str:
    """Return the section of a command; `words` are the words by which `docmt` knows it."""
    name = " ".join(words)
    parts = [f"{'#' * level} docmt {name}", *prose(parsed.help)]
    parts.append(f"```text\n{usage(name, parsed.params)}\n```")
    shown = [parameter for parameter in parsed.params if not getattr(parameter, "hidden", False)]
    parts.append(table(("argument or option", "value", "default", "meaning"), map(row, shown)))
    return "\n\n".join(parts)


def link(name: str) -> str:
    """Return a link to the section of a command."""
    return f"[`docmt {name}`](#{slug(f'docmt {name}')})"


def prose(help_text: str) -> Iterator[str]:
    """Yield the paragraphs of a docstring; indented ones are examples, which keep their lines."""
    for paragraph in inspect.cleandoc(help_text.replace("\b", "")).split("\n\n"):
        is_example = paragraph.startswith("    ")
        yield f"```text\n{inspect.cleandoc(paragraph)}\n```" if is_example else plain(" ".join(paragraph.split()))


def usage(name: str, parameters: list[Any]) -> str:
    """Return the usage line: the command, its arguments, and the options that it needs."""
    words = [f"docmt {name}"]
    for parameter in parameters:
        if is_argument(parameter):
            words.append(argument_name(parameter) if parameter.required else f"[{argument_name(parameter)}]")
        elif parameter.required:
            words.append(f"{parameter.opts[0]} {value_name(parameter)}")
    return " ".join([*words, "[OPTIONS]"])


def row(parameter: Any) -> tuple[str, str, str, str]:
    """Return the row of an argument or an option: its name, its value, its default and its meaning."""
    about = re.sub(r" {2,}", " ", STATED_DEFAULT.sub("", parameter.help)).strip()
    if parameter.envvar:
        about += f" (environment variable `{parameter.envvar}`)"
    name = argument_name(parameter) if is_argument(parameter) else ", ".join(parameter.opts + parameter.secondary_opts)
    return code(name), value(parameter), default(parameter), plain(about)


def is_argument(parameter: Any) -> bool:
    """Return whether a parameter is an argument, and no option."""
    return not parameter.opts[0].startswith("-")


def argument_name(parameter: Any) -> str:
    """Return the name of an argument in capitals, with dots where it may be repeated."""
    name = (parameter.metavar or parameter.name.upper()).removesuffix("...")
    return f"{name}..." if parameter.nargs == -1 else name


def element_type(parameter: Any) -> Any:
    """Return the type of a parameter's value; of a repeated one, the type of each value."""
    kind = parameter.type_descriptor.annotation
    return get_args(kind)[0] if get_origin(kind) is list else kind


def value_name(parameter: Any) -> str:
    """Return what stands for the value in a usage line."""
    kind = element_type(parameter)
    return parameter.metavar or "|".join(get_args(kind)) or VALUES[kind].split()[-1].upper()


def value(parameter: Any) -> str:
    """Return what values a parameter can have: its choices, its range, or what they are; a flag has none."""
    kind = element_type(parameter)
    if getattr(parameter, "is_flag", False):
        return "none: a switch"
    if choices := get_args(kind):
        return ", ".join(map(code, choices))
    name = parameter.metavar and (PLACES.get(parameter.metavar) or code(parameter.metavar))
    return f"{name or VALUES[kind]}{limits(parameter.min, parameter.max)}"


def limits(least: float | None, most: float | None) -> str:
    """Return the range of a number in words.

    >>> limits(1, 4096), limits(0, None), limits(None, None)
    (', 1 to 4,096', ', 0 or more', '')
    """
    if least is None:
        return ""
    return f", {least:,} or more" if most is None else f", {least:,} to {most:,}"


def default(parameter: Any) -> str:
    """Return the default of a parameter: `required` where it has none, in words where its help states it so."""
    if parameter.required:
        return "required"
    if stated := STATED_DEFAULT.search(parameter.help):
        return plain(stated[1])
    if isinstance(getattr(parameter, "show_default", None), str):
        return parameter.show_default
    is_unset = parameter.default is False or parameter.default in (None, "", ())
    return "" if is_unset else code(str(parameter.default))
