"""Lexical consistency of translations: LTCR and HHI, or the reason why a text has no such scores."""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docmt.api.alignment import parallel_sentences
from docmt.api.documents import Text, document_sentences, parallel
from docmt.api.frames import frame_of
from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.base.scores import Score
from docmt.scoring.alignment.links import DirectedLinks, Link, check_places
from docmt.scoring.chain_scores import AlignedTranslations, StopFiles, StopList
from docmt.scoring.consistency import TranslatedChain, consistency_tallies
from docmt.scoring.inputs import collapse_runs
from docmt.scoring.intervals import scores_of
from docmt.scoring.occurrences import find_chains, signature, translated_chains
from docmt.scoring.plain_chains import STOP_WORDS, ChainFiles, chain_links
from docmt.settings.scoring import ConsistencyConfig
from docmt.text.signs import Lines, text_warnings

if TYPE_CHECKING:
    import polars as pl

NAME = "hypotheses"


def score_consistency(
    source: Text,
    hypotheses: Text,
    *,
    links: Sequence[Sequence[Link]] | None = None,
    training: tuple[Text, Text] | None = None,
    source_stop_list: str | Path | None = None,
    target_stop_list: str | Path | None = None,
    rules: Mapping[str, Any] | None = None,
) -> "pl.DataFrame":
    """Measure how consistently a system translates the words that a source document repeats: LTCR and HHI.

    The result is a polars frame with a row for each of the two, as `docmt.score` returns; both are from 0 to 100.
    Facts are the numbers of lexical `chains`, of `pairs` of translations, of `occurrences`, and of occurrences without
    a translation (`unaligned`). Where no two translations of a word can be compared, the values are null, and a warning
    says why.

    Texts are tokenised: words are separated by spaces. `links` are the links of each sentence pair (see `docmt.align`).
    Without `links`, the aligner of docmt learns from the texts and from the parallel text `training`. Stop words are
    the most frequent words of `training` or, without it, of the texts; `source_stop_list` and `target_stop_list`, files
    with one stop word per line, replace them. `rules` are settings of `scoring.consistency` in config.yaml, such as
    `{"match": "subset"}`. Warns of text that has no words between spaces, such as pieces. Raises UserError where texts
    do not correspond or a rule is unknown.

    Paper: Lyu et al. (2021; 2022, section 4.1 and eq. 25, 26).

    >>> import docmt
    >>> source, target = [["die Katze", "Katze da"]], [["the cat", "kitty there"]]
    >>> score = docmt.score_consistency(
    ...     source, target, links=[[(0, 0), (1, 1)], [(0, 0), (1, 1)]], rules={"source_stop_words": 0}
    ... )
    >>> score["metric"].to_list(), score["value"].to_list(), score["chains"].to_list()
    (['LTCR', 'HHI'], [0.0, 50.0], [1, 1])
    """
    lines, documents = document_sentences(source, "source")
    config = parse(ConsistencyConfig, dict(rules or {}), "rules").of_corpus(("source", "target"), STOP_WORDS)
    translations = tuple(parallel(hypotheses, NAME, lines, documents, "source"))
    for text in consistency_warnings(lines, {NAME: translations}, config):
        warnings.warn(text, stacklevel=2)
    more = parallel_sentences(*training, ("training[0]", "training[1]")) if training else ((), ())
    system = Path(NAME)
    files = ChainFiles(documents, lines, {system: translations}, (True,) * len(lines), more)
    if links is None:
        aligned, aligner = chain_links(files, (), None)
    else:
        check_links(links, lines, translations)
        aligned, aligner = {system: [DirectedLinks.symmetric(frozenset(pair)) for pair in links]}, "given"
    stop_files = StopFiles(*(None if path is None else Path(path) for path in (source_stop_list, target_stop_list)))
    scores, reason = consistency_scores(files, aligned, aligner, stop_files, config)[system]
    if reason:
        warnings.warn(reason, stacklevel=2)
    return frame_of(scores)


def consistency_warnings(source: Lines, systems: Mapping[str, Lines], config: ConsistencyConfig) -> list[str]:
    """Return warnings of a source, and of translations by name, that are not tokens between spaces.

    The source may be pieces where chains are found by pieces.
    """
    tokens = {"words", "tokens", "spaced"}
    of_source = tokens - {"words"} if config.chains == "pieces" else tokens
    return text_warnings({"source": source}, {}, of_source) + text_warnings(systems, {}, tokens)


def check_links(links: Sequence[Sequence[Link]], source: Sequence[str], target: Sequence[str]) -> None:
    """Raise UserError where the number of sentence pairs differs, or a link is to a word that does not exist."""
    if len(links) != len(source):
        expected = f"{len(source)}, as in source"
        raise UserError("a different number of sentences", where="links", found=len(links), expected=expected)
    for number, (pairs, *sentences) in enumerate(zip(links, source, target, strict=True)):
        check_places(pairs, *sentences, f"links[{number}]")


def consistency_scores(
    files: ChainFiles,
    links: dict[Path, Sequence[DirectedLinks]],
    aligner: str,
    stop_files: StopFiles,
    config: ConsistencyConfig,
) -> dict[Path, tuple[list[Score], str]]:
    """Return LTCR and HHI of each system of `files`, and the reason where no two translations can be compared.

    `aligner` is the name of the links' aligner in signatures.
    """
    scores = {}
    for path, lines in files.systems.items():
        lists = files.stop_lists(path, config, stop_files)
        texts = AlignedTranslations(files.documents, files.source, lines, links[path])
        chains = translated_chains(texts, lists, config)
        of = signature(config, lists, aligner)
        tallies = consistency_tallies(chains, collapse_runs(files.documents), config, of)
        reason = "" if tallies[0].n else why_nothing(files, chains, lists.source, config)
        scores[path] = scores_of(tallies), reason
    return scores


def why_nothing(
    files: ChainFiles, chains: Sequence[TranslatedChain], stop_words: StopList, config: ConsistencyConfig
) -> str:
    """Return why no two translations of a word can be compared; `stop_words` are the words that make no chain."""
    if chains:
        occurrences = sum(len(chain.translations) for chain in chains)
        return f"{len(chains)} lexical chains with {occurrences} occurrences, but none has two aligned translations"
    repeated = find_chains(files.documents, files.source, frozenset(), config)
    if repeated:
        return (
            f"all {len(repeated)} repeated words of the source documents are stop words (list {stop_words.name}, "
            f"{len(stop_words.words)} words): count stop words in larger text (--train-source, --train-target), "
            "give a list (--source-stop-list), or allow fewer (--rule source_stop_words=0)"
        )
    words = sum(len(line.split()) for line in files.source)
    return f"no document of the source repeats a word; the source has {words} words, separated by spaces"
