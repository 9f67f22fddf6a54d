"""Noise of training that depends on where it is applied, not when: a document gets the same noise in any batch.

Each draw is a hash of a row key and a column. The row key of a token is computed, when a batch is framed, from the
seed, the update, the document, the side and the place of the token. A column is computed from a site and a number; the
site is the name of the module that draws. Therefore a draw does not depend on the other documents of the batch, the way
an update is split, the number of ranks, or torch's generator, and has the same bits on each device. Where rows have no
keys, as in a model outside of training, torch's generator draws random keys.

A model opens a scope with the keys of a stream (`key_scope`), and its modules find the keys of their rows in it. Where
a part of the model computes only some of the rows, `narrowed_key_scope` selects the keys of these rows.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from torch import nn

from docmt.base.ragged import places
from docmt.base.vocabulary import MASK, SPECIALS
from docmt.nn.segments import upload
from docmt.nn.shapes import AnyNumbers, AnyStates, Numbers, RowDraws, RowKeys, Tokens, Weights

CONSTANTS = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
"""The constants of the generator splitmix64 (Steele et al. 2014)."""
STEP, FIRST, SECOND = (np.uint64(constant) for constant in CONSTANTS)
SIGNED_STEP, SIGNED_FIRST, SIGNED_SECOND = (constant - (1 << 64) for constant in CONSTANTS)
"""The constants with the same bits as signed numbers, since tensors have no unsigned type of 64 bits."""
SIDES = {"source": np.uint64(1) << np.uint64(62), "target": np.uint64(1) << np.uint64(63)}
"""A bit for each side, so that source and target have different keys; numbers of tokens and columns are smaller."""
LANES = 4  # The number of 16-bit draws in a 64-bit hash
DRAWS = 1 << 16  # The number of different values of a 16-bit draw


def mix_bits(x: np.ndarray) -> np.ndarray:
    """Return the output of splitmix64 for each state in `x`."""
    x = (x ^ (x >> np.uint64(30))) * FIRST
    x = (x ^ (x >> np.uint64(27))) * SECOND
    return x ^ (x >> np.uint64(31))


def numbered_draws(seeds: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Return draw `numbers` (from 0) of splitmix64 generators with the states `seeds`; all arrays are uint64."""
    return mix_bits(seeds + STEP * (numbers + np.uint64(1)))


def document_keys(seed: int, documents: np.ndarray) -> np.ndarray:
    """Return a noise key for each document, computed from its number and from the `seed` of the update."""
    return numbered_draws(np.full(1, seed, dtype=np.uint64), documents.astype(np.uint64))


def token_keys(documents: np.ndarray, lengths: tuple[int, ...], side: str) -> RowKeys:
    """Return a noise key for each token of a stream; `side` is source or target.

    `documents` has the keys of the stream's documents, `lengths` their numbers of tokens.
    """
    token_numbers = places(np.asarray(lengths, dtype=np.int64)).astype(np.uint64) | SIDES[side]
    return torch.from_numpy(numbered_draws(np.repeat(documents, lengths), token_numbers).view(np.int64))


@lru_cache(maxsize=4096)
def columns(site: str, shape: tuple[int, ...], device: torch.device) -> AnyNumbers:
    """Return the columns of a site, an array of the given `shape`.

    The last axis numbers the columns; the axes before it, such as heads, have different columns for each index.
    """
    # sha256 instead of hash(), which differs from process to process.
    seed = int.from_bytes(hashlib.sha256(site.encode()).digest()[:8], "little")
    grid = np.indices(shape, dtype=np.uint64)
    # The index of an axis before the last is in the upper 32 bits, so that no two places of the grid share a number.
    numbers = grid[-1] + sum(axis << np.uint64(32) for axis in grid[:-1])
    return upload(numbered_draws(np.full(1, seed, dtype=np.uint64), numbers).view(np.int64), device)


def hash_in_place(x: AnyNumbers) -> AnyNumbers:
    """Hash sums of keys and columns, in place, and return the hashes."""
    # Keys and columns are hashes already, so two rounds suffice. The shifts copy the sign bit, so a number and its
    # complement have the same hash.
    shifted = x >> 32
    x.bitwise_xor_(shifted).mul_(SIGNED_FIRST)
    # In return a hash takes six operations, where splitmix64 takes eleven, and the time of dropout is the time of these
    # operations.
    torch.bitwise_right_shift(x, 29, out=shifted)
    return x.bitwise_xor_(shifted).mul_(SIGNED_SECOND)


def uniform(keys: RowKeys, site: str, count: int) -> RowDraws:
    """Return `count` draws between 0 and 1 for each key, in double precision."""
    # A double holds the upper 53 bits. Half a step is added, so that no draw is 0, whose `ndtri` is infinite.
    bits = (hash_in_place(keys[:, None] + columns(site, (count,), keys.device)) >> 11) & ((1 << 53) - 1)
    return (bits.double() + 0.5) * 2.0**-53


def normal(keys: RowKeys, site: str, count: int) -> RowDraws:
    """Return `count` draws of a standard normal distribution for each key."""
    return torch.special.ndtri(uniform(keys, site, count))


