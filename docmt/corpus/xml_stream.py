"""XML as a stream of tags and texts, in flat memory."""

from collections.abc import Iterator
from typing import Any

from docmt.base.errors import UserError
from docmt.corpus.inputs import ReaderInputs

CHUNK = 1 << 18  # The number of bytes that are parsed at once.
TEXT = ""  # The tag of an event that is text.
Event = tuple[str, Any, int]
"""A start tag with its attributes, as `("seg", {"id": "1"}, 7)`; an end tag, as `("/seg", None, 7)`; or text, as
`(TEXT, "Good", 7)`, of which an element may have several. The number is that of the line."""


def xml_events(inputs: ReaderInputs, path: str) -> Iterator[Event]:
    """Yield the tags and texts of a file in order. Raises UserError for a file that is missing or is no XML."""
    # Imported late, since planning reads the settings of forms, and no XML.
    from xml.parsers import expat

    parser, events = expat.ParserCreate(), []
    parser.buffer_text = True
    add = events.append
    parser.StartElementHandler = lambda tag, attributes: add((tag, attributes, parser.CurrentLineNumber))
    parser.EndElementHandler = lambda tag: add((f"/{tag}", None, parser.CurrentLineNumber))
    parser.CharacterDataHandler = lambda text: add((TEXT, text, parser.CurrentLineNumber))
    # An entity of a DTD that is elsewhere: its name is better than nothing.
    parser.SkippedEntityHandler = lambda name, is_parameter: is_parameter or add((TEXT, f"&{name};", 0))
    with inputs.opened(path) as stream:
        while True:
            chunk = stream.read(CHUNK)
            try:
                parser.Parse(chunk, not chunk)
            except expat.ExpatError as problem:
                where = f"{inputs.display_name(path)}:{problem.lineno}"
                raise UserError("not an XML file", where=where, found=expat.ErrorString(problem.code)) from None
            yield from events
            events.clear()
            if not chunk:
                return


def on_one_line(parts: list[str]) -> str:
    """Return the text of an element, which may span several lines of the file, without outer white space."""
    return "".join(parts).replace("\n", " ").strip()
