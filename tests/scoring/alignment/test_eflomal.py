"""eflomal, which draws: what holds of every run."""

import sys
from random import Random

import pytest

from docmt.base.errors import UserError
from docmt.scoring.alignment.links import DirectedLinks
from docmt.scoring.alignment.programs import LONGEST, Eflomal


@pytest.fixture
def eflomal():
    pytest.importorskip("eflomal", reason="needs eflomal: pip install -c pins.txt -e '.[eflomal]'")
    return Eflomal


def dictionary_lines(seed: int, count: int) -> tuple[list[str], list[str]]:
    draw = Random(seed)
    source = [" ".join(draw.sample("abcdefghijklmno", 6)) for _ in range(count)]
    return source, [line.upper().translate(str.maketrans("ABCDEFGHIJKLMNO", "012345678ÄÖÜÉÈÊ")) for line in source]


def right(links_of_lines: list[DirectedLinks]) -> int:
    return sum((place, place) in links.forward & links.backward for links in links_of_lines for place in range(6))


def test_links_of_the_lines_alone_learnt_from_more(eflomal):
    """Both directions; the training text comes before the lines and stays out."""
    lines = dictionary_lines(1, 50)
    training = dictionary_lines(2, 300)
    alignment = eflomal(*training).align(*lines)
    assert len(alignment.lines) == 50
    assert right(alignment.lines) > 0.9 * 300
    assert alignment.signature == "eflomal,v:2.0.0,model:3,nondeterministic"


def test_what_is_too_long_is_counted_in_the_signature(eflomal):
    source, target = dictionary_lines(1, 200)
    long, short = ("a b " * (LONGEST // 2 + 1), "0 1"), ("a " * LONGEST, "0")
    alignment = eflomal().align([*source, long[0], short[0]], [*target, long[1], short[1]])
    assert not alignment.lines[-2].forward
    assert alignment.lines[-1].forward
    assert alignment.signature.endswith(",nondeterministic,overlong:1")


def test_it_is_said_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "eflomal", None)
    with pytest.raises(
        UserError, match=r"eflomal is not installed\n  in docmt's clone: pip install .* -e '\.\[eflomal\]'"
    ):
        Eflomal().align(["a"], ["b"])