def grouped_columns(site: str, sites: tuple[int, ...], width: int, device: torch.device) -> AnyNumbers:
    """Return the columns by which `drop_values` draws for an axis of `width` values, with four draws for each column.

    `sites` are the lengths of the axes before it that have different columns, such as heads.
    """
    return columns(site, (*sites, -(-width // LANES)), device)


def drop_values(x: AnyStates, share: float, keys: AnyNumbers, groups: AnyNumbers) -> AnyStates:
    """Zero each value of `x` with probability `share` and scale the others up.

    `share` is rounded to a multiple of 2^-16. `groups` has the columns of the last axis of `x`, and of the axes that
    have different columns; `keys` has a key for each index of the axes before them.
    """
    # There are seven integer operations for four values, and four operations on each value: on one CPU thread all
    # dropouts of a Transformer take 6 % of a training pass at width 128 (2,500 tokens) and 5 % at width 512 (4,096
    # tokens).
    draws = hash_in_place(keys[(..., *[None] * groups.dim())] + groups)
    dropped = round(share * DRAWS)
    # The draws are signed 16-bit numbers, so the threshold is lowered by half of their range.
    is_selected = lanes(draws)[..., : x.shape[-1]] >= dropped - DRAWS // 2
    # The scale is applied last. 16-bit types cannot represent 1 / (1 - share) exactly, so a mask with this value would
    # scale all values by a slightly different factor.
    return (x * is_selected.to(x.dtype)).mul_(DRAWS / (DRAWS - dropped))


def lanes(draws: AnyNumbers) -> AnyNumbers:
    """Return the 16-bit draws in 64-bit hashes; the last axis becomes four times as long."""
    if torch.compiler.is_compiling():
        # The bits are the same as in the view below. A view would be a kernel of its own in compiled code, and would
        # cut the kernel around it in two.
        shifts = torch.arange(0, 64, 64 // LANES, device=draws.device)
        return (draws[..., None] >> shifts).to(torch.int16).flatten(-2)
    return draws.view(torch.int16)


class Noisy(nn.Module):
    """A module that draws noise; `site` is its name in the model, which `name_sites` sets."""

    site: str = ""
    is_named = False
    """True once `site` is set.

    Compiled code reads this flag instead of the name; it would be compiled again for each name (`docmt.nn.compiled`).
    """

    def name_site(self, site: str) -> None:
        """Set the module's name in the model, from which its columns follow."""
        self.site, self.is_named = site, True

    def keys(self, shape: torch.Size, device: torch.device) -> AnyNumbers:
        """Return the keys of the rows in the scope, which must have this shape; without keys, random keys of the shape.

        Raises ValueError where the keys of the scope have another shape, or where the module has no name.
        """
        keys = _KeyScope.keys
        if keys is None:
            return torch.randint(-(1 << 63), (1 << 63) - 1, shape, device=device)
        # A wrong number of rows would give tokens the noise of other tokens, which nothing else would report.
        if keys.shape != shape or not self.is_named:
            raise ValueError(f"keys of {tuple(keys.shape)} rows for {tuple(shape)} at the site {self.site!r}")
        return keys


def name_sites(model: nn.Module) -> None:
    """Give each module of the model that draws noise its name."""
    for name, module in model.named_modules():
        if isinstance(module, Noisy):
            module.name_site(name)


class _KeyScope:
    """The keys of the rows that modules compute at present, and whether these rows are a whole stream."""

    keys: RowKeys | None = None
    is_whole = True


@contextmanager
def key_scope(keys: RowKeys | None) -> Iterator[None]:
    """Let modules compute rows with the given keys, until the end of the block; None stands for rows without keys."""
    outer_keys, _KeyScope.keys = _KeyScope.keys, keys
    try:
        yield
    finally:
        _KeyScope.keys = outer_keys


@contextmanager
def narrowed_key_scope(index: Numbers, branches: Numbers | None = None) -> Iterator[None]:
    """Let modules compute the rows `index` of the scope, until the end of the block.

    Where `index` has a row several times, `branches` numbers its copies, so that they have different keys.
    """
    keys = None if _KeyScope.keys is None else _KeyScope.keys.index_select(0, index)
    outer_is_whole, _KeyScope.is_whole = _KeyScope.is_whole, False
    try:
        with key_scope(keys if keys is None or branches is None else branch_keys(keys, branches)):
            yield
    finally:
        _KeyScope.is_whole = outer_is_whole


def is_whole() -> bool:
    """Return whether modules compute all rows of a stream, and not a part, whose size is different in each batch."""
    return _KeyScope.is_whole


def branch_keys(keys: RowKeys, branches: Numbers | int) -> RowKeys:
    """Return other keys for the same rows: different from `keys`, and different for each number in `branches`."""
    return hash_in_place(keys + (branches + 1) * SIGNED_STEP)


@dataclass(frozen=True, eq=False)
class WeightDropout:
    """Dropout of attention weights; the draws depend on the query, the head and the place of the key in its run."""

    share: float
    site: str
    keys: RowKeys
    """The noise keys of the queries."""

    def drop(self, weights: Weights, keys: AnyNumbers) -> Weights:
        """Return the weights with dropout; `keys` are the queries' keys, shaped as the first axes of `weights`."""
        sites, width = weights.shape[keys.dim() : -1], weights.shape[-1]
        return drop_values(weights, self.share, keys, grouped_columns(self.site, sites, width, weights.device))


def drop_words(tokens: Tokens, share: float, keys: RowKeys) -> Tokens:
    """Replace each word by `<mask>` with probability `share`, independently; special symbols are not replaced.

    Paper: G-Transformer (Bao et al. 2021), appendix C.1.
    """
    if share == 0:
        return tokens
    draws = uniform(keys, "word dropout", 1)[:, 0]
    return tokens.masked_fill((draws < share) & (tokens >= len(SPECIALS)), MASK)
