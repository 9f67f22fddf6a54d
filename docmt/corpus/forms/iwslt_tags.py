"""The form `iwslt_tags`: training files of IWSLT, such as `train.tags.zh-en.en`, with lines of tags and of sentences.

A document is a talk.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from docmt.base.checks import needed
from docmt.catalogue.forms import KIND, OF_SPLITS, Languages, SplitsReaderConfig, some_splits
from docmt.corpus.inputs import Document, FixtureFiles, ReaderInputs, Rows, text_of
from docmt.corpus.sides import MonolingualDocument, paired_documents, talk_tags
from docmt.corpus.stock import Stock

TAGS = ("doc", "url", "keywords", "speaker", "talkid", "title", "description", "reviewer", "translator")
TAG = re.compile(rf"</?({'|'.join(TAGS)})\b[^>]*>")
TALK = re.compile(r"<talkid>\s*(\S+)\s*</talkid>")


@dataclass(frozen=True)
class IwsltTagsConfig(SplitsReaderConfig):
    """The settings of the form `iwslt_tags`; each path of `splits` has {language} in it."""

    IN_BRACES: ClassVar = ("{language}",)

    kind: Literal["iwslt_tags"] = needed(KIND)
    splits: dict[str, str] = needed(OF_SPLITS, some_splits)

    def files_of(self, split: str, languages: Languages) -> list[str]:
        """Return the paths of the two languages of a split."""
        return [self.splits[split].format(language=language) for language in languages]


def documents(config: IwsltTagsConfig, inputs: ReaderInputs) -> Iterator[Document]:
    """Yield the talks, named `<number>.<talkid>`.

    The first tag of a file is the tag that opens each talk; in the files of different years it is `<doc>`, `<url>` or
    `<title>`. Lines that begin with another tag of TAGS have facts about the talk, and may be anywhere in the talk.
    Reports the problems of `paired_documents`, and a sentence before the first talk.
    """
    for split in dict(config.in_order):
        sides = [_talks(inputs, file) for file in config.files_of(split, inputs.languages)]
        yield from paired_documents(split, "", sides, inputs.problems)


def _talks(inputs: ReaderInputs, file: str) -> Iterator[MonolingualDocument]:
    opening = None
    talk = None
    count = 0
    for number, line in enumerate(inputs.lines(file), 1):
        text = line.strip()
        tag = TAG.match(text)
        if tag is None:
            if talk is None:
                inputs.problems.report("text before the first talk", where=f"{inputs.display_name(file)}:{number}")
                continue
            talk.sentences.append(text)
            talk.lines.append(number)
            continue
        opening = opening or tag[1]
        if tag[1] == opening and not text.startswith("</"):
            if talk is not None:
                yield talk
            count += 1
            talk = MonolingualDocument(inputs.display_name(file), str(count), number)
        if talk_id := TALK.match(text):
            talk.name = f"{count}.{talk_id[1]}"
    if talk is not None:
        yield talk


def write(config: IwsltTagsConfig, stock: Stock) -> FixtureFiles:
    """Yield the file of each split and language of a fixture."""
    for split, path in config.in_order:
        talks = stock.draw_documents(config, split, path)
        for side, file in enumerate(config.files_of(split, stock.languages)):
            lines = (line for number, rows in enumerate(talks, 1) for line in _tagged_talk(number, rows, side))
            yield file, text_of(lines)


def _tagged_talk(number: int, rows: Rows, side: int) -> Iterator[str]:
    yield f"<url>http://www.ted.com/talks/{number}</url>"
    yield from talk_tags(number)
    yield from (row[side] for row in rows)
    yield from ("<reviewer></reviewer>", "<translator></translator>")
