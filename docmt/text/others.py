"""Lines that another program wrote, as tokens that are cut like those of references, and as plain text."""

import re

from docmt.settings.data import TextConfig
from docmt.text.pretrained import PretrainedSide
from docmt.text.sentencepieces import RawText
from docmt.text.side import Side
from docmt.text.tokenizers import tokenizer_for
from docmt.text.truecase import capitalised

ESCAPES = {"apos": "'", "quot": '"', "lt": "<", "gt": ">", "bar": "|", "#124": "|", "#91": "[", "#93": "]", "amp": "&"}
"""The escapes that Moses' tokeniser writes, without their first and last characters."""
ESCAPED = re.compile(f"&({'|'.join(ESCAPES)});")


def restore_line(
    side: Side | PretrainedSide, language: str, line: str, is_tokenised: bool, is_truecased: bool = False
) -> tuple[str, str]:
    """Return the tokens of a line in the case of the side, joined by spaces, and the plain text of the line.

    `is_tokenised`: whether the line has tokens between spaces. `is_truecased`: whether sentences may begin with small
    letters; these become capital, as in the translations of our own truecased systems. `language` is the language of
    the line.
    """
    if not is_tokenised:
        line = _capitalised_text(language, line) if is_truecased else line
        return " ".join(side.tokens(line)), line
    # Tokens stay as they are but for their case and the escapes of Moses, such as `&apos;`, and the side's detokeniser
    # joins them.
    words = ESCAPED.sub(lambda match: ESCAPES[match[1]], line).split()
    words = capitalised(words) if is_truecased else words
    if isinstance(side, Side) and not isinstance(side.tokenizer, RawText):
        return " ".join(side.casing.apply(words)), side.tokenizer.detokenize(words)
    # Pretrained pieces and raw text have no such tokens, so such a side cuts the joined text again.
    text = tokenizer_for(language, TextConfig()).detokenize(words)
    return " ".join(side.tokens(text)), text


def _capitalised_text(language: str, line: str) -> str:
    tokens, place = tokenizer_for(language, TextConfig()).tokenize(line), 0
    for token, capital in zip(tokens, capitalised(tokens), strict=True):
        start = line.find(token, place)
        if start >= 0:
            line, place = line[:start] + capital + line[start + len(token) :], start + len(capital)
    return line
