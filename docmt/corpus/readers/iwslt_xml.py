"""`iwslt_xml`: the dev and test sets of IWSLT; a document is a talk."""

import xml.sax
from collections.abc import Iterator

from docmt.base.errors import UserError
from docmt.catalogue.readers import IwsltXmlConfig, in_order
from docmt.corpus.inputs import Document, Inputs, Reading, place
from docmt.corpus.readers.documents import MarkedUp, OneSided, paired


def read_iwslt_xml(config: IwsltXmlConfig, inputs: Inputs) -> Reading:
    """A split is the concatenation of its sets; a document is named `<set>.<docid>`.

    Reports what `MarkedUp` and `paired` find. Raises UserError for a file that is missing or no XML.
    """
    return Reading(_documents(config, inputs))


def _documents(config: IwsltXmlConfig, inputs: Inputs) -> Iterator[Document]:
    for split, sets in in_order(config.splits):
        for set_ in sets:
            languages = inputs.source_language, inputs.target_language
            files = [config.files.format(set=set_, language=language) for language in languages]
            shown = [place(config.archive, file) for file in files]
            sides = [
                _talks(inputs.text(config.archive, file), name, inputs) for file, name in zip(files, shown, strict=True)
            ]
            yield from paired(split, f"{set_}.", sides, shown, inputs.problems)


class _Handler(xml.sax.ContentHandler):
    """Passes on what `MarkedUp` looks at, with the lines where it stands."""

    def __init__(self, found: MarkedUp) -> None:
        super().__init__()
        self._found = found
        self._locator = None

    def setDocumentLocator(self, locator: xml.sax.xmlreader.Locator) -> None:  # noqa: N802 (the library's name)
        self._locator = locator

    def startElement(self, name: str, attrs: xml.sax.xmlreader.AttributesImpl) -> None:  # noqa: N802
        self._found.start(name, dict(attrs), self._locator.getLineNumber())

    def endElement(self, name: str) -> None:  # noqa: N802
        self._found.end(name, self._locator.getLineNumber())

    def characters(self, content: str) -> None:
        self._found.text(content)


def _talks(text: str, shown: str, inputs: Inputs) -> list[OneSided]:
    found = MarkedUp(shown, inputs.problems)
    try:
        xml.sax.parseString(text, _Handler(found))
    except xml.sax.SAXParseException as problem:
        where = f"{shown}:{problem.getLineNumber()}"
        raise UserError("not an XML file", where=where, found=problem.getMessage()) from None
    return found.finish()
