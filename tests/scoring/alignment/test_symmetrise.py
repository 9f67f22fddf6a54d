"""Heuristics against the published pseudo-code, cell by cell of the grid."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from docmt.scoring.alignment.links import HEURISTICS, DirectedLinks

SIZE = 6
NEIGHBOURS = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]
GRID = [(i, j) for j, i in product(range(SIZE), repeat=2)]
"""(source, target), target word by target word."""

some = st.frozensets(st.tuples(*[st.integers(0, SIZE - 1)] * 2), max_size=12)
single_links = st.lists(st.integers(0, SIZE - 1) | st.none(), min_size=SIZE, max_size=SIZE)
directions = st.builds(
    lambda sources, targets: DirectedLinks(
        frozenset((i, j) for j, i in enumerate(sources) if i is not None),
        frozenset((i, j) for i, j in enumerate(targets) if j is not None),
    ),
    single_links,
    single_links,
)


def free(links: set, link: tuple[int, int]) -> tuple[bool, bool]:
    """Whether the source word has no link, and whether the target word has none."""
    return all(i != link[0] for i, _ in links), all(j != link[1] for _, j in links)


def grow_diag(aligned: DirectedLinks) -> set:
    """GROW-DIAG of Koehn et al. (2005)."""
    links = set(aligned.forward & aligned.backward)
    while True:
        before = len(links)
        for i, j in GRID:
            if (i, j) in links:
                for target_step, step in NEIGHBOURS:
                    near = (i + step, j + target_step)
                    if any(free(links, near)) and near in aligned.forward | aligned.backward:
                        links.add(near)
        if len(links) == before:
            return links


def final(aligned: DirectedLinks, rule) -> set:
    """FINAL (rule: any) and FINAL-AND (rule: all)."""
    links = grow_diag(aligned)
    for direction in (aligned.forward, aligned.backward):
        for link in GRID:
            if link in direction and rule(free(links, link)):
                links.add(link)
    return links


@given(directions | st.builds(DirectedLinks, some, some))
def test_growing_is_that_of_the_pseudo_code(aligned):
    assert HEURISTICS["grow-diag"](aligned) == grow_diag(aligned)
    assert HEURISTICS["grow-diag-final"](aligned) == final(aligned, any)
    assert HEURISTICS["grow-diag-final-and"](aligned) == final(aligned, all)
