"""External systems: systems that docmt does not train, and what a study states of their translations.

A study states such a system by one key in the place of a model, such as `translations`. Each key is a row of
`EXTERNAL`, with the dataclass of its settings.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from docmt.base.checks import Checked, above_0, all_of, each, need_path, setting, some, whole
from docmt.base.parse import KINDS
from docmt.settings.programs import CommandLine, need_command, words_of

# The texts in a path that are replaced by the seed of a run, and by the name of its corpus.
SEED, CORPUS = "{seed}", "{corpus}"

Case = Literal["cased", "truecased", "lower"]
CASE_HELP = (
    "whether they have capital letters, are truecased (sentences begin as words inside them; docmt gives the first "
    "letters their capitals back), or are in lower case"
)


@dataclass(frozen=True)
class ExternalConfig(Checked):
    """The base of the settings of external systems.

    `about` says on pages and in messages where the translations come from. `of_running` has the names of the settings
    on which no translation depends, and `has_stand_ins` says whether generated lines replace the translations at a
    scale with generated corpora. Each kind has `lines`, `tokenised`, `case` and `normalised`,
    and three properties: `place` says where the translations come from, for pages; `has_seeds` whether they differ
    between seeds (else the system has a single run); and `has_corpora` whether the settings fit several corpora.
    """

    about: ClassVar[str] = ""
    of_running: ClassVar[tuple[str, ...]] = ()
    has_stand_ins: ClassVar[bool] = True


@dataclass(frozen=True)
class FileTranslations(ExternalConfig):
    """The settings of translations that are in a file, or in a folder with a file for each document.

    A folder with a file of one line for each document has `lines: documents`.
    """

    about: ClassVar[str] = "translations from a file"

    path: str = setting(
        "",
        "file of translations, or folder with a file for each document; {seed} and {corpus} in it are replaced",
        all_of(some("the path of a file, or of a folder", found="nothing"), need_path),
    )
    lines: Literal["sentences", "documents"] = setting("sentences", "whether a line is a sentence, or a document")
    files: Literal["names", "order"] = setting(
        "names",
        "how files of a folder belong to documents: names (`talk1.txt` has the document talk1), or order (by name, "
        "the documents as in the test set)",
    )
    tokenised: bool = setting(False, "whether the lines are tokens between spaces; they are joined to plain text")
    case: Case = setting("cased", CASE_HELP)
    normalised: bool = setting(False, "whether their punctuation was normalised; stated on pages")
    kind: Literal["translations"] = setting("translations", "the key of the study that states these settings")

    @property
    def place(self) -> str:
        """The path, or the name of the file where the path is not shown."""
        return self.path

    @property
    def has_seeds(self) -> bool:
        """Whether the path has the seed in it."""
        return SEED in self.path

    @property
    def has_corpora(self) -> bool:
        """Whether the path has the corpus in it."""
        return CORPUS in self.path

    def path_of(self, corpus: str, seed: int) -> str:
        """Return the path of the translations of a corpus and a seed."""
        return self.path.replace(CORPUS, corpus).replace(SEED, str(seed))


@dataclass(frozen=True)
class CommandTranslations(ExternalConfig):
    """The settings of translations by a program, which gets the test set's documents: docs/reference/programs.md."""

    about: ClassVar[str] = "translations by a program"
    of_running: ClassVar[tuple[str, ...]] = ("depends_on", "timeout_seconds", "retries", "at_once")
    has_stand_ins: ClassVar[bool] = False
    has_corpora: ClassVar[bool] = True
    lines: ClassVar[str] = "sentences"

    run: CommandLine = setting(
        "", "command line of the program, as a list or a text; {seed} and {corpus} in it are replaced", need_command
    )
    version: str = setting("", "what decides the translations and is in no file, such as the model of a service")
    depends_on: tuple[str, ...] = setting(
        (), "files that decide the translations, such as the program itself", each(need_path)
    )
    timeout_seconds: float = setting(600.0, "longest wait for the next answer", above_0(604_800))
    retries: int = setting(3, "how often a document is sent again after a failure", whole(0, 1_000))
    at_once: int = setting(1, "largest number of documents that wait for their answers", whole(1, 1_000))
    tokenised: bool = setting(False, "whether the answers are tokens between spaces; they are joined to plain text")
    case: Case = setting("cased", CASE_HELP)
    normalised: bool = setting(False, "whether their punctuation was normalised; stated on pages")
    kind: Literal["command"] = setting("command", "the key of the study that states these settings")

    @property
    def place(self) -> str:
        """The name of the program, and what is stated of its version."""
        names = [Path(word).name for word in words_of(self.run)]
        return ", ".join(filter(None, (" ".join(names), self.version)))

    @property
    def has_seeds(self) -> bool:
        """Whether the command line has the seed in it."""
        return any(SEED in word for word in words_of(self.run))

    def words(self, corpus: str, seed: int) -> tuple[str, ...]:
        """Return the words of the command line for a corpus and a seed."""
        return tuple(word.replace(CORPUS, corpus).replace(SEED, str(seed)) for word in words_of(self.run))

    @property
    def files(self) -> dict[str, Path]:
        """The files that decide the translations, by their roles among the inputs of a job."""
        return {f"depends_on/{number}": Path(path) for number, path in enumerate(self.depends_on)}


# The kinds of external systems, by the key of a system in a study that states their settings.
EXTERNAL: dict[str, type[ExternalConfig]] = {"translations": FileTranslations, "command": CommandTranslations}

KINDS[ExternalConfig] = ("kind of external system", EXTERNAL)


def files_at(path: Path) -> dict[str, Path]:
    """Return the files of translations at a path, by the names that jobs have for them: a file, or those of a folder.

    Hidden files of a folder are left out, since systems put them there.
    """
    if not path.is_dir():
        return {"translations": path}
    files = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
    return {f"translations/{file.name}": file for file in files}
