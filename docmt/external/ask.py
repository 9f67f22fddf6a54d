"""Translations by a program: it is asked document by document, and each answer is in the journal before the next."""

from collections.abc import Iterator
from itertools import groupby

from docmt.base.digests import full_digest
from docmt.base.programs import Program, Request
from docmt.external.journal import Journal
from docmt.external.lines import ExpectedText

FIELD = "translations"
"""The field of an answer with the translations of the sentences of a document."""


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
