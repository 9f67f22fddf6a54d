"""Checks that corpora fit the systems that are trained on them."""

from collections.abc import Iterable, Mapping

from docmt.base.errors import UserError
from docmt.base.names import SPLITS
from docmt.base.yaml_files import Lines
from docmt.catalogue.corpus import CorpusConfig
from docmt.catalogue.held_out import TRAIN
from docmt.settings.data import TextConfig
from docmt.settings.system import Entry

Corpora = Mapping[str, CorpusConfig]
"""All corpora by their names."""


def check_splits(names: Iterable[str], corpora: Corpora, corpus_files: Mapping[str, str], lines: Lines) -> None:
    """Raise UserError where a corpus of a study has no files for one of the splits, before anything is computed.

    `names`: the corpora of the study whose lines are `lines`. `corpus_files`: the path of each corpus' file.
    """
    for number, name in enumerate(names):
        missing = [split for split in SPLITS if split not in corpora[name].splits]
        if missing:
            held = ", ".join(f"{split}: {{first: 20}}" for split in missing)
            hold = f", or hold documents of train out: `held_out: {{{held}}}` in its reader"
            raise UserError(
                f"the corpus has no {' and no '.join(missing)}, without which no system is trained and scored",
                where=lines.place(("corpora", number)),
                found=f"{name}, with {', '.join(corpora[name].splits) or 'contrastive sets alone'}",
                expected=", ".join(SPLITS),
                remedy=f"add files for it to {corpus_files[name]}{'' if TRAIN in missing else hold}",
            )


def check_languages(entries: Iterable[Entry], texts: Mapping[str, TextConfig], corpora: Corpora, lines: Lines) -> None:
    """Raise UserError where an entry's preset of text is learnt on a corpus of other languages than the entry's."""
    for entry in entries:
        name = entry.system.text
        corpus, learnt = (corpora[corpus_name] for corpus_name in (entry.corpus, texts[name].learnt_on or entry.corpus))
        languages, expected = ((config.source_language, config.target_language) for config in (learnt, corpus))
        if languages != expected:
            raise UserError(
                "the text is learnt on a corpus of other languages",
                where=lines.place(("systems", entry.system.name, "text")),
                found=f"text {name}, learnt on {learnt.corpus} ({'-'.join(languages)})",
                expected=f"a text of {corpus.corpus} ({'-'.join(expected)})",
            )
