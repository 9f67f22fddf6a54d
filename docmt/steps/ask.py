"""Stage 6: translations that a program makes, document by document.

Each answer is on the disk before the next document is sent: an attempt that was killed asks nothing twice.
"""

import dataclasses
from pathlib import Path
from typing import Any

from docmt.base.artifacts import SCRATCH
from docmt.base.parse import parse
from docmt.base.paths import ASKED
from docmt.base.recipe import Recipe, Resources
from docmt.base.screen import say
from docmt.base.sealing import sealing
from docmt.grid.grid import Grid
from docmt.settings.external import CommandTranslations
from docmt.settings.programs import need_program
from docmt.steps import adopt
from docmt.steps.adopt import restoring
from docmt.steps.step import Names, parsed

LIMITS = ("timeout_seconds", "retries", "at_once")  # The settings of a program on which no translation depends.


def program_of(grid: Grid, names: Names) -> CommandTranslations:
    """Return the settings of a system whose translations a program makes."""
    return grid.find(names["corpus"], names["system"]).system.source


def files(grid: Grid, names: Names) -> dict[str, Path]:
    """Return the files that decide what a program answers. Raises UserError where there is no such program."""
    source = program_of(grid, names)
    need_program(source.words(names["corpus"], int(names["seed"])), f"{names['system']}: command.run")
    return source.files


def hints(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the limits of the program."""
    source = program_of(grid, names)
    return {name: getattr(source, name) for name in LIMITS}


def run(recipe: Recipe, resources: Resources) -> None:
    """Ask a program for the translations of the test set."""
    from docmt.base.programs import Program
    from docmt.external.adopt import AdoptionSettings, read_expected, write_adopted
    from docmt.external.ask import Journal, ask
    from docmt.external.lines import notes
    from docmt.text.pipeline import TextPipeline
    from docmt.text.signs import signs_of

    job, journal = parsed(recipe, AdoptionSettings), Journal(recipe.folder / SCRATCH)
    stated = {name: recipe.hints[name] for name in LIMITS if name in recipe.hints}
    source = parse(CommandTranslations, dataclasses.asdict(job.source) | stated, str(recipe.path), ("hints",))
    limits = {name: getattr(source, name) for name in LIMITS}
    with sealing(recipe):
        pipeline, test = TextPipeline.load(recipe.input("tokens") / "text"), read_expected(recipe.input("corpus"))
        languages = pipeline.config.source_language, pipeline.config.target_language
        program = Program(job.source.words(job.corpus, job.seed), f"{job.system}: command.run", **limits)
        lines = ask(program, test, languages, journal)
        # Answers are never refused for what is stated of them, since they may have cost money.
        noted = list(notes(lines, job.source, test, signs_of))
        write_adopted(job, test, lines, noted, recipe.folder, restoring(pipeline, job))
        for note in noted:
            say(f"{job.system}: {note}")
    # The outputs have a manifest now, and the answers are in them.
    journal.remove()


STEP = dataclasses.replace(
    adopt.STEP,
    name="ask",
    about="Ask a program for the translations of the test set, and write them like those of others.",
    folder=ASKED,
    run=run,
    files=files,
    hints=hints,
)
