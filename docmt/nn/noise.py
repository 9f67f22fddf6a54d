"""Noise of training by where it falls, not by when it is drawn: the same for a document in any batch, on any device.

Every draw is a hash of a row key and a column. A row key is made of (seed and update, document, side, place of the
token) when a batch is framed, a column of (site, number), the site being the name of the module that draws. So nothing
depends on batch mates, on how an update is split, on the number of ranks, or on torch's generator; and the bits are the
same wherever they are computed. Where rows have no keys, as in a model by itself, torch's generator makes some up.

Modules find the keys of the rows that they work on in a scope, `rows`, which the model opens for a stream and narrows
where a part works on other rows.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from torch import nn

from docmt.base.runs import places
from docmt.base.vocabulary import MASK, SPECIALS
from docmt.nn.shapes import AnyNumbers, AnyStates, Numbers, RowDraws, RowKeys, Tokens, Weights

CONSTANTS = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
"""Of splitmix64 (Steele et al. 2014)."""
STEP, FIRST, SECOND = (np.uint64(constant) for constant in CONSTANTS)
SIGNED_STEP, SIGNED_FIRST, SIGNED_SECOND = (constant - (1 << 64) for constant in CONSTANTS)
"""The same bits for tensors, which have no such unsigned numbers."""
SIDES = {"source": np.uint64(1) << np.uint64(62), "target": np.uint64(1) << np.uint64(63)}
"""Told apart by bits that no number of a token or column reaches."""
LANES = 4
"""Draws of 16 bits that share one of 64."""
DRAWS = 1 << 16


def mix_bits(x: np.ndarray) -> np.ndarray:
    """The output function of splitmix64."""
    x = (x ^ (x >> np.uint64(30))) * FIRST
    x = (x ^ (x >> np.uint64(27))) * SECOND
    return x ^ (x >> np.uint64(31))


def numbered_draws(start: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The draw with such a number of the generator that starts so; both of type uint64."""
    return mix_bits(start + STEP * (numbers + np.uint64(1)))


def document_keys(seed: int, documents: np.ndarray) -> np.ndarray:
    """A key for each document, by its number; `seed` tells updates apart."""
    return numbered_draws(np.full(1, seed, dtype=np.uint64), documents.astype(np.uint64))


def token_keys(documents: np.ndarray, lengths: tuple[int, ...], side: str) -> RowKeys:
    """A key for each token of a stream, by the keys and the lengths of its documents; `side`: source or target."""
    numbers = places(np.asarray(lengths, dtype=np.int64)).astype(np.uint64) | SIDES[side]
    return torch.from_numpy(numbered_draws(np.repeat(documents, lengths), numbers).view(np.int64))


@lru_cache(maxsize=4096)
def columns(site: str, shape: tuple[int, ...], device: torch.device) -> AnyNumbers:
    """The columns of a site, numbered along the last axis; along an axis before it, such as heads, are others again."""
    start = int.from_bytes(hashlib.sha256(site.encode()).digest()[:8], "little")
    grid = np.indices(shape, dtype=np.uint64)
    numbers = grid[-1] + sum(axis << np.uint64(32) for axis in grid[:-1])
    return torch.from_numpy(numbered_draws(np.full(1, start, dtype=np.uint64), numbers).view(np.int64)).to(device)


def hash_in_place(x: AnyNumbers) -> AnyNumbers:
    """Hash sums of keys and columns, in place.

    Keys and columns are hashes themselves, so that two rounds do. The shifts copy the sign, which makes a number and
    its complement one; that is six operations where splitmix64 has eleven, and it is dropout that waits for them.
    """
    other = x >> 32
    x.bitwise_xor_(other).mul_(SIGNED_FIRST)
    torch.bitwise_right_shift(x, 29, out=other)
    return x.bitwise_xor_(other).mul_(SIGNED_SECOND)


def uniform(keys: RowKeys, site: str, count: int) -> RowDraws:
    """`count` draws between 0 and 1, both excluded, for each key; in double precision."""
    bits = (hash_in_place(keys[:, None] + columns(site, (count,), keys.device)) >> 11) & ((1 << 53) - 1)
    return (bits.double() + 0.5) * 2.0**-53


def normal(keys: RowKeys, site: str, count: int) -> RowDraws:
    """`count` draws of a standard normal distribution for each key."""
    return torch.special.ndtri(uniform(keys, site, count))


