"""What only the parser says of files of settings, and no JSON Schema can, by its messages."""

import re

PARSER_ALONE: dict[str, tuple[str, ...]] = {
    "YAML itself: syntax, and constructs that settings do not use": (
        *("not valid YAML", "cannot be read", "file not found", "key given twice", "tags are not allowed"),
        *("nested too deeply", "too many values", "reads to the base of"),
    ),
    "JSON has texts alone for keys, and no other number for 1.0 than for 1": (
        r"wrong type\n  found (?:\d+|None|true|false|True|False) \([^\n]*\); expected a text",
        r"wrong type\n  found [-\d.e+]+ \(a number\); expected a whole number",
        r"(?:split|source|target|document|references\.\d): wrong type\n  found [-\d.e+]+ \(a number\); expected a text",
    ),
    "numbers that are not finite, that have more than 64 bits, or that Python prints with an exponent": (
        *("not a finite number", "the number is too large", r"found [\d.]+e\+\d+; expected a number as the paper"),
    ),
    "a name that another key or another file has": (
        *(f"unknown {what}\n" for what in ("corpus", "study", "scale", "text", "system", "sweep", "label", "column")),
        *("unknown corpus of the study", "unknown corpus of the system", "unknown system of the table"),
        *("unknown metric of the table", "unknown table or figure", "unknown cell of the finding", "unknown line"),
        *("unknown published metric", "unknown convention of scoring", "unknown paper"),
        *("is not named as its file", "is not that of its file", "a corpus of this name", "a study of this name"),
        *(
            "among the corpus' files",
            "names of counts that are stated",
            "some of train, dev, test",
            "details: value not allowed",
        ),
    ),
    "a name that is there already": (
        *("a name given twice", "a label given twice", "each file once", "books that are not in dev"),
        "splits without files",
    ),
    "a system that leads back to itself": ("the system extends or starts from itself", "too many systems extend"),
    "a setting of a model whose kind is inherited": (r"model\.\w+: unknown key",),
    "a system that cannot be what is asked of it": (
        *("has no model", "no model of", "not a system that", "not a system with", "no stage counts this"),
        *("no comparison in", "the same translations for several", "differs from that of", "shared embeddings need"),
        "CTranslate2 cannot translate as this system",
    ),
    "the values of a sweep, once they are in its settings": (
        r"length2000000000\.view\.\w+\.max_tokens: value not allowed",
    ),
    "texts with a grammar of their own: command lines, paths, sentences with cells": (
        *("the words of a command", "a path with {", "a brace that is not closed", "leads out of the corpus' files"),
        *("a file that ends in", "a path that ends in"),
    ),
    "settings that exclude or need each other": (
        *("exactly one of window, max_tokens", "one of blank: true", "one of above, below", "one of documents, sent"),
        *("a stop rule", "more than warmup_updates", "a divisor of", r"0 to \d+, the (?:number|beam)"),
        *("separate beside", "joint beside", "keep beside", "false beside", "none beside", "both where none"),
        *("1 where select_by", "false where", "none where", "joined where", "wrapped where", "another frame where"),
        *("none for a model that", "none for the aligner", "the folder of a model, for", "words beside the aligner"),
        *(
            "constant beside lr_",
            "init_from or pretrained beside",
            "no p beside",
            "p beside a cell",
            "no `system` beside it",
        ),
        *(r"found \w+; expected no [\w, ]+ beside it", "the name of a system", "a single metric beside"),
        *("`drop: above` or `first`", "false, or no point at", "points, or published ones", "corpus, system and base"),
        *("a system, or published values", "at least one in each document", "shortest ", "a file, or splits"),
        *("a column with file", "beside file, which", "another boundary", "the splits: ", "a number of first"),
        *("start or end with a marker", "no checksum of the", "files of train in splits", "true, but for TSV"),
        *("a name, but for TSV", "number of a column"),
    ),
}
"""Patterns of messages by the reason why a schema cannot say the same."""


def reason_of(message: str) -> str | None:
    """Return the pattern of `PARSER_ALONE` that a message has; none for a message of which a schema should say more."""
    patterns = (pattern for patterns in PARSER_ALONE.values() for pattern in patterns)
    return next((pattern for pattern in patterns if re.search(pattern, message)), None)
