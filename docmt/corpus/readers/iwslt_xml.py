"""`iwslt_xml`: the dev and test sets of IWSLT; a document is a talk."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator

from docmt.core.catalogue import IwsltXmlConfig
from docmt.core.errors import UserError
from docmt.corpus.inputs import Document, Inputs, Reading, place, read_lines

Talks = dict[str, list[str]]
"""Sentences by the talk's `docid`."""


def read_iwslt_xml(config: IwsltXmlConfig, inputs: Inputs) -> Reading:
    """A split is the concatenation of its sets; a document is named `<set>.<docid>`.

    Raises UserError for a file that is missing or no XML, for segments out of order, and where the two languages
    differ in talks or in the number of segments of one.
    """
    return Reading(_documents(config, inputs))


def _documents(config: IwsltXmlConfig, inputs: Inputs) -> Iterator[Document]:
    for split, sets in (("dev", config.dev), ("test", config.test)):
        for set_ in sets:
            source = _talks(config, inputs, set_, inputs.source_language)
            target = _talks(config, inputs, set_, inputs.target_language)
            where = f"{config.archive} {set_}"
            if list(source) != list(target):
                found, expected = ", ".join(source), ", ".join(target)
                raise UserError("the two languages hold other talks", where=where, found=found, expected=expected)
            for talk, sentences in source.items():
                yield Document(split, f"{set_}.{talk}", sentences, target[talk], f"{where} talk {talk}")


def _talks(config: IwsltXmlConfig, inputs: Inputs, set_: str, language: str) -> Talks:
    name = config.files.format(set=set_, language=language)
    shown = place(config.archive, name)
    text = "\n".join(read_lines(inputs.folder(config.archive) / name, shown))
    try:
        root = ElementTree.fromstring(text.encode("utf-8"))
    except ElementTree.ParseError as problem:
        where = f"{shown}:{problem.position[0]}"
        raise UserError("not an XML file", where=where, found=str(problem).partition(":")[0]) from None
    talks: Talks = {}
    for talk in root.iter("doc"):
        key = talk.get("docid", "?")
        if key in talks:
            raise UserError("talk given twice", where=shown, found=f"docid {key}")
        talks[key] = _segments(talk, f"{shown} talk {key}")
    return talks


def _segments(talk: ElementTree.Element, where: str) -> list[str]:
    segments = list(talk.iter("seg"))
    for number, segment in enumerate(segments, 1):
        if segment.get("id") != str(number):
            found = f"seg id {segment.get('id')}"
            raise UserError("segments are not numbered 1, 2, 3 ...", where=where, found=found, expected=number)
    return [" ".join("".join(segment.itertext()).split("\n")).strip() for segment in segments]
