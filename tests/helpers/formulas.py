"""Texts that a spreadsheet program would compute, and texts that only look so."""

CELLS = {
    "a link": ('=HYPERLINK("http://a", "b")', True),
    "a program (DDE)": ("=cmd|' /C calc'!A0", True),
    "a sum behind a plus": ("+1+1", True),
    "a difference behind a minus": ("-1-1", True),
    "numbers that would be subtracted": ("-0.5 -0.3", True),
    "a turn of a dialogue": ("- Yes.", True),
    "a function of old programs": ("@SUM(1,2)", True),
    "a formula behind a tab": ("\t=1+1", True),
    "a formula behind a carriage return": ("\r=1+1", True),
    "a formula behind blanks without width": ("\ufeff \u200b=1+1", True),
    "a formula in quotes, which TSV has as they are": ('"=1+1"', True),
    "full-width signs": ("＝１+１", True),
    "an infinite number": ("-inf", True),
    "a text that looks like a shielded one": ("'=1+1", True),
    "a text that looks like a shielded number": ("'-1", True),
    "a negative number": ("-1.5e-05", False),
    "a number with a plus": ("+3", False),
    "a text with a formula inside": ("1 = 1+0", False),
    "an apostrophe": ("'tis", False),
    "nothing": ("", False),
}
"""A text, and whether its cell gets a shield."""
