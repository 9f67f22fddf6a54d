"""Moses' normalisation of punctuation: cases by hand, and sacremoses as an oracle where it follows Moses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacremoses import MosesPunctNormalizer

from docmt.text.moses import Normaliser

NO_BREAK = "\u00a0"


@pytest.mark.parametrize(
    ("language", "line", "normalised"),
    [
        ("en", "plain text, 'as' \"it\" is: (so) 5%", "plain text, 'as' \"it\" is: (so) 5%"),
        ("en", "“Hi” ‘there’ – it’s… a—b", '"Hi" \'there" - it\'s... a - b'),
        ("en", "a( b )c ) . 5 % :  x ;\r", "a (b) c). 5%: x;"),
        ("en", "``so'' ''", ' " so " " '),
        ("en", 'He said "no". And "yes",', 'He said "no." And "yes,"'),
        ("de", 'Er sagte "nein." Und "ja," x', 'Er sagte "nein". Und "ja", x'),
        ("de", 'Das "Ende."', 'Das "Ende".'),
        ("cs", 'Das "Ende." "x".', 'Das "Ende." "x".'),
        ("fr", f"«{NO_BREAK}Oui{NO_BREAK}»{NO_BREAK}: 5{NO_BREAK}%, 3{NO_BREAK}000 !", '"Oui" : 5%, 3,000 !'),
        ("en", f"3{NO_BREAK}000{NO_BREAK}?", "3.000?"),
        ("en", "  two  spaces  ", " two spaces "),
    ],
)
def test_punctuation_is_as_moses_leaves_it(language, line, normalised):
    assert Normaliser(language).normalise(line) == normalised


PARTS = st.sampled_from([*"ab5.,,:;!?%()\"''`´„“”–—‘’‚…«» \r", NO_BREAK, "  ", "''", "º", "nº", "ºC", "cm", '."', '",'])
NORMALISERS = {name: (Normaliser(name), MosesPunctNormalizer(name, perl_parity=True)) for name in ("en", "de", "fr")}


@pytest.mark.parametrize("language", NORMALISERS)
@given(parts=st.lists(PARTS, max_size=14))
def test_lines_are_those_of_sacremoses_but_for_their_ends(language, parts):
    """sacremoses strips its lines, and leaves a full stop before a last quote."""
    ours, theirs = NORMALISERS[language]
    line = "x" + "".join(parts) + "x"
    assert ours.normalise(line) == theirs.normalize(line)
