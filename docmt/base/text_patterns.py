"""Patterns of lines that several stages look for: text as Moses writes it, and lines without a visible character."""

import regex

ESCAPES = r"&(?:apos|quot|amp|lt|gt|bar|#124|#91|#93);|(?<!\S)@-@(?!\S)"
SPACED_MARKS = r"\s\.\s*$|\s,(?=\s)"
SHARE_OF_ESCAPES, SHARE_OF_SPACED_MARKS = 0.02, 0.05
"""The smallest shares of the lines of a text that say that all of it is escaped or tokenised."""
NOTHING_VISIBLE = regex.compile(r"[\p{Cc}\p{Z}\p{DI}\u2800]*")
"""White space, controls, invisible characters such as U+200B and U+FEFF, and the empty pattern of Braille."""
LONG_CHARACTERS = 1000
"""The number of characters above which a line is hardly a sentence; most longer ones are whole paragraphs."""
