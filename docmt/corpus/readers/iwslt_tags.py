"""`iwslt_tags`: the training files of IWSLT, sentences among tags; a document is a talk."""

import re
from collections.abc import Iterator

from docmt.catalogue.readers import IwsltTagsConfig, in_order
from docmt.corpus.inputs import Document, Inputs, Reading, place
from docmt.corpus.readers.documents import OneSided, paired

TAGS = ("doc", "url", "keywords", "speaker", "talkid", "title", "description", "reviewer", "translator")
TAG = re.compile(rf"</?({'|'.join(TAGS)})\b[^>]*>")
TALK = re.compile(r"<talkid>\s*(\S+)\s*</talkid>")


def read_iwslt_tags(config: IwsltTagsConfig, inputs: Inputs) -> Reading:
    """A document is named `<number>.<talkid>`.

    The years' files differ in what opens a talk, `<doc>`, `<url>` or `<title>`: it is what the file begins with. Lines
    that begin with another tag say something about the talk, wherever in it they stand.
    Reports what `paired` finds, and a sentence before the first talk.
    """
    return Reading(_documents(config, inputs))


def _documents(config: IwsltTagsConfig, inputs: Inputs) -> Iterator[Document]:
    for split, path in in_order(config.splits):
        files = [path.format(language=language) for language in (inputs.source_language, inputs.target_language)]
        shown = [place(config.archive, file) for file in files]
        sides = [_talks(inputs, config.archive, file) for file in files]
        yield from paired(split, "", sides, shown, inputs.problems)


def _talks(inputs: Inputs, archive: str | None, file: str) -> Iterator[OneSided]:
    opening = None
    talk = None
    count = 0
    for number, line in enumerate(inputs.lines(archive, file), 1):
        text = line.strip()
        tag = TAG.match(text)
        if tag is None:
            if talk is None:
                inputs.problems.report("text before the first talk", where=f"{place(archive, file)}:{number}")
                continue
            talk.sentences.append(text)
            talk.lines.append(number)
            continue
        opening = opening or tag[1]
        if tag[1] == opening and not text.startswith("</"):
            if talk is not None:
                yield talk
            count += 1
            talk = OneSided(str(count), number)
        if found := TALK.match(text):
            talk.name = f"{count}.{found[1]}"
    if talk is not None:
        yield talk