def grouped_columns(site: str, sites: tuple[int, ...], width: int, device: torch.device) -> AnyNumbers:
    """The columns by which `drop_values` draws for so many values; `sites`: axes with sites of their own."""
    return columns(site, (*sites, -(-width // LANES)), device)


def drop_values(x: AnyStates, share: float, keys: AnyNumbers, groups: AnyNumbers) -> AnyStates:
    """Zero each value with probability `share`, and scale the others up; `share` is rounded to a multiple of 2^-16.

    The last axis of `x` has the columns, `groups` of them (`grouped_columns`); `keys` has the axes before, but for
    those with sites of their own. It takes seven operations on integers for four values, and four on each: on one CPU
    thread all dropouts of a Transformer are 6 % of a training pass at width 128 (2,500 tokens) and 5 % at 512 (4,096
    tokens).
    """
    draws = hash_in_place(keys[(..., *[None] * groups.dim())] + groups)
    dropped = round(share * DRAWS)
    kept = lanes(draws)[..., : x.shape[-1]] >= dropped - DRAWS // 2
    # Scaled last, since 16-bit types have no 1 / (1 - share): a mask of that would shrink all values alike.
    return (x * kept.to(x.dtype)).mul_(DRAWS / (DRAWS - dropped))


def lanes(draws: AnyNumbers) -> AnyNumbers:
    """The draws of 16 bits in those of 64, along the last axis."""
    if torch.compiler.is_compiling():
        # The same bits. A view as another type would be a kernel of its own, and cut the one around it in two.
        shifts = torch.arange(0, 64, 64 // LANES, device=draws.device)
        return (draws[..., None] >> shifts).to(torch.int16).flatten(-2)
    return draws.view(torch.int16)


class Noisy(nn.Module):
    """A module that draws; `site` is its name in the model, by `name_sites`."""

    site: str = ""
    is_named = False
    """Of its own, since what looks at a name is compiled for each name again (`docmt.nn.compiled`)."""

    def name_site(self, site: str) -> None:
        self.site, self.is_named = site, True

    def keys(self, rows: torch.Size, device: torch.device) -> AnyNumbers:
        """The keys of the rows at hand. Raises ValueError where these are of others, or the module has no name."""
        keys = _Scope.keys
        if keys is None:
            return torch.randint(-(1 << 63), (1 << 63) - 1, rows, device=device)
        if keys.shape != rows or not self.is_named:
            raise ValueError(f"keys of {tuple(keys.shape)} rows for {tuple(rows)} at the site {self.site!r}")
        return keys


def name_sites(model: nn.Module) -> None:
    """Tell each module that draws what it is called."""
    for name, module in model.named_modules():
        if isinstance(module, Noisy):
            module.name_site(name)


class _Scope:
    keys: RowKeys | None = None
    is_whole = True


@contextmanager
def key_scope(keys: RowKeys | None) -> Iterator[None]:
    """Within, modules work on the rows of these keys; none = on rows without keys."""
    before, _Scope.keys = _Scope.keys, keys
    try:
        yield
    finally:
        _Scope.keys = before


@contextmanager
def narrowed_key_scope(index: Numbers, branches: Numbers | None = None) -> Iterator[None]:
    """Within, modules work on the rows of `index`; `branches` tells apart those that are of one row."""
    keys = None if _Scope.keys is None else _Scope.keys.index_select(0, index)
    before, _Scope.is_whole = _Scope.is_whole, False
    try:
        with key_scope(keys if keys is None or branches is None else branch_keys(keys, branches)):
            yield
    finally:
        _Scope.is_whole = before


def is_whole() -> bool:
    """Whether modules work on all rows of a stream: not on some of them, whose number changes with every batch."""
    return _Scope.is_whole


def branch_keys(keys: RowKeys, branches: Numbers | int) -> RowKeys:
    """Other keys of the same rows."""
    return hash_in_place(keys + (branches + 1) * SIGNED_STEP)


@dataclass(frozen=True, eq=False)
class WeightDropout:
    """Dropout of attention weights, by the query, the head, and the key's place in its run."""

    share: float
    site: str
    keys: RowKeys
    """Of the queries."""

    def drop(self, weights: Weights, keys: AnyNumbers) -> Weights:
        """`keys`: those of the queries, as they stand in `weights`."""
        sites, width = weights.shape[keys.dim() : -1], weights.shape[-1]
        return drop_values(weights, self.share, keys, grouped_columns(self.site, sites, width, weights.device))


def drop_words(tokens: Tokens, share: float, keys: RowKeys) -> Tokens:
    """Replace each word by `<mask>` with probability `share`, independently; special symbols stay.

    Paper: G-Transformer (Bao et al. 2021), appendix C.1.
    """
    if share == 0:
        return tokens
    draws = uniform(keys, "word dropout", 1)[:, 0]
    return tokens.masked_fill((draws < share) & (tokens >= len(SPECIALS)), MASK)
