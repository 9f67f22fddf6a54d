"""The corpus file of drafts: splits of several addresses, and documents that are held out where a split is missing."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from docmt.base.artifacts import atomic_file
from docmt.base.clone import clone_of
from docmt.base.errors import UserError
from docmt.base.names import NAMES_HAVE, is_name
from docmt.base.schemas import CORPUS, schema_line
from docmt.catalogue.corpus import load_corpus
from docmt.catalogue.held_out import HELD_OUT, TRAIN
from docmt.drafts.draft import Draft, Value

HELD = 50  # The number of documents of a held-out split, where the corpus has enough.
RAREST = 100  # The largest distance, in documents, between two held-out documents.
LEAST = 5  # The number of documents that a held-out split has at least, where the corpus has few.
# The third line of a corpus file.
GUESSED = "# passing_on is a guess: everything, models (and scores, but no text), or nothing."


@dataclass(frozen=True)
class CorpusDraft:
    """The draft of a corpus: that of its main address, and those of the addresses that are dev and test."""

    main: Draft
    others: Mapping[str, Sequence[Draft]] = field(default_factory=dict)
    command: str = ""  # The command line that makes the file, for its first line.

    @property
    def drafts(self) -> list[Draft]:
        """All drafts, the main one first."""
        return [self.main, *(draft for split in HELD_OUT for draft in self.others.get(split, ()))]

    @property
    def held_out(self) -> dict[str, Value]:
        """The rules by which documents of the training text become the splits without an address."""
        documents = self.main.documents
        every = RAREST if documents is None else max(2, min(RAREST, documents // LEAST))
        return {split: {"every": every, "at_most": HELD} for split in HELD_OUT if not self.others.get(split)}

    @property
    def notes(self) -> list[str]:
        """What a person should know or check."""
        held_out = f"{' and '.join(self.held_out)}: documents that are held out of the training text"
        return [*(note for draft in self.drafts for note in draft.notes), *([held_out] if self.held_out else [])]

    def value(self, name: str) -> Value:
        """Return the content of the corpus file. Raises UserError for several languages, and for a main test set."""
        if self.main.is_test_set:
            raise UserError(
                "a test set is no text for training",
                where=self.main.name,
                expected="a corpus of OPUS, with this address as --dev or --test",
            )
        source, target = self.main.pair.languages
        for draft in self.drafts:
            if draft.pair.languages != (source, target):
                languages = "-".join(draft.pair.languages)
                raise UserError(
                    "the languages differ", where=draft.name, found=languages, expected=f"{source}-{target}"
                )
        parts = self._parts()
        files = {file["name"]: file for draft in self.drafts for file in draft.files}
        return {
            "corpus": name,
            "about": " ".join(draft.about for draft in self.drafts),
            "source_language": source,
            "target_language": target,
            "licence": "; ".join(dict.fromkeys(draft.licence for draft in self.drafts)),
            "passing_on": "models",
            "citation": " ".join(dict.fromkeys(draft.citation for draft in self.drafts)),
            "files": list(files.values()),
            "reader": parts[0] if len(parts) == 1 else {"kind": "combined", "parts": parts},
            **self._published(),
        }

    def _parts(self) -> list[Value]:
        held_out = {"held_out": self.held_out} if self.held_out else {}
        parts = [{**self.main.reader, "splits": {TRAIN: self.main.text}, **held_out}]
        pairs = [(split, draft) for split in HELD_OUT for draft in self.others.get(split, ())]
        return [*parts, *({**draft.reader, "splits": {split: draft.text}} for split, draft in pairs)]

    def _published(self) -> dict[str, Any]:
        """Return the sizes of the training text that the place states; costs are estimated from them."""
        if self.main.sentences is None:
            return {}
        why = "pairs with an empty side are dropped, and some documents may be held out for dev and test"
        counts = {TRAIN: {"sentences": self.main.sentences}}
        published = {"paper": "OPUS", "place": "index of its files", "counts": counts, "why": {"sentences": why}}
        part = {"documents": self.main.documents, "sentences": self.main.sentences}
        return {"published": [published], "train_parts": [part]}


def write_corpus_file(draft: CorpusDraft, folder: Path, name: str | None = None, root: Path = Path()) -> Path:
    """Write the file of a corpus into `folder`, and return its path.

    `name`: the name of the corpus; None = the name and the languages of its main address. `root`: the folder of the
    run, whose `workflow/` has the schema by which editors check the file. Raises UserError where the file exists, for a
    name that is none, and where the drafts do not fit together.
    """
    name = name or f"{draft.main.name}_{'-'.join(draft.main.pair.languages)}"
    if not is_name(name):
        raise UserError("not a name of a corpus", found=name, expected=NAMES_HAVE)
    path = folder / f"{name}.yaml"
    if path.exists():
        remedy = "give the corpus another name (--name), or remove the file"
        raise UserError("a corpus of this name exists", where=str(path), remedy=remedy)
    body = yaml.safe_dump(draft.value(name), sort_keys=False, allow_unicode=True, width=116)
    schema = schema_line(clone_of(root), folder, CORPUS)
    content = f"{schema}\n# Written by `{draft.command}`: read it, and complete what is not known.\n{GUESSED}\n{body}"
    # A mistake of a draft is refused before the file is there.
    with tempfile.TemporaryDirectory() as scratch:
        trial = Path(scratch) / path.name
        trial.write_text(content, encoding="utf-8")
        load_corpus(trial)
    with atomic_file(path) as partial:
        partial.write(content)
    return path
