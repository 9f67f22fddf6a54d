"""Translations by a program: it is asked document by document, and each answer is in the journal before the next.

A journal is a file with a line of JSON for each answer, outside the outputs of the job. Each line is on the disk before
the next request is sent, so that a job that is killed at any moment loses no answer, and its next attempt asks nothing
twice.
"""

import json
import os
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from docmt.base.artifacts import read_json_lines
from docmt.base.digests import canonical_json, full_digest
from docmt.base.foreign import naming, reading
from docmt.base.programs import Program, Request
from docmt.external.lines import ExpectedText

NAME = "answers.jsonl"  # The name of the file.
FIELD = "translations"  # The field of an answer with the translations of the sentences of a document.


class Journal:
    """The answers to requests, by the digests of the requests. The job that has the lease of its folder writes it."""

    def __init__(self, folder: Path) -> None:
        """Read the answers in a folder. A last line without its end was cut by a kill, and is removed.

        Raises UserError where the file is no journal.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / NAME
        self.path.touch()
        os.truncate(self.path, self.path.read_bytes().rfind(b"\n") + 1)
        rows = read_json_lines(self.path, "request", "translations")
        with reading(self.path, "not a journal of answers", remedy="remove it: its documents are translated again"):
            self.answers = {row["request"]: _texts(row["translations"]) for row in rows}

    def add(self, request: str, translations: list[str]) -> None:
        """Write an answer, and wait until the disk has it."""
        line = canonical_json({"request": request, "translations": translations})
        with naming(self.path), self.path.open("ab") as stream:
            stream.write(line.encode() + b"\n")
            stream.flush()
            os.fsync(stream.fileno())
        self.answers[request] = translations

    def remove(self) -> None:
        """Remove the journal of a job that has ended well, and its folder where nothing else is in it."""
        self.path.unlink()
        if not any(self.path.parent.iterdir()):
            self.path.parent.rmdir()


def _texts(value: object) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise TypeError(f"{json.dumps(value)[:40]} is no list of texts")
    return value


def requests_of(test: ExpectedText, languages: tuple[str, str]) -> Iterator[Request]:
    """Yield the request for each document of a test set, whose ids are the numbers of the documents, from 1.

    `languages` are the codes of the source and target languages.
    """
    pairs = zip(test.documents, test.sources, strict=True)
    for number, (document, group) in enumerate(groupby(pairs, key=lambda pair: pair[0]), start=1):
        sentences = [source for _, source in group]
        content = {
            "document": document,
            "source_language": languages[0],
            "target_language": languages[1],
            "sentences": sentences,
        }
        yield Request(str(number), content, FIELD, str, len(sentences))


def ask(program: Program, test: ExpectedText, languages: tuple[str, str], journal: Journal) -> list[str]:
    """Return a translation for each sentence of a test set, from the journal or from the program.

    Raises UserError where the program gives no usable answer; the answers before are then in the journal.
    """
    requests = list(requests_of(test, languages))
    open_requests = [request for request in requests if full_digest(request.content) not in journal.answers]
    if len(open_requests) < len(requests):
        program.tell(f"{len(requests) - len(open_requests)} of {len(requests)} documents were translated before")
    for request, answer in program.answers(open_requests):
        journal.add(full_digest(request.content), answer[FIELD])
    return [line for request in requests for line in journal.answers[full_digest(request.content)]]
